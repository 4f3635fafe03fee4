#include "clack/problem/global_problem.hpp"

#include "clack/core/error.hpp"
#include "clack/problem/certificate.hpp"
#include "clack/problem/residual.hpp"
#include "problem_support.hpp"

namespace clack::test {
namespace {

// r, u, v solve the global problem, and r, u the reduced one; v comes back from r.
void expect_reduction(const Manufactured& made) {
  const ProblemData& global = made.problem;
  EXPECT_LE(compute_global_residual(global, made.r.data(), made.v.data()).total(), 1e-13);
  EXPECT_LE(compute_certificate(global, made.r.data(), made.v.data()).worst(), 1e-12);

  const ProblemData reduced = reduce(global);
  ASSERT_EQ(reduced.dimension(), global.dimension());
  Vector u(reduced.dimension());
  EXPECT_LE(compute_residual(reduced.view(), made.r.data(), u.data()).plain, 1e-12);
  EXPECT_LE((u - made.u).norm(), 1e-11 * (1 + made.u.norm()));
  const Vector v = recover_velocity(global, made.r.data());
  EXPECT_LE((v - made.v).norm(), 1e-11 * made.v.norm());
}

void expect_dense_congruence(const ProblemData& global) {
  const Matrix M(global.M);
  const Matrix H(global.H);
  const Matrix expected = H.transpose() * M.partialPivLu().solve(H);
  const Matrix W(reduce(global).W.to_sparse());
  EXPECT_LE((W - expected).norm(), 1e-11 * expected.norm());
}

TEST(GlobalProblem, ReductionOfBodiesKeepsTheSolution) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    Random random(seed);
    const Manufactured made =
        make_global(random, mixed_cones(9), random_bodies(random, 8, seed % 2 == 0 ? 6 : 3));
    expect_reduction(made);
    expect_dense_congruence(made.problem);
  }
}

TEST(GlobalProblem, ReductionOfAMeshKeepsTheSolution) {
  Random random(1);
  constexpr int kNodes = 400;  // one component, larger than what is factorised densely
  std::vector<Triplet> triplets;
  for (int i = 0; i < kNodes; ++i) {
    triplets.emplace_back(i, i, 4.0 + uniform(random));
    if (i > 0) {
      triplets.emplace_back(i, i - 1, -1.0);
      triplets.emplace_back(i - 1, i, -1.0);
    }
  }
  SparseMatrix M(kNodes, kNodes);
  M.setFromTriplets(triplets.begin(), triplets.end());
  EXPECT_EQ(MassInverse(M).components(), 1);
  expect_reduction(make_global(random, mixed_cones(12), M));

  M.coeffRef(7, 8) = -0.3;  // not symmetric any more
  const Manufactured made = make_global(random, mixed_cones(12), M);
  expect_reduction(made);
  expect_dense_congruence(made.problem);
}

TEST(GlobalProblem, ReductionOfAnUnsymmetricOrIndefiniteMassKeepsTheSolution) {
  Random random(2);
  SparseMatrix M = random_bodies(random, 5, 6);
  M.coeffRef(0, 1) += 0.4;
  M.coeffRef(8, 8) -= 40;
  const Manufactured made = make_global(random, mixed_cones(9), M);
  expect_reduction(made);
  expect_dense_congruence(made.problem);
}

TEST(GlobalProblem, BodiesThatShareNoContactStayUncoupled) {
  Random random(4);
  const SparseMatrix M = random_bodies(random, 3, 3);
  Matrix H = Matrix::Zero(9, 9);
  for (int b = 0; b < 3; ++b) H.block(3 * b, 3 * b, 3, 3) = random_matrix(random, 3, 3);
  const std::vector<Cone> cones(3, Cone::coulomb(3, 0.5));
  const ProblemData reduced =
      reduce(make_global_problem(cones, M, H.sparseView(), Vector::Ones(9), Vector::Zero(9)));
  EXPECT_EQ(reduced.W.block_count(), 3);
  const SparseMatrix W = reduced.W.to_sparse();
  EXPECT_EQ(Matrix(W), Matrix(W.transpose()));
}

TEST(GlobalProblem, ResidualIsTheSumOfDynamicsAndContact) {
  // One body of mass 2, a frictionless contact, u = v: f = 4, w = 0, r = 1, v = 2.
  SparseMatrix M(1, 1);
  M.insert(0, 0) = 2;
  SparseMatrix H(1, 1);
  H.insert(0, 0) = 1;
  const ProblemData problem =
      make_global_problem({Cone::nonnegative()}, M, H, Vector::Constant(1, 4.0), Vector::Zero(1));
  const double r = 1;
  const double v = 2;
  const GlobalResidual residual = compute_global_residual(problem, &r, &v);
  EXPECT_DOUBLE_EQ(residual.dynamics, 1.0 / 4);  // |1 + 4 - 4| / max(4, 4, 1)
  EXPECT_DOUBLE_EQ(residual.contact, 1.0 / 2);   // |1 - max(1 - 2, 0)| / max(2, 1)
  EXPECT_DOUBLE_EQ(residual.total(), 0.75);
}

TEST(GlobalProblem, NothingIsDividedByATinyMaximum) {
  SparseMatrix M(1, 1);
  M.insert(0, 0) = 1;
  const ProblemData problem =
      make_global_problem({}, M, SparseMatrix(1, 0), Vector::Constant(1, 1e-9), Vector(0));
  const double v = 0;
  EXPECT_DOUBLE_EQ(compute_global_residual(problem, nullptr, &v).total(), 1e-9);
}

TEST(GlobalProblem, NoContactReducesToNoRows) {
  Random random(5);
  const ProblemData reduced = reduce(make_global_problem(
      {}, random_bodies(random, 2, 3), SparseMatrix(6, 0), Vector::Ones(6), Vector(0)));
  EXPECT_EQ(reduced.dimension(), 0);
}

TEST(GlobalProblem, SingularMassIsAnInputErrorThatNamesTheComponent) {
  for (const double last : {0.0, 1.0}) {
    Matrix M = Matrix::Identity(4, 4);
    M.bottomRightCorner(2, 2) << 1, last, last, last;
    try {
      const MassInverse inverse{SparseMatrix(M.sparseView())};
      FAIL() << "no exception";
    } catch (const InputError& error) {
      const std::string dof = last == 0 ? "freedom 3" : "freedom 2";
      EXPECT_NE(std::string(error.what()).find(dof), std::string::npos) << error.what();
    }
  }
  EXPECT_THROW(MassInverse(SparseMatrix(2, 3)), InputError);
}

TEST(GlobalProblem, SizesThatDoNotFitAreInputErrors) {
  const SparseMatrix M(3, 3);
  const std::vector<Cone> cones{Cone::coulomb(3, 0.5)};
  EXPECT_THROW(make_global_problem(cones, M, SparseMatrix(3, 2), Vector::Zero(3), Vector::Zero(3)),
               InputError);
  EXPECT_THROW(make_global_problem(cones, M, SparseMatrix(3, 3), Vector::Zero(2), Vector::Zero(3)),
               InputError);
  EXPECT_THROW(make_reduced_problem(cones, SparseMatrix(2, 2), Vector::Zero(3)), InputError);
  EXPECT_THROW(make_reduced_problem(cones, M, Vector::Constant(3, NAN)), InputError);
  const ProblemData reduced = make_reduced_problem(cones, M, Vector::Zero(3));
  EXPECT_THROW((void)reduce(reduced), InputError);
}

}  // namespace
}  // namespace clack::test
