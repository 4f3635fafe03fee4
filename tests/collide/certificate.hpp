// Proves gaps of the narrow phase for random pairs of convex bodies (reference.hpp).
#pragma once

#include <gtest/gtest.h>

#include "tests/collide/reference.hpp"

namespace clack::reference {

struct Worst {
  double distance = 0;  // gap against -h_A(n) - h_B(-n), relative to the size
  double outside = 0;   // of the two points, which must lie in the bodies
  double depth = 0;     // a better normal found by search, relative
  long apart = 0, overlap = 0;
};

// Some far apart, some near, some deep: the distance of the centres is drawn, not the gap.
inline Pair random_pair(const Shape& a, const Shape& b, std::mt19937_64& random) {
  std::uniform_real_distribution<double> spread(0, 1.2);
  Pose pose_a{10 * random_unit(random), random_rotation(random)};
  const double reach = a.bounds().half().norm() + b.bounds().half().norm();
  Pose pose_b{pose_a.position + spread(random) * reach * random_unit(random),
              random_rotation(random)};
  return {a, b, pose_a, pose_b};
}

inline void certify(const Pair& pair, int samples, std::mt19937_64& random, Worst& worst) {
  thread_local Manifold manifold;
  const double size = pair.size(), margin = 2 * size;
  collide(pair.a, pair.pose_a, pair.b, pair.pose_b, margin, manifold);
  ASSERT_FALSE(manifold.points.empty());
  const ContactPoint& point = deepest(manifold);
  ASSERT_NEAR(point.normal.norm(), 1, 1e-14);
  worst.distance =
      std::max(worst.distance, std::abs(pair.separation(point.normal) - point.gap) / size);
  if (point.gap > 0) {
    ++worst.apart;
    const Vector3 on_a = point.position - 0.5 * point.gap * point.normal;
    const Vector3 on_b = point.position + 0.5 * point.gap * point.normal;
    const double outside = std::max(distance_outside(pair.a, pair.pose_a.to_body(on_a)),
                                    distance_outside(pair.b, pair.pose_b.to_body(on_b)));
    worst.outside = std::max(worst.outside, outside / size);
  } else {
    ++worst.overlap;
    if (samples > 0)
      worst.depth =
          std::max(worst.depth, (best_separation(pair, random, samples) - point.gap) / size);
  }
}

inline Worst certify_kinds(ShapeKind a, ShapeKind b, bool rounded, int pairs, int samples) {
  std::mt19937_64 random(1000 * static_cast<int>(a) + 10 * static_cast<int>(b) + rounded);
  Worst worst;
  ShapePtr shape_a, shape_b;
  for (int k = 0; k < pairs; ++k) {
    if (k % 20 == 0) {
      shape_a = random_convex(a, random, rounded);
      shape_b = random_convex(b, random, rounded);
    }
    certify(random_pair(*shape_a, *shape_b, random), samples, random, worst);
    if (::testing::Test::HasFatalFailure()) break;
  }
  return worst;
}

}  // namespace clack::reference
