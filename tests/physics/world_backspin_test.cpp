// A ball with backspin that bounces, slips and rolls. Friction has no moment about the point of the
// floor below the ball, so I omega + R m v stays: with v = 1 m/s and omega R = -5 m/s of a solid
// sphere the ball rolls back at 5/7 - 2/7 * 5 = -5/7 m/s whatever friction does on the way.
#include "tests/physics/world_support.hpp"

namespace clack {
namespace {

constexpr double kRadius = 0.1, kEnd = -5.0 / 7;

struct Ball {
  ShapePtr shape = make_shape(Sphere(kRadius));
  ShapePtr floor = make_shape(Plane(Vector3::UnitZ()));
  double floor_height = 0;  // of the floor's origin [m]
  double mu = 0.3, h = 1e-3;
  double speed_of_floor = 0;  // along x [m/s]
};

// Velocity along x against the floor, and omega R, at the end.
std::pair<double, double> roll(const Ball& ball) {
  Arrangement setup(ball.mu, 0.5);
  Body& floor = setup.add_held(ball.speed_of_floor != 0 ? BodyKind::driven : BodyKind::fixed,
                               ball.floor, {0, 0, ball.floor_height});
  if (ball.speed_of_floor != 0)
    floor.motion = BodyFunctions({std::to_string(ball.speed_of_floor), "0", "0", "0", "0", "0"});
  BodyState& s = setup.add(ball.shape, {0, 0, 0.2});
  s.v.x() = ball.speed_of_floor + 1;
  s.omega.y() = -5 / kRadius;
  test::BodySimulation simulation = setup.simulate(ball.h, 1e-13);
  run_world(simulation, 3 / ball.mu);  // it slips for 12/7 m/s / (mu g) at most, after 0.5 s
  const BodyState& end = simulation.state().bodies[1];
  return {end.v.x() - ball.speed_of_floor, kRadius * (end.rotation * end.omega).y()};
}

void expect_rolling(const Ball& ball) {
  const auto [v, spin] = roll(ball);
  EXPECT_NEAR(v, kEnd, 1e-9) << "mu " << ball.mu << ", h " << ball.h;
  EXPECT_NEAR(spin, kEnd, 1e-9) << "mu " << ball.mu << ", h " << ball.h;
}

TEST(Backspin, EndsInRollingBackAtFiveSeventhsForAnyFrictionAndStep) {
  for (const double mu : {0.5, 2.0}) {
    for (const double h : {1e-3, 4e-3, 7e-3}) expect_rolling({.mu = mu, .h = h});
  }
}

TEST(Backspin, EndsTheSameOnBoxesAndMovingFloors) {
  const ShapePtr box = make_shape(Box(Vector3(20, 20, 0.5)));
  expect_rolling({.floor = box, .floor_height = -0.5, .h = 4e-3});
  expect_rolling({.h = 4e-3, .speed_of_floor = 0.7});
}

TEST(Backspin, EndsTheSameForABallAsAPartOfACompound) {
  const ShapePtr ball = make_shape(
      Compound({{make_shape(Sphere(kRadius)), Pose{Vector3::Zero(), Matrix3::Identity()}}}));
  expect_rolling({.shape = ball, .h = 4e-3});
}

// A solid disc, I = m R^2 / 2: 2/3 - 5/3 m/s.
TEST(Backspin, OfADiscInThePlaneEndsInRollingBackAtItsOwnSpeed) {
  for (const double h : {1e-3, 4e-3}) {
    Arrangement setup(0.4, 0.5, true);
    setup.add_plane(Vector3::UnitY());
    BodyState& s = setup.add(make_shape(Disc(kRadius)), {0, 0.2, 0});
    s.v.x() = 1;
    s.omega.z() = 5 / kRadius;  // about z: backwards
    test::BodySimulation simulation = setup.simulate(h, 1e-13);
    run_world(simulation, 4);
    const BodyState& end = simulation.state().bodies[1];
    EXPECT_NEAR(end.v.x(), -1, 1e-9) << h;
    EXPECT_NEAR(end.omega.z(), 1 / kRadius, 1e-8) << h;
  }
}

}  // namespace
}  // namespace clack
