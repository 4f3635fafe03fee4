// Convergence orders in L1 against the closed forms of the examples. Velocities with jumps do not
// converge in the sup norm.
#include <gtest/gtest.h>

#include <algorithm>

#include "clack/analyse/order_fit.hpp"
#include "tests/order/exact.hpp"

namespace clack {
namespace {

// Slope of log(error) over log(h) by least squares. The steps are not multiples of each other, so
// that the place of an impact within its step averages out.
double least_squares_order(const std::string& name, const std::string& scheme, const char* end) {
  std::vector<double> steps, errors;
  for (int i = 0; i < 16; ++i) {
    const double h = 1e-2 * std::pow(0.77, i);
    const Scene scene = test::example(name, {test::step_of(h), "simulation.scheme=" + scheme,
                                             std::string("simulation.end=") + end});
    steps.push_back(h);
    errors.push_back(test::l1_error(scene));
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
  const double order = least_squares_order(c.name, c.scheme, c.end);
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
