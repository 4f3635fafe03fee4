#include "clack/integrate/close_constraints.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/SparseCholesky>
#include <algorithm>
#include <cmath>

#include "clack/assemble/iteration_matrix.hpp"
#include "clack/collide/contact_set.hpp"
#include "clack/solve/semidefinite_factor.hpp"

namespace clack {
namespace {

constexpr double kRoundOff = 1e-14, kClosed = 1e-11;  // of the coordinates
constexpr int kMostPasses = 100, kMostHalvings = 10;
constexpr int kMostRowsRanked = 600;
constexpr double kDependent = 1e-10;  // eigenvalue of a row that follows from others, diagonal 1

class Closing {
 public:
  Closing(const System& system, State& state)
      : system_(system), state_(state), contacts_(system, true) {
    (void)contacts_.find(state.t, state.q, state.v, 0);
    const std::vector<Contact>& list = contacts_.list();
    for (int c = 0; c < contacts_.size(); ++c) {
      if (list[static_cast<std::size_t>(c)].bilateral) rows_.push_back(c);
    }
    gap_.resize(contacts_.size());
    own_gap_.resize(static_cast<int>(rows_.size()));
  }

  ClosedStart run() {
    ClosedStart result;
    result.rows = static_cast<int>(rows_.size());
    result.redundant = 0;
    if (rows_.empty()) return result;
    double worst = evaluate_gaps();
    note(result);
    bool good = true;
    for (int pass = 0; good && worst > kRoundOff * length() && pass < kMostPasses; ++pass)
      good = improve(worst);
    result.closed = worst <= kClosed * length();
    if (!result.closed) {
      (void)evaluate_gaps();
      note(result);
      return result;
    }
    result.energy = close_velocities();
    result.redundant = count_redundant();
    return result;
  }

 private:
  double length() const { return 1 + (state_.q.size() > 0 ? state_.q.cwiseAbs().maxCoeff() : 0.0); }

  double evaluate_gaps() {
    contacts_.gaps(state_.t, state_.q, gap_);
    for (std::size_t i = 0; i < rows_.size(); ++i) own_gap_[static_cast<int>(i)] = gap_[rows_[i]];
    const double worst = own_gap_.cwiseAbs().maxCoeff();
    return std::isfinite(worst) ? worst : HUGE_VAL;
  }

  void note(ClosedStart& result) const {
    int at = 0;
    result.error = own_gap_.cwiseAbs().maxCoeff(&at);
    result.contact = rows_[static_cast<std::size_t>(at)];
  }

  // G (nv x rows), w, M and S at the state. False where S has no factor.
  bool linearise() {
    ContactMap H(system_.nv(), contacts_.rows(), contacts_.is_sparse());
    Vector w(contacts_.rows());
    contacts_.map(state_.t, state_.q, H, w);
    std::vector<int> rows;
    for (const int c : rows_) rows.push_back(contacts_.row_begin()[static_cast<std::size_t>(c)]);
    G_ = H.columns(rows);
    w_.resize(own_gap_.size());
    for (std::size_t i = 0; i < rows.size(); ++i) w_[static_cast<int>(i)] = w[rows[i]];
    SystemMatrix M(system_.nv(), system_.is_sparse());
    evaluate_mass(system_, state_.t, state_.q, M);
    mass_ = M.is_sparse() ? M.sparse() : SparseMatrix(M.dense().sparseView());
    factor_.compute(mass_);
    if (factor_.info() != Eigen::Success) return false;
    moved_ = factor_.solve(G_);
    S_ = SparseMatrix(G_.transpose()) * moved_;
    return all_rows_act() && rows_factor_.compute(S_);
  }

  // A row on which no mass acts cannot be closed.
  bool all_rows_act() const {
    for (int i = 0; i < S_.rows(); ++i) {
      if (!(S_.coeff(i, i) > 0)) return false;
    }
    return true;
  }

  // One step of Newton's method, halved while it makes things worse.
  bool improve(double& worst) {
    if (!linearise()) return false;
    Vector lambda(own_gap_.size()), next(state_.q.size());
    rows_factor_.solve(-own_gap_, lambda);
    const Vector start = state_.q;
    double part = 1;
    for (int k = 0; k < kMostHalvings; ++k, part *= 0.5) {
      system_.advance(start, Vector(part * (moved_ * lambda)), next);
      state_.q = next;
      const double now = evaluate_gaps();
      if (now < worst) {
        worst = now;
        return true;
      }
    }
    state_.q = start;
    (void)evaluate_gaps();
    return false;
  }

  double close_velocities() {
    if (!linearise()) return 0;
    const double before = state_.v.dot(Vector(mass_ * state_.v));
    const SparseMatrix transposed = G_.transpose();
    for (int pass = 0; pass < 3; ++pass) {
      const Vector rate = transposed * state_.v + w_;
      if (rate.cwiseAbs().maxCoeff() <= 1e-15 * (1 + state_.v.cwiseAbs().maxCoeff())) break;
      Vector impulse(rate.size());
      rows_factor_.solve(-rate, impulse);
      state_.v += moved_ * impulse;
    }
    return 0.5 * (before - state_.v.dot(Vector(mass_ * state_.v)));
  }

  int count_redundant() const {
    const auto n = static_cast<int>(rows_.size());
    if (n > kMostRowsRanked) return -1;
    const Vector scale = S_.diagonal().cwiseSqrt().cwiseInverse();
    const Matrix scaled = scale.asDiagonal() * Matrix(S_) * scale.asDiagonal();
    const Vector values =
        Eigen::SelfAdjointEigenSolver<Matrix>(scaled, Eigen::EigenvaluesOnly).eigenvalues();
    return static_cast<int>((values.array() < kDependent * n).count());
  }

  const System& system_;
  State& state_;
  ContactSet contacts_;
  std::vector<int> rows_;  // constraints
  Vector gap_, own_gap_, w_;
  SparseMatrix G_, mass_, moved_, S_;
  Eigen::SimplicialLDLT<SparseMatrix> factor_;
  SemidefiniteFactor rows_factor_;
};

}  // namespace

ClosedStart close_constraints(const System& system, State& state) {
  return Closing(system, state).run();
}

}  // namespace clack
