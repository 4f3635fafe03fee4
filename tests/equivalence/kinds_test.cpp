// The same mechanics as formulas, as matrices and as rigid bodies: one motion under every scheme.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "clack/core/error.hpp"
#include "clack/integrate/simulation.hpp"
#include "clack/io/scene/scene.hpp"
#include "clack/record/run.hpp"
#include "tests/equivalence/schemes.hpp"

namespace clack {
namespace {

constexpr auto run = test::run_by_scheme;

bool takes_restitution(const std::string& scheme) {
  return scheme != "theta-xi" && scheme != "semi-implicit-3" && scheme != "central-differences";
}

class AllSchemes : public testing::TestWithParam<std::string> {};

// A ball of 1 kg and 0.1 m that falls on a floor.
std::string ball(const std::string& system, double e) {
  return "clack: 1\nparameters: {e: " + std::to_string(e) + "}\n" + system +
         "simulation: {step: 2.0e-3, end: 0.8}\n";
}

constexpr const char* kBallFormulas = R"(
system:
  type: lagrangian
  coordinates: [z]
  kinetic: 0.5*z'^2
  potential: 9.81*z
  contacts: [{name: floor, gap: z - 0.1, e_n: e}]
initial: {q: [0.5]}
)";
constexpr const char* kBallMatrices = R"(
system:
  type: linear
  M: [[1]]
  f: [-9.81]
  contacts: [{name: floor, G: [1], g0: -0.1, e_n: e}]
initial: {q: [0.5]}
)";
constexpr const char* kBallInSpace = R"(
system:
  type: rigid-bodies
  gravity: [0, 0, -9.81]
  materials: {stuff: {density: 1, mu: 0, e_n: e}}
  bodies:
    - {name: floor, shape: plane, fixed: true}
    - {name: ball, shape: {sphere: {radius: 0.1}}, mass: 1, position: [0, 0, 0.5]}
)";
constexpr const char* kBallInPlane = R"(
system:
  type: rigid-bodies
  space: 2d
  gravity: [0, -9.81]
  materials: {stuff: {density: 1, mu: 0, e_n: e}}
  bodies:
    - {name: floor, shape: line, fixed: true}
    - {name: ball, shape: {disc: {radius: 0.1}}, mass: 1, position: [0, 0.5]}
)";

TEST_P(AllSchemes, ABouncingBallMovesTheSameWay) {
  const double e = takes_restitution(GetParam()) ? 0.5 : 0;
  const Simulation formulas = run(ball(kBallFormulas, e), GetParam()),
                   matrices = run(ball(kBallMatrices, e), GetParam()),
                   space = run(ball(kBallInSpace, e), GetParam()),
                   plane = run(ball(kBallInPlane, e), GetParam());
  const double z = formulas.q()[0], v = formulas.v()[0];
  EXPECT_NEAR(matrices.q()[0], z, 1e-10);
  EXPECT_NEAR(matrices.v()[0], v, 1e-9);
  EXPECT_NEAR(space.q()[7 + 2], z, 1e-10);
  EXPECT_NEAR(space.v()[6 + 2], v, 1e-9);
  EXPECT_NEAR(plane.q()[7 + 1], z, 1e-10);
  EXPECT_NEAR(plane.v()[6 + 1], v, 1e-9);
}

// A disc of 1 kg whose centre is 0.4 m from a hinge at the origin, level at the start.
constexpr const char* kPendulumFormulas = R"(
clack: 1
system:
  type: lagrangian
  coordinates: [x, y, a]
  kinetic: 0.5*(x'^2 + y'^2) + 0.5*0.005*a'^2
  potential: 9.81*y
  constraints:
    - {name: pin x, equation: x - 0.4*cos(a)}
    - {name: pin y, equation: y - 0.4*sin(a)}
