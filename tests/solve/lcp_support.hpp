// Linear complementarity problems for tests.
#pragma once

#include <initializer_list>

#include "tests/solve/solve_problem.hpp"

namespace clack {

inline OwnedProblem make_lcp(const Matrix& W, const Vector& u_free,
                             const std::vector<int>& free = {}) {
  OwnedProblem problem;
  problem.W = W;
  problem.u_free = u_free;
  problem.cones.assign(static_cast<std::size_t>(W.rows()), Cone::nonnegative());
  for (const int i : free) problem.cones[static_cast<std::size_t>(i)] = Cone::free(1);
  for (int i = 0; i <= W.rows(); ++i) problem.offset.push_back(i);
  return problem;
}

inline Matrix random_matrix(std::mt19937& random, int rows, int cols) {
  Matrix A(rows, cols);
  for (int j = 0; j < cols; ++j) A.col(j) = random_vector(random, rows);
  return A;
}

// W = A A' + skew with A of the given rank: monotone, not symmetric.
inline Matrix random_monotone(std::mt19937& random, int n, int rank) {
  const Matrix A = random_matrix(random, n, rank), B = random_matrix(random, n, n);
  return A * A.transpose() / rank + 0.3 * (B - B.transpose());
}

// r and u drawn first, with `zeros` rows where both vanish.
inline OwnedProblem make_known_lcp(std::mt19937& random, const Matrix& W,
                                   const std::vector<int>& free, int zeros, Vector& r) {
  const int n = static_cast<int>(W.rows());
  r = random_vector(random, n);
  Vector u = Vector::Zero(n);
  for (int i = 0; i < n; ++i) {
    if (std::find(free.begin(), free.end(), i) != free.end()) continue;
    const double value = r[i];
    r[i] = std::max(value, 0.0);
    u[i] = std::max(-value, 0.0);
    if (zeros-- > 0) r[i] = u[i] = 0;
  }
  return make_lcp(W, u - W * r, free);
}

inline SolveOutcome solve_lcp(std::string_view name, OwnedProblem& problem,
                              double tolerance = 1e-11, const OptionSet& own = {}) {
  return solve_problem(name, problem, tolerance, own, 100000);
}

}  // namespace clack
