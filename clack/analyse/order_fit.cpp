#include "clack/analyse/order_fit.hpp"

#include <cmath>
#include <limits>

namespace clack {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

bool has_logarithm(double error) { return std::isfinite(error) && error > 0; }

// probability(|T| < t), Abramowitz and Stegun 26.7.3 and 26.7.4.
double student_share(double t, int nu) {
  const double theta = std::atan(t / std::sqrt(static_cast<double>(nu)));
  const double c = std::cos(theta), s = std::sin(theta);
  double sum = 0, term = nu % 2 == 1 ? c : 1;
  for (int k = nu % 2 == 1 ? 3 : 2; k <= nu; k += 2) {
    sum += term;
    term *= c * c * (k - 1) / k;
  }
  return nu % 2 == 1 ? 2 / M_PI * (theta + s * sum) : s * sum;
}

}  // namespace

double student_quantile(double share, int degrees_of_freedom) {
  double low = 0, high = 1;
  while (student_share(high, degrees_of_freedom) < share) high *= 2;
  for (int i = 0; i < 100; ++i) {
    const double middle = 0.5 * (low + high);
    (student_share(middle, degrees_of_freedom) < share ? low : high) = middle;
  }
  return high;
}

OrderFit fit_order(std::span<const double> steps, std::span<const double> errors) {
  std::vector<double> x, y;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (!has_logarithm(errors[i])) continue;
    x.push_back(std::log(steps[i]));
    y.push_back(std::log(errors[i]));
  }
  const int n = static_cast<int>(x.size());
  OrderFit fit{kNan, kNan, kNan, n};
  if (n < 2) return fit;
  double mean_x = 0, mean_y = 0, sxx = 0, sxy = 0, rest = 0;
  for (int i = 0; i < n; ++i) mean_x += x[i] / n, mean_y += y[i] / n;
  for (int i = 0; i < n; ++i) {
    sxx += (x[i] - mean_x) * (x[i] - mean_x);
    sxy += (x[i] - mean_x) * (y[i] - mean_y);
  }
  if (!(sxx > 0)) return fit;
  fit.order = sxy / sxx;
  fit.constant = std::exp(mean_y - fit.order * mean_x);
  if (n < 3) return fit;
  for (int i = 0; i < n; ++i) rest += std::pow(y[i] - mean_y - fit.order * (x[i] - mean_x), 2);
  fit.half_width = student_quantile(0.95, n - 2) * std::sqrt(rest / (n - 2) / sxx);
  return fit;
}

std::vector<double> pairwise_orders(std::span<const double> steps, std::span<const double> errors) {
  std::vector<double> orders(steps.size(), kNan);
  for (std::size_t i = 1; i < steps.size(); ++i) {
    if (!has_logarithm(errors[i]) || !has_logarithm(errors[i - 1])) continue;
    orders[i] = std::log(errors[i] / errors[i - 1]) / std::log(steps[i] / steps[i - 1]);
  }
  return orders;
}

double value_at_error(std::span<const double> errors, std::span<const double> y, double target) {
  for (std::size_t i = errors.size(); i-- > 1;) {
    if (!has_logarithm(errors[i]) || !has_logarithm(errors[i - 1])) return kNan;
    if (errors[i] > target) return kNan;  // not reached by the smallest steps
    if (errors[i - 1] <= target) continue;
    const double share = std::log(errors[i - 1] / target) / std::log(errors[i - 1] / errors[i]);
    return std::exp((1 - share) * std::log(y[i - 1]) + share * std::log(y[i]));
  }
  return kNan;
}

}  // namespace clack
