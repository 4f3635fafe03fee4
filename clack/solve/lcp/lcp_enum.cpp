#include "clack/solve/lcp/lcp_enum.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "clack/core/error.hpp"
#include "clack/problem/residual.hpp"

namespace clack {
namespace {

constexpr double kComplementary = 1e-9;  // min(r_i, u_i) of the scaled problem that counts as zero

std::size_t at(int i) { return static_cast<std::size_t>(i); }

struct Leaf {
  std::vector<Side> sides;
};

// Do the leaves, which all agree with the sides fixed so far, cover every completion of them?
bool covers(const std::vector<const Leaf*>& leaves) {
  for (const Leaf* leaf : leaves) {
    const auto is_open = [](Side side) { return side == Side::open; };
    if (std::ranges::all_of(leaf->sides, is_open)) return true;
  }
  if (leaves.empty()) return false;
  const auto fixed =
      std::ranges::find_if(leaves.front()->sides, [](Side side) { return side != Side::open; });
  const auto row = static_cast<std::size_t>(fixed - leaves.front()->sides.begin());
  for (const Side side : {Side::separated, Side::closed}) {
    std::vector<Leaf> part;
    for (const Leaf* leaf : leaves) {
      if (leaf->sides[row] != Side::open && leaf->sides[row] != side) continue;
      part.push_back(*leaf);
      part.back().sides[row] = Side::open;
    }
    std::vector<const Leaf*> view;
    for (const Leaf& leaf : part) view.push_back(&leaf);
    if (!covers(view)) return false;
  }
  return true;
}

}  // namespace

const OptionTable<LcpEnumOptions>& LcpEnumOptions::table() {
  static const OptionTable<LcpEnumOptions> table = {
      make_option<LcpEnumOptions>({"stored_leaves", OptionRange::from(0), "-",
                                   "a proof with more leaves is counted in the note, not stored"},
                                  &LcpEnumOptions::stored_leaves)};
  return table;
}

void LcpEnumOptions::validate() const {
  SolverOptions::validate();
  validate_options("lcp-enum", table(), *this);
}

LcpEnum::LcpEnum(const LcpEnumOptions& options) : Solver(options), options_(options) {
  options.validate();
}

PhaseOne::Outcome LcpEnum::solve_node() {
  const int n = system_.size();
  std::vector<int> column, negated;  // unknowns of the linear program; free ones come twice
  std::vector<char> equal(at(n), 0);
  for (int i = 0; i < n; ++i) {
    equal[at(i)] = system_.is_free(i) || sides_[at(i)] == Side::closed;
    if (sides_[at(i)] != Side::separated) column.push_back(i);
    if (system_.is_free(i)) negated.push_back(i);
  }
  Matrix A(n, static_cast<Eigen::Index>(column.size() + negated.size()));
  A.leftCols(std::ssize(column)) = system_.W()(Eigen::all, column);
  A.rightCols(std::ssize(negated)) = -system_.W()(Eigen::all, negated);
  const PhaseOne::Outcome outcome = linear_.solve(A, system_.u_free(), equal);
  r_ = Vector::Zero(n);
  if (outcome != PhaseOne::Outcome::feasible) return outcome;
  for (std::size_t k = 0; k < column.size(); ++k)
    r_[column[k]] = linear_.x()[static_cast<Eigen::Index>(k)];
  for (std::size_t k = 0; k < negated.size(); ++k) {
    r_[negated[k]] -= linear_.x()[static_cast<Eigen::Index>(column.size() + k)];
  }
  return outcome;
}

// The open row that is furthest from complementary, -1 without an open row.
int LcpEnum::choose_row(double& conflict) const {
  const Vector u = system_.W() * r_ + system_.u_free();
  int best = -1;
  conflict = -1;
  for (int i = 0; i < system_.size(); ++i) {
    if (system_.is_free(i) || sides_[at(i)] != Side::open) continue;
    const double value = std::min(r_[i], u[i]);
    if (value <= conflict && best >= 0) continue;
    conflict = value;
    best = i;
  }
  return best;
}

void LcpEnum::close_leaf(PhaseOne::Outcome outcome, const InfeasibilityCheck& check) {
  ++leaf_count_;
  if (outcome != PhaseOne::Outcome::infeasible) {
    ++unproved_;
    return;
  }
  std::vector<double> y = system_.unscale_weights(linear_.y());
  std::vector<Side> sides(y.size(), Side::open);
  for (int i = 0; i < system_.size(); ++i) sides[at(system_.row(i))] = sides_[at(i)];
  if (!(check.bound(y, sides) >= kProofBound)) ++unproved_;
  if (leaf_count_ > options_.stored_leaves) return;
  for (const Side side : sides) leaves_.push_back(static_cast<double>(side));
  leaves_.insert(leaves_.end(), y.begin(), y.end());
}

bool LcpEnum::accept(const ReducedProblem& problem, double* r, double* u) {
  Vector candidate(problem.size()), velocity(problem.size());
  system_.unscale(r_, candidate.data());
  const double residual = polish(system_, problem, candidate.data(), velocity.data());
  if (!(residual < best_)) return false;
  best_ = residual;
  VectorMap(r, problem.size()) = candidate;
  VectorMap(u, problem.size()) = velocity;
  return residual <= options().tolerance;
}

// Depth first; the stack holds the rows that were fixed, each with the sides still to try.
LcpEnum::Search LcpEnum::explore(const ReducedProblem& problem, double* r, double* u,
                                 SolveReport& report) {
  struct Branch {
    int row;
    bool second;  // the other side has been tried
  };
  const InfeasibilityCheck check(problem);
  std::vector<Branch> stack;
  for (;;) {
    const PhaseOne::Outcome outcome = solve_node();
    int row = -1;
    if (outcome == PhaseOne::Outcome::feasible) {
      double conflict = 0;
      row = choose_row(conflict);
      if ((row < 0 || conflict <= kComplementary) && accept(problem, r, u)) return Search::solved;
      // A candidate that cannot be refined stays a leaf only when all is fixed.
    }
    if (stop_here(report.iterations + 1, std::max(best_, 2 * options().tolerance), report)) {
      return Search::stopped;
    }
    if (row >= 0) {
      const double u_row = system_.W().row(row).dot(r_) + system_.u_free()[row];
      sides_[at(row)] = r_[row] > u_row ? Side::closed : Side::separated;
      stack.push_back({row, false});
      continue;
    }
    close_leaf(outcome, check);
    while (!stack.empty() && stack.back().second) {
      sides_[at(stack.back().row)] = Side::open;
      stack.pop_back();
    }
    if (stack.empty()) return Search::empty;
    Side& side = sides_[at(stack.back().row)];
    side = side == Side::closed ? Side::separated : Side::closed;
    stack.back().second = true;
  }
}

void LcpEnum::conclude_empty(SolveReport& report) const {
  if (unproved_ > 0) {
    report.status = Status::stagnated;
    report.note = fmt::format(
        "the tree of active sets is exhausted ({} leaves) without a solution to the tolerance, but "
        "{} "
        "leaves lack a proof that they are empty",
        leaf_count_, unproved_);
    return;
  }
  report.status = Status::infeasible;
  const bool stored = leaf_count_ <= options_.stored_leaves;
  report.note = fmt::format(
      "no solution: all active sets are excluded by {} leaves of the enumeration, each with "
      "weights "
      "that have been checked{}",
      leaf_count_, stored ? " (the certificate lists them)" : "; too many to be stored");
  if (stored) report.certificate = leaves_;
}

void LcpEnum::iterate(const ReducedProblem& problem, double* r, double* u, SolveReport& report) {
  system_.load(name(), problem);
  best_ = measure(r, u);
  if (stop_here(0, best_, report)) return;
  if (const auto proof = find_infeasibility(problem)) {
    report_infeasible(*proof, "the problem is infeasible", report);
    return;
  }
  sides_.assign(at(system_.size()), Side::open);
  leaves_.clear();
  leaf_count_ = unproved_ = 0;
  const Search end = explore(problem, r, u, report);
  if (end == Search::solved) report.status = Status::converged;
  if (end == Search::empty) conclude_empty(report);
}

bool check_exhaustion(const ReducedProblem& problem, std::span<const double> leaves) {
  const auto m = static_cast<std::size_t>(problem.size());
  if (m == 0 || leaves.empty() || leaves.size() % (2 * m) != 0) return false;
  const InfeasibilityCheck check(problem);
  std::vector<Leaf> all(leaves.size() / (2 * m));
  for (std::size_t k = 0; k < all.size(); ++k) {
    const auto block = leaves.subspan(2 * m * k, 2 * m);
    for (std::size_t i = 0; i < m; ++i) {
      if (block[i] != 0 && block[i] != 1 && block[i] != 2) return false;
      all[k].sides.push_back(static_cast<Side>(static_cast<int>(block[i])));
    }
    std::vector<double> y(block.begin() + static_cast<std::ptrdiff_t>(m), block.end());
    if (!(check.bound(y, all[k].sides) >= kProofBound)) return false;
  }
  std::vector<const Leaf*> view;
  for (const Leaf& leaf : all) view.push_back(&leaf);
  return covers(view);
}

}  // namespace clack
