#include "clack/analyse/performance_profile.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace clack {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kShortest = 1e-9;  // [s]

double countable(double time) {
  return std::isfinite(time) ? std::max(time, kShortest) : kInfinity;
}

std::vector<double> best_times(const std::vector<std::vector<double>>& times) {
  std::vector<double> best(times.empty() ? 0 : times.front().size(), kInfinity);
  for (const std::vector<double>& solver : times) {
    for (std::size_t p = 0; p < best.size(); ++p) best[p] = std::min(best[p], countable(solver[p]));
  }
  return best;
}

// The ratios of the problems that were solved, sorted.
std::vector<double> solved_ratios(const std::vector<double>& times,
                                  const std::vector<double>& best) {
  std::vector<double> ratios;
  for (std::size_t p = 0; p < times.size(); ++p) {
    const double time = countable(times[p]);
    if (std::isfinite(time)) ratios.push_back(time / best[p]);
  }
  std::ranges::sort(ratios);
  return ratios;
}

ProfileCurve make_curve(const std::vector<double>& ratios, std::size_t problems) {
  ProfileCurve curve{{1.0}, {0.0}};
  for (std::size_t k = 0; k < ratios.size(); ++k) {
    if (ratios[k] > curve.ratio.back()) {
      curve.ratio.push_back(ratios[k]);
      curve.fraction.push_back(0);
    }
    curve.fraction.back() = static_cast<double>(k + 1) / static_cast<double>(problems);
  }
  return curve;
}

}  // namespace

std::vector<ProfileCurve> compute_performance_profile(
    const std::vector<std::vector<double>>& times) {
  const std::vector<double> best = best_times(times);
  std::vector<ProfileCurve> curves;
  for (const std::vector<double>& solver : times) {
    curves.push_back(make_curve(solved_ratios(solver, best), best.size()));
  }
  return curves;
}

double geometric_mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += std::log(value);
  return values.empty() ? std::numeric_limits<double>::quiet_NaN()
                        : std::exp(sum / static_cast<double>(values.size()));
}

}  // namespace clack
