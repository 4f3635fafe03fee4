#include "clack/analyse/orbits/phase_motion.hpp"

#include <Eigen/QR>
#include <cmath>
#include <unsupported/Eigen/MatrixFunctions>

#include "clack/analyse/orbits/differences.hpp"
#include "clack/integrate/ode.hpp"

namespace clack {
namespace {

constexpr double kNoImpulse = 1e-12;  // of the largest
constexpr double kAtLimit = 1e-9;     // relative distance from the friction cone
constexpr int kMostPasses = 30;       // of Newton's method, for slip in two directions

bool has_constant_friction(const Contact& contact) { return contact.law.mu.is_constant(); }

// What the impulse of a contact in an impact says about it.
enum class ImpactMode { none, normal, sticking, sliding };

ImpactMode impact_mode(const ImpactRecord& record, std::size_t i, const Contact& contact, int row,
                       double mu) {
  if (contact.bilateral || record.held[i]) return ImpactMode::normal;
  const double normal = record.r[row];
  if (!(normal > kNoImpulse * record.r.cwiseAbs().maxCoeff())) return ImpactMode::none;
  if (!has_friction(contact)) return ImpactMode::normal;
  const double tangential = record.r.segment(row + 1, contact.tangents).norm();
  return tangential < mu * normal * (1 - kAtLimit) ? ImpactMode::sticking : ImpactMode::sliding;
}

struct SlidingRows {
  int first, count;  // tangential rows within ImpactRows; the normal one stands before them
  double mu;
};

// The rows that carry impulses in an impact.
struct ImpactRows {
  std::vector<int> row;             // of H
  std::vector<double> restitution;  // of each
  std::vector<SlidingRows> slides;
};

ImpactRows impact_rows(const ImpactRecord& record, const ContactSet& set, const Vector& u) {
  ImpactRows rows;
  for (std::size_t i = 0; i < record.active.size(); ++i) {
    const auto c = static_cast<std::size_t>(record.active[i]);
    const int row = set.row_begin()[c];
    const Contact& contact = set.list()[c];
    const double slip = u.segment(row + 1, contact.tangents).norm();
    const double mu = has_friction(contact) ? contact.law.mu.at(slip) : 0.0;
    const ImpactMode mode = impact_mode(record, i, contact, row, mu);
    if (mode == ImpactMode::none) continue;
    rows.row.push_back(row);
    rows.restitution.push_back(contact.bilateral || record.captured[i] ? 0.0 : contact.law.e_n);
    if (mode == ImpactMode::normal) continue;
    if (mode == ImpactMode::sliding)
      rows.slides.push_back({static_cast<int>(rows.row.size()), contact.tangents, mu});
    for (int k = 1; k <= contact.tangents; ++k) {
      rows.row.push_back(row + k);
      rows.restitution.push_back(contact.law.e_t);
    }
  }
  return rows;
}

// The equations of (eq:fixed_impact) for the impulses r and their derivative; s = W r + free.
void state_impact(const ImpactRows& rows, const ImpactRecord& record, const Matrix& W,
                  const Vector& free, const Vector& r, Vector& F, Matrix& J) {
  F = W * r + free;
  J = W;
  for (const SlidingRows& slide : rows.slides) {
    const int first = slide.first, count = slide.count;
    const double normal = r[first - 1];
    if (count == 1) {  // friction keeps the recorded direction
      const double sign = record.r[rows.row[static_cast<std::size_t>(first)]] > 0 ? 1.0 : -1.0;
      F[first] = r[first] - sign * slide.mu * normal;
      J.row(first).setZero();
      J(first, first) = 1;
      J(first, first - 1) = -sign * slide.mu;
      continue;
    }
    const Vector s = F.segment(first, count), force = r.segment(first, count);
    const Matrix change = W.middleRows(first, count);
    const double speed = s.norm();
    F.segment(first, count) = force * speed + slide.mu * normal * s;
    J.middleRows(first, count) =
        force * (s.transpose() / speed) * change + slide.mu * normal * change;
    J.block(first, first, count, count).diagonal().array() += speed;
    J.block(first, first - 1, count, 1) += slide.mu * s;
  }
}

}  // namespace

bool ContactPhase::same_kind(const ContactPhase& other) const {
  if (has_event != other.has_event || (has_event && !(event == other.event))) return false;
  if (impacts.size() != other.impacts.size() || states.size() != other.states.size()) return false;
  for (std::size_t c = 0; c < states.size(); ++c) {
    if (states[c].mode != other.states[c].mode) return false;
  }
  for (std::size_t i = 0; i < impacts.size(); ++i) {
    if (impacts[i].active != other.impacts[i].active) return false;
  }
  return true;
}

bool same_sequence(const std::vector<ContactPhase>& a, const std::vector<ContactPhase>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!a[i].same_kind(b[i])) return false;
  }
  return true;
}

