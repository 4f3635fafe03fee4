#include "clack/analyse/orbits/path_equations.hpp"

#include <fmt/format.h>

#include <Eigen/QR>
#include <algorithm>

namespace clack {
namespace {

constexpr int kMostHalvings = 8;

// Largest entries of F and the pins together.
std::string measure(PathEquations& equations, const std::vector<PathPin>& pins, const Vector& X,
                    double& worst) {
  Vector F, gradient;
  std::string fault = equations.residual(X, F);
  if (!fault.empty()) return fault;
  worst = F.cwiseAbs().maxCoeff();
  for (const PathPin& pin : pins) worst = std::max(worst, std::abs(pin(X, gradient)));
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
    double share = 1, next = 0;
    for (int k = 0; k <= kMostHalvings; ++k, share *= 0.5) {
      const Vector tried = X + share * step.cwiseProduct(equations.scale());
      const std::string fault = measure(equations, pins, tried, next);
      const bool better = fault.empty() && (next < worst || next <= tolerance);
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
