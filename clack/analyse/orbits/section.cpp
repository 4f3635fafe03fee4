#include "clack/analyse/orbits/section.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace clack {
namespace {

std::string count_words(long count, const char* word) {
  return fmt::format("{} {}{}", count, word, count == 1 ? "" : "s");
}

// 0 / 0 is no difference: a motion that is at rest in zero has no size.
double over(double difference, double size) { return difference == 0 ? 0.0 : difference / size; }

// The smaller one, but a motion that starts at rest has hardly a size.
double common_size(double a, double b) { return std::max(std::min(a, b), 1e-3 * std::max(a, b)); }

// "(-1, 0)", the first point of few coordinates.
std::string place_words(const AttractorList::Attractor& attractor) {
  const SectionPoint& point = attractor.points.front();
  if (point.q.size() + point.v.size() > 4) return {};
  std::string text;
  const auto add = [&](double value, double size) {
    const double shown = std::abs(value) < 1e-6 * size ? 0.0 : value;
    text += fmt::format("{}{:.4g}", text.empty() ? "" : ", ", shown);
  };
  for (double x : point.q) add(x, attractor.size.q);
  for (double x : point.v) add(x, attractor.size.v);
  return text;
}

bool repeats(const std::vector<SectionPoint>& points, std::size_t period, const MotionSize& size,
             const std::vector<int>& drifting, double tolerance) {
  for (std::size_t n = 0; n + period < points.size(); ++n) {
    if (!(section_distance(points[n], points[n + period], size, drifting) <= tolerance))
      return false;
  }
  return true;
}

}  // namespace

void MotionSize::cover(const MotionSize& other) {
  q = std::max(q, other.q);
  v = std::max(v, other.v);
}

double section_distance(const SectionPoint& a, const SectionPoint& b, const MotionSize& size,
                        const std::vector<int>& drifting) {
  double position = 0, velocity = 0;
  for (int i = 0; i < a.q.size(); ++i) {
    const bool drifts = std::find(drifting.begin(), drifting.end(), i) != drifting.end();
    if (!drifts) position = std::max(position, std::abs(a.q[i] - b.q[i]));
  }
  for (int i = 0; i < a.v.size(); ++i) velocity = std::max(velocity, std::abs(a.v[i] - b.v[i]));
  return std::max(over(position, size.q), over(velocity, size.v));
}

std::string MotionLabel::words() const {
  if (points == 0) return "no period";
  const std::string rhythm = periods > 0 ? fmt::format("period {}, ", periods) : "repeats after ";
  return rhythm + count_words(impacts, "impact") +
         (sticks > 0 ? ", " + count_words(sticks, "stick") : "");
}

MotionLabel label_motion(const std::vector<SectionPoint>& points, const MotionSize& size,
                         const std::vector<int>& drifting, double tolerance) {
  MotionLabel label;
  if (points.size() < 2) return label;
  for (std::size_t p = 1; 2 * p <= points.size(); ++p) {
    if (!repeats(points, p, size, drifting, tolerance)) continue;
    const SectionPoint &last = points.back(), &before = points[points.size() - 1 - p];
    label.points = static_cast<int>(p);
    label.impacts = last.impacts - before.impacts;
    label.sticks = last.sticks - before.sticks;
    return label;
  }
  const auto spans = static_cast<double>(points.size() - 1);
  label.impacts =
      std::lround(static_cast<double>(points.back().impacts - points.front().impacts) / spans);
  label.sticks =
      std::lround(static_cast<double>(points.back().sticks - points.front().sticks) / spans);
  return label;
}

void count_periods(const std::vector<SectionPoint>& points, double period, MotionLabel& label) {
  if (label.points == 0 || !std::isfinite(period)) return;
  const SectionPoint& before = points[points.size() - 1 - static_cast<std::size_t>(label.points)];
  label.periods = std::lround((points.back().t - before.t) / period);
}

AttractorList::AttractorList(std::vector<int> drifting, double tolerance)
    : drifting_(std::move(drifting)), tolerance_(tolerance) {}

bool AttractorList::same_points(const Attractor& known, const std::vector<SectionPoint>& cycle,
                                const MotionSize& size) const {
  const std::size_t n = cycle.size();
  const MotionSize both{common_size(size.q, known.size.q), common_size(size.v, known.size.v)};
  for (std::size_t shift = 0; shift < n; ++shift) {
    bool same = true;
    for (std::size_t i = 0; same && i < n; ++i) {
      const SectionPoint &a = known.points[i], &b = cycle[(i + shift) % n];
      same = a.q.size() == b.q.size() && a.v.size() == b.v.size() &&
             section_distance(a, b, both, drifting_) <= tolerance_;
    }
    if (same) return true;
  }
  return n == 0;
}

int AttractorList::add(const MotionLabel& label, const std::vector<SectionPoint>& points,
                       const MotionSize& size) {
  std::vector<SectionPoint> cycle(points.end() - label.points, points.end());
  for (std::size_t k = 0; k < attractors_.size(); ++k) {
    Attractor& known = attractors_[k];
    const bool both_irregular = label.points == 0 && known.label.points == 0;
    if (!both_irregular && (known.label != label || !same_points(known, cycle, size))) continue;
    ++known.runs;
    return static_cast<int>(k);
  }
  attractors_.push_back({label, std::move(cycle), size, 1, {}});
  return static_cast<int>(attractors_.size()) - 1;
}

std::vector<AttractorList::Attractor> AttractorList::list() const {
  std::vector<Attractor> named = attractors_;
  for (std::size_t k = 0; k < named.size(); ++k) {
    const MotionLabel& label = named[k].label;
    const auto alike = std::count_if(named.begin(), named.end(),
                                     [&](const Attractor& x) { return x.label == label; });
    named[k].name = label.words();
    if (alike < 2 || label.points == 0) continue;
    const std::string place = place_words(named[k]);
    named[k].name += place.empty() ? fmt::format(" (number {})", k + 1) : " at (" + place + ")";
  }
  return named;
}

}  // namespace clack
