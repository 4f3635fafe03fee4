// Branches of periodic orbits: pseudo-arclength continuation of (eq:multiple_shooting),
//
//     F(X) = 0,   t . (X - X_predicted) = 0,   X_predicted = X + ds t,   J t = 0     (eq:arclength)
//
// X over its scale. Forced and autonomous orbits are continued over a parameter of the system,
// conservative ones along their family, which has the period and the energy as coordinates. After
// each step the event-driven motion confirms the sequence of events; where it does not, steps
// become shorter until the branch ends there (grazing, or another change of sequence).
#pragma once

#include "clack/analyse/orbits/orbit.hpp"

namespace clack {

// By what the ends of a branch are given, and its first direction.
enum class BranchCoordinate { parameter, period, energy };
const std::vector<std::string>& branch_coordinate_names();

enum class PointKind {
  regular,
  fold,             // the branch turns back in its coordinate
  period_doubling,  // a multiplier passes -1
  neimark_sacker,   // a complex pair passes the unit circle
  end               // the last point before the branch stops
};
const std::vector<std::string>& point_kind_names();

struct ContinuationOptions {
  BranchCoordinate over = BranchCoordinate::parameter;
  double low = -1e300, high = 1e300;  // of the coordinate
  int direction = 1;                  // of the coordinate at the start, +1 or -1
  double step = 0.02;                 // first step of arclength, over the scale of the unknowns
  double min_step = 1e-7, max_step = 0.1;
  int max_points = 400;
  double grazing = 1e-3;    // slowest impact over the speeds of the motion that counts as grazing
  int good_iterations = 3;  // of the corrector: fewer make steps longer

  void validate() const;
};

struct BranchPoint {
  Orbit orbit;
  double arclength = 0;
  PointKind kind = PointKind::regular;
};

struct Branch {
  Status status = Status::not_run;  // converged: it ended at a bound, at a change of events, or
                                    // after max_points; else the corrector failed
  std::string stop;                 // why it ended, in words
  std::vector<BranchPoint> points;

  double coordinate(const BranchPoint& point, BranchCoordinate over) const;
};

// From an orbit that has been found.
Branch continue_orbit(const OrbitProblem& problem, const Orbit& start,
                      const ContinuationOptions& options);

struct DoubledOrbit {
  OrbitProblem problem;  // with twice the period
  Orbit orbit;
};
// The orbit of twice the period beside a period-doubling point, at the distance `amplitude` (over
// the scale of the unknowns) along the direction of the multiplier -1.
DoubledOrbit switch_at_doubling(const OrbitProblem& problem, const Orbit& point,
                                double amplitude = 0.02);

}  // namespace clack
