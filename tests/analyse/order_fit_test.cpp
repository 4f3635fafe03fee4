// Fitted orders and their confidence.
#include "clack/analyse/order_fit.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace clack {
namespace {

TEST(StudentQuantile, IsThatOfTheTables) {
  const std::pair<int, double> table[] = {{1, 12.7062047}, {2, 4.3026527},  {3, 3.1824463},
                                          {4, 2.7764451},  {10, 2.2281389}, {30, 2.0422725},
                                          {120, 1.9799304}};
  for (const auto& [nu, t] : table) EXPECT_NEAR(student_quantile(0.95, nu), t, 1e-6) << nu;
  EXPECT_NEAR(student_quantile(0.99, 5), 4.0321430, 1e-6);
}

TEST(FitOrder, FindsAPowerExactlyWithNoUncertainty) {
  const double h[] = {0.1, 0.05, 0.02, 0.01};
  std::vector<double> e;
  for (double x : h) e.push_back(3 * std::pow(x, 1.7));
  const OrderFit fit = fit_order(h, e);
  EXPECT_NEAR(fit.order, 1.7, 1e-12);
  EXPECT_NEAR(fit.constant, 3, 1e-11);
  EXPECT_NEAR(fit.half_width, 0, 1e-12);
  EXPECT_EQ(fit.points, 4);
}

TEST(FitOrder, HasTheConfidenceOfATextbookExample) {
  // log2 h = 0..3, log2 e = 0, 1, 3, 3: slope 1.1, residuals .1, 0, .9, -.2 ... by hand:
  // mean_y = 1.75, fit 0.1, 1.2, 2.3, 3.4; sum of squares 0.7; s/sqrt(Sxx) = sqrt(0.35/5).
  const double h[] = {1, 2, 4, 8}, e[] = {1, 2, 8, 8};
  const OrderFit fit = fit_order(h, e);
  EXPECT_NEAR(fit.order, 1.1, 1e-12);
  EXPECT_NEAR(fit.half_width, 4.3026527 * std::sqrt(0.35 / 5), 1e-6);
}

TEST(FitOrder, CoversTheTruthInNineteenOfTwentyNoisySets) {
  std::mt19937 random(3);
  std::normal_distribution<double> noise(0, 0.2);
  int covered = 0;
  const int trials = 2000;
  for (int trial = 0; trial < trials; ++trial) {
    std::vector<double> h, e;
    for (int i = 0; i < 6; ++i) {
      h.push_back(std::pow(0.5, i));
      e.push_back(h.back() * std::exp(noise(random)));
    }
    const OrderFit fit = fit_order(h, e);
    covered += std::abs(fit.order - 1) <= fit.half_width;
  }
  EXPECT_NEAR(covered / double(trials), 0.95, 0.02);
}

TEST(FitOrder, LeavesOutFailedRunsAndSaysHowMany) {
  const double h[] = {0.4, 0.2, 0.1, 0.05}, e[] = {0.4, NAN, 0.1, 0};
  const OrderFit fit = fit_order(h, e);
  EXPECT_NEAR(fit.order, 1, 1e-12);
  EXPECT_EQ(fit.points, 2);
  EXPECT_TRUE(std::isnan(fit.half_width)) << "two points have no confidence";
  EXPECT_TRUE(std::isnan(fit_order(std::span(h, 1), std::span(e, 1)).order));
}

TEST(PairwiseOrders, AreThoseOfNeighbours) {
  const double h[] = {0.4, 0.2, 0.1}, e[] = {0.8, 0.4, 0.1};
  const std::vector<double> orders = pairwise_orders(h, e);
  EXPECT_TRUE(std::isnan(orders[0]));
  EXPECT_NEAR(orders[1], 1, 1e-14);
  EXPECT_NEAR(orders[2], 2, 1e-14);
}

TEST(ValueAtError, InterpolatesBetweenTheMeasuredPointsAndNeverBeyond) {
  const double e[] = {1e-1, 1e-2, 1e-4}, cost[] = {1, 10, 1000};
  EXPECT_NEAR(value_at_error(e, cost, 1e-3), 100, 1e-10);
  EXPECT_NEAR(value_at_error(e, cost, std::sqrt(1e-3)), std::sqrt(10.0), 1e-12);
  EXPECT_NEAR(value_at_error(e, cost, 1e-4), 1000, 1e-9);
  EXPECT_TRUE(std::isnan(value_at_error(e, cost, 1e-5))) << "no step is small enough";
  EXPECT_TRUE(std::isnan(value_at_error(e, cost, 1))) << "every step is small enough";
}

TEST(ValueAtError, TakesTheCrossingAfterWhichAllSmallerStepsAreGood) {
  const double e[] = {1e-1, 1e-3, 1e-1, 1e-3}, cost[] = {1, 2, 4, 8};
  EXPECT_NEAR(value_at_error(e, cost, 1e-2), std::sqrt(4.0 * 8.0), 1e-12);
}

}  // namespace
}  // namespace clack
