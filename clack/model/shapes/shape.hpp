// The geometry of a rigid body in its own frame. Shapes are constant and shared: thousands of
// bodies may hold the same one.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "clack/model/shapes/bounding_box.hpp"
#include "clack/model/shapes/flat_sided.hpp"
#include "clack/model/shapes/hollow.hpp"
#include "clack/model/shapes/planar.hpp"
#include "clack/model/shapes/round.hpp"
#include "clack/model/shapes/surface.hpp"

namespace clack {

class Shape;
using ShapePtr = std::shared_ptr<const Shape>;

struct CompoundPart {
  ShapePtr shape;
  Pose pose;  // of the part in the compound
};

// The union of its parts. Parts may overlap; each then counts in full for mass and contact.
struct Compound {
  explicit Compound(std::vector<CompoundPart> parts);
  std::vector<CompoundPart> parts;
};

// In the order of the alternatives of Geometry.
enum class ShapeKind : unsigned char {
  sphere,
  capsule,
  cylinder,
  cone,
  plane,
  box,
  polyhedron,
  mesh,
  height_field,
  compound,
  tube,
  socket,
  disc,
  planar_capsule,
  polygon,
  segment,
  line,
  ring
};
inline constexpr int kShapeKinds = 18;

using Geometry = std::variant<Sphere, Capsule, Cylinder, ConeShape, Plane, Box, Polyhedron,
                              TriangleMesh, HeightField, Compound, Tube, Socket, Disc,
                              PlanarCapsule, Polygon, Segment, Line, RingShape>;

class Shape {
 public:
  explicit Shape(Geometry geometry);

  ShapeKind kind() const { return static_cast<ShapeKind>(geometry_.index()); }
  bool is_planar() const { return kind() >= ShapeKind::disc || planar_compound_; }
  const Geometry& geometry() const { return geometry_; }
  template <class Kind>
  const Kind& as() const {  // the caller knows the kind
    return *std::get_if<Kind>(&geometry_);
  }
  const BoundingBox& bounds() const { return bounds_; }  // in the body's frame, rounding included

 private:
  Geometry geometry_;
  BoundingBox bounds_;
  bool planar_compound_ = false;
};

template <class Kind>
ShapePtr make_shape(Kind geometry) {
  return std::make_shared<const Shape>(Geometry(std::move(geometry)));
}

// The box around a shape in a pose; unbounded for planes and lines.
BoundingBox bounds(const Shape& shape, const Pose& pose);

struct ShapeInfo {
  std::string_view name, summary;
};
std::span<const ShapeInfo> shape_list();  // by ShapeKind

}  // namespace clack
