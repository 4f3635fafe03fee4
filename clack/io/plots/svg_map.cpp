#include "clack/io/plots/svg_map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "clack/core/error.hpp"
#include "clack/io/plots/svg_parts.hpp"

namespace clack {
namespace {

// Lengths [px].
constexpr double kLeft = 74, kTop = 46, kBottom = 56, kRight = 22, kGap = 20;
constexpr double kBar = 18, kBarText = 62, kLegendLine = 19, kBox = 12;

struct Colour {
  double r, g, b;
};

// Viridis at nine even places.
constexpr std::array<Colour, 9> kScale = {{{68, 1, 84},
                                           {71, 44, 122},
                                           {59, 81, 139},
                                           {44, 113, 142},
                                           {33, 144, 141},
                                           {39, 173, 129},
                                           {92, 200, 99},
                                           {170, 220, 50},
                                           {253, 231, 37}}};
constexpr std::array kClasses = {"#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9",
                                 "#D55E00", "#000000", "#F0E442", "#999999", "#8C564B"};

std::string scale_colour(double share) {
  const double place = std::clamp(share, 0.0, 1.0) * (kScale.size() - 1);
  const auto k = std::min<std::size_t>(static_cast<std::size_t>(place), kScale.size() - 2);
  const double f = place - static_cast<double>(k);
  const auto mix = [&](double a, double b) { return std::lround(a + f * (b - a)); };
  const Colour &a = kScale[k], &b = kScale[k + 1];
  return fmt::format("#{:02x}{:02x}{:02x}", mix(a.r, b.r), mix(a.g, b.g), mix(a.b, b.b));
}

// Where the cells of an axis begin and end: half way between the centres.
struct Cells {
  std::vector<std::size_t> order;  // ascending centres
  std::vector<double> edges;       // one more

  explicit Cells(const std::vector<double>& centres, const std::string& title) {
    order.resize(centres.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return centres[a] < centres[b]; });
    const auto at = [&](std::size_t k) { return centres[order[k]]; };
    const std::size_t n = centres.size();
    for (std::size_t k = 1; k < n; ++k) {
      if (!(at(k) > at(k - 1)))
        throw InputError(fmt::format("map '{}': the centre {} occurs twice", title, at(k)));
      edges.push_back(0.5 * (at(k - 1) + at(k)));
    }
    const double first = n > 1 ? edges.front() - at(0) : 0.5;
    const double last = n > 1 ? at(n - 1) - edges.back() : 0.5;
    edges.insert(edges.begin(), at(0) - first);
    edges.push_back(at(n - 1) + last);
  }
};

class MapWriter {
 public:
  explicit MapWriter(const SvgMap& map)
      : map_(map),
        columns_(map.x, map.title),
        lines_(map.y, map.title),
        right_(kLeft + map.width),
        bottom_(kTop + std::max<double>(map.height,
                                        kLegendLine * static_cast<double>(map.classes.size()))),
        x_({map.x_label, AxisScale::linear, columns_.edges.front(), columns_.edges.back()}, {},
           kLeft, right_),
        y_({map.y_label, AxisScale::linear, lines_.edges.front(), lines_.edges.back()}, {}, bottom_,
           kTop) {
    set_range();
  }

  std::string write() {
    const double side = map_.classes.empty() ? kBar + kBarText + kGap : legend_width();
    const double width = right_ + kGap + side + kRight, height = bottom_ + kBottom;
    put(out_,
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" "
        "width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} {1:.0f}\" font-size=\"12\" "
        "font-family=\"Helvetica, Arial, 'DejaVu Sans', sans-serif\">\n"
        "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
        width, height);
    put(out_, "<g shape-rendering=\"crispEdges\">\n");
    for (std::size_t j = 0; j < map_.y.size(); ++j) put_line(j);
    put(out_, "</g>\n");
    put_axes();
    if (map_.classes.empty()) {
      put_bar();
    } else {
      put_legend();
    }
    put(out_, "</svg>\n");
    return fmt::to_string(out_);
  }

 private:
  double value(std::size_t column, std::size_t line) const {
    return map_.values[lines_.order[line] * map_.x.size() + columns_.order[column]];
  }

  void set_range() {
    for (double x : map_.values) {
      if (!std::isfinite(x)) continue;
      low_ = std::min(low_, x);
      high_ = std::max(high_, x);
    }
    if (low_ > high_) low_ = 0, high_ = 1;
    if (low_ == high_) low_ -= 0.5, high_ += 0.5;
  }

  std::string colour(double x) const {
    if (!std::isfinite(x)) return "none";
    if (map_.classes.empty()) return scale_colour((x - low_) / (high_ - low_));
    return kClasses[static_cast<std::size_t>(x) % kClasses.size()];
  }

