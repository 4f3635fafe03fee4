#include "clack/assemble/contact_problem.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace clack {
namespace {

double slip_speed(const double* u, int tangents) {
  if (tangents == 1) return std::abs(u[1]);
  return std::sqrt(u[1] * u[1] + u[2] * u[2]);
}

Cone cone_of(const Contact& contact, const double* u_start, bool friction) {
  if (contact.bilateral) return Cone::free(1);
  if (contact.tangents == 0 || !friction) return Cone::nonnegative();
  const FrictionCoefficient& mu = contact.law.mu;
  const double value = mu.is_constant() ? mu.at(0) : mu.at(slip_speed(u_start, contact.tangents));
  return Cone::coulomb(1 + contact.tangents, std::isfinite(value) && value > 0 ? value : 0.0);
}

// A constraint that holds anyway has no free velocity but round-off, against which a solution could
// not be judged.
bool is_round_off(const ContactMap& H, int row, double fastest, double w, double u) {
  constexpr double kRoundOff = 128 * std::numeric_limits<double>::epsilon();
  return std::abs(u) <= kRoundOff * (H.norm(row) * fastest + std::abs(w));
}

}  // namespace

ContactProblem::ContactProblem(const ContactSet& contacts)
    : laws(contacts), sparse_(contacts.is_sparse()) {
  resize(contacts);
}

void ContactProblem::resize(const ContactSet& contacts) {
  laws.bind(contacts);
  const auto rows = static_cast<std::size_t>(contacts.rows());
  rows_.reserve(rows);
  W_rows_.reserve(rows);
  offset_.reserve(contacts.list().size() + 1);
  cones_.reserve(contacts.list().size());
  if (!sparse_) W_.resize(rows * rows);
  W_revision_ = 0;
  u_free_.resize(rows);
  restitution_.resize(rows);
  r.resize(rows);
  u.resize(rows);
}

void ContactProblem::collect_rows(const ContactSet& contacts, const Detection& detection,
                                  const ContactRows& kind, std::span<const char> use) {
  rows_.clear();
  offset_.clear();
  cones_.clear();
  for (int c : detection.active) {
    const Contact& contact = contacts.list()[c];
    const int begin = detection.row_begin[c];
    offset_.push_back(static_cast<int>(rows_.size()));
    const char how = use.empty() ? char{kByLaw} : use[static_cast<std::size_t>(c)];
    const bool friction = kind.friction && how != kNormalOnly;
    cones_.push_back(how == kHeld ? Cone::free(1)
                                  : cone_of(contact, detection.u.data() + begin, friction));
    const int dim = laws.empty() ? cones_.back().dim() : contact.dim();
    for (int k = 0; k < dim; ++k) {
      const bool plain = !contact.bilateral && laws.empty();  // else laws say what is added to u
      const double e = !plain ? 0.0 : k == 0 ? contact.law.e_n : contact.law.e_t;
      restitution_[rows_.size()] = e;
      rows_.push_back(begin + k);
    }
  }
  offset_.push_back(static_cast<int>(rows_.size()));
  size_ = static_cast<int>(rows_.size());
}

// W stays as long as H and M_hat do: the later passes of a step have it.
void ContactProblem::build_dense(const Detection& detection, IterationMatrix& M_hat) {
  if (W_revision_ == M_hat.revision() && W_rows_ == rows_) return;
  W_revision_ = M_hat.revision();
  W_rows_ = rows_;
  for (int j = 0; j < size_; ++j) {
    const ConstVectorMap x(M_hat.solved_column(detection.H, rows_[j]), detection.H.nv());
    for (int i = 0; i < size_; ++i) W_[i + j * size_] = detection.H.dense().col(rows_[i]).dot(x);
  }
  operator_ = DenseDelassus(W_.data(), size_);
}

// Where bodies do not couple but by contacts W has a block for contacts of the same body; else each
// contact moves all others.
void ContactProblem::build_sparse(const Detection& detection, IterationMatrix& M_hat) {
  if (const SparseMatrix* inverse = M_hat.inverse()) {
    const SparseMatrix H = detection.H.columns(rows_), X = *inverse * H;
    sparse_W_ = SparseMatrix(H.transpose()) * X;
  } else {
    Matrix W(size_, size_);
    for (int j = 0; j < size_; ++j) {
      const Vector& column = M_hat.response(detection.H, rows_[j]);
      for (int i = 0; i < size_; ++i) W(i, j) = column[rows_[i]];
    }
    sparse_W_ = W.sparseView(0.0, 0.0);
  }
  if (laws.empty()) block_operator_ = BlockSparse(sparse_W_, offset_);
}

