// Slopes, rolling and tops, in the plane and in space, against closed forms.
#include <gtest/gtest.h>

#include <random>

#include "tests/physics/world_support.hpp"

namespace clack {
namespace {

// A slope whose direction of steepest descent is turned about the vertical.
Vector3 slope_normal(double slope, double azimuth) {
  return {std::sin(slope) * std::cos(azimuth), std::sin(slope) * std::sin(azimuth),
          std::cos(slope)};
}

Vector3 downhill(const Vector3& normal) {
  return (Vector3(normal.x(), normal.y(), 0) - normal * (1 - normal.z() * normal.z())).normalized();
}

TEST(WorldClosedForm, ABoxSticksOrSlidesExactlyOnASlopeInAnyDirection) {
  std::mt19937_64 random(11);
  std::uniform_real_distribution<double> angle(0, 2 * M_PI), friction(0.1, 0.9);
  for (int k = 0; k < 20; ++k) {
    const double mu = friction(random), slope = std::atan(mu) * (k % 2 ? 0.97 : 1.03);
    const Vector3 normal = slope_normal(slope, angle(random));
    Arrangement setup(mu);
    setup.add_plane(normal);
    // Turned about the normal as well: the frame of the contact is at any angle to the motion.
    const Quaternion q = Quaternion(Eigen::AngleAxisd(angle(random), normal)) *
                         Quaternion::FromTwoVectors(Vector3::UnitZ(), normal);
    setup.add(make_shape(Box({0.3, 0.2, 0.1})), 0.1 * normal, q);
    test::BodySimulation simulation = setup.simulate(1e-3, 1e-12);
    const double a = k % 2 ? 0 : kGravity * (std::sin(slope) - mu * std::cos(slope));
    run_world(simulation, 0.3);
    const BodyState& s = simulation.state().bodies[1];
    ASSERT_LT((s.v - 0.3 * a * downhill(normal)).norm(), 1e-7) << k << " mu " << mu;
    ASSERT_LT(s.omega.norm(), 1e-7) << k;
  }
}

TEST(WorldClosedForm, ASphereRollsOrSlipsWithTheExactAccelerationsOfCentreAndSpin) {
  const double mu = 0.2, radius = 0.25, t = 0.3;
  for (const double azimuth : {0.0, 1.1, 4.0}) {
    for (const double factor : {0.5, 0.97, 1.03, 2.0}) {  // of tan a = 7/2 mu, where it slips
      const double slope = std::atan(factor * 3.5 * mu);
      const Vector3 normal = slope_normal(slope, azimuth);
      Arrangement setup(mu);
      setup.add_plane(normal);
      setup.add(make_shape(Sphere(radius)), radius * normal);
      test::BodySimulation simulation = setup.simulate(1e-3, 1e-12);
      run_world(simulation, t);
      const double rolling = 5.0 / 7 * kGravity * std::sin(slope),
                   slipping = kGravity * (std::sin(slope) - mu * std::cos(slope));
      const double a = factor < 1 ? rolling : slipping;
      const double spin = factor < 1 ? a / radius : 2.5 * mu * kGravity * std::cos(slope) / radius;
      const BodyState& s = simulation.state().bodies[1];
      const Vector3 axis = normal.cross(downhill(normal));
      EXPECT_LT((s.v - t * a * downhill(normal)).norm(), 1e-7) << factor;
      EXPECT_LT((s.rotation * s.omega - t * spin * axis).norm(), 1e-6) << factor;
    }
  }
}

TEST(WorldClosedForm, ADiscRollsInThePlaneWithTwoThirdsOrSlips) {
  const double mu = 0.3, radius = 0.2, t = 0.3;
  for (const double factor : {0.5, 0.97, 1.03, 2.0}) {  // of tan a = 3 mu
    const double slope = std::atan(factor * 3 * mu);
    const Vector3 normal(std::sin(slope), std::cos(slope), 0),
        down(std::cos(slope), -std::sin(slope), 0);
    Arrangement setup(mu, 0, true);
    setup.add_plane(normal);
    setup.add(make_shape(Disc(radius)), radius * normal);
    test::BodySimulation simulation = setup.simulate(1e-3, 1e-12);
    run_world(simulation, t);
    const double a = factor < 1 ? 2.0 / 3 * kGravity * std::sin(slope)
                                : kGravity * (std::sin(slope) - mu * std::cos(slope));
    const double spin = factor < 1 ? a / radius : 2 * mu * kGravity * std::cos(slope) / radius;
    const BodyState& s = simulation.state().bodies[1];
    EXPECT_LT((s.v - t * a * down).norm(), 1e-8) << factor;
    EXPECT_NEAR(s.omega.z(), -t * spin, 1e-7) << factor;
    EXPECT_EQ(s.position.z(), 0);
  }
}

TEST(WorldClosedForm, ABlockInThePlaneSticksOrSlidesExactly) {
  for (const double mu : {0.2, 0.6}) {
    for (const double factor : {0.97, 1.03}) {
      const double slope = std::atan(mu) * factor;
      const Vector3 normal(std::sin(slope), std::cos(slope), 0),
          down(std::cos(slope), -std::sin(slope), 0);
      Arrangement setup(mu, 0, true);
      setup.add_plane(normal);
      const std::vector<Eigen::Vector2d> corners = {
          {-0.3, -0.1}, {0.3, -0.1}, {0.3, 0.1}, {-0.3, 0.1}};
      setup.add(make_shape(Polygon(corners)), 0.1 * normal,
                Quaternion(Eigen::AngleAxisd(-slope, Vector3::UnitZ())));
      test::BodySimulation simulation = setup.simulate(1e-3, 1e-12);
      run_world(simulation, 0.3);
      const double a = factor < 1 ? 0 : kGravity * (std::sin(slope) - mu * std::cos(slope));
      EXPECT_LT((simulation.state().bodies[1].v - 0.3 * a * down).norm(), 1e-8);
      EXPECT_NEAR(simulation.state().bodies[1].omega.z(), 0, 1e-8);
    }
  }
}

TEST(WorldClosedForm, AFreeSymmetricTopPrecessesAboutItsAngularMomentum) {
  Arrangement setup;
  setup.world->gravity.setZero();
  setup.add(make_shape(Cylinder(0.2, 0.05)), {0, 0, 0}).omega = {3, 0, 20};
  const Vector3 J = setup.last_body().moments, momentum(J.x() * 3, 0, J.z() * 20);
  const double rate = momentum.norm() / J.x(), end = 2;  // of the axis about the momentum
  std::array<double, 2> error;
  for (std::size_t k = 0; k < 2; ++k) {
    test::BodySimulation simulation = setup.simulate(k ? 5e-4 : 1e-3);
    run_world(simulation, end);
    const Vector3 expected =
        Eigen::AngleAxisd(rate * end, momentum.normalized()) * Vector3::UnitZ();
    error[k] = (simulation.state().bodies[0].rotation * Vector3::UnitZ() - expected).norm();
  }
  EXPECT_LT(error[0], 2e-3);
  EXPECT_NEAR(error[0] / error[1], 4, 0.2);  // the midpoint rule is of second order
}

// A cone on its tip, held there by friction, in steady precession:
// I_1 cos(theta) W^2 - I_3 w_3 W + m g l = 0.
TEST(WorldClosedForm, AHeavyTopPrecessesSteadilyWithTheExactRate) {
  const double theta = 0.4, spin = 120, end = 1;
  std::array<double, 2> error, loss;
  for (std::size_t k = 0; k < 2; ++k) {
    Arrangement setup(5);
    setup.add_plane(Vector3::UnitZ());
    const double length = 0.08;
    const Quaternion tilt(Eigen::AngleAxisd(theta, Vector3::UnitY()));
    const Quaternion over(Eigen::AngleAxisd(M_PI, Vector3::UnitX()));  // tip down
    setup.add(make_shape(ConeShape(0.06, length)), {0, 0, 0}, tilt * over);
    BodyState& s = setup.state.bodies.back();
    const Body& body = setup.last_body();
    const double l = 0.75 * length;  // from the tip to the centre
    const Vector3 axis = tilt * Vector3::UnitZ();
    s.position = l * axis;
    const double I3 = body.moments.z(), I1 = body.moments.x() + body.mass * l * l;
    const double a = I1 * std::cos(theta), b = I3 * spin, c = body.mass * kGravity * l;
    const double rate = 2 * c / (b + std::sqrt(b * b - 4 * a * c));  // the slow one
    const Vector3 about = rate * Vector3::UnitZ() + (spin - rate * std::cos(theta)) * axis;
    s.omega = s.rotation.conjugate() * about;
    s.v = about.cross(s.position);
    test::BodySimulation simulation = setup.simulate(k ? 1e-4 : 2e-4, 1e-12);
    double angle = 0, last = 0, start = simulation.energy().kinetic + simulation.energy().potential;
    run_world(simulation, end, [&](const test::BodySimulation& now) {
      const Vector3 x = now.state().bodies[1].rotation * (over.conjugate() * Vector3::UnitZ());
      const double azimuth = std::atan2(x.y(), x.x());
      angle += std::remainder(azimuth - last, 2 * M_PI);
      last = azimuth;
    });
    error[k] = std::abs(angle / (rate * end) - 1);
    loss[k] = std::abs(simulation.energy().kinetic + simulation.energy().potential - start) / start;
  }
  EXPECT_LT(error[0], 5e-3);
  EXPECT_LT(loss[0], 2e-3);
  EXPECT_NEAR(error[0] / error[1], 2, 0.3);  // contacts are of first order
  EXPECT_NEAR(loss[0] / loss[1], 2, 0.3);
}

}  // namespace
}  // namespace clack
