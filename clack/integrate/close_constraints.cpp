#include "clack/integrate/close_constraints.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "clack/integrate/constraint_matrix.hpp"
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
      : system_(system), state_(state), rows_(system, state), gap_(rows_.count()) {}

  ClosedStart run() {
    ClosedStart result;
    result.rows = rows_.count();
    result.redundant = 0;
    if (result.rows == 0) return result;
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
    find_redundant(result);
    return result;
  }

 private:
  double length() const { return 1 + (state_.q.size() > 0 ? state_.q.cwiseAbs().maxCoeff() : 0.0); }

  double evaluate_gaps() {
    rows_.gaps(state_.t, state_.q, gap_);
    const double worst = gap_.cwiseAbs().maxCoeff();
    return std::isfinite(worst) ? worst : HUGE_VAL;
  }

  void note(ClosedStart& result) const {
    int at = 0;
    result.error = gap_.cwiseAbs().maxCoeff(&at);
    result.constraint = rows_.constraint(at).name;
    result.row = at;
  }

  bool linearise() {
    return rows_.linearise(state_.t, state_.q) && rows_factor_.compute(rows_.S());
  }

  // One step of Newton's method, halved while it makes things worse.
  bool improve(double& worst) {
    if (!linearise()) return false;
    Vector lambda(gap_.size()), next(state_.q.size());
    rows_factor_.solve(-gap_, lambda);
    const Vector start = state_.q;
    double part = 1;
    for (int k = 0; k < kMostHalvings; ++k, part *= 0.5) {
      system_.advance(start, Vector(part * (rows_.moved() * lambda)), next);
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
    const double before = state_.v.dot(Vector(rows_.mass() * state_.v));
    const SparseMatrix transposed = rows_.G().transpose();
    for (int pass = 0; pass < 3; ++pass) {
      const Vector rate = transposed * state_.v + rows_.w();
      if (rate.cwiseAbs().maxCoeff() <= 1e-15 * (1 + state_.v.cwiseAbs().maxCoeff())) break;
      Vector impulse(rate.size());
      rows_factor_.solve(-rate, impulse);
      state_.v += rows_.moved() * impulse;
    }
    return 0.5 * (before - state_.v.dot(Vector(rows_.mass() * state_.v)));
  }

  // Multipliers may differ by any vector of the null space of S.
  void find_redundant(ClosedStart& result) const {
    constexpr double kTakesPart = 1e-6;  // of a unit vector
    const int n = rows_.count();
    result.redundant = -1;
    if (n > kMostRowsRanked) return;
    const SparseMatrix& S = rows_.S();
    const Vector scale = S.diagonal().cwiseSqrt().cwiseInverse();
    const Matrix scaled = scale.asDiagonal() * Matrix(S) * scale.asDiagonal();
    const Eigen::SelfAdjointEigenSolver<Matrix> eigen(scaled);
    result.redundant = static_cast<int>((eigen.eigenvalues().array() < kDependent * n).count());
    for (int i = 0; i < n; ++i) {
      if (eigen.eigenvectors().row(i).head(result.redundant).norm() > kTakesPart)
        result.undetermined.push_back(rows_.constraint(i).identity);
    }
  }

  const System& system_;
  State& state_;
  ConstraintMatrix rows_;
  Vector gap_;
  SemidefiniteFactor rows_factor_;
};

}  // namespace

ClosedStart close_constraints(const System& system, State& state) {
  return Closing(system, state).run();
}

}  // namespace clack
