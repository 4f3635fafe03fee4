// From values to positions along an axis of a plot, and where its ticks stand.
#pragma once

#include <string>
#include <vector>

#include "clack/io/plots/svg_plot.hpp"

namespace clack {

struct AxisTick {
  double value;
  std::string text;      // empty: a small tick without a number
  std::string exponent;  // raised behind the text
};

class AxisMap {
 public:
  // `data` are the values that must be visible where the axis leaves its limits open; positions
  // run from `begin` to `end` [px].
  AxisMap(const PlotAxis& axis, const std::vector<double>& data, double begin, double end);

  bool accepts(double value) const;     // finite, and > 0 on a log axis
  double position(double value) const;  // [px]
  std::vector<AxisTick> ticks() const;

 private:
  double transform(double value) const;
  void set_range(const PlotAxis& axis, const std::vector<double>& data);
  std::vector<AxisTick> linear_ticks() const;
  std::vector<AxisTick> log10_ticks() const;
  std::vector<AxisTick> log2_ticks() const;
  bool inside(double transformed) const;

  AxisScale scale_;
  double begin_, end_;         // [px]
  double low_ = 0, high_ = 1;  // transformed
};

}  // namespace clack
