// Meshes and height fields by those of their triangles that are near the other body.
#include <algorithm>
#include <cmath>

#include "clack/collide/narrow/triangles.hpp"

namespace clack::narrow {
namespace {

constexpr double kFlat = 1e-9;  // sine of an angle below which an edge is flat

bool not_in_front(const Vector3& point, const Vector3& on_plane, const Vector3& normal) {
  const Vector3 out = point - on_plane;
  return normal.dot(out) <= kFlat * out.norm();
}

class MeshNeighbours final : public Neighbours {
 public:
  explicit MeshNeighbours(const TriangleMesh& mesh) : mesh_(mesh) {}

  bool edge_allows(const SurfaceTriangle& t, int side, const Vector3& normal) const override {
    const int across = mesh_.opposite[t.id][side];
    return across < 0 || not_in_front(mesh_.vertices[across], t.corner[side], normal);
  }
  bool vertex_allows(const SurfaceTriangle& t, int corner, const Vector3& normal) const override {
    for (int k = mesh_.star_begin[t.vertex[corner]]; k < mesh_.star_begin[t.vertex[corner] + 1];
         ++k)
      if (!not_in_front(mesh_.vertices[mesh_.star[k]], t.corner[corner], normal)) return false;
    return true;
  }

 private:
  const TriangleMesh& mesh_;
};

class HeightNeighbours final : public Neighbours {
 public:
  explicit HeightNeighbours(const HeightField& field) : field_(field) {}

  // The vertex across is the fourth corner of the parallelogram about the middle of the side.
  bool edge_allows(const SurfaceTriangle& t, int side, const Vector3& normal) const override {
    const int a = t.vertex[side], b = t.vertex[(side + 1) % 3], c = t.vertex[(side + 2) % 3];
    const int i = a % field_.nx + b % field_.nx - c % field_.nx;
    const int j = a / field_.nx + b / field_.nx - c / field_.nx;
    return !inside(i, j) || not_in_front(field_.vertex(i, j), t.corner[side], normal);
  }
  bool vertex_allows(const SurfaceTriangle& t, int corner, const Vector3& normal) const override {
    static constexpr int kAround[6][2] = {{1, 0}, {1, 1}, {0, 1}, {-1, 0}, {-1, -1}, {0, -1}};
    const int i = t.vertex[corner] % field_.nx, j = t.vertex[corner] / field_.nx;
    for (const auto& [di, dj] : kAround)
      if (inside(i + di, j + dj) &&
          !not_in_front(field_.vertex(i + di, j + dj), t.corner[corner], normal))
        return false;
    return true;
  }

