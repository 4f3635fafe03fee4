// Maps of a quantity or of classes over two others.
#include "clack/io/plots/svg_map.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "clack/core/error.hpp"

namespace clack {
namespace {

SvgMap small_map() {
  return {.title = "a < b",
          .x_label = "x [m]",
          .y_label = "y [m]",
          .value_label = "speed [m/s]",
          .x = {2, 1, 3},
          .y = {0, 1},
          .values = {5, 5, 7, 1, NAN, 3},
          .classes = {}};
}

int count(const std::string& text, const std::string& part) {
  int found = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

TEST(SvgMap, has_labels_a_colour_bar_and_neighbours_of_one_colour_in_one_cell) {
  const std::string svg = format_svg(small_map());
  for (const char* label : {"a &lt; b", "x [m]", "y [m]", "speed [m/s]"})
    EXPECT_NE(svg.find(label), std::string::npos) << label;
  EXPECT_NE(svg.find("#440154"), std::string::npos);  // the smallest value
  EXPECT_NE(svg.find("#fde725"), std::string::npos);  // the largest one
  EXPECT_EQ(count(svg, "#bbbbbb"), 1);                // one cell without a value
  // 64 parts of the bar; 1 + 1 cells of the first line, two of them in one, and 2 of the second.
  EXPECT_EQ(count(svg, "<rect"), 1 + 64 + 2 + 2 + 2);
}

TEST(SvgMap, classes_have_a_legend) {
  SvgMap map = small_map();
  map.values = {0, 0, 1, 1, NAN, 0};
  map.classes = {"rest", "period 2"};
  const std::string svg = format_svg(map);
  EXPECT_NE(svg.find("period 2"), std::string::npos);
  EXPECT_EQ(svg.find("speed [m/s]"), std::string::npos);
}

TEST(SvgMap, sizes_that_do_not_fit_are_refused) {
  SvgMap map = small_map();
  map.values.pop_back();
  EXPECT_THROW((void)format_svg(map), InputError);
  map = small_map();
  map.x[1] = 2;
  EXPECT_THROW((void)format_svg(map), InputError);
}

}  // namespace
}  // namespace clack
