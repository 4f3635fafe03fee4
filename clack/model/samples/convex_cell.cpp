#include "clack/model/samples/convex_cell.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <map>
#include <stdexcept>

namespace clack::samples {

ConvexCell::ConvexCell(const BoundingBox& box) {
  for (int i = 0; i < 8; ++i)
    vertices_.emplace_back((i & 1 ? box.upper : box.lower).x(), (i & 2 ? box.upper : box.lower).y(),
                           (i & 4 ? box.upper : box.lower).z());
  loops_ = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
}

void ConvexCell::cut(const HalfSpace& half_space, double tolerance) {
  height_.clear();
  edges_.clear();
  bool above = false, below = false;
  for (const Vector3& vertex : vertices_) {
    const double height = half_space.normal.dot(vertex) - half_space.offset;
    height_.push_back(std::abs(height) <= tolerance ? 0 : height);
    above |= height > tolerance;
    below |= height < -tolerance;
  }
  if (!above) return;
  if (!below) {
    loops_.clear();
    vertices_.clear();
    return;
  }
  std::vector<std::vector<int>> kept;
  for (const std::vector<int>& loop : loops_) {
    std::vector<int> part = cut_loop(loop);
    const bool flat = std::all_of(part.begin(), part.end(), [&](int v) { return height_[v] == 0; });
    if (part.size() >= 3 && !flat) kept.push_back(std::move(part));
  }
  loops_ = std::move(kept);
  close();
  compact();
}

// The vertex where an edge passes the plane, the same for both of its faces.
int ConvexCell::cut_edge(int tail, int head) {
  const std::pair<int, int> key = std::minmax(tail, head);
  for (const auto& [edge, vertex] : edges_)
    if (edge == key) return vertex;
  const double a = height_[key.first], b = height_[key.second];
  const int vertex = static_cast<int>(vertices_.size());
  vertices_.push_back((vertices_[key.first] * b - vertices_[key.second] * a) / (b - a));
  height_.push_back(0);
  edges_.push_back({key, vertex});
  return vertex;
}

std::vector<int> ConvexCell::cut_loop(const std::vector<int>& loop) {
  std::vector<int> part;
  for (std::size_t i = 0; i < loop.size(); ++i) {
    const int tail = loop[i], head = loop[(i + 1) % loop.size()];
    if (height_[tail] <= 0) part.push_back(tail);
    if (height_[tail] * height_[head] < 0) part.push_back(cut_edge(tail, head));
  }
  return part;
}

// The new face: its edges are those of the others that lie in the plane, the other way round.
void ConvexCell::close() {
  std::map<int, int> next;
  for (const std::vector<int>& loop : loops_)
    for (std::size_t i = 0; i < loop.size(); ++i) {
      const int tail = loop[i], head = loop[(i + 1) % loop.size()];
      if (height_[tail] == 0 && height_[head] == 0) next[head] = tail;
    }
  std::vector<int> cap;
  int vertex = next.begin()->first;
  do {
    cap.push_back(vertex);
    const auto step = next.find(vertex);
    if (step == next.end() || cap.size() > next.size())
      throw std::logic_error("the cut of a convex cell is no closed loop");
    vertex = step->second;
  } while (vertex != cap[0]);
  loops_.push_back(std::move(cap));
}

void ConvexCell::compact() {
  std::vector<int> number(vertices_.size(), -1);
  std::vector<Vector3> used;
  for (std::vector<int>& loop : loops_)
    for (int& v : loop) {
      if (number[v] < 0) {
        number[v] = static_cast<int>(used.size());
        used.push_back(vertices_[v]);
      }
      v = number[v];
    }
  vertices_ = std::move(used);
}

double ConvexCell::volume() const {
  if (is_empty()) return 0;
  double sum = 0;
  for (const std::vector<int>& loop : loops_)
    sum += area_vector(vertices_, loop).dot(vertices_[loop[0]] - vertices_[0]);
  return sum / 6;  // the area vector is twice as long as the area
}

Vector3 ConvexCell::centroid() const {
  const Vector3 apex = vertices_[0];
  Vector3 moment = Vector3::Zero();
  double six_volumes = 0;
  for (const std::vector<int>& loop : loops_)
    for (std::size_t i = 1; i + 1 < loop.size(); ++i) {
      const Vector3 a = vertices_[loop[0]] - apex, b = vertices_[loop[i]] - apex,
                    c = vertices_[loop[i + 1]] - apex;
      const double part = a.cross(b).dot(c);
      moment += 0.25 * part * (a + b + c);
      six_volumes += part;
    }
  return apex + moment / six_volumes;
}

double ConvexCell::thickness() const {
  double greatest = 0;
  for (const std::vector<int>& loop : loops_)
    greatest = std::max(greatest, 0.5 * area_vector(vertices_, loop).norm());
  return greatest > 0 ? volume() / greatest : 0;
}

double ConvexCell::greatest_distance(const Vector3& x) const {
  double square = 0;
  for (const Vector3& vertex : vertices_) square = std::max(square, (vertex - x).squaredNorm());
  return std::sqrt(square);
}

SampleBody make_cell_body(const ConvexCell& cell, int dim, std::string suffix) {
  const Vector3 centre = cell.centroid();
  if (dim == 3) {
    std::vector<Vector3> points;
    for (const Vector3& vertex : cell.vertices()) points.push_back(vertex - centre);
    return {make_shape(Polyhedron(points)), {centre}, std::move(suffix)};
  }
  std::vector<Vector2> corners;
  for (const Vector3& vertex : cell.vertices())
    if (vertex.z() > 0) corners.push_back((vertex - centre).head<2>());
  return {make_shape(Polygon(corners)), planar_pose(centre.x(), centre.y(), 0), std::move(suffix)};
}

BoundingBox prism_box(const BoundingBox& box, int dim) {
  BoundingBox result = box;
  if (dim == 2) {
    result.lower.z() = -0.5;
    result.upper.z() = 0.5;
  }
  return result;
}

}  // namespace clack::samples
