#include "clack/analyse/orbits/orbit_equations.hpp"

#include <fmt/format.h>

#include <Eigen/QR>
#include <algorithm>
#include <cmath>

#include "clack/analyse/orbits/damped_system.hpp"

namespace clack {

OrbitEquations::OrbitEquations(const OrbitProblem& problem, std::vector<ContactPhase> sequence,
                               double period, bool free_parameter)
    : problem_(problem),
      sequence_(std::move(sequence)),
      size_(static_cast<int>(sequence_.front().z.size())),
      t0_(sequence_.front().begin),
      fixed_period_(period) {
  times_at_ = count() * size_;
  unknowns_ = times_at_ + count() - 1;
  const bool free_period = problem_.kind != OrbitKind::forced;
  if (free_period) period_at_ = unknowns_++;
  if (problem_.kind == OrbitKind::conservative) damping_at_ = unknowns_++;
  if (free_parameter) parameter_at_ = unknowns_++;
  choose_system(problem_.parameter, 0);
  const ContactSet& contacts = motion_->contacts();
  for (int c = 0; c < contacts.size(); ++c) {
    const auto closed = [c](const ContactPhase& phase) {
      return phase.states[static_cast<std::size_t>(c)].mode != ContactMode::open;
    };
    if (contacts.list()[static_cast<std::size_t>(c)].bilateral ||
        std::all_of(sequence_.begin(), sequence_.end(), closed))
      constraints_.push_back(c);
  }
  rows_ = count() * size_ + count() - 1 + (free_period ? 1 : 0) +
          2 * static_cast<int>(constraints_.size());
  const Vector z_scale = sequence_scale(sequence_, sequence_.front().z);
  scale_.resize(unknowns_);
  start_.resize(unknowns_);
  for (int i = 0; i < count(); ++i) {
    scale_.segment(state_at(i), size_) = z_scale;
    start_.segment(state_at(i), size_) = sequence_[static_cast<std::size_t>(i)].z;
    if (i > 0) start_[times_at_ + i - 1] = sequence_[static_cast<std::size_t>(i)].begin - t0_;
    if (i > 0) scale_[times_at_ + i - 1] = period;
  }
  if (period_at_ >= 0) start_[period_at_] = scale_[period_at_] = period;
  if (damping_at_ >= 0) start_[damping_at_] = 0, scale_[damping_at_] = 1 / period;
  if (parameter_at_ >= 0) {
    start_[parameter_at_] = problem_.parameter;
    scale_[parameter_at_] = problem_.parameter != 0 ? std::abs(problem_.parameter) : 1.0;
  }
  set_reference(start_);
}

void OrbitEquations::set_reference(const Vector& X) {
  reference_ = X.head(size_);
  choose_system(parameter(X), damping(X));
  motion_->enter(sequence_.front());
  if (!motion_->rate(t0_, reference_, reference_rate_)) reference_rate_ = Vector::Zero(size_);
}

void OrbitEquations::choose_system(double parameter, double damping) {
  if (motion_ && parameter == system_parameter_ && damping == system_damping_) return;
  system_parameter_ = parameter;
  system_damping_ = damping;
  system_ = problem_.system(parameter);
  if (damping_at_ >= 0) system_ = std::make_shared<DampedSystem>(system_, damping);
  motion_ = std::make_unique<PhaseMotion>(system_, sequence_scale(sequence_, sequence_.front().z),
                                          problem_.flow.simulation.scheme_options.flow_tolerance);
}

double OrbitEquations::parameter(const Vector& X) const {
  return parameter_at_ >= 0 ? X[parameter_at_] : problem_.parameter;
}
double OrbitEquations::damping(const Vector& X) const {
  return damping_at_ >= 0 ? X[damping_at_] : 0.0;
}
double OrbitEquations::period(const Vector& X) const {
  if (period_at_ >= 0) return X[period_at_];
  return parameter_at_ >= 0 && problem_.period ? problem_.period(X[parameter_at_]) : fixed_period_;
}
double OrbitEquations::time(const Vector& X, int i) const {
  if (i == 0) return t0_;
  return t0_ + (i < count() ? X[times_at_ + i - 1] : period(X));
}
State OrbitEquations::first_state(const Vector& X) const {
  const int n = size_ / 2;
  return {t0_, X.head(n), X.segment(n, n)};
}
double OrbitEquations::energy(const Vector& X) {
  choose_system(parameter(X), damping(X));
  const State state = first_state(X);
  const Energies energies = system_->energies(state.t, state.q, state.v);
  return energies.kinetic + energies.potential;
}

std::vector<ContactPhase> OrbitEquations::phases(const Vector& X) const {
  std::vector<ContactPhase> result = sequence_;
  for (int i = 0; i < count(); ++i) {
    ContactPhase& phase = result[static_cast<std::size_t>(i)];
    phase.z = X.segment(state_at(i), size_);
    phase.begin = time(X, i);
    phase.end = time(X, i + 1);
  }
  return result;
}

// Flow, event and joint of phase i; columns of J are those of X.
std::string OrbitEquations::phase_rows(const Vector& X, int i, Vector& F, Matrix* J) {
  const ContactPhase& phase = sequence_[static_cast<std::size_t>(i)];
  const double begin = time(X, i), end = time(X, i + 1);
  const Vector first = X.segment(state_at(i), size_);
  Vector z = first;
  Matrix Phi;
  motion_->enter(phase);
  std::string fault = motion_->flow(begin, end, z, J ? &Phi : nullptr);
  if (!fault.empty()) return fault;
  Matrix by_X;  // dz(end)/dX
  Vector f_begin, f_end;
  if (J) {
    if (!motion_->rate(begin, first, f_begin) || !motion_->rate(end, z, f_end))
      return "the motion has no derivative";
    by_X = Matrix::Zero(size_, unknowns_);
    by_X.middleCols(state_at(i), size_) = Phi;
    if (i > 0) by_X.col(times_at_ + i - 1) -= Phi * f_begin;
    const int end_column = i + 1 < count() ? times_at_ + i : period_at_;
    if (end_column >= 0) by_X.col(end_column) += f_end;
  }
  const int row = i * (size_ + 1);
  if (i + 1 == count()) {
    closing_rows(X, z, row, F, J, by_X);
    return {};
  }
  double value = 0, by_t = 0;
  Vector gradient, D_t, after = z;
  Matrix D;
  if (!motion_->event(end, z, value) || !motion_->event_gradient(end, z, gradient, by_t) ||
      !motion_->reset(end, after)) {
    return "an event has no value";
  }
  // In units of the change of the event function over the motion.
  const double size = 1 / std::max(1e-300, gradient.cwiseAbs().dot(scale_.head(size_)));
  F[row + size_] = size * value;
  F.segment(row, size_) = after - X.segment(state_at(i + 1), size_);
  if (!J) return {};
  if (!motion_->reset_gradient(end, z, D, D_t)) return "an impact has no derivative";
  J->row(row + size_) = size * (gradient.transpose() * by_X);
  (*J)(row + size_, times_at_ + i) += size * by_t;
  J->middleRows(row, size_) = D * by_X;
  J->block(row, times_at_ + i, size_, 1) += D_t;
  J->block(row, state_at(i + 1), size_, size_).diagonal().array() -= 1;
  return {};
}

void OrbitEquations::closing_rows(const Vector& X, const Vector& z, int row, Vector& F, Matrix* J,
                                  const Matrix& by_X) const {
  F.segment(row, size_) = z - X.head(size_);
  if (J) {
    J->middleRows(row, size_) = by_X;
    J->block(row, 0, size_, size_).diagonal().array() -= 1;
  }
  for (int i : problem_.drifting) {  // free to drift; its start is arbitrary and kept
    F[row + i] = X[i] - reference_[i];
    if (!J) continue;
    J->row(row + i).setZero();
    (*J)(row + i, i) = 1;
  }
}

void OrbitEquations::phase_condition(const Vector& X, int row, Vector& F, Matrix* J) const {
  Vector weight = reference_rate_.cwiseQuotient(scale_.head(size_).cwiseAbs2());
  for (int i : problem_.drifting) weight[i] = 0;
  const double norm = weight.cwiseProduct(scale_.head(size_)).norm();
  if (norm > 0) weight /= norm;
  F[row] = weight.dot(X.head(size_) - reference_);
  if (J) J->row(row).head(size_) = weight.transpose();
}

// Gap and velocity of constraints at the start, which closing alone does not fix.
void OrbitEquations::constraint_rows(const Vector& X, int row, Vector& F, Matrix* J) {
  const int n = size_ / 2;
  ContactSet contacts(*system_);
  const Vector q = X.head(n), v = X.segment(n, n);
  Vector gap(contacts.size()), w(contacts.rows());
  ContactMap H(n, contacts.rows());
  contacts.gaps(t0_, q, gap);
  contacts.map(t0_, q, H, w);
  for (int c : constraints_) {
    const int at = contacts.row_begin()[static_cast<std::size_t>(c)];
    const Vector normal = H.dense().col(at);
    F[row] = gap[c];
    F[row + 1] = normal.dot(v) + w[at];
    if (J) {
      J->row(row).head(n) = normal.transpose();
      J->row(row + 1).segment(n, n) = normal.transpose();
    }
    row += 2;
  }
}

std::string OrbitEquations::evaluate(const Vector& X, Vector& F, Matrix* J) {
  F = Vector::Zero(rows_);
  if (J) J->setZero(rows_, unknowns_);
  choose_system(parameter(X), damping(X));
  for (int i = 0; i < count(); ++i) {
    std::string fault = phase_rows(X, i, F, J);
    if (!fault.empty()) return fault;
  }
  int row = count() * (size_ + 1) - 1;
  if (period_at_ >= 0) phase_condition(X, row++, F, J);
  constraint_rows(X, row, F, J);
  for (int i = 0; i < count(); ++i) {
    for (int k = 0; k < size_; ++k) {
      F[i * (size_ + 1) + k] /= scale_[k];
      if (J) J->row(i * (size_ + 1) + k) /= scale_[k];
    }
  }
  return F.allFinite() ? std::string() : "the equations are not finite";
}

std::string OrbitEquations::residual(const Vector& X, Vector& F) { return evaluate(X, F, nullptr); }

// By the damping and by the parameter: differences of the smooth equations.
std::string OrbitEquations::add_difference(const Vector& X, int column, Matrix& J) {
  const double d = 1e-5 * scale_[column];
  Vector ahead, behind, moved = X;
  moved[column] = X[column] + d;
  std::string fault = evaluate(moved, ahead, nullptr);
  moved[column] = X[column] - d;
  if (fault.empty()) fault = evaluate(moved, behind, nullptr);
  if (fault.empty()) J.col(column) = (ahead - behind) / (2 * d);
  return fault;
}

std::string OrbitEquations::jacobian(const Vector& X, Vector& F, Matrix& J) {
  std::string fault = evaluate(X, F, &J);
  for (int column : {damping_at_, parameter_at_}) {
    if (fault.empty() && column >= 0) fault = add_difference(X, column, J);
  }
  J = J * scale_.asDiagonal();
  return fault;
}

}  // namespace clack
