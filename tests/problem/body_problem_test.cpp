#include "clack/problem/body_problem.hpp"

#include <gtest/gtest.h>

#include "clack/core/error.hpp"
#include "clack/problem/global_problem.hpp"
#include "tests/problem/body_support.hpp"
#include "tests/support/generate.hpp"

namespace clack::test {
namespace {

// Up to the round-off of a reduction: some 1e-11.
void expect_close(const Residual& a, const Residual& b) {
  EXPECT_NEAR(a.plain, b.plain, 1e-10 * b.plain);
  EXPECT_NEAR(a.scaled, b.scaled, 1e-10 * b.scaled);
  EXPECT_NEAR(a.velocity, b.velocity, 1e-10 * b.velocity);
}

TEST(BodyProblem, ResidualAndVelocityAreThoseOfTheAssembledProblem) {
  Random random(11);
  for (const int dim : {2, 3}) {
    for (const bool spheres : {false, true}) {
      const BodyProblem problem = random_body_problem(random, dim, 9, 40, spheres);
      problem.validate();
      const ProblemData direct = assemble_reduced(problem), global = assemble_global(problem);
      const ProblemData reduced = reduce(global);
      const Vector r = random_vector(random, problem.size());
      Vector u(problem.size()), other = u, v(6 * 9);
      const Residual residual = compute_residual(problem, r.data(), u.data());
      expect_close(residual, compute_residual(direct.view(), r.data(), other.data()));
      EXPECT_LE((u - other).norm(), 1e-12 * u.norm());
      expect_close(residual, compute_residual(reduced.view(), r.data(), other.data()));
      EXPECT_LE((u - other).norm(), 1e-12 * u.norm());
      compute_velocity(problem, r.data(), v.data());
      const Vector known = recover_velocity(global, r.data());  // of the bodies that are not driven
      const Eigen::Map<const Matrix> by_body(v.data(), 6, 9);
      const int dof = dim == 3 ? 6 : 3;
      for (int i = 0; i < 8; ++i) {
        EXPECT_NEAR(by_body(0, i), known[dof * i], 1e-11);
        EXPECT_NEAR(by_body(5, i), known[dof * i + dof - 1], 1e-11);
      }
    }
  }
}

TEST(BodyProblem, TheOperatorIsTheAssembledW) {
  Random random(12);
  for (const int dim : {2, 3}) {
    const BodyProblem problem = random_body_problem(random, dim, 7, 25, false);
    const BodyDelassus W(problem);
    const ProblemData reduced = assemble_reduced(problem);
    const Vector x = random_vector(random, problem.size());
    Vector y(problem.size()), rows = y, known = y;
    W.multiply(x.data(), y.data());
    reduced.W.multiply(x.data(), known.data());
    EXPECT_LE((y - known).norm(), 1e-12 * known.norm());
    for (int i = 0; i < problem.size(); i += dim)
      W.multiply_rows(i, dim, x.data(), rows.data() + i);
    EXPECT_LE((rows - known).norm(), 1e-12 * known.norm());
    Vector block(dim * dim), known_block = block;
    W.diagonal_block(dim * 6, dim, block.data());
    reduced.W.diagonal_block(dim * 6, dim, known_block.data());
    EXPECT_LE((block - known_block).norm(), 1e-12 * known_block.norm());
  }
}

TEST(BodyProblem, GeneratedBodiesAreTheGeneratedProblem) {
  for (const Packing packing : {Packing::random, Packing::wall}) {
    GenerateOptions options;
    options.packing = packing;
    options.speed = 0.1;
    options.mu_spread = 0.5;
    const ProblemData known = reduce(generate_problem(options));
    const ProblemData mine = assemble_reduced(generate_body_problem(options));
    EXPECT_LE((mine.u_free - known.u_free).norm(), 1e-12 * known.u_free.norm());
    const Vector x = Vector::Ones(known.dimension());
    Vector y(known.dimension()), z = y;
    known.W.multiply(x.data(), y.data());
    mine.W.multiply(x.data(), z.data());
    EXPECT_LE((y - z).norm(), 1e-12 * y.norm());
    EXPECT_EQ(mine.cones[7].mu(), known.cones[7].mu());
  }
}

TEST(BodyProblem, TheFrameIsRightHandedAndAnImpulseSurvivesIt) {
  Random random(13);
  for (int trial = 0; trial < 100; ++trial) {
    const int dim = 2 + trial % 2;
    const Eigen::Vector3d n = random_normal(random, dim);
    const Eigen::Matrix3d frame = contact_frame(n, dim);
    EXPECT_LE((frame * frame.transpose() - Eigen::Matrix3d::Identity()).norm(), 1e-14);
    EXPECT_NEAR(frame.determinant(), 1, 1e-14);
    EXPECT_EQ(Eigen::Vector3d(frame.row(0)), n);
    const double local[3] = {1, 2, dim == 3 ? 3.0 : 0.0};
    double back[3] = {0, 0, 0};
    to_local(n, dim, to_world(n, dim, local), back);
    for (int k = 0; k < dim; ++k) EXPECT_NEAR(back[k], local[k], 1e-14);
  }
}

TEST(BodyProblem, WhatIsNotAllowedIsRefused) {
  Random random(14);
  const BodyProblem good = random_body_problem(random, 3, 4, 8, true);
  const auto refused = [&](auto&& spoil) {
    BodyProblem problem = good;
    spoil(problem);
    EXPECT_THROW(problem.validate(), InputError);
  };
  EXPECT_NO_THROW(good.validate());
  refused([](BodyProblem& p) { p.dim = 4; });
  refused([](BodyProblem& p) { p.dim = 2; });  // the normals leave the plane
  refused([](BodyProblem& p) { p.contacts[3].b = 4; });
  refused([](BodyProblem& p) { p.contacts[3].a = p.contacts[3].b; });
  refused([](BodyProblem& p) { p.contacts[3].normal *= 2; });
  refused([](BodyProblem& p) { p.contacts[3].mu = -1; });
  refused([](BodyProblem& p) { p.bodies[1].inverse_mass = -1; });
  refused([](BodyProblem& p) { p.bodies[1].inverse_mass = 0; });  // but it can turn
  refused([](BodyProblem& p) { p.bodies[1].v_free.x() = NAN; });
}

}  // namespace
}  // namespace clack::test
