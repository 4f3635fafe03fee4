#include "clack/solve/first_order/variational_inequality.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "clack/core/error.hpp"
#include "clack/problem/residual.hpp"

namespace clack {
namespace {

// (trace / rows)^-1/2 of the rows [first, first + count) of a block, 1 where nothing moves.
double block_scale(const double* block, int dim, int first, int count) {
  double trace = 0;
  for (int k = first; k < first + count; ++k) trace += block[k + k * dim];
  return trace > 0 ? std::sqrt(count / trace) : 1.0;
}

}  // namespace

const OptionTable<ViOptions>& ViOptions::table() {
  using Self = ViOptions;
  static const OptionTable<Self> table = {
      make_option<Self>({"check_every", OptionRange::from(1), "-",
                         "iterations between two evaluations of the residual"},
                        &Self::check_every),
      make_option<Self>({"step", OptionRange::above(0), "-", "first rho, of the scaled problem"},
                        &Self::step),
      make_option<Self>({"shrink", OptionRange::inside(0, 1), "-",
                         "of rho where the test fails; its inverse is the growth"},
                        &Self::shrink),
      make_option<Self>({"upper", OptionRange::inside(0, 1), "-",
                         "rho |F(r) - F(rbar)| <= upper |r - rbar| must hold"},
                        &Self::upper),
      make_option<Self>({"lower", OptionRange::inside(0, 1), "-",
                         "rho grows where the ratio lies below; < upper"},
                        &Self::lower),
      make_option<Self>(
          {"gamma", OptionRange::inside(0, 2), "-", "over-relaxation of the corrected steps"},
          &Self::gamma),
  };
  return table;
}

void ViOptions::validate() const {
  SolverOptions::validate();
  validate_options("vi", table(), *this);
  if (!(lower < upper))
    throw InputError(fmt::format("vi: lower is {}; it must be < upper, {}", lower, upper));
}

void ViMap::load(const ReducedProblem& problem) {
  std::array<double, Cone::kMaxDim * Cone::kMaxDim> block;
  problem_ = problem;
  cones_.assign(problem.cones.begin(), problem.cones.end());
  scale_.resize(problem.size());
  work_.resize(problem.size());
  for (int c = 0; c < problem.contacts(); ++c) {
    const auto i = static_cast<std::size_t>(c);
    problem.W->diagonal_block(problem.offset[i], cones_[i].dim(), block.data());
    set_scale(c, block.data());
  }
  u_free_ = scale_.cwiseProduct(problem.free_velocity());
}

// |r_i| <= mu_i r_N becomes |r_i^| <= mu_i D_N / D_i r_N^, and g scales in the same way.
void ViMap::set_scale(int contact, const double* block) {
  const auto i = static_cast<std::size_t>(contact);
  const Cone cone = problem_.cones[i];
  const int dim = cone.dim(), begin = problem_.offset[i];
  const int first = cone.rows_like_normal();
  const double scale = block_scale(block, dim, 0, first);
  scale_.segment(begin, first).setConstant(scale);
  if (first == dim) return;
  std::array<Cone::DiscShape, Cone::kMaxDiscs> shapes;
  const auto count = static_cast<std::size_t>(cone.disc_count());
  for (std::size_t d = 0; d < count; ++d) {
    const Cone::Disc disc = cone.disc(static_cast<int>(d));
    shapes[d] = {disc.dim, disc.radius};
    if (d == 0) continue;
    const double own = block_scale(block, dim, disc.begin, disc.dim);
    scale_.segment(begin + disc.begin, disc.dim).setConstant(own);
    shapes[d].radius *= scale / own;
  }
  cones_[i] = Cone::discs(std::span(shapes).first(count));
}

void ViMap::evaluate(const Vector& r, Vector& F) {
  F.resize(size());
  work_ = scale_.cwiseProduct(r);
  problem_.W->multiply(work_.data(), F.data());
  F = scale_.cwiseProduct(F) + u_free_;
  for (std::size_t i = 0; i < cones_.size(); ++i) {
    double* u = F.data() + problem_.offset[i];
    if (!cones_[i].is_free()) u[0] += cones_[i].shift(u);
  }
}

void ViMap::project(const Vector& x, Vector& p) const {
  p.resize(size());
  for (std::size_t i = 0; i < cones_.size(); ++i) {
    cones_[i].project(x.data() + problem_.offset[i], p.data() + problem_.offset[i]);
  }
}

void ViMap::to_scaled(const double* r, Vector& scaled) const {
  scaled = ConstVectorMap(r, size()).cwiseQuotient(scale_);
}

void ViMap::from_scaled(const Vector& scaled, double* r) const {
  VectorMap(r, size()) = scale_.cwiseProduct(scaled);
}

ViSolver::ViSolver(const ViOptions& options) : Solver(options), options_(options) {
  options.validate();
}

double ViSolver::predict() {
  constexpr int kReductions = 60;
  double ratio = 0;
  for (int k = 0; k < kReductions; ++k) {
    work_ = r_ - rho_ * F_;
    map_.project(work_, rbar_);
    map_.evaluate(rbar_, Fbar_);
    const double change = (r_ - rbar_).norm();
    if (!(change > 0)) return 0;
    ratio = rho_ * (F_ - Fbar_).norm() / change;
    if (ratio <= options_.upper) break;
    rho_ *= options_.shrink * std::min(1.0, 1 / ratio);
  }
  return ratio;
}

double ViSolver::correction(Vector& d) const {
  d = r_ - rbar_ - rho_ * (F_ - Fbar_);
  const double square = d.squaredNorm();
  return square > 0 ? (r_ - rbar_).dot(d) / square : 1.0;
}

void ViSolver::move(double length, const Vector& direction) {
  work_ = r_ - length * direction;
  map_.project(work_, r_);
  fresh_ = false;
}

void ViSolver::iterate(const ReducedProblem& problem, double* r, double* u, SolveReport& report) {
  map_.load(problem);
  map_.to_scaled(r, r_);
  map_.project(r_, r_);
  best_.clear(problem.size());
  rho_ = options_.step;
  fresh_ = false;
  for (int iteration = 1;; ++iteration) {
    if (!fresh_) map_.evaluate(r_, F_);
    const double ratio = predict();
    update();
    if (ratio <= options_.lower) rho_ /= options_.shrink;
    if (!check_due(iteration, options_.check_every, options().max_iterations)) continue;
    map_.from_scaled(r_, r);
    const double residual = measure(r, u);
    best_.offer(residual, r, problem.size());
    if (stop_here(iteration, residual, report)) break;
  }
  best_.restore(r);
}

void ViFixedPoint::update() {
  r_.swap(rbar_);
  F_.swap(Fbar_);
  fresh_ = true;
}

void ViExtragradient::update() {
  const double a = correction(d_);
  move(options_.gamma * a * rho_, Fbar_);
}

void ViHyperplane::update() {
  const double a = correction(d_);
  move(options_.gamma * a, d_);
}

}  // namespace clack
