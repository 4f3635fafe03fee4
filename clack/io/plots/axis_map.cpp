#include "clack/io/plots/axis_map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace clack {
namespace {

constexpr double kMargin = 0.04;  // of the range, where it comes from the data
constexpr int kMostNumbers = 8;   // ticks with a number on a log axis

// The 1, 2 or 5 times a power of ten that cuts the range into 4 to 10 parts.
double nice_distance(double range) {
  const double power = std::pow(10, std::floor(std::log10(range / 4)));
  for (const double factor : {5.0, 2.0}) {
    if (range / (factor * power) >= 4) return factor * power;
  }
  return power;
}

}  // namespace

AxisMap::AxisMap(const PlotAxis& axis, const std::vector<double>& data, double begin, double end)
    : scale_(axis.scale), begin_(begin), end_(end) {
  set_range(axis, data);
}

bool AxisMap::accepts(double value) const {
  return std::isfinite(value) && (scale_ == AxisScale::linear || value > 0);
}

double AxisMap::transform(double value) const {
  if (scale_ == AxisScale::log10) return std::log10(value);
  return scale_ == AxisScale::log2 ? std::log2(value) : value;
}

double AxisMap::position(double value) const {
  return begin_ + (end_ - begin_) * (transform(value) - low_) / (high_ - low_);
}

void AxisMap::set_range(const PlotAxis& axis, const std::vector<double>& data) {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const double value : data) {
    if (!accepts(value)) continue;
    low = std::min(low, transform(value));
    high = std::max(high, transform(value));
  }
  if (low > high) low = 0, high = 1;  // nothing to show
  if (low == high) low -= 0.5, high += 0.5;
  const double margin = kMargin * (high - low);
  low_ = accepts(axis.low) ? transform(axis.low) : low - margin;
  high_ = accepts(axis.high) ? transform(axis.high) : high + margin;
  if (!(high_ > low_)) high_ = low_ + 1;
}

bool AxisMap::inside(double transformed) const {
  const double rounding = 1e-9 * (high_ - low_);
  return transformed >= low_ - rounding && transformed <= high_ + rounding;
}

std::vector<AxisTick> AxisMap::ticks() const {
  switch (scale_) {
    case AxisScale::log10:
      return log10_ticks();
    case AxisScale::log2:
      return log2_ticks();
    case AxisScale::linear:
      break;
  }
  return linear_ticks();
}

std::vector<AxisTick> AxisMap::linear_ticks() const {
  std::vector<AxisTick> ticks;
  const double distance = nice_distance(high_ - low_);
  for (double k = std::ceil(low_ / distance - 1e-9); inside(k * distance); ++k) {
    const double value = k * distance + 0.0;  // no "-0"
    ticks.push_back({value, fmt::format("{:.6g}", value), ""});
  }
  return ticks;
}

// Powers of ten; on a short axis 2 and 5 times these have numbers too.
std::vector<AxisTick> AxisMap::log10_ticks() const {
  std::vector<AxisTick> ticks;
  const int first = static_cast<int>(std::floor(low_)), last = static_cast<int>(std::ceil(high_));
  const int stride = 1 + (last - first) / kMostNumbers;
  const bool is_short = high_ - low_ < 2;
  for (int decade = first; decade <= last; ++decade) {
    for (int digit = 1; digit < 10; ++digit) {
      const double value = digit * std::pow(10.0, decade);
      if (!inside(std::log10(value))) continue;
      const bool number =
          digit == 1 ? decade % stride == 0 : is_short && (digit == 2 || digit == 5);
      if (digit > 1 && stride > 1) continue;
      if (!number) {
        ticks.push_back({value, "", ""});
      } else if (is_short) {
        ticks.push_back({value, fmt::format("{:.3g}", value), ""});
      } else {
        ticks.push_back({value, "10", fmt::format("{}", decade)});
      }
    }
  }
  return ticks;
}

std::vector<AxisTick> AxisMap::log2_ticks() const {
  std::vector<AxisTick> ticks;
  const int first = static_cast<int>(std::floor(low_)), last = static_cast<int>(std::ceil(high_));
  const int stride = 1 + (last - first) / (2 * kMostNumbers);
  for (int power = first; power <= last; ++power) {
    if (!inside(power)) continue;
    const double value = std::exp2(power);
    if (power % stride != 0) {
      ticks.push_back({value, "", ""});
    } else if (std::abs(power) <= 6) {
      ticks.push_back({value, fmt::format("{:g}", value), ""});
    } else {
      ticks.push_back({value, "2", fmt::format("{}", power)});
    }
  }
  return ticks;
}

}  // namespace clack
