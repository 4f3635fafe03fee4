#include "clack/solve/convex/admm_engine.hpp"

#include <algorithm>
#include <cmath>

namespace clack {

void AdmmEngine::load(const BlockSparse& W, bool symmetric, const AdmmSettings& settings) {
  W_ = &W;
  settings_ = settings;
  rho_ = settings.rho;
  system_.load(W, Factorisation::automatic, symmetric);
  factorised_ = false;
  steps_ = 0;
  next_adaptation_ = settings.adapt_every;
}

bool AdmmEngine::factorise() {
  B_.assign(system_.block_values(), 0.0);
  for (int c = 0; c < W_->block_rows(); ++c) {
    const int dim = W_->offset()[c + 1] - W_->offset()[c];
    for (int k = 0; k < dim; ++k) B_[system_.block_begin(c) + k * dim + k] = rho_;
  }
  factorised_ = system_.factorise({}, B_);
  return factorised_;
}

void AdmmEngine::start(const ConvexSet& set, const Vector& b, const Vector& r) {
  z_ = r;
  set.project(z_);
  const Vector u = multiply(*W_, z_) + b;
  y_ = -u;
  set.project(y_);
  y_ += u;  // Moreau: the projection of u on the dual cone
  x_ = z_old_ = z_;
}

// Residual balancing, by at most a factor of 10 at a time. Both residuals are absolute: after
// scaling r and u have the same unit, and relative ones mislead where |r| and |b| differ much.
bool AdmmEngine::adapt() {
  constexpr double kWorthwhile = 2.5;
  const double primal = (x_ - z_).norm();
  const double dual = rho_ * (z_ - z_old_).norm();
  if (!(primal > 0) || !(dual > 0)) return true;
  const double factor = std::clamp(std::sqrt(primal / dual), 0.1, 10.0);
  if (factor < kWorthwhile && factor > 1 / kWorthwhile) return true;
  const double before = rho_;
  rho_ = std::clamp(rho_ * factor, 1e-8, 1e8);
  if (factorise()) return true;
  rho_ = before;
  return factorise();
}

bool AdmmEngine::step(const ConvexSet& set, const Vector& b) {
  if (!factorised_ && !factorise()) return false;
  z_old_ = z_;
  v_ = y_ - b + rho_ * z_;
  if (!system_.solve(v_, x_)) return false;
  v_ = settings_.relaxation * x_ + (1 - settings_.relaxation) * z_old_ - y_ / rho_;
  z_ = v_;
  set.project(z_);
  y_ = rho_ * (z_ - v_);
  ++steps_;
  if (settings_.adapt_every > 0 && steps_ == next_adaptation_) {
    next_adaptation_ += std::max(settings_.adapt_every, steps_ / 2);
    if (!adapt()) return false;
  }
  return z_.allFinite() && y_.allFinite();
}

void AdmmCore::load(const BlockSparse& W, bool symmetric, std::span<const Cone> cones) {
  W_ = &W;
  cones_ = cones;
  AdmmSettings settings;
  settings.relaxation = 1.6;  // safe here, since the problem is convex
  engine_.load(W, symmetric, settings);
}

CoreReport AdmmCore::solve(const Vector& b, const CoreLimits& limits, Vector& r) {
  constexpr int kCheckEvery = 4;
  const ConeSet set(cones_, W_->offset());
  engine_.start(set, b, r);
  BestCore best;
  best.offer(engine_.z(), natural_measure(set, engine_.z(), multiply(*W_, engine_.z()) + b, b));
  CoreReport report;
  while (!is_done(limits, report.iterations, best.measure)) {
    ++report.iterations;
    if (!engine_.step(set, b)) break;
    const Vector& z = engine_.z();
    if (report.iterations % kCheckEvery != 0 && report.iterations < limits.max_iterations) continue;
    best.offer(z, natural_measure(set, z, multiply(*W_, z) + b, b));
  }
  if (best.r.size() > 0) r = best.r;
  report.measure = best.measure;
  return report;
}

}  // namespace clack
