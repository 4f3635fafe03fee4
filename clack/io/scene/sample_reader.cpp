#include "clack/io/scene/sample_reader.hpp"

#include <fmt/format.h>

#include "clack/io/scene/option_fields.hpp"
#include "clack/model/samples/arch.hpp"
#include "clack/model/samples/chute.hpp"
#include "clack/model/samples/deposit.hpp"
#include "clack/model/samples/dominoes.hpp"
#include "clack/model/samples/drum.hpp"
#include "clack/model/samples/hopper.hpp"
#include "clack/model/samples/joints.hpp"
#include "clack/model/samples/lattice.hpp"
#include "clack/model/samples/random_packing.hpp"
#include "clack/model/samples/tower.hpp"
#include "clack/model/samples/voronoi.hpp"
#include "clack/model/samples/wall.hpp"

namespace clack {
namespace {

// `sizes: {uniform: [smallest, largest]}`, `{log-normal: {...}}` or `{curve: {...}}`, diameters.
SizeDistribution read_sizes(const Field& field, const OptionFields& parent,
                            Vocabulary& vocabulary) {
  SizeDistribution sizes;
  if (field.is_scalar()) {
    sizes.smallest = sizes.largest = vocabulary.number(field, kPositive).value_or(1);
    return sizes;
  }
  if (!field.expect_map({"uniform", "log-normal", "curve", "by_mass"})) return sizes;
  const OptionFields fields(field, parent.shapes(), vocabulary);
  fields.read("by_mass", sizes.by_mass);
  const auto uniform = field.find("uniform"), log_normal = field.find("log-normal"),
             curve = field.find("curve");
  if (uniform.has_value() + log_normal.has_value() + curve.has_value() != 1) {
    field.complain("expected one of 'uniform', 'log-normal' and 'curve'");
    return sizes;
  }
  if (uniform) {
    const auto ends = vocabulary.row(*uniform, 2);
    if (ends) sizes.smallest = (*ends)[0], sizes.largest = (*ends)[1];
  } else if (log_normal && log_normal->expect_map({"median", "sigma", "smallest", "largest"})) {
    sizes.kind = SizeKind::log_normal;
    const OptionFields law(*log_normal, parent.shapes(), vocabulary);
    law.read("median", sizes.median);
    law.read("sigma", sizes.sigma);
    law.read("smallest", sizes.smallest);
    law.read("largest", sizes.largest);
  } else if (curve && curve->expect_map({"diameters", "passing"})) {
    sizes.kind = SizeKind::curve;
    const OptionFields law(*curve, parent.shapes(), vocabulary);
    law.read("diameters", sizes.diameters);
    law.read("passing", sizes.passing);
  }
  return sizes;
}

class SampleReader {
 public:
  SampleReader(const Field& field, const std::optional<Field>& shape, ShapeReader& shapes,
               Vocabulary& vocabulary)
      : fields_(field, shapes, vocabulary), shape_(shape), vocabulary_(vocabulary) {}

  Sample lattice() {
    if (!expect(
            {"kind", "count", "spacing", "origin", "jitter", "random_rotation", "sizes", "seed"}))
      return {};
    LatticeOptions options;
    options.dim = fields_.dim();
    fields_.read("kind", {"cubic", "fcc", "hexagonal"}, options.kind);
    read_counts("count", options.count);
    fields_.read("spacing", options.spacing);
    fields_.read("origin", options.origin);
    fields_.read("jitter", options.jitter);
    fields_.read("random_rotation", options.random_rotation);
    fields_.read("seed", options.seed);
    if (shape_) options.shape = fields_.shapes().read(*shape_);
    if (const auto x = fields_.field().find("sizes")) options.sizes = sizes(*x);
    if (!options.shape && !options.sizes) {
      fields_.field().complain("needs 'sizes' of spheres, or a 'shape' beside the sample");
      return {};
    }
    return make_lattice(options);
  }

  Sample random() {
    if (!expect({"box", "periodic", "sizes", "count", "solid_fraction", "gap", "attempts", "seed"}))
      return {};
    RandomPackingOptions options;
    options.dim = fields_.dim();
    fields_.read_box("box", options.box);
    read_periodic(options.periodic);
    options.sizes = required_sizes();
    fields_.read("count", options.count);
    fields_.read("solid_fraction", options.solid_fraction);
    fields_.read("gap", options.gap);
    fields_.read("attempts", options.attempts);
    fields_.read("seed", options.seed);
    return make_random_packing(options);
  }

  Sample deposit() {
    if (!expect({"width", "origin", "sizes", "count", "volume", "walls", "seed"})) return {};
    DepositOptions options;
    options.dim = fields_.dim();
    read_width(options.width);
    fields_.read("origin", options.origin);
    options.sizes = required_sizes();
    fields_.read("count", options.count);
    fields_.read("volume", options.volume);
    fields_.read("walls", options.walls);
    fields_.read("seed", options.seed);
    return make_deposit(options);
  }

