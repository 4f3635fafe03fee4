// Semismooth Newton for one closed contact (eq:local_newton).
//
// A contact with b_N < 0 is closed: u_N = 0 and r_N > 0. With every part p (the normal, each disc)
// scaled by the square root of its own lambda_p = lambda_max(W_pp), so that units cancel, it is
//
//     Phi_N = u_N,    Phi_i = r_i - proj_{|.| <= mu_i r_N}(r_i - u_i)  for every disc i
//
// Alart and Curnier's map with its normal branch known. Full Newton steps; the caller decides
// what to do where they do not converge. Reference: Alart, Curnier (1991).
#pragma once

#include <array>

#include "clack/core/cone.hpp"

namespace clack {

// The scaled problem of one closed contact, dim <= 6. Assumes at least one disc and W_NN > 0.
class ClosedContact {
 public:
  using Values = std::array<double, Cone::kMaxDim>;
  using Block = std::array<double, Cone::kMaxDim * Cone::kMaxDim>;  // by columns, stride dim

  static constexpr double kAccurate = 1e-13;  // relative error that counts as solved

  ClosedContact(const Cone& cone, const double* W, const double* b);

  // |Phi| / max(|r|, |b|) of the scaled r.
  double error(const Values& r) const;
  // Improves r by at most `steps` Newton steps and returns the error of the best one.
  double newton(Values& r, int steps) const;

  Values scaled(const double* r) const;
  // Writes r back in its own units, inside the cone.
  void write(const Values& scaled, double* r) const;

  int dim() const { return dim_; }
  int disc_count() const { return cone_.disc_count(); }
  Cone::Disc disc(int i) const { return cone_.disc(i); }
  double radius(int i) const { return radius_[static_cast<std::size_t>(i)]; }  // scaled
  double W(int i, int j) const { return W_[static_cast<std::size_t>(i + j * dim_)]; }
  double b(int i) const { return b_[static_cast<std::size_t>(i)]; }

 private:
  void velocity(const Values& r, Values& u) const;
  // Phi, and its Newton matrix where J is given.
  void evaluate(const Values& r, Values& phi, Block* J) const;
  void evaluate_disc(int i, const Values& r, const Values& u, Values& phi, Block* J) const;
  double norm(const Values& x) const;

  const Cone& cone_;
  int dim_;
  Values scale_;  // r = scale r^
  Values b_;
  Block W_;
  std::array<double, Cone::kMaxDiscs> radius_{};
  double b_norm_;
};

// Newton from r, then from the frictionless impulse. False where neither ends at kAccurate, and
// for cones without a disc; r is then as it was.
bool solve_local_ac(const Cone& cone, const double* W, const double* b, double* r);

}  // namespace clack
