#include "clack/model/shapes/polytope.hpp"

#include <algorithm>
#include <map>

namespace clack {

Vector3 area_vector(std::span<const Vector3> vertices, std::span<const int> loop) {
  const Vector3& origin = vertices[loop[0]];
  Vector3 sum = Vector3::Zero();
  for (std::size_t i = 1; i + 1 < loop.size(); ++i)
    sum += (vertices[loop[i]] - origin).cross(vertices[loop[i + 1]] - origin);
  return sum;
}

namespace {

void add_face(Polytope& polytope, const std::vector<int>& loop) {
  PolytopeFace face;
  face.normal = area_vector(polytope.vertices, loop).normalized();
  face.offset = 0;
  for (const int v : loop) face.offset += face.normal.dot(polytope.vertices[v]) / loop.size();
  face.begin = static_cast<int>(polytope.loops.size());
  polytope.loops.insert(polytope.loops.end(), loop.begin(), loop.end());
  face.end = static_cast<int>(polytope.loops.size());
  polytope.faces.push_back(face);
}

// The edge tail-head is met twice, in opposite directions: by the face `from`, then by the face
// `to`.
void add_arcs(Polytope& polytope) {
  std::map<std::pair<int, int>, int> face_of;
  for (int f = 0; f < static_cast<int>(polytope.faces.size()); ++f) {
    const PolytopeFace& face = polytope.faces[f];
    for (int i = face.begin; i < face.end; ++i) {
      const int tail = polytope.loops[i];
      const int head = polytope.loops[i + 1 == face.end ? face.begin : i + 1];
      face_of[{tail, head}] = f;
      const auto other = face_of.find({head, tail});
      if (other == face_of.end()) continue;
      const Vector3 edge = polytope.vertices[head] - polytope.vertices[tail];
      polytope.arcs.push_back(
          {tail, head, edge.normalized(), face.normal, polytope.faces[other->second].normal});
    }
  }
}

void add_neighbours(Polytope& polytope) {
  const int n = static_cast<int>(polytope.vertices.size());
  polytope.neighbour_begin.assign(n + 1, 0);
  for (const PolytopeArc& arc : polytope.arcs) {
    ++polytope.neighbour_begin[arc.tail + 1];
    ++polytope.neighbour_begin[arc.head + 1];
  }
  for (int i = 0; i < n; ++i) polytope.neighbour_begin[i + 1] += polytope.neighbour_begin[i];
  polytope.neighbours.resize(polytope.neighbour_begin[n]);
  std::vector<int> next(polytope.neighbour_begin.begin(), polytope.neighbour_begin.end() - 1);
  for (const PolytopeArc& arc : polytope.arcs) {
    polytope.neighbours[next[arc.tail]++] = arc.head;
    polytope.neighbours[next[arc.head]++] = arc.tail;
  }
}

}  // namespace

Polytope make_polytope(std::vector<Vector3> vertices, const std::vector<std::vector<int>>& loops) {
  Polytope polytope;
  polytope.vertices = std::move(vertices);
  for (const std::vector<int>& loop : loops) add_face(polytope, loop);
  add_arcs(polytope);
  add_neighbours(polytope);
  return polytope;
}

Polytope make_box_polytope(const Vector3& half) {
  std::vector<Vector3> corners;
  for (int i = 0; i < 8; ++i)
    corners.emplace_back(i & 1 ? half.x() : -half.x(), i & 2 ? half.y() : -half.y(),
                         i & 4 ? half.z() : -half.z());
  return make_polytope(
      std::move(corners),
      {{1, 3, 7, 5}, {0, 4, 6, 2}, {2, 6, 7, 3}, {0, 1, 5, 4}, {4, 5, 7, 6}, {0, 2, 3, 1}});
}

Polytope make_segment_polytope(double half_length) {
  Polytope segment;
  segment.vertices = {Vector3(0, 0, -half_length), Vector3(0, 0, half_length)};
  const Vector3 around[] = {Vector3::UnitX(), Vector3::UnitY(), -Vector3::UnitX(),
                            -Vector3::UnitY()};
  for (int i = 0; i < 4; ++i)
    segment.arcs.push_back({0, 1, Vector3::UnitZ(), around[i], around[(i + 1) % 4]});
  return segment;
}

Polytope make_point_polytope() {
  Polytope point;
  point.vertices = {Vector3::Zero()};
  return point;
}

}  // namespace clack