  Sample voronoi() {
    if (!expect({"box", "count", "iterations", "gap", "seed"})) return {};
    VoronoiOptions options;
    options.dim = fields_.dim();
    fields_.read_box("box", options.box);
    fields_.read("count", options.count);
    fields_.read("iterations", options.iterations);
    fields_.read("gap", options.gap);
    fields_.read("seed", options.seed);
    return make_voronoi(options);
  }

  Sample joints() {
    if (!expect({"box", "sets", "keep", "gap", "least_volume", "seed"})) return {};
    JointsOptions options;
    options.dim = fields_.dim();
    fields_.read_box("box", options.box);
    const auto sets = fields_.field().require("sets", "a list of joint sets");
    if (!sets) return {};
    for (const Field& item : sets->items("a list of joint sets"))
      options.sets.push_back(joint_set(item));
    if (const auto keep = fields_.field().find("keep")) {
      for (const Field& item : keep->items("a list of planes")) options.keep.push_back(plane(item));
    }
    fields_.read("gap", options.gap);
    fields_.read("least_volume", options.least_volume);
    fields_.read("seed", options.seed);
    return make_joints(options);
  }

  Sample wall() {
    if (!expect({"brick", "gap", "bricks", "courses", "length", "height", "half_bricks",
                 "foundation", "foundation_height"}))
      return {};
    WallOptions options;
    options.dim = fields_.dim();
    fields_.read_size("brick", options.brick);
    fields_.read("gap", options.gap);
    fields_.read("bricks", options.bricks);
    fields_.read("courses", options.courses);
    fields_.read("length", options.length);
    fields_.read("height", options.height);
    fields_.read("half_bricks", options.half_bricks);
    fields_.read("foundation", options.foundation);
    fields_.read("foundation_height", options.foundation_height);
    return make_wall(options);
  }

  Sample arch() {
    if (!expect({"line", "span", "rise", "thickness", "depth", "voussoirs", "gap", "abutments",
                 "abutment_length"}))
      return {};
    return make_arch(arch_options());
  }

  Sample vault() {
    if (!expect({"line", "span", "rise", "thickness", "depth", "voussoirs", "gap", "abutments",
                 "abutment_length", "rows"}))
      return {};
    VaultOptions options;
    options.arch = arch_options();
    fields_.read("rows", options.rows);
    return make_vault(options);
  }

  Sample tower() {
    if (!expect({"kind", "plank", "levels", "planks", "gap"})) return {};
    refuse_plane("tower");
    TowerOptions options;
    fields_.read("kind", {"log-cabin", "square"}, options.kind);
    fields_.read_size("plank", options.plank);
    fields_.read("levels", options.levels);
    fields_.read("planks", options.planks);
    fields_.read("gap", options.gap);
    return make_tower(options);
  }

  Sample dominoes() {
    if (!expect({"size", "spacing", "count", "path", "radius", "pitch", "tilt"})) return {};
    DominoesOptions options;
    options.dim = fields_.dim();
    fields_.read_size("size", options.size);
    fields_.read("spacing", options.spacing);
    fields_.read("count", options.count);
    fields_.read("path", {"line", "arc", "spiral"}, options.path);
    fields_.read("radius", options.radius);
    fields_.read("pitch", options.pitch);
    fields_.read("tilt", options.tilt);
    return make_dominoes(options);
  }

  Sample chute() {
    if (!expect({"length", "width", "slope", "wall_height", "thickness", "bump_diameter",
                 "bump_spacing", "bump_jitter", "seed"}))
      return {};
    ChuteOptions options;
    options.dim = fields_.dim();
    fields_.read("length", options.length);
    fields_.read("width", options.width);
    fields_.read("slope", options.slope);
    fields_.read("wall_height", options.wall_height);
    fields_.read("thickness", options.thickness);
    fields_.read("bump_diameter", options.bump_diameter);
    fields_.read("bump_spacing", options.bump_spacing);
    fields_.read("bump_jitter", options.bump_jitter);
    fields_.read("seed", options.seed);
    return make_chute(options);
  }

  Sample hopper() {
    if (!expect({"kind", "orifice", "bin_width", "angle", "bin_height", "depth", "thickness",
                 "sides", "lid"}))
      return {};
    HopperOptions options;
    options.dim = fields_.dim();
    fields_.read("kind", {"conical", "wedge"}, options.kind);
    fields_.read("orifice", options.orifice);
    fields_.read("bin_width", options.bin_width);
    fields_.read("angle", options.angle);
    fields_.read("bin_height", options.bin_height);
    fields_.read("depth", options.depth);
    fields_.read("thickness", options.thickness);
    fields_.read("sides", options.sides);
    fields_.read("lid", options.lid);
    return make_hopper(options);
  }