PhaseMotion::PhaseMotion(std::shared_ptr<const System> system, Vector scale, double tolerance)
    : system_(std::move(system)),
      set_(*system_),
      motion_(set_),
      nv_(system_->nv()),
      scale_(std::move(scale)),
      tolerance_(tolerance),
      H_(nv_, set_.rows()),
      w_(Vector::Zero(set_.rows())),
      gap_(Vector::Zero(set_.size())) {}

bool PhaseMotion::is_affine_motion() const {
  if (!system_->is_linear() || !set_.has_constant_map()) return false;
  for (std::size_t c = 0; c < phase_->states.size(); ++c) {
    const Contact& contact = set_.list()[c];
    if (phase_->states[c].mode != ContactMode::sliding || !has_friction(contact)) continue;
    if (contact.tangents > 1 || !has_constant_friction(contact)) return false;
  }
  return true;
}

bool PhaseMotion::is_affine_reset() const {
  if (!system_->is_linear() || !set_.has_constant_map()) return false;
  for (const ImpactRecord& record : phase_->impacts) {
    for (int c : record.active) {
      const Contact& contact = set_.list()[static_cast<std::size_t>(c)];
      if (contact.tangents > 1 || !has_constant_friction(contact)) return false;
    }
  }
  return true;
}

void PhaseMotion::enter(const ContactPhase& phase) {
  phase_ = &phase;
  motion_.fix(phase.states, phase.multipliers);
  affine_ = is_affine_motion();
  A_.resize(0, 0);
}

bool PhaseMotion::rate(double t, const Vector& z, Vector& f) {
  if (!motion_.evaluate(t, z.head(nv_), z.tail(nv_))) return false;
  f.resize(2 * nv_);
  f.head(nv_) = z.tail(nv_);
  f.tail(nv_) = motion_.acceleration();
  return true;
}

// f_z; constant, and kept, where f is affine.
bool PhaseMotion::field_jacobian(double t, const Vector& z, Matrix& A) {
  if (affine_ && A_.size() > 0) {
    A = A_;
    return true;
  }
  const auto field = [&](const Vector& x, Vector& f) { return rate(t, x, f); };
  if (!compute_jacobian(field, z, scale_, affine_, A)) return false;
  A.topRows(nv_).setZero();
  A.topRightCorner(nv_, nv_).setIdentity();
  if (affine_) A_ = A;
  return true;
}

std::string PhaseMotion::integrate_with_derivative(double begin, double end, Vector& z,
                                                   Matrix& Phi) {
  const int n = size();
  Vector y(n + n * n), f, state;
  y.head(n) = z;
  MatrixMap(y.data() + n, n, n).setIdentity();
  Matrix A(n, n);
  const OdeRate derivative = [&](double t, ConstVectorRef at, VectorRef out) {
    state = at.head(n);
    if (!rate(t, state, f) || !field_jacobian(t, state, A)) return false;
    out.head(n) = f;
    MatrixMap(out.data() + n, n, n).noalias() = A * ConstMatrixMap(at.data() + n, n, n);
    return true;
  };
  std::string fault = integrate_ode(derivative, begin, end, tolerance_, y);
  z = y.head(n);
  Phi = MatrixMap(y.data() + n, n, n);
  return fault;
}

// A field that is affine and does not know the time: z' = f(z_0) + A (z - z_0).
bool PhaseMotion::is_steady(double t, const Vector& z, Vector& f) {
  if (!affine_ || !rate(t, z, f)) return false;
  Vector later;
  for (double ahead : {0.37, 1.93, 71.1}) {
    if (!rate(t + ahead, z, later)) return false;
    if ((later - f).norm() > 1e-14 * f.norm()) return false;
  }
  return true;
}

// The change of z in `time`, by the exponential of [A, f; 0, 0].
Matrix PhaseMotion::steady_step(double time, const Vector& z, const Vector& f) {
  Matrix A;
  const auto n = z.size();
  Matrix whole = Matrix::Zero(n + 1, n + 1);
  if (!field_jacobian(0, z, A)) return {};
  whole.topLeftCorner(n, n) = time * A;
  whole.topRightCorner(n, 1) = time * f;
  return whole.exp();
}

