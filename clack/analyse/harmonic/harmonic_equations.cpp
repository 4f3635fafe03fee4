#include "clack/analyse/harmonic/harmonic_equations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "clack/core/error.hpp"
#include "clack/integrate/contact_motion.hpp"

namespace clack {
namespace {

constexpr double kTwoPi = 6.28318530717958647692;
constexpr int kFewestSamples = 128;

FourierBasis make_basis(const HarmonicProblem& problem) {
  const HarmonicOptions& options = problem.options;
  options.validate();
  return {options.harmonics, problem.orbit.kind == OrbitKind::conservative,
          std::max(kFewestSamples, options.samples * options.harmonics)};
}

}  // namespace

void HarmonicOptions::validate() const {
  if (harmonics < 1 || harmonics > 1000) {
    throw InputError(
        fmt::format("harmonics: {}; allowed: a whole number from 1 to 1000", harmonics));
  }
  if (samples < 4 || samples > 1000)
    throw InputError(fmt::format("samples of a harmonic: {}; allowed: 4 to 1000", samples));
  if (!(epsilon > 0) || !std::isfinite(epsilon))
    throw InputError(fmt::format("epsilon of a harmonic balance: {}; it must be > 0", epsilon));
}

HarmonicEquations::HarmonicEquations(const HarmonicProblem& problem, double parameter,
                                     double period, const ContactSeries& series,
                                     bool free_parameter)
    : problem_(problem),
      basis_(make_basis(problem)),
      fixed_parameter_(parameter),
      fixed_period_(period) {
  const LinearStructure& structure = this->structure(parameter);
  rows_ = structure.rows();
  int unknowns = unknown_coefficients();
  if (problem.orbit.kind != OrbitKind::forced) frequency_at_ = unknowns++;
  if (free_parameter) parameter_at_ = unknowns++;
  const double omega = kTwoPi / period;
  const ResponseMaker maker(structure, basis_);
  chart_ = maker.chart(omega);
  Vector X = Vector::Zero(unknowns);
  if (frequency_at_ >= 0) X[frequency_at_] = omega;
  if (parameter_at_ >= 0) X[parameter_at_] = parameter;
  choose(X);
  Vector force(unknown_coefficients()), motion(unknown_coefficients());
  for (int r = 0; r < rows_; ++r) {
    force.segment(r * basis_.size(), basis_.size()) = series.force.row(r).head(basis_.size());
    motion.segment(r * basis_.size(), basis_.size()) = series.motion.row(r).head(basis_.size());
  }
  X.head(unknown_coefficients()) = maker.unknowns(chart_, *response_, force, motion);
  const double kappa = structure.contact_stiffness();
  force_scale_ = std::max({kappa * response_->y_free.cwiseAbs().maxCoeff(),
                           kappa * motion.cwiseAbs().maxCoeff(), force.cwiseAbs().maxCoeff()});
  if (!(force_scale_ > 0) || !std::isfinite(force_scale_)) force_scale_ = kappa;
  scale_ = Vector::Constant(unknowns, force_scale_);
  if (frequency_at_ >= 0) scale_[frequency_at_] = omega;
  if (parameter_at_ >= 0) scale_[parameter_at_] = std::max(std::abs(parameter), 1e-3);
  start_ = reference_ = X;
}

const LinearStructure& HarmonicEquations::structure(double parameter) {
  if (!structure_ || structure_at_ != parameter) {
    structure_ = std::make_unique<LinearStructure>(problem_.orbit.system(parameter));
    structure_at_ = parameter;
    response_.reset();
  }
  return *structure_;
}

double HarmonicEquations::parameter(const Vector& X) const {
  return parameter_at_ >= 0 ? X[parameter_at_] : fixed_parameter_;
}

double HarmonicEquations::frequency(const Vector& X) const {
  if (frequency_at_ >= 0) return X[frequency_at_];
  const auto& period = problem_.orbit.period;
  return kTwoPi / (period ? period(parameter(X)) : fixed_period_);
}

void HarmonicEquations::choose(const Vector& X) {
  const double p = parameter(X), omega = frequency(X);
  const LinearStructure& at = structure(p);
  if (response_ && response_at_[0] == p && response_at_[1] == omega) return;
  response_ = std::make_unique<ContactResponse>(ResponseMaker(at, basis_).response(omega, chart_));
  for (int c = 0; lift_ != 0 && c < static_cast<int>(at.contacts().size()); ++c) {
    const Contact& contact = at.contacts()[static_cast<std::size_t>(c)];
    if (!contact.bilateral && !has_friction(contact))
      response_->y_free[at.row(c) * basis_.size()] += lift_;
  }
  response_at_[0] = p;
  response_at_[1] = omega;
}

void HarmonicEquations::set_lift(double lift) {
  lift_ = lift;
  response_.reset();
}

// What is projected, by samples and row: lambda~ - eps y, for tangents lambda~ - eps dy/ds.
ForceSamples HarmonicEquations::trial(const Vector& s, bool with_derivative) const {
  const double eps = problem_.options.epsilon * structure_->contact_stiffness();
  const int size = basis_.size();
  ForceSamples samples{Matrix(basis_.samples(), rows_), {}};
  for (int r = 0; r < rows_; ++r) {
    Matrix A = response_->A_motion.middleRows(r * size, size);
    Vector y = A * s + response_->y_free.segment(r * size, size);
    if (structure_->is_tangent(r)) {
      y = basis_.derivative(y);
      y[0] = response_->drift[r] / kTwoPi;
      if (with_derivative) A = basis_.derivative(A);
    }
    const auto force = response_->A_force.middleRows(r * size, size);
    samples.value.col(r) = basis_.values() * (force * s - eps * y);
    if (with_derivative) samples.derivative.push_back(basis_.values() * (force - eps * A));
  }
  return samples;
}

std::string HarmonicEquations::balance(const Vector& X, Vector& F, Matrix* J) {
  if (!(frequency(X) > 0)) return "the frequency would become negative";
  choose(X);
  const int n = unknown_coefficients(), size = basis_.size();
  if (!response_->A_force.allFinite() || !response_->A_motion.allFinite())
    return "the linear response has no value at this frequency";
  const Vector s = X.head(n);
  const ForceSamples forces = compute_contact_forces(*structure_, trial(s, J != nullptr));
  const bool phase = problem_.orbit.kind == OrbitKind::autonomous;
  F.resize(n + phase);
  F.head(n) = response_->A_force * s;
  for (int r = 0; r < rows_; ++r)
    F.segment(r * size, size) -= basis_.analysis() * forces.value.col(r);
  F.head(n) /= force_scale_;
  if (J) {
    J->setZero(n + phase, X.size());
    J->topLeftCorner(n, n) = response_->A_force;
    for (int r = 0; r < rows_; ++r) {
      J->block(r * size, 0, size, n) -=
          basis_.analysis() * forces.derivative[static_cast<std::size_t>(r)];
    }
    J->topLeftCorner(n, n) /= force_scale_;
  }
  if (phase) phase_row(X, F, J);
  return F.allFinite() ? std::string() : "the equations are not finite";
}

void HarmonicEquations::phase_row(const Vector& X, Vector& F, Matrix* J) const {
  const int row = unknown_coefficients(), size = basis_.size();
  const double unit = force_scale_ * std::max(1e-3 * force_scale_, reference_.head(row).norm());
  F[row] = 0;
  for (int r = 0; r < rows_; ++r) {
    for (int k = 1; k <= basis_.harmonics(); ++k) {
      const int a = r * size + basis_.cosine(k), b = r * size + basis_.sine(k);
      F[row] += k * (X[a] * reference_[b] - X[b] * reference_[a]) / unit;
      if (!J) continue;
      (*J)(row, a) = k * reference_[b] / unit;
      (*J)(row, b) = -k * reference_[a] / unit;
    }
  }
}

// The unknowns of two sets of equations mean other combinations of force and motion.
double HarmonicEquations::orientation(PathEquations& before, const Vector& X,
                                      const Vector& last_tangent, const Vector& tangent) {
  auto& last = static_cast<HarmonicEquations&>(before);
  last.choose(X);
  const int n = unknown_coefficients();
  const Vector moved = last_tangent.cwiseProduct(last.scale_), ds = moved.head(n);
  ContactResponse none{{}, {}, Vector::Zero(n), {}};
  Vector dX = moved;
  dX.head(n) =
      ResponseMaker(*structure_, basis_)
          .unknowns(chart_, none, last.response_->A_force * ds, last.response_->A_motion * ds);
  return tangent.dot(dX.cwiseQuotient(scale_));
}

std::string HarmonicEquations::residual(const Vector& X, Vector& F) {
  return balance(X, F, nullptr);
}

// By frequency and parameter: differences, which the kinks of the forces pass but at single places.
std::string HarmonicEquations::add_difference(const Vector& X, int column, Matrix& J) {
  const double d = 1e-6 * scale_[column];
  Vector ahead, behind, moved = X;
  moved[column] = X[column] + d;
  std::string fault = balance(moved, ahead, nullptr);
  moved[column] = X[column] - d;
  if (fault.empty()) fault = balance(moved, behind, nullptr);
  if (fault.empty()) J.col(column) = (ahead - behind) / (2 * d);
  return fault;
}

std::string HarmonicEquations::jacobian(const Vector& X, Vector& F, Matrix& J) {
  std::string fault = balance(X, F, &J);
  for (int column : {frequency_at_, parameter_at_}) {
    if (fault.empty() && column >= 0) fault = add_difference(X, column, J);
  }
  if (fault.empty()) J = J * scale_.asDiagonal();
  return fault;
}

ContactSeries HarmonicEquations::series(const Vector& X) {
  choose(X);
  const Vector s = X.head(unknown_coefficients());
  const Vector force = response_->A_force * s;
  const Vector motion = response_->A_motion * s + response_->y_free;
  const int size = basis_.size(), full = 1 + 2 * basis_.harmonics();
  ContactSeries result{Matrix(rows_, full), Matrix(rows_, full)};
  for (int r = 0; r < rows_; ++r) {
    result.force.row(r) = basis_.to_full(force.segment(r * size, size)).transpose();
    result.motion.row(r) = basis_.to_full(motion.segment(r * size, size)).transpose();
  }
  return result;
}

Matrix HarmonicEquations::coordinates(const Vector& X) {
  choose(X);
  const Vector force = response_->A_force * X.head(unknown_coefficients());
  return ResponseMaker(*structure_, basis_).coordinates(frequency(X), force);
}

}  // namespace clack