  Sample drum() {
    if (!expect({"radius", "length", "thickness", "sides", "ends"})) return {};
    DrumOptions options;
    options.dim = fields_.dim();
    fields_.read("radius", options.radius);
    fields_.read("length", options.length);
    fields_.read("thickness", options.thickness);
    fields_.read("sides", options.sides);
    fields_.read("ends", options.ends);
    return make_drum(options);
  }

 private:
  bool expect(std::initializer_list<std::string_view> keys) {
    return fields_.field().expect_map(keys);
  }
  SizeDistribution sizes(const Field& field) { return read_sizes(field, fields_, vocabulary_); }
  SizeDistribution required_sizes() {
    const auto x = fields_.field().require("sizes", "diameters, as in {uniform: [0.01, 0.02]} [m]");
    return x ? sizes(*x) : SizeDistribution{};
  }
  void refuse_plane(const char* what) {
    if (fields_.planar())
      throw InputError(fmt::format("a {} stands in space, not in the plane", what));
  }
  ArchOptions arch_options() {
    ArchOptions options;
    options.dim = fields_.dim();
    fields_.read("line", {"intrados", "mean", "extrados"}, options.line);
    fields_.read("span", options.span);
    fields_.read("rise", options.rise);
    fields_.read("thickness", options.thickness);
    fields_.read("depth", options.depth);
    fields_.read("voussoirs", options.voussoirs);
    fields_.read("gap", options.gap);
    fields_.read("abutments", options.abutments);
    fields_.read("abutment_length", options.abutment_length);
    return options;
  }
  JointSet joint_set(const Field& item) {
    JointSet set;
    if (!item.expect_map({"dip", "dip_direction", "spacing", "offset", "jitter"})) return set;
    const OptionFields fields(item, fields_.shapes(), vocabulary_);
    fields.read("dip", set.dip);
    fields.read("dip_direction", set.dip_direction);
    fields.read("spacing", set.spacing);
    fields.read("offset", set.offset);
    fields.read("jitter", set.jitter);
    return set;
  }
  // What lies on the inner side of normal . x = offset stays.
  Plane plane(const Field& item) {
    Vector3 normal = fields_.planar() ? Vector3::UnitY() : Vector3::UnitZ();
    double offset = 0;
    if (item.expect_map({"normal", "offset"})) {
      const OptionFields fields(item, fields_.shapes(), vocabulary_);
      fields.read("normal", normal);
      fields.read("offset", offset);
    }
    return Plane(normal, offset);
  }
  // Three whole numbers, in the plane two.
  void read_counts(const char* key, std::array<int, 3>& count) {
    if (!fields_.planar()) {
      fields_.read(key, count);
      return;
    }
    std::array<int, 2> plane = {count[0], count[1]};
    fields_.read(key, plane);
    count = {plane[0], plane[1], 1};
  }
  void read_width(std::array<double, 2>& width) {
    if (fields_.planar()) {
      fields_.read("width", width[0]);
    } else {
      fields_.read("width", width);
    }
  }
  void read_periodic(std::array<bool, 3>& periodic) {
    const auto x = fields_.field().find("periodic");
    if (!x) return;
    for (const Field& item : x->items("a list of axes, as in [x, y]")) {
      const std::string axis = item.choice({"x", "y", "z"}).value_or("x");
      periodic[static_cast<std::size_t>(axis[0] - 'x')] = true;
    }
  }

  OptionFields fields_;
  const std::optional<Field>& shape_;
  Vocabulary& vocabulary_;
};

using Generator = Sample (SampleReader::*)();
const std::vector<std::pair<std::string, Generator>>& generators() {
  static const std::vector<std::pair<std::string, Generator>> list = {
      {"lattice", &SampleReader::lattice}, {"random-packing", &SampleReader::random},
      {"deposit", &SampleReader::deposit}, {"voronoi", &SampleReader::voronoi},
      {"joints", &SampleReader::joints},   {"wall", &SampleReader::wall},
      {"arch", &SampleReader::arch},       {"vault", &SampleReader::vault},
      {"tower", &SampleReader::tower},     {"dominoes", &SampleReader::dominoes},
      {"chute", &SampleReader::chute},     {"hopper", &SampleReader::hopper},
      {"drum", &SampleReader::drum},
  };
  return list;
}

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
  for (const auto& [name, generator] : generators()) {
    words.push_back(name);
    if (name != entries[0].key) continue;
    try {
      return (SampleReader(entries[0].value, shape, shapes, vocabulary).*generator)();
    } catch (const InputError& error) {
      entries[0].value.complain(error.what());
      return {};
    }
  }
  entries[0].name.complain("no generator of this name" + allowed_words(entries[0].key, words));
  return {};
}

}  // namespace clack
