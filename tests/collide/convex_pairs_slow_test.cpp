// A million pairs of each two kinds; a search for a better normal in every hundredth.
#include "tests/collide/certificate.hpp"

namespace clack::reference {
namespace {

class ConvexPairsSlow : public ::testing::TestWithParam<std::tuple<int, int>> {};

TEST_P(ConvexPairsSlow, GapsOfAMillionPairsAreProved) {
  const auto [i, j] = GetParam();
  if (j < i) GTEST_SKIP() << "the pair is tested in the other order";
  Worst worst = certify_kinds(kConvexKinds[i], kConvexKinds[j], false, 500000, 0);
  const Worst rounded = certify_kinds(kConvexKinds[i], kConvexKinds[j], true, 490000, 0);
  const Worst searched = certify_kinds(kConvexKinds[i], kConvexKinds[j], false, 10000, 60);
  worst.distance = std::max(worst.distance, rounded.distance);
  worst.outside = std::max(worst.outside, rounded.outside);
  EXPECT_LT(worst.distance, 1e-9);
  EXPECT_LT(worst.outside, 1e-9);
  EXPECT_LT(searched.depth, 1e-9);
}

INSTANTIATE_TEST_SUITE_P(AllKinds, ConvexPairsSlow,
                         ::testing::Combine(::testing::Range(0, 6), ::testing::Range(0, 6)));

}  // namespace
}  // namespace clack::reference
