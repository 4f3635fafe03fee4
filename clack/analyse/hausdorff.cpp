// Hausdorff's distance between two graphs over time.
//
// Along a segment s of one graph the distance to a single segment b of the other is convex, so
// max(d(p0, b), d(p1, b)) over the ends p0, p1 of s bounds the distance of all of s from the other
// graph. Another bound is max(d(p0), d(p1)) plus the sag of the other graph between the feet of p0
// and p1: no point of the chord of the feet is farther from the graph. A segment whose bound does
// not exceed what has been found is done; another is halved. Some points come first to raise what
// has been found; then each search starts where the one before ended.
#include <algorithm>
#include <cmath>
#include <limits>

#include "clack/analyse/errors.hpp"

namespace clack {
namespace {

constexpr double kTolerance = 1e-5;  // relative
constexpr int kMaxHalvings = 60;
constexpr long kEvery = 64;  // of the points that are looked at first

// The points of a graph in (time_scale t, x), one after the other.
struct Graph {
  Graph(const Curve& curve, double time_scale) : dimension(curve.dimension() + 1) {
    points.reserve(curve.size() * dimension);
    for (std::size_t i = 0; i < curve.size(); ++i) add(time_scale * curve.t(i), curve.x(i));
    if (curve.size() == 1) add(time_scale * curve.t(0), curve.x(0));
  }
  void add(double t, const double* x) {
    points.push_back(t);
    points.insert(points.end(), x, x + dimension - 1);
  }
  const double* point(long i) const { return points.data() + i * dimension; }
  double t(long i) const { return points[i * dimension]; }
  long segments() const { return static_cast<long>(points.size()) / dimension - 1; }

  // The first segment that ends after t, or the last.
  long find(double time) const {
    long low = 0, high = segments() - 1;
    while (low < high) {
      const long middle = (low + high) / 2;
      t(middle + 1) > time ? high = middle : low = middle + 1;
    }
    return low;
  }

  int dimension;
  std::vector<double> points;
};

// From p to the segment from a to b; `share` says where on it the foot stands.
double distance(const double* p, const double* a, const double* b, int n, double& share) {
  double ab = 0, ap = 0;
  for (int j = 0; j < n; ++j) {
    ab += (b[j] - a[j]) * (b[j] - a[j]);
    ap += (b[j] - a[j]) * (p[j] - a[j]);
  }
  share = ab > 0 ? std::clamp(ap / ab, 0.0, 1.0) : 0.0;
  double sum = 0;
  for (int j = 0; j < n; ++j) {
    const double d = p[j] - ((1 - share) * a[j] + share * b[j]);
    sum += d * d;
  }
  return std::sqrt(sum);
}

// sup over one graph of the distance to the other.
class Directed {
 public:
  explicit Directed(const Graph& to) : to_(to) {
    for (double x : to.points) round_off_ = std::max(round_off_, 1e-14 * std::abs(x));
  }

  double from(const Graph& graph) {
    const auto point = [&](long i) {
      return std::vector<double>(graph.point(i), graph.point(i) + graph.dimension);
    };
    const long count = graph.segments();
    for (long i = 0; i <= count; i += kEvery) search(point(i), point(i), 0);
    for (long i = 0; i < count; ++i) search(point(i), point(i + 1), 0);
    return found_;
  }

 private:
  struct Foot {
    double distance = std::numeric_limits<double>::infinity();
    long segment = 0;
    double share = 0;
  };
  struct Nearest {
    Foot first, second;                                      // of p0 and p1
    double joint = std::numeric_limits<double>::infinity();  // bound for all of the segment
    long segment = 0;                                        // that gives it
  };

  double enough() const { return found_ * (1 + kTolerance) + round_off_; }

  void look_at(long b, const double* p0, const double* p1, Nearest& nearest) const {
    double s0 = 0, s1 = 0;
    const double d0 = distance(p0, to_.point(b), to_.point(b + 1), to_.dimension, s0);
    const double d1 = distance(p1, to_.point(b), to_.point(b + 1), to_.dimension, s1);
    if (d0 < nearest.first.distance) nearest.first = {d0, b, s0};
    if (d1 < nearest.second.distance) nearest.second = {d1, b, s1};
    if (std::max(d0, d1) < nearest.joint) {
      nearest.joint = std::max(d0, d1);
      nearest.segment = b;
    }
  }

  std::vector<double> position(const Foot& foot) const {
    std::vector<double> x(to_.dimension);
    const double *a = to_.point(foot.segment), *b = to_.point(foot.segment + 1);
    for (int j = 0; j < to_.dimension; ++j) x[j] = (1 - foot.share) * a[j] + foot.share * b[j];
    return x;
  }

  // Largest distance of the graph between two feet from the chord between them.
  double sag(const Foot& a, const Foot& b) const {
    const std::vector<double> begin = position(a), end = position(b);
    double largest = 0, share = 0;
    for (long i = std::min(a.segment, b.segment) + 1; i <= std::max(a.segment, b.segment); ++i) {
      largest =
          std::max(largest, distance(to_.point(i), begin.data(), end.data(), to_.dimension, share));
    }
    return largest;
  }

  // Goes outwards in time until nothing nearer can come, or enough is known.
  Nearest find_nearest(const double* p0, const double* p1) {
    Nearest nearest;
    if (std::abs(to_.t(last_) - p0[0]) > found_) last_ = to_.find(p0[0]);
    long right = last_, left = right - 1;
    bool more_right = true, more_left = true;
    while (more_right || more_left) {
      const double reach = std::max(nearest.first.distance, nearest.second.distance);
      more_right = right < to_.segments() && to_.t(right) - p1[0] <= reach;
      more_left = left >= 0 && p0[0] - to_.t(left + 1) <= reach;
      if (more_right) look_at(right++, p0, p1, nearest);
      if (more_left) look_at(left--, p0, p1, nearest);
      if (nearest.joint <= enough()) break;
    }
    last_ = nearest.segment;
    return nearest;
  }

  void search(const std::vector<double>& p0, const std::vector<double>& p1, int halvings) {
    const Nearest nearest = find_nearest(p0.data(), p1.data());
    if (nearest.joint <= enough()) return;
    const double ends = std::max(nearest.first.distance, nearest.second.distance);
    found_ = std::max(found_, ends);
    if (nearest.joint <= enough() || halvings == kMaxHalvings) return;
    if (ends + sag(nearest.first, nearest.second) <= enough()) return;
    std::vector<double> middle(p0.size());
    for (std::size_t j = 0; j < p0.size(); ++j) middle[j] = 0.5 * (p0[j] + p1[j]);
    search(p0, middle, halvings + 1);
    search(middle, p1, halvings + 1);
  }

  const Graph& to_;
  double round_off_ = 0;  // differences below it mean nothing
  double found_ = 0;
  long last_ = 0;  // the segment where the last search ended
};

}  // namespace

double hausdorff_distance(const Curve& a, const Curve& b, double time_scale) {
  const Graph graph_a(a, time_scale), graph_b(b, time_scale);
  return std::max(Directed(graph_b).from(graph_a), Directed(graph_a).from(graph_b));
}

}  // namespace clack
