#include "clack/analyse/sample_measures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "clack/analyse/sample_profiles.hpp"
#include "clack/core/error.hpp"
#include "clack/model/shapes/mass.hpp"

namespace clack {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kLoaded = 1e-9;       // of the largest normal impulse
constexpr double kAtLimit = 1 - 1e-6;  // of mu r_N: sliding

using Getter = double (*)(const SampleSummary&);
// In the order of sample_quantity_list().
constexpr Getter kGetters[] = {
    [](const SampleSummary& s) { return s.bodies; },                 // bodies
    [](const SampleSummary& s) { return s.contacts; },               // contacts
    [](const SampleSummary& s) { return s.open; },                   // open
    [](const SampleSummary& s) { return s.sticking; },               // sticking
    [](const SampleSummary& s) { return s.sliding; },                // sliding
    [](const SampleSummary& s) { return s.coordination; },           // coordination
    [](const SampleSummary& s) { return s.neighbours; },             // neighbours
    [](const SampleSummary& s) { return s.rattlers; },               // rattlers
    [](const SampleSummary& s) { return s.coordination_backbone; },  // coordination_backbone
    [](const SampleSummary& s) { return s.solid_fraction; },         // solid_fraction
    [](const SampleSummary& s) { return s.fabric[0]; },              // fabric_xx
    [](const SampleSummary& s) { return s.fabric[1]; },              // fabric_yy
    [](const SampleSummary& s) { return s.fabric[2]; },              // fabric_zz
    [](const SampleSummary& s) { return s.fabric[3]; },              // fabric_xy
    [](const SampleSummary& s) { return s.fabric[4]; },              // fabric_xz
    [](const SampleSummary& s) { return s.fabric[5]; },              // fabric_yz
    [](const SampleSummary& s) { return s.stress[0]; },              // stress_xx
    [](const SampleSummary& s) { return s.stress[1]; },              // stress_yy
    [](const SampleSummary& s) { return s.stress[2]; },              // stress_zz
    [](const SampleSummary& s) { return s.stress[3]; },              // stress_xy
    [](const SampleSummary& s) { return s.stress[4]; },              // stress_xz
    [](const SampleSummary& s) { return s.stress[5]; },              // stress_yz
    [](const SampleSummary& s) { return s.pressure; },               // pressure
    [](const SampleSummary& s) { return s.mean_normal_force; },      // mean_normal_force
    [](const SampleSummary& s) { return s.max_normal_force; },       // max_normal_force
    [](const SampleSummary& s) { return s.strong_share; },           // strong_share
    [](const SampleSummary& s) { return s.kinetic_energy; },         // kinetic_energy
    [](const SampleSummary& s) { return s.dissipated; },             // dissipated
    [](const SampleSummary& s) { return s.repose_angle; },           // repose_angle
    [](const SampleSummary& s) { return s.inertial_number; },        // inertial_number
};

std::array<double, 6> symmetric(const Matrix3& m) {
  return {m(0, 0),
          m(1, 1),
          m(2, 2),
          0.5 * (m(0, 1) + m(1, 0)),
          0.5 * (m(0, 2) + m(2, 0)),
          0.5 * (m(1, 2) + m(2, 1))};
}

// 0 of shapes without volume, such as walls of segments, whose mass the scene gives.
double volume_of(const Body& body) {
  if (!body.is_free()) return 0;
  try {
    return compute_moments(*body.shape).volume;
  } catch (const InputError&) {
    return 0;
  }
}

double region_volume(const Vector3& sides, bool planar) {
  return planar ? sides.x() * sides.y() : sides.prod();
}

// One side of a contact: the body, the force of the contact on it, the arm from its centre.
struct Side {
  int body;
  Vector3 force, arm;
};

// The sample of one moment, and the sums over it.
class Sample {
 public:
  Sample(const BodyReading& reading, const SampleSettings& settings,
         const std::vector<double>& volumes, std::optional<double> region)
      : reading_(reading), settings_(settings), volumes_(volumes), region_(region) {
    find_members();
    find_loaded();
  }

  SampleSummary summarise() const;

