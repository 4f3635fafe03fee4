// What the browser unpacks is what was packed, within the bounds that are stated.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "clack/core/error.hpp"
#include "clack/io/report/block.hpp"
#include "tests/io/report_support.hpp"

namespace clack {
namespace {

using test::Unpacked;

TEST(ReportBlock, IntegersOfAnySizeComeBack) {
  const std::int32_t far = (1 << 30) - 1;
  for (const std::vector<std::int32_t>& values :
       {std::vector<std::int32_t>{},
        {0, 0, 0},
        {1, -1, 127, -128, 128},
        {far, -far, 0, 65535, -65536, 2 * far + 1, -2 * far - 2}}) {
    Block block;
    block.header["note"] = "x";
    block.add("a", values);
    const Unpacked unpacked(block.compress());
    EXPECT_EQ(unpacked.header["note"], "x");
    EXPECT_EQ(unpacked.integers("a"), values);
  }
}

TEST(ReportBlock, SmallIntegersTakeOneByteAndZerosNone) {
  Block block;
  block.add("none", std::vector<std::int32_t>(100, 0));
  block.add("one", std::vector<std::int32_t>(100, -128));
  block.add("two", std::vector<std::int32_t>(100, 128));
  const Unpacked unpacked(block.compress());
  EXPECT_EQ(unpacked.entry("none")["planes"], 0);
  EXPECT_EQ(unpacked.entry("one")["planes"], 1);
  EXPECT_EQ(unpacked.entry("two")["planes"], 2);
}

TEST(ReportBlock, FloatsComeBackBitByBit) {
  const double inf = std::numeric_limits<double>::infinity();
  const std::vector<double> values = {0, -0.0, 1.0 / 3, 1e-300, inf, -inf, std::nan("")};
  Block block;
  block.add("double", values);
  block.add_single("single", values);
  const Unpacked unpacked(block.compress());
  const std::vector<double> wide = unpacked.doubles("double");
  const std::vector<float> narrow = unpacked.singles("single");
  for (std::size_t i = 0; i < values.size(); ++i) {
    EXPECT_EQ(std::bit_cast<std::uint64_t>(wide[i]), std::bit_cast<std::uint64_t>(values[i]));
    const auto single = static_cast<float>(values[i]);
    EXPECT_EQ(std::memcmp(&narrow[i], &single, sizeof single), 0);
  }
}

TEST(ReportBlock, QuantisingIsWithinHalfAStepAndRefusesWhatHasNoPlace) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> value(-1000, 1000);
  const double step = 1e-4;
  for (int i = 0; i < 1000; ++i) {
    const double x = value(random);
    std::int32_t units = 0;
    ASSERT_TRUE(quantise(x, step, units));
    ASSERT_LE(std::abs(units * step - x), 0.5 * step * (1 + 1e-9));
  }
  std::int32_t units = 7;
  EXPECT_FALSE(quantise(std::nan(""), step, units));
  EXPECT_FALSE(quantise(INFINITY, step, units));
  EXPECT_FALSE(quantise(0x1p30 * step * 1.01, step, units));
  EXPECT_EQ(units, 7);
}

TEST(ReportBlock, Base64IsThatOfRfc4648) {
  const std::pair<const char*, const char*> known[] = {
      {"", ""}, {"f", "Zg=="}, {"fo", "Zm8="}, {"foo", "Zm9v"}, {"foobar", "Zm9vYmFy"}};
  for (const auto& [bytes, text] : known) EXPECT_EQ(base64(bytes), text);
  EXPECT_EQ(base64("\xff\xfe\xfd"), "//79");
}

TEST(ReportBlock, BytesThatAreNoStreamAreRefused) {
  EXPECT_THROW(inflate("no zlib stream"), InputError);
}

}  // namespace
}  // namespace clack
