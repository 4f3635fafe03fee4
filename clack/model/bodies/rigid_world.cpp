#include "clack/model/bodies/rigid_world.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "clack/core/error.hpp"
#include "clack/model/shapes/mass.hpp"

namespace clack {

double Body::kinetic_energy(const BodyState& state) const {
  return 0.5 * mass * state.v.squaredNorm() +
         0.5 * state.omega.dot(moments.cwiseProduct(state.omega));
}

MaterialPair RigidWorld::law(int a, int b) const {
  for (const MaterialPair& pair : pairs) {
    if ((pair.a == a && pair.b == b) || (pair.a == b && pair.b == a)) return pair;
  }
  const Material &x = materials[static_cast<std::size_t>(a)],
                 &y = materials[static_cast<std::size_t>(b)];
  return {a, b, std::sqrt(x.mu * y.mu), std::sqrt(x.e_n * y.e_n)};
}

double RigidWorld::kinetic_energy(const WorldState& state) const {
  double sum = 0;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const Body& body = bodies[i];
    if (body.is_free() && body.is_present(state.t)) sum += body.kinetic_energy(state.bodies[i]);
  }
  return sum;
}

double RigidWorld::potential_energy(const WorldState& state) const {
  double sum = 0;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    if (!bodies[i].is_free() || !bodies[i].is_present(state.t)) continue;
    sum -= bodies[i].mass * gravity.dot(state.bodies[i].position);
  }
  return sum;
}

namespace {

// In the plane the functions of z and of the rotations about x and y must vanish, here at the
// start.
bool leaves_plane(const BodyFunctions& functions, double t) {
  const std::array<double, 6> values = functions.at(t);
  return values[2] != 0 || values[3] != 0 || values[4] != 0;
}

// What is wrong with the functions of time of a body; empty where they will do.
std::string function_fault(const Body& body, bool planar, double t) {
  const bool driven = body.kind == BodyKind::driven;
  if (!driven && (body.motion || body.path)) return "has a motion or a path but is not driven";
  if (body.motion && body.path) return "has both a motion and a path; one of them is allowed";
  if (!body.is_free() && body.load) return "has a load but is not free";
  for (const BodyFunctions* functions : {&body.load, &body.motion, &body.path}) {
    for (const double value : functions->at(t)) {
      if (!std::isfinite(value))
        return fmt::format("a function of time is {} at t = {} s; it must be finite", value, t);
    }
    if (planar && leaves_plane(*functions, t))
      return "has a load, a motion or a path that leaves the plane";
  }
  return {};
}

void validate_body(const Body& body, const BodyState& state, bool planar, double t) {
  auto refuse = [&](const std::string& why) {
    throw InputError(fmt::format("body '{}': {}", body.name, why));
  };
  if (!body.shape) refuse("has no shape");
  if (body.shape->is_planar() != planar) {
    refuse(planar ? "has a shape of space in a plane world"
                  : "has a shape of the plane in a world of space");
  }
  if (body.is_free() && !(body.mass > 0 && std::isfinite(body.mass))) {
    refuse(fmt::format("its mass is {} kg; it must be finite and > 0", body.mass));
  }
  const double smallest = planar ? body.moments.z() : body.moments.minCoeff();
  if (body.is_free() && !(smallest > 0 && body.moments.allFinite())) {
    refuse(fmt::format("its smallest moment of inertia is {} kg m^2; it must be finite and > 0",
                       smallest));
  }
  if (!state.position.allFinite() || !state.v.allFinite() || !state.omega.allFinite() ||
      !(std::abs(state.rotation.norm() - 1) < 1e-9)) {
    refuse("its initial state is not finite, or its quaternion not of unit length");
  }
  const std::string fault = function_fault(body, planar, t);
  if (!fault.empty()) refuse(fault);
}

void validate_cell(const RigidWorld& world, double offset) {
  for (const double length : world.period) {
    if (!(length >= 0 && std::isfinite(length)))
      throw InputError(fmt::format("a period is {} m; it must be finite and >= 0", length));
  }
  if (world.planar && world.period.z() != 0)
    throw InputError(
        fmt::format("a plane world has the period {} m in z; it must be 0", world.period.z()));
  if (!world.is_sheared()) {
    if (offset != 0)
      throw InputError(
          fmt::format("the offset of the cell is {} m, but it is not sheared", offset));
    return;
  }
  const int normal = world.shear_normal;
  if (normal != 1 && !(normal == 2 && !world.planar))
    throw InputError(
        fmt::format("shear_normal is {}; it must be 1 (y) or, in space, 2 (z)", normal));
  if (!(std::isfinite(world.shear_rate) && std::isfinite(offset)))
    throw InputError("the shear rate or the offset of the cell is not finite");
  if (!(world.period.x() > 0 && world.period[normal] > 0))
    throw InputError("a sheared cell needs periods along x and along its shear_normal");
}

// Half spaces have no images: they may only bound directions that are open, and no sheared cell.
void validate_half_space(const RigidWorld& world, const Body& body, const Quaternion& rotation) {
  Vector3 normal = Vector3::Zero();
  if (body.shape->kind() == ShapeKind::plane) normal = body.shape->as<Plane>().normal;
  if (body.shape->kind() == ShapeKind::line) normal << body.shape->as<Line>().normal, 0;
  if (normal.isZero()) return;
  if (world.is_sheared())
    throw InputError(fmt::format("body '{}': a sheared cell takes no planes or lines", body.name));
  normal = rotation * normal;
  for (int k = 0; k < 3; ++k) {
    if (world.period[k] > 0 && std::abs(normal[k]) > 1e-9)
      throw InputError(
          fmt::format("body '{}': its normal points along the period in {}", body.name, "xyz"[k]));
  }
}

}  // namespace