 private:
  const RigidWorld& world() const { return reading_.world(); }
  std::size_t count() const { return reading_.contacts().size(); }
  const double* impulse(std::size_t c) const {
    return reading_.r().data() + c * static_cast<std::size_t>(reading_.dim());
  }
  std::array<Side, 2> sides(std::size_t c) const;
  bool touches_sample(std::size_t c) const {
    const WorldContact& contact = reading_.contacts()[c];
    return member_[static_cast<std::size_t>(contact.a)] ||
           member_[static_cast<std::size_t>(contact.b)];
  }

  void find_members();
  bool is_in_region(Vector3 x) const;
  void find_loaded();
  void add_statuses(SampleSummary& out) const;
  void add_coordination(SampleSummary& out) const;
  std::vector<int> loaded_points(const std::vector<char>& kept) const;
  void add_backbone(SampleSummary& out) const;
  void add_forces(SampleSummary& out) const;
  void add_fabric(SampleSummary& out) const;
  void add_stress(SampleSummary& out) const;
  Matrix3 kinetic_stress() const;
  void add_energies(SampleSummary& out) const;
  void add_inertial_number(SampleSummary& out) const;

  const BodyReading& reading_;
  const SampleSettings& settings_;
  const std::vector<double>& volumes_;
  std::optional<double> region_;
  std::vector<char> member_;  // of the sample, by body
  std::vector<char> loaded_;  // by contact
  double members_ = 0;
};

void Sample::find_members() {
  const WorldState& state = reading_.state();
  for (std::size_t i = 0; i < world().bodies.size(); ++i) {
    bool inside = world().bodies[i].is_free() && world().bodies[i].is_present(state.t);
    if (inside && settings_.region) inside = is_in_region(state.bodies[i].position);
    member_.push_back(inside);
    members_ += inside;
  }
}

// Of a body in a periodic cell the image in the cell that begins with the region counts.
bool Sample::is_in_region(Vector3 x) const {
  const BoundingBox& region = *settings_.region;
  bool inside = true;
  for (int k = world().dimension() - 1; k >= 0; --k) {  // x last, as the offset of a sheared cell
    const double period = world().period[k];
    const double cells = period > 0 ? std::floor((x[k] - region.lower[k]) / period) : 0;
    x[k] -= cells * period;
    if (world().is_sheared() && k == world().shear_normal)
      x[0] -= cells * reading_.state().shear_offset;
    inside = inside && x[k] >= region.lower[k] && x[k] < region.upper[k];
  }
  return inside;
}

void Sample::find_loaded() {
  double largest = 0;
  const auto is_contact = [&](std::size_t c) { return reading_.link_of(c) < 0; };
  for (std::size_t c = 0; c < count(); ++c)
    if (is_contact(c)) largest = std::max(largest, *impulse(c));
  for (std::size_t c = 0; c < count(); ++c)
    loaded_.push_back(is_contact(c) && largest > 0 && *impulse(c) > kLoaded * largest);
}

std::array<Side, 2> Sample::sides(std::size_t c) const {
  const WorldContact& contact = reading_.contacts()[c];
  const BodyContact& row = reading_.row(c);
  const Vector3 force = to_world(contact.normal, reading_.dim(), impulse(c)) / reading_.h();
  return {Side{contact.a, -force, row.arm_a}, Side{contact.b, force, row.arm_b}};
}

void Sample::add_statuses(SampleSummary& out) const {
  for (std::size_t c = 0; c < count(); ++c) {
    if (!touches_sample(c) || reading_.link_of(c) >= 0) continue;
    const double* r = impulse(c);
    const double tangential = reading_.dim() == 3 ? std::hypot(r[1], r[2]) : std::abs(r[1]);
    const bool slides = tangential >= kAtLimit * reading_.row(c).mu * r[0];
    (!loaded_[c] ? out.open : slides ? out.sliding : out.sticking) += 1;
  }
  out.contacts = out.sticking + out.sliding;
}

// Loaded points of each body, of contacts with bodies that are kept or not free.
std::vector<int> Sample::loaded_points(const std::vector<char>& kept) const {
  std::vector<int> points(kept.size(), 0);
  for (std::size_t c = 0; c < count(); ++c) {
    if (!loaded_[c]) continue;
    const WorldContact& contact = reading_.contacts()[c];
    const auto a = static_cast<std::size_t>(contact.a), b = static_cast<std::size_t>(contact.b);
    if (!kept[a] || !kept[b]) continue;
    ++points[a];
    ++points[b];
  }
  return points;
}

void Sample::add_coordination(SampleSummary& out) const {
  const std::vector<int> points = loaded_points(std::vector<char>(member_.size(), 1));
  double total = 0, touched = 0;
  for (std::size_t i = 0; i < member_.size(); ++i) total += member_[i] ? points[i] : 0;
  int last_a = -1, last_b = -1;  // points of a pair stand together
  for (std::size_t c = 0; c < count(); ++c) {
    const WorldContact& contact = reading_.contacts()[c];
    if (!loaded_[c] || (contact.a == last_a && contact.b == last_b)) continue;
    last_a = contact.a, last_b = contact.b;
    touched += member_[static_cast<std::size_t>(contact.a)];
    touched += member_[static_cast<std::size_t>(contact.b)];
  }
  out.bodies = members_;
  out.coordination = members_ > 0 ? total / members_ : kNan;
  out.neighbours = members_ > 0 ? touched / members_ : kNan;
}

// Takes bodies with too few points out until none is left; their contacts go with them.
void Sample::add_backbone(SampleSummary& out) const {
  const int needed = world().dimension();
  std::vector<char> kept(member_.size(), 1);
  std::vector<int> points;
  for (bool changed = true; changed;) {
    changed = false;
    points = loaded_points(kept);
    for (std::size_t i = 0; i < kept.size(); ++i) {
      if (!kept[i] || !world().bodies[i].is_free() || points[i] >= needed) continue;
      kept[i] = 0;
      changed = true;
    }
  }
  double total = 0, left = 0;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    if (!member_[i] || !kept[i]) continue;
    total += points[i];
    ++left;
  }
  out.rattlers = members_ - left;
  out.coordination_backbone = left > 0 ? total / left : kNan;
}

