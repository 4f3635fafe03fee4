#include "clack/io/scene/sample_reader.hpp"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <map>

#include "clack/io/scene/option_fields.hpp"
#include "clack/model/samples/arch.hpp"
#include "clack/model/samples/chute.hpp"
#include "clack/model/samples/deposit.hpp"
#include "clack/model/samples/dominoes.hpp"
#include "clack/model/samples/drum.hpp"
#include "clack/model/samples/hopper.hpp"
#include "clack/model/samples/joints.hpp"
#include "clack/model/samples/lattice.hpp"
#include "clack/model/samples/placed.hpp"
#include "clack/model/samples/random_packing.hpp"
#include "clack/model/samples/tower.hpp"
#include "clack/model/samples/voronoi.hpp"
#include "clack/model/samples/wall.hpp"

namespace clack {
namespace {

// Diameters: one number, or one of uniform, log-normal and curve.
SizeDistribution read_sizes(const Field& field, const OptionFields& parent) {
  SizeDistribution sizes;
  if (field.is_scalar()) {
    sizes.smallest = sizes.largest = parent.vocabulary().number(field, kPositive).value_or(1);
    return sizes;
  }
  OptionFields fields(field, parent.shapes(), parent.vocabulary());
  const auto uniform = fields.find("uniform"), log_normal = fields.find("log-normal"),
             curve = fields.find("curve");
  fields.read("by_mass", sizes.by_mass);
  if (!fields.done()) return sizes;
  if (uniform.has_value() + log_normal.has_value() + curve.has_value() != 1) {
    field.complain("expected one of 'uniform', 'log-normal' and 'curve'");
  } else if (uniform) {
    const auto ends = parent.vocabulary().row(*uniform, 2);
    if (ends) sizes.smallest = (*ends)[0], sizes.largest = (*ends)[1];
  } else if (log_normal) {
    sizes.kind = SizeKind::log_normal;
    OptionFields law(*log_normal, parent.shapes(), parent.vocabulary());
    law.read("median", sizes.median, "sigma", sizes.sigma, "smallest", sizes.smallest, "largest",
             sizes.largest);
    (void)law.done();
  } else {
    sizes.kind = SizeKind::curve;
    OptionFields law(*curve, parent.shapes(), parent.vocabulary());
    law.read("diameters", sizes.diameters, "passing", sizes.passing);
    (void)law.done();
  }
  return sizes;
}

SizeDistribution read_required_sizes(OptionFields& fields) {
  if (const auto x = fields.find("sizes")) return read_sizes(*x, fields);
  fields.field().complain("'sizes' is missing: diameters, as in {uniform: [0.01, 0.02]} [m]");
  return {};
}

Sample read_lattice(OptionFields& fields, const ShapePtr& shape) {
  LatticeOptions options;
  options.dim = fields.dim();
  options.shape = shape;
  fields.read_word("kind", {"cubic", "fcc", "hexagonal"}, options.kind);
  fields.read("count", options.count, "spacing", options.spacing, "origin", options.origin,
              "jitter", options.jitter, "random_rotation", options.random_rotation, "seed",
              options.seed);
  if (const auto x = fields.find("sizes")) options.sizes = read_sizes(*x, fields);
  if (!fields.done()) return {};
  if (shape || options.sizes) return make_lattice(options);
  fields.field().complain("needs 'sizes' of spheres, or a 'shape' beside the sample");
  return {};
}

void read_axes(OptionFields& fields, std::array<bool, 3>& axes) {
  const auto x = fields.find("periodic");
  if (!x) return;
  for (const Field& item : x->items("a list of axes, as in [x, y]")) {
    const std::string axis = item.choice({"x", "y", "z"}).value_or("x");
    axes[static_cast<std::size_t>(axis[0] - 'x')] = true;
  }
}

Sample read_random_packing(OptionFields& fields, const ShapePtr&) {
  RandomPackingOptions options;
  options.dim = fields.dim();
  fields.read_box("box", options.box);
  read_axes(fields, options.periodic);
  options.sizes = read_required_sizes(fields);
  fields.read("count", options.count, "solid_fraction", options.solid_fraction, "gap", options.gap,
              "attempts", options.attempts, "seed", options.seed);
  return fields.done() ? make_random_packing(options) : Sample{};
}

Sample read_deposit(OptionFields& fields, const ShapePtr&) {
  DepositOptions options;
  options.dim = fields.dim();
  if (fields.planar())
    fields.read("width", options.width[0]);
  else
    fields.read("width", options.width);
  options.sizes = read_required_sizes(fields);
  fields.read("origin", options.origin, "count", options.count, "volume", options.volume, "walls",
              options.walls, "seed", options.seed);
  return fields.done() ? make_deposit(options) : Sample{};
}

Sample read_voronoi(OptionFields& fields, const ShapePtr&) {
  VoronoiOptions options;
  options.dim = fields.dim();
  fields.read_box("box", options.box);
  fields.read("count", options.count, "iterations", options.iterations, "gap", options.gap, "seed",
              options.seed);
  return fields.done() ? make_voronoi(options) : Sample{};
}

JointSet read_joint_set(const Field& item, const OptionFields& parent) {
  JointSet set;
  OptionFields fields(item, parent.shapes(), parent.vocabulary());
  fields.read("dip", set.dip, "dip_direction", set.dip_direction, "spacing", set.spacing, "offset",
              set.offset, "jitter", set.jitter);
  (void)fields.done();
  return set;
}

// What lies on the inner side of normal . x = offset stays.
Plane read_plane(const Field& item, const OptionFields& parent) {
  Vector3 normal = parent.planar() ? Vector3::UnitY() : Vector3::UnitZ();
  double offset = 0;
  OptionFields fields(item, parent.shapes(), parent.vocabulary());
  fields.read("normal", normal, "offset", offset);
  (void)fields.done();
  return Plane(normal, offset);
}

Sample read_joints(OptionFields& fields, const ShapePtr&) {
  JointsOptions options;
  options.dim = fields.dim();
  fields.read_box("box", options.box);
  if (const auto sets = fields.find("sets")) {
    for (const Field& item : sets->items("a list of joint sets"))
      options.sets.push_back(read_joint_set(item, fields));
  }
  if (const auto keep = fields.find("keep")) {
    for (const Field& item : keep->items("a list of planes"))
      options.keep.push_back(read_plane(item, fields));
  }
  fields.read("gap", options.gap, "least_volume", options.least_volume, "seed", options.seed);
  return fields.done() ? make_joints(options) : Sample{};
}

Sample read_wall(OptionFields& fields, const ShapePtr&) {
  WallOptions options;
  options.dim = fields.dim();
  fields.read_size("brick", options.brick);
  fields.read("gap", options.gap, "bricks", options.bricks, "courses", options.courses, "length",
              options.length, "height", options.height, "half_bricks", options.half_bricks,
              "foundation", options.foundation, "foundation_height", options.foundation_height);
  return fields.done() ? make_wall(options) : Sample{};
}

ArchOptions read_arch_options(OptionFields& fields) {
  ArchOptions options;
  options.dim = fields.dim();
  fields.read_word("line", {"intrados", "mean", "extrados"}, options.line);
  fields.read("span", options.span, "rise", options.rise, "thickness", options.thickness, "depth",
              options.depth, "voussoirs", options.voussoirs, "gap", options.gap, "abutments",
              options.abutments, "abutment_length", options.abutment_length);
  return options;
}

Sample read_arch(OptionFields& fields, const ShapePtr&) {
  const ArchOptions options = read_arch_options(fields);
  return fields.done() ? make_arch(options) : Sample{};
}

Sample read_vault(OptionFields& fields, const ShapePtr&) {
  VaultOptions options;
  options.arch = read_arch_options(fields);
  fields.read("rows", options.rows);
  return fields.done() ? make_vault(options) : Sample{};
}

Sample read_tower(OptionFields& fields, const ShapePtr&) {
  if (fields.planar()) throw InputError("a tower stands in space, not in the plane");
  TowerOptions options;
  fields.read_word("kind", {"log-cabin", "square"}, options.kind);
  fields.read_size("plank", options.plank);
  fields.read("levels", options.levels, "planks", options.planks, "gap", options.gap);
  return fields.done() ? make_tower(options) : Sample{};
}

Sample read_dominoes(OptionFields& fields, const ShapePtr&) {
  DominoesOptions options;
  options.dim = fields.dim();
  fields.read_size("size", options.size);
  fields.read_word("path", {"line", "arc", "spiral"}, options.path);
  fields.read("spacing", options.spacing, "count", options.count, "radius", options.radius, "pitch",
              options.pitch, "tilt", options.tilt);
  return fields.done() ? make_dominoes(options) : Sample{};
}

Sample read_chute(OptionFields& fields, const ShapePtr&) {
  ChuteOptions options;
  options.dim = fields.dim();
  fields.read("length", options.length, "width", options.width, "slope", options.slope,
              "wall_height", options.wall_height, "thickness", options.thickness, "bump_diameter",
              options.bump_diameter, "bump_spacing", options.bump_spacing, "bump_jitter",
              options.bump_jitter, "seed", options.seed);
  return fields.done() ? make_chute(options) : Sample{};
}

Sample read_hopper(OptionFields& fields, const ShapePtr&) {
  HopperOptions options;
  options.dim = fields.dim();
  fields.read_word("kind", {"conical", "wedge"}, options.kind);
  fields.read("orifice", options.orifice, "bin_width", options.bin_width, "angle", options.angle,
              "bin_height", options.bin_height, "depth", options.depth, "thickness",
              options.thickness, "sides", options.sides, "lid", options.lid);
  return fields.done() ? make_hopper(options) : Sample{};
}

Sample read_drum(OptionFields& fields, const ShapePtr&) {
  DrumOptions options;
  options.dim = fields.dim();
  fields.read("radius", options.radius, "length", options.length, "thickness", options.thickness,
              "sides", options.sides, "ends", options.ends);
  return fields.done() ? make_drum(options) : Sample{};
}

// Columns by their headings; without headings the coordinates and, where there is one more, radii.
class PlacedReader {
 public:
  PlacedReader(const Table& table, bool planar) : table_(table), planar_(planar) {
    std::vector<std::string_view> words = {"x", "y"};
    if (!planar) words.push_back("z");
    const std::size_t coordinates = words.size();
    words.push_back("radius");
    if (planar) words.push_back("angle");
    if (!planar) words.insert(words.end(), {"rx", "ry", "rz"});
    std::vector<std::string> names = table.names;
    if (names.empty()) {
      if (table.columns != coordinates && table.columns != coordinates + 1)
        throw InputError(fmt::format("has {} columns; expected {}, or one more for radii",
                                     table.columns, planar ? "x, y" : "x, y, z"));
      names.assign(words.begin(), words.begin() + static_cast<long>(table.columns));
    }
    for (std::size_t j = 0; j < names.size(); ++j) {
      if (std::find(words.begin(), words.end(), names[j]) == words.end())
        throw InputError(fmt::format("unknown column '{}'", names[j]) +
                         allowed_words(names[j], words));
      column_[names[j]] = j;
    }
    for (std::size_t k = 0; k < coordinates; ++k) {
      if (!column_.contains(std::string(words[k])))
        throw InputError(fmt::format("has no column '{}'", words[k]));
    }
  }

