// The order of convergence from measured errors: error = constant h^order.
#pragma once

#include <span>
#include <vector>

namespace clack {

struct OrderFit {
  double order;       // slope of log(error) over log(h) by least squares; NaN with fewer than two
  double half_width;  // of its 95 % confidence interval (Student); NaN with fewer than three
  double constant;    // NaN with fewer than two
  int points;         // errors that are finite and > 0
};

// steps and errors: as many of both; errors that are not finite and > 0 are left out.
[[nodiscard]] OrderFit fit_order(std::span<const double> steps, std::span<const double> errors);

// log(e_i / e_{i-1}) / log(h_i / h_{i-1}), NaN for the first and beside an error that has no
// logarithm.
std::vector<double> pairwise_orders(std::span<const double> steps, std::span<const double> errors);

// The t with probability(|T| < t) = share for Student's distribution, share in (0, 1).
double student_quantile(double share, int degrees_of_freedom);

// The value of y where the error is `target`, on the straight lines of (log error, log y) between
// neighbouring points: at the last of them, from large steps to small, that crosses the target.
// NaN where no two points bracket it: nothing is extrapolated. Steps fall.
double value_at_error(std::span<const double> errors, std::span<const double> y, double target);

}  // namespace clack
