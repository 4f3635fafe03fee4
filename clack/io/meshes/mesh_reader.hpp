// Triangle meshes from files: OBJ, STL, PLY (by Assimp).
#pragma once

#include <string>
#include <vector>

#include "clack/model/shapes/surface.hpp"

namespace clack {

struct MeshData {
  std::vector<Vector3> vertices;  // each place once
  std::vector<Triangle> triangles;
};

// Polygons are cut into triangles, vertices at one place are joined, triangles without area are
// left out; lengths are multiplied by `scale`. Throws IoError where the file cannot be read and
// InputError where it holds no triangles.
MeshData read_mesh(const std::string& path, double scale = 1);

// By a factor along each axis; those that mirror it turn its triangles round.
void scale_mesh(MeshData& mesh, const Vector3& factors);

}  // namespace clack