std::string PhaseMotion::flow(double begin, double end, Vector& z, Matrix* Phi) {
  if (Phi && !affine_) return integrate_with_derivative(begin, end, z, *Phi);
  Vector f;
  if (is_steady(begin, z, f)) {
    const Matrix step = steady_step(end - begin, z, f);
    if (step.size() == 0) return "the motion has no derivative";
    if (Phi) *Phi = step.topLeftCorner(z.size(), z.size());
    z += step.topRightCorner(z.size(), 1);
    return z.allFinite() ? std::string() : "the motion is not finite";
  }
  if (Phi) {  // (eq:variational) with a constant matrix
    Matrix A;
    if (!field_jacobian(begin, z, A)) return "the motion has no derivative";
    *Phi = Matrix((end - begin) * A).exp();
  }
  return sample_ode(field_rate(), begin, end, 1, tolerance_, z, nullptr);
}

std::string PhaseMotion::sample(double begin, double end, int parts, Vector z,
                                const std::function<void(double t, const Vector& z)>& visit) {
  Vector f;
  if (!is_steady(begin, z, f))
    return sample_ode(field_rate(), begin, end, parts, tolerance_, z, visit);
  const Matrix step = steady_step((end - begin) / parts, z, f);
  if (step.size() == 0) return "the motion has no derivative";
  // Relative to the start: d_next = exp(A dt) d + its change from zero.
  const auto n = z.size();
  Vector d = Vector::Zero(n);
  for (int k = 0; k <= parts; ++k) {
    visit(begin + (end - begin) * k / parts, z + d);
    d = step.topLeftCorner(n, n) * d + step.topRightCorner(n, 1);
  }
  return d.allFinite() ? std::string() : "the motion is not finite";
}

OdeRate PhaseMotion::field_rate() {
  return
      [this, state = Vector(), f = Vector()](double t, ConstVectorRef at, VectorRef out) mutable {
        state = at;
        if (!rate(t, state, f)) return false;
        out = f;
        return true;
      };
}

// The functions of (eq:event_functions) without the tolerances that the scheme gives them.
bool PhaseMotion::event(double t, const Vector& z, double& value) {
  const int c = phase_->event.contact;
  const ContactState& state = phase_->states[static_cast<std::size_t>(c)];
  if (state.mode == ContactMode::open) {
    set_.gaps(t, z.head(nv_), gap_);
    value = gap_[c];
    return std::isfinite(value);
  }
  if (!motion_.evaluate(t, z.head(nv_), z.tail(nv_))) return false;
  const Contact& contact = set_.list()[static_cast<std::size_t>(c)];
  const int row = motion_.row_begin(c);
  const Vector &force = motion_.multipliers(), &u = motion_.u();
  if (phase_->event.root == Flow::Root::normal) {
    value = force[row];
  } else if (state.mode == ContactMode::sticking) {
    value = motion_.friction(c) * force[row] - force.segment(row + 1, contact.tangents).norm();
  } else if (contact.tangents == 1) {
    value = u[row + 1] * state.direction[0];
  } else {
    return false;  // two slips become zero at once: no function of one value
  }
  return std::isfinite(value);
}

bool PhaseMotion::event_gradient(double t, const Vector& z, Vector& by_z, double& by_t) {
  const int c = phase_->event.contact;
  if (phase_->states[static_cast<std::size_t>(c)].mode == ContactMode::open) {
    set_.map(t, z.head(nv_), H_, w_);
    const int row = set_.row_begin()[static_cast<std::size_t>(c)];
    by_z = Vector::Zero(size());
    by_z.head(nv_) = H_.dense().col(row);
    by_t = w_[row];
    return by_z.allFinite();
  }
  Vector x(size() + 1), scales(size() + 1);
  x << z, t;
  scales << scale_, std::max(1e-3, phase_->end - phase_->begin);
  const SmoothFunction function = [&](const Vector& at, Vector& value) {
    value.resize(1);
    const Vector state = at.head(size());
    return event(at[size()], state, value[0]);
  };
  Matrix J;
  if (!compute_jacobian(function, x, scales, false, J)) return false;
  by_z = J.row(0).head(size());
  by_t = J(0, size());
  return true;
}

// M (v+ - v) = H r with the modes that the recorded impulses show (eq:fixed_impact).
bool PhaseMotion::impact(const ImpactRecord& record, double t, const Vector& q, Vector& v) {
  set_.map(t, q, H_, w_);
  Matrix M(nv_, nv_);
  system_->mass(t, q, M);
  const Matrix& H = H_.dense();
  const Vector before = H.transpose() * v + w_;
  const ImpactRows rows = impact_rows(record, set_, before);
  if (rows.row.empty()) return true;
  const Matrix part = H(Eigen::all, rows.row);
  const Matrix X = M.partialPivLu().solve(part), W = part.transpose() * X;
  const Vector e = ConstVectorMap(rows.restitution.data(), part.cols());
  const Vector free = (1 + e.array()) * before(rows.row).array();
  Vector r = record.r(rows.row);
  for (int pass = 0; pass < kMostPasses; ++pass) {
    Matrix J;
    Vector F;
    state_impact(rows, record, W, free, r, F, J);
    const Vector step = J.completeOrthogonalDecomposition().solve(F);
    r -= step;
    if (step.norm() <= 1e-15 * r.norm()) break;
  }
  v += X * r;
  return v.allFinite();
}

