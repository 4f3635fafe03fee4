#include "clack/solve/convex/projected_gradient.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace clack {
namespace {

constexpr int kCheckEvery = 5;  // iterations between two evaluations of the measure

}  // namespace

// A few power steps from a fixed vector give a first L; backtracking repairs it where too small.
void ApgdCore::load(const BlockSparse& W, bool, std::span<const Cone> cones) {
  W_ = &W;
  cones_ = cones;
  Vector x(W.size());
  for (int i = 0; i < x.size(); ++i) x[i] = 1 + 0.3 * std::sin(1.0 + 7.0 * i);
  L_ = 1e-12;
  for (int k = 0; k < 6; ++k) {
    const Vector y = multiply(W, x);
    const double norm = y.norm();
    if (!(norm > 0)) break;
    L_ = std::max(L_, norm / x.norm());
    x = y / norm;
  }
  const SparseMatrix sizes = W.to_sparse().cwiseAbs();
  L_bound_ = std::max((sizes * Vector::Ones(W.size())).maxCoeff(), L_);
}

CoreReport ApgdCore::solve(const Vector& b, const CoreLimits& limits, Vector& r) {
  return minimise(b, ConeSet(cones_, W_->offset()), limits, r);
}

CoreReport ApgdCore::minimise(const Vector& b, const ConvexSet& set, const CoreLimits& limits,
                              Vector& r) {
  set.project(r);
  Vector Wr = multiply(*W_, r), y = r, Wy = Wr, next, W_next, step;
  BestCore best;
  best.offer(r, natural_measure(set, r, Wr + b, b));
  double momentum = 1;
  CoreReport report;
  while (!is_done(limits, report.iterations, best.measure)) {
    ++report.iterations;
    for (int trial = 0; trial < 60; ++trial) {  // backtracking: d' W d <= L |d|^2
      next = y - (Wy + b) / L_;
      set.project(next);
      W_next = multiply(*W_, next);
      step = next - y;
      const double curvature = step.dot(W_next - Wy);
      if (curvature <= L_ * step.squaredNorm() * (1 + 1e-12) || L_ >= L_bound_) break;
      L_ = std::min(1.5 * L_, L_bound_);
    }
    const Vector change = next - r;
    const bool restart = step.dot(change) < 0;  // (y - next) . (next - r) > 0
    const double following = 0.5 * (1 + std::sqrt(1 + 4 * momentum * momentum));
    const double beta = restart ? 0.0 : (momentum - 1) / following;
    momentum = restart ? 1.0 : following;
    y = next + beta * change;
    Wy = W_next + beta * (W_next - Wr);
    r.swap(next);
    Wr.swap(W_next);
    if (restart) L_ *= 0.95;
    if (report.iterations % kCheckEvery == 0 || report.iterations >= limits.max_iterations) {
      best.offer(r, natural_measure(set, r, Wr + b, b));
    }
  }
  r = best.r;
  report.measure = best.measure;
  return report;
}

void SpectralCore::load(const BlockSparse& W, bool, std::span<const Cone> cones) {
  W_ = &W;
  cones_ = cones;
}

CoreReport SpectralCore::solve(const Vector& b, const CoreLimits& limits, Vector& r) {
  return minimise(b, ConeSet(cones_, W_->offset()), limits, r);
}

CoreReport SpectralCore::minimise(const Vector& b, const ConvexSet& set, const CoreLimits& limits,
                                  Vector& r) {
  constexpr int kMemory = 10;
  constexpr double kMin = 1e-8, kMax = 1e4;
  set.project(r);
  Vector g = multiply(*W_, r) + b, d, Wd;
  double f = 0.5 * r.dot(g + b);
  std::array<double, kMemory> memory;
  memory.fill(-HUGE_VAL);
  BestCore best;
  best.offer(r, natural_measure(set, r, g, b));
  double lambda = 1;
  CoreReport report;
  while (!is_done(limits, report.iterations, best.measure)) {
    memory[report.iterations % kMemory] = f;
    ++report.iterations;
    d = r - lambda * g;
    set.project(d);
    d -= r;
    Wd = multiply(*W_, d);
    const double slope = g.dot(d), curvature = d.dot(Wd);
    // f(r + t d) <= max f + 1e-4 t slope; where t = 1 fails the exact minimiser t* < 1 is taken
    const double highest = *std::max_element(memory.begin(), memory.end());
    const double rounding = 1e-13 * std::abs(f);
    const bool full = f + slope + 0.5 * curvature <= highest + 1e-4 * slope + rounding;
    const double t = full || curvature <= 0 ? 1.0 : std::clamp(-slope / curvature, 1e-6, 1.0);
    r += t * d;
    g += t * Wd;
    f += t * slope + 0.5 * t * t * curvature;
    const double dd = d.squaredNorm();
    if (!(dd > 0)) break;
    const double ww = Wd.squaredNorm();
    const bool long_step = report.iterations % 2 == 0;
    const double spectral = long_step || ww == 0 ? dd / curvature : curvature / ww;
    // along the null space of W the curvature is rounding error and says nothing
    const bool flat = !(curvature > 1e-13 * dd);
    lambda = flat ? std::min(4 * lambda, kMax) : std::clamp(spectral, kMin, kMax);
    if (report.iterations % 20 == 0) {  // the recursion for g loses digits slowly
      g = multiply(*W_, r) + b;
      f = 0.5 * r.dot(g + b);
    }
    if (report.iterations % kCheckEvery == 0 || report.iterations >= limits.max_iterations) {
      best.offer(r, natural_measure(set, r, g, b));
    }
  }
  best.offer(r, natural_measure(set, r, multiply(*W_, r) + b, b));
  r = best.r;
  report.measure = best.measure;
  return report;
}

}  // namespace clack
