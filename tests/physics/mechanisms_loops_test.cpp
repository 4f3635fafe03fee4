// Closed loops: redundant constraints, singular positions, mechanisms that move by their geometry.
#include <fmt/format.h>

#include "mechanism_support.hpp"

namespace clack {
namespace {

using test::kPi;
using test::Mechanism;
using test::Method;

// N parallelograms in the plane, upright, with 1 m/s at the top (IFToMM library A02).
std::string four_bars(int count) {
  std::string bodies, joints;
  for (int i = 0; i <= count; ++i) {
    bodies += fmt::format(
        "    - {{name: crank{0}, shape: bar, mass: 1, inertia: 1/12, position: [{0}, 0.5], "
        "rotation: pi/2, velocity: [0.5, 0], spin: -1, group: bars, ignores: [bars]}}\n",
        i);
    joints +=
        fmt::format("    - {{kind: revolute, bodies: [ground, crank{0}], point: [{0}, 0]}}\n", i);
  }
  for (int i = 0; i < count; ++i) {
    bodies += fmt::format(
        "    - {{name: coupler{0}, shape: bar, mass: 1, inertia: 1/12, position: [{0} + 0.5, 1], "
        "velocity: [1, 0], group: bars, ignores: [bars]}}\n",
        i);
    joints += fmt::format(
        "    - {{kind: revolute, bodies: [crank{0}, coupler{0}], point: [{0}, 1]}}\n"
        "    - {{kind: revolute, bodies: [crank{1}, coupler{0}], point: [{1}, 1]}}\n",
        i, i + 1);
  }
  return "clack: 1\nsystem:\n  type: rigid-bodies\n  space: 2d\n  gravity: [0, -9.81]\n  "
         "materials: {wood: {}}\n"
         "  shapes: {bar: {capsule: {radius: 0.02, length: 1}}}\n  bodies:\n" +
         bodies + "  joints:\n" + joints + "simulation: {step: 1.0e-3, end: 10}\n";
}

// ((N + 1)/3 + N) theta'' = -g ((N + 1)/2 + N) cos(theta), by Runge and Kutta's rule.
double four_bar_angle(int count, double t) {
  const double inertia = (count + 1) / 3.0 + count, moment = 9.81 * ((count + 1) / 2.0 + count);
  const auto a = [&](double x) { return -moment * std::cos(x) / inertia; };
  const int steps = 20000;
  const double h = t / steps;
  double x = kPi / 2, v = -1;
  for (int k = 0; k < steps; ++k) {
    const double a1 = a(x), v2 = v + 0.5 * h * a1, a2 = a(x + 0.5 * h * v), v3 = v + 0.5 * h * a2,
                 a3 = a(x + 0.5 * h * v2), v4 = v + h * a3, a4 = a(x + h * v3);
    x += h / 6 * (v + 2 * v2 + 2 * v3 + v4);
    v += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
  }
  return x;
}

TEST(FourBar, TheReferenceOfMinimalCoordinatesIsTheOneOfTheBenchmark) {
  EXPECT_NEAR(std::cos(four_bar_angle(2, 4)), .1176161024, 1e-9);
  EXPECT_NEAR(std::cos(four_bar_angle(2, 10)), .3284581115, 1e-8);
  EXPECT_NEAR(std::cos(four_bar_angle(40, 10)), .1805122267, 1e-8);
}

// Through the positions in which all bars lie in one line, at 0.714 s, 1.228 s and on.
TEST(FourBar, PassesItsSingularPositionsByInertia) {
  for (const int count : {2, 40}) {
    const double end = count == 2 ? 4 : 1;
    test::expect_converges(
        {"stewart-trinkle", 1, {}}, 1e-3, 2e-3, [&](const std::vector<std::string>& set) {
          Mechanism bars = Mechanism::text(four_bars(count), set);
          bars.run_to(end);
          bars.expect_sound(set[0]);
          EXPECT_LT(bars.drift(), 1e-9);
          const double angle = four_bar_angle(count, end);
          return (bars.point("crank0", {0.5, 0, 0}) - Vector3(std::cos(angle), std::sin(angle), 0))
              .norm();
        });
  }
}

// Up to the first singular position, 14 rows in the plane and 35 in space of which 29 count.
TEST(FourBar, OfTwoLoopsFollowsMinimalCoordinatesInThePlaneAndInSpace) {
  const double end = 0.6, angle = four_bar_angle(2, end);
  const Vector3 expected(std::cos(angle), std::sin(angle), 0);
  for (const Method& method : test::methods()) {
    if (method.name == "moreau-jean") continue;
    if (method.name == "generalized-alpha" && test::is_in_joints(method)) continue;  // first order
    const double h = method.order == 1 ? 1e-3 : 4e-3;
    test::expect_converges(method, h, 1e-3, [&](const std::vector<std::string>& set) {
      Mechanism space = Mechanism::example("four_bar", set);
      Mechanism plane = Mechanism::text(four_bars(2), set);
      space.run_to(end);
      plane.run_to(end);
      space.expect_sound(set[0] + " space");
      plane.expect_sound(set[0] + " plane");
      const Vector3 top = space.point("crank0", {0, 0.5, 0});
      EXPECT_NEAR((top - plane.point("crank0", {0.5, 0, 0})).norm(), 0, 1e-9) << set[0];
      return (top - expected).norm();
    });
  }
}

// Redundant rows: motion does not depend on their order, and neither do the reactions, of least
// norm.
TEST(FourBar, RedundantReactionsDoNotDependOnTheOrderOfRows) {
  const auto scene = [](bool reversed) {
    std::string joints;
    const std::vector<std::string> lines = {
        "    - {name: base0, kind: revolute, bodies: [ground, left], point: [0, 0, 0], axis: [0, "
        "0, 1]}\n",
        "    - {name: base1, kind: revolute, bodies: [ground, right], point: [1, 0, 0], axis: [0, "
        "0, 1]}\n",
        "    - {name: top0, kind: revolute, bodies: [left, coupler], point: [0, 1, 0], axis: [0, "
        "0, 1]}\n",
        "    - {name: top1, kind: revolute, bodies: [right, coupler], point: [1, 1, 0], axis: [0, "
        "0, 1]}\n"};
    for (std::size_t k = 0; k < lines.size(); ++k)
      joints += lines[reversed ? lines.size() - 1 - k : k];
    const std::string bar = ", mass: 1, inertia: [0.1, 0.1, 0.1], group: bars, ignores: [bars]}\n";
    return "clack: 1\nsystem:\n  type: rigid-bodies\n  gravity: [0, -9.81, 3]\n  materials: {wood: "
           "{}}\n"
           "  shapes: {bar: {box: {size: [0.04, 0.04, 0.04]}}}\n  bodies:\n"
           "    - {name: left, shape: bar, position: [0, 0.5, 0]" +
           bar + "    - {name: right, shape: bar, position: [1, 0.5, 0]" + bar +
           "    - {name: coupler, shape: bar, position: [0.5, 1, 0]" + bar + "  joints:\n" +
           joints + "simulation: {step: 1.0e-3, end: 1}\n";
  };
  for (const char* scheme : {"stewart-trinkle", "rattle"}) {
    Mechanism a = Mechanism::text(scene(false), {test::scheme_is(scheme)}),
              b = Mechanism::text(scene(true), {test::scheme_is(scheme)});
    a.run_to(0.3);
    b.run_to(0.3);
    a.expect_sound(scheme);
    b.expect_sound(scheme);
    EXPECT_LT((a.position("coupler") - b.position("coupler")).norm(), 1e-11) << scheme;
    double across = 0;
    for (const char* joint : {"base0", "base1", "top0", "top1"}) {
      const auto x = a.reaction(joint), y = b.reaction(joint);
      for (std::size_t k = 0; k < 6; ++k) EXPECT_NEAR(x[k], y[k], 1e-6) << scheme << joint << k;
      if (std::string(joint).starts_with("base")) across += x[2];
    }
    EXPECT_NEAR(across, -9, 1e-6) << scheme;  // against 3 N on each of three bodies
  }
}

// A door on two hinges, ten rows of which five count: the share of each is the same.
TEST(Door, OnTwoHingesSwingsAsOnOneAndSharesItsWeight) {
  const auto scene = [](const std::string& joints) {
    return "clack: 1\nsystem:\n  type: rigid-bodies\n  gravity: [2, 0, -9.81]\n  materials: {wood: "
           "{}}\n  bodies:\n"
           "    - {name: door, shape: {box: {size: [0.8, 0.04, 2]}}, mass: 20, inertia: [7, 8, 1], "
           "position: [0, 0.4, 1]}\n"
           "  joints:\n" +
           joints + "simulation: {step: 1.0e-3, end: 1}\n";
  };
  const std::string low =
                        "    - {name: low, kind: revolute, bodies: [ground, door], point: [0, 0, "
                        "0.3], axis: [0, 0, 1]}\n",
                    high =
                        "    - {name: high, kind: revolute, bodies: [ground, door], point: [0, 0, "
                        "1.7], axis: [0, 0, 1]}\n";
  for (const char* scheme : {"stewart-trinkle", "rattle", "generalized-alpha", "moreau-jean"}) {
    Mechanism one = Mechanism::text(scene(low), {test::scheme_is(scheme)}),
              two = Mechanism::text(scene(low + high), {test::scheme_is(scheme)});
    one.run_to(0.5);
    two.run_to(0.5);
    two.expect_sound(scheme);
    EXPECT_LT((one.position("door") - two.position("door")).norm(), 1e-9) << scheme;
    EXPECT_NEAR(two.reaction("low")[2], 98.1, 1e-6) << scheme;
    EXPECT_NEAR(two.reaction("high")[2], 98.1, 1e-6) << scheme;
  }
}

// Bricard's mechanism against the published motion, and its energy.
TEST(Bricard, MovesThroughItsOverconstrainedPath) {
  for (const Method& method : test::methods()) {
    // On velocities the loop drifts apart and locks. On accelerations its redundant row is a near
    // miss.
    if (method.name == "moreau-jean" || !method.options.empty()) continue;
    const double h = method.order == 1 ? 2e-3 : 4e-3;
    test::expect_converges(method, h, 4e-3, [](const std::vector<std::string>& set) {
      Mechanism rods = Mechanism::example("bricard", set);
      rods.run_to(1);
      rods.expect_sound(set[0]);
      EXPECT_LT(rods.drift(), 1e-12) << set[0];
      return (rods.point("rod2", {0, -0.5, 0}) - Vector3(.2744813193, -.8867079387, -.4623300027))
          .norm();
    });
  }
}

TEST(Bricard, ComesToRestAfterHalfAPeriodAndTurnsBack) {
  Mechanism rods = Mechanism::example("bricard", {test::step_is(1e-3)});
  double smallest = 1;
  while (rods.time() < 5) {
    rods.step();
    smallest = std::min(smallest, rods.point("rod2", {0, -0.5, 0}).x());
  }
  rods.expect_sound();
  EXPECT_NEAR(smallest, -1, 1e-4);
  EXPECT_LT((rods.point("rod2", {0, -0.5, 0}) - Vector3(1, -1, 0)).norm(),
            2e-2);  // twice 2.495856 s
  EXPECT_LT(rods.energy_error(), 0.02);
}

// Andrews' squeezer against the solution published with the IVP test set.
TEST(Squeezer, ReachesThePublishedAnglesInThreeHundredthsOfASecond) {
  test::expect_converges(
      {"stewart-trinkle", 1, {}}, 1e-5, 0.02, [](const std::vector<std::string>& set) {
        Mechanism bodies = Mechanism::example("squeezer", set);
        bodies.run_to(0.03);
        bodies.expect_sound(set[0]);
        EXPECT_LT(bodies.drift(), 1e-14);
        EXPECT_NEAR(bodies.coordinate("gamma_angle"), .04082224013073, 2e-4);
        EXPECT_NEAR(bodies.coordinate("delta_angle"), .52440996588053, 2e-5);
        EXPECT_NEAR(bodies.coordinate("epsilon_angle"), 1.04808074104226, 1e-5);
        const double beta = bodies.coordinate("crank_angle");
        EXPECT_NEAR(bodies.totals().work_external, 0.033 * (beta + .0617138900142764), 1e-3);
        return std::abs(beta - 15.81077119629904);
      });
}

// The stiff governor: its slider, and the angular momentum about the shaft.
TEST(Governor, LiftsItsSliderAsPublishedAndKeepsItsAngularMomentum) {
  test::expect_converges(
      {"stewart-trinkle", 1, {}}, 5e-4, 1e-3, [](const std::vector<std::string>& set) {
        Mechanism parts = Mechanism::example("governor", set);
        const auto momentum = [&] {
          const double J_shaft = 0.3 * (2 * 1e-4) / 12, J_slider = 3 * 0.02 / 12, m = 5.3,
                       s = 5.15 / 5.3,
                       J = 0.3 * 1.0001 / 12 + 0.3 * (s - 0.5) * (s - 0.5) + 5 * (1 - s) * (1 - s);
          double sum = J_shaft * parts.spin("shaft").z() + J_slider * parts.spin("slider").z();
          for (const char* arm : {"east", "west"}) {
            const Vector3 x = parts.position(arm), v = parts.velocity(arm),
                          e1 = parts.axis(arm, Vector3::UnitX()), w = parts.spin(arm);
            const Vector3 L = J * w + (5e-6 - J) * e1.dot(w) * e1;
            sum += L.z() + m * (x.x() * v.y() - x.y() * v.x());
          }
          return sum;
        };
        EXPECT_NEAR(momentum(), 53.8689986584, 1e-8);
        parts.run_to(0.5);
        parts.expect_sound(set[0]);
        EXPECT_NEAR(momentum(), 53.8689986584, 1e-2);
        return std::abs(parts.coordinate("slide_slide") - .74324942479);
      });
}

}  // namespace
}  // namespace clack
