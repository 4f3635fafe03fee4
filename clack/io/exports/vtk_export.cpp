#include "clack/io/exports/vtk_export.hpp"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <map>
#include <vector>

#include "clack/core/error.hpp"
#include "clack/io/exports/output_file.hpp"
#include "clack/io/results/results_reader.hpp"
#include "clack/io/surfaces/surface.hpp"
#include "clack/problem/body_problem.hpp"

namespace clack {
namespace {

namespace fs = std::filesystem;

constexpr Eigen::Index kQ = 7, kV = 6;  // numbers of a body in /q and /v
constexpr const char* kEnergies[] = {"kinetic",       "potential",    "work_external",
                                     "work_damping",  "work_contact", "work_impact",
                                     "work_friction", "work_bond",    "numerical"};

template <class T>
constexpr const char* vtk_type();
template <>
constexpr const char* vtk_type<double>() {
  return "Float64";
}
template <>
constexpr const char* vtk_type<std::int32_t>() {
  return "Int32";
}
template <>
constexpr const char* vtk_type<std::int64_t>() {
  return "Int64";
}

std::string escaped(const std::string& text) {
  std::string out;
  for (char c : text) {
    if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '&')
      out += "&amp;";
    else if (c == '"')
      out += "&quot;";
    else
      out += c;
  }
  return out;
}

// XML in order, raw data behind it.
class VtkText {
 public:
  void open(const std::string& tag) { xml_ += "<" + tag + ">\n"; }
  void close(const std::string& tag) { xml_ += "</" + tag + ">\n"; }

  template <class T>
  void array(const std::string& name, const std::vector<T>& values, int components = 1,
             bool field = false) {
    xml_ += fmt::format(
        "<DataArray type=\"{}\" Name=\"{}\" {}=\"{}\" format=\"appended\" offset=\"{}\"/>\n",
        vtk_type<T>(), escaped(name), field ? "NumberOfTuples" : "NumberOfComponents", components,
        data_.size());
    const std::uint64_t bytes = values.size() * sizeof(T);
    data_.append(reinterpret_cast<const char*>(&bytes), sizeof bytes);
    data_.append(reinterpret_cast<const char*>(values.data()), bytes);
  }

  void write(const fs::path& path) const {
    OutputFile file(path.string());
    file.write(
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"1.0\" "
        "byte_order=\"LittleEndian\" header_type=\"UInt64\">\n<PolyData>\n");
    file.write(xml_);
    file.write("</PolyData>\n<AppendedData encoding=\"raw\">\n_");
    file.write(data_);
    file.write("\n</AppendedData>\n</VTKFile>\n");
    file.finish();
  }

 private:
  std::string xml_, data_;
};

std::vector<std::int64_t> count_up(std::size_t n, std::int64_t from) {
  std::vector<std::int64_t> out(n);
  for (std::size_t i = 0; i < n; ++i) out[i] = from + static_cast<std::int64_t>(i);
  return out;
}

void add_vertices(VtkText& text, std::size_t n) {
  text.open("Verts");
  text.array("connectivity", count_up(n, 0));
  text.array("offsets", count_up(n, 1));
  text.close("Verts");
}

std::vector<double> values_of(const RowMatrix& m) { return {m.data(), m.data() + m.size()}; }

std::vector<std::int32_t> integers_of(const RowMatrix& m) {
  std::vector<std::int32_t> out;
  for (Eigen::Index i = 0; i < m.size(); ++i) out.push_back(static_cast<std::int32_t>(m.data()[i]));
  return out;
}

class Exporter {
 public:
  Exporter(const std::string& results, fs::path folder)
      : reader_(results), shapes_(reader_), folder_(std::move(folder)) {
    if (!reader_.has("/bodies/shape_index")) {
      throw InputError(results +
                       ": has no bodies in space, so nothing for VTK; write a .csv instead");
    }
    shape_of_ = integers_of(reader_.matrix("/bodies/shape_index"));
    kind_ = integers_of(reader_.matrix("/bodies/kind"));
    material_ = integers_of(reader_.matrix("/bodies/material"));
    mass_ = values_of(reader_.matrix("/bodies/mass"));
    birth_.assign(kind_.size(), -INFINITY);
    removal_.assign(kind_.size(), INFINITY);
    if (reader_.has("/bodies/birth")) birth_ = values_of(reader_.matrix("/bodies/birth"));
    if (reader_.has("/bodies/removal")) removal_ = values_of(reader_.matrix("/bodies/removal"));
    offset_ = reader_.contact_offset();
    laws_ = reader_.members("/contacts/law");
    for (int i = 0; i < shapes_.count(); ++i)
      if (const std::string& k = shapes_.kind(i); k == "disc" || k == "line" || k == "segment" ||
                                                  k == "polygon" || k == "ring" ||
                                                  k == "planar-capsule")
        dimension_ = 2;
  }

