// What a motion settles on, read from a Poincare section: the states z_0, z_1, ... of a motion at
// equal times or at its impacts. A motion repeats after p points where
//
//     |z_(n+p) - z_n| <= tolerance * size    for all points that were kept  (eq:section_period)
//
// positions and velocities each over their own size. An attractor is the set of p points, with the
// impacts and sticks within it; two sets are the same where they agree point by
// point after some shift.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "clack/core/types.hpp"

namespace clack {

struct SectionPoint {
  double t = 0;      // [s]
  Vector q, v;       // at an impact: just after it
  int contact = -1;  // of an impact: index of the contact of a system; -1: not known
  // Normal velocity of the impact [m/s].
  double u_before = std::numeric_limits<double>::quiet_NaN();
  double u_after = std::numeric_limits<double>::quiet_NaN();
  long impacts = 0, sticks = 0;  // since the start of the run
};

// Sizes that differences are compared with: largest coordinate [m, rad] and velocity of a run.
struct MotionSize {
  double q = 0, v = 0;

  void cover(const MotionSize& other);
};

// Distance of two points, over the size. Coordinates that drift do not count.
double section_distance(const SectionPoint& a, const SectionPoint& b, const MotionSize& size,
                        const std::vector<int>& drifting);

// How a motion repeats.
struct MotionLabel {
  int points = 0;    // of the section; 0: it does not within half of those that there are
  long periods = 0;  // of the load or of the section at equal times; 0: not known
  long impacts = 0, sticks = 0;  // within it; of a motion without a period: per point, rounded

  bool operator==(const MotionLabel&) const = default;
  std::string words() const;  // "period 2, 3 impacts, 1 stick"; "no period"
};

MotionLabel label_motion(const std::vector<SectionPoint>& points, const MotionSize& size,
                         const std::vector<int>& drifting, double tolerance);
// `period` [s]: of the load; NaN where it has none.
void count_periods(const std::vector<SectionPoint>& points, double period, MotionLabel& label);

// The attractors of many motions, in the order in which they are met. Motions without a period are
// one attractor.
class AttractorList {
 public:
  // `tolerance`: over the smaller of the sizes of two motions.
  AttractorList(std::vector<int> drifting, double tolerance);

  struct Attractor {
    MotionLabel label;
    std::vector<SectionPoint> points;  // of one period, from the first motion that is on it
    MotionSize size;                   // of that motion
    long runs = 0;
    std::string name;
  };

  // Index of the attractor that the motion is on; a new one where it is on none yet.
  int add(const MotionLabel& label, const std::vector<SectionPoint>& points,
          const MotionSize& size);
  // Names tell those of the same label apart by a point.
  std::vector<Attractor> list() const;

 private:
  bool same_points(const Attractor& known, const std::vector<SectionPoint>& cycle,
                   const MotionSize& size) const;

  std::vector<int> drifting_;
  double tolerance_;
  std::vector<Attractor> attractors_;
};

}  // namespace clack
