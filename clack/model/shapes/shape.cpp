#include "clack/model/shapes/shape.hpp"

#include <fmt/format.h>

#include <array>

#include "clack/core/error.hpp"

namespace clack {
namespace {

BoundingBox around(const Vector3& half, double rounding) {
  return BoundingBox{-half, half}.grown(rounding);
}

template <class Points>
BoundingBox around_points(const Points& points, double rounding) {
  BoundingBox box;
  for (const auto& point : points) box.include(point);
  return box.grown(rounding);
}

BoundingBox around_core(const PlanarCore& core) {
  BoundingBox box;
  for (const Vector2& v : core.vertices) box.include(Vector3(v.x(), v.y(), 0));
  return box.grown(core.rounding);
}

const BoundingBox kEverywhere{Vector3::Constant(-std::numeric_limits<double>::infinity()),
                              Vector3::Constant(std::numeric_limits<double>::infinity())};

struct LocalBounds {
  BoundingBox operator()(const Sphere& s) const { return around(Vector3::Zero(), s.radius); }
  BoundingBox operator()(const Capsule& s) const {
    return around(Vector3(0, 0, s.half_length), s.radius);
  }
  BoundingBox operator()(const Cylinder& s) const {
    return around(Vector3(s.radius, s.radius, s.half_length), s.rounding);
  }
  BoundingBox operator()(const ConeShape& s) const {
    return BoundingBox{Vector3(-s.radius, -s.radius, s.base()),
                       Vector3(s.radius, s.radius, s.apex())}
        .grown(s.rounding);
  }
  BoundingBox operator()(const Plane&) const { return kEverywhere; }
  BoundingBox operator()(const Box& s) const { return around(s.half, s.rounding); }
  BoundingBox operator()(const Polyhedron& s) const {
    return around_points(s.core.vertices, s.rounding);
  }
  BoundingBox operator()(const TriangleMesh& s) const {
    return around_points(s.vertices, s.rounding);
  }
  BoundingBox operator()(const HeightField& s) const {
    return BoundingBox{Vector3(0, 0, s.lowest),
                       Vector3((s.nx - 1) * s.dx, (s.ny - 1) * s.dy, s.highest)}
        .grown(s.rounding);
  }
  BoundingBox operator()(const Compound& s) const {
    BoundingBox box;
    for (const CompoundPart& part : s.parts) box.include(bounds(*part.shape, part.pose));
    return box;
  }
  BoundingBox operator()(const Disc& s) const { return around_core(s.core); }
  BoundingBox operator()(const PlanarCapsule& s) const { return around_core(s.core); }
  BoundingBox operator()(const Polygon& s) const { return around_core(s.core); }
  BoundingBox operator()(const Segment& s) const { return around_core(s.core); }
  BoundingBox operator()(const Line&) const { return kEverywhere; }
  BoundingBox operator()(const RingShape& s) const { return s.solid->bounds(); }
  BoundingBox operator()(const Tube& s) const { return s.solid->bounds(); }
  BoundingBox operator()(const Socket& s) const { return s.solid->bounds(); }
};

}  // namespace

Compound::Compound(std::vector<CompoundPart> all) : parts(std::move(all)) {
  if (parts.empty()) throw InputError("the compound has no parts");
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const CompoundPart& part = parts[i];
    if (!part.shape) throw InputError(fmt::format("part {} of the compound has no shape", i));
    if (part.shape->is_planar() != parts[0].shape->is_planar())
      throw InputError(
          fmt::format("part {} of the compound mixes shapes of the plane and of space", i));
    const Matrix3 error = part.pose.rotation.transpose() * part.pose.rotation - Matrix3::Identity();
    if (!part.pose.position.allFinite() || !(error.cwiseAbs().maxCoeff() < 1e-9))
      throw InputError(fmt::format("the pose of part {} of the compound is no rigid motion", i));
  }
}

Shape::Shape(Geometry geometry) : geometry_(std::move(geometry)) {
  bounds_ = std::visit(LocalBounds{}, geometry_);
  if (kind() == ShapeKind::compound) planar_compound_ = as<Compound>().parts[0].shape->is_planar();
}

BoundingBox bounds(const Shape& shape, const Pose& pose) {
  if (shape.kind() == ShapeKind::sphere) {
    const double radius = shape.as<Sphere>().radius;
    return {pose.position.array() - radius, pose.position.array() + radius};
  }
  if (shape.kind() == ShapeKind::capsule) {
    const Capsule& capsule = shape.as<Capsule>();
    const Vector3 reach =
        (capsule.half_length * pose.rotation.col(2)).cwiseAbs().array() + capsule.radius;
    return {pose.position - reach, pose.position + reach};
  }
  if (!shape.bounds().is_bounded()) return shape.bounds();
  return shape.bounds().moved(pose);
}

std::span<const ShapeInfo> shape_list() {
  static constexpr std::array<ShapeInfo, kShapeKinds> kList = {{
      {"sphere", "ball: radius"},
      {"capsule", "all points within radius of a segment on z: radius, half_length"},
      {"cylinder", "about z: radius, half_length, rounding"},
      {"cone", "about z, origin at its centre of mass: radius, height, rounding"},
      {"plane", "half space normal . x <= offset; fixed bodies only"},
      {"box", "half sides, rounding"},
      {"polyhedron", "convex hull of points, rounding"},
      {"mesh", "triangles, one-sided or two-sided; with mass where it is closed"},
      {"height-field", "terrain over a grid of points; fixed bodies only"},
      {"compound", "union of shapes, each in its pose"},
      {"tube", "hollow cylinder about z, touched inside too: inner, outer, half_length"},
      {"socket", "hollow ball, touched inside too: inner, outer"},
      {"disc", "plane: radius"},
      {"planar-capsule", "plane: all points within radius of a segment on x"},
      {"polygon", "plane: convex hull of points, rounding"},
      {"segment", "plane: wall without thickness between two points, rounding"},
      {"line", "plane: half plane normal . x <= offset; fixed bodies only"},
      {"ring", "plane: between two circles, touched inside too: inner, outer"},
  }};
  return kList;
}

}  // namespace clack
