// A convex polyhedron that is cut by planes: vertices and the loops of its faces.
#pragma once

#include <vector>

#include "clack/model/samples/sample.hpp"

namespace clack::samples {

struct HalfSpace {
  Vector3 normal = Vector3::UnitZ();  // unit
  double offset = 0;                  // inside: normal . x <= offset [m]
};

// Vertices nearer than `tolerance` to a cutting plane count as on it, which keeps the faces
// consistent under round-off: signs belong to vertices, and each edge is cut once for both of its
// faces, at the same point for both sides of a plane.
class ConvexCell {
 public:
  explicit ConvexCell(const BoundingBox& box);

  // Keeps what is inside the half space.
  void cut(const HalfSpace& half_space, double tolerance);

  bool is_empty() const { return loops_.empty(); }
  const std::vector<Vector3>& vertices() const { return vertices_; }
  double volume() const;                             // [m^3]
  Vector3 centroid() const;                          // [m]
  double thickness() const;                          // volume over the greatest face [m]
  double greatest_distance(const Vector3& x) const;  // of a vertex from x [m]

 private:
  int cut_edge(int tail, int head);
  std::vector<int> cut_loop(const std::vector<int>& loop);
  void close();
  void compact();

  std::vector<Vector3> vertices_;
  std::vector<std::vector<int>> loops_;  // anticlockwise from outside

  // of the cut under way
  std::vector<double> height_;                              // over the plane, 0 on it
  std::vector<std::pair<std::pair<int, int>, int>> edges_;  // cut: their ends and the new vertex
};

// A polyhedron or, in the plane, the polygon of the cross-section z = 0 of a prism along z. Its
// frame is at the centroid.
SampleBody make_cell_body(const ConvexCell& cell, int dim, std::string suffix);

// The box of a cell: in the plane a prism of unit height about z = 0.
BoundingBox prism_box(const BoundingBox& box, int dim);

}  // namespace clack::samples
