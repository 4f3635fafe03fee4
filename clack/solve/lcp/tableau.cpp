#include "clack/solve/lcp/tableau.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace clack {
namespace {

constexpr double kPivot = 1e-10;  // smallest pivot, relative to its column
constexpr double kTie = 1e-11;    // ratios closer than this are equal
constexpr int kRefactor = 40;     // pivots between two factorisations of the basis

// Keeps the rows whose column / weight is least, up to ties.
void keep_least(const Eigen::Ref<const Vector>& column, const Vector& weight,
                std::vector<int>& rows) {
  double least = HUGE_VAL;
  for (const int i : rows) least = std::min(least, column[i] / weight[i]);
  const double limit = least + kTie * std::max(1.0, std::abs(least));
  std::erase_if(rows, [&](int i) { return column[i] / weight[i] > limit; });
}

}  // namespace

void Tableau::load(const Matrix& A, const Vector& b) {
  const Eigen::Index m = b.size();
  initial_.resize(m, m + A.cols() + 1);
  initial_.leftCols(m).setIdentity();
  initial_.middleCols(m, A.cols()) = A;
  initial_.col(m + A.cols()) = b;
  table_ = initial_;
  basis_.resize(static_cast<std::size_t>(m));
  std::iota(basis_.begin(), basis_.end(), 0);
  pivots_ = 0;
}

Vector Tableau::solution() const {
  Vector x = Vector::Zero(variables());
  for (int i = 0; i < rows(); ++i) x[basic(i)] = value(i);
  return x;
}

int Tableau::leaving_row(int entering, int preferred) const {
  const Vector weight = table_.col(entering);
  const double limit = kPivot * std::max(1.0, weight.size() > 0 ? weight.cwiseAbs().maxCoeff() : 0);
  std::vector<int> candidates;
  for (int i = 0; i < rows(); ++i) {
    if (weight[i] > limit) candidates.push_back(i);
  }
  if (candidates.empty()) return -1;
  keep_least(table_.col(table_.cols() - 1), weight, candidates);
  for (const int i : candidates) {
    if (basic(i) == preferred) return i;
  }
  for (int j = 0; j < rows() && candidates.size() > 1; ++j) {
    keep_least(table_.col(j), weight, candidates);
  }
  return candidates.front();
}

int Tableau::least_row(const Vector& weight) const {
  std::vector<int> candidates(static_cast<std::size_t>(rows()));
  std::iota(candidates.begin(), candidates.end(), 0);
  keep_least(table_.col(table_.cols() - 1), weight, candidates);
  for (int j = 0; j < rows() && candidates.size() > 1; ++j) {
    keep_least(table_.col(j), weight, candidates);
  }
  return candidates.front();
}

void Tableau::pivot(int row, int entering) {
  basis_[static_cast<std::size_t>(row)] = entering;
  if (++pivots_ % kRefactor == 0) {
    refactor();
    return;
  }
  const Vector column = table_.col(entering);
  const Eigen::RowVectorXd pivot_row = table_.row(row) / column[row];
  table_.noalias() -= column * pivot_row;
  table_.row(row) = pivot_row;
  table_.col(entering).setZero();
  table_(row, entering) = 1;
}

// Round-off of many pivots is dropped by starting again from the data.
void Tableau::refactor() {
  const Matrix basis = initial_(Eigen::all, basis_);
  table_ = basis.partialPivLu().solve(initial_);
}

}  // namespace clack
