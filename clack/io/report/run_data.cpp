#include "clack/io/report/run_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <limits>
#include <map>

#include "clack/core/error.hpp"
#include "clack/problem/body_problem.hpp"

namespace clack {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

// q: position of the centre and quaternion (w, x, y, z) of each body; v: velocity of the centre and
// angular velocity in the body's frame (docs/results.md).
constexpr Eigen::Index kQ = 7, kV = 6;
constexpr double kStepsPerRadius = 1000;
constexpr int kRotationSteps = 32767, kLevels = 16384;
constexpr std::int64_t kValuesPerBlock = 4'000'000;
constexpr std::int64_t kFewBodies = 200;       // whose spins are kept
constexpr std::int64_t kFewContacts = 200000;  // whose gaps are kept
constexpr std::size_t kFewEvents = 2000;       // that are listed

std::vector<int> integers(const ResultsReader& reader, const std::string& dataset) {
  const RowMatrix values = reader.matrix(dataset);
  std::vector<int> out;
  for (Eigen::Index i = 0; i < values.size(); ++i)
    out.push_back(static_cast<int>(values.data()[i]));
  return out;
}

std::vector<double> numbers(const ResultsReader& reader, const std::string& dataset,
                            std::size_t count, double otherwise) {
  if (!reader.has(dataset)) return std::vector<double>(count, otherwise);
  const RowMatrix values = reader.matrix(dataset);
  return {values.data(), values.data() + values.size()};
}

bool is_round(const std::string& kind) { return kind == "sphere" || kind == "disc"; }

// JSON of a text that may be none.
Json parse(const std::string& text) { return Json::parse(text, nullptr, false); }

Json read_summary(const fs::path& folder) {
  std::ifstream file(folder / "summary.json", std::ios::binary);
  const Json summary = parse({std::istreambuf_iterator<char>(file), {}});
  return summary.is_object() ? summary : Json();
}

Json finite(double value) { return std::isfinite(value) ? Json(value) : Json(); }

// Counts of all events; the first ones as [time, kind, name, u_N before, u_N after, impulse N].
Json events_head(const ResultsReader& reader) {
  const EventColumns events = reader.events();
  if (events.offset.empty()) return {};
  const std::vector<std::string> names = reader.contact_names(),
                                 bodies = reader.strings("/bodies/name");
  const auto name = [](const std::vector<std::string>& list, std::int32_t at) {
    return at >= 0 && static_cast<std::size_t>(at) < list.size()
               ? list[static_cast<std::size_t>(at)]
               : std::string();
  };
  Json list = Json::array(), counts = Json::object();
  for (std::size_t i = 0; i < events.time.size(); ++i) {
    const std::string kind(event_name(events.kind[i]));
    counts[kind] = counts.value(kind, 0) + 1;
    if (i >= kFewEvents) continue;
    const auto row = static_cast<Eigen::Index>(i);
    std::string who = name(names, events.id[i]);
    if (who.empty()) who = name(bodies, events.body_a[i]) + ", " + name(bodies, events.body_b[i]);
    list.push_back({finite(events.time[i]), kind, who, finite(events.u_before(row, 0)),
                    finite(events.u_after(row, 0)), finite(events.impulse(row, 0))});
  }
  return {{"total", events.time.size()}, {"counts", counts}, {"list", list}};
}

// Values in steps, each row as the difference from the one before; what cannot be drawn stays where
// it was.
class Differences {
 public:
  Differences(std::size_t width, double step) : last_(width, 0), step_(step) {}

  void add(std::size_t i, double value) {
    std::int32_t units = last_[i];
    if (!quantise(value, step_, units)) ++held_;
    out_.push_back(units - last_[i]);
    last_[i] = units;
  }
  const std::vector<std::int32_t>& values() const { return out_; }
  long held() const { return held_; }

 private:
  std::vector<std::int32_t> last_, out_;
  double step_;
  long held_ = 0;
};

// Some rows of a dataset, of which `first` to `last` are read at once where they are not too many.
class Window {
 public:
  Window(const ResultsReader& reader, std::string group, std::int64_t first, std::int64_t last)
      : reader_(reader), group_(std::move(group)), first_(first), last_(last) {}

  RowMatrix rows(const std::string& name, std::int64_t row, std::int64_t count) {
    if (last_ - first_ > kRowsAtOnce) return reader_.slice(group_ + name, row, count);
    auto found = held_.find(name);
    if (found == held_.end())
      found = held_.emplace(name, reader_.slice(group_ + name, first_, last_ - first_)).first;
    return found->second.middleRows(row - first_, count);
  }

 private:
  static constexpr std::int64_t kRowsAtOnce = 1 << 19;

