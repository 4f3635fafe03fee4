// Small worlds of rigid bodies for tests.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <memory>
#include <string>

#include "tests/support/body_simulation.hpp"

namespace clack {

constexpr double kGravity = 9.81;  // [m/s^2]

struct Arrangement {
  std::shared_ptr<RigidWorld> world = std::make_shared<RigidWorld>();
  WorldState state;

  explicit Arrangement(double mu = 0.5, double e_n = 0, bool planar = false) {
    world->materials.push_back({"stuff", 1000, mu, e_n});
    world->planar = planar;
    world->gravity = planar ? Vector3(0, -kGravity, 0) : Vector3(0, 0, -kGravity);
  }
  // A body that is not free, with the shape as it is.
  Body& add_held(BodyKind kind, const ShapePtr& shape, const Vector3& position = Vector3::Zero()) {
    Body body;
    body.name = "held";
    body.kind = kind;
    body.shape = shape;
    world->bodies.push_back(body);
    state.bodies.emplace_back();
    state.bodies.back().position = position;
    return world->bodies.back();
  }
  void add_plane(const Vector3& normal) {
    add_held(BodyKind::fixed,
             world->planar ? make_shape(Line(normal.head<2>())) : make_shape(Plane(normal)));
  }
  BodyState& add(const ShapePtr& shape, const Vector3& position,
                 const Quaternion& q = Quaternion::Identity()) {
    BodyState s;
    world->bodies.push_back(
        make_body("body", shape, world->materials[0], 0, {position, q.toRotationMatrix()}, s));
    state.bodies.push_back(s);
    return state.bodies.back();
  }
  Body& last_body() { return world->bodies.back(); }
  test::BodySimulation simulate(double h, double tolerance = 1e-10,
                                const std::string& solver = "bodies") const {
    SimulationOptions options = body_options();
    options.h = h;
    options.solver = solver;
    options.solver_options.tolerance = tolerance;
    return {world, state, options};
  }
};

inline void expect_closed_ledger(const test::BodySimulation& simulation) {
  const EnergyAudit& energy = simulation.energy();
  const double scale = 1 + std::abs(energy.kinetic) + std::abs(energy.potential) +
                       std::abs(energy.work_external) + std::abs(energy.work_contact);
  ASSERT_NEAR(energy.error, 0, 1e-11 * scale) << simulation.time();
}

// Steps to the end; every step must be solved and its ledger closed.
inline void run_world(
    test::BodySimulation& simulation, double end,
    const std::function<void(const test::BodySimulation&)>& after_step =
        [](const test::BodySimulation&) {}) {
  while (simulation.time() < end - 1e-9) {
    ASSERT_EQ(simulation.step(), Status::converged)
        << simulation.time() << " " << simulation.report().note;
    ASSERT_NO_FATAL_FAILURE(expect_closed_ledger(simulation));
    after_step(simulation);
  }
}

inline void expect_same_bits(const test::BodySimulation& a, const test::BodySimulation& b) {
  ASSERT_EQ(a.steps(), b.steps());
  ASSERT_EQ(a.time(), b.time());
  for (std::size_t i = 0; i < a.state().bodies.size(); ++i) {
    const BodyState &x = a.state().bodies[i], &y = b.state().bodies[i];
    ASSERT_EQ(x.position, y.position) << i;
    ASSERT_EQ(x.rotation.coeffs(), y.rotation.coeffs()) << i;
    ASSERT_EQ(x.v, y.v) << i;
    ASSERT_EQ(x.omega, y.omega) << i;
  }
  ASSERT_EQ(a.r(), b.r());
  ASSERT_EQ(a.u(), b.u());
  ASSERT_EQ(a.energy().error, b.energy().error);
  ASSERT_EQ(a.energy().numerical, b.energy().numerical);
  ASSERT_EQ(a.report().iterations, b.report().iterations);
}

}  // namespace clack
