// SVG plots: places of points and ticks, styles, legend, hostile text.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "clack/core/error.hpp"
#include "clack/io/plots/axis_map.hpp"
#include "clack/io/plots/svg_plot.hpp"

namespace clack {
namespace {

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++found;
  return found;
}

bool has(const std::string& text, const std::string& part) { return count(text, part) > 0; }

std::vector<std::string> tick_texts(const PlotAxis& axis, const std::vector<double>& data) {
  std::vector<std::string> texts;
  for (const AxisTick& tick : AxisMap(axis, data, 0, 100).ticks()) {
    if (!tick.text.empty())
      texts.push_back(tick.exponent.empty() ? tick.text : tick.text + "^" + tick.exponent);
  }
  return texts;
}

using Texts = std::vector<std::string>;

TEST(PlotAxes, PlaceValuesByTheirScale) {
  EXPECT_DOUBLE_EQ(AxisMap({"", AxisScale::linear, 0, 10}, {}, 100, 200).position(5), 150);
  EXPECT_DOUBLE_EQ(AxisMap({"", AxisScale::log10, 1e-4, 1}, {}, 100, 200).position(1e-2), 150);
  EXPECT_DOUBLE_EQ(AxisMap({"", AxisScale::log2, 1, 16}, {}, 100, 200).position(4), 150);
}

TEST(PlotAxes, ShowAllData) {
  const std::vector<double> data = {3e-5, 0.7, -1, std::numeric_limits<double>::quiet_NaN()};
  const AxisMap map({"", AxisScale::log10}, data, 0, 100);
  EXPECT_GT(map.position(3e-5), 0);
  EXPECT_LT(map.position(0.7), 100);
  EXPECT_FALSE(map.accepts(-1));
}

TEST(PlotAxes, HaveRoundTicks) {
  EXPECT_EQ(tick_texts({"", AxisScale::linear, 0, 1}, {}),
            (Texts{"0", "0.2", "0.4", "0.6", "0.8", "1"}));
  EXPECT_EQ(tick_texts({"", AxisScale::log10, 1e-3, 1}, {}),
            (Texts{"10^-3", "10^-2", "10^-1", "10^0"}));
  EXPECT_EQ(tick_texts({"", AxisScale::log10, 1, 10}, {}), (Texts{"1", "2", "5", "10"}));
  EXPECT_EQ(tick_texts({"", AxisScale::log2, 1, 9}, {}), (Texts{"1", "2", "4", "8"}));
}

TEST(PlotAxes, StandWithoutDataAndWithOneValue) {
  for (const AxisScale scale : {AxisScale::linear, AxisScale::log10, AxisScale::log2}) {
    for (const std::vector<double>& data : {std::vector<double>{}, std::vector<double>{3.0}}) {
      const AxisMap map({"", scale}, data, 0, 100);
      EXPECT_TRUE(std::isfinite(map.position(3)));
      EXPECT_LT(map.ticks().size(), 40u);
    }
  }
}

// The area is 100 x 100 with its lower left corner at (left, bottom).
SvgPlot small_plot(PlotStyle style) {
  SvgPlot plot;
  plot.x.low = plot.y.low = 0;
  plot.x.high = plot.y.high = 10;
  plot.width = plot.height = 100;
  plot.series = {{"curve", {0, 5, 10}, {0, 10, 10}, style}};
  return plot;
}

TEST(SvgPlots, LinesGoStraightAndStepsHoldTheirValue) {
  EXPECT_TRUE(has(format_svg(small_plot(PlotStyle::line)),
                  "d=\"M74.00 146.00L124.00 46.00L174.00 46.00\""));
  EXPECT_TRUE(has(format_svg(small_plot(PlotStyle::step)),
                  "d=\"M74.00 146.00L124.00 146.00L124.00 46.00L174.00 46.00L174.00 46.00\""));
}

TEST(SvgPlots, WhatCannotBeDrawnIsAGap) {
  SvgPlot plot = small_plot(PlotStyle::line);
  plot.series[0].y[1] = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(has(format_svg(plot), "d=\"M74.00 146.00M174.00 46.00\""));
}

TEST(SvgPlots, MarkersStandAtEachPointAndInTheLegend) {
  const std::string svg = format_svg(small_plot(PlotStyle::line_markers));
  EXPECT_EQ(count(svg, "<circle"), 4u);
  EXPECT_FALSE(has(format_svg(small_plot(PlotStyle::line)), "<circle"));
}

TEST(SvgPlots, SeriesDifferInColourOrDashes) {
  SvgPlot plot = small_plot(PlotStyle::line);
  plot.series.resize(28, plot.series[0]);
  const std::string svg = format_svg(plot);
  std::vector<std::string> looks;
  for (std::size_t at = svg.find("stroke-width=\"1.9\""); at != std::string::npos;
       at = svg.find("stroke-width=\"1.9\"", at + 1)) {
    const std::size_t begin = svg.rfind("stroke=", at);
    looks.push_back(
        svg.substr(begin, svg.find("\"", svg.find("stroke-dasharray=\"", at) + 18) - begin));
  }
  ASSERT_EQ(looks.size(), 56u);  // curves, then the legend
  std::sort(looks.begin(), looks.end());
  EXPECT_EQ(std::unique(looks.begin(), looks.end()) - looks.begin(), 28);
}

TEST(SvgPlots, TextIsEscaped) {
  SvgPlot plot = small_plot(PlotStyle::line);
  plot.title = "a<b & \"c\"\x01";
  plot.series[0].name = "</svg>";
  const std::string svg = format_svg(plot);
  EXPECT_TRUE(has(svg, ">a&lt;b &amp; &quot;c&quot; <"));
  EXPECT_EQ(count(svg, "</svg>"), 1u);
}

TEST(SvgPlots, SeriesOfUnequalLengthsAreRefused) {
  SvgPlot plot = small_plot(PlotStyle::line);
  plot.series[0].y.pop_back();
  EXPECT_THROW(format_svg(plot), InputError);
}

TEST(SvgPlot, SeveralPlotsStandOneAboveTheOtherInOneDocument) {
  SvgPlot upper{.title = "upper"}, lower{.title = "lower"};
  upper.series.push_back({"a", {0, 1}, {0, 1}});
  lower.series.push_back({"b", {0, 1}, {1, 0}});
  const SvgPlot both[] = {upper, lower};
  const std::string text = format_svg(both);
  auto count = [&](const std::string& part) {
    int found = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
      ++found;
    }
    return found;
  };
  EXPECT_EQ(count("<svg "), 1);
  EXPECT_EQ(count("id=\"area0\""), 1);
  EXPECT_EQ(count("id=\"area1\""), 1);
  EXPECT_LT(text.find("upper"), text.find("lower"));
  EXPECT_EQ(count("translate(0 0)"), 1);
}

}  // namespace
}  // namespace clack
