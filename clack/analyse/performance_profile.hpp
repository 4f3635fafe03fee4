// Performance profiles (Dolan and More, Mathematical Programming 91, 2002): solvers compared on a
// set of problems by one figure that no single problem dominates.
//
//   ratio(p, s)    = time(p, s) / min over solvers of time(p, .),  infinite where s failed on p
//   fraction(s, x) = share of all problems with ratio(p, s) <= x
//
// At x = 1 stands how often a solver is the fastest, at the right end how many problems it solves.
// Problems that no solver solves stay in the denominator.
#pragma once

#include <vector>

namespace clack {

// A step function, constant from each ratio to the next. The first ratio is 1.
struct ProfileCurve {
  std::vector<double> ratio;     // increasing
  std::vector<double> fraction;  // not decreasing, in [0, 1]
};

// times[s][p] [s], the same number of problems for each solver; what is not finite has failed.
// Times below a nanosecond count as one. One curve a solver, all of them on the same problems.
std::vector<ProfileCurve> compute_performance_profile(
    const std::vector<std::vector<double>>& times);

// exp(mean of log), NaN for no value; all values > 0.
double geometric_mean(const std::vector<double>& values);

}  // namespace clack