  const ResultsReader& reader_;
  std::string group_;
  std::int64_t first_, last_;
  std::map<std::string, RowMatrix> held_;
};

double largest(const RowMatrix& values) {
  double result = 0;
  for (Eigen::Index i = 0; i < values.size(); ++i)
    if (std::isfinite(values.data()[i])) result = std::max(result, std::abs(values.data()[i]));
  return result;
}

// q and -q are the same rotation: the one next to the row before makes small differences.
void align(Eigen::Vector4d& rotation, Eigen::Vector4d& before) {
  if (rotation.dot(before) < 0) rotation = -rotation;
  before = rotation;
}

}  // namespace

fs::path find_results(const std::string& folder_or_file) {
  const fs::path path = folder_or_file;
  std::error_code code;
  const fs::file_status status = fs::status(path, code);
  if (!fs::exists(status)) throw IoError(folder_or_file + ": there is no such folder or file");
  if (!fs::is_directory(status)) return path;
  if (!fs::exists(path / "results.h5", code)) {
    throw InputError(folder_or_file +
                     ": holds no results.h5; give a folder that `clack run` wrote");
  }
  return path / "results.h5";
}

RunData::RunData(const std::string& folder_or_file, const RunDataOptions& options)
    : folder_(find_results(folder_or_file).parent_path()),
      reader_(find_results(folder_or_file).string()),
      shapes_(reader_) {
  if (reader_.rows() == 0) {
    throw InputError(folder_or_file + ": the results have no row yet");
  }
  world_ = reader_.has("/bodies/shape_index");
  time_ = reader_.time();
  contact_offset_ = reader_.contact_offset();
  if (world_) {
    shape_of_ = integers(reader_, "/bodies/shape_index");
    kinds_ = integers(reader_, "/bodies/kind");
    const auto planar = [](const std::string& k) {
      return k == "disc" || k == "line" || k == "segment" || k == "polygon" || k == "ring" ||
             k == "planar-capsule";
    };
    for (int i = 0; i < shapes_.count(); ++i)
      if (planar(shapes_.kind(i))) dimension_ = 2;
    if (reader_.has("/world/dimension")) dimension_ = integers(reader_, "/world/dimension").at(0);
    const auto q = reader_.slice("/q", 0, 1).cols();
    if (shape_of_.size() != kinds_.size() || q < kQ * bodies())
      throw InputError(folder_or_file + ": the datasets of /bodies do not fit /q");
    set_position_step();
    first_q_ = static_cast<int>(kQ * bodies());
    first_v_ = static_cast<int>(kV * bodies());
    has_coordinates_ = q > kQ * bodies();
    joints_ = JointData(reader_, dimension_ == 2);
    joints_.choose(reader_.q_names(), options.coordinates);
  }
  if (has_coordinates_) {
    name_contacts();
    choose_coordinates(options.coordinates);
  }
  make_columns();
}

// Contacts that formulas state. Links come before them: of those that hold like joints there are no
// rows of contacts.
void RunData::name_contacts() {
  const std::vector<std::string> all = reader_.contact_names();
  const std::vector<std::string> links =
      reader_.has("/joints/name") ? reader_.strings("/joints/name") : std::vector<std::string>();
  for (std::size_t id = 0; id < all.size(); ++id) {
    if (std::find(links.begin(), links.end(), all[id]) != links.end()) continue;
    contact_names_.push_back(all[id]);
    contact_ids_.push_back(static_cast<int>(id));
  }
}

void RunData::set_position_step() {
  double smallest = std::numeric_limits<double>::infinity();
  for (const bool free_only : {true, false}) {
    if (std::isfinite(smallest)) break;
    for (std::size_t i = 0; i < kinds_.size(); ++i) {
      if ((free_only && kinds_[i] != 0) || shapes_.is_unbounded(shape_of_[i])) continue;
      const bool round = is_round(shapes_.kind(shape_of_[i]));
      double radius = round ? shapes_.numbers(shape_of_[i]).at(0) : 0;
      if (!round)
        for (const Vector3& p : shapes_.surface(shape_of_[i], 8).vertices)
          radius = std::max(radius, p.norm());
      if (radius > 0) smallest = std::min(smallest, radius);
    }
  }
  position_step_ = (std::isfinite(smallest) ? smallest : 1.0) / kStepsPerRadius;
}

