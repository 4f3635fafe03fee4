// What the tests of samples measure, independent of the generators.
#pragma once

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "clack/model/samples/sample.hpp"
#include "clack/model/shapes/mass.hpp"

namespace clack {

inline double total_volume(const Sample& sample) {
  double sum = 0;
  for (const SampleBody& body : sample) sum += compute_moments(*body.shape).volume;
  return sum;
}

// A convex body in place: vertices, normals of faces, directions of edges.
struct PlacedConvex {
  std::vector<Vector3> vertices, normals, edges;
  std::string name;
};

inline void append_convex(const Shape& shape, const Pose& pose, const std::string& name,
                          std::vector<PlacedConvex>& all) {
  if (shape.kind() == ShapeKind::compound) {
    for (const CompoundPart& part : shape.as<Compound>().parts)
      append_convex(*part.shape, pose * part.pose, name, all);
    return;
  }
  PlacedConvex placed;
  placed.name = name;
  if (shape.kind() == ShapeKind::polygon) {
    const PlanarCore& core = shape.as<Polygon>().core;
    for (const Vector2& v : core.vertices)
      placed.vertices.push_back(pose * Vector3(v.x(), v.y(), 0));
    for (const Vector2& n : core.normals)
      placed.normals.push_back(pose.rotation * Vector3(n.x(), n.y(), 0));
  } else {
    const Polytope& core =
        shape.kind() == ShapeKind::box ? shape.as<Box>().core : shape.as<Polyhedron>().core;
    for (const Vector3& v : core.vertices) placed.vertices.push_back(pose * v);
    for (const PolytopeFace& f : core.faces) placed.normals.push_back(pose.rotation * f.normal);
    for (const PolytopeArc& a : core.arcs) placed.edges.push_back(pose.rotation * a.direction);
  }
  all.push_back(std::move(placed));
}

inline std::vector<PlacedConvex> place_convex(const Sample& sample) {
  std::vector<PlacedConvex> all;
  for (const SampleBody& body : sample) append_convex(*body.shape, body.pose, body.suffix, all);
  return all;
}

inline double gap_along(const PlacedConvex& a, const PlacedConvex& b, const Vector3& axis) {
  double a_low = HUGE_VAL, a_high = -HUGE_VAL, b_low = HUGE_VAL, b_high = -HUGE_VAL;
  for (const Vector3& v : a.vertices) {
    a_low = std::min(a_low, axis.dot(v));
    a_high = std::max(a_high, axis.dot(v));
  }
  for (const Vector3& v : b.vertices) {
    b_low = std::min(b_low, axis.dot(v));
    b_high = std::max(b_high, axis.dot(v));
  }
  return std::max(b_low - a_high, a_low - b_high);
}

// The greatest gap over all separating axes: the distance where a face supports it, < 0: overlap.
inline double separation(const PlacedConvex& a, const PlacedConvex& b) {
  double best = -HUGE_VAL;
  for (const PlacedConvex* c : {&a, &b})
    for (const Vector3& n : c->normals) best = std::max(best, gap_along(a, b, n));
  if (best >= 0) return best;
  for (const Vector3& p : a.edges)
    for (const Vector3& q : b.edges) {
      const Vector3 axis = p.cross(q);
      if (axis.norm() > 1e-6) best = std::max(best, gap_along(a, b, axis.normalized()));
    }
  return best;
}

// Of all pairs; the deepest overlap is negative. Pairs far apart by their boxes are passed over.
inline double least_separation(const std::vector<PlacedConvex>& all) {
  std::vector<BoundingBox> boxes(all.size());
  for (std::size_t i = 0; i < all.size(); ++i)
    for (const Vector3& v : all[i].vertices) boxes[i].include(v);
  double least = HUGE_VAL;
  for (std::size_t i = 0; i < all.size(); ++i)
    for (std::size_t j = i + 1; j < all.size(); ++j)
      if (boxes[i].overlaps(boxes[j])) least = std::min(least, separation(all[i], all[j]));
  return least;
}

inline double ball_radius(const Shape& shape) {
  return shape.kind() == ShapeKind::disc ? shape.as<Disc>().radius : shape.as<Sphere>().radius;
}

inline bool same_sample(const Sample& a, const Sample& b) {
  return std::equal(
      a.begin(), a.end(), b.begin(), b.end(), [](const SampleBody& x, const SampleBody& y) {
        return x.pose.position == y.pose.position && x.pose.rotation == y.pose.rotation &&
               x.suffix == y.suffix && x.fixed == y.fixed &&
               x.shape->bounds().upper == y.shape->bounds().upper;
      });
}

template <class Make>
std::string message_of(const Make& make) {
  try {
    make();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

}  // namespace clack
