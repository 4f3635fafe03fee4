#include "clack/solve/lcp/phase_one.hpp"

#include "clack/solve/lcp/lcp_system.hpp"

namespace clack {
namespace {

constexpr double kReducedCost = 1e-10;
constexpr double kInfeasible = 1e-10;  // of the scaled system, whose entries are about 1

}  // namespace

// Rows with b_i >= 0 start with their slack s_i in the basis, the others and the equations with an
// artificial variable; row i is multiplied by sign_i so that the right side is nonnegative.
void PhaseOne::load(const std::vector<char>& equal) {
  const Eigen::Index n = b_.size();
  sign_.resize(n);
  artificial_.assign(equal.size(), 0);
  slack_row_.clear();
  for (int i = 0; i < n; ++i) {
    const auto k = static_cast<std::size_t>(i);
    sign_[i] = b_[i] < 0 ? -1 : 1;
    artificial_[k] = equal[k] != 0 || b_[i] < 0;
    if (artificial_[k] && equal[k] == 0) slack_row_.push_back(i);
  }
  Matrix columns = Matrix::Zero(n, A_.cols() + static_cast<Eigen::Index>(slack_row_.size()));
  columns.leftCols(A_.cols()) = -(sign_.asDiagonal() * A_);
  for (std::size_t k = 0; k < slack_row_.size(); ++k) {
    columns(slack_row_[k], A_.cols() + static_cast<Eigen::Index>(k)) = sign_[slack_row_[k]];
  }
  tableau_.load(columns, b_.cwiseAbs());
}

// The variable whose growth lowers the sum of the artificial ones fastest, -1 if none does.
int PhaseOne::choose_entering() const {
  Vector gain = Vector::Zero(tableau_.variables());
  for (int i = 0; i < tableau_.rows(); ++i) {
    if (!is_artificial(tableau_.basic(i))) continue;
    for (int j = 0; j < tableau_.variables(); ++j) gain[j] += tableau_.entry(i, j);
  }
  int best = -1;
  double largest = kReducedCost;
  for (int j = 0; j < tableau_.variables(); ++j) {
    if (is_artificial(j) || gain[j] <= largest) continue;
    largest = gain[j];
    best = j;
  }
  return best;
}

PhaseOne::Outcome PhaseOne::conclude() {
  const int n = tableau_.rows();
  double sum = 0;
  y_ = Vector::Zero(n);
  for (int i = 0; i < n; ++i) {
    if (!is_artificial(tableau_.basic(i))) continue;
    sum += tableau_.value(i);
    for (int j = 0; j < n; ++j) y_[j] -= sign_[j] * tableau_.entry(i, j);
  }
  y_ = y_.cwiseProduct(row_scale_);
  x_ = tableau_.solution().segment(n, A_.cols()).cwiseMax(0.0).cwiseProduct(col_scale_);
  return sum > kInfeasible ? Outcome::infeasible : Outcome::feasible;
}

PhaseOne::Outcome PhaseOne::solve(const Matrix& A, const Vector& b,
                                  const std::vector<char>& equal) {
  A_ = A;
  b_ = b;
  equilibrate(A_, b_, row_scale_, col_scale_);
  const double size = b.size() > 0 ? b_.cwiseAbs().maxCoeff() : 0;
  if (size > 0) b_ /= size;
  load(equal);
  const int limit = 100 + 20 * tableau_.variables();
  for (int pivots = 0; pivots < limit; ++pivots) {
    const int entering = choose_entering();
    const int row = entering < 0 ? -1 : tableau_.leaving_row(entering, -1);
    if (row < 0) {
      const Outcome outcome = conclude();
      if (size > 0) x_ *= size;
      return outcome;
    }
    tableau_.pivot(row, entering);
  }
  return Outcome::undecided;
}

}  // namespace clack