void RigidWorld::validate(const WorldState& initial) const {
  if (initial.bodies.size() != bodies.size()) {
    throw InputError(fmt::format("the initial state has {} bodies; the world has {}",
                                 initial.bodies.size(), bodies.size()));
  }
  if (!gravity.allFinite()) throw InputError("gravity is not finite");
  for (const Material& m : materials) {
    if (!(m.mu >= 0 && m.e_n >= 0 && m.e_n <= 1)) {
      throw InputError(
          fmt::format("material '{}': mu = {}, e_n = {}; allowed: mu >= 0, 0 <= e_n <= 1", m.name,
                      m.mu, m.e_n));
    }
  }
  validate_cell(*this, initial.shear_offset);
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    validate_body(bodies[i], initial.bodies[i], planar, initial.t);
    validate_half_space(*this, bodies[i], initial.bodies[i].rotation);
  }
}

Body make_body(std::string name, const ShapePtr& shape, const Material& material,
               int material_index, const Pose& pose, BodyState& state) {
  const PrincipalShape principal = make_principal(shape, material.density);
  Body body;
  body.name = std::move(name);
  body.shape = principal.shape;
  body.material = material_index;
  body.mass = principal.mass;
  body.moments = principal.moments;
  const Pose placed = pose * principal.offset;
  state.position = placed.position;
  state.rotation = Quaternion(placed.rotation).normalized();
  return body;
}

std::vector<LawVariable> all_law_variables(const RigidWorld& world) {
  std::vector<LawVariable> all;
  const auto add = [&](const Law& law) {
    for (LawVariable& variable : law.variables(world.planar ? 1 : 2, world.planar ? 1 : 3)) {
      const bool known = std::any_of(all.begin(), all.end(), [&](const LawVariable& other) {
        return other.name == variable.name;
      });
      if (!known) all.push_back(std::move(variable));
    }
  };
  for (const MaterialPair& pair : world.pairs) {
    if (pair.law) add(*pair.law);
  }
  for (const Link& link : world.links) add(*link.law);
  return all;
}

}  // namespace clack