  // Neighbours of one colour are one rectangle.
  void put_line(std::size_t line) {
    const double top = y_.position(lines_.edges[line + 1]);
    const double height = y_.position(lines_.edges[line]) - top;
    for (std::size_t i = 0; i < map_.x.size();) {
      const std::string fill = colour(value(i, line));
      std::size_t end = i + 1;
      while (end < map_.x.size() && colour(value(end, line)) == fill) ++end;
      const double left = x_.position(columns_.edges[i]), right = x_.position(columns_.edges[end]);
      if (fill != "none") {
        put(out_,
            "<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\" fill=\"{}\"/>\n",
            left, top, right - left, height, fill);
      } else {
        for (std::size_t k = i; k < end; ++k) put_cross(k, top, height);
      }
      i = end;
    }
  }

  void put_cross(std::size_t column, double top, double height) {
    const double left = x_.position(columns_.edges[column]);
    const double width = x_.position(columns_.edges[column + 1]) - left;
    put(out_,
        "<path d=\"M{0:.2f} {1:.2f}l{2:.2f} {3:.2f}m0 {4:.2f}l{5:.2f} {3:.2f}\" "
        "stroke=\"#bbbbbb\"/>\n",
        left, top, width, height, -height, -width);
  }

  void put_axes() {
    for (const AxisTick& tick : x_.ticks()) {
      const double x = x_.position(tick.value);
      put(out_, "<path d=\"M{:.2f} {:.2f}v6\" stroke=\"#444444\"/>\n", x, bottom_);
      put_svg_tick(out_, tick, x, bottom_ + 19, "middle");
    }
    for (const AxisTick& tick : y_.ticks()) {
      const double y = y_.position(tick.value);
      put(out_, "<path d=\"M{:.2f} {:.2f}h-6\" stroke=\"#444444\"/>\n", kLeft, y);
      put_svg_tick(out_, tick, kLeft - 9, y + 4, "end");
    }
    put(out_,
        "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"none\" stroke=\"#444444\"/>\n",
        kLeft, kTop, right_ - kLeft, bottom_ - kTop);
    const double middle = 0.5 * (kLeft + right_);
    put(out_, "<text x=\"{}\" y=\"27\" text-anchor=\"middle\" font-size=\"15\">{}</text>\n", middle,
        svg_text(map_.title));
    put(out_, "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\" font-size=\"13\">{}</text>\n", middle,
        bottom_ + 44, svg_text(map_.x_label));
    put(out_,
        "<text transform=\"translate(20 {}) rotate(-90)\" text-anchor=\"middle\" "
        "font-size=\"13\">{}</text>\n",
        0.5 * (kTop + bottom_), svg_text(map_.y_label));
  }

  void put_bar() {
    constexpr int kParts = 64;
    const double left = right_ + kGap;
    const AxisMap axis({map_.value_label, AxisScale::linear, low_, high_}, {}, bottom_, kTop);
    for (int k = 0; k < kParts; ++k) {
      const double top = bottom_ - (bottom_ - kTop) * (k + 1) / kParts;
      put(out_, "<rect x=\"{}\" y=\"{:.2f}\" width=\"{}\" height=\"{:.2f}\" fill=\"{}\"/>\n", left,
          top, kBar, (bottom_ - kTop) / kParts + 0.5, scale_colour((k + 0.5) / kParts));
    }
    for (const AxisTick& tick : axis.ticks()) {
      const double y = axis.position(tick.value);
      put(out_, "<path d=\"M{:.2f} {:.2f}h5\" stroke=\"#444444\"/>\n", left + kBar, y);
      put_svg_tick(out_, tick, left + kBar + 8, y + 4, "start");
    }
    put(out_,
        "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"none\" stroke=\"#444444\"/>\n",
        left, kTop, kBar, bottom_ - kTop);
    put(out_,
        "<text transform=\"translate({} {}) rotate(-90)\" text-anchor=\"middle\" "
        "font-size=\"13\">{}</text>\n",
        left + kBar + kBarText + 8, 0.5 * (kTop + bottom_), svg_text(map_.value_label));
  }

  double legend_width() const {
    double widest = 0;
    for (const std::string& name : map_.classes) widest = std::max(widest, svg_width(name));
    return kBox + 8 + widest;
  }

  void put_legend() {
    double y = kTop + 2;
    for (std::size_t k = 0; k < map_.classes.size(); ++k) {
      put(out_, "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\"/>\n", right_ + kGap,
          y, kBox, kBox, colour(static_cast<double>(k)));
      put(out_, "<text x=\"{}\" y=\"{}\">{}</text>\n", right_ + kGap + kBox + 8, y + 10,
          svg_text(map_.classes[k]));
      y += kLegendLine;
    }
  }

  const SvgMap& map_;
  Cells columns_, lines_;
  double right_, bottom_;
  AxisMap x_, y_;
  double low_ = HUGE_VAL, high_ = -HUGE_VAL;
  TextBuffer out_;
};

}  // namespace

std::string format_svg(const SvgMap& map) {
  if (map.x.empty() || map.y.empty() || map.values.size() != map.x.size() * map.y.size()) {
    throw InputError(fmt::format("map '{}': {} values for {} times {} cells", map.title,
                                 map.values.size(), map.x.size(), map.y.size()));
  }
  return MapWriter(map).write();
}

}  // namespace clack
