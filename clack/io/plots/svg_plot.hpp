// Line plots as SVG text: curves, steps and markers over linear or logarithmic axes, with a legend.
//
// Sample:   SvgPlot plot{.title = "Error", .x = {"step [s]", AxisScale::log10},
//                        .y = {"error", AxisScale::log10}};
//           plot.series.push_back({"moreau-jean", {1e-2, 1e-3}, {1e-4, 1e-5},
//                                  PlotStyle::line_markers});
//           plot.series.push_back({"order 1", {1e-2, 1e-3}, {2e-4, 2e-5}, PlotStyle::guide});
//           write_file(path, format_svg(plot));
//
// Colours are those of Okabe and Ito, which colour-blind people tell apart; dashes and marker
// shapes differ as well, so that a print in grey can be read. The legend stands beside the plot
// and never on it.
#pragma once

#include <limits>
#include <span>
#include <string>
#include <vector>

namespace clack {

enum class AxisScale { linear, log10, log2 };

struct PlotAxis {
  std::string label;  // with its unit
  AxisScale scale = AxisScale::linear;
  // NaN: from the data, with a margin.
  double low = std::numeric_limits<double>::quiet_NaN();
  double high = std::numeric_limits<double>::quiet_NaN();
};

enum class PlotStyle {
  line,
  step,  // holds a value until the next x
  markers,
  dots,  // small and many: those that fall on each other are drawn once
  line_markers,
  guide  // a thin grey line, a slope to compare with
};

struct PlotSeries {
  std::string name;          // empty: not in the legend
  std::vector<double> x, y;  // as many of both; what is not finite, or <= 0 on a log axis, is a gap
  PlotStyle style = PlotStyle::line;
};

struct SvgPlot {
  std::string title;
  PlotAxis x, y;
  std::vector<PlotSeries> series;  // 28 of them look different
  int width = 560, height = 380;  // of the area inside the axes [px]; a long legend makes it higher
};

// A complete SVG document. Throws InputError where a series has more x than y or fewer.
std::string format_svg(const SvgPlot& plot);
// Several plots in one document, one above the other.
std::string format_svg(std::span<const SvgPlot> plots);

}  // namespace clack