  std::int64_t run(const fs::path& pvd, std::int64_t every) {
    const std::vector<double> time = reader_.time();
    std::string sets;
    const auto list = [&](double t, int part, const std::string& file, const char* name) {
      sets += fmt::format(
          "<DataSet timestep=\"{:.17g}\" group=\"\" part=\"{}\" name=\"{}\" file=\"{}/{}\"/>\n", t,
          part, name, escaped(folder_.filename().string()), file);
    };
    const bool fixed = write_surfaces("fixed.vtp", 0, true);
    std::int64_t steps = 0;
    for (std::int64_t row = 0; row < reader_.rows(); row += every, ++steps) {
      const double t = time[static_cast<std::size_t>(row)];
      const std::string number = fmt::format("_{:06}.vtp", row);
      read(row);
      write_bodies("bodies" + number, row, t);
      list(t, 0, "bodies" + number, "bodies");
      if (write_surfaces("surfaces" + number, t, false))
        list(t, 1, "surfaces" + number, "surfaces");
      write_contacts("contacts" + number, row);
      list(t, 2, "contacts" + number, "contacts");
      if (fixed) list(t, 3, "fixed.vtp", "fixed");
    }
    OutputFile file(pvd.string());
    file.write(
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\" "
        "byte_order=\"LittleEndian\">\n<Collection>\n");
    file.write(sets);
    file.write("</Collection>\n</VTKFile>\n");
    file.finish();
    return steps;
  }

 private:
  void read(std::int64_t row) {
    q_ = reader_.slice("/q", row, 1);
    v_ = reader_.slice("/v", row, 1);
  }
  bool is_present(std::size_t i, double t) const { return t >= birth_[i] && t < removal_[i]; }
  bool is_round(std::size_t i) const {
    const std::string& kind = shapes_.kind(shape_of_[i]);
    return kind == "sphere" || kind == "disc";
  }
  const double* q(std::size_t i) const { return q_.data() + kQ * static_cast<Eigen::Index>(i); }
  const double* v(std::size_t i) const { return v_.data() + kV * static_cast<Eigen::Index>(i); }

  void write_bodies(const std::string& name, std::int64_t row, double t) const {
    std::vector<double> centre, rotation, velocity, spin, radius, mass;
    std::vector<std::int32_t> id, kind, material;
    for (std::size_t i = 0; i < kind_.size(); ++i) {
      if (!is_present(i, t) || shapes_.is_unbounded(shape_of_[i])) continue;
      centre.insert(centre.end(), q(i), q(i) + 3);
      rotation.insert(rotation.end(), q(i) + 3, q(i) + 7);
      velocity.insert(velocity.end(), v(i), v(i) + 3);
      spin.insert(spin.end(), v(i) + 3, v(i) + 6);
      radius.push_back(is_round(i) ? shapes_.numbers(shape_of_[i]).at(0) : 0);
      mass.push_back(mass_[i]);
      id.push_back(static_cast<std::int32_t>(i));
      kind.push_back(kind_[i]);
      material.push_back(material_[i]);
    }
    VtkText text;
    text.open("FieldData");
    text.array<double>("TimeValue", {t}, 1, true);
    for (const char* energy : kEnergies)
      if (reader_.has(std::string("/energy/") + energy))
        text.array<double>(energy, {reader_.slice(std::string("/energy/") + energy, row, 1)(0, 0)},
                           1, true);
    text.close("FieldData");
    text.open(fmt::format("Piece NumberOfPoints=\"{0}\" NumberOfVerts=\"{0}\"", id.size()));
    text.open("Points");
    text.array("Points", centre, 3);
    text.close("Points");
    text.open("PointData");
    text.array("velocity", velocity, 3);
    text.array("spin", spin, 3);
    text.array("rotation", rotation, 4);
    text.array("radius", radius);
    text.array("mass", mass);
    text.array("id", id);
    text.array("kind", kind);
    text.array("material", material);
    text.close("PointData");
    add_vertices(text, id.size());
    text.close("Piece");
    text.write(folder_ / name);
  }

  const Surface& surface(int shape) {
    const auto found = surfaces_.find(shape);
    return found != surfaces_.end()
               ? found->second
               : surfaces_.emplace(shape, shapes_.surface(shape)).first->second;
  }

