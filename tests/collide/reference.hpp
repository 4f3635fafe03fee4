// A second account of the shapes, written from their definitions and shared with nothing in clack/:
// support function h(n) = max n . x, and distance of a point to the solid. Two of these prove an
// answer of the narrow phase: for any unit n the bodies are at least  -h_A(n) - h_B(-n)  apart, and
// at most the distance of any two of their points.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "clack/collide/narrow/collide.hpp"
#include "clack/model/shapes/shape.hpp"

namespace clack::reference {

inline double distance_to_segment(const Vector3& p, const Vector3& a, const Vector3& b) {
  const double t = std::clamp((p - a).dot(b - a) / (b - a).squaredNorm(), 0.0, 1.0);
  return (p - a - t * (b - a)).norm();
}

inline double distance_to_triangle(const Vector3& p, const Vector3& a, const Vector3& b,
                                   const Vector3& c) {
  const Vector3 n = (b - a).cross(c - a);
  if (n.dot((b - a).cross(p - a)) >= 0 && n.dot((c - b).cross(p - b)) >= 0 &&
      n.dot((a - c).cross(p - c)) >= 0)
    return std::abs(n.dot(p - a)) / n.norm();
  return std::min(
      {distance_to_segment(p, a, b), distance_to_segment(p, b, c), distance_to_segment(p, c, a)});
}

// Distance of a point (body's frame) to a polytope: 0 inside.
inline double distance_to_polytope(const Polytope& s, const Vector3& p) {
  double inside = -std::numeric_limits<double>::infinity();
  for (const PolytopeFace& f : s.faces) inside = std::max(inside, f.normal.dot(p) - f.offset);
  if (inside <= 0) return 0;
  double least = std::numeric_limits<double>::infinity();
  for (const PolytopeFace& f : s.faces)
    for (int i = f.begin + 1; i + 1 < f.end; ++i)
      least =
          std::min(least, distance_to_triangle(p, s.vertices[s.loops[f.begin]],
                                               s.vertices[s.loops[i]], s.vertices[s.loops[i + 1]]));
  return least;
}

// How far a point (body's frame) is outside a shape; 0 inside.
inline double distance_outside(const Shape& shape, const Vector3& p) {
  const double rho = std::hypot(p.x(), p.y());
  switch (shape.kind()) {
    case ShapeKind::sphere:
      return std::max(0.0, p.norm() - shape.as<Sphere>().radius);
    case ShapeKind::capsule: {
      const Capsule& s = shape.as<Capsule>();
      const Vector3 end(0, 0, s.half_length);
      return std::max(0.0, distance_to_segment(p, -end, end) - s.radius);
    }
    case ShapeKind::cylinder: {
      const Cylinder& s = shape.as<Cylinder>();
      const double out = std::max(rho - s.radius, 0.0);
      const double up = std::max(std::abs(p.z()) - s.half_length, 0.0);
      return std::max(0.0, std::hypot(out, up) - s.rounding);
    }
    case ShapeKind::cone: {  // the nearest section through the axis is the one with the point
      const ConeShape& s = shape.as<ConeShape>();
      const Vector3 q(rho, 0, p.z()), rim(s.radius, 0, s.base()), left(-s.radius, 0, s.base());
      const double d = distance_to_triangle(q, left, rim, Vector3(0, 0, s.apex()));
      return std::max(0.0, d - s.rounding);
    }
    case ShapeKind::box: {
      const Box& s = shape.as<Box>();
      return std::max(0.0, (p.cwiseAbs() - s.half).cwiseMax(0).norm() - s.rounding);
    }
    case ShapeKind::polyhedron: {
      const Polyhedron& s = shape.as<Polyhedron>();
      return std::max(0.0, distance_to_polytope(s.core, p) - s.rounding);
    }
    case ShapeKind::tube: {
      const Tube& s = shape.as<Tube>();
      return std::hypot(std::max({s.inner - rho, rho - s.outer, 0.0}),
                        std::max(std::abs(p.z()) - s.half_length, 0.0));
    }
    case ShapeKind::socket:
      return std::max(
          {shape.as<Socket>().inner - p.norm(), p.norm() - shape.as<Socket>().outer, 0.0});
    default:
      return std::numeric_limits<double>::quiet_NaN();
  }
}

// Support function in the body's frame, unit direction.
inline double reach(const Shape& shape, const Vector3& n) {
  const double across = std::hypot(n.x(), n.y());
  switch (shape.kind()) {
    case ShapeKind::sphere:
      return shape.as<Sphere>().radius;
    case ShapeKind::capsule:
      return shape.as<Capsule>().radius + shape.as<Capsule>().half_length * std::abs(n.z());
    case ShapeKind::cylinder: {
      const Cylinder& s = shape.as<Cylinder>();
      return s.radius * across + s.half_length * std::abs(n.z()) + s.rounding;
    }
    case ShapeKind::cone: {
      const ConeShape& s = shape.as<ConeShape>();
      return std::max(s.radius * across + n.z() * s.base(), n.z() * s.apex()) + s.rounding;
    }
    case ShapeKind::box:
      return shape.as<Box>().half.dot(n.cwiseAbs()) + shape.as<Box>().rounding;
    case ShapeKind::polyhedron: {
      double most = -std::numeric_limits<double>::infinity();
      for (const Vector3& v : shape.as<Polyhedron>().core.vertices) most = std::max(most, v.dot(n));
      return most + shape.as<Polyhedron>().rounding;
    }
    default:
      return std::numeric_limits<double>::quiet_NaN();
  }
}

// Two bodies; positions relative to A keep the digits of bodies far from the origin.
struct Pair {
  const Shape &a, &b;
  Pose pose_a, pose_b;

