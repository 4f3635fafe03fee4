// Meshes are read from OBJ, STL and PLY with the same result.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "clack/core/error.hpp"
#include "clack/io/meshes/mesh_reader.hpp"
#include "clack/model/shapes/mass.hpp"

namespace clack {
namespace {

std::string write(const std::string& name, const std::string& text) {
  const std::string path = ::testing::TempDir() + "/clack_mesh_" + name;
  std::ofstream(path) << text;
  return path;
}

// A tetrahedron with the corners 0, x, y, z: volume 1/6, centre 1/4.
const char* const kObj = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
const char* const kPly =
    "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float "
    "z\n"
    "element face 4\nproperty list uchar int vertex_indices\nend_header\n"
    "0 0 0\n1 0 0\n0 1 0\n0 0 1\n3 0 2 1\n3 0 1 3\n3 0 3 2\n3 1 2 3\n";

std::string stl() {
  const int corner[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  const int face[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
  std::string text = "solid t\n";
  for (const auto& f : face) {
    text += "facet normal 0 0 0\nouter loop\n";
    for (const int v : f)
      text += "vertex " + std::to_string(corner[v][0]) + " " + std::to_string(corner[v][1]) + " " +
              std::to_string(corner[v][2]) + "\n";
    text += "endloop\nendfacet\n";
  }
  return text + "endsolid t\n";
}

TEST(Meshes, AreReadFromAllFormatsAlike) {
  for (const std::string& path :
       {write("t.obj", kObj), write("t.ply", kPly), write("t.stl", stl())}) {
    const MeshData data = read_mesh(path, 2);
    EXPECT_EQ(data.vertices.size(), 4u) << path;
    EXPECT_EQ(data.triangles.size(), 4u) << path;
    const MassProperties mass = compute_mass(Shape(TriangleMesh(data.vertices, data.triangles)), 3);
    EXPECT_NEAR(mass.mass, 3 * 8.0 / 6, 1e-14) << path;
    EXPECT_LT((mass.centre - Vector3::Constant(0.5)).norm(), 1e-14) << path;
  }
}

TEST(Meshes, QuadrilateralsAreCutIntoTriangles) {
  const MeshData data =
      read_mesh(write("q.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n"));
  EXPECT_EQ(data.triangles.size(), 2u);
}

TEST(Meshes, FilesThatAreNoneAreRefused) {
  EXPECT_THROW(read_mesh("/nowhere/at/all.obj"), IoError);
  EXPECT_THROW(read_mesh(write("t.txt", kObj)), InputError);
  EXPECT_THROW(read_mesh(write("t.obj", kObj), -1), InputError);
  EXPECT_THROW(read_mesh(write("broken.stl", "\0\1\2")), std::runtime_error);
  EXPECT_THROW(read_mesh(write("empty.obj", "# nothing\n")), std::runtime_error);
}

}  // namespace
}  // namespace clack
