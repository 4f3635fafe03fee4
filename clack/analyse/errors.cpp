#include "clack/analyse/errors.hpp"

#include <algorithm>
#include <cmath>

namespace clack {

double lp_error(const Curve& run, const CurveFunction& reference, double p) {
  std::vector<double> exact(run.dimension());
  double sum = 0;
  for (std::size_t k = 1; k < run.size(); ++k) {
    reference(run.t(k), exact.data());
    double differences = 0;
    for (int j = 0; j < run.dimension(); ++j) {
      const double difference = std::abs(run.x(k)[j] - exact[j]);
      differences += p == 1 ? difference : std::pow(difference, p);
    }
    sum += (run.t(k) - run.t(k - 1)) * differences;
  }
  return p == 1 ? sum : std::pow(sum, 1 / p);
}

double max_error(const Curve& run, const CurveFunction& reference) {
  std::vector<double> exact(run.dimension());
  double largest = 0;
  for (std::size_t k = 0; k < run.size(); ++k) {
    reference(run.t(k), exact.data());
    for (int j = 0; j < run.dimension(); ++j) {
      const double difference = std::abs(run.x(k)[j] - exact[j]);
      if (!(difference <= largest)) largest = difference;
    }
  }
  return largest;
}

}  // namespace clack
