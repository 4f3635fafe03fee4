#include "clack/problem/residual.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace clack {
namespace {

constexpr int kBlock = Cone::kMaxDim * Cone::kMaxDim;
using Small =
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, Cone::kMaxDim, Cone::kMaxDim>;
using SmallVector = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, Cone::kMaxDim, 1>;

double squared_norm(const double* x, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += x[i] * x[i];
  return sum;
}

// |D_i^-1 b|^2 with the inverse of a 2 x 2 block; negative where the block is nearly singular.
double plane_free_velocity(const double* W, const double* b, double lambda) {
  const double determinant = W[0] * W[3] - W[1] * W[2];
  if (!(std::abs(determinant) > 1e-10 * lambda * lambda)) return -1;
  const double x = W[3] * b[0] - W[2] * b[1], y = W[0] * b[1] - W[1] * b[0];
  return (x * x + y * y) / (determinant * determinant);
}

double space_free_velocity(const double* W, const double* b, double lambda) {
  const Eigen::Map<const Eigen::Matrix3d> block(W);
  const Eigen::Vector3d c0 = block.col(1).cross(block.col(2));
  const double determinant = c0.dot(block.col(0));
  // The smallest eigenvalue is about the determinant over the sum of the principal minors.
  const double minors = c0[0] + W[0] * W[4] - W[1] * W[3] + W[0] * W[8] - W[2] * W[6];
  if (!(std::abs(determinant) > 1e-10 * lambda * std::abs(minors))) return -1;
  const Eigen::Map<const Eigen::Vector3d> right(b);
  const Eigen::Vector3d x(c0.dot(right), block.col(2).cross(block.col(0)).dot(right),
                          block.col(0).cross(block.col(1)).dot(right));
  return x.squaredNorm() / (determinant * determinant);
}

double other_free_velocity(const double* W, int dim, const double* b, double lambda) {
  const Small matrix = Eigen::Map<const Small>(W, dim, dim);
  const Eigen::PartialPivLU<Small> lu(matrix);
  if (lu.matrixLU().diagonal().cwiseAbs().minCoeff() <= 1e-10 * lambda) return -1;
  const SmallVector x = lu.solve(Eigen::Map<const SmallVector>(b, dim));
  return x.squaredNorm();
}

}  // namespace

double scaled_free_square(const double* block, int dim, const double* b, double lambda) {
  if (dim == 1) return b[0] * b[0] / (lambda * lambda);
  const double square = dim == 2   ? plane_free_velocity(block, b, lambda)
                        : dim == 3 ? space_free_velocity(block, b, lambda)
                                   : other_free_velocity(block, dim, b, lambda);
  return square >= 0 ? square : squared_norm(b, dim) / (lambda * lambda);
}

Residual make_residual(const ResidualSums& sums) {
  constexpr double kTiny = 2.2e-16;  // below it the problem is trivial and nothing is divided
  const double largest = std::sqrt(std::max({sums.free_velocity, sums.r, sums.u}));
  const double scale = std::sqrt(std::max(sums.r, sums.free_scaled));
  Residual result{std::sqrt(sums.natural), std::sqrt(sums.natural_scaled)};
  if (largest > kTiny) result.plain /= largest;
  if (sums.free_scaled > 1e-290) result.over_free = result.scaled / std::sqrt(sums.free_scaled);
  if (scale > 1e-290) result.scaled /= scale;
  return result;
}

double detail::natural_map_square_of_any(const Cone& cone, const double* r, const double* u,
                                         double rho) {
  std::array<double, Cone::kMaxDim> x;
  const int dim = cone.dim();
  if (cone.is_free()) return rho * rho * squared_norm(u, dim);
  x[0] = r[0] - rho * (u[0] + cone.shift(u));
  for (int k = 1; k < dim; ++k) x[k] = r[k] - rho * u[k];
  cone.project(x.data(), x.data());
  for (int k = 0; k < dim; ++k) x[k] -= r[k];
  return squared_norm(x.data(), dim);
}

double largest_eigenvalue(const double* block, int dim) {
  if (dim == 1) return block[0];
  if (dim == 2) {
    const double mean = 0.5 * (block[0] + block[3]);
    const double half = 0.5 * (block[0] - block[3]);
    const double off = 0.5 * (block[1] + block[2]);
    return mean + std::sqrt(half * half + off * off);
  }
  const Eigen::Map<const Small> a(block, dim, dim);
  if (dim == 3) {
    const Eigen::Matrix3d symmetric = 0.5 * (a + a.transpose());
    Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> eigen;
    return eigen.computeDirect(symmetric, Eigen::EigenvaluesOnly).eigenvalues()[2];
  }
  const Small symmetric = 0.5 * (a + a.transpose());
  const Eigen::SelfAdjointEigenSolver<Small> eigen(symmetric, Eigen::EigenvaluesOnly);
  return eigen.eigenvalues()[dim - 1];
}

Residual compute_residual(const ReducedProblem& problem, const double* r, double* u) {
  const int m = problem.size();
  problem.W->multiply(r, u);
  for (int i = 0; i < m; ++i) u[i] += problem.u_free[i];

  std::array<double, kBlock> block;
  ResidualSums sums{.free_velocity = squared_norm(problem.u_free, m),
                    .r = squared_norm(r, m),
                    .u = squared_norm(u, m)};
  for (int c = 0; c < problem.contacts(); ++c) {
    const Cone& cone = problem.cones[c];
    const int begin = problem.offset[c];
    const double step1 = natural_map_square(cone, r + begin, u + begin, 1.0);
    sums.natural += step1;
    problem.W->diagonal_block(begin, cone.dim(), block.data());
    const double lambda = largest_eigenvalue(block.data(), cone.dim());
    if (!(lambda > 0)) {  // a contact between bodies that cannot move: only rho = 1 makes sense
      sums.natural_scaled += step1;
      continue;
    }
    sums.natural_scaled += natural_map_square(cone, r + begin, u + begin, 1.0 / lambda);
    sums.free_scaled +=
        scaled_free_square(block.data(), cone.dim(), problem.u_free + begin, lambda);
  }
  return make_residual(sums);
}

}  // namespace clack
