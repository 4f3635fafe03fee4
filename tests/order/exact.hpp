// Known motions of scenes, and the order that a scheme shows against them in L1. Velocities with
// jumps do not converge in the sup norm. Closed forms stand in the scenes themselves (`exact:`);
// here are the motions that no formula of t can give.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "tests/physics/support.hpp"

namespace clack::test {

struct Exact {
  Vector q, v;
};
using Solution = std::function<Exact(double t)>;

// The closed form of the scene.
inline Solution solution_of(const Scene& scene) {
  EXPECT_TRUE(scene.exact) << scene.path;
  return [at = scene.exact.at, start = scene.initial](double t) {
    Exact exact{start.q, start.v};
    at(t, exact.q, exact.v);
    return exact;
  };
}

// Integral over time of |q - q_exact| + |v - v_exact|, all components; without `known` against the
// scene's closed form.
inline double l1_error(const Scene& scene, const Solution& known = {}) {
  const Solution exact = known ? known : solution_of(scene);
  double sum = 0;
  const Outcome outcome = run(scene, [&](const Simulation& simulation) {
    const Exact at = exact(simulation.time());
    sum += (simulation.q() - at.q).cwiseAbs().sum() + (simulation.v() - at.v).cwiseAbs().sum();
  });
  return outcome.failed_steps == 0 ? scene.options.h * sum : HUGE_VAL;
}

// Slope of log(error) over log(h): the median over all pairs of steps (Theil, Sen), which an impact
// that happens to fall on a grid point does not move. The steps are not multiples of each other.
inline double fitted_order(const std::string& name, const std::string& scheme, const char* end,
                           const Solution& exact = {}, const std::vector<std::string>& more = {},
                           double coarsest = 1e-2) {
  const int count = 16;
  std::vector<double> x, y, slopes;
  for (int i = 0; i < count; ++i) {
    const double h = coarsest * std::pow(0.77, i);
    std::vector<std::string> set = {step_of(h), "simulation.scheme=" + scheme,
                                    std::string("simulation.end=") + end};
    set.insert(set.end(), more.begin(), more.end());
    const Scene scene = name.find('/') == std::string::npos
                            ? example(name, set)
                            : load_scene(CLACK_SOURCE_DIR "/tests/" + name + ".yaml", set);
    x.push_back(std::log(h));
    y.push_back(std::log(l1_error(scene, exact)));
    if (!std::isfinite(y.back())) return NAN;  // a failed step
    for (int j = 0; j < i; ++j) slopes.push_back((y[i] - y[j]) / (x[i] - x[j]));
  }
  std::sort(slopes.begin(), slopes.end());
  const double order = slopes[slopes.size() / 2];
  ::testing::Test::RecordProperty("order", std::to_string(order));
  std::printf("  %s by %s%s: order %.3f, error %.2e at h = %.1e\n", name.c_str(), scheme.c_str(),
              more.empty() ? "" : (" " + more.back()).c_str(), order, std::exp(y.back()),
              std::exp(x.back()));
  return order;
}

constexpr double kG = 9.81;

// Free flight of the two masses: a parabola of the centre of mass and a sine of the spring.
struct TwoMassFlight {
  static constexpr double m1 = 2, m2 = 1, k = 200;
  double t = 0, y1 = 0.5, y2 = 0.5, v1 = 0, v2 = 0;  // its start

  Exact at(double time) const {
    const double m = m1 + m2, w = std::sqrt(k * m / (m1 * m2)), s = time - t;
    const double c = (m1 * y1 + m2 * y2) / m + (m1 * v1 + m2 * v2) / m * s - 0.5 * kG * s * s;
    const double vc = (m1 * v1 + m2 * v2) / m - kG * s;
    const double d = (y1 - y2) * std::cos(w * s) + (v1 - v2) / w * std::sin(w * s);
    const double vd = -(y1 - y2) * w * std::sin(w * s) + (v1 - v2) * std::cos(w * s);
    return {(Vector(2) << c + m2 / m * d, c - m1 / m * d).finished(),
            (Vector(2) << vc + m2 / m * vd, vc - m1 / m * vd).finished()};
  }
};

// examples/two_mass_oscillator.yaml: flights between elastic impacts of the lower mass.
inline Exact two_mass_oscillator(double t) {
  static const std::vector<TwoMassFlight> flights = [] {
    std::vector<TwoMassFlight> result(1);
    while (result.back().t < 2) {
      const TwoMassFlight& flight = result.back();
      const double s =
          first_root([&](double x) { return flight.at(flight.t + x).q[0]; }, 1e-6, 1e-4);
      const Exact end = flight.at(flight.t + s);
      result.push_back({flight.t + s, 0, end.q[1], -end.v[0], end.v[1]});
    }
    return result;
  }();
  std::size_t i = flights.size() - 1;
  while (i > 0 && flights[i].t > t) --i;
  return flights[i].at(t);
}

// theta'' = -10 sin(theta) from (angle, rate) at time 0: Runge-Kutta on a grid, Hermite between.
class PendulumSwing {
 public:
  PendulumSwing(double angle, double rate, double length) {
    double x = angle, v = rate;
    for (double t = 0; t <= length + kStep; t += kStep) {
      table_.push_back({x, v});
      const double k1 = a(x), x2 = x + 0.5 * kStep * v, v2 = v + 0.5 * kStep * k1;
      const double x3 = x + 0.5 * kStep * v2, v3 = v + 0.5 * kStep * a(x2);
      const double x4 = x + kStep * v3, v4 = v + kStep * a(x3);
      x += kStep / 6 * (v + 2 * v2 + 2 * v3 + v4);
      v += kStep / 6 * (k1 + 2 * a(x2) + 2 * a(x3) + a(x4));
    }
  }
  std::pair<double, double> at(double t) const {
    const std::size_t i = static_cast<std::size_t>(t / kStep);
    const auto [x, v] = table_[i];
    const double s = t - static_cast<double>(i) * kStep;
    // Taylor to fifth order about the grid point.
    const double f = a(x), f1 = -10 * std::cos(x) * v,
                 f2 = 10 * std::sin(x) * v * v - 10 * std::cos(x) * f;
    return {x + s * (v + s / 2 * (f + s / 3 * (f1 + s / 4 * f2))),
            v + s * (f + s / 2 * (f1 + s / 3 * f2))};
  }

 private:
  static constexpr double kStep = 2e-4;
  static double a(double x) { return -10 * std::sin(x); }
  std::vector<std::pair<double, double>> table_;
};

// examples/pendulum_wall.yaml with restitution e.
inline Exact pendulum_wall(double t, double e) {
  static const PendulumSwing down(M_PI / 2, 0, 0.7);
  static const double hit = first_root([](double x) { return down.at(x).first; }, 1e-6, 1e-4);
  static const PendulumSwing up(0, -0.5 * down.at(hit).second, 1.0);
  const auto [x, v] = t < hit ? down.at(t) : e > 0 ? up.at(t - hit) : std::pair(0.0, 0.0);
  return {Vector::Constant(1, x), Vector::Constant(1, v)};
}
inline Exact pendulum_rebound(double t) { return pendulum_wall(t, 0.5); }
inline Exact pendulum_stopped(double t) { return pendulum_wall(t, 0); }

inline Exact cartesian_pendulum(double t) {
  const Exact swing = pendulum_wall(t, 0);
  const double x = swing.q[0], v = swing.v[0];
  return {(Vector(2) << std::sin(x), -std::cos(x)).finished(),
          (Vector(2) << v * std::cos(x), v * std::sin(x)).finished()};
}

}  // namespace clack::test
