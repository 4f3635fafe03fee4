#include "clack/integrate/contact_motion.hpp"

#include <algorithm>
#include <cmath>

namespace clack {

bool has_friction(const Contact& contact) {
  return contact.tangents > 0 && !(contact.law.mu.is_constant() && contact.law.mu.at(0) == 0);
}

ContactMotion::ContactMotion(ContactSet& contacts)
    : system_(contacts.system()),
      contact_set_(contacts),
      states_(contacts.list().size()),
      detection_(contacts),
      M_(system_.nv()),
      matrix_(system_.nv(), contacts.rows()),
      forces_(system_.nv()),
      free_(Vector::Zero(system_.nv())),
      column_(free_),
      bias_(Vector::Zero(contacts.rows())),
      acceleration_(free_),
      multipliers_(bias_),
      gap_(Vector::Zero(contacts.size())) {}

void ContactMotion::fix(const std::vector<ContactState>& states, const Vector& multipliers) {
  states_ = states;
  rows_.clear();
  contacts_.clear();
  normals_.clear();
  for (int c = 0; c < static_cast<int>(states_.size()); ++c) {
    const Contact& contact = contact_set_.list()[c];
    if (!contact.bilateral && states_[c].mode == ContactMode::open) continue;
    const bool sticks = states_[c].mode == ContactMode::sticking && has_friction(contact);
    normals_.push_back(static_cast<int>(rows_.size()));
    for (int k = 0; k < (sticks ? contact.dim() : 1); ++k) {
      rows_.push_back(detection_.row_begin[c] + k);
      contacts_.push_back(c);
    }
  }
  const int n = static_cast<int>(rows_.size());
  X_.resize(system_.nv(), n);
  A_.resize(n, n);
  start_.resize(n);
  for (int i = 0; i < n; ++i) start_[i] = multipliers[rows_[i]];
}

// Mass and contact map; what is constant is kept.
bool ContactMotion::update(double t, ConstVectorRef q) {
  if (!(system_.is_linear() && matrix_.is_factorised())) {
    evaluate_mass(system_, t, q, M_);
    if (!matrix_.factorise(M_)) return false;
  }
  update_contact_map(contact_set_, t, q, detection_);
  if (detection_.map_changed) matrix_.forget_columns();
  if (contact_set_.has_constant_map()) detection_.map_changed = false;
  return true;
}

void ContactMotion::slip_direction(int c, double* d) const {
  const ContactState& state = states_[c];
  const double* u = detection_.u.data() + detection_.row_begin[c];
  const bool space = contact_set_.list()[c].tangents == 2;
  const double slip = space ? std::hypot(u[1], u[2]) : 0.0;
  for (int k = 0; k < (space ? 2 : 1); ++k) {
    d[k] = slip > state.slip_slack ? u[1 + k] / slip : state.direction[k];
  }
}

double ContactMotion::friction(int c) const {
  const Contact& contact = contact_set_.list()[c];
  if (!has_friction(contact)) return 0;
  const double* u = detection_.u.data() + detection_.row_begin[c];
  double slip = 0;
  if (states_[c].mode == ContactMode::sliding) {
    slip = contact.tangents == 2 ? std::hypot(u[1], u[2]) : u[1] * states_[c].direction[0];
  }
  const double value = contact.law.mu.at(slip);
  return std::isfinite(value) ? value : contact.law.mu.at(std::abs(slip));
}

// Columns of M^-1 C: those of H, but for contacts that slide.
void ContactMotion::set_force_columns() {
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const int c = contacts_[i];
    const Contact& contact = contact_set_.list()[c];
    const int column = static_cast<int>(i);
    if (states_[c].mode != ContactMode::sliding || !has_friction(contact)) {
      X_.col(column) = ConstVectorMap(matrix_.solved_column(detection_.H, rows_[i]), X_.rows());
      continue;
    }
    double d[2];
    slip_direction(c, d);
    const double mu = friction(c);
    detection_.H.column(rows_[i], column_);
    for (int k = 0; k < contact.tangents; ++k)
      detection_.H.add_to(rows_[i] + 1 + k, -mu * d[k], column_);
    matrix_.solve(column_, X_.col(column));
  }
}

// A x = right, as near to the multipliers of the start as it allows.
void ContactMotion::solve_multipliers(ConstVectorRef right, Vector& x) {
  if (A_.rows() == 1) {
    x = right / A_(0, 0);
    return;
  }
  x = start_;
  x += A_.completeOrthogonalDecomposition().solve(right - A_ * start_);
}

