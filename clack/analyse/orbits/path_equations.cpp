#include "clack/analyse/orbits/path_equations.hpp"

#include <fmt/format.h>

#include <Eigen/QR>
#include <algorithm>
#include <cmath>

namespace clack {
namespace {

constexpr int kMostHalvings = 8;

// Norm of F and the pins together, and their largest entry.
std::string measure(PathEquations& equations, const std::vector<PathPin>& pins, const Vector& X,
                    double& norm, double& worst) {
  Vector F, gradient;
  std::string fault = equations.residual(X, F);
  if (!fault.empty()) return fault;
  worst = F.cwiseAbs().maxCoeff();
  double square = F.squaredNorm();
  for (const PathPin& pin : pins) {
    const double value = pin(X, gradient);
    worst = std::max(worst, std::abs(value));
    square += value * value;
  }
  norm = std::sqrt(square);
  return {};
}

}  // namespace

NewtonResult solve_path(PathEquations& equations, const std::vector<PathPin>& pins,
                        double tolerance, int max_iterations, Vector& X) {
  NewtonResult result;
  Vector F, gradient;
  Matrix J;
  for (;; ++result.iterations) {
    result.note = equations.jacobian(X, F, J);
    if (!result.note.empty()) return result;
    const int rows = static_cast<int>(F.size()), more = static_cast<int>(pins.size());
    F.conservativeResize(rows + more);
    J.conservativeResize(rows + more, J.cols());
    for (int i = 0; i < more; ++i) {
      F[rows + i] = pins[static_cast<std::size_t>(i)](X, gradient);
      J.row(rows + i) = gradient.transpose();
    }
    const double worst = F.cwiseAbs().maxCoeff();
    const bool stalled = !result.history.empty() && worst > 0.3 * result.history.back();
    result.history.push_back(worst);
    result.converged = worst <= 1e-2 * tolerance || (stalled && worst <= tolerance);
    if (result.converged) return result;
    if (result.iterations >= max_iterations) break;
    const Vector step = J.completeOrthogonalDecomposition().solve(-F);
    const double norm = F.norm();
    double share = 1, next = 0, next_worst = 0;
    for (int k = 0; k <= kMostHalvings; ++k, share *= 0.5) {
      const Vector tried = X + share * step.cwiseProduct(equations.scale());
      const std::string fault = measure(equations, pins, tried, next, next_worst);
      const bool better = fault.empty() && (next < norm || next_worst <= tolerance);
      if (!better && k < kMostHalvings) continue;
      if (!better) {
        result.converged = worst <= tolerance;
        result.note = fmt::format("Newton's method stalled at a residual of {:.3g}", worst);
        return result;
      }
      X = tried;
      break;
    }
  }
  result.note = fmt::format("Newton's method did not converge in {} iterations; residual {:.3g}",
                            max_iterations, result.history.back());
  return result;
}

}  // namespace clack