  double separation(const Vector3& n) const {
    return n.dot(pose_b.position - pose_a.position) - reach(a, pose_a.rotation.transpose() * n) -
           reach(b, -(pose_b.rotation.transpose() * n));
  }
  double size() const { return a.bounds().half().norm() + b.bounds().half().norm(); }
};

inline Vector3 random_unit(std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  Vector3 v;
  do {
    v = Vector3(normal(random), normal(random), normal(random));
  } while (v.norm() < 1e-6);
  return v.normalized();
}

inline Matrix3 random_rotation(std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  return Eigen::Quaterniond(normal(random), normal(random), normal(random), normal(random))
      .normalized()
      .toRotationMatrix();
}

// The largest separation over many normals, each better one followed by a search around it with
// shrinking steps: independent of how the narrow phase finds its normal.
inline double best_separation(const Pair& pair, std::mt19937_64& random, int samples) {
  std::vector<std::pair<double, Vector3>> found;
  for (int k = 0; k < samples; ++k) {
    const Vector3 n = random_unit(random);
    found.emplace_back(pair.separation(n), n);
  }
  std::partial_sort(found.begin(), found.begin() + 4, found.end(),
                    [](const auto& x, const auto& y) { return x.first > y.first; });
  double best = -std::numeric_limits<double>::infinity();
  for (int start = 0; start < 4; ++start) {
    auto [value, n] = found[start];
    for (double step = 0.2; step > 1e-10; step *= 0.7) {
      for (int k = 0; k < 8; ++k) {
        const Vector3 m = (n + step * random_unit(random)).normalized();
        if (const double other = pair.separation(m); other > value) value = other, n = m;
      }
    }
    best = std::max(best, value);
  }
  return best;
}

inline const ContactPoint& deepest(const Manifold& manifold) {
  return *std::min_element(manifold.points.begin(), manifold.points.end(),
                           [](const auto& x, const auto& y) { return x.gap < y.gap; });
}

inline ShapePtr random_convex(ShapeKind kind, std::mt19937_64& random, bool rounded) {
  std::uniform_real_distribution<double> size(0.2, 1.5);
  const double round = rounded ? 0.3 * size(random) : 0;
  switch (kind) {
    case ShapeKind::sphere:
      return make_shape(Sphere(size(random)));
    case ShapeKind::capsule:
      return make_shape(Capsule(size(random), size(random)));
    case ShapeKind::cylinder:
      return make_shape(Cylinder(size(random), size(random), round));
    case ShapeKind::cone:
      return make_shape(ConeShape(size(random), size(random), round));
    case ShapeKind::box:
      return make_shape(Box(Vector3(size(random), size(random), size(random)), round));
    default: {
      std::vector<Vector3> points;
      const int count = 4 + static_cast<int>(random() % 20);
      for (int i = 0; i < count; ++i) points.push_back(size(random) * random_unit(random));
      return make_shape(Polyhedron(points, round));
    }
  }
}

inline constexpr ShapeKind kConvexKinds[] = {ShapeKind::sphere,   ShapeKind::capsule,
                                             ShapeKind::cylinder, ShapeKind::cone,
                                             ShapeKind::box,      ShapeKind::polyhedron};

}  // namespace clack::reference
