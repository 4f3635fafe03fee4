// A thin cylinder that rolls in a circle, leaning inwards by a constant angle.
//
// Axes: x outwards from the centre of the circle, z up; e the axis of the disc, d from its rim to
// its centre. With the angular velocity Omega z + s e and no slip at the rim, s = Omega rho / a,
// and the moments about the centre give
//
//     Omega^2 (m rho_c (a cos + t sin) + cos (A sin + C (rho/a - sin))) = m g (a sin - t cos)
//
// for the lean's sine and cosine, radius a, half thickness t, radii rho of the path of the contact
// and rho_c of that of the centre, moments A across and C about the axis.
#include "tests/physics/world_support.hpp"

namespace clack {
namespace {

constexpr double kRadius = 0.1, kHalf = 1e-3, kPath = 1.5, kLean = 5 * M_PI / 180;

struct Circle {
  double lean = 0;  // at the end [rad]
  double off = 0;   // distance of the centre from where it started [m]
};

Circle roll_once(int steps) {
  const double sine = std::sin(kLean), cosine = std::cos(kLean);
  const Vector3 e(-cosine, 0, -sine), d(-sine, 0, cosine);
  Matrix3 R;
  R << d, e.cross(d), e;
  const double path_of_centre = kPath - kRadius * sine + kHalf * cosine;
  Arrangement setup(2.0);
  setup.add_plane(Vector3::UnitZ());
  BodyState& s = setup.add(make_shape(Cylinder(kRadius, kHalf)),
                           {path_of_centre, 0, kRadius * cosine + kHalf * sine}, Quaternion(R));
  const Body& disc = setup.last_body();
  const double m = disc.mass, A = disc.moments.x(), C = disc.moments.z();
  const double inertia = m * path_of_centre * (kRadius * cosine + kHalf * sine) +
                         cosine * (A * sine + C * (kPath / kRadius - sine));
  const double rate = std::sqrt(m * kGravity * (kRadius * sine - kHalf * cosine) / inertia);
  s.v = {0, rate * path_of_centre, 0};
  s.omega = R.transpose() * (rate * Vector3::UnitZ() + rate * kPath / kRadius * e);
  const Vector3 start = s.position;
  test::BodySimulation simulation = setup.simulate(2 * M_PI / rate / steps, 1e-12);
  for (int k = 0; k < steps; ++k) EXPECT_EQ(simulation.step(), Status::converged);
  expect_closed_ledger(simulation);
  const BodyState& end = simulation.state().bodies[1];
  return {std::asin(std::abs((end.rotation * Vector3::UnitZ()).z())),
          (end.position - start).head<2>().norm()};
}

TEST(RollingDisc, ComesBackWithTheLeanItStartedWithToSecondOrder) {
  const Circle coarse = roll_once(4000), fine = roll_once(8000);
  std::printf("  lean %.3f, %.3f degrees; centre off by %.3f, %.3f mm\n", coarse.lean * 180 / M_PI,
              fine.lean * 180 / M_PI, 1e3 * coarse.off, 1e3 * fine.off);
  EXPECT_NEAR(coarse.lean, kLean, 0.02 * kLean);
  EXPECT_NEAR(fine.lean, kLean, 0.01 * kLean);
  EXPECT_LT(coarse.off, 0.05);  // of a circle of 9.4 m
  EXPECT_LT(fine.off, 0.3 * coarse.off) << "second order";
}

}  // namespace
}  // namespace clack