  PlacedOptions read() const {
    PlacedOptions options;
    options.dim = planar_ ? 2 : 3;
    for (std::size_t i = 0; i < table_.rows(); ++i) {
      options.poses.push_back(planar_ ? planar_pose(at(i, "x"), at(i, "y"), at(i, "angle"))
                                      : pose_in_space(i));
      if (column_.contains("radius")) options.radii.push_back(at(i, "radius"));
    }
    return options;
  }

 private:
  double at(std::size_t row, const std::string& name) const {
    const auto found = column_.find(name);
    return found == column_.end() ? 0 : table_.at(row, found->second);
  }
  Pose pose_in_space(std::size_t i) const {
    Pose pose;
    pose.position = {at(i, "x"), at(i, "y"), at(i, "z")};
    const Vector3 turn(at(i, "rx"), at(i, "ry"), at(i, "rz"));
    const double angle = turn.norm();
    if (angle > 0) pose.rotation = Eigen::AngleAxisd(angle, turn / angle).toRotationMatrix();
    return pose;
  }

  const Table& table_;
  bool planar_;
  std::map<std::string, std::size_t> column_;
};

Sample read_placed(OptionFields& fields, const ShapePtr& shape) {
  const auto file = fields.find("file");
  if (!fields.done()) return {};
  const auto name = file ? file->text("a file of numbers") : std::nullopt;
  if (!name) {
    if (!file) fields.field().complain("'file' is missing: a table with a row for each body");
    return {};
  }
  try {
    const auto& own = fields.vocabulary().objects.tables;
    const auto given = own.find(*name);
    const Table table =
        given != own.end() ? given->second : read_table(fields.shapes().folder() + "/" + *name);
    PlacedOptions options = PlacedReader(table, fields.planar()).read();
    options.shape = shape;
    return make_placed(options);
  } catch (const InputError& error) {
    file->complain(error.what());
  } catch (const IoError& error) {
    file->complain(error.what());
  }
  return {};
}

using Generator = Sample (*)(OptionFields&, const ShapePtr&);
constexpr std::pair<std::string_view, Generator> kGenerators[] = {
    {"lattice", read_lattice}, {"random-packing", read_random_packing},
    {"deposit", read_deposit}, {"voronoi", read_voronoi},
    {"joints", read_joints},   {"wall", read_wall},
    {"arch", read_arch},       {"vault", read_vault},
    {"tower", read_tower},     {"dominoes", read_dominoes},
    {"chute", read_chute},     {"hopper", read_hopper},
    {"drum", read_drum},       {"table", read_placed},
};

}  // namespace

Sample read_sample(const Field& field, const std::optional<Field>& shape, ShapeReader& shapes,
                   Vocabulary& vocabulary) {
  if (!field.expect_free_map()) return {};
  const std::vector<Entry> entries = field.entries();
  if (entries.size() != 1) {
    field.complain(fmt::format("expected one generator, as in {{lattice: {{...}}}}; found {} keys",
                               entries.size()));
    return {};
  }
  std::vector<std::string_view> words;
  for (const auto& [name, generator] : kGenerators) {
    words.push_back(name);
    if (name != entries[0].key) continue;
    const ShapePtr given = shape ? shapes.read(*shape) : nullptr;
    try {
      OptionFields fields(entries[0].value, shapes, vocabulary);
      return generator(fields, given);
    } catch (const InputError& error) {
      entries[0].value.complain(error.what());
      return {};
    }
  }
  entries[0].name.complain("no generator of this name" + allowed_words(entries[0].key, words));
  return {};
}

}  // namespace clack
