#include "clack/solve/nsgs.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "clack/core/error.hpp"
#include "clack/problem/block_sparse.hpp"
#include "clack/problem/residual.hpp"
#include "tests/solve/random_problem.hpp"

namespace clack {
namespace {

// W as one interface and nothing else: no fast path knows this class.
class OpaqueDelassus final : public Delassus {
 public:
  explicit OpaqueDelassus(const Matrix& W) : W_(W) {}
  int size() const override { return static_cast<int>(W_.rows()); }
  void multiply(const double* x, double* y) const override {
    VectorMap(y, size()) = W_ * ConstVectorMap(x, size());
  }
  void multiply_rows(int begin, int dim, const double* x, double* y) const override {
    VectorMap(y, dim) = W_.middleRows(begin, dim) * ConstVectorMap(x, size());
  }
  void diagonal_block(int begin, int dim, double* block) const override {
    MatrixMap(block, dim, dim) = W_.block(begin, begin, dim, dim);
  }
  void couple(std::span<const int> offset, Components& contacts) const override {
    DenseDelassus(W_.data(), size()).couple(offset, contacts);
  }

 private:
  const Matrix& W_;
};

Vector sweep_five_times(const ReducedProblem& problem) {
  NsgsOptions options;
  options.tolerance = 1e-300;
  options.max_iterations = 5;
  Vector r = Vector::Zero(problem.size()), u = r;
  (void)Nsgs(options).solve(problem, r.data(), u.data());
  return r;
}

TEST(Nsgs, SparseDenseAndOpaqueStorageGiveTheSameSweeps) {
  const std::vector<std::vector<Cone>> kinds = {
      {Cone::nonnegative()},
      {Cone::coulomb(2, 0.4)},
      {Cone::coulomb(3, 0.4)},
      {Cone::rolling(0.4, 0.2)},
      {Cone::coulomb(3, 0.4), Cone::free(1), Cone::coulomb(2, 0.3)},
      {Cone::free(3), Cone::coulomb(3, 0.5)}};
  std::mt19937 random(41);
  for (const std::vector<Cone>& kind : kinds) {
    std::vector<Cone> cones;
    for (int k = 0; k < 6; ++k) cones.insert(cones.end(), kind.begin(), kind.end());
    OwnedProblem problem = make_problem(random, cones, 80);
    ReducedProblem view = problem.view();
    const Vector dense = sweep_five_times(view);
    const BlockSparse sparse(SparseMatrix(problem.W.sparseView()), problem.offset);
    view.W = &sparse;
    EXPECT_LE((sweep_five_times(view) - dense).norm(), 1e-12 * dense.norm()) << kind[0].dim();
    const OpaqueDelassus opaque(problem.W);
    view.W = &opaque;
    EXPECT_LE((sweep_five_times(view) - dense).norm(), 1e-12 * dense.norm()) << kind[0].dim();
    EXPECT_GT(dense.norm(), 0);
  }
}

SolveReport solve(OwnedProblem& problem, const OptionSet& own, Vector& r, int sweeps = 20000) {
  SolverOptions options;
  options.max_iterations = sweeps;
  r = Vector::Zero(problem.W.rows());
  Vector u = r;
  return make_solver("nsgs", options, own)->solve(problem.view(), r.data(), u.data());
}

const std::vector<Cone> kMixed = {
    Cone::coulomb(3, 0.4), Cone::nonnegative(),     Cone::coulomb(2, 0.3), Cone::free(1),
    Cone::coulomb(3, 0.8), Cone::rolling(0.3, 0.2), Cone::coulomb(3, 0.0)};

TEST(Nsgs, EveryOrderRelaxationAndLocalSolverReachesTheTolerance) {
  const std::vector<OptionSet> sets = {
      {{"order", "forward"}},   {{"order", "backward"}},
      {{"order", "symmetric"}}, {{"order", "shuffle"}},
      {{"relaxation", "0.7"}},  {{"relaxation", "1.2"}},
      {{"local", "exact"}},     {{"local", "ac"}},
      {{"local", "fb"}},        {{"local", "projection"}},
      {{"freeze_after", "2"}},  {{"freeze_after", "1"}, {"order", "shuffle"}}};
  for (const OptionSet& set : sets) {
    std::mt19937 random(42);
    for (int trial = 0; trial < 50; ++trial) {
      Vector known_r, known_u, r;
      OwnedProblem problem = make_known_problem(random, kMixed, 60, known_r, known_u);
      EXPECT_EQ(solve(problem, set, r).status, Status::converged)
          << set.begin()->first << " " << set.begin()->second << " " << trial;
    }
  }
}

TEST(Nsgs, AShuffleIsTheSameForTheSameSeedOnly) {
  std::mt19937 random(43);
  OwnedProblem problem = make_problem(random, kMixed, 40);
  Vector a, b, c;
  (void)solve(problem, {{"order", "shuffle"}, {"seed", "7"}}, a, 3);
  (void)solve(problem, {{"order", "shuffle"}, {"seed", "7"}}, b, 3);
  (void)solve(problem, {{"order", "shuffle"}, {"seed", "8"}}, c, 3);
  EXPECT_EQ((a - b).norm(), 0);
  EXPECT_GT((a - c).norm(), 0);
}

// Loose freezing skips contacts that others still move. Frozen for good, they would keep the
// residual above the tolerance and the sweeps would run to their limit.
TEST(Nsgs, AFrozenContactIsVisitedAgainBeforeTheVerdict) {
  std::mt19937 random(44);
  for (int trial = 0; trial < 200; ++trial) {
    Vector known_r, known_u, r;
    const std::vector<Cone> cones(12, Cone::coulomb(3, 0.6));
    OwnedProblem problem = make_known_problem(random, cones, 60, known_r, known_u);
    const SolveReport report =
        solve(problem, {{"freeze_after", "1"}, {"freeze_change", "1"}, {"thaw_every", "7"}}, r);
    Vector u(problem.W.rows());
    EXPECT_EQ(report.status, Status::converged) << trial;
    EXPECT_LE(compute_residual(problem.view(), r.data(), u.data()).worst(), 1e-10) << trial;
  }
}

TEST(Nsgs, TheBestImpulseIsReturnedWhereTheSweepsDiverge) {
  OwnedProblem problem;  // a linear complementarity problem that Gauss-Seidel cannot solve
  problem.W = Matrix::Identity(2, 2);
  problem.W(0, 1) = -3;
  problem.W(1, 0) = -3;
  problem.u_free = Vector::Constant(2, -1.0);
  problem.cones = {Cone::nonnegative(), Cone::nonnegative()};
  problem.offset = {0, 1, 2};
  SolverOptions options;
  options.max_iterations = 40;
  options.record_history = true;
  Vector r = Vector::Zero(2), u = r;
  const SolveReport report =
      make_solver("nsgs", options)->solve(problem.view(), r.data(), u.data());
  double best = HUGE_VAL;
  for (const HistoryEntry& entry : report.history) best = std::min(best, entry.residual);
  EXPECT_EQ(report.measured().worst(), best);
  EXPECT_NE(report.status, Status::converged);
}

TEST(Nsgs, BadOptionsAreRefused) {
  for (const OptionSet& set : std::vector<OptionSet>{{{"order", "random"}},
                                                     {{"local", "newton"}},
                                                     {{"relaxation", "2"}},
                                                     {{"freeze_after", "-1"}},
                                                     {{"thaw_every", "0"}},
                                                     {{"freeze_change", "2"}},
                                                     {{"ordre", "forward"}}}) {
    EXPECT_THROW(make_solver("nsgs", {}, set), InputError) << set.begin()->first;
  }
}

}  // namespace
}  // namespace clack
