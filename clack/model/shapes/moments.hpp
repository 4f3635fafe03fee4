// Moments of the families of shapes (mass.hpp adds them up).
#pragma once

#include "clack/model/shapes/mass.hpp"

namespace clack::shapes {

Moments revolution_moments(const Sphere& sphere);
Moments revolution_moments(const Capsule& capsule);
Moments revolution_moments(const Cylinder& cylinder);
Moments revolution_moments(const ConeShape& cone);

Moments hollow_moments(const RingShape& ring);
Moments hollow_moments(const Tube& tube);
Moments hollow_moments(const Socket& socket);

// The solid inside a closed surface of triangles, by the divergence theorem.
Moments mesh_moments(const TriangleMesh& mesh);

// A polytope and all points within `rounding` of it: core, a prism on each face, a sector of a
// cylinder on each edge, a sector of a ball on each vertex. (eq:rounded_moments)
Moments polytope_moments(const Polytope& polytope, double rounding);
Moments planar_moments(const PlanarCore& core);

}  // namespace clack::shapes
