// Convergence orders in L1 against closed forms. Velocities with jumps do not converge in the sup
// norm.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "tests/physics/support.hpp"

namespace clack {
namespace {

struct Exact {
  Vector q, v;
};
using Solution = std::function<Exact(double t)>;

// Integral over time of |q - q_exact| + |v - v_exact|, all components.
double l1_error(const Scene& scene, const Solution& exact) {
  double sum = 0;
  const test::Outcome outcome = test::run(scene, [&](const Simulation& simulation) {
    const Exact at = exact(simulation.time());
    sum += (simulation.q() - at.q).cwiseAbs().sum() + (simulation.v() - at.v).cwiseAbs().sum();
  });
  return outcome.failed_steps == 0 ? scene.options.h * sum : HUGE_VAL;
}

// Slope of log(error) over log(h) by least squares. The steps are not multiples of each other, so
// that the place of an impact within its step averages out.
double fitted_order(const std::string& name, const std::string& scheme, const char* end,
                    const Solution& exact) {
  double sx = 0, sy = 0, sxx = 0, sxy = 0;
  const int count = 16;
  for (int i = 0; i < count; ++i) {
    const double h = 1e-2 * std::pow(0.77, i);
    const Scene scene = test::example(name, {test::step_of(h), "simulation.scheme=" + scheme,
                                             std::string("simulation.end=") + end});
    const double x = std::log(h), y = std::log(l1_error(scene, exact));
    sx += x;
    sy += y;
    sxx += x * x;
    sxy += x * y;
  }
  const double order = (count * sxy - sx * sy) / (count * sxx - sx * sx);
  testing::Test::RecordProperty("order", std::to_string(order));
  std::printf("  %s by %s: order %.3f\n", name.c_str(), scheme.c_str(), order);
  return order;
}

constexpr double kG = 9.81;

// Height and speed of a ball dropped from `height`, restitution e < 1.
std::pair<double, double> dropped(double height, double e, double t) {
  double flight = std::sqrt(2 * height / kG), begin = -flight, speed = kG * flight;
  while (t > begin + 2 * flight) {
    begin += 2 * flight;
    flight *= e;
    speed *= e;
    if (flight < 1e-14) return {0, 0};
  }
  const double s = t - begin;
  return {speed * s - 0.5 * kG * s * s, speed - kG * s};
}

Exact bouncing_ball(double t) {
  const auto [y, v] = dropped(1, 0.9, t);
  return {Vector::Constant(1, y), Vector::Constant(1, v)};
}

Exact planar_ball_bounce(double t) {
  const auto [y, v] = dropped(0.9, 0.5, t);
  return {(Vector(3) << 0, 0.1 + y, 0).finished(), (Vector(3) << 0, v, 0).finished()};
}

Exact planar_ball_spin(double t) {
  const double R = 0.1, mu = 0.2, J = 0.4 * R * R, t1 = std::sqrt(1.8 / kG), p = kG * t1;
  if (t < t1) {
    return {(Vector(3) << 0, 1 - 0.5 * kG * t * t, 50 * t).finished(),
            (Vector(3) << 0, -kG * t, 50).finished()};
  }
  const double vx = -mu * p, omega = 50 - mu * p * R / J, ax = -mu * kG, alpha = -mu * kG * R / J;
  const double slide = -(vx + R * omega) / (ax + R * alpha);
  const double s = std::min(t - t1, slide), roll = t - t1 - s;
  const double x_rate = vx + ax * s, phi_rate = omega + alpha * s;
  const double x = vx * s + 0.5 * ax * s * s + x_rate * roll;
  const double phi = 50 * t1 + omega * s + 0.5 * alpha * s * s + phi_rate * roll;
  return {(Vector(3) << x, R, phi).finished(), (Vector(3) << x_rate, 0, phi_rate).finished()};
}

Exact impacting_oscillator(double t) {
  const double w = 2, half = M_PI / w;
  const double n = std::floor(t / half + 0.5);  // impacts so far
  const double a = std::pow(0.8, n), phase = w * (t - n * half);
  return {Vector::Constant(1, a * std::cos(phase)), Vector::Constant(1, -a * w * std::sin(phase))};
}

struct Case {
  const char* name;
  const char* scheme;
  const char* end;
  Exact (*exact)(double);
  double highest;  // order
};

class Order : public testing::TestWithParam<Case> {};

TEST_P(Order, is_one_in_l1) {
  const Case& c = GetParam();
  const double order = fitted_order(c.name, c.scheme, c.end, c.exact);
  EXPECT_GE(order, 0.8);
  EXPECT_LE(order, c.highest);
}

INSTANTIATE_TEST_SUITE_P(
    Schemes, Order,
    testing::Values(Case{"bouncing_ball", "moreau-jean", "2.5", bouncing_ball, 1.2},
                    Case{"bouncing_ball", "moreau-midpoint", "2.5", bouncing_ball, 1.2},
                    Case{"planar_ball_bounce", "moreau-jean", "1.5", planar_ball_bounce, 1.2},
                    Case{"planar_ball_bounce", "moreau-midpoint", "1.5", planar_ball_bounce, 1.2},
                    Case{"planar_ball_spin", "moreau-jean", "1.1", planar_ball_spin, 1.2},
                    Case{"planar_ball_spin", "moreau-midpoint", "1.1", planar_ball_spin, 1.2},
                    Case{"impacting_oscillator", "moreau-jean", "5", impacting_oscillator, 1.2},
                    Case{"impacting_oscillator", "moreau-midpoint", "5", impacting_oscillator,
                         1.2}),
    [](const auto& instance) {
      std::string name = std::string(instance.param.name) + "_by_" + instance.param.scheme;
      std::replace(name.begin(), name.end(), '-', '_');
      return name;
    });

}  // namespace
}  // namespace clack
