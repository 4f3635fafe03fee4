// Blocks with sides along their axes: boxes, in the plane rectangles.
#pragma once

#include "clack/model/samples/sample.hpp"

namespace clack::samples {

// size along x, y, z; in the plane along x, y.
ShapePtr make_block(const Vector3& size, int dim);

// From coordinates with z up to those of the sample: in the plane (x, z) becomes (x, y).
Vector3 upright(const Vector3& point, int dim);

// The prism over a convex outline (x, z) from y = front to y = back, in the plane the outline
// itself; the frame is at the centroid.
SampleBody make_prism(const std::vector<Vector2>& outline, double front, double back, int dim,
                      std::string suffix);

// The same as a part of a compound.
CompoundPart make_prism_part(const std::vector<Vector2>& outline, double front, double back,
                             int dim);

}  // namespace clack::samples
