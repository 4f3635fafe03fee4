// From a normal to the points of a contact: the faces or edges that meet are clipped against each
// other.
#pragma once

#include "clack/collide/contact_point.hpp"
#include "clack/collide/narrow/penetration.hpp"

namespace clack::narrow {

std::uint64_t mix(std::uint64_t a, std::uint64_t b);

// Where the result of a pair goes: points in the surroundings, from points in the frame of A.
struct Output {
  const Pose& pose_a;
  double margin;  // [m]
  Manifold& manifold;
  bool swapped = false;      // A and B were exchanged: the normal is turned round
  std::uint64_t prefix = 0;  // mixed into the keys: parts of compounds, triangles

  // `on_a`, `on_b` on the two surfaces; gap = (on_b - on_a) . normal
  void add(const Vector3& on_a, const Vector3& on_b, const Vector3& normal, double gap,
           std::uint64_t feature) const;
  // On the inside of a hollow shape.
  void add_inner(const Vector3& on_a, const Vector3& on_b, const Vector3& normal, double gap,
                 std::uint64_t feature) const;
  // The same with position and normal in the surroundings.
  void add_outside(const Vector3& position, const Vector3& normal, double gap,
                   std::uint64_t feature) const {
    if (!(gap <= margin)) return;
    manifold.points.push_back({position, swapped ? Vector3(-normal) : normal, gap,
                               prefix == 0 ? feature : mix(prefix, feature)});
  }
};

constexpr int kMostPoints = 8;

// A unit normal (frame of A) that supports both bodies, with the nearest points of the cores for
// the case that no extended patch meets another.
struct Separation {
  Axis axis;
  Vector3 point_a, point_b;
  bool points_known;  // false: only that a vertex of one lies on a face of the other
};

void add_patches(const Difference& difference, const Separation& separation, const Output& output);

// The loop `patch` clipped by the sides of `face` (a loop with that normal).
void clip(Patch& patch, const Patch& face, const Vector3& normal, double tolerance);

// At most kMostPoints of the points from `first` on: the deepest, then always the one that is
// farthest from those chosen.
void thin_out(std::vector<ContactPoint>& points, std::size_t first);

}  // namespace clack::narrow
