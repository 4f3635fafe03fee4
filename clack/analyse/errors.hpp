// How far a computed motion is from a known one.
//
// Velocities of bounded variation never converge in the sup norm: near an impact a run jumps one
// step early or late. They converge in L1, and their graphs, with the jumps filled in, converge in
// Hausdorff's distance (Moreau 1978; Acary 2012).
#pragma once

#include "clack/analyse/curve.hpp"

namespace clack {

// (sum_k (t_k - t_{k-1}) sum_j |x_j(t_k) - reference_j(t_k)|^p)^(1/p) over the points of the run
// after the first; p >= 1.
double lp_error(const Curve& run, const CurveFunction& reference, double p);

// max_k max_j |x_j(t_k) - reference_j(t_k)| over all points of the run.
double max_error(const Curve& run, const CurveFunction& reference);

// Hausdorff's distance between two graphs in the space of (time_scale t, x), both filled in: from a
// point to the next, also across a jump, runs a straight segment. Exact within 1e-5, relative.
// Both curves have the same dimension and a point at least. The cost is that of looking, for each
// segment, at those of the other graph that are nearer in time than the distance found so far.
double hausdorff_distance(const Curve& a, const Curve& b, double time_scale = 1);

}  // namespace clack