  // Fixed bodies that are always there, or the others; false where there is nothing to write.
  bool write_surfaces(const std::string& name, double t, bool fixed) {
    if (fixed) read(0);
    std::vector<double> points, velocity;
    std::vector<std::int64_t> corners, ends;
    std::vector<std::int64_t> line_corners, line_ends;
    std::vector<std::int32_t> id, line_id;
    for (std::size_t i = 0; i < kind_.size(); ++i) {
      const bool stays = kind_[i] == 1 && std::isinf(birth_[i]) && std::isinf(removal_[i]);
      const bool wanted = stays == fixed && !shapes_.is_unbounded(shape_of_[i]) && !is_round(i) &&
                          (fixed || is_present(i, t));
      if (!wanted) continue;
      const Surface& body = surface(shape_of_[i]);
      const auto first = static_cast<std::int64_t>(points.size() / 3);
      const Pose pose{Vector3(q(i)),
                      Eigen::Quaterniond(q(i)[3], q(i)[4], q(i)[5], q(i)[6]).toRotationMatrix()};
      for (const Vector3& corner : body.vertices) {
        const Vector3 p = pose * corner;
        points.insert(points.end(), p.begin(), p.end());
      }
      for (const auto& [a, b] : body.lines) {
        line_corners.insert(line_corners.end(), {first + a, first + b});
        line_ends.push_back(static_cast<std::int64_t>(line_corners.size()));
        line_id.push_back(static_cast<std::int32_t>(i));
      }
      for (const auto& [a, b, c] : body.triangles) {
        corners.insert(corners.end(), {first + a, first + b, first + c});
        ends.push_back(static_cast<std::int64_t>(corners.size()));
        id.push_back(static_cast<std::int32_t>(i));
      }
    }
    if (points.empty()) return false;
    id.insert(id.begin(), line_id.begin(), line_id.end());  // cells: lines first, then polygons
    for (std::int32_t i : id)
      velocity.insert(velocity.end(), v(static_cast<std::size_t>(i)),
                      v(static_cast<std::size_t>(i)) + 3);
    VtkText text;
    text.open(fmt::format("Piece NumberOfPoints=\"{}\" NumberOfLines=\"{}\" NumberOfPolys=\"{}\"",
                          points.size() / 3, line_ends.size(), ends.size()));
    text.open("Points");
    text.array("Points", points, 3);
    text.close("Points");
    text.open("CellData");
    text.array("id", id);
    text.array("velocity", velocity, 3);
    text.close("CellData");
    text.open("Lines");
    text.array("connectivity", line_corners);
    text.array("offsets", line_ends);
    text.close("Lines");
    text.open("Polys");
    text.array("connectivity", corners);
    text.array("offsets", ends);
    text.close("Polys");
    text.close("Piece");
    text.write(folder_ / name);
    return true;
  }

  void write_contacts(const std::string& name, std::int64_t row) const {
    const std::int64_t first = offset_[static_cast<std::size_t>(row)];
    const std::int64_t n = offset_[static_cast<std::size_t>(row) + 1] - first;
    const auto read_column = [&](const std::string& column) {
      return reader_.slice("/contacts/" + column, first, n);
    };
    const RowMatrix normal = read_column("normal"), r = read_column("r");
    std::vector<double> impulse;
    for (Eigen::Index c = 0; c < n; ++c) {
      const Vector3 world = to_world(normal.row(c).transpose(), dimension_, r.row(c).data());
      impulse.insert(impulse.end(), world.begin(), world.end());
    }
    VtkText text;
    text.open(fmt::format("Piece NumberOfPoints=\"{0}\" NumberOfVerts=\"{0}\"", n));
    text.open("Points");
    text.array("Points", values_of(read_column("point")), 3);
    text.close("Points");
    text.open("PointData");
    text.array("impulse", impulse, 3);
    text.array("normal", values_of(normal), 3);
    text.array("r", values_of(r), 3);
    text.array("u", values_of(read_column("u")), 3);
    text.array("gap", values_of(read_column("gap")));
    for (const char* column : {"status", "body_a", "body_b"})
      text.array(column, integers_of(read_column(column)));
    for (const std::string& law : laws_) text.array(law, values_of(read_column("law/" + law)));
    text.close("PointData");
    add_vertices(text, static_cast<std::size_t>(n));
    text.close("Piece");
    text.write(folder_ / name);
  }

  ResultsReader reader_;
  RecordedShapes shapes_;
  fs::path folder_;
  int dimension_ = 3;
  std::vector<std::int32_t> shape_of_, kind_, material_;
  std::vector<double> mass_, birth_, removal_;
  std::vector<std::int64_t> offset_;
  std::vector<std::string> laws_;
  std::map<int, Surface> surfaces_;
  RowMatrix q_, v_;
};

}  // namespace

std::int64_t export_vtk(const std::string& results, const std::string& pvd, std::int64_t every) {
  const fs::path folder = fs::path(pvd).replace_extension();
  Exporter exporter(results, folder);
  std::error_code code;
  fs::create_directories(folder, code);
  if (code) throw IoError(folder.string() + ": cannot be made: " + code.message());
  return exporter.run(pvd, every);
}

}  // namespace clack