nlohmann::json RunData::head() const {
  const std::map<std::string, std::string> attributes = reader_.attributes();
  const auto text = [&](const char* name) {
    const auto found = attributes.find(name);
    return found == attributes.end() ? std::string() : found->second;
  };
  Json columns = Json::array();
  for (const Column& column : columns_)
    columns.push_back({{"group", column.group}, {"name", column.name}, {"unit", column.unit}});
  const fs::path folder = fs::absolute(folder_).lexically_normal();
  Json head = {
      {"kind", world_ ? "world" : "system"},
      {"title", text("title")},
      {"folder", (folder.has_filename() ? folder : folder.parent_path()).filename().string()},
      {"version", text("version")},
      {"scene", text("scene")},
      {"units", text("units")},
      {"options", parse(text("options"))},
      {"summary", read_summary(folder_)},
      {"rows", rows()},
      {"contacts", contact_offset_.back()},
      {"columns", columns},
      {"events", events_head(reader_)}};
  if (!world_) {
    head["contact_names"] = contact_names_;
    return head;
  }
  const auto world = [&](const char* name, std::size_t n) {
    return numbers(reader_, std::string("/world/") + name, n, 0);
  };
  head["bodies"] = bodies();
  head["dimension"] = dimension_;
  head["period"] = world("period", 3);
  head["shear_rate"] = world("shear_rate", 1)[0];
  head["shear_normal"] = world("shear_normal", 1)[0];
  head["materials"] = reader_.has("/world/material") ? reader_.strings("/world/material")
                                                     : std::vector<std::string>();
  head["joints"] = joints_.size();
  head["joints_without_curves"] = joints_.limited();
  head["position_step"] = position_step_;
  head["rotation_steps"] = kRotationSteps;
  return head;
}

Block RunData::bodies_block() const {
  Block block;
  const std::size_t n = kinds_.size();
  std::vector<double> radius, vertices;
  std::vector<std::int32_t> triangles, lines;
  Json surfaces = Json::array(), unbounded = Json::array(), kind_names = Json::array();
  std::map<std::string, int> kind_index;
  std::map<int, int> known;
  std::vector<std::int32_t> surface_of, kind_of;
  for (std::size_t i = 0; i < n; ++i) {
    const int shape = shape_of_[i];
    const std::string& kind = shapes_.kind(shape);
    const auto [place, fresh] = kind_index.emplace(kind, static_cast<int>(kind_index.size()));
    if (fresh) kind_names.push_back(kind);
    kind_of.push_back(place->second);
    radius.push_back(is_round(kind) ? shapes_.numbers(shape).at(0) : 0);
    surface_of.push_back(-1);
    if (is_round(kind)) continue;
    if (shapes_.is_unbounded(shape)) {
      unbounded.push_back({{"body", i}, {"numbers", shapes_.numbers(shape)}});
      continue;
    }
    const auto [at, first] = known.emplace(shape, static_cast<int>(known.size()));
    surface_of.back() = at->second;
    if (!first) continue;
    const Surface surface = shapes_.surface(shape);
    for (const Vector3& p : surface.vertices) vertices.insert(vertices.end(), p.begin(), p.end());
    for (const auto& t : surface.triangles) triangles.insert(triangles.end(), t.begin(), t.end());
    for (const auto& l : surface.lines) lines.insert(lines.end(), l.begin(), l.end());
    surfaces.push_back({surface.vertices.size(), surface.triangles.size(), surface.lines.size()});
  }
  block.header["names"] = reader_.strings("/bodies/name");
  block.header["shape_kinds"] = kind_names;
  block.header["surfaces"] = surfaces;
  block.header["unbounded"] = unbounded;
  block.add("shape_kind", kind_of);
  block.add("surface", surface_of);
  block.add("kind", kinds_);
  block.add("material", integers(reader_, "/bodies/material"));
  block.add_single("mass", numbers(reader_, "/bodies/mass", n, 0));
  block.add_single("birth", numbers(reader_, "/bodies/birth", n, -INFINITY));
  block.add_single("removal", numbers(reader_, "/bodies/removal", n, INFINITY));
  block.add_single("radius", radius);
  block.add_single("vertices", vertices);
  block.add("triangles", triangles);
  block.add("lines", lines);
  joints_.describe(block);
  return block;
}

std::int64_t RunData::rows_per_block() const {
  const std::int64_t each = 10 * std::max<std::int64_t>(1, bodies());
  return std::clamp<std::int64_t>(kValuesPerBlock / each, 4, 128);
}

// One past the rows that are read at once; without end, so one by one, where that would be much.
std::int64_t RunData::last_row(const std::vector<std::int64_t>& rows) const {
  const std::int64_t span = rows.back() + 1 - rows.front();
  const bool much = span * bodies() > kValuesPerBlock / 10 * 8;
  return much ? std::numeric_limits<std::int64_t>::max() : rows.back() + 1;
}

