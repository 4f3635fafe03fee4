#include "clack/problem/residual.hpp"

#include <algorithm>
#include <array>
#include <cassert>
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
  Residual result{std::sqrt(sums.natural), std::sqrt(sums.natural_scaled),
                  std::sqrt(sums.velocity)};
  if (largest > kTiny) result.plain /= largest;
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

VelocityMetric::VelocityMetric(const Cone& cone, const double* block) {
  const int dim = cone.dim(), alike = cone.rows_like_normal();
  double trace = 0, others = 0;
  for (int k = 0; k < dim; ++k) (k < alike ? trace : others) += block[k * dim + k];
  lambda = trace / alike;
  if (others > 0 && lambda > 0) length = std::sqrt(lambda * (dim - alike) / others);
}

double VelocityMetric::square(const Cone& cone, const double* u) const {
  const int alike = cone.rows_like_normal();
  return squared_norm(u, alike) + length * length * squared_norm(u + alike, cone.dim() - alike);
}

double VelocityMetric::error_square(const Cone& cone, const double* r, const double* u) const {
  constexpr std::array<double, Cone::kMaxDim> kNone{};
  if (!(lambda > 0)) return natural_map_square(cone, kNone.data(), u, 1);
  const double square = lambda * lambda;
  const int dim = cone.dim(), alike = cone.rows_like_normal();
  if (alike == dim) return square * natural_map_square(cone, r, u, 1 / lambda);
  std::array<double, Cone::kMaxDim> own_r, own_u;
  for (int k = 0; k < dim; ++k) {
    own_r[k] = k < alike ? r[k] : r[k] / length;
    own_u[k] = k < alike ? u[k] : u[k] * length;
  }
  std::array<Cone::DiscShape, Cone::kMaxDiscs> shapes;
  for (int d = 0; d < cone.disc_count(); ++d) {
    const Cone::Disc disc = cone.disc(d);
    shapes[d] = {disc.dim, d == 0 ? disc.radius : disc.radius / length};
  }
  const Cone own = Cone::discs({shapes.data(), static_cast<std::size_t>(cone.disc_count())});
  return square * natural_map_square(own, own_r.data(), own_u.data(), 1 / lambda);
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

void Yardstick::bind(const ReducedProblem& problem) {
  assert(problem.is_consistent());
  problem_ = problem;
  const int n = problem.contacts();
  contacts_.resize(static_cast<std::size_t>(n));
  constants_ = {.free_velocity = squared_norm(problem.u_free, problem.size())};
  for (int c = 0; c < n; ++c) bind_contact(c);
  bind_islands();
}

void Yardstick::bind_contact(int c) {
  std::array<double, kBlock> block;
  const int begin = problem_.offset[c], dim = problem_.cones[c].dim();
  problem_.W->diagonal_block(begin, dim, block.data());
  const double largest = largest_eigenvalue(block.data(), dim);
  const bool moves = largest > 0;
  contacts_[c] = {moves ? 1 / largest : 1.0,
                  moves ? VelocityMetric(problem_.cones[c], block.data()) : VelocityMetric(), c};
  if (moves) {
    constants_.free_scaled +=
        scaled_free_square(block.data(), dim, problem_.u_free + begin, largest);
  }
}

void Yardstick::bind_islands() {
  const int n = problem_.contacts();
  if (n > 1) {
    components_.reset(contacts_.size());
    problem_.W->couple(problem_.offset, components_);
  }
  islands_.assign(contacts_.size(), {});
  double fastest = 0;
  for (int c = 0; c < n; ++c) {
    if (n > 1) contacts_[c].island = components_.find(c);
    double& free = islands_[contacts_[c].island].free;
    free = std::max(
        free, contacts_[c].metric.square(problem_.cones[c], problem_.u_free + problem_.offset[c]));
    fastest = std::max(fastest, free);
  }
  fastest = std::sqrt(fastest);
  for (Island& island : islands_) island.free = velocity_scale(std::sqrt(island.free), fastest);
}

void Yardstick::find_floors(const double* r) {
  for (Island& island : islands_) island.floor = 0;
  for (std::size_t c = 0; c < contacts_.size(); ++c) {
    const int begin = problem_.offset[c];
    const double lambda = contacts_[c].metric.lambda;
    const double load =
        lambda * lambda * squared_norm(r + begin, problem_.cones[c].rows_like_normal());
    double& floor = islands_[contacts_[c].island].floor;
    floor = std::max(floor, load);
  }
  for (Island& island : islands_)
    island.floor = round_off_velocity(std::sqrt(island.floor), island.free);
}

// e_i / s_I. Where nothing moves freely there is no scale: r = 0 is a solution, and what differs
// from it shows in the scaled residual.
double Yardstick::velocity_error(int c, const double* r, const double* u) const {
  const Island& island = islands_[contacts_[c].island];
  const double square = contacts_[c].metric.error_square(problem_.cones[c], r, u);
  if (square <= island.floor * island.floor || island.free == 0) return 0;
  return (std::sqrt(square) - island.floor) / island.free;
}

Residual Yardstick::measure_at(const double* r, const double* u) {
  assert(problem_.W != nullptr);  // bound
  const int m = problem_.size();
  ResidualSums sums = constants_;
  sums.r = squared_norm(r, m);
  sums.u = squared_norm(u, m);
  find_floors(r);
  double velocity = 0;
  int contact = -1;
  for (int c = 0; c < problem_.contacts(); ++c) {
    const Cone& cone = problem_.cones[c];
    const int begin = problem_.offset[c];
    sums.natural += natural_map_square(cone, r + begin, u + begin, 1.0);
    sums.natural_scaled += natural_map_square(cone, r + begin, u + begin, contacts_[c].rho);
    const double own = velocity_error(c, r + begin, u + begin);
    if (!(own > velocity || std::isnan(own))) continue;  // a NaN stays
    velocity = own;
    contact = c;
  }
  sums.velocity = velocity * velocity;
  Residual residual = make_residual(sums);
  residual.contact = contact;
  return residual;
}

Residual Yardstick::measure(const double* r, double* u) {
  assert(problem_.W != nullptr);  // bound
  problem_.W->multiply(r, u);
  for (int i = 0; i < problem_.size(); ++i) u[i] += problem_.u_free[i];
  return measure_at(r, u);
}

Residual compute_residual(const ReducedProblem& problem, const double* r, double* u) {
  Yardstick yardstick;
  yardstick.bind(problem);
  return yardstick.measure(r, u);
}

}  // namespace clack