// Where a sliding contact's own force pulls it closed (Painleve), no flow leads on.
bool ContactMotion::friction_jams() const {
  for (int i : normals_) {
    if (states_[contacts_[i]].mode == ContactMode::sliding && !(A_(i, i) > 0)) return true;
  }
  return false;
}

void ContactMotion::store_multipliers(const Vector& x) {
  multipliers_.setZero();
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const int c = contacts_[i];
    multipliers_[rows_[i]] = x[static_cast<int>(i)];
    const Contact& contact = contact_set_.list()[c];
    if (states_[c].mode != ContactMode::sliding || !has_friction(contact)) continue;
    double d[2];
    slip_direction(c, d);
    const double force = friction(c) * x[static_cast<int>(i)];
    for (int k = 0; k < contact.tangents; ++k) multipliers_[rows_[i] + 1 + k] = -force * d[k];
  }
}

bool ContactMotion::evaluate(double t, ConstVectorRef q, ConstVectorRef v) {
  if (!update(t, q)) return false;
  system_.forces(t, q, v, forces_);
  forces_.set_total();
  matrix_.solve(forces_.total, free_);
  acceleration_ = free_;
  update_velocities(v, detection_);
  const int n = static_cast<int>(rows_.size());
  if (n > 0) {
    contact_set_.bias(t, q, v, bias_);
    set_force_columns();
    right_.resize(n);
    for (int i = 0; i < n; ++i) {
      A_.row(i).noalias() = detection_.H.dense().col(rows_[i]).transpose() * X_;
      right_[i] = -(detection_.H.dot(rows_[i], free_) + bias_[rows_[i]]);
    }
    if (friction_jams()) return false;
    solve_multipliers(right_, x_);
    acceleration_.noalias() += X_ * x_;
  }
  store_multipliers(x_);
  return acceleration_.allFinite();
}

double ContactMotion::violation(double t, ConstVectorRef q, ConstVectorRef v) {
  if (rows_.empty() || !update(t, q)) return 0;
  contact_set_.gaps(t, q, gap_);
  update_velocities(v, detection_);
  double worst = 0;
  for (int i : normals_) worst = std::max(worst, std::abs(gap_[contacts_[i]]));
  for (int row : rows_) worst = std::max(worst, std::abs(detection_.u[row]));
  return worst;
}

void ContactMotion::project(double t, Vector& q, Vector& v) {
  if (rows_.empty()) return;
  project_position(t, q);
  project_velocity(t, q, v);
}

void ContactMotion::project_position(double t, Vector& q) {
  const int n = static_cast<int>(normals_.size());
  Matrix X(system_.nv(), n), A(n, n);
  Vector gap(n);
  const double round_off = 1e-15 * (1 + q.cwiseAbs().maxCoeff());
  for (int pass = 0; pass < 10; ++pass) {
    contact_set_.gaps(t, q, gap_);
    for (int i = 0; i < n; ++i) gap[i] = gap_[contacts_[normals_[i]]];
    if (!(gap.cwiseAbs().maxCoeff() > round_off) || !update(t, q)) return;
    for (int i = 0; i < n; ++i) {
      X.col(i) = ConstVectorMap(matrix_.solved_column(detection_.H, rows_[normals_[i]]), X.rows());
    }
    for (int i = 0; i < n; ++i)
      A.row(i) = detection_.H.dense().col(rows_[normals_[i]]).transpose() * X;
    const Vector shift = X * A.completeOrthogonalDecomposition().solve(-gap);
    system_.advance(Vector(q), shift, q);
  }
}

Vector ContactMotion::project_velocity(double t, const Vector& q, Vector& v) {
  Vector impulses = Vector::Zero(bias_.size());
  const int n = static_cast<int>(rows_.size());
  if (n == 0 || !update(t, q)) return impulses;
  Matrix X(system_.nv(), n), A(n, n);
  for (int i = 0; i < n; ++i) {
    X.col(i) = ConstVectorMap(matrix_.solved_column(detection_.H, rows_[i]), X.rows());
  }
  for (int i = 0; i < n; ++i) A.row(i) = detection_.H.dense().col(rows_[i]).transpose() * X;
  const auto factors = A.completeOrthogonalDecomposition();
  for (int pass = 0; pass < 2; ++pass) {  // the second for round-off
    update_velocities(v, detection_);
    Vector u(n);
    for (int i = 0; i < n; ++i) u[i] = detection_.u[rows_[i]];
    const Vector r = -factors.solve(u);
    v += X * r;
    for (int i = 0; i < n; ++i) impulses[rows_[i]] += r[i];
  }
  return impulses;
}

}  // namespace clack
