// Equilibria of mechanisms: hanging chains, rovers at a step, loads of the wheels of a rover; long
// chains.
#include <fmt/format.h>

#include "mechanism_support.hpp"

namespace clack {
namespace {

using test::kPi;
using test::Mechanism;

// A chain of ten links of 0.1 m and 0.1 kg: tan(a_k) = (V - (k + 1/2) w)/H.
void expect_chain(const Mechanism& chain, double H, double V, double tolerance) {
  for (int k = 0; k < 10; ++k) {
    const Vector3 x = chain.axis(fmt::format("link{}", k), Vector3::UnitX());
    EXPECT_NEAR(-x.y() / x.x(), (V - (k + 0.5) * 0.981) / H, tolerance) << k;
  }
  const auto left = chain.reaction("left");
  EXPECT_NEAR(left[0], -H, 10 * tolerance);
  EXPECT_NEAR(left[1], V, 10 * tolerance);
}

TEST(HangingChain, IsInEquilibriumByStatics) {
  Mechanism chain = Mechanism::example("chain_between_points");
  chain.step();
  chain.expect_sound();
  expect_chain(chain, 3.3089237097, 4.905, 1e-8);
  EXPECT_NEAR(chain.point("link4", {0.05, 0, 0}).y(), -.2668644258, 1e-9);
}

// Between (0, 0) and (0.6, -0.2), brought to rest by dampers at all pins.
TEST(HangingChain, ComesToRestByDampingWhereStaticsPutIt) {
  // Two straight halves meet at the apex above the line between the supports, on its lower side.
  const Vector2 end(0.6, -0.2), middle = end / 2, across = Vector2(end.y(), -end.x()).normalized();
  const Vector2 apex = middle + across * std::sqrt(0.25 - middle.squaredNorm());
  std::string bodies, joints =
                          "    - {name: left, kind: revolute, bodies: [ground, link0], point: [0, "
                          "0], damping: 0.02}\n";
  for (int k = 0; k < 10; ++k) {
    const Vector2 from = k < 5 ? Vector2(Vector2::Zero()) : apex, to = k < 5 ? apex : end;
    const Vector2 at = from + (to - from) * ((k % 5) + 0.5) / 5,
                  pin = from + (to - from) * ((k % 5) + 1) / 5;
    const double angle = std::atan2(to.y() - from.y(), to.x() - from.x());
    bodies += fmt::format(
        "    - {{name: link{}, shape: link, mass: 0.1, inertia: 1.0e-3/12, position: [{:.17g}, "
        "{:.17g}], "
        "rotation: {:.17g}, group: links, ignores: [links]}}\n",
        k, at.x(), at.y(), angle);
    joints +=
        k == 9
            ? "    - {name: right, kind: revolute, bodies: [ground, link9], point: [0.6, -0.2]}\n"
            : fmt::format(
                  "    - {{kind: revolute, bodies: [link{}, link{}], point: [{:.17g}, {:.17g}], "
                  "damping: 0.02}}\n",
                  k, k + 1, pin.x(), pin.y());
  }
  Mechanism chain = Mechanism::text(
      "clack: 1\nsystem:\n  type: rigid-bodies\n  space: 2d\n  gravity: [0, -9.81]\n  materials: "
      "{steel: {}}\n"
      "  shapes: {link: {capsule: {radius: 0.004, length: 0.1}}}\n  bodies:\n" +
      bodies + "  joints:\n" + joints + "simulation: {step: 5.0e-3, end: 20}\n");
  chain.run_to(20);
  chain.expect_sound();
  expect_chain(chain, 1.6337568464, 5.9406349519, 1e-6);
  double lowest = 0;
  for (int k = 0; k < 10; ++k)
    lowest = std::min(lowest, chain.point(fmt::format("link{}", k), {0.05, 0, 0}).y());
  EXPECT_NEAR(lowest, -.4639644767, 1e-7);
}

// The friction at which a rover with two driven axles climbs a step, by statics with all wheels
// slipping. In the plane, slow, and in contact from the start: the front wheel, or the rear one
// with the front on top.
void expect_threshold(bool rear, double s, double mu) {
  for (const double factor : {0.985, 1.015}) {
    std::vector<std::string> set = {test::step_is(2e-3), "parameters.w=0.05",
                                    fmt::format("parameters.s={:.17g}", s),
                                    fmt::format("parameters.mu={:.17g}", factor * mu)};
    if (rear) {
      const double run = std::sqrt(1 - s * s);  // of the wheelbase of 1 m
      set.emplace_back("system.bodies.2.position=[-x, R]");
      set.emplace_back("system.joints.0.point=[-x, R]");
      set.push_back(fmt::format("system.bodies.3.position=[{:.17g} - x, R + s]", run));
      set.push_back(fmt::format("system.joints.1.point=[{:.17g} - x, R + s]", run));
      set.push_back(fmt::format("system.bodies.4.position=[{:.17g} - x, R + s/2]", run / 2));
    }
    Mechanism rover = Mechanism::example("rover_step", set);
    const std::string wheel = rear ? "rear" : "front";
    const double start = rover.position(wheel).y();
    rover.run_to(4);
    EXPECT_EQ(rover.failed(), 0) << wheel << s;
    const double gain = rover.position(wheel).y() - start;
    EXPECT_EQ(gain > 5e-4, factor > 1) << wheel << " " << s << " " << gain;
  }
}

TEST(Rover, ClimbsAStepWithItsFrontWheelsFromTheFrictionOfStaticsOn) {
  expect_threshold(false, 0.05, .3943111970);
  expect_threshold(false, 0.1, .5833578861);
  expect_threshold(false, 0.15, 10.0 / 13);
}

TEST(Rover, ClimbsAStepWithItsRearWheelsFromTheFrictionOfStaticsOn) {
  expect_threshold(true, 0.05, .5049269790);
  expect_threshold(true, 0.1, .8319216559);
  expect_threshold(true, 0.15, 1.1981703418);
}

// Wheel loads by statics (see the example), with wheels that turn freely.
TEST(RockerBogie, WheelsCarryTheLoadsOfStatics) {
  for (const char* scheme : {"stewart-trinkle", "moreau-jean"}) {
    Mechanism rover = Mechanism::example(
        "rocker_bogie", {test::scheme_is(scheme), "parameters.w=0", "parameters.torque=1.0e-12",
                         "solver.tolerance=1.0e-11"});
    for (int k = 0; k < 5; ++k) rover.step();
    EXPECT_EQ(rover.failed(), 0) << scheme;
    const double g = 9.81, W = 20 * g, wheel = 0.5 * g;
    const double front = (W / 2 * (0.05 + 0.3) + 2 * g * 0.3) / 0.8,
                 bogie = (W / 2 + 2 * g - front + 1 * g) / 2;
    double sum = 0;
    for (const char* side : {"left", "right"}) {
      const std::string own = side;
      EXPECT_NEAR(rover.normal_force(own + " front"), wheel + front, 1e-7) << scheme;
      EXPECT_NEAR(rover.normal_force(own + " middle"), wheel + bogie, 1e-7) << scheme;
      EXPECT_NEAR(rover.normal_force(own + " rear"), wheel + bogie, 1e-7) << scheme;
      for (const char* place : {" front", " middle", " rear"})
        sum += rover.normal_force(own + place);
    }
    EXPECT_NEAR(sum, (20 + 2 * (2 + 1) + 6 * 0.5) * g, 1e-7) << scheme;
  }
}

// Over a bump under each side: joints hold, and the pitch of the body is the mean of those of the
// rockers.
TEST(RockerBogie, DrivesOverBumpsWithItsPitchTheMeanOfTheRockers) {
  Mechanism rover = Mechanism::example("rocker_bogie");
  const auto pitch = [&](const std::string& body) {
    return std::asin(-rover.axis(body, Vector3::UnitX()).z());
  };
  double largest = 0;
  while (rover.time() < 3) {
    rover.step();
    ASSERT_NEAR(rover.coordinate("left pivot_angle"), -rover.coordinate("right pivot_angle"),
                1e-13);
    const double mean = 0.5 * (pitch("left rocker") + pitch("right rocker"));
    ASSERT_NEAR(pitch("chassis"), mean, 1e-5);  // the rockers' axes lean with the body
    largest = std::max(largest, std::abs(rover.coordinate("left pivot_angle")));
  }
  rover.expect_sound();
  EXPECT_LT(rover.drift(), 1e-12);
  EXPECT_GT(largest, 0.01);
  EXPECT_GT(rover.position("chassis").x(), 1);
}

// Before a bump, with drives too weak for it: the rover stands, and the drives give their limit.
TEST(RockerBogie, StallsWhereItsDrivesReachTheirLimit) {
  Mechanism rover = Mechanism::example("rocker_bogie", {"parameters.torque=0.05"});
  rover.run_to(3);
  rover.expect_sound();
  double speed = 0;
  while (rover.time() < 4) {
    rover.step();
    speed = std::max(speed, std::abs(rover.velocity("chassis").x()));
  }
  EXPECT_LT(rover.position("chassis").x(), 0.8);
  EXPECT_LT(speed, 0.3);
  for (const char* side : {"left", "right"})
    EXPECT_NEAR(rover.reaction(std::string(side) + " front axle")[5], 0.05, 1e-9);
}

// A thousand links on ball joints, the last one 100 times as heavy: positions close to round-off.
TEST(LongChain, OfAThousandLinksWithAHeavyEndClosesToRoundOff) {
  std::string bodies, joints;
  for (int k = 0; k < 1000; ++k) {
    bodies += fmt::format(
        "    - {{name: link{0}, shape: link, mass: {1}, inertia: [{2}, {3}, {3}], position: "
        "[0.1*{0} + 0.05, 0, 0], "
        "group: links, ignores: [links]}}\n",
        k, k == 999 ? 10 : 0.1, k == 999 ? 1e-3 : 1e-5, k == 999 ? 1e-2 : 1e-4);
    joints += fmt::format(
        "    - {{name: pin{0}, kind: spherical, bodies: [{1}, link{0}], point: [0.1*{0}, 0, 0]}}\n",
        k, k == 0 ? "ground" : fmt::format("link{}", k - 1));
  }
  Mechanism chain = Mechanism::text(
      "clack: 1\nsystem:\n  type: rigid-bodies\n  gravity: [0, 0, -9.81]\n  materials: {steel: "
      "{}}\n"
      "  shapes: {link: {box: {size: [0.1, 0.01, 0.01]}}}\n  bodies:\n" +
      bodies + "  joints:\n" + joints + "simulation: {step: 1.0e-3, end: 1}\n");
  for (int k = 0; k < 20; ++k) chain.step();
  chain.expect_sound();
  EXPECT_LT(chain.drift(), 1e-10);
  // The far end falls freely at first, as if nothing held it.
  EXPECT_NEAR(chain.velocity("link999").z(), -9.81 * 0.02, 1e-3);
}

}  // namespace
}  // namespace clack
