// A run with long steps and short ones, looked at between its steps.
//
// Adapted steps end at impacts, where a run that jumps a moment early or late is off by the whole
// jump for that moment only. Taken at its grid points alone, such a run would be charged the jump
// for the whole length of the step before. So its error is taken on the cubic that has the
// positions and velocities of a step's two ends (of fourth order in q, of third in v), at times
// that crowd at both ends.
#pragma once

#include <vector>

#include "clack/model/system.hpp"

namespace clack {

// States after `a` up to `b`, at the shares 2^-j and 1 - 2^-j of the time between; b alone where q
// and v differ in size.
std::vector<State> dense_between(const State& a, const State& b);

}  // namespace clack
