// Convex hulls by Qhull, which merges facets that lie in one plane within round-off.
#include <fmt/format.h>
#include <libqhull_r/qhull_ra.h>

#include <Eigen/SVD>
#include <algorithm>
#include <cstdio>
#include <memory>

#include "clack/core/error.hpp"
#include "clack/model/shapes/checks.hpp"
#include "clack/model/shapes/flat_sided.hpp"

namespace clack {
namespace {

constexpr double kFlat = 1e-9;  // least thickness that has a volume, relative to the size

Vector3 mean(const std::vector<Vector3>& points) {
  Vector3 sum = Vector3::Zero();
  for (const Vector3& point : points) sum += point / static_cast<double>(points.size());
  return sum;
}

// Centred and scaled to unit size, so that Qhull's tolerances fit any size and any place.
std::vector<double> unit_coordinates(const std::vector<Vector3>& points) {
  const Vector3 centre = mean(points);
  double size = 0;
  for (const Vector3& point : points) size = std::max(size, (point - centre).cwiseAbs().maxCoeff());
  if (size == 0) throw InputError("all vertices of the polyhedron are one point");
  Matrix scaled(3, points.size());
  for (std::size_t i = 0; i < points.size(); ++i) scaled.col(i) = (points[i] - centre) / size;
  const Vector singular = Eigen::JacobiSVD<Matrix>(scaled).singularValues();
  if (singular.size() < 3 || singular[2] < kFlat * singular[0])
    throw InputError("the polyhedron has no volume: its vertices lie in one plane");
  return {scaled.data(), scaled.data() + scaled.size()};
}

struct QhullFree {
  void operator()(qhT* qh) const {
    qh_freeqhull(qh, qh_ALL);
    int current, total;
    qh_memfreeshort(qh, &current, &total);
    delete qh;
  }
};

std::vector<std::vector<int>> facet_loops(qhT* qh) {
  std::vector<std::vector<int>> loops;
  facetT* facet;
  FORALLfacets {
    setT* vertices = qh_facet3vertex(qh, facet);
    vertexT *vertex, **vertexp;
    std::vector<int> loop;
    FOREACHvertex_(vertices) loop.push_back(qh_pointid(qh, vertex->point));
    qh_settempfree(qh, &vertices);
    loops.push_back(std::move(loop));
  }
  return loops;
}

std::vector<std::vector<int>> compute_loops(std::vector<double>& coordinates) {
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> sink(std::fopen("/dev/null", "w"), std::fclose);
  std::unique_ptr<qhT, QhullFree> qh(new qhT);
  qh_zero(qh.get(), sink.get());
  char command[] = "qhull C-1e-12";  // faces bent by less than round-off of the input are one
  const int status = qh_new_qhull(qh.get(), 3, static_cast<int>(coordinates.size() / 3),
                                  coordinates.data(), False, command, sink.get(), sink.get());
  if (status != 0)
    throw InputError(fmt::format("the polyhedron has no hull (Qhull's error {})", status));
  return facet_loops(qh.get());
}

// Numbers the vertices that the faces use from 0, in the order given.
std::vector<Vector3> used_vertices(const std::vector<Vector3>& points,
                                   std::vector<std::vector<int>>& loops) {
  std::vector<int> number(points.size(), -1);
  for (const auto& loop : loops)
    for (const int v : loop) number[v] = 0;
  std::vector<Vector3> vertices;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (number[i] < 0) continue;
    number[i] = static_cast<int>(vertices.size());
    vertices.push_back(points[i]);
  }
  for (auto& loop : loops)
    for (int& v : loop) v = number[v];
  return vertices;
}

}  // namespace

Polytope make_hull(const std::vector<Vector3>& points) {
  shapes::require_finite(points, "polyhedron");
  if (points.size() < 4)
    throw InputError(
        fmt::format("the polyhedron has {} vertices; it needs at least 4", points.size()));
  std::vector<double> coordinates = unit_coordinates(points);
  std::vector<std::vector<int>> loops = compute_loops(coordinates);
  std::vector<Vector3> vertices = used_vertices(points, loops);
  const Vector3 inside = mean(vertices);
  for (auto& loop : loops)  // Qhull's order may be either
    if (area_vector(vertices, loop).dot(inside - vertices[loop[0]]) > 0)
      std::reverse(loop.begin(), loop.end());
  return make_polytope(std::move(vertices), loops);
}

}  // namespace clack