initial: {q: [0.4, 0, 0]}
simulation: {step: 2.0e-3, end: 0.6}
)";
constexpr const char* kPendulumBodies = R"(
clack: 1
system:
  type: rigid-bodies
  space: 2d
  gravity: [0, -9.81]
  materials: {stuff: {density: 100/pi, mu: 0}}
  bodies:
    - {name: post, shape: {disc: {radius: 0.01}}, fixed: true, position: [0, 0]}
    - {name: disc, shape: {disc: {radius: 0.1}}, position: [0.4, 0]}
  links: [{name: pin, bodies: [post, disc], point: [0, 0], link: {law: hinge}}]
simulation: {step: 2.0e-3, end: 0.6}
)";

TEST_P(AllSchemes, APendulumOnAHingeMovesAsItsConstraintsDo) {
  const bool velocity_level =
      GetParam() == "newmark" || GetParam() == "hht" || GetParam() == "generalized-alpha";
  std::string text = kPendulumFormulas;
  if (velocity_level)  // the default of bodies with joints
    text.replace(text.find("end: 0.6"), 8, "end: 0.6, constraints: position-velocity");
  const Simulation formulas = run(text, GetParam()), bodies = run(kPendulumBodies, GetParam());
  EXPECT_NEAR(bodies.q()[7], formulas.q()[0], 1e-9);
  EXPECT_NEAR(bodies.q()[8], formulas.q()[1], 1e-9);
  EXPECT_NEAR(bodies.v()[6], formulas.v()[0], 1e-8);
  EXPECT_NEAR(bodies.v()[11], formulas.v()[2], 1e-7);
}

// Two balls one above the other, which fall together and come to rest.
constexpr const char* kStackMatrices = R"(
clack: 1
system:
  type: linear
  M: [[1, 0], [0, 2]]
  f: [-9.81, -19.62]
  contacts:
    - {name: floor, G: [1, 0], g0: -0.1}
    - {name: balls, G: [-1, 1], g0: -0.3}
initial: {q: [0.2, 0.55]}
simulation: {step: 2.0e-3, end: 0.5}
)";
constexpr const char* kStackBodies = R"(
clack: 1
system:
  type: rigid-bodies
  gravity: [0, 0, -9.81]
  materials: {stuff: {density: 1, mu: 0}}
  bodies:
    - {name: floor, shape: plane, fixed: true}
    - {name: lower, shape: {sphere: {radius: 0.1}}, mass: 1, position: [0, 0, 0.2]}
    - {name: upper, shape: {sphere: {radius: 0.2}}, mass: 2, position: [0, 0, 0.55]}
simulation: {step: 2.0e-3, end: 0.5}
)";

TEST_P(AllSchemes, AStackOfTwoBallsMovesTheSameWay) {
  const Simulation matrices = run(kStackMatrices, GetParam()),
                   bodies = run(kStackBodies, GetParam());
  for (int i = 0; i < 2; ++i) {
    EXPECT_NEAR(bodies.q()[7 * (i + 1) + 2], matrices.q()[i], 1e-9);
    EXPECT_NEAR(bodies.v()[6 * (i + 1) + 2], matrices.v()[i], 1e-8);
  }
}

// Steps that adapt themselves, over bounces that formulas and bodies see alike.
TEST(AdaptiveKinds, ABallAdaptsItsStepsAsFormulasDo) {
  for (const char* scheme : {"moreau-jean", "rattle", "generalized-alpha"}) {
    const auto motion = [&](const char* system) {
      const Scene scene = parse_scene(
          "scene", ball(system, 0.5),
          {std::string("simulation.scheme=") + scheme, "simulation.adaptive={tolerance: 1.0e-6}",
           "solver={name: auto, tolerance: 1.0e-13}"});
      auto result = make_run(scene, 1);
      while (!result->done()) EXPECT_EQ(result->step(), Status::converged) << scheme;
      return result;
    };
    const auto formulas = motion(kBallFormulas), bodies = motion(kBallInSpace);
    EXPECT_NEAR(bodies->q()[7 + 2], formulas->q()[0], 2e-5) << scheme;
    EXPECT_LT(bodies->steps(), 2 * formulas->steps()) << scheme;
    EXPECT_GT(bodies->smallest_gap(), -1e-5) << scheme;
  }
}

