// The verdict on a step: what no solution has is not called solved, what lies beside it is, and the
// units of a scene do not matter.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/physics/support.hpp"
#include "tests/physics/world_support.hpp"

namespace clack::test {
namespace {

// A ball between the ground and a press that comes down, and a tower of boxes beside it.
Scene press(double speed, int boxes, const std::string& solver, double tolerance) {
  std::string text = fmt::format(R"(
clack: 1
system:
  type: rigid-bodies
  gravity: [0, 0, -9.81]
  materials: {{m: {{}}}}
  bodies:
    - {{name: floor, shape: plane, fixed: true}}
    - {{name: ball, shape: {{sphere: {{radius: 0.5}}}}, position: [0, 0, 0.5]}}
    - {{name: press, shape: {{box: {{size: [1.5, 1.5, 0.2]}}}}, position: [0, 0, 1.1], driven: {{velocity: [0, 0, -{}]}}}}
)",
                                 speed);
  for (int k = 0; k < boxes; ++k)
    text += fmt::format(
        "    - {{name: box{}, shape: {{box: {{size: [0.4, 0.4, 0.2]}}}}, position: [5, 0, {}]}}\n",
        k, 0.1 + 0.2 * k);
  text += fmt::format("simulation: {{step: 0.01, end: 1}}\nsolver: {{name: {}, tolerance: {}}}\n",
                      solver, tolerance);
  return parse_scene("press.yaml", text);
}

TEST(Jam, is_a_failed_step_for_every_solver_and_names_its_contact) {
  for (const char* solver : {"bodies", "auto", "nsgs", "prox-newton"}) {
    const Scene scene = press(0.02, 0, solver, 1e-3);
    test::BodySimulation simulation(scene);
    for (int k = 0; k < 3; ++k) {
      EXPECT_NE(simulation.step(), Status::converged) << solver << " " << simulation.time();
      EXPECT_GT(simulation.report().velocity_error, 0.05) << solver;
      EXPECT_GE(simulation.report().worst_contact, 0) << solver;
    }
  }
}

// 34 mm in a second where errors were divided by the impulses of the press. An error of 1e-3 of g h
// at each of the ten boxes is 1 mm.
TEST(Jam, does_not_let_a_tower_beside_it_sink) {
  const Scene scene = press(0.05, 10, "bodies", 1e-3);
  test::BodySimulation simulation(scene);
  const double before = simulation.state().bodies.back().position.z();
  for (int k = 0; k < 100; ++k) EXPECT_NE(simulation.step(), Status::converged);  // the press
  EXPECT_NEAR(simulation.state().bodies.back().position.z(), before, 1e-3);
}

// Spheres that fall on each other, with other units of length and of mass.
Scene pile(double length, double mass, const std::string& solver) {
  const std::string text = fmt::format(R"(
clack: 1
parameters: {{L: {}, d: 0.02*L, w: 0.06*L}}
system:
  type: rigid-bodies
  gravity: [0, 0, -9.81*L]
  materials: {{m: {{density: {}, mu: 0.5}}}}
  bodies:
    - {{name: floor, shape: plane, fixed: true}}
    - {{name: west, shape: {{plane: {{normal: [1, 0, 0]}}}}, fixed: true}}
    - {{name: east, shape: {{plane: {{normal: [-1, 0, 0], offset: -w}}}}, fixed: true}}
    - {{name: south, shape: {{plane: {{normal: [0, 1, 0]}}}}, fixed: true}}
    - {{name: north, shape: {{plane: {{normal: [0, -1, 0], offset: -w}}}}, fixed: true}}
    - name: ball
      sample: {{random-packing: {{box: [[0, 0, 0], [w, w, 6*w]], sizes: {{uniform: [0.8*d, 1.2*d]}}, count: 60}}}}
simulation: {{step: 1.0e-3, end: 0.2}}
solver: {{name: {}, tolerance: 1.0e-5}}
)",
                                       length, 2500 * mass / (length * length * length), solver);
  return parse_scene("pile.yaml", text);
}

struct Motion {
  long iterations = 0, missed = 0;  // steps that missed the tolerance
  std::vector<double> positions;
};

Motion move(double length, double mass, const std::string& solver, double end) {
  const Scene scene = pile(length, mass, solver);
  test::BodySimulation simulation(scene);
  Motion motion;
  while (simulation.time() < end - 1e-9) {
    if (simulation.step() != Status::converged) ++motion.missed;
    motion.iterations += simulation.report().iterations;
  }
  for (const BodyState& body : simulation.state().bodies) {
    for (int k = 0; k < 3; ++k) motion.positions.push_back(body.position[k] / length);
  }
  return motion;
}

constexpr const char* kSolvers[] = {"bodies", "auto", "nsgs"};

// Powers of two are exact in binary numbers.
TEST(Units, that_differ_by_powers_of_two_give_the_same_bits_and_iterations) {
  for (const char* solver : kSolvers) {
    const Motion si = move(1, 1, solver, 0.12);
    for (const auto& [length, mass] : {std::pair{1024.0, 1.0}, {1.0, 1048576.0}, {0.125, 4.0}}) {
      const Motion other = move(length, mass, solver, 0.12);
      EXPECT_EQ(other.iterations, si.iterations) << solver << " " << length << " " << mass;
      EXPECT_EQ(other.missed, si.missed) << solver << " " << length << " " << mass;
      EXPECT_EQ(other.positions, si.positions) << solver << " " << length << " " << mass;
    }
  }
}

// Over the first collisions, before they have made much of the differences of round-off.
TEST(Units, millimetres_and_grams_or_large_masses_give_the_same_motion) {
  for (const char* solver : kSolvers) {
    const Motion si = move(1, 1, solver, 0.05);
    for (const auto& [length, mass] : {std::pair{1e3, 1e3}, {1.0, 1e6}}) {
      const Motion other = move(length, mass, solver, 0.05);
      EXPECT_NEAR(static_cast<double>(other.iterations), static_cast<double>(si.iterations),
                  0.01 * static_cast<double>(si.iterations))
          << solver << " " << length << " " << mass;
      ASSERT_EQ(other.positions.size(), si.positions.size());
      for (std::size_t i = 0; i < si.positions.size(); ++i)
        ASSERT_NEAR(other.positions[i], si.positions[i], 1e-9) << solver << " " << length;
    }
  }
}

}  // namespace
}  // namespace clack::test
