#include "clack/model/samples/voronoi.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "clack/core/error.hpp"
#include "clack/core/split_mix.hpp"
#include "clack/model/samples/checks.hpp"
#include "clack/model/samples/convex_cell.hpp"

namespace clack {
namespace {

using samples::ConvexCell;

constexpr std::string_view kName = "voronoi sample";
constexpr double kTolerance = 1e-12;  // relative to the diagonal of the box
constexpr double kThin = 1e-8;        // a cell thinner than that is none, relative as well

// Points in the cells of a grid, about two in each.
class PointGrid {
 public:
  PointGrid(const std::vector<Vector3>& points, const BoundingBox& box, int dim)
      : points_(points), lower_(box.lower) {
    const double volume = samples::box_volume(box, dim);
    edge_ = std::pow(2 * volume / static_cast<double>(points.size()), 1.0 / dim);
    for (int i = 0; i < dim; ++i)
      count_[i] = std::max(1, static_cast<int>(std::ceil((box.upper[i] - lower_[i]) / edge_)));
    cells_.resize(static_cast<std::size_t>(count_[0]) * count_[1] * count_[2]);
    for (std::size_t i = 0; i < points.size(); ++i) {
      const auto [x, y, z] = place(points[i]);
      cells_[index(x, y, z)].push_back(static_cast<int>(i));
    }
  }

  int rings() const { return *std::max_element(count_.begin(), count_.end()); }
  // Points beyond the rings 0 to `ring` are at least that far from a point of the middle cell.
  double cleared(int ring) const { return ring * edge_; }

  // The points of the shell of cells at that distance (maximum norm) from the cell of `centre`.
  void collect_ring(const Vector3& centre, int ring, std::vector<int>& found) const {
    const auto [cx, cy, cz] = place(centre);
    found.clear();
    for (int z = std::max(0, cz - ring); z <= std::min(count_[2] - 1, cz + ring); ++z)
      for (int y = std::max(0, cy - ring); y <= std::min(count_[1] - 1, cy + ring); ++y)
        for (int x = std::max(0, cx - ring); x <= std::min(count_[0] - 1, cx + ring); ++x) {
          if (std::max({std::abs(x - cx), std::abs(y - cy), std::abs(z - cz)}) != ring) continue;
          const std::vector<int>& cell = cells_[index(x, y, z)];
          found.insert(found.end(), cell.begin(), cell.end());
        }
    std::sort(found.begin(), found.end(), [&](int a, int b) {
      const double da = (points_[a] - centre).squaredNorm(),
                   db = (points_[b] - centre).squaredNorm();
      return da < db || (da == db && a < b);
    });
  }

 private:
  std::array<int, 3> place(const Vector3& x) const {
    std::array<int, 3> result;
    for (int i = 0; i < 3; ++i)
      result[i] = std::clamp(static_cast<int>((x[i] - lower_[i]) / edge_), 0, count_[i] - 1);
    return result;
  }
  std::size_t index(int x, int y, int z) const {
    return (static_cast<std::size_t>(z) * count_[1] + y) * count_[0] + x;
  }

  const std::vector<Vector3>& points_;
  Vector3 lower_;
  double edge_;
  std::array<int, 3> count_ = {1, 1, 1};
  std::vector<std::vector<int>> cells_;
};

class VoronoiCells {
 public:
  VoronoiCells(const VoronoiOptions& options, const std::vector<Vector3>& points, double gap)
      : options_(options),
        points_(points),
        gap_(gap),
        box_(options.box.grown(-0.5 * gap)),
        grid_(points, samples::prism_box(options.box, options.dim), options.dim) {
    box_ = samples::prism_box(box_, options.dim);
    tolerance_ = kTolerance * (options.box.upper - options.box.lower).head(options.dim).norm();
  }

  ConvexCell cell(int i) {
    ConvexCell result(box_);
    double reach = farthest(result, i);
    for (int ring = 0; ring < grid_.rings(); ++ring) {
      grid_.collect_ring(points_[i], ring, found_);
      for (const int j : found_) {
        const double distance = (points_[j] - points_[i]).norm();
        if (j == i) continue;
        if (distance > 2 * reach + gap_) break;
        result.cut(bisector(i, j, distance), tolerance_);
        if (result.is_empty()) return result;
        reach = farthest(result, i);
      }
      if (grid_.cleared(ring) > 2 * reach + gap_) break;
    }
    return result;
  }

 private:
  samples::HalfSpace bisector(int i, int j, double distance) const {
    const Vector3 normal = (points_[j] - points_[i]) / distance;
    const Vector3 middle = 0.5 * (points_[i] + points_[j]);
    return {normal, normal.dot(middle) - 0.5 * gap_};
  }

  // In the plane a prism counts by its cross-section.
  double farthest(const ConvexCell& cell, int i) const {
    if (options_.dim == 3) return cell.greatest_distance(points_[i]);
    double square = 0;
    for (const Vector3& vertex : cell.vertices())
      square = std::max(square, (vertex - points_[i]).head<2>().squaredNorm());
    return std::sqrt(square);
  }

  const VoronoiOptions& options_;
  const std::vector<Vector3>& points_;
  double gap_;
  BoundingBox box_;
  PointGrid grid_;
  double tolerance_;
  std::vector<int> found_;
};

std::vector<Vector3> draw_points(const VoronoiOptions& options) {
  SplitMix random(options.seed);
  std::vector<Vector3> points(static_cast<std::size_t>(options.count), Vector3::Zero());
  for (Vector3& point : points)
    for (int i = 0; i < options.dim; ++i)
      point[i] = random.uniform(options.box.lower[i], options.box.upper[i]);
  return points;
}

void relax(const VoronoiOptions& options, std::vector<Vector3>& points) {
  VoronoiCells cells(options, points, 0);
  std::vector<Vector3> centroids;
  for (std::size_t i = 0; i < points.size(); ++i) {
    centroids.push_back(cells.cell(static_cast<int>(i)).centroid());
    if (options.dim == 2) centroids.back().z() = 0;
  }
  points = std::move(centroids);
}

}  // namespace

void VoronoiOptions::validate() const {
  samples::require_dim(dim, kName);
  samples::require_box(box, dim, kName);
  samples::require_at_least(count, 1, "count", kName);
  samples::require_at_least(iterations, 0, "iterations", kName);
  samples::require_not_negative(gap, "gap", kName);
  const double least = (box.upper - box.lower).head(dim).minCoeff();
  if (gap >= least)
    throw InputError(
        fmt::format("gap of the {} is {}; it must be less than the box, {}", kName, gap, least));
}

Sample make_voronoi(const VoronoiOptions& options) {
  options.validate();
  std::vector<Vector3> points = draw_points(options);
  for (int k = 0; k < options.iterations; ++k) relax(options, points);
  VoronoiCells cells(options, points, options.gap);
  const double thin = kThin * (options.box.upper - options.box.lower).head(options.dim).norm();
  Sample sample;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const ConvexCell cell = cells.cell(static_cast<int>(i));
    if (cell.is_empty() || cell.thickness() < thin)
      throw InputError(fmt::format("gap of the {} is {}; it leaves nothing of cell {} of {}", kName,
                                   options.gap, i + 1, points.size()));
    sample.push_back(samples::make_cell_body(cell, options.dim, std::to_string(i + 1)));
  }
  return sample;
}

}  // namespace clack