// By the default scheme too: two bounces of a ball, whose closed form is known.
TEST(AdaptiveKinds, ABallByTheDefaultSchemeMeetsItsClosedForm) {
  const Scene scene =
      parse_scene("scene", ball(kBallInSpace, 0.5),
                  {"simulation.adaptive={tolerance: 1.0e-6}", "simulation.end=0.5"});
  const auto motion = make_run(scene, 1);
  while (!motion->done()) ASSERT_EQ(motion->step(), Status::converged);
  const double g = 9.81, fall = std::sqrt(2 * 0.4 / g), up = 0.5 * g * fall, t = 0.5 - fall;
  EXPECT_NEAR(motion->q()[7 + 2], 0.1 + up * t - 0.5 * g * t * t, 1e-3);
}

// The closed form of a body that flies and spins, by the names of its coordinates.
TEST(ExactKinds, ABodyMeetsItsClosedForm) {
  const std::string text = R"(
clack: 1
parameters: {g: 9.81, w: 3}
system:
  type: rigid-bodies
  gravity: [0, 0, -g]
  materials: {stuff: {density: 1000}}
  bodies:
    - {name: ball, shape: {sphere: {radius: 0.1}}, position: [0, 0, 1], velocity: [1, 0, 2], spin: [0, 0, w]}
simulation: {scheme: moreau-jean, step: 1.0e-2, end: 1}
exact:
  q: {ball_x: t, ball_z: 1 + 2*t - g*t^2/2, ball_qw: cos(w*t/2), ball_qz: sin(w*t/2)}
)";
  const Scene scene = parse_scene("scene", text);
  ASSERT_TRUE(scene.exact);
  Simulation simulation(scene.system, scene.initial, scene.options);
  while (simulation.steps() < scene.step_count()) ASSERT_EQ(simulation.step(), Status::converged);
  Vector q = Vector::Zero(7), v = Vector::Zero(6);
  scene.exact.at(1, q, v);
  for (const int i : {0, 2, 3, 6}) {
    EXPECT_TRUE(scene.exact.knows_q[static_cast<std::size_t>(i)]);
    EXPECT_NEAR(simulation.q()[i], q[i], 1e-12) << i;
  }
  EXPECT_TRUE(scene.exact.knows_v[2]);   // the rate of a position
  EXPECT_FALSE(scene.exact.knows_v[5]);  // of a quaternion it is none of the velocities
  EXPECT_NEAR(simulation.v()[2], v[2], 1e-12);
  EXPECT_THROW((void)parse_scene("scene", text, {"exact.q.ball_z=2"}), InputError);
}

// Two balls that fall and stay where they land: contacts that go on are not new ones.
TEST(BodyEvents, AnImpactIsCountedOnceUnderEveryScheme) {
  for (const char* scheme : {"stewart-trinkle", "moreau-jean", "rattle", "generalized-alpha"}) {
    const Scene scene = parse_scene("scene", R"(
clack: 1
system:
  type: rigid-bodies
  gravity: [0, 0, -9.81]
  materials: {stuff: {density: 1000, mu: 0.4}}
  bodies:
    - {name: floor, shape: plane, fixed: true}
    - {name: low, shape: {sphere: {radius: 0.1}}, position: [0, 0, 0.3]}
    - {name: high, shape: {sphere: {radius: 0.1}}, position: [1, 0, 0.5]}
simulation: {step: 1.0e-3, end: 0.6}
)",
                                    {std::string("simulation.scheme=") + scheme});
    const auto motion = make_run(scene, 1);
    int impacts = 0, others = 0;
    while (!motion->done()) {
      ASSERT_EQ(motion->step(), Status::converged) << scheme;
      for (const EventRow& event : motion->events())
        ++(event.kind == EventKind::impact ? impacts : others);
    }
    EXPECT_EQ(impacts, 2) << scheme;
    EXPECT_EQ(others, 0) << scheme;
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, AllSchemes, testing::ValuesIn(test::all_schemes()),
                         test::scheme_name);

}  // namespace
}  // namespace clack
