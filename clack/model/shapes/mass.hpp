// Mass, centre and inertia of shapes of constant density.
#pragma once

#include "clack/model/shapes/shape.hpp"

namespace clack {

// Integrals over a solid, of a shape of the plane over its area. They add up over parts.
//     volume = ∫ dV,  first = ∫ x dV,  second = ∫ x x' dV                              (eq:moments)
struct Moments {
  double volume = 0;  // [m^3], in the plane [m^2]
  Vector3 first = Vector3::Zero();
  Matrix3 second = Matrix3::Zero();

  Moments& operator+=(const Moments& other);
  Moments moved(const Pose& pose) const;
};

struct MassProperties {
  double mass = 0;                    // [kg]
  Vector3 centre = Vector3::Zero();   // in the body's frame [m]
  Matrix3 inertia = Matrix3::Zero();  // about the centre, along the body's axes [kg m^2]
};

// Exact for all shapes with volume; the rounding of a mesh is left out. Throws InputError for
// shapes without volume (plane, line, segment without rounding, height field, open mesh).
Moments compute_moments(const Shape& shape);

// density [kg/m^3], in the plane [kg/m^2]
MassProperties compute_mass(const Shape& shape, double density);

// Axes of inertia by columns, those nearest to the frame in which it is given; that frame itself where
// it is diagonal within round-off: a cube has no others, and its eigenvectors would be arbitrary.
Matrix3 principal_axes(const Matrix3& inertia);

struct PrincipalShape {
  ShapePtr shape;   // origin at the centre of mass, principal axes along x, y, z
  Pose offset;      // of the new frame in the old one
  double mass;      // [kg]
  Vector3 moments;  // principal, about the centre [kg m^2]
};

// The frame turns by the least angle that makes the inertia diagonal: a box stays as it is.
PrincipalShape make_principal(const ShapePtr& shape, double density);

}  // namespace clack
