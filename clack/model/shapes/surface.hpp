// Surfaces made of triangles: meshes and terrain.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "clack/model/shapes/box_tree.hpp"

namespace clack {

using Triangle = std::array<int, 3>;

struct TriangleMeshOptions {
  double rounding = 0;     // contact radius [m]
  bool two_sided = false;  // contact from both sides; otherwise from the side of the normals
};

// Triangles over shared vertices, anticlockwise seen from outside. Border edges are allowed; an
// edge of three triangles is not.
struct TriangleMesh {
  TriangleMesh(std::vector<Vector3> vertices, std::vector<Triangle> triangles,
               const TriangleMeshOptions& options = {});

  bool is_closed() const;

  std::vector<Vector3> vertices;
  std::vector<Triangle> triangles;
  double rounding;
  bool two_sided;
  std::vector<Vector3> normals;              // unit, one a triangle
  std::vector<std::array<int, 3>> opposite;  // across the edge i, i+1: the neighbour's third
                                             // vertex; -1 at a border
  std::vector<int> star_begin, star;         // vertices that share an edge with vertex i
  BoxTree tree;
};

// Ground below z = height(x, y) on a grid of points: x = i dx, y = j dy from the corner at the
// origin of its frame. Each cell is two triangles, split from (i, j) to (i + 1, j + 1).
struct HeightField {
  HeightField(int nx, int ny, double dx, double dy, std::vector<double> heights,
              double rounding = 0);

  Vector3 vertex(int i, int j) const {
    return {i * dx, j * dy, heights[static_cast<std::size_t>(j) * nx + i]};
  }

  int nx, ny;                   // points
  double dx, dy;                // [m]
  std::vector<double> heights;  // heights[j nx + i] [m]
  double rounding;              // [m]
  double lowest, highest;
};

}  // namespace clack
