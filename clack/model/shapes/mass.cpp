#include "clack/model/shapes/mass.hpp"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <array>
#include <cmath>

#include "clack/core/error.hpp"
#include "clack/model/shapes/moments.hpp"

namespace clack {

Moments& Moments::operator+=(const Moments& other) {
  volume += other.volume;
  first += other.first;
  second += other.second;
  return *this;
}

Moments Moments::moved(const Pose& pose) const {
  const Vector3 turned = pose.rotation * first;
  const Matrix3 mixed = pose.position * turned.transpose();
  return {volume, turned + volume * pose.position,
          pose.rotation * second * pose.rotation.transpose() + mixed + mixed.transpose() +
              volume * pose.position * pose.position.transpose()};
}

namespace {

struct MomentsOf {
  Moments operator()(const Sphere& s) const { return shapes::revolution_moments(s); }
  Moments operator()(const Capsule& s) const { return shapes::revolution_moments(s); }
  Moments operator()(const Cylinder& s) const { return shapes::revolution_moments(s); }
  Moments operator()(const ConeShape& s) const { return shapes::revolution_moments(s); }
  Moments operator()(const Box& s) const { return shapes::polytope_moments(s.core, s.rounding); }
  Moments operator()(const Polyhedron& s) const {
    return shapes::polytope_moments(s.core, s.rounding);
  }
  Moments operator()(const TriangleMesh& s) const { return shapes::mesh_moments(s); }
  Moments operator()(const Compound& s) const {
    Moments sum;
    for (const CompoundPart& part : s.parts) sum += compute_moments(*part.shape).moved(part.pose);
    return sum;
  }
  Moments operator()(const Disc& s) const { return shapes::planar_moments(s.core); }
  Moments operator()(const PlanarCapsule& s) const { return shapes::planar_moments(s.core); }
  Moments operator()(const Polygon& s) const { return shapes::planar_moments(s.core); }
  Moments operator()(const Segment& s) const {
    if (s.core.rounding == 0) throw InputError("a segment without rounding has no mass");
    return shapes::planar_moments(s.core);
  }
  Moments operator()(const RingShape& s) const { return shapes::hollow_moments(s); }
  Moments operator()(const Tube& s) const { return shapes::hollow_moments(s); }
  Moments operator()(const Socket& s) const { return shapes::hollow_moments(s); }
  Moments operator()(const Plane&) const { throw InputError("a plane has no mass"); }
  Moments operator()(const HeightField&) const { throw InputError("a height field has no mass"); }
  Moments operator()(const Line&) const { throw InputError("a line has no mass"); }
};

// Eigenvectors in the order and with the signs that are nearest to the axes of the body.
Matrix3 nearest_axes(const Matrix3& vectors) {
  std::array<int, 3> order{0, 1, 2}, best = order;
  double most = -1;
  do {
    const double sum = std::abs(vectors(0, order[0])) + std::abs(vectors(1, order[1])) +
                       std::abs(vectors(2, order[2]));
    if (sum > most) most = sum, best = order;
  } while (std::next_permutation(order.begin(), order.end()));
  Matrix3 axes;
  for (int i = 0; i < 3; ++i)
    axes.col(i) = std::copysign(1, vectors(i, best[i])) * vectors.col(best[i]);
  if (axes.determinant() < 0) axes.col(2) = -axes.col(2);
  return axes;
}

std::vector<Vector3> transform(const std::vector<Vector3>& points, const Pose& pose) {
  std::vector<Vector3> moved;
  for (const Vector3& point : points) moved.push_back(pose * point);
  return moved;
}

// The same solid seen from another frame; `pose` takes old coordinates to new ones.
ShapePtr move_shape(const ShapePtr& shape, const Pose& pose) {
  if (pose.position.isZero(0) && pose.rotation.isIdentity(0)) return shape;
  switch (shape->kind()) {
    case ShapeKind::polyhedron: {
      const Polyhedron& old = shape->as<Polyhedron>();
      return make_shape(Polyhedron(transform(old.core.vertices, pose), old.rounding));
    }
    case ShapeKind::mesh: {
      const TriangleMesh& old = shape->as<TriangleMesh>();
      return make_shape(TriangleMesh(transform(old.vertices, pose), old.triangles,
                                     {old.rounding, old.two_sided}));
    }
    case ShapeKind::compound: {
      std::vector<CompoundPart> parts = shape->as<Compound>().parts;
      for (CompoundPart& part : parts) part.pose = pose * part.pose;
      return make_shape(Compound(std::move(parts)));
    }
    default:
      return make_shape(Compound({{shape, pose}}));
  }
}

}  // namespace

Matrix3 principal_axes(const Matrix3& inertia) {
  const Vector3 diagonal = inertia.diagonal();
  const Matrix3 rest = inertia - Matrix3(diagonal.asDiagonal());
  if (rest.cwiseAbs().maxCoeff() <= 1e-12 * diagonal.maxCoeff()) return Matrix3::Identity();
  return nearest_axes(Eigen::SelfAdjointEigenSolver<Matrix3>(inertia).eigenvectors());
}

Moments compute_moments(const Shape& shape) { return std::visit(MomentsOf{}, shape.geometry()); }

MassProperties compute_mass(const Shape& shape, double density) {
  if (!(density > 0) || !std::isfinite(density))
    throw InputError(fmt::format("the density is {}; it must be finite and > 0", density));
  const Moments moments = compute_moments(shape);
  MassProperties result;
  result.mass = density * moments.volume;
  result.centre = moments.first / moments.volume;
  const Matrix3 second = moments.moved({-result.centre, Matrix3::Identity()}).second;
  result.inertia = density * (second.trace() * Matrix3::Identity() - second);
  return result;
}

PrincipalShape make_principal(const ShapePtr& shape, double density) {
  const MassProperties mass = compute_mass(*shape, density);
  PrincipalShape result;
  const double size = shape->bounds().half().maxCoeff();
  const bool centred = mass.centre.cwiseAbs().maxCoeff() <= 1e-12 * size;
  if (!centred) result.offset.position = mass.centre;
  if (!shape->is_planar()) result.offset.rotation = principal_axes(mass.inertia);
  result.shape = move_shape(shape, result.offset.inverse());
  result.mass = mass.mass;
  result.moments =
      (result.offset.rotation.transpose() * mass.inertia * result.offset.rotation).diagonal();
  return result;
}

}  // namespace clack