 private:
  bool inside(int i, int j) const { return i >= 0 && j >= 0 && i < field_.nx && j < field_.ny; }
  const HeightField& field_;
};

SurfaceTriangle mesh_triangle(const TriangleMesh& mesh, int id) {
  const Triangle& t = mesh.triangles[id];
  return {{mesh.vertices[t[0]], mesh.vertices[t[1]], mesh.vertices[t[2]]}, t, mesh.normals[id], id};
}

// Half `upper` of the cell (i, j).
SurfaceTriangle field_triangle(const HeightField& field, int i, int j, bool upper) {
  const int v = j * field.nx + i, across = v + field.nx + 1;
  SurfaceTriangle t;
  t.vertex =
      upper ? std::array<int, 3>{v, across, v + field.nx} : std::array<int, 3>{v, v + 1, across};
  for (int k = 0; k < 3; ++k)
    t.corner[k] = field.vertex(t.vertex[k] % field.nx, t.vertex[k] / field.nx);
  t.normal = (t.corner[1] - t.corner[0]).cross(t.corner[2] - t.corner[0]).normalized();
  t.id = 2 * v + upper;
  return t;
}

// A body with a convex core near a surface; `box` is around it in the frame of the surface.
struct NearBody {
  const Convex& body;
  const Pose& pose;
  BoundingBox box;
  const Output& output;
};

void collide_mesh(const TriangleMesh& mesh, const NearBody& near) {
  const MeshNeighbours neighbours(mesh);
  const Sides sides = mesh.two_sided ? Sides::both : Sides::front;
  mesh.tree.query(near.box.grown(near.output.margin + mesh.rounding), [&](int id) {
    const SurfaceTriangle triangle = mesh_triangle(mesh, id);
    SurfaceContact{triangle, neighbours, near.body, near.pose, mesh.rounding, sides, near.output}
        .add();
  });
}

int cell(double x, double step, int points) {
  return std::clamp(static_cast<int>(std::floor(std::clamp(x / step, -1.0, points + 1.0))), 0,
                    points - 2);
}

void collide_field(const HeightField& field, const NearBody& near) {
  const HeightNeighbours neighbours(field);
  const BoundingBox box = near.box.grown(near.output.margin + field.rounding);
  if (box.lower.z() > field.highest || box.upper.x() < 0 || box.upper.y() < 0 ||
      box.lower.x() > (field.nx - 1) * field.dx || box.lower.y() > (field.ny - 1) * field.dy)
    return;
  const int last_i = cell(box.upper.x(), field.dx, field.nx);
  const int last_j = cell(box.upper.y(), field.dy, field.ny);
  for (int j = cell(box.lower.y(), field.dy, field.ny); j <= last_j; ++j) {
    for (int i = cell(box.lower.x(), field.dx, field.nx); i <= last_i; ++i) {
      for (const bool upper : {false, true}) {
        const SurfaceTriangle t = field_triangle(field, i, j, upper);
        if (std::max({t.corner[0].z(), t.corner[1].z(), t.corner[2].z()}) < box.lower.z()) continue;
        SurfaceContact{t,          neighbours, near.body, near.pose, field.rounding, Sides::solid,
                       near.output}
            .add();
      }
    }
  }
}

template <class Surface, class Collide>
void surface_convex(const Surface& surface, const Pose& pose_a, const Shape& b, const Pose& pose_b,
                    const Output& output, Collide&& collide) {
  const Pose pose = pose_a.relative(pose_b);
  const Convex body = make_convex(b);
  const std::size_t first = output.manifold.points.size();
  collide(surface, NearBody{body, pose, bounds(b, pose), output});
  tidy(output.manifold.points, first, 1e-9 * (body.size + body.rounding));
}

// Each triangle of B as a body of its own.
template <class Surface, class Collide>
void surface_mesh(const Surface& surface, const Shape& a, const Pose& pose_a, const Shape& b,
                  const Pose& pose_b, const Output& output, Collide&& collide) {
  const Pose pose = pose_a.relative(pose_b);
  const TriangleMesh& mesh = b.as<TriangleMesh>();
  const BoundingBox seen = a.bounds().grown(output.margin + mesh.rounding).moved(pose.inverse());
  const std::size_t first = output.manifold.points.size();
  double size = 0;
  mesh.tree.query(seen, [&](int id) {
    const SurfaceTriangle triangle = mesh_triangle(mesh, id);
    const TriangleCore core(triangle.corner, triangle.normal);
    const Convex body(core.view(), mesh.rounding);
    BoundingBox box;
    for (const Vector3& corner : triangle.corner) box.include(pose * corner);
    Output named = output;
    named.prefix = mix(output.prefix, id + 1);
    collide(surface, NearBody{body, pose, box.grown(mesh.rounding), named});
    size = std::max(size, (triangle.corner[1] - triangle.corner[0]).norm());
  });
  tidy(output.manifold.points, first, 1e-9 * size);
}

}  // namespace

void mesh_convex(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b,
                 const Output& output) {
  surface_convex(a.as<TriangleMesh>(), pose_a, b, pose_b, output, collide_mesh);
}

void height_field_convex(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b,
                         const Output& output) {
  surface_convex(a.as<HeightField>(), pose_a, b, pose_b, output, collide_field);
}

void mesh_mesh(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b,
               const Output& output) {
  surface_mesh(a.as<TriangleMesh>(), a, pose_a, b, pose_b, output, collide_mesh);
}

void height_field_mesh(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b,
                       const Output& output) {
  surface_mesh(a.as<HeightField>(), a, pose_a, b, pose_b, output, collide_field);
}

}  // namespace clack::narrow
