#include "clack/collide/narrow/collide.hpp"

#include <array>

#include "clack/collide/narrow/pairs.hpp"

namespace clack {
namespace narrow {
namespace {

using Table = std::array<std::array<PairFunction, kShapeKinds>, kShapeKinds>;
using enum ShapeKind;

constexpr int at(ShapeKind kind) { return static_cast<int>(kind); }

// Entries above and below the diagonal: the one that is missing is its mirror with A and B
// exchanged.
constexpr Table make_table() {
  Table t{};
  constexpr ShapeKind kSolids[] = {capsule, cylinder, cone, box, polyhedron};
  constexpr ShapeKind kPlanar[] = {disc, planar_capsule, polygon, segment};
  for (const ShapeKind a : kSolids) {
    for (const ShapeKind b : kSolids) t[at(a)][at(b)] = convex_convex;
    t[at(plane)][at(a)] = plane_convex;
    t[at(mesh)][at(a)] = mesh_convex;
    t[at(height_field)][at(a)] = height_field_convex;
  }
  for (const ShapeKind a : kPlanar) {
    for (const ShapeKind b : kPlanar) t[at(a)][at(b)] = planar_planar;
    t[at(line)][at(a)] = line_planar;
  }
  t[at(sphere)][at(sphere)] = sphere_sphere;
  t[at(sphere)][at(capsule)] = sphere_capsule;
  t[at(capsule)][at(capsule)] = capsule_capsule;
  t[at(box)][at(sphere)] = box_sphere;
  t[at(cylinder)][at(sphere)] = cylinder_sphere;
  t[at(cone)][at(sphere)] = cone_sphere;
  t[at(polyhedron)][at(sphere)] = convex_convex;
  t[at(box)][at(box)] = box_box;
  t[at(plane)][at(sphere)] = plane_sphere;
  t[at(plane)][at(mesh)] = plane_mesh;
  t[at(mesh)][at(sphere)] = mesh_convex;
  t[at(mesh)][at(mesh)] = mesh_mesh;
  t[at(height_field)][at(sphere)] = height_field_convex;
  t[at(height_field)][at(mesh)] = height_field_mesh;
  for (int k = 0; k < kShapeKinds; ++k) {
    t[at(tube)][k] = t[at(socket)][k] = t[at(ring)][k] = hollow_any;
    t[k][at(compound)] = any_compound;
    t[at(compound)][k] = compound_any;
  }
  return t;
}

constexpr Table kTable = make_table();

}  // namespace

void dispatch(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b,
              const Output& output) {
  if (const PairFunction pair = kTable[at(a.kind())][at(b.kind())]) {
    pair(a, pose_a, b, pose_b, output);
  } else if (const PairFunction mirror = kTable[at(b.kind())][at(a.kind())]) {
    mirror(b, pose_b, a, pose_a,
           {pose_b, output.margin, output.manifold, !output.swapped, output.prefix});
  }
}

void compound_any(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b,
                  const Output& output) {
  const BoundingBox other = bounds(b, pose_b).grown(output.margin);
  const std::vector<CompoundPart>& parts = a.as<Compound>().parts;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const Pose pose = pose_a * parts[i].pose;
    if (!bounds(*parts[i].shape, pose).overlaps(other)) continue;
    dispatch(*parts[i].shape, pose, b, pose_b,
             {pose, output.margin, output.manifold, output.swapped, mix(output.prefix, i + 1)});
  }
}

void any_compound(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b,
                  const Output& output) {
  compound_any(b, pose_b, a, pose_a,
               {pose_b, output.margin, output.manifold, !output.swapped, output.prefix});
}

}  // namespace narrow

void collide(const Shape& shape_a, const Pose& pose_a, const Shape& shape_b, const Pose& pose_b,
             double margin, Manifold& manifold) {
  manifold.points.clear();
  if (shape_a.kind() == ShapeKind::sphere && shape_b.kind() == ShapeKind::sphere)  // most pairs
    return narrow::sphere_sphere(shape_a, pose_a, shape_b, pose_b, {pose_a, margin, manifold});
  narrow::dispatch(shape_a, pose_a, shape_b, pose_b, {pose_a, margin, manifold});
}

}  // namespace clack
