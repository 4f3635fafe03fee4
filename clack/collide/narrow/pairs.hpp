// The pairs of the narrow phase. All append to output.manifold; the frame of `output` is that of A.
#pragma once

#include "clack/collide/narrow/patches.hpp"

namespace clack::narrow {

using PairFunction = void (*)(const Shape& a, const Pose& pose_a, const Shape& b,
                              const Pose& pose_b, const Output& output);

// Closed formulas.
void sphere_sphere(const Shape&, const Pose&, const Shape&, const Pose&, const Output&);
void sphere_capsule(const Shape&, const Pose&, const Shape&, const Pose&, const Output&);
void capsule_capsule(const Shape&, const Pose&, const Shape&, const Pose&, const Output&);
void box_sphere(const Shape&, const Pose&, const Shape&, const Pose&, const Output&);
void cylinder_sphere(const Shape&, const Pose&, const Shape&, const Pose&, const Output&);
void cone_sphere(const Shape&, const Pose&, const Shape&, const Pose&, const Output&);
void plane_sphere(const Shape&, const Pose&, const Shape&, const Pose&, const Output&);
void plane_convex(const Shape&, const Pose&, const Shape&, const Pose&, const Output&);
void plane_mesh(const Shape&, const Pose&, const Shape&, const Pose&, const Output&);

// Convex bodies.
void box_box(const Shape&, const Pose&, const Shape&, const Pose&, const Output&);
void convex_convex(const Shape&, const Pose&, const Shape&, const Pose&, const Output&);
void collide_cores(const Convex& a, const Convex& b, const Pose& b_in_a, const Output& output);
// Normal and separation of two cores; false where they are farther apart than `limit`.
bool separate(const Difference& difference, double limit, Separation& separation);

// Two nearest points of the lines through edges that are not parallel.
void nearest_on_lines(const Vector3& a, const Vector3& along_a, const Vector3& b,
                      const Vector3& along_b, Vector3& on_a, Vector3& on_b);

// Surfaces of triangles against anything with a convex core, and against each other.
void mesh_convex(const Shape&, const Pose&, const Shape&, const Pose&, const Output&);
void mesh_mesh(const Shape&, const Pose&, const Shape&, const Pose&, const Output&);
void height_field_convex(const Shape&, const Pose&, const Shape&, const Pose&, const Output&);
void height_field_mesh(const Shape&, const Pose&, const Shape&, const Pose&, const Output&);

// Shapes of the plane.
void planar_planar(const Shape&, const Pose&, const Shape&, const Pose&, const Output&);
const PlanarCore& planar_core(const Shape& shape);  // of a disc, capsule, polygon or segment
void line_planar(const Shape&, const Pose&, const Shape&, const Pose&, const Output&);

// A ring, tube or socket, inside and outside.
void hollow_any(const Shape&, const Pose&, const Shape&, const Pose&, const Output&);

void compound_any(const Shape&, const Pose&, const Shape&, const Pose&, const Output&);
void any_compound(const Shape&, const Pose&, const Shape&, const Pose&, const Output&);

// The function of two kinds by the table.
void dispatch(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b,
              const Output& output);

}  // namespace clack::narrow
