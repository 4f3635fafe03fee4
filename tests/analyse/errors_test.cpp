// Errors between motions, against closed forms and against brute force.
#include "clack/analyse/errors.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "clack/core/error.hpp"

namespace clack {
namespace {

// A curve of dimension one through the given points.
Curve curve_of(std::initializer_list<std::pair<double, double>> points) {
  Curve curve(1);
  for (const auto& [t, x] : points) curve.add(t, &x);
  return curve;
}

// 0 before `jump`, `height` from it on, over [0, 10].
Curve step_at(double jump, double height = 1) {
  return curve_of({{0, 0}, {jump, 0}, {jump, height}, {10, height}});
}

// The same at the points k h of a run.
Curve sampled_step(double jump, double height, double h) {
  Curve curve(1);
  for (int k = 0; k * h <= 10 + 1e-9; ++k) {
    const double x = k * h >= jump ? height : 0;
    curve.add(k * h, &x);
  }
  return curve;
}

TEST(Curve, IsRightContinuousAtAJumpAndStraightBetweenPoints) {
  const Curve curve = curve_of({{0, 0}, {1, 2}, {1, 5}, {2, 7}});
  double x = 0;
  for (const auto& [t, wanted] :
       {std::pair{0.25, 0.5}, {1.0, 5.0}, {1.5, 6.0}, {-1.0, 0.0}, {3.0, 7.0}}) {
    curve.at(t, &x);
    EXPECT_DOUBLE_EQ(x, wanted) << t;
  }
}

TEST(Curve, RefusesTimesThatFallAndValuesThatAreNotFinite) {
  Curve curve = curve_of({{1, 0}});
  const double good = 0, bad = NAN;
  EXPECT_THROW(curve.add(0.5, &good), InputError);
  EXPECT_THROW(curve.add(2, &bad), InputError);
}

TEST(SampleCurve, LocatesJumpsToRoundOffAndKeepsTheToleranceBetween) {
  const double jump = 1 / std::sqrt(2.0);
  const CurveFunction function = [&](double t, double* x) {
    *x = t < jump ? std::sin(3 * t) : 4 + std::cos(t);
  };
  const Curve curve = sample_curve(function, 1, 0, 2, 16, 1e-7);
  bool found = false;
  for (std::size_t i = 1; i < curve.size(); ++i) {
    if (std::abs(curve.x(i)[0] - curve.x(i - 1)[0]) < 1) continue;
    found = true;
    EXPECT_NEAR(curve.t(i), jump, 1e-12);
    EXPECT_NEAR(curve.t(i - 1), jump, 1e-12);
  }
  EXPECT_TRUE(found);
  for (double t = 0.001; t < 2; t += 0.00173) {
    double x = 0, wanted = 0;
    curve.at(t, &x);
    function(t, &wanted);
    EXPECT_NEAR(x, wanted, 2e-7) << t;
  }
}

TEST(LpError, OfAShiftedStepIsHeightTimesShiftToThePowerOneOverP) {
  const Curve run = sampled_step(4.5, 3, 0.25);
  const Curve reference = step_at(4, 3);
  EXPECT_NEAR(lp_error(run, reference.function(), 1), 3 * 0.5, 1e-13);
  EXPECT_NEAR(lp_error(run, reference.function(), 2), 3 * std::sqrt(0.5), 1e-13);
  EXPECT_NEAR(lp_error(run, reference.function(), 3), 3 * std::cbrt(0.5), 1e-13);
  EXPECT_NEAR(max_error(run, reference.function()), 3, 1e-13) << "the sup norm sees no convergence";
}

TEST(LpError, OfAConstantOffsetIsItsSizeTimesTheLength) {
  const Curve run = curve_of({{0, 1}, {0.5, 1}, {2, 1}});  // unequal steps
  const CurveFunction zero = [](double, double* x) { *x = 0; };
  EXPECT_NEAR(lp_error(run, zero, 1), 2, 1e-15);
  EXPECT_NEAR(lp_error(run, zero, 2), std::sqrt(2.0), 1e-15);
}

TEST(LpError, SumsOverTheComponents) {
  Curve run(2);
  for (double t : {0.0, 1.0, 2.0}) {
    const double x[] = {3, -4};
    run.add(t, x);
  }
  const CurveFunction zero = [](double, double* x) { x[0] = x[1] = 0; };
  EXPECT_NEAR(lp_error(run, zero, 1), 14, 1e-14);
  EXPECT_NEAR(lp_error(run, zero, 2), std::sqrt(50.0), 1e-14);
  EXPECT_NEAR(max_error(run, zero), 4, 0);
}

TEST(Hausdorff, OfAShiftedStepIsTheShiftInTheScaleOfTime) {
  EXPECT_NEAR(hausdorff_distance(step_at(4), step_at(4.3)), 0.3, 1e-12);
  EXPECT_NEAR(hausdorff_distance(step_at(4), step_at(4.3), 2), 0.6, 1e-12);
  EXPECT_NEAR(hausdorff_distance(step_at(4, 0.2), step_at(6, 0.2)), 0.2, 1e-12)
      << "never more than the height";
}

TEST(Hausdorff, OfARoofOverAFloorIsItsHeightAndThatOfASlopeIsMeasuredAcross) {
  const Curve floor = curve_of({{0, 0}, {10, 0}});
  EXPECT_NEAR(hausdorff_distance(curve_of({{0, 0}, {5, 5}, {10, 0}}), floor), 5, 1e-12);
  // Two parallel lines of slope 1, cut so that every point has its foot on the other.
  const Curve low = curve_of({{0, 0}, {10, 10}}), high = curve_of({{-1, 1}, {9, 11}});
  EXPECT_NEAR(hausdorff_distance(low, high), std::sqrt(2.0), 1e-12);
}

TEST(Hausdorff, OfAFilledInJumpDiffersFromThatOfTheBareGraph) {
  // A steep ramp comes arbitrarily near to the filled-in step, though the sup norm stays 1/2.
  for (double width : {0.1, 0.01, 0.001}) {
    const Curve ramp = curve_of({{0, 0}, {4, 0}, {4 + width, 1}, {10, 1}});
    EXPECT_NEAR(hausdorff_distance(step_at(4), ramp), width / std::hypot(1, width), 1e-9);
  }
}

Curve random_curve(std::mt19937& random, int dimension, int points) {
  std::uniform_real_distribution<double> uniform(-1, 1);
  Curve curve(dimension);
  double t = 0;
  std::vector<double> x(dimension);
  for (int i = 0; i < points; ++i) {
    for (double& value : x) value = uniform(random);
    curve.add(t, x.data());
    if (uniform(random) > -0.4) t += 0.3 * std::abs(uniform(random));  // else a jump
  }
  return curve;
}

// Largest distance of dense points on a from all segments of b.
double brute_force(const Curve& a, const Curve& b, double scale) {
  const int n = a.dimension(), dense = 400;
  double largest = 0;
  for (std::size_t i = 0; i + 1 < a.size(); ++i) {
    for (int k = 0; k <= dense; ++k) {
      const double s = k / double(dense);
      std::vector<double> p = {scale * ((1 - s) * a.t(i) + s * a.t(i + 1))};
      for (int j = 0; j < n; ++j) p.push_back((1 - s) * a.x(i)[j] + s * a.x(i + 1)[j]);
      double nearest = HUGE_VAL;
      for (std::size_t m = 0; m + 1 < b.size(); ++m) {
        std::vector<double> e = {scale * (b.t(m + 1) - b.t(m))}, d = {p[0] - scale * b.t(m)};
        for (int j = 0; j < n; ++j) {
          e.push_back(b.x(m + 1)[j] - b.x(m)[j]);
          d.push_back(p[j + 1] - b.x(m)[j]);
        }
        double ee = 0, de = 0, sum = 0;
        for (int j = 0; j <= n; ++j) ee += e[j] * e[j], de += d[j] * e[j];
        const double along = ee > 0 ? std::min(1.0, std::max(0.0, de / ee)) : 0;
        for (int j = 0; j <= n; ++j) sum += std::pow(d[j] - along * e[j], 2);
        nearest = std::min(nearest, std::sqrt(sum));
      }
      largest = std::max(largest, nearest);
    }
  }
  return largest;
}

TEST(Hausdorff, AgreesWithBruteForceOnRandomGraphsWithJumps) {
  std::mt19937 random(7);
  for (int trial = 0; trial < 60; ++trial) {
    const int dimension = 1 + trial % 3;
    const double scale = trial % 2 == 0 ? 1 : 3.7;
    const Curve a = random_curve(random, dimension, 12), b = random_curve(random, dimension, 15);
    const double fast = hausdorff_distance(a, b, scale);
    const double slow = std::max(brute_force(a, b, scale), brute_force(b, a, scale));
    // The dense points lie at most 4/400 apart: brute force is a little low, never high.
    EXPECT_GE(fast, slow * (1 - 1e-5)) << trial;
    EXPECT_LE(fast, slow + 0.006) << trial;
    EXPECT_NEAR(fast, hausdorff_distance(b, a, scale), 2e-5 * fast);
  }
}

TEST(Hausdorff, OfGraphsWithAHundredThousandPointsIsFound) {
  Curve a(1), b(1);
  const int count = 100000;
  for (int i = 0; i <= count; ++i) {
    const double t = 10.0 * i / count, saw = std::fmod(3 * t, 1),
                 late = std::fmod(3 * (t + 0.01), 1);
    a.add(t, &saw);
    b.add(t, &late);
  }
  EXPECT_NEAR(hausdorff_distance(a, b), 0.03, 1e-3);  // at the end that has no continuation
}

}  // namespace
}  // namespace clack
