#include "clack/model/bodies/rigid_world.hpp"

#include <fmt/format.h>

#include <cmath>

#include "clack/core/error.hpp"
#include "clack/model/shapes/mass.hpp"

namespace clack {

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
    const BodyState& s = state.bodies[i];
    if (!body.is_free() || !body.is_present(state.t)) continue;
    sum += 0.5 * body.mass * s.v.squaredNorm();
    sum += 0.5 * s.omega.dot(body.moments.cwiseProduct(s.omega));
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

void validate_body(const Body& body, const BodyState& state, bool planar) {
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
  for (std::size_t i = 0; i < bodies.size(); ++i)
    validate_body(bodies[i], initial.bodies[i], planar);
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

}  // namespace clack
