#include "clack/io/meshes/mesh_reader.hpp"

#include <assimp/postprocess.h>
#include <assimp/scene.h>
#include <fmt/format.h>

#include <assimp/Importer.hpp>
#include <filesystem>
#include <map>

#include "clack/core/error.hpp"

namespace clack {
namespace {

void check_path(const std::string& path, double scale) {
  if (!std::filesystem::is_regular_file(path))
    throw IoError(fmt::format("{}: there is no such mesh file", path));
  std::string extension = std::filesystem::path(path).extension().string();
  for (char& c : extension) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (extension != ".obj" && extension != ".stl" && extension != ".ply")
    throw InputError(fmt::format("{}: mesh files are .obj, .stl or .ply", path));
  if (!(scale > 0) || !std::isfinite(scale))
    throw InputError(fmt::format("{}: scale is {}; it must be finite and > 0", path, scale));
}

// Joins vertices at exactly one place: STL files repeat them for every triangle.
class Joiner {
 public:
  explicit Joiner(MeshData& mesh) : mesh_(mesh) {}
  int number(const Vector3& place) {
    const auto [entry, is_new] = numbers_.insert(
        {{place.x(), place.y(), place.z()}, static_cast<int>(mesh_.vertices.size())});
    if (is_new) mesh_.vertices.push_back(place);
    return entry->second;
  }

 private:
  MeshData& mesh_;
  std::map<std::array<double, 3>, int> numbers_;
};

bool has_area(const MeshData& mesh, const Triangle& t) {
  const Vector3 a = mesh.vertices[t[1]] - mesh.vertices[t[0]];
  const Vector3 b = mesh.vertices[t[2]] - mesh.vertices[t[0]];
  return a.cross(b).norm() > 1e-10 * std::max(a.squaredNorm(), b.squaredNorm());
}

void append(const aiMesh& part, double scale, Joiner& joiner, MeshData& mesh) {
  auto place = [&](unsigned i) {
    const aiVector3D& v = part.mVertices[i];
    return Vector3(scale * v.x, scale * v.y, scale * v.z);
  };
  for (unsigned f = 0; f < part.mNumFaces; ++f) {
    const aiFace& face = part.mFaces[f];
    if (face.mNumIndices != 3) continue;
    Triangle triangle;
    for (int k = 0; k < 3; ++k) triangle[k] = joiner.number(place(face.mIndices[k]));
    if (has_area(mesh, triangle)) mesh.triangles.push_back(triangle);
  }
}

}  // namespace

MeshData read_mesh(const std::string& path, double scale) {
  check_path(path, scale);
  Assimp::Importer importer;
  const aiScene* scene =
      importer.ReadFile(path, aiProcess_Triangulate | aiProcess_PreTransformVertices);
  if (scene == nullptr) throw IoError(fmt::format("{}: {}", path, importer.GetErrorString()));
  MeshData mesh;
  Joiner joiner(mesh);
  for (unsigned i = 0; i < scene->mNumMeshes; ++i) append(*scene->mMeshes[i], scale, joiner, mesh);
  if (mesh.triangles.empty())
    throw InputError(fmt::format("{}: the file holds no triangles", path));
  return mesh;
}

void scale_mesh(MeshData& mesh, const Vector3& factors) {
  for (Vector3& x : mesh.vertices) x = x.cwiseProduct(factors);
  if (factors.prod() > 0) return;
  for (Triangle& t : mesh.triangles) std::swap(t[1], t[2]);
}

}  // namespace clack