void ContactProblem::build(const ContactSet& contacts, const Detection& detection,
                           IterationMatrix& M_hat, ConstVectorRef v_free, ConstVectorRef w_next,
                           const ContactRows& kind, std::span<const char> use) {
  collect_rows(contacts, detection, kind, use);
  if (sparse_)
    build_sparse(detection, M_hat);
  else
    build_dense(detection, M_hat);
  for (int i = 0; i < size_; ++i) {
    const int row = rows_[i];
    u_free_[i] = detection.H.dot(row, v_free) + w_next[row];
    if (kind.restitution) u_free_[i] += restitution_[i] * detection.u[row];
  }
  double fastest = -1;
  for (std::size_t c = 0; c < cones_.size(); ++c) {
    if (!cones_[c].is_free()) continue;
    if (fastest < 0) fastest = v_free.size() > 0 ? v_free.cwiseAbs().maxCoeff() : 0.0;
    for (int i = offset_[c]; i < offset_[c + 1]; ++i) {
      if (is_round_off(detection.H, rows_[i], fastest, w_next[rows_[i]], u_free_[i]))
        u_free_[i] = 0;
    }
  }
  if (kind.restitution && !detection.recovery.empty()) add_recovery(detection);
}

// u_N >= the speed of recovery where that is more than what restitution asks for (eq:recovery).
void ContactProblem::add_recovery(const Detection& detection) {
  for (std::size_t k = 0; k < detection.active.size(); ++k) {
    const double speed = detection.recovery[static_cast<std::size_t>(detection.active[k])];
    const auto i = static_cast<std::size_t>(offset_[k]);
    const double rebound = restitution_[i] * detection.u[rows_[i]];
    if (speed > 0) u_free_[i] += std::min(rebound, -speed) - rebound;
  }
}

ReducedProblem ContactProblem::row_problem() const {
  const Delassus* W = sparse_ ? static_cast<const Delassus*>(&block_operator_) : &operator_;
  return {W, u_free_.data(), cones_, offset_};
}

void ContactProblem::begin_laws(const ContactSet& contacts, const Detection& detection,
                                const Vector& gap, const Vector& impulses,
                                const StepInterval& interval) {
  laws.begin_step(detection.active, [&](StatedContact& c) {
    const auto at = static_cast<std::size_t>(c.contact);
    const int row = detection.row_begin[at];
    ContactSituation& situation = c.situation;
    situation.t = interval.t;
    situation.h = interval.h;
    situation.end_weight = interval.end_weight;
    situation.material_angle = contacts.list()[at].material_angle;
    situation.gap = gap[c.contact];
    situation.forecast_gap = detection.forecast[at];
    std::copy_n(detection.u.data() + row, situation.rows(), situation.u_start.begin());
    std::copy_n(impulses.data() + row, situation.rows(), c.before.begin());
  });
}

void ContactProblem::set_law_rows() {
  law_rows.set(
      {offset_, W_.data(), sparse_ ? &sparse_W_ : nullptr, u_free_.data(), r.data(), u.data()});
}

void ContactProblem::update_laws(const Detection& detection, const Vector& all_r,
                                 const Vector& all_u) {
  for (StatedContact& c : laws.stated()) {
    const int row = detection.row_begin[static_cast<std::size_t>(c.contact)];
    std::copy_n(all_r.data() + row, c.situation.rows(), c.situation.r.begin());
    std::copy_n(all_u.data() + row, c.situation.rows(), c.situation.u.begin());
  }
  laws.update();
}

void ContactProblem::apply_impulses(const Detection& detection, IterationMatrix& M_hat,
                                    const double* impulses, VectorRef v) const {
  if (sparse_) {
    Vector x = Vector::Zero(v.size());
    for (int j = 0; j < size_; ++j) detection.H.add_to(rows_[j], impulses[j], x);
    M_hat.solve(x, x);
    v += x;
    return;
  }
  for (int j = 0; j < size_; ++j) {
    if (impulses[j] == 0) continue;
    v += impulses[j] * ConstVectorMap(M_hat.solved_column(detection.H, rows_[j]), v.size());
  }
}

}  // namespace clack
