// Families of random problems and degenerate ones, shared by the tests of the second-order and of
// the convex solvers.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "tests/solve/solve_problem.hpp"

namespace clack {

struct ConeKind {
  const char* name;
  std::vector<Cone> cones;
};

inline std::vector<ConeKind> cone_kinds() {
  const Cone plane = Cone::coulomb(2, 0.4), space = Cone::coulomb(3, 0.5);
  const Cone rolling = Cone::rolling(0.5, 0.2);
  return {{"frictionless", std::vector<Cone>(8, Cone::nonnegative())},
          {"plane", {plane, Cone::coulomb(2, 0.2), plane, plane, Cone::coulomb(2, 0.7)}},
          {"space", {space, Cone::coulomb(3, 0.2), space, space, Cone::coulomb(3, 0.8)}},
          {"rolling", {rolling, Cone::rolling(0.3, 0.05), rolling}},
          {"mixed", {space, Cone::nonnegative(), plane, Cone::free(1), Cone::coulomb(3, 0.0)}}};
}

inline int rows(const std::vector<Cone>& cones) {
  int m = 0;
  for (const Cone& cone : cones) m += cone.dim();
  return m;
}

// How many of `trials` problems with a known solution are solved to 1e-8; W has `rank`.
inline int count_solved(std::string_view name, const ConeKind& kind, int rank, int trials,
                        const OptionSet& own = {}) {
  std::mt19937 random(77);
  int solved = 0;
  for (int trial = 0; trial < trials; ++trial) {
    Vector r, u;
    OwnedProblem problem = make_known_problem(random, kind.cones, rank, r, u);
    const SolveOutcome outcome = solve_problem(name, problem, 1e-8, own);
    EXPECT_TRUE(outcome.r.allFinite() && outcome.u.allFinite()) << name;
    if (outcome.report.status == Status::converged) ++solved;
  }
  return solved;
}

inline OwnedProblem assemble_problem(const Matrix& W, const Vector& u_free,
                                     std::vector<Cone> cones) {
  OwnedProblem problem;
  problem.W = W;
  problem.u_free = u_free;
  problem.cones = std::move(cones);
  problem.offset = {0};
  for (const Cone& cone : problem.cones) {
    problem.offset.push_back(problem.offset.back() + cone.dim());
  }
  return problem;
}

// Problems at the edge: one contact, no friction, huge friction, parallel contacts, redundant rows,
// u_free inside the dual cone, nothing moving, units far apart.
inline std::vector<std::pair<std::string, OwnedProblem>> degenerate_problems() {
  std::vector<std::pair<std::string, OwnedProblem>> all;
  std::mt19937 random(5);
  const Matrix A = Matrix::Random(3, 3);
  Matrix one = Matrix::Identity(3, 3) + 0.2 * A * A.transpose();
  const Vector approach = (Vector(3) << -1.0, 0.6, -0.3).finished();
  all.emplace_back("one contact", assemble_problem(one, approach, {Cone::coulomb(3, 0.3)}));
  all.emplace_back("mu = 0", assemble_problem(one, approach, {Cone::coulomb(3, 0.0)}));
  all.emplace_back("mu = 1000", assemble_problem(one, approach, {Cone::coulomb(3, 1e3)}));
  const Vector leaving = (Vector(3) << 2.0, 0.6, -0.3).finished();
  all.emplace_back("u_free in the dual cone",
                   assemble_problem(one, leaving, {Cone::coulomb(3, 0.3)}));
  all.emplace_back("at rest", assemble_problem(one, Vector::Zero(3), {Cone::coulomb(3, 0.3)}));
  // four contacts of one point mass with the same normal: rank 3 of 12
  Matrix H(3, 12);
  for (int c = 0; c < 4; ++c) H.block(0, 3 * c, 3, 3).setIdentity();
  const Vector repeated = H.transpose() * approach;
  all.emplace_back(
      "parallel contacts",
      assemble_problem(H.transpose() * H, repeated, std::vector<Cone>(4, Cone::coulomb(3, 0.3))));
  // the same bilateral row twice, beside a contact
  Matrix J(3, 5);
  J << Matrix::Identity(3, 3), Vector::Unit(3, 1), Vector::Unit(3, 1);
  all.emplace_back("redundant rows",
                   assemble_problem(J.transpose() * J, J.transpose() * approach,
                                    {Cone::coulomb(3, 0.3), Cone::free(1), Cone::free(1)}));
  Vector r, u;
  OwnedProblem units =
      make_known_problem(random, std::vector<Cone>(4, Cone::coulomb(3, 0.4)), 20, r, u);
  Vector scale(12);
  for (int i = 0; i < 12; ++i) scale[i] = i < 6 ? 1e-3 : 1e2;
  units.W = scale.asDiagonal() * units.W * scale.asDiagonal();
  units.u_free = scale.cwiseProduct(units.u_free);
  all.emplace_back("units far apart", units);
  return all;
}

}  // namespace clack
