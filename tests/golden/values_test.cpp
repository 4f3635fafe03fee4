// End states of our own runs, to notice a change of the numbers that no law of physics forbids.
// Where a change is meant, the test prints the new values to put here.
#include <gtest/gtest.h>

#include "tests/physics/support.hpp"

namespace clack {
namespace {

struct Value {
  const char* name;
  const char* setting;  // one assignment
  double tolerance;     // the motion amplifies round-off where it is wider
  std::vector<double> q;
};

std::string listed(const Vector& q) {
  std::string text;
  char number[40];
  for (double x : q) {
    std::snprintf(number, sizeof number, "%s%.15g", text.empty() ? "" : ", ", x);
    text += number;
  }
  return text;
}

class EndState : public testing::TestWithParam<Value> {};

TEST_P(EndState, has_not_changed) {
  const Value& value = GetParam();
  const test::Outcome outcome = test::run(test::example(value.name, {value.setting}));
  const Eigen::Map<const Vector> expected(value.q.data(), static_cast<int>(value.q.size()));
  ASSERT_EQ(outcome.q.size(), expected.size()) << "now {" << listed(outcome.q) << "}";
  EXPECT_LT((outcome.q - expected).cwiseAbs().maxCoeff(), value.tolerance)
      << "now {" << listed(outcome.q) << "}";
}

INSTANTIATE_TEST_SUITE_P(
    Examples, EndState,
    testing::Values(
        Value{"planar_ball_spin",
              "simulation.step=1e-2",
              1e-11,
              {-0.865722685714284, 0.0719739999999997, 33.3569328571429}},
        Value{"planar_ball_spin",
              "simulation.scheme=moreau-midpoint",
              1e-11,
              {-0.871261278334434, 0.0995920930000491, 33.218468041642}},
        Value{"two_mass_oscillator",
              "simulation.step=1e-3",
              1e-11,
              {0.124617961654278, 0.0441718107551172}},
        Value{"impacting_oscillator_offset",
              "simulation.scheme=moreau-midpoint",
              1e-11,
              {-0.47644174946044}},
        Value{"painleve_rod",
              "simulation.step=1e-3",
              1e-9,
              {21.1665581719766, 2.21510317172412, 3.94982496470255}},
        Value{"belt_stribeck", "simulation.end=20", 1e-11, {0.0674618872419087, 0}},
        Value{"belt_lugre", "simulation.end=20", 1e-9, {0.182314046761365, -0.000626331618976302}},
        Value{"box_3d",
              "simulation.step=1e-2",
              1e-11,
              {3.02352415192379, 1.3581448383135, -1.74563248301454}},
        Value{"moving_floor", "simulation.end=3", 1e-10, {0.134710859058291}},
        Value{"five_link_pendulum",
              "simulation.end=1",
              1e-9,
              {0.444713212278235, 0.619263121619777, 0.606229065092435, 0.0406420711541861,
               -0.0627638638760194}},
        Value{"bead_column",
              "simulation.end=2",
              1e-9,
              {0.0495810253589154, 0.14955043107266, 0.249363238284502, 0.348325054785783,
               0.447719856440002, 0.547032484929032, 0.646458667561799, 0.745211912140963,
               0.845177871695562, 0.945160828273708}}),
    [](const auto& instance) {
      return std::string(instance.param.name) + "_" + std::to_string(instance.index);
    });

}  // namespace
}  // namespace clack
