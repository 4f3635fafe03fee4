// Arrays on large pages: aligned as the system needs it, otherwise like any vector.
#include "clack/core/large_array.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>

namespace clack {
namespace {

struct alignas(64) Line {
  double value[8];
};

template <class T>
bool is_aligned(const LargeArray<T>& array, std::size_t to) {
  return reinterpret_cast<std::uintptr_t>(array.data()) % to == 0;
}

TEST(LargeArray, BeginsOnALargePageFromItsSizeOn) {
  for (int k = 0; k < 5; ++k) {
    EXPECT_TRUE(is_aligned(LargeArray<double>(kLargePage / sizeof(double)), kLargePage));
    EXPECT_TRUE(is_aligned(LargeArray<Line>(3 * kLargePage / sizeof(Line) + 1), kLargePage));
  }
}

TEST(LargeArray, SmallOnesKeepTheAlignmentOfTheirType) {
  for (std::size_t n = 1; n < 20; ++n) EXPECT_TRUE(is_aligned(LargeArray<Line>(n), 64));
}

TEST(LargeArray, KeepsItsValuesWhileItGrows) {
  LargeArray<int> array(10);
  std::iota(array.begin(), array.end(), 0);
  array.resize(2 * kLargePage / sizeof(int), 7);
  LargeArray<int> other(3, -1);
  other.swap(array);
  for (int k = 0; k < 10; ++k) EXPECT_EQ(other[static_cast<std::size_t>(k)], k);
  EXPECT_EQ(other.back(), 7);
  EXPECT_EQ(array.size(), 3u);
}

}  // namespace
}  // namespace clack
