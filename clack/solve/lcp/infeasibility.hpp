// Proofs that a one-step problem has no solution, found and checked.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "clack/problem/block_sparse.hpp"
#include "clack/problem/reduced_problem.hpp"
#include "clack/solve/solver.hpp"

namespace clack {

// Weights y of the rows, y_N >= 0, y_T = 0, of any sign on free rows, with
//
//     (W' y)_N + sum_i mu_i |(W' y)_i| <= 0,    (W' y)_free = 0,    u_free' y < 0  (eq:farkas_cone)
//
// exclude every solution: u_N >= 0 and u = 0 on free rows give y' u >= 0, while r in K gives
// y' u = (W' y)' r + u_free' y < 0. In R+ and R^n this is Farkas' alternative to the existence of
// an r in K with W r + u_free in K*, of which there is then none; with friction it is sufficient.
//
// In floating point the left sides hold up to a violation; with it, and with all round-off of the
// check charged against the proof, a solution must be so large that
//
//     sum over columns j of  max_i |W_ij| |r_j|  >=  bound max_i |u_free_i|
struct Infeasibility {
  std::vector<double> y;  // m values
  double bound = 0;
};

// Below this bound nothing is called a proof.
constexpr double kProofBound = 1e8;

// What is known of a complementary row: nothing, r_i = 0, or u_i = 0 (eq:branch). The weight of a
// row with u_i = 0 may have any sign, and the column of one with r_i = 0 bears no condition.
enum class Side : std::int8_t { open, separated, closed };

// Checks weights against a problem from its data alone.
class InfeasibilityCheck {
 public:
  explicit InfeasibilityCheck(const ReducedProblem& problem);

  // The bound that y proves, 0 for none. Rows of y with the wrong sign, and tangential ones, are
  // first set to zero. sides: one a row of the problem, or none at all.
  double bound(std::span<double> y, std::span<const Side> sides = {}) const;

 private:
  double violation(const Cone& cone, int begin, const Vector& sum, const Vector& magnitude) const;

  ReducedProblem problem_;
  SparseMatrix W_;  // compressed columns
  Vector largest_;  // of each column of W, absolute
};

// y as a proof, if it is one.
std::optional<Infeasibility> check_infeasibility(const ReducedProblem& problem,
                                                 std::vector<double> y);

// Searches for a proof by linear programming and checks it. Discs are replaced by circumscribed
// polygons of 16 sides (8 in cones of several discs), those of three components by a polyhedron of
// 30 faces: what is found holds for the discs as well. Dense;
// gives up without a result where the tableau would have more than 4e7 entries.
std::optional<Infeasibility> find_infeasibility(const ReducedProblem& problem);

// Status::infeasible, the certificate and a note that begins with what led to it.
void report_infeasible(const Infeasibility& proof, std::string_view found, SolveReport& report);

}  // namespace clack
