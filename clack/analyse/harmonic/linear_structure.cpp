#include "clack/analyse/harmonic/linear_structure.hpp"

#include <fmt/format.h>

#include <Eigen/LU>
#include <Eigen/SparseLU>
#include <cmath>

#include "clack/collide/contact_set.hpp"
#include "clack/core/error.hpp"
#include "clack/integrate/contact_motion.hpp"

namespace clack {
namespace {

constexpr int kMostDense = 150;  // coordinates up to which Z is factorised as a dense matrix

void refuse(const std::string& why) {
  throw InputError(
      "harmonic balance needs a linear system with a fixed list of contacts that obey Signorini's "
      "condition and Coulomb's law with a constant coefficient: " +
      why);
}

SparseMatrix sparse(const SystemMatrix& A) {
  return A.is_sparse() ? A.sparse() : SparseMatrix(A.dense().sparseView());
}

}  // namespace

LinearStructure::LinearStructure(std::shared_ptr<const System> system)
    : system_(std::move(system)) {
  const System& s = *system_;
  ContactSet set(s);
  if (!s.is_linear() || set.is_dynamic() || !set.has_constant_map())
    refuse("this one is not linear");
  const int n = s.nv();
  const Vector zero = Vector::Zero(n);
  SystemMatrix M(n, s.is_sparse()), K(n, s.is_sparse()), C(n, s.is_sparse());
  evaluate_mass(s, 0, zero, M);
  evaluate_jacobians(s, 0, zero, zero, K, C);
  M_ = sparse(M), K_ = sparse(K), C_ = sparse(C);
  damped_ = C_.nonZeros() > 0 && C_.coeffs().abs().maxCoeff() > 0;
  contacts_ = set.list();
  row_begin_ = set.row_begin();
  tangent_.assign(static_cast<std::size_t>(set.rows()), true);
  for (int c = 0; c < set.size(); ++c) tangent_[static_cast<std::size_t>(row(c))] = false;
  check_contacts();
  ContactMap H(n, set.rows());
  Vector w(set.rows());
  set.map(0, zero, H, w);
  H_ = H.dense();
  const ComplexMatrix S = project(solve(0, ComplexVector::Zero(n))).leftCols(rows());
  const double compliance = rows() > 0 ? S.real().diagonal().mean() : 1.0;
  if (!std::isfinite(compliance) || !(compliance > 0) || compliance > 1e12 * (1e-300 + S.norm()))
    refuse("it has no static equilibrium of its own, K is singular; hold it by a spring");
  stiffness_ = 1 / compliance;
  constant_ = comes_back_after(0.377) && comes_back_after(1.931) && comes_back_after(71.13);
}

void LinearStructure::check_contacts() const {
  if (contacts_.empty()) refuse("this one has no contact");
  for (const Contact& contact : contacts_) {
    if (contact.law.own) refuse(fmt::format("'{}' has a law of its own", contact.name));
    if (contact.turns > 0) refuse(fmt::format("'{}' has rolling friction", contact.name));
    if (!contact.law.mu.is_constant())
      refuse(fmt::format("the friction of '{}' depends on the speed", contact.name));
  }
}

bool LinearStructure::has_friction() const {
  for (const Contact& contact : contacts_) {
    if (!contact.bilateral && clack::has_friction(contact)) return true;
  }
  return false;
}

bool LinearStructure::has_mass(int contact) const {
  Vector mass = Vector::Zero(nv());
  for (int j = 0; j < M_.outerSize(); ++j) {
    for (SparseMatrix::InnerIterator it(M_, j); it; ++it)
      mass[it.row()] = std::max(mass[it.row()], std::abs(it.value()));
  }
  for (int i = 0; i < nv(); ++i) {
    if (H_(i, row(contact)) != 0 && mass[i] == 0) return false;
  }
  return true;
}

Vector LinearStructure::forces_at(double t) const {
  const Vector zero = Vector::Zero(nv());
  Forces forces(nv());
  system_->forces(t, zero, zero, forces);
  forces.set_total();
  return forces.total;
}

Vector LinearStructure::motion_at(double t) const {
  const Vector zero = Vector::Zero(nv());
  ContactSet set(*system_);
  ContactMap H(nv(), rows());
  Vector w(rows()), gaps(set.size());
  set.map(t, zero, H, w);
  set.gaps(t, zero, gaps);
  for (int c = 0; c < set.size(); ++c) w[row(c)] = gaps[c];
  return w;
}

bool LinearStructure::comes_back_after(double time) const {
  constexpr int kTimes = 20;
  for (int j = 0; j < kTimes; ++j) {
    const double t = 0.0137 * time + 1.618 * j * time / kTimes;
    const Vector f = forces_at(t), later = forces_at(t + time);
    const Vector g = motion_at(t), moved = motion_at(t + time);
    if ((f - later).norm() > 1e-8 * (f.norm() + later.norm() + 1e-300)) return false;
    if ((g - moved).norm() > 1e-8 * (g.norm() + moved.norm() + 1e-300)) return false;
  }
  return true;
}

HarmonicDrive LinearStructure::drive(double period, const FourierBasis& basis) const {
  const int N = basis.samples();
  HarmonicDrive drive{Matrix::Zero(nv(), basis.size()), Matrix::Zero(rows(), basis.size()),
                      Vector::Zero(rows())};
  if (constant_) {
    drive.f.col(0) = forces_at(0);
    drive.g.col(0) = motion_at(0);
  } else {
    Matrix f(nv(), N), g(rows(), N);
    for (int j = 0; j < N; ++j) {
      f.col(j) = forces_at(period * j / N);
      g.col(j) = motion_at(period * j / N);
    }
    drive.f = f * basis.analysis().transpose();
    drive.g = g * basis.analysis().transpose();
  }
  // Tangential rows: drives [m/s] become displacements, their mean a drift.
  for (std::size_t c = 0; c < contacts_.size(); ++c) {
    for (int r = row_begin_[c] + 1; r < row_begin_[c + 1]; ++r) {
      const Vector rate = basis.to_full(drive.g.row(r).transpose());
      drive.drift[r] = rate[0] * period;
      // y' = rate: the derivative of the derivative is -k^2 of the coefficients.
      const double omega = 6.28318530717958647692 / period;
      Vector moved = -FourierBasis::derivative(rate) / omega;
      const int H = basis.harmonics();
      moved[0] = 0;
      for (int k = 1; k <= H; ++k) moved[k] /= double(k) * k, moved[H + k] /= double(k) * k;
      drive.g.row(r) = moved.head(basis.size()).transpose();
    }
  }
  return drive;
}

template <class Scalar>
ComplexMatrix LinearStructure::solve_as(double frequency, const ComplexMatrix& B) const {
  using Dense = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>;
  Eigen::SparseMatrix<Scalar> Z =
      K_.template cast<Scalar>() - (frequency * frequency) * M_.template cast<Scalar>();
  if constexpr (!std::is_same_v<Scalar, double>) {
    if (damped_) Z += std::complex<double>(0, frequency) * C_.template cast<std::complex<double>>();
  }
  const auto solved = [&](const auto& factors) -> ComplexMatrix {
    if constexpr (std::is_same_v<Scalar, double>) {
      ComplexMatrix V(B.rows(), B.cols());
      V.real() = factors.solve(Dense(B.real()));
      V.imag() = factors.solve(Dense(B.imag()));
      return V;
    } else {
      return factors.solve(B);
    }
  };
  if (nv() <= kMostDense) return solved(Eigen::PartialPivLU<Dense>(Dense(Z)));
  Z.makeCompressed();
  Eigen::SparseLU<Eigen::SparseMatrix<Scalar>> factors(Z);
  if (factors.info() != Eigen::Success) return ComplexMatrix::Constant(B.rows(), B.cols(), NAN);
  return solved(factors);
}

// Where Z is singular, a frequency beside it: the response there is large but has a value.
ComplexMatrix LinearStructure::solve(double frequency, const ComplexVector& f) const {
  ComplexMatrix B(nv(), rows() + 1);
  B.leftCols(rows()) = H_.cast<std::complex<double>>();
  B.col(rows()) = f;
  for (double shift : {0.0, 1e-11, 1e-9}) {
    const double at = frequency * (1 + shift);
    ComplexMatrix V = damped_ ? solve_as<std::complex<double>>(at, B) : solve_as<double>(at, B);
    if (V.allFinite()) return V;
  }
  return ComplexMatrix::Constant(nv(), rows() + 1, NAN);
}

}  // namespace clack
