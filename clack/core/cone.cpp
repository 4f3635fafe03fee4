#include "clack/core/cone.hpp"

#include <algorithm>
#include <cmath>

#include "clack/core/error.hpp"

namespace clack {
namespace {

double norm(const double* x, int dim) {
  return dim == 1 ? std::abs(x[0]) : std::sqrt(x[0] * x[0] + x[1] * x[1]);
}

void require(bool good, const char* message) {
  if (!good) throw InputError(message);
}

}  // namespace

Cone Cone::free(int dim) {
  require(dim >= 1 && dim <= kMaxDim, "a bilateral block has 1 to 6 rows");
  return Cone(true, dim);
}

Cone Cone::nonnegative() { return Cone(false, 1); }

Cone Cone::coulomb(int dim, double mu) {
  require(dim == 2 || dim == 3, "Coulomb's cone has dimension 2 or 3");
  require(std::isfinite(mu) && mu >= 0, "the friction coefficient must be finite and >= 0");
  Cone cone(false, dim);
  cone.add_disc(1, dim - 1, mu);
  return cone;
}

Cone Cone::rolling(double mu, double mu_r) {
  Cone cone = coulomb(3, mu);
  require(std::isfinite(mu_r) && mu_r >= 0, "the rolling coefficient must be finite and >= 0");
  cone.dim_ = 5;
  cone.add_disc(3, 2, mu_r);
  return cone;
}

void Cone::add_disc(int begin, int dim, double radius) {
  discs_[disc_count_++] = {static_cast<std::int8_t>(begin), static_cast<std::int8_t>(dim), radius};
}

// The projected normal component p >= 0 is the root of the increasing piecewise linear function
// p - x_N - sum_i mu_i (|x_i| - mu_i p)+; the discs that stay active form a suffix of the breakpoints
// |x_i| / mu_i, so trying every subset size in that order finds it.
double Cone::project_normal(double normal, const double* disc_norms) const {
  std::array<int, kMaxDiscs> order{};
  for (int i = 0; i < disc_count_; ++i) order[i] = i;
  auto breakpoint = [&](int i) {
    return discs_[i].radius > 0 ? disc_norms[i] / discs_[i].radius : HUGE_VAL;
  };
  if (disc_count_ == 2 && breakpoint(order[0]) < breakpoint(order[1])) std::swap(order[0], order[1]);
  double numerator = normal;
  double denominator = 1.0;
  double best = normal;
  for (int k = 0; k < disc_count_; ++k) {
    if (best >= breakpoint(order[k])) break;  // this disc and all later ones hold strictly
    const double mu = discs_[order[k]].radius;
    numerator += mu * disc_norms[order[k]];
    denominator += mu * mu;
    best = numerator / denominator;
  }
  return std::max(best, 0.0);
}

void Cone::project(const double* x, double* p) const {
  if (free_) {
    std::copy_n(x, dim_, p);
    return;
  }
  std::array<double, kMaxDiscs> norms{};
  for (int i = 0; i < disc_count_; ++i) norms[i] = norm(x + discs_[i].begin, discs_[i].dim);
  const double normal = project_normal(x[0], norms.data());
  p[0] = normal;
  for (int i = 0; i < disc_count_; ++i) {
    const Disc& disc = discs_[i];
    const double limit = disc.radius * normal;
    const double scale = norms[i] > limit ? limit / norms[i] : 1.0;
    for (int k = disc.begin; k < disc.begin + disc.dim; ++k) p[k] = scale * x[k];
  }
}

double Cone::shift(const double* u) const {
  double sum = 0;
  for (int i = 0; i < disc_count_; ++i) {
    sum += discs_[i].radius * norm(u + discs_[i].begin, discs_[i].dim);
  }
  return sum;
}

double Cone::distance(const double* x) const {
  std::array<double, kMaxDim> p{};
  project(x, p.data());
  double sum = 0;
  for (int k = 0; k < dim_; ++k) sum += (x[k] - p[k]) * (x[k] - p[k]);
  return std::sqrt(sum);
}

// Moreau's decomposition: y = proj_K*(y) - proj_K(-y), so the distance to K* is |proj_K(-y)|.
double Cone::dual_distance(const double* y) const {
  std::array<double, kMaxDim> p{};
  for (int k = 0; k < dim_; ++k) p[k] = -y[k];
  project(p.data(), p.data());
  double sum = 0;
  for (int k = 0; k < dim_; ++k) sum += p[k] * p[k];
  return std::sqrt(sum);
}

}  // namespace clack
