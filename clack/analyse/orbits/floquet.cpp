#include "clack/analyse/orbits/floquet.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>

namespace clack {
namespace {

// A multiple eigenvalue +1 is known to the square root of the errors only.
constexpr double kOnCircle = 1e-5;

}  // namespace

Multipliers compute_multipliers(const Matrix& monodromy, const Matrix& basis, int trivial) {
  Multipliers result;
  result.stable = true;
  if (basis.cols() == 0) return result;
  const Matrix part = basis.transpose() * monodromy * basis;
  const Eigen::VectorXcd values = part.eigenvalues();
  result.values.assign(values.begin(), values.end());
  std::stable_sort(result.values.begin(), result.values.end(),
                   [](const auto& a, const auto& b) { return std::abs(a) > std::abs(b); });
  std::vector<std::complex<double>> others = result.values;
  const std::complex<double> one(1, 0);
  for (; result.trivial < trivial && !others.empty(); ++result.trivial) {
    const auto nearest = std::min_element(
        others.begin(), others.end(),
        [&](const auto& a, const auto& b) { return std::abs(a - one) < std::abs(b - one); });
    result.trivial_error = std::max(result.trivial_error, std::abs(*nearest - one));
    others.erase(nearest);
  }
  for (const auto& value : others) result.largest = std::max(result.largest, std::abs(value));
  result.stable = result.largest <= (trivial == 2 ? 1 + kOnCircle : 1.0);
  return result;
}

Matrix without_coordinates(const Matrix& basis, const std::vector<int>& coordinates) {
  if (coordinates.empty()) return basis;
  Matrix rest = basis;
  for (int i : coordinates) rest.row(i).setZero();
  const Eigen::ColPivHouseholderQR<Matrix> factors(rest);
  const Matrix Q = factors.householderQ();
  return Q.leftCols(factors.rank());
}

}  // namespace clack
