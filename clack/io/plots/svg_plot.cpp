#include "clack/io/plots/svg_plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "clack/core/error.hpp"
#include "clack/io/plots/axis_map.hpp"
#include "clack/io/plots/svg_parts.hpp"
#include "clack/io/text_buffer.hpp"

namespace clack {
namespace {

// Okabe and Ito, without the yellow that white paper swallows. 7 colours, 4 dashes and 4 markers
// have no common factor: 28 series look different.
constexpr std::array kColours = {"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                 "#000000", "#E69F00", "#56B4E9"};
constexpr std::array kDashes = {"none", "7 3", "2 2.5", "9 3 2 3"};
constexpr const char* kGuideColour = "#888888";

// Lengths [px].
constexpr double kLeft = 74, kTop = 46, kBottom = 56, kRight = 22;
constexpr double kDot = 1.8;
constexpr double kLegendGap = 20, kLegendLine = 19, kSample = 30;

struct Look {
  std::string colour, dash;
  double width;
  std::size_t marker;
};

struct Frame {
  AxisMap x, y;
  double left, top, right, bottom;
};

bool has_line(PlotStyle style) { return style != PlotStyle::markers && style != PlotStyle::dots; }
bool has_markers(PlotStyle style) {
  return style == PlotStyle::markers || style == PlotStyle::line_markers;
}

// One look a series; guides are grey and leave the colours to the others.
std::vector<Look> choose_looks(const std::vector<PlotSeries>& all) {
  std::vector<Look> looks;
  std::size_t coloured = 0, guides = 0;
  for (const PlotSeries& series : all) {
    if (series.style == PlotStyle::guide) {
      looks.push_back({kGuideColour, kDashes[guides++ % kDashes.size()], 1.0, 0});
    } else {
      looks.push_back({kColours[coloured % kColours.size()], kDashes[coloured % kDashes.size()],
                       1.9, coloured % 4});
      ++coloured;
    }
  }
  return looks;
}

void put_marker(TextBuffer& out, double x, double y, const Look& look) {
  constexpr double r = 3.6;
  put(out, "<g fill=\"{}\">", look.colour);
  switch (look.marker) {
    case 0:
      put(out, "<circle cx=\"{:.2f}\" cy=\"{:.2f}\" r=\"{}\"/>", x, y, r);
      break;
    case 1:
      put(out, "<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{}\" height=\"{}\"/>", x - r, y - r, 2 * r,
          2 * r);
      break;
    case 2:
      put(out, "<path d=\"M{:.2f} {:.2f}l4.4 7.6h-8.8z\"/>", x, y - 5);
      break;
    default:
      put(out, "<path d=\"M{:.2f} {:.2f}l4.6 4.6l-4.6 4.6l-4.6 -4.6z\"/>", x, y - 4.6);
  }
  put(out, "</g>\n");
}

std::string path_of(const PlotSeries& series, const Frame& frame) {
  std::string path;
  bool pen_down = false;
  double height = 0;
  for (std::size_t i = 0; i < series.x.size(); ++i) {
    if (!frame.x.accepts(series.x[i]) || !frame.y.accepts(series.y[i])) {
      pen_down = false;
      continue;
    }
    const double x = frame.x.position(series.x[i]), y = frame.y.position(series.y[i]);
    if (pen_down && series.style == PlotStyle::step)
      path += fmt::format("L{:.2f} {:.2f}", x, height);
    path += fmt::format("{}{:.2f} {:.2f}", pen_down ? 'L' : 'M', x, y);
    pen_down = true;
    height = y;
  }
  return path;
}

// One stroke of no length each, on a grid of half a pixel.
std::string dots_of(const PlotSeries& series, const Frame& frame) {
  std::set<std::pair<long, long>> places;
  for (std::size_t i = 0; i < series.x.size(); ++i) {
    if (!frame.x.accepts(series.x[i]) || !frame.y.accepts(series.y[i])) continue;
    places.insert({std::lround(2 * frame.x.position(series.x[i])),
                   std::lround(2 * frame.y.position(series.y[i]))});
  }
  std::string path = "M0 0";
  std::pair<long, long> pen = {0, 0};
  for (const auto& place : places) {
    path += fmt::format("m{} {}h0", 0.5 * static_cast<double>(place.first - pen.first),
                        0.5 * static_cast<double>(place.second - pen.second));
    pen = place;
  }
  return path;
}

void put_series(TextBuffer& out, const PlotSeries& series, const Look& look, const Frame& frame) {
  put(out, "<g class=\"series\"><title>{}</title>\n", svg_text(series.name));
  if (has_line(series.style)) {
    put(out,
        "<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{}\" stroke-dasharray=\"{}\" "
        "stroke-linejoin=\"round\"/>\n",
        path_of(series, frame), look.colour, look.width, look.dash);
  }
  if (series.style == PlotStyle::dots) {
    put(out, "<path d=\"{}\" stroke=\"{}\" stroke-width=\"{}\" stroke-linecap=\"round\"/>\n",
        dots_of(series, frame), look.colour, kDot);
  }
  for (std::size_t i = 0; has_markers(series.style) && i < series.x.size(); ++i) {
    if (!frame.x.accepts(series.x[i]) || !frame.y.accepts(series.y[i])) continue;
    put_marker(out, frame.x.position(series.x[i]), frame.y.position(series.y[i]), look);
  }
  put(out, "</g>\n");
}

// Grid lines where a number stands, short ticks elsewhere.
void put_axes(TextBuffer& out, const Frame& frame) {
  constexpr const char* kLine = "<path d=\"M{:.2f} {:.2f}{}{:.2f}\" stroke=\"{}\"/>\n";
  for (const AxisTick& tick : frame.x.ticks()) {
    const double x = frame.x.position(tick.value);
    if (!tick.text.empty()) put(out, kLine, x, frame.bottom, "V", frame.top, "#e2e2e2");
    put(out, kLine, x, frame.bottom, "v", tick.text.empty() ? -3.0 : -6.0, "#444444");
    if (!tick.text.empty()) put_svg_tick(out, tick, x, frame.bottom + 17, "middle");
  }
  for (const AxisTick& tick : frame.y.ticks()) {
    const double y = frame.y.position(tick.value);
    if (!tick.text.empty()) put(out, kLine, frame.left, y, "H", frame.right, "#e2e2e2");
    put(out, kLine, frame.left, y, "h", tick.text.empty() ? 3.0 : 6.0, "#444444");
    if (!tick.text.empty()) put_svg_tick(out, tick, frame.left - 8, y + 4, "end");
  }
  put(out,
      "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"none\" stroke=\"#444444\"/>\n",
      frame.left, frame.top, frame.right - frame.left, frame.bottom - frame.top);
}

void put_labels(TextBuffer& out, const SvgPlot& plot, const Frame& frame) {
  const double middle_x = (frame.left + frame.right) / 2, middle_y = (frame.top + frame.bottom) / 2;
  put(out, "<text x=\"{}\" y=\"27\" text-anchor=\"middle\" font-size=\"15\">{}</text>\n", middle_x,
      svg_text(plot.title));
  put(out, "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\" font-size=\"13\">{}</text>\n", middle_x,
      frame.bottom + 42, svg_text(plot.x.label));
  put(out,
      "<text transform=\"translate(20 {}) rotate(-90)\" text-anchor=\"middle\" font-size=\"13\">{}"
      "</text>\n",
      middle_y, svg_text(plot.y.label));
}

void put_legend(TextBuffer& out, const SvgPlot& plot, const std::vector<Look>& looks, double left) {
  double y = kTop + 8;
  for (std::size_t i = 0; i < plot.series.size(); ++i) {
    const PlotSeries& series = plot.series[i];
    if (series.name.empty()) continue;
    if (has_line(series.style)) {
      put(out,
          "<path d=\"M{} {}h{}\" stroke=\"{}\" stroke-width=\"{}\" stroke-dasharray=\"{}\"/>\n",
          left, y, kSample, looks[i].colour, looks[i].width, looks[i].dash);
    }
    if (has_markers(series.style)) put_marker(out, left + kSample / 2, y, looks[i]);
    if (series.style == PlotStyle::dots) {
      put(out, "<circle cx=\"{}\" cy=\"{}\" r=\"{}\" fill=\"{}\"/>\n", left + kSample / 2, y, kDot,
          looks[i].colour);
    }
    put(out, "<text x=\"{}\" y=\"{}\">{}</text>\n", left + kSample + 7, y + 4,
        svg_text(series.name));
    y += kLegendLine;
  }
}

double legend_width(const SvgPlot& plot) {
  double widest = 0;
  for (const PlotSeries& series : plot.series) widest = std::max(widest, svg_width(series.name));
  return widest > 0 ? kLegendGap + kSample + 7 + widest : 0;
}

double legend_height(const SvgPlot& plot) {
  const auto names = std::ranges::count_if(
      plot.series, [](const PlotSeries& series) { return !series.name.empty(); });
  return kLegendLine * static_cast<double>(names);
}

Frame make_frame(const SvgPlot& plot) {
  std::vector<double> x, y;
  for (const PlotSeries& series : plot.series) {
    if (series.x.size() != series.y.size()) {
      throw InputError(fmt::format("plot '{}': series '{}' has {} x and {} y", plot.title,
                                   series.name, series.x.size(), series.y.size()));
    }
    x.insert(x.end(), series.x.begin(), series.x.end());
    y.insert(y.end(), series.y.begin(), series.y.end());
  }
  const double right = kLeft + plot.width;
  const double bottom = kTop + std::max<double>(plot.height, legend_height(plot));
  return {AxisMap(plot.x, x, kLeft, right),
          AxisMap(plot.y, y, bottom, kTop),
          kLeft,
          kTop,
          right,
          bottom};
}

}  // namespace

namespace {

struct Extent {
  double width = 0, height = 0;  // [px]
};

Extent extent_of(const SvgPlot& plot, const Frame& frame) {
  return {frame.right + legend_width(plot) + kRight, frame.bottom + kBottom};
}

// In coordinates of its own; `index` keeps the names in a document apart.
void put_plot(TextBuffer& out, const SvgPlot& plot, const Frame& frame, std::size_t index) {
  const std::vector<Look> looks = choose_looks(plot.series);
  put_axes(out, frame);
  put(out,
      "<clipPath id=\"area{4}\"><rect x=\"{0}\" y=\"{1}\" width=\"{2}\" "
      "height=\"{3}\"/></clipPath>\n"
      "<g clip-path=\"url(#area{4})\">\n",
      frame.left - 1, frame.top - 1, frame.right - frame.left + 2, frame.bottom - frame.top + 2,
      index);
  for (std::size_t i = plot.series.size(); i-- > 0;) {  // the first on top
    put_series(out, plot.series[i], looks[i], frame);
  }
  put(out, "</g>\n");
  put_labels(out, plot, frame);
  put_legend(out, plot, looks, frame.right + kLegendGap);
}

}  // namespace

std::string format_svg(const SvgPlot& plot) { return format_svg(std::span(&plot, 1)); }

std::string format_svg(std::span<const SvgPlot> plots) {
  std::vector<Frame> frames;
  Extent all;
  for (const SvgPlot& plot : plots) {
    frames.push_back(make_frame(plot));
    const Extent extent = extent_of(plot, frames.back());
    all = {std::max(all.width, extent.width), all.height + extent.height};
  }
  TextBuffer out;
  put(out,
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" "
      "width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} {1:.0f}\" font-size=\"12\" "
      "font-family=\"Helvetica, Arial, 'DejaVu Sans', sans-serif\">\n",
      all.width, all.height);
  put(out, "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n");
  double top = 0;
  for (std::size_t i = 0; i < plots.size(); ++i) {
    put(out, "<g transform=\"translate(0 {:.0f})\">\n", top);
    put_plot(out, plots[i], frames[i], i);
    put(out, "</g>\n");
    top += extent_of(plots[i], frames[i]).height;
  }
  put(out, "</svg>\n");
  return fmt::to_string(out);
}

}  // namespace clack
