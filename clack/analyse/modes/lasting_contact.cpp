#include "clack/analyse/modes/lasting_contact.hpp"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <cmath>

#include "clack/analyse/modes/conservative.hpp"
#include "clack/collide/contact_set.hpp"
#include "clack/core/error.hpp"

namespace clack {
namespace {

constexpr const char* kWhat =
    "modes with a lasting contact need a linear conservative system with one contact on a "
    "coordinate without mass: ";

[[noreturn]] void refuse(const std::string& why) { throw InputError(kWhat + why); }

void modes_of(const Matrix& K, const Matrix& M, Vector& omega, Matrix& shapes) {
  const Eigen::GeneralizedSelfAdjointEigenSolver<Matrix> solver(K, M);
  if (!(solver.eigenvalues()[0] > 0)) refuse("it has a motion without stiffness");
  omega = solver.eigenvalues().cwiseSqrt();
  shapes = solver.eigenvectors();
}

}  // namespace

LastingContactModes::LastingContactModes(const System& system, int contact) : n_(system.nv()) {
  check_conservative(system, contact, kWhat);
  const Vector zero = Vector::Zero(n_);
  Matrix M(n_, n_), K(n_, n_), C(n_, n_);
  system.mass(0, zero, M);
  system.jacobians(0, zero, zero, K, C);
  std::vector<int> massless;
  for (int i = 0; i < n_; ++i)
    (M.row(i).cwiseAbs().maxCoeff() > 0 ? with_mass_ : massless).push_back(i);
  if (massless.size() != 1 || with_mass_.empty())
    refuse(fmt::format("{} of its {} coordinates have no mass", massless.size(), n_));
  tip_ = massless.front();
  Forces forces(n_);
  system.forces(0, zero, zero, forces);
  forces.set_total();
  rest_ = K.ldlt().solve(forces.total);
  ContactSet set(system);
  ContactMap H(n_, set.rows());
  Vector w(set.rows()), gaps(set.size());
  set.map(0, zero, H, w);
  set.gaps(0, rest_, gaps);
  const int row = set.row_begin()[static_cast<std::size_t>(contact)];
  if (w[row] != 0) refuse("its contact moves");
  gap0_ = gaps[contact];
  normal_ = H.dense()(tip_, row);
  if (normal_ == 0 || std::abs(H.dense().col(row).norm() - std::abs(normal_)) > 1e-12)
    refuse("its gap depends on coordinates with mass");
  M_ = M(with_mass_, with_mass_);
  K_ = K(with_mass_, with_mass_);
  k_ti_ = K(with_mass_, tip_);
  k_tt_ = K(tip_, tip_);
  if (!(k_tt_ > 0)) refuse("no spring holds that coordinate");
  tip_at_stop_ = -gap0_ / normal_;
  centre_ = -K_.ldlt().solve(k_ti_ * tip_at_stop_);
  modes_of(K_ - k_ti_ * k_ti_.transpose() / k_tt_, M_, omega_free_, free_);
  modes_of(K_, M_, omega_contact_, contact_);
}

// Motion of a phase, by its modes.
void LastingContactModes::motion(const Vector& u0, const Vector& v0, bool contact, double t,
                                 Vector& u, Vector& v) const {
  const Vector& omega = contact ? omega_contact_ : omega_free_;
  const Matrix& shapes = contact ? contact_ : free_;
  const Vector about = contact ? centre_ : Vector::Zero(u0.size());
  const Vector a = shapes.transpose() * (M_ * (u0 - about)), b = shapes.transpose() * (M_ * v0);
  const Eigen::ArrayXd c = (omega.array() * t).cos(), s = (omega.array() * t).sin();
  u = about + shapes * (a.array() * c + b.array() * s / omega.array()).matrix();
  v = shapes * (b.array() * c - a.array() * s * omega.array()).matrix();
}

// v(T/2) is affine in d: its columns from unit vectors.
LastingContactModes::Trial LastingContactModes::trial(double T, double tau) const {
  const auto m = static_cast<long>(with_mass_.size());
  const auto end = [&](const Vector& d, Vector& u, Vector& v) {
    Vector far, rate;
    motion(centre_ + d, Vector::Zero(m), true, tau / 2, u, v);
    motion(u, v, false, (T - tau) / 2, far, rate);
    return rate;
  };
  Trial result;
  const Vector base = end(Vector::Zero(m), result.u, result.v);
  Matrix A(m, m);
  for (long j = 0; j < m; ++j) A.col(j) = end(Vector::Unit(m, j), result.u, result.v) - base;
  result.d = -A.partialPivLu().solve(base);
  (void)end(result.d, result.u, result.v);
  result.excess = tip_at_stop_ - tip_when_free(result.u);
  return result;
}

void LastingContactModes::complete(const Trial& at, LastingContactMode& mode) const {
  constexpr int kParts = 400;
  Vector middle = Vector::Zero(n_), u, v;
  middle(with_mass_) = centre_ + at.d;
  middle[tip_] = tip_at_stop_;
  mode.middle = rest_ + middle;
  const Vector inner = centre_ + at.d;
  mode.energy = 0.5 * inner.dot(K_ * inner) + tip_at_stop_ * k_ti_.dot(inner) +
                0.5 * k_tt_ * tip_at_stop_ * tip_at_stop_;
  mode.admissible = std::isfinite(mode.energy);
  if (!mode.admissible) mode.inadmissible = "the energy is not finite";
  for (int k = 0; k < kParts && mode.admissible; ++k) {
    const double t = 0.5 * mode.contact * k / kParts;
    motion(inner, Vector::Zero(inner.size()), true, t, u, v);
    const double force = (k_ti_.dot(u) + k_tt_ * tip_at_stop_) / normal_;
    mode.force = std::max(mode.force, force);
    if (force > 0) continue;
    mode.admissible = false;
    mode.inadmissible =
        fmt::format("the contact would pull with {:.6g} N, {:.6g} s after its middle", -force, t);
  }
  for (int k = 1; k <= kParts && mode.admissible; ++k) {
    const double t = 0.5 * (mode.period - mode.contact) * k / kParts;
    motion(at.u, at.v, false, t, u, v);
    const double gap = gap0_ + normal_ * tip_when_free(u);
    if (gap > 0) continue;
    mode.admissible = false;
    mode.inadmissible =
        fmt::format("the gap would be {:.6g} m, {:.6g} s after the contact", gap, t);
  }
}

std::vector<LastingContactMode> LastingContactModes::modes(double T, int grid) const {
  if (!(T > 0)) throw InputError(fmt::format("the period is {} s; it must be > 0", T));
  std::vector<LastingContactMode> found;
  double last = 1e-9 * T, before = trial(T, last).excess;
  for (int k = 1; k < grid; ++k) {
    const double tau = T * k / grid, now = trial(T, tau).excess;
    if ((before < 0) != (now < 0)) {
      double low = last, high = tau, at_low = before;
      for (int pass = 0; pass < 80; ++pass) {
        const double middle = 0.5 * (low + high), value = trial(T, middle).excess;
        const bool same = (value < 0) == (at_low < 0);
        (same ? low : high) = middle;
        if (same) at_low = value;
      }
      LastingContactMode mode{
          .period = T, .contact = 0.5 * (low + high), .middle = {}, .inadmissible = {}};
      const Trial at = trial(T, mode.contact);
      // A sign that changes through infinity is no root.
      if (std::abs(at.excess) <= 1e-6 * (std::abs(tip_at_stop_) + at.u.norm())) {
        complete(at, mode);
        found.push_back(std::move(mode));
      }
    }
    last = tau;
    before = now;
  }
  return found;
}

State LastingContactModes::state(const LastingContactMode& mode, double t) const {
  double s = t - mode.period * std::floor(t / mode.period);
  const bool second = s > mode.period / 2;
  if (second) s = mode.period - s;  // even in time
  Vector u = (mode.middle - rest_)(with_mass_), v = Vector::Zero(u.size()), end_u, end_v;
  motion(u, v, true, std::min(s, mode.contact / 2), end_u, end_v);
  const bool free = s > mode.contact / 2;
  if (free) {
    u = end_u, v = end_v;
    motion(u, v, false, s - mode.contact / 2, end_u, end_v);
  }
  State state{t, rest_, Vector::Zero(n_)};
  state.q(with_mass_) += end_u;
  state.q[tip_] += free ? tip_when_free(end_u) : tip_at_stop_;
  state.v(with_mass_) = (second ? -1 : 1) * end_v;
  if (free) state.v[tip_] = (second ? -1 : 1) * tip_when_free(end_v);
  return state;
}

}  // namespace clack
