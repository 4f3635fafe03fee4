// Performance profiles against a table worked out by hand.
#include "clack/analyse/performance_profile.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace clack {
namespace {

constexpr double kFailed = std::numeric_limits<double>::quiet_NaN();
using Values = std::vector<double>;

//             problem  1     2     3     4
//   first solver       1     8     2     -        ratios 1  4  1  -
//   second solver      3     2     -     -        ratios 3  1  -  -
//   third solver       4     2     2     -        ratios 4  1  1  -
const std::vector<Values> kTimes = {
    {1, 8, 2, kFailed}, {3, 2, kFailed, kFailed}, {4, 2, 2, kFailed}};

TEST(PerformanceProfile, CurvesAreTheHandMadeOnes) {
  const std::vector<ProfileCurve> curves = compute_performance_profile(kTimes);
  ASSERT_EQ(curves.size(), 3u);
  EXPECT_EQ(curves[0].ratio, (Values{1, 4}));
  EXPECT_EQ(curves[0].fraction, (Values{0.5, 0.75}));
  EXPECT_EQ(curves[1].ratio, (Values{1, 3}));
  EXPECT_EQ(curves[1].fraction, (Values{0.25, 0.5}));
  EXPECT_EQ(curves[2].ratio, (Values{1, 4}));
  EXPECT_EQ(curves[2].fraction, (Values{0.5, 0.75}));
}

TEST(PerformanceProfile, OfASolverThatIsNeverFastestStartsAtZero) {
  const std::vector<ProfileCurve> curves = compute_performance_profile({{1, 1}, {2, 3}});
  EXPECT_EQ(curves[1].ratio, (Values{1, 2, 3}));
  EXPECT_EQ(curves[1].fraction, (Values{0, 0.5, 1}));
}

TEST(PerformanceProfile, OfASolverThatSolvesNothingIsZeroThroughout) {
  const std::vector<ProfileCurve> curves =
      compute_performance_profile({{1, 1}, {kFailed, kFailed}});
  EXPECT_EQ(curves[1].ratio, (Values{1}));
  EXPECT_EQ(curves[1].fraction, (Values{0}));
}

TEST(PerformanceProfile, TimesTooShortForTheClockGiveNoInfiniteRatio) {
  const std::vector<ProfileCurve> curves = compute_performance_profile({{0}, {1e-6}});
  EXPECT_TRUE(std::isfinite(curves[1].ratio.back()));
  EXPECT_EQ(curves[1].fraction.back(), 1);
}

TEST(PerformanceProfile, OfNoProblemAndNoSolverIsEmpty) {
  EXPECT_TRUE(compute_performance_profile({}).empty());
  EXPECT_EQ(compute_performance_profile({{}}).front().fraction, (Values{0}));
}

TEST(GeometricMean, OfTwoAndEightIsFour) {
  EXPECT_NEAR(geometric_mean({2, 8}), 4, 1e-12);
  EXPECT_TRUE(std::isnan(geometric_mean({})));
}

}  // namespace
}  // namespace clack