void Sample::add_forces(SampleSummary& out) const {
  const double h = reading_.h();
  double sum = 0, strong = 0;
  for (std::size_t c = 0; c < count(); ++c) {
    if (!loaded_[c] || !touches_sample(c)) continue;
    sum += *impulse(c) / h;
    out.max_normal_force = std::max(out.max_normal_force, *impulse(c) / h);
  }
  out.mean_normal_force = out.contacts > 0 ? sum / out.contacts : kNan;
  if (!(out.contacts > 0)) out.max_normal_force = kNan;
  for (std::size_t c = 0; c < count(); ++c)
    strong += loaded_[c] && touches_sample(c) && *impulse(c) / h > out.mean_normal_force;
  out.strong_share = out.contacts > 0 ? strong / out.contacts : kNan;
}

void Sample::add_fabric(SampleSummary& out) const {
  Matrix3 sum = Matrix3::Zero();
  double points = 0;
  for (std::size_t c = 0; c < count(); ++c) {
    const BodyContact& row = reading_.row(c);
    if (!loaded_[c] || !touches_sample(c) || row.a < 0 || row.b < 0) continue;
    sum += row.normal * row.normal.transpose();
    ++points;
  }
  out.fabric = symmetric(points > 0 ? Matrix3(sum / points) : Matrix3::Constant(kNan));
}

Matrix3 Sample::kinetic_stress() const {
  double mass = 0;
  Vector3 mean = Vector3::Zero();
  Matrix3 sum = Matrix3::Zero();
  auto for_members = [&](auto&& visit) {
    for (std::size_t i = 0; i < member_.size(); ++i) {
      const BodyState& s = reading_.state().bodies[i];
      if (member_[i]) visit(world().bodies[i].mass, s.v - world().streaming_velocity(s.position));
    }
  };
  for_members([&](double m, const Vector3& v) { mass += m, mean += m * v; });
  if (mass > 0) mean /= mass;
  for_members([&](double m, const Vector3& v) { sum += m * (v - mean) * (v - mean).transpose(); });
  return sum;
}

