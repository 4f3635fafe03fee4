// Every pair of convex kinds: the gap is proved from both sides.
#include "tests/collide/certificate.hpp"

namespace clack::reference {
namespace {

class ConvexPairs : public ::testing::TestWithParam<std::tuple<int, int, bool>> {};

TEST_P(ConvexPairs, GapsAreProvedByAPlaneBetweenAndPointsOnTheBodies) {
  const auto [i, j, rounded] = GetParam();
  const Worst worst = certify_kinds(kConvexKinds[i], kConvexKinds[j], rounded, 300, 60);
  const bool curved = kConvexKinds[i] == ShapeKind::cylinder ||
                      kConvexKinds[i] == ShapeKind::cone ||
                      kConvexKinds[j] == ShapeKind::cylinder || kConvexKinds[j] == ShapeKind::cone;
  const bool sphere = kConvexKinds[i] == ShapeKind::sphere || kConvexKinds[j] == ShapeKind::sphere;
  const double tolerance = curved && !sphere ? 1e-9 : 1e-12;
  EXPECT_LT(worst.distance, tolerance);
  EXPECT_LT(worst.outside, tolerance);
  EXPECT_LT(worst.depth, tolerance);
  EXPECT_GT(worst.apart, 20);
  EXPECT_GT(worst.overlap, 20);
}

INSTANTIATE_TEST_SUITE_P(AllKinds, ConvexPairs,
                         ::testing::Combine(::testing::Range(0, 6), ::testing::Range(0, 6),
                                            ::testing::Bool()));

}  // namespace
}  // namespace clack::reference
