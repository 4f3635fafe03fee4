// Vertices, faces and edges of a convex polytope: what the narrow phase reads. A polytope may be
// flat (a triangle), a segment or a point; then it has fewer faces or none.
#pragma once

#include <span>
#include <vector>

#include "clack/model/pose.hpp"

namespace clack {

struct PolytopeFace {
  Vector3 normal;  // unit, outward
  double offset;   // normal . x = offset on the face [m]
  int begin, end;  // its vertices: loops[begin] to loops[end - 1], anticlockwise from outside
};

// The normals that support an edge lie on an arc of the unit sphere from one face's normal to the
// other's. Every arc is shorter than pi: an edge of a flat polytope has two, a segment four.
struct PolytopeArc {
  int tail, head;     // vertices of the edge
  Vector3 direction;  // unit, tail to head
  Vector3 from, to;   // ends of the arc, unit, perpendicular to `direction`
};

struct PolytopeView {
  std::span<const Vector3> vertices;
  std::span<const PolytopeFace> faces;
  std::span<const int> loops;
  std::span<const PolytopeArc> arcs;
  std::span<const int> neighbour_begin;  // empty: search for supports over all vertices
  std::span<const int> neighbours;
};

struct Polytope {
  std::vector<Vector3> vertices;
  std::vector<PolytopeFace> faces;
  std::vector<int> loops;
  std::vector<PolytopeArc> arcs;
  std::vector<int> neighbour_begin;  // neighbours of vertex i: neighbour_begin[i] to [i + 1]
  std::vector<int> neighbours;

  PolytopeView view() const { return {vertices, faces, loops, arcs, neighbour_begin, neighbours}; }
};

// From vertices and the loops of the faces (anticlockwise from outside): planes, edges, neighbours.
Polytope make_polytope(std::vector<Vector3> vertices, const std::vector<std::vector<int>>& loops);
Polytope make_box_polytope(const Vector3& half);
Polytope make_segment_polytope(double half_length);  // along z
Polytope make_point_polytope();

// Newell's normal of a loop, twice the area long: exact for a flat face, the mean for one that is
// bent by round-off.
Vector3 area_vector(std::span<const Vector3> vertices, std::span<const int> loop);

}  // namespace clack