Block RunData::frames_block(const std::vector<std::int64_t>& rows) const {
  const auto n = static_cast<std::size_t>(bodies());
  std::vector<RowMatrix> q, v;
  double fastest = 0;
  Window window(reader_, "/", rows.front(), last_row(rows));
  for (const std::int64_t row : rows) {
    q.push_back(window.rows("q", row, 1));
    v.push_back(window.rows("v", row, 1));
    fastest = std::max(fastest, largest(v.back()));
  }
  const double velocity_step = fastest > 0 ? fastest / kLevels : 1;
  const bool spins = bodies() <= kFewBodies;
  Differences position(3 * n, position_step_), rotation(4 * n, 1.0 / kRotationSteps),
      velocity((spins ? 6 : 3) * n, velocity_step);
  std::vector<Eigen::Vector4d> before(n, Eigen::Vector4d::Zero());
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const double *x = q[k].data(), *w = v[k].data();
    for (std::size_t axis = 0; axis < 3; ++axis)
      for (std::size_t i = 0; i < n; ++i) position.add(axis * n + i, x[kQ * i + axis]);
    for (std::size_t i = 0; i < n; ++i) {
      Eigen::Vector4d turned(x + kQ * i + 3);
      align(turned, before[i]);
    }
    for (std::size_t axis = 0; axis < 4; ++axis)
      for (std::size_t i = 0; i < n; ++i)
        rotation.add(axis * n + i, before[i][static_cast<Eigen::Index>(axis)]);
    for (std::size_t axis = 0; axis < (spins ? 6u : 3u); ++axis)
      for (std::size_t i = 0; i < n; ++i) velocity.add(axis * n + i, w[kV * i + axis]);
  }
  Block block;
  block.header = {{"rows", rows},
                  {"velocity_step", velocity_step},
                  {"spins", spins},
                  {"held", position.held() + rotation.held()}};
  block.add("position", position.values());
  block.add("rotation", rotation.values());
  block.add("velocity", velocity.values());
  joints_.add_forces(reader_, rows, q, block);
  return block;
}

Block RunData::contacts_block(const std::vector<std::int64_t>& rows) const {
  std::vector<std::int32_t> count, body_a, body_b, status, point, force;
  std::vector<double> scale, gap;
  const auto offset = [&](std::int64_t row) {
    return contact_offset_[static_cast<std::size_t>(row)];
  };
  Window window(reader_, "/contacts/", offset(rows.front()), offset(rows.back() + 1));
  Window poses(reader_, "/", rows.front(), last_row(rows));
  for (const std::int64_t row : rows) {
    const std::int64_t first = offset(row);
    std::int64_t n = offset(row + 1) - first;
    // Contacts that formulas state come last and are nowhere in space.
    if (has_coordinates_ && n > 0) {
      const RowMatrix on = window.rows("body_b", first, n);
      while (n > 0 && on(n - 1, 0) < 0) --n;
    }
    const auto read = [&](const char* name) { return window.rows(name, first, n); };
    count.push_back(static_cast<std::int32_t>(n));
    scale.push_back(0);
    if (n == 0) continue;
    const RowMatrix q = poses.rows("q", row, 1), a = read("body_a"), b = read("body_b"),
                    place = read("point"), normal = read("normal"), r = read("r");
    RowMatrix world(n, 3);
    for (Eigen::Index c = 0; c < n; ++c)
      world.row(c) = to_world(normal.row(c).transpose(), dimension_, r.row(c).data());
    scale.back() = largest(world);
    for (Eigen::Index c = 0; c < n; ++c) {
      body_a.push_back(static_cast<std::int32_t>(a(c, 0)));
      body_b.push_back(static_cast<std::int32_t>(b(c, 0)));
    }
    for (Eigen::Index axis = 0; axis < 3; ++axis) {
      for (Eigen::Index c = 0; c < n; ++c) {
        // From the centre of a body: small numbers that stay alike from row to row.
        const auto body = static_cast<Eigen::Index>(b(c, 0) >= 0 ? b(c, 0) : a(c, 0));
        const double centre = body >= 0 && body < bodies() ? q(0, kQ * body + axis) : 0;
        std::int32_t units = 0;
        quantise(place(c, axis) - centre, position_step_, units);
        point.push_back(units);
        units = 0;
        if (scale.back() > 0) quantise(world(c, axis), scale.back() / kLevels, units);
        force.push_back(units);
      }
    }
    const RowMatrix state = read("status");
    for (Eigen::Index c = 0; c < n; ++c) status.push_back(static_cast<std::int32_t>(state(c, 0)));
    if (contact_offset_.back() > kFewContacts) continue;
    const RowMatrix distance = read("gap");
    gap.insert(gap.end(), distance.data(), distance.data() + n);
  }
  Block block;
  block.header = {{"rows", rows}, {"levels", kLevels}};
  block.add("count", count);
  block.add_single("scale", scale);
  block.add("body_a", body_a);
  block.add("body_b", body_b);
  block.add("status", status);
  block.add("point", point);
  block.add("force", force);
  block.add_single("gap", gap);
  return block;
}

}  // namespace clack
