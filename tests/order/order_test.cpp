// Convergence orders in L1 against closed forms. Velocities with jumps do not converge in the sup
// norm.
#include "tests/order/exact.hpp"

namespace clack {
namespace {

using namespace test;

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
