// Projection methods for the variational inequality of frictional contact (eq:vi):
//
//     find r in K:   (s - r)' F(r) >= 0 for all s in K,      F(r) = u + g(u),  u = W r + u_free
//
// With rbar = proj_K(r - rho F(r)) and rho reduced until  rho |F(r) - F(rbar)| <= 0.9 |r - rbar|:
//
//   vi-fixed-point    r <- rbar                                               (eq:vi_fixed_point)
//   vi-extragradient  r <- proj_K(r - gamma a rho F(rbar)), a = e'd / |d|^2,
//                     e = r - rbar, d = e - rho (F(r) - F(rbar)); a = 1, gamma = 1 is
//                     Korpelevich's step                                    (eq:vi_extragradient)
//   vi-hyperplane     r <- proj_K(r - gamma a d): the hyperplane through rbar with normal d
//                     separates r from the solutions                           (eq:vi_hyperplane)
//
// on r^ = D^-1 r with one scalar D_i = (tr W_ii / dim)^-1/2 a contact (discs after the first: one
// of their own, which only changes their mu_i), so that units do not matter. Convergence is proved
// for monotone F (no friction, or g constant); with friction F is not monotone and the best impulse
// is returned. References: Khobotov (1987); Korpelevich (1976); He, Liao (2002); Solodov, Tseng
// (1996).
#pragma once

#include <vector>

#include "clack/core/types.hpp"
#include "clack/solve/first_order/best_iterate.hpp"
#include "clack/solve/solver.hpp"

namespace clack {

struct ViOptions : SolverOptions {
  ViOptions() { max_iterations = 100000; }
  int check_every = 10;       // iterations between two evaluations of the yardstick
  double step = 1.0;          // first rho, for the scaled problem
  double shrink = 2.0 / 3.0;  // of rho where the test fails; its inverse is the growth
  double upper = 0.9;         // rho |F(r) - F(rbar)| <= upper |r - rbar| must hold
  double lower = 0.3;         // rho grows where the ratio lies below
  double gamma = 1.8;         // over-relaxation of the corrected steps, in (0, 2)

  static const OptionTable<ViOptions>& table();
  void validate() const;
};

// The scaled problem: r^, F^ and the projection.
class ViMap {
 public:
  void load(const ReducedProblem& problem);
  int size() const { return static_cast<int>(scale_.size()); }
  // F(r), m values, of the scaled r.
  void evaluate(const Vector& r, Vector& F);
  // p = proj_K(x); may alias.
  void project(const Vector& x, Vector& p) const;
  void to_scaled(const double* r, Vector& scaled) const;
  void from_scaled(const Vector& scaled, double* r) const;

 private:
  void set_scale(int contact, const double* block);

  ReducedProblem problem_;
  Vector scale_, u_free_, work_;
  std::vector<Cone> cones_;
};

// One of the three methods; they share the step rule and differ in the update.
class ViSolver : public Solver {
 public:
  explicit ViSolver(const ViOptions& options);

 protected:
  // From r_, F_, rbar_, Fbar_, rho_ to the next r_.
  virtual void update() = 0;
  // d = e - rho (F(r) - F(rbar)); returns a = e'd / |d|^2.
  double correction(Vector& d) const;
  // r_ <- proj_K(r_ - length direction)
  void move(double length, const Vector& direction);

  ViOptions options_;
  ViMap map_;
  Vector r_, F_, rbar_, Fbar_, d_, work_;
  double rho_ = 1;
  bool fresh_ = false;  // F_ belongs to r_

 private:
  void iterate(const ReducedProblem& problem, double* r, double* u, SolveReport& report) override;
  // Reduces rho_ until the test holds at rbar_; returns the ratio, 0 at a solution.
  double predict();

  BestIterate best_;
};

class ViFixedPoint final : public ViSolver {
 public:
  explicit ViFixedPoint(const ViOptions& options = {}) : ViSolver(options) {}
  std::string_view name() const override { return "vi-fixed-point"; }

 private:
  void update() override;
};

class ViExtragradient final : public ViSolver {
 public:
  explicit ViExtragradient(const ViOptions& options = {}) : ViSolver(options) {}
  std::string_view name() const override { return "vi-extragradient"; }

 private:
  void update() override;
};

class ViHyperplane final : public ViSolver {
 public:
  explicit ViHyperplane(const ViOptions& options = {}) : ViSolver(options) {}
  std::string_view name() const override { return "vi-hyperplane"; }

 private:
  void update() override;
};

}  // namespace clack
