#include "clack/io/scene/shape_reader.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "clack/core/formula/tape.hpp"
#include "clack/io/meshes/mesh_reader.hpp"
#include "clack/io/tables/table_reader.hpp"
#include "clack/model/shapes/gear.hpp"

namespace clack {
namespace {

const std::vector<std::string>& kinds_of(bool planar) {
  static const std::vector<std::string> space = {
      "sphere",     "capsule", "cylinder",     "cone", "plane",  "box",
      "polyhedron", "mesh",    "height-field", "tube", "socket", "compound"};
  static const std::vector<std::string> plane = {"disc", "capsule", "polygon", "segment",
                                                 "line", "ring",    "gear",    "compound"};
  return planar ? plane : space;
}

// What a shape's constructor or a reader of files refuses is a complaint about the field.
template <class Make>
ShapePtr made(const Field& field, Make make) {
  try {
    return make();
  } catch (const InputError& error) {
    field.complain(error.what());
  } catch (const IoError& error) {
    field.complain(error.what());
  }
  return nullptr;
}

}  // namespace

void ShapeReader::read_named(const Field& field) {
  if (!field.expect_free_map()) return;
  for (const Entry& entry : field.entries()) {
    if (const ShapePtr shape = read(entry.value)) named_[entry.key] = shape;
  }
}

ShapePtr ShapeReader::read(const Field& field) {
  const std::vector<std::string>& kinds = kinds_of(planar_);
  std::vector<std::string_view> words(kinds.begin(), kinds.end());
  if (field.is_scalar()) {
    const std::string name = field.text().value_or("");
    if (const auto it = named_.find(name); it != named_.end()) return it->second;
    if (name == "plane" && !planar_) return make_shape(Plane());
    if (name == "line" && planar_) return make_shape(Line());
    words.clear();
    for (const auto& [known, shape] : named_) words.push_back(known);
    words.push_back(planar_ ? "line" : "plane");
    field.complain(fmt::format("no shape of this name{}; or a map such as {}",
                               allowed_words(name, words),
                               planar_ ? "{disc: {radius: 1}}" : "{sphere: {radius: 1}}"));
    return nullptr;
  }
  if (!field.expect_free_map()) return nullptr;
  const std::vector<Entry> entries = field.entries();
  if (entries.size() != 1) {
    field.complain(fmt::format("expected one kind of shape, as in {}; found {} keys",
                               planar_ ? "{disc: {radius: 1}}" : "{sphere: {radius: 1}}",
                               entries.size()));
    return nullptr;
  }
  if (std::find(kinds.begin(), kinds.end(), entries[0].key) == kinds.end()) {
    entries[0].name.complain("no kind of shape" + allowed_words(entries[0].key, words));
    return nullptr;
  }
  return read_kind(entries[0].key, entries[0].value);
}

// In the plane a shape has another name or another type than its like in space; kinds that are
// not of the dimension are refused before.
ShapePtr ShapeReader::read_kind(const std::string& kind, const Field& field) {
  if (kind == "sphere" || kind == "disc") return read_ball(field);
  if (kind == "capsule") return read_capsule(field);
  if (kind == "plane" || kind == "line") return read_half_space(field);
  if (kind == "polyhedron" || kind == "polygon") return read_hull(field);
  if (kind == "box") return read_box(field);
  if (kind == "segment") return read_segment(field);
  if (kind == "compound") return read_compound(field);
  if (kind == "mesh") return read_mesh_file(field);
  if (kind == "height-field") return read_height_field(field);
  if (kind == "ring" || kind == "tube" || kind == "socket") return read_hollow(kind, field);
  if (kind == "gear") return read_gear(field);
  return read_round(kind, field);
}

std::optional<double> ShapeReader::length(const Field& field, const char* key) {
  const auto value = field.require(key, "a number > 0 [m]");
  return value ? vocabulary_.number(*value, kPositive) : std::nullopt;
}

double ShapeReader::rounding(const Field& field) {
  const auto value = field.find("rounding");
  return value ? vocabulary_.number(*value, kNonNegative).value_or(0) : 0;
}

ShapePtr ShapeReader::read_ball(const Field& field) {
  if (!field.expect_map({"radius"})) return nullptr;
  const auto radius = length(field, "radius");
  if (!radius) return nullptr;
  return planar_ ? make_shape(Disc(*radius)) : make_shape(Sphere(*radius));
}

ShapePtr ShapeReader::read_capsule(const Field& field) {
  if (!field.expect_map({"radius", "length"})) return nullptr;
  const auto radius = length(field, "radius"), along = length(field, "length");
  if (!radius || !along) return nullptr;
  const double half = 0.5 * *along;
  return planar_ ? make_shape(PlanarCapsule(*radius, half)) : make_shape(Capsule(*radius, half));
}

ShapePtr ShapeReader::read_round(const std::string& kind, const Field& field) {
  const char* key = kind == "cone" ? "height" : "length";
  if (!field.expect_map({"radius", key, "rounding"})) return nullptr;
  const auto radius = length(field, "radius"), along = length(field, key);
  if (!radius || !along) return nullptr;
  const double round = rounding(field);
  if (kind == "cone") return make_shape(ConeShape(*radius, *along, round));
  return make_shape(Cylinder(*radius, 0.5 * *along, round));
}

ShapePtr ShapeReader::read_hollow(const std::string& kind, const Field& field) {
  const bool tube = kind == "tube";
  if (!(tube ? field.expect_map({"inner", "outer", "length"})
             : field.expect_map({"inner", "outer"})))
    return nullptr;
  const auto inner = length(field, "inner"), outer = length(field, "outer");
  const auto along = tube ? length(field, "length") : std::optional<double>(0);
  if (!inner || !outer || !along) return nullptr;
  return made(field, [&] {
    if (tube) return make_shape(Tube(*inner, *outer, 0.5 * *along));
    return planar_ ? make_shape(RingShape(*inner, *outer)) : make_shape(Socket(*inner, *outer));
  });
}

ShapePtr ShapeReader::read_gear(const Field& field) {
  if (!field.expect_map(
          {"teeth", "module", "pressure_angle", "addendum", "dedendum", "backlash", "chords"}))
    return nullptr;
  GearOptions options;
  const auto teeth = field.require("teeth", "a whole number from 4");
  const auto count = teeth ? vocabulary_.integer(*teeth, 4) : std::nullopt;
  const auto module = length(field, "module");
  if (!count || !module) return nullptr;
  options.module = *module;
  options.teeth = static_cast<int>(std::min(*count, 1L << 30));
  if (const auto x = field.find("chords"))
    options.chords = static_cast<int>(std::min(vocabulary_.integer(*x, 1).value_or(1), 1L << 30));
  const std::pair<const char*, double*> numbers[] = {{"pressure_angle", &options.pressure_angle},
                                                     {"addendum", &options.addendum},
                                                     {"dedendum", &options.dedendum},
                                                     {"backlash", &options.backlash}};
  for (const auto& [key, value] : numbers)
    if (const auto x = field.find(key)) *value = vocabulary_.number(*x).value_or(*value);
  return made(field, [&] { return make_gear(options); });
}

ShapePtr ShapeReader::read_half_space(const Field& field) {
  if (!field.expect_map({"normal", "offset"})) return nullptr;
  Vector3 normal = planar_ ? Vector3::UnitY() : Vector3::UnitZ();
  double offset = 0;
  if (const auto x = field.find("normal")) normal = point(*x).value_or(normal);
  if (const auto x = field.find("offset")) offset = vocabulary_.number(*x).value_or(0);
  return made(field, [&] {
    return planar_ ? make_shape(Line(normal.head<2>(), offset)) : make_shape(Plane(normal, offset));
  });
}

ShapePtr ShapeReader::read_box(const Field& field) {
  if (!field.expect_map({"size", "rounding"})) return nullptr;
  const auto size = field.require("size", "three sides [m]");
  const auto sides = size ? point(*size) : std::nullopt;
  if (!sides) return nullptr;
  const double round = rounding(field);
  return made(*size, [&] { return make_shape(Box(0.5 * *sides, round)); });
}

ShapePtr ShapeReader::read_segment(const Field& field) {
  if (!field.expect_map({"start", "end", "rounding"})) return nullptr;
  const auto start = field.require("start", "a point [m]"),
             end = field.require("end", "a point [m]");
  const auto a = start ? point(*start) : std::nullopt, b = end ? point(*end) : std::nullopt;
  if (!a || !b) return nullptr;
  const double round = rounding(field);
  return made(field, [&] { return make_shape(Segment(a->head<2>(), b->head<2>(), round)); });
}

ShapePtr ShapeReader::read_hull(const Field& field) {
  if (!field.expect_map({"points", "rounding"})) return nullptr;
  const std::vector<Vector3> corners = points(field);
  const double round = rounding(field);
  if (corners.empty()) return nullptr;
  return made(field, [&] {
    if (!planar_) return make_shape(Polyhedron(corners, round));
    std::vector<Vector2> flat;
    for (const Vector3& corner : corners) flat.push_back(corner.head<2>());
    return make_shape(Polygon(flat, round));
  });
}

std::vector<Vector3> ShapeReader::points(const Field& field) {
  const auto list = field.require("points", "a list of points [m]");
  const auto rows = list ? vocabulary_.matrix(*list, -1, planar_ ? 2 : 3) : std::nullopt;
  std::vector<Vector3> result;
  if (!rows) return result;
  for (int i = 0; i < rows->rows(); ++i) {
    result.emplace_back((*rows)(i, 0), (*rows)(i, 1), planar_ ? 0.0 : (*rows)(i, 2));
  }
  return result;
}

ShapePtr ShapeReader::read_compound(const Field& field) {
  std::vector<CompoundPart> parts;
  for (const Field& item : field.items("a list of parts with shape, position and rotation")) {
    if (!item.expect_map({"shape", "position", "rotation"})) continue;
    const auto shape = item.require("shape", "a shape");
    const Pose pose = read_pose(item);
    if (const ShapePtr part = shape ? read(*shape) : nullptr) parts.push_back({part, pose});
  }
  if (parts.empty()) return nullptr;
  return made(field, [&] { return make_shape(Compound(parts)); });
}

ShapePtr ShapeReader::read_mesh_file(const Field& field) {
  if (!field.expect_map({"file", "scale", "two_sided", "convex", "rounding"})) return nullptr;
  const auto file = field.require("file", "an OBJ, STL or PLY file");
  const auto name = file ? file->text("a file name") : std::nullopt;
  if (!name) return nullptr;
  const Vector3 scale = read_scale(field);
  auto flag = [&](const char* key) {
    const auto x = field.find(key);
    return x && x->choice({"true", "false"}).value_or("false") == "true";
  };
  const TriangleMeshOptions options{.rounding = rounding(field), .two_sided = flag("two_sided")};
  const bool convex = flag("convex");
  return made(*file, [&] {
    MeshData data = read_mesh((std::filesystem::path(folder_) / *name).string());
    scale_mesh(data, scale);
    if (convex) return make_shape(Polyhedron(data.vertices, options.rounding));
    return make_shape(TriangleMesh(std::move(data.vertices), std::move(data.triangles), options));
  });
}

// One factor, or one along each axis, of which some may mirror the mesh.
Vector3 ShapeReader::read_scale(const Field& mesh) {
  const auto field = mesh.find("scale");
  if (!field) return Vector3::Ones();
  if (!field->is_list())
    return Vector3::Constant(vocabulary_.number(*field, kPositive).value_or(1));
  const Vector3 factors = point(*field).value_or(Vector3::Ones());
  if (factors.cwiseAbs().minCoeff() > 0) return factors;
  field->complain("has a factor 0");
  return Vector3::Ones();
}

ShapePtr ShapeReader::read_height_field(const Field& field) {
  if (!field.expect_map({"points", "spacing", "height", "file", "rounding"})) return nullptr;
  const auto counts = field.require("points", "points along x and y, as in [101, 51]");
  const auto spacing = field.require("spacing", "distances of the points along x and y [m]");
  const auto n = counts ? vocabulary_.row(*counts, 2) : std::nullopt;
  const auto d = spacing ? vocabulary_.row(*spacing, 2) : std::nullopt;
  if (!n || !d) return nullptr;
  constexpr double kMostPoints = 1e8;
  if ((*n)[0] != std::floor((*n)[0]) || (*n)[1] != std::floor((*n)[1]) || n->minCoeff() < 2 ||
      (*n)[0] * (*n)[1] > kMostPoints) {
    counts->complain(
        fmt::format("[{}, {}] is not allowed; two whole numbers >= 2 with a product "
                    "of at most {:g}",
                    (*n)[0], (*n)[1], kMostPoints));
    return nullptr;
  }
  const int nx = static_cast<int>((*n)[0]), ny = static_cast<int>((*n)[1]);
  std::vector<double> heights = read_heights(field, nx, ny, (*d)[0], (*d)[1]);
  if (heights.empty()) return nullptr;
  const double round = rounding(field);
  return made(field, [&] {
    return make_shape(HeightField(nx, ny, (*d)[0], (*d)[1], std::move(heights), round));
  });
}

// A formula of x and y, or a table of numbers, one row for each y.
std::vector<double> ShapeReader::read_heights(const Field& field, int nx, int ny, double dx,
                                              double dy) {
  const auto height = field.find("height"), file = field.find("file");
  if (!height == !file) {
    field.complain("needs either 'height', a formula of x and y, or 'file', a table of heights");
    return {};
  }
  if (file) return read_height_table(*file, nx, ny);
  formula::Names allowed = vocabulary_.parameters;
  const formula::Expr x = vocabulary_.graph.variable("x"), y = vocabulary_.graph.variable("y");
  allowed["x"] = x;
  allowed["y"] = y;
  const auto e = vocabulary_.formula(*height, allowed, "a formula of x and y [m]");
  if (!e) return {};
  const formula::Expr inputs[] = {x, y}, outputs[] = {*e};
  const formula::Tape tape(vocabulary_.graph, inputs, outputs);
  std::vector<double> registers(static_cast<std::size_t>(tape.register_count())), heights;
  tape.prepare(registers.data());
  for (int j = 0; j < ny; ++j) {
    for (int i = 0; i < nx; ++i) {
      const double at[] = {i * dx, j * dy};
      tape.evaluate(at, &heights.emplace_back(), registers.data());
    }
  }
  return heights;
}

std::vector<double> ShapeReader::read_height_table(const Field& file, int nx, int ny) {
  const auto name = file.text("a file name");
  if (!name) return {};
  try {
    const Table table = read_table((std::filesystem::path(folder_) / *name).string());
    if (table.rows() == static_cast<std::size_t>(ny) &&
        table.columns == static_cast<std::size_t>(nx)) {
      return table.values;
    }
    file.complain(fmt::format("has {} rows of {} numbers; expected {} rows (y) of {} (x)",
                              table.rows(), table.columns, ny, nx));
  } catch (const InputError& error) {
    file.complain(error.what());
  } catch (const IoError& error) {
    file.complain(error.what());
  }
  return {};
}

std::optional<Vector3> ShapeReader::point(const Field& field) {
  const auto row = vocabulary_.row(field, planar_ ? 2 : 3);
  if (!row) return std::nullopt;
  return Vector3((*row)[0], (*row)[1], planar_ ? 0.0 : (*row)[2]);
}

Pose ShapeReader::read_pose(const Field& field) {
  Pose pose;
  if (const auto x = field.find("position")) pose.position = point(*x).value_or(Vector3::Zero());
  if (const auto x = field.find("rotation")) pose.rotation = read_rotation(*x);
  return pose;
}

Matrix3 ShapeReader::read_rotation(const Field& field) {
  if (planar_) {
    return planar_pose(0, 0, vocabulary_.number(field).value_or(0)).rotation;
  }
  if (field.is_list()) {
    const auto q = vocabulary_.row(field, 4);
    if (!q) return Matrix3::Identity();
    if (q->norm() > 0) {
      return Eigen::Quaterniond((*q)[0], (*q)[1], (*q)[2], (*q)[3]).normalized().toRotationMatrix();
    }
    field.complain("a quaternion of length 0 is no rotation");
    return Matrix3::Identity();
  }
  if (!field.expect_map({"axis", "angle"})) return Matrix3::Identity();
  const auto axis = field.require("axis", "three numbers");
  const auto angle = field.require("angle", "an angle [rad]");
  const auto a = axis ? point(*axis) : std::nullopt;
  const auto phi = angle ? vocabulary_.number(*angle) : std::nullopt;
  if (!a || !phi) return Matrix3::Identity();
  if (a->norm() > 0) return Eigen::AngleAxisd(*phi, a->normalized()).toRotationMatrix();
  axis->complain("an axis of length 0 has no direction");
  return Matrix3::Identity();
}

namespace {

// Formulas of t: three of a vector in space, two in the plane, one of a rotation in the plane.
bool read_formulas(const Field& field, int count, const formula::Names& allowed,
                   Vocabulary& vocabulary, formula::Expr* out) {
  const std::vector<Field> items = field.is_scalar() && count == 1
                                       ? std::vector<Field>{field}
                                       : field.items("a list of formulas of t");
  if (static_cast<int>(items.size()) != count) {
    if (field.is_list() || count == 1) {
      field.complain(fmt::format("expected {} formulas of t; found {}", count, items.size()));
    }
    return false;
  }
  bool good = true;
  for (int i = 0; i < count; ++i) {
    const auto e =
        vocabulary.formula(items[static_cast<std::size_t>(i)], allowed, "a formula of t");
    good = good && e.has_value();
    if (e) out[i] = *e;
  }
  return good;
}

}  // namespace

std::shared_ptr<const formula::Tape> read_time_functions(const Field& field, const char* first,
                                                         const char* second, bool planar,
                                                         Vocabulary& vocabulary) {
  formula::Names allowed = vocabulary.parameters;
  const formula::Expr t = vocabulary.graph.variable("t");
  allowed["t"] = t;
  std::array<formula::Expr, 6> outputs;
  outputs.fill(vocabulary.graph.constant(0));
  const auto a = field.find(first), b = field.find(second);
  bool good = true;
  if (a) good = read_formulas(*a, planar ? 2 : 3, allowed, vocabulary, outputs.data()) && good;
  if (b) {
    good =
        read_formulas(*b, planar ? 1 : 3, allowed, vocabulary, outputs.data() + (planar ? 5 : 3)) &&
        good;
  }
  if (!good) return nullptr;
  const formula::Expr inputs[] = {t};
  return std::make_shared<formula::Tape>(vocabulary.graph, inputs, outputs);
}

}  // namespace clack
