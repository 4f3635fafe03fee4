#include "clack/model/shapes/surface.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "clack/core/error.hpp"
#include "clack/model/shapes/checks.hpp"

namespace clack {
namespace {

constexpr double kFlat = 1e-12;  // least area of a triangle, relative to its longest side squared

Vector3 triangle_normal(const TriangleMesh& mesh, int index) {
  const auto& [i, j, k] = mesh.triangles[index];
  const Vector3 a = mesh.vertices[j] - mesh.vertices[i], b = mesh.vertices[k] - mesh.vertices[i];
  const Vector3 area = a.cross(b);
  const double longest = std::max({a.squaredNorm(), b.squaredNorm(), (a - b).squaredNorm()});
  if (!(area.norm() > kFlat * longest))
    throw InputError(fmt::format("triangle {} of the mesh has no area", index));
  return area.normalized();
}

void check_indices(const TriangleMesh& mesh) {
  if (mesh.triangles.empty()) throw InputError("the mesh has no triangles");
  const int n = static_cast<int>(mesh.vertices.size());
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t)
    for (const int v : mesh.triangles[t])
      if (v < 0 || v >= n)
        throw InputError(
            fmt::format("triangle {} of the mesh names vertex {}; there are {}", t, v, n));
}

void connect(TriangleMesh& mesh) {
  std::map<std::pair<int, int>, std::pair<int, int>> edges;  // tail, head -> triangle, side
  for (int t = 0; t < static_cast<int>(mesh.triangles.size()); ++t) {
    for (int side = 0; side < 3; ++side) {
      const int tail = mesh.triangles[t][side], head = mesh.triangles[t][(side + 1) % 3];
      if (!edges.insert({{tail, head}, {t, side}}).second)
        throw InputError(
            fmt::format("the edge {}-{} of the mesh has two triangles on one side: it is "
                        "not a surface, or triangles are not oriented alike",
                        tail, head));
    }
  }
  mesh.opposite.assign(mesh.triangles.size(), {-1, -1, -1});
  for (const auto& [edge, place] : edges) {
    const auto other = edges.find({edge.second, edge.first});
    if (other == edges.end()) continue;
    const auto [t, side] = other->second;
    mesh.opposite[place.first][place.second] = mesh.triangles[t][(side + 2) % 3];
  }
}

void collect_stars(TriangleMesh& mesh) {
  std::vector<std::vector<int>> stars(mesh.vertices.size());
  for (const Triangle& triangle : mesh.triangles)
    for (int side = 0; side < 3; ++side) {
      const int a = triangle[side], b = triangle[(side + 1) % 3];
      stars[a].push_back(b);
      stars[b].push_back(a);
    }
  mesh.star_begin.push_back(0);
  for (std::vector<int>& star : stars) {
    std::sort(star.begin(), star.end());
    star.erase(std::unique(star.begin(), star.end()), star.end());
    mesh.star.insert(mesh.star.end(), star.begin(), star.end());
    mesh.star_begin.push_back(static_cast<int>(mesh.star.size()));
  }
}

}  // namespace

TriangleMesh::TriangleMesh(std::vector<Vector3> points, std::vector<Triangle> indices,
                           const TriangleMeshOptions& options)
    : vertices(std::move(points)),
      triangles(std::move(indices)),
      rounding(options.rounding),
      two_sided(options.two_sided) {
  shapes::require_not_negative(rounding, "rounding", "mesh");
  shapes::require_finite(vertices, "mesh");
  check_indices(*this);
  std::vector<BoundingBox> boxes(triangles.size());
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    normals.push_back(triangle_normal(*this, static_cast<int>(t)));
    for (const int v : triangles[t]) boxes[t].include(vertices[v]);
  }
  connect(*this);
  collect_stars(*this);
  tree = BoxTree(boxes);
}

bool TriangleMesh::is_closed() const {
  return std::all_of(opposite.begin(), opposite.end(), [](const auto& across) {
    return *std::min_element(across.begin(), across.end()) >= 0;
  });
}

HeightField::HeightField(int points_x, int points_y, double step_x, double step_y,
                         std::vector<double> values, double round)
    : nx(points_x),
      ny(points_y),
      dx(step_x),
      dy(step_y),
      heights(std::move(values)),
      rounding(round) {
  shapes::require_positive(dx, "dx", "height field");
  shapes::require_positive(dy, "dy", "height field");
  shapes::require_not_negative(rounding, "rounding", "height field");
  if (nx < 2 || ny < 2)
    throw InputError(fmt::format("the height field has {} x {} points; it needs 2 x 2", nx, ny));
  if (heights.size() != static_cast<std::size_t>(nx) * ny)
    throw InputError(fmt::format("the height field has {} heights; {} x {} points need {}",
                                 heights.size(), nx, ny, static_cast<std::size_t>(nx) * ny));
  for (std::size_t i = 0; i < heights.size(); ++i)
    if (!std::isfinite(heights[i]))
      throw InputError(fmt::format("height {} of the height field is {}", i, heights[i]));
  const auto [least, most] = std::minmax_element(heights.begin(), heights.end());
  lowest = *least;
  highest = *most;
}

}  // namespace clack
