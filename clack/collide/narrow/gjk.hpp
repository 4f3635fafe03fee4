// Distance of two convex cores by Gilbert, Johnson and Keerthi's iteration on A - B, in the frame
// of A.
#pragma once

#include <array>

#include "clack/collide/narrow/convex.hpp"

namespace clack::narrow {

struct DifferencePoint {
  Vector3 a, b;  // on A and on B, frame of A
  Vector3 w;     // a - b
  int index_a = -1, index_b = -1;
};

struct Simplex {
  std::array<DifferencePoint, 4> points;
  std::array<double, 4> weight;  // of the point nearest to the origin
  int count = 0;
};

// A - B with B in `pose`, the pose of B in the frame of A.
struct Difference {
  const Convex& a;
  const Convex& b;
  const Pose& pose;

  DifferencePoint support(const Vector3& direction, int start_a = 0, int start_b = 0) const;
  // Separation along a unit normal from A to B: > 0 apart, < 0 overlap.        (eq:separation)
  double separation(const Vector3& normal) const { return -support(normal).w.dot(normal); }
  double size() const { return a.size + b.size + pose.position.norm(); }
};

struct Distance {
  enum class Verdict {
    apart,
    touching,
    beyond
  };  // beyond: farther than the limit, no more is known
  Verdict verdict;
  double distance;           // of the cores [m]
  Vector3 normal;            // from A to B; of no meaning when touching
  Vector3 point_a, point_b;  // nearest points of the cores
  Simplex simplex;           // touching: holds the origin, where it has 4 points
};

// `limit`: distances beyond it are not needed [m].
Distance compute_distance(const Difference& difference, double limit);

// Weights of the point nearest to the origin for at most three points; the others are dropped.
void find_weights(Simplex& simplex);

// Curved cores: the iteration leaves the normal with half of the digits. The angles of the rims
// that touch are found again by Newton's method, to all digits; also for a pair that was moved
// apart.
void polish(const Difference& difference, Distance& distance);

}  // namespace clack::narrow
