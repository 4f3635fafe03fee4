#include "clack/analyse/dense_output.hpp"

#include <gtest/gtest.h>

namespace clack {
namespace {

State cubic(double t) {
  return {t, Vector::Constant(1, 1 - t + 2 * t * t - 3 * t * t * t),
          Vector::Constant(1, -1 + 4 * t - 9 * t * t)};
}

TEST(DenseOutput, IsExactForACubic) {
  for (const State& state : dense_between(cubic(0.5), cubic(2))) {
    EXPECT_NEAR(state.q[0], cubic(state.t).q[0], 1e-14);
    EXPECT_NEAR(state.v[0], cubic(state.t).v[0], 1e-13);
  }
}

TEST(DenseOutput, CrowdsAtBothEndsAndEndsWithTheState) {
  const std::vector<State> states = dense_between(cubic(0), cubic(1));
  double before = 0;
  for (const State& state : states) {
    EXPECT_GT(state.t, before);
    EXPECT_LE(state.t - before, 0.25 + 1e-15);
    before = state.t;
  }
  EXPECT_LT(states.front().t, 1e-5);
  EXPECT_GT(states[states.size() - 2].t, 1 - 1e-5);
  EXPECT_EQ(states.back().t, 1);
}

TEST(DenseOutput, IsTheEndAloneWhereCoordinatesAreNotVelocities) {
  const State a{0, Vector::Zero(7), Vector::Zero(6)}, b{1, Vector::Ones(7), Vector::Zero(6)};
  EXPECT_EQ(dense_between(a, b).size(), 1u);
}

}  // namespace
}  // namespace clack