void Sample::add_stress(SampleSummary& out) const {
  if (!region_) {
    out.stress.fill(kNan);
    out.pressure = out.solid_fraction = kNan;
    return;
  }
  Matrix3 sum = kinetic_stress();
  for (std::size_t c = 0; c < count(); ++c) {
    for (const Side& side : sides(c)) {
      if (member_[static_cast<std::size_t>(side.body)]) sum -= side.force * side.arm.transpose();
    }
  }
  for (const JointRows::Load& load : reading_.joint_loads()) {
    if (member_[static_cast<std::size_t>(load.body)])
      sum -= load.wrench.force * load.arm.transpose();
  }
  out.stress = symmetric(sum / *region_);
  out.pressure = sum.trace() / (*region_ * world().dimension());
  double solid = 0;
  for (std::size_t i = 0; i < member_.size(); ++i) solid += member_[i] ? volumes_[i] : 0;
  out.solid_fraction = solid / *region_;
}

void Sample::add_energies(SampleSummary& out) const {
  for (std::size_t i = 0; i < member_.size(); ++i) {
    if (member_[i])
      out.kinetic_energy += world().bodies[i].kinetic_energy(reading_.state().bodies[i]);
  }
  out.dissipated = -(reading_.energy().work_impact + reading_.energy().work_friction);
}

void Sample::add_inertial_number(SampleSummary& out) const {
  const double rate = settings_.shear_rate != 0 ? settings_.shear_rate : world().shear_rate;
  double mass = 0, volume = 0, diameter = 0;
  for (std::size_t i = 0; i < member_.size(); ++i) {
    if (!member_[i]) continue;
    mass += world().bodies[i].mass;
    volume += volumes_[i];
    diameter += equivalent_diameter(volumes_[i], world().planar);
  }
  diameter /= members_;
  out.inertial_number = std::abs(rate) * diameter * std::sqrt(mass / volume / out.pressure);
}

SampleSummary Sample::summarise() const {
  SampleSummary out;
  add_statuses(out);
  add_coordination(out);
  add_backbone(out);
  add_forces(out);
  add_fabric(out);
  add_stress(out);
  add_energies(out);
  add_inertial_number(out);
  double bin = settings_.bin;
  if (!(bin > 0)) {
    for (std::size_t i = 0; i < member_.size(); ++i)
      bin += member_[i] ? equivalent_diameter(volumes_[i], world().planar) / members_ : 0;
  }
  out.repose_angle = compute_repose_angle(world(), reading_.state(), bin);
  return out;
}

}  // namespace

void SampleSettings::validate(const RigidWorld& world) const {
  if (!(bin >= 0)) throw InputError(fmt::format("the width of a ring is {}; it must be >= 0", bin));
  if (!region) return;
  const Vector3 sides = region->upper - region->lower;
  for (int k = 0; k < world.dimension(); ++k) {
    if (!(sides[k] > 0 && std::isfinite(sides[k])))
      throw InputError(fmt::format("the region is {} m long along {}; it must be finite and > 0",
                                   sides[k], "xyz"[k]));
  }
}

SampleMeasures::SampleMeasures(const RigidWorld& world, const SampleSettings& settings)
    : settings_(settings) {
  settings.validate(world);
  for (const Body& body : world.bodies) volume_.push_back(volume_of(body));
  const bool closed = (world.period.head(world.dimension()).array() > 0).all();
  if (settings.region)
    region_ = region_volume(settings.region->upper - settings.region->lower, world.planar);
  else if (closed)
    region_ = region_volume(world.period, world.planar);
}

SampleSummary SampleMeasures::summarise(const BodyReading& reading) const {
  return Sample(reading, settings_, volume_, region_).summarise();
}

std::vector<double> SampleMeasures::compute(const BodyReading& reading) const {
  const SampleSummary summary = summarise(reading);
  std::vector<double> values;
  for (const Getter get : kGetters) values.push_back(get(summary));
  return values;
}

}  // namespace clack
