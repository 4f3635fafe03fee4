// Convergence orders in L1 against the closed forms of the examples. Velocities with jumps do not
// converge in the sup norm.
#include <gtest/gtest.h>

#include <algorithm>

#include "clack/analyse/errors.hpp"
#include "clack/analyse/order_fit.hpp"
#include "tests/physics/support.hpp"

namespace clack {
namespace {

// Integral over time of |q - q_exact| + |v - v_exact|, all components.
double l1_error(const Scene& scene) {
  Curve q(scene.system->nq()), v(scene.system->nv());
  const test::Outcome outcome = test::run(scene, [&](const Simulation& simulation) {
    if (q.size() == 0) {  // the first point of a curve only marks the start
      q.add(scene.initial.t, scene.initial.q.data());
      v.add(scene.initial.t, scene.initial.v.data());
    }
    q.add(simulation.time(), simulation.q().data());
    v.add(simulation.time(), simulation.v().data());
  });
  Vector q_exact = scene.initial.q, v_exact = scene.initial.v;
  const auto function = [&](const Vector& values) {
    return [&](double t, double* x) {
      scene.exact.at(t, q_exact, v_exact);
      std::copy_n(values.data(), values.size(), x);
    };
  };
  if (outcome.failed_steps > 0) return HUGE_VAL;
  return lp_error(q, function(q_exact), 1) + lp_error(v, function(v_exact), 1);
}

// Slope of log(error) over log(h) by least squares. The steps are not multiples of each other, so
// that the place of an impact within its step averages out.
double fitted_order(const std::string& name, const std::string& scheme, const char* end) {
  std::vector<double> steps, errors;
  for (int i = 0; i < 16; ++i) {
    const double h = 1e-2 * std::pow(0.77, i);
    const Scene scene = test::example(name, {test::step_of(h), "simulation.scheme=" + scheme,
                                             std::string("simulation.end=") + end});
    EXPECT_TRUE(scene.exact) << "the example has no closed form";
    if (!scene.exact) return NAN;
    steps.push_back(h);
    errors.push_back(l1_error(scene));
  }
  const OrderFit fit = fit_order(steps, errors);
  EXPECT_EQ(fit.points, 16) << "a run failed";
  const double order = fit.order;
  testing::Test::RecordProperty("order", std::to_string(order));
  std::printf("  %s by %s: order %.3f\n", name.c_str(), scheme.c_str(), order);
  return order;
}

struct Case {
  const char* name;
  const char* scheme;
  const char* end;
  double highest;  // order
};

class Order : public testing::TestWithParam<Case> {};

TEST_P(Order, is_one_in_l1) {
  const Case& c = GetParam();
  const double order = fitted_order(c.name, c.scheme, c.end);
  EXPECT_GE(order, 0.8);
  EXPECT_LE(order, c.highest);
}

INSTANTIATE_TEST_SUITE_P(
    Schemes, Order,
    testing::Values(Case{"bouncing_ball", "moreau-jean", "2.5", 1.2},
                    Case{"bouncing_ball", "moreau-midpoint", "2.5", 1.2},
                    Case{"planar_ball_bounce", "moreau-jean", "1.5", 1.2},
                    Case{"planar_ball_bounce", "moreau-midpoint", "1.5", 1.2},
                    Case{"planar_ball_spin", "moreau-jean", "1.1", 1.2},
                    Case{"planar_ball_spin", "moreau-midpoint", "1.1", 1.2},
                    Case{"impacting_oscillator", "moreau-jean", "5", 1.2},
                    Case{"impacting_oscillator", "moreau-midpoint", "5", 1.2},
                    Case{"impacting_oscillator_offset", "moreau-jean", "5", 1.2},
                    Case{"impacting_oscillator_offset", "moreau-midpoint", "5", 1.2}),
    [](const auto& instance) {
      std::string name = std::string(instance.param.name) + "_by_" + instance.param.scheme;
      std::replace(name.begin(), name.end(), '-', '_');
      return name;
    });

}  // namespace
}  // namespace clack
