// A start that satisfies the constraints on positions and velocities: the nearest one in the metric
// of the masses, by Newton's method.
//
//     q <- q moved by M^-1 G lambda,   G'M^-1 G lambda = -phi(q),   until phi = 0
//     v <- v + M^-1 G Lambda,          G'v + w = 0                         (eq:closed_start)
//
// Constraints may depend on each other; those that contradict each other cannot be closed.
#pragma once

#include <string>
#include <vector>

#include "clack/model/system.hpp"

namespace clack {

struct ClosedStart {
  bool closed = true;
  std::string constraint;  // that was farthest off, or that stays open
  int row = -1;            // its number among the constraints
  double error = 0;        // of its equation: before, or what is left [m, rad]
  double energy = 0;       // kinetic energy that v has lost [J]
  int rows = 0;            // constraints
  int redundant = -1;      // how many of them follow from the others; -1: too many rows to tell
  std::vector<ContactIdentity> undetermined;  // constraints whose multipliers are not unique
};

// Without constraints on positions nothing changes.
[[nodiscard]] ClosedStart close_constraints(const System& system, State& state);

}  // namespace clack
