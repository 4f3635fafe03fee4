#include "clack/core/cone.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <string>

#include "clack/core/error.hpp"

namespace clack {
namespace {

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
  Cone cone(false, 1);
  cone.add_disc(dim - 1, mu);
  return cone;
}

Cone Cone::rolling(double mu, double mu_r) {
  Cone cone = coulomb(3, mu);
  require(std::isfinite(mu_r) && mu_r >= 0, "the rolling coefficient must be finite and >= 0");
  cone.add_disc(2, mu_r);
  return cone;
}

Cone Cone::discs(std::span<const DiscShape> shapes) {
  bool good = shapes.size() <= kMaxDiscs;
  int rows = 1;
  for (const DiscShape& shape : shapes) {
    good = good && shape.dim >= 1 && shape.dim <= kMaxDiscDim;
    good = good && std::isfinite(shape.radius) && shape.radius >= 0;
    rows += good ? shape.dim : 0;
  }
  if (!good || rows > kMaxDim) {
    std::string given;
    for (const DiscShape& shape : shapes)
      given += fmt::format(" ({}, {})", shape.dim, shape.radius);
    throw InputError(
        fmt::format("a friction cone has at most {} discs of dimension 1 to {}, at most {} rows "
                    "with the normal, "
                    "and finite radii >= 0; given are the discs (dimension, radius){}",
                    kMaxDiscs, kMaxDiscDim, kMaxDim, given));
  }
  Cone cone = nonnegative();
  for (const DiscShape& shape : shapes) cone.add_disc(shape.dim, shape.radius);
  return cone;
}

void Cone::add_disc(int dim, double radius) {
  begins_[disc_count_] = dim_;
  dims_[disc_count_] = static_cast<std::int8_t>(dim);
  radii_[disc_count_] = radius;
  dim_ = static_cast<std::int8_t>(dim_ + dim);
  ++disc_count_;
}

// The projected normal component p >= 0 is the root of the increasing piecewise linear function
// p - x_N - sum_i mu_i (|x_i| - mu_i p)+; the discs that stay active form a suffix of the
// breakpoints |x_i| / mu_i, so trying every subset size in that order finds it.
double Cone::project_normal(double normal, const double* disc_norms) const {
  auto breakpoint = [&](int i) { return radii_[i] > 0 ? disc_norms[i] / radii_[i] : HUGE_VAL; };
  std::array<int, kMaxDiscs> order{};  // by falling breakpoints
  for (int i = 1; i < disc_count_; ++i) {
    int place = i;
    for (; place > 0 && breakpoint(order[place - 1]) < breakpoint(i); --place)
      order[place] = order[place - 1];
    order[place] = i;
  }
  double numerator = normal;
  double denominator = 1.0;
  double best = normal;
  for (int k = 0; k < disc_count_; ++k) {
    if (best >= breakpoint(order[k])) break;  // this disc and all later ones hold strictly
    const double mu = radii_[order[k]];
    numerator += mu * disc_norms[order[k]];
    denominator += mu * mu;
    best = numerator / denominator;
  }
  return std::max(best, 0.0);
}

void Cone::project(const double* x, double* p) const {
  assert(x != nullptr && p != nullptr);
  if (free_) {
    std::copy_n(x, dim_, p);
    return;
  }
  std::array<double, kMaxDiscs> norms{};
  for (int i = 0; i < disc_count_; ++i) norms[i] = disc(i).norm(x);
  const double normal = project_normal(x[0], norms.data());
  p[0] = normal;
  for (int i = 0; i < disc_count_; ++i) {
    const Disc part = disc(i);
    const double limit = part.radius * normal;
    const double scale = norms[i] > limit ? limit / norms[i] : 1.0;
    for (int k = part.begin; k < part.begin + part.dim; ++k) p[k] = scale * x[k];
  }
}

double Cone::shift(const double* u) const {
  assert(u != nullptr);
  double sum = 0;
  for (int i = 0; i < disc_count_; ++i) sum += radii_[i] * disc(i).norm(u);
  return sum;
}

double Cone::distance(const double* x) const {
  assert(x != nullptr);
  std::array<double, kMaxDim> p{};
  project(x, p.data());
  double sum = 0;
  for (int k = 0; k < dim_; ++k) sum += (x[k] - p[k]) * (x[k] - p[k]);
  return std::sqrt(sum);
}

// Moreau's decomposition: y = proj_K*(y) - proj_K(-y), so the distance to K* is |proj_K(-y)|.
double Cone::dual_distance(const double* y) const {
  assert(y != nullptr);
  std::array<double, kMaxDim> p{};
  for (int k = 0; k < dim_; ++k) p[k] = -y[k];
  project(p.data(), p.data());
  double sum = 0;
  for (int k = 0; k < dim_; ++k) sum += p[k] * p[k];
  return std::sqrt(sum);
}

}  // namespace clack