bool PhaseMotion::reset(double t, Vector& z) {
  const Vector q = z.head(nv_);
  Vector v = z.tail(nv_);
  for (const ImpactRecord& record : phase_->impacts) {
    if (record.jam || !impact(record, t, q, v)) return false;
  }
  z.tail(nv_) = v;
  return true;
}

bool PhaseMotion::reset_gradient(double t, const Vector& z, Matrix& D, Vector& D_t) {
  D_t = Vector::Zero(size());
  if (phase_->impacts.empty()) {
    D = Matrix::Identity(size(), size());
    return true;
  }
  const SmoothFunction by_state = [&](const Vector& at, Vector& value) {
    value = at;
    return reset(t, value);
  };
  if (!compute_jacobian(by_state, z, scale_, is_affine_reset(), D)) return false;
  if (!set_.is_moving()) return true;
  const SmoothFunction by_time = [&](const Vector& at, Vector& value) {
    value = z;
    return reset(at[0], value);
  };
  Matrix J;
  const Vector duration = Vector::Constant(1, std::max(1e-3, phase_->end - phase_->begin));
  if (!compute_jacobian(by_time, Vector::Constant(1, t), duration, false, J)) return false;
  D_t = J.col(0);
  return true;
}

double PhaseMotion::approach(double t, const Vector& z) {
  set_.map(t, z.head(nv_), H_, w_);
  const int row = set_.row_begin()[static_cast<std::size_t>(phase_->event.contact)];
  return H_.dense().col(row).dot(z.tail(nv_)) + w_[row];
}

Matrix PhaseMotion::tangent_space(double t, const Vector& z) {
  std::vector<int> normals, rows;
  for (int c = 0; c < set_.size(); ++c) {
    const Contact& contact = set_.list()[static_cast<std::size_t>(c)];
    const ContactMode mode = phase_->states[static_cast<std::size_t>(c)].mode;
    if (!contact.bilateral && mode == ContactMode::open) continue;
    const int row = set_.row_begin()[static_cast<std::size_t>(c)];
    normals.push_back(row);
    rows.push_back(row);
    if (mode != ContactMode::sticking || !has_friction(contact)) continue;
    for (int k = 1; k <= contact.tangents; ++k) rows.push_back(row + k);
  }
  if (rows.empty()) return Matrix::Identity(size(), size());
  // Gradients of u by z, and of gaps: their rows are those of H.
  const SmoothFunction velocities = [&](const Vector& at, Vector& value) {
    set_.map(t, at.head(nv_), H_, w_);
    value = H_.dense().transpose() * at.tail(nv_) + w_;
    return value.allFinite();
  };
  Matrix U;
  if (!compute_jacobian(velocities, z, scale_, false, U)) return Matrix::Identity(size(), size());
  set_.map(t, z.head(nv_), H_, w_);
  Matrix G = Matrix::Zero(static_cast<int>(rows.size() + normals.size()), size());
  int i = 0;
  for (int row : rows) G.row(i++) = U.row(row);
  for (int row : normals) G.row(i++).head(nv_) = H_.dense().col(row);
  // The orthogonal complement of the rows of G, each of length one whatever its unit.
  G.rowwise().normalize();
  const Eigen::ColPivHouseholderQR<Matrix> factors(G.transpose());
  const Matrix Q = factors.householderQ();
  return Q.rightCols(size() - factors.rank());
}

std::string compute_saltation(PhaseMotion& motion, const ContactPhase& phase,
                              const ContactPhase& next, double t, const Vector& z_before,
                              const Vector& z_after, Matrix& S) {
  Vector f_before, f_after, gradient, D_t;
  Matrix D;
  double by_t = 0;
  motion.enter(phase);
  if (!motion.rate(t, z_before, f_before) || !motion.event_gradient(t, z_before, gradient, by_t) ||
      !motion.reset_gradient(t, z_before, D, D_t)) {
    return "an event has no derivative";
  }
  motion.enter(next);
  if (!motion.rate(t, z_after, f_after)) return "the motion after an event has no derivative";
  const double crossing = gradient.dot(f_before) + by_t;
  if (crossing == 0) return "an event is met without crossing it (grazing)";
  S = D + (f_after - D * f_before - D_t) * gradient.transpose() / crossing;  // (eq:saltation)
  return {};
}

}  // namespace clack
