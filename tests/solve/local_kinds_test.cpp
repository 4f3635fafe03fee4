#include <gtest/gtest.h>

#include <cmath>

#include "clack/solve/local_fischer_burmeister.hpp"
#include "clack/solve/local_newton.hpp"
#include "clack/solve/local_projection.hpp"
#include "clack/solve/local_solver.hpp"
#include "tests/large.hpp"
#include "tests/solve/local_error.hpp"
#include "tests/solve/random_problem.hpp"

namespace clack {
namespace {

const std::vector<Cone>& friction_cones() {
  static const std::vector<Cone> cones = {Cone::coulomb(2, 0.3),
                                          Cone::coulomb(2, 2.0),
                                          Cone::coulomb(3, 0.1),
                                          Cone::coulomb(3, 0.6),
                                          Cone::coulomb(3, 2.0),
                                          Cone::rolling(0.5, 0.1),
                                          Cone::rolling(0.3, 0.8),
                                          Cone::rolling(2.0, 3.0),
                                          Cone::discs({{3, 0.1}}),
                                          Cone::discs({{3, 2.0}}),
                                          Cone::discs({{1, 0.5}, {1, 0.2}}),
                                          Cone::discs({{3, 0.5}, {2, 0.2}}),
                                          Cone::discs({{2, 0.5}, {1, 0.1}, {2, 0.2}})};
  return cones;
}

TEST(LocalKinds, ExactAcAndFbAgreeOnAHundredThousandContacts) {
  SKIP_UNDER_SANITIZERS();
  for (const LocalKind kind : {LocalKind::exact, LocalKind::ac, LocalKind::fb}) {
    std::mt19937 random(31);
    for (const Cone& cone : friction_cones()) {
      for (int trial = 0; trial < 12500; ++trial) {
        const OwnedProblem problem = make_problem(random, {cone}, cone.dim() + trial % 4);
        Vector r = Vector::Zero(cone.dim());
        if (trial % 2 == 1) cone.project(random_vector(random, cone.dim()).data(), r.data());
        ASSERT_TRUE(solve_local(kind, cone, problem.W.data(), problem.u_free.data(), r.data()));
        ASSERT_LE(local_error(cone, problem.W, problem.u_free, r), 1e-10)
            << static_cast<int>(kind) << " mu " << cone.mu() << " dim " << cone.dim() << " W\n"
            << problem.W << "\nb " << problem.u_free.transpose();
      }
    }
  }
}

// Without the exact solve behind them: the agreement above must not come from the safeguard alone.
// Full steps may cycle where friction is large, and only there.
TEST(LocalKinds, NewtonSolvesMostContactsWithoutItsSafeguard) {
  std::mt19937 random(32);
  for (const Cone& cone : friction_cones()) {
    int closed = 0, ac = 0, fb = 0;
    for (int trial = 0; trial < 4000; ++trial) {
      const OwnedProblem problem = make_problem(random, {cone}, cone.dim() + 3);
      if (problem.u_free[0] >= 0) continue;
      ++closed;
      Vector r = Vector::Zero(cone.dim());
      ac += solve_local_ac(cone, problem.W.data(), problem.u_free.data(), r.data());
      r.setZero();
      fb += solve_local_fb(cone, problem.W.data(), problem.u_free.data(), r.data());
    }
    EXPECT_GE(ac, (cone.mu() < 1 ? 0.95 : 0.75) * closed)
        << "mu " << cone.mu() << " dim " << cone.dim();
    if (cone.disc_count() > 1) continue;
    EXPECT_GE(fb, 0.9 * closed) << "mu " << cone.mu() << " dim " << cone.dim();
  }
}

// The rows of rolling have units of their own; one unit of length for another must not matter.
TEST(LocalKinds, RollingContactsAreAccurateTo1em13InAnyUnitOfLength) {
  std::mt19937 random(33);
  for (const double length : {1.0, 1e-3, 1e3}) {
    const Cone cone = Cone::rolling(0.5, 0.2 * length);
    for (int trial = 0; trial < 5000; ++trial) {
      OwnedProblem problem = make_problem(random, {cone}, 8);
      Vector unit = Vector::Ones(5);
      unit.tail(2).setConstant(1 / length);
      problem.W = unit.asDiagonal() * problem.W * unit.asDiagonal();
      problem.u_free = unit.cwiseProduct(problem.u_free);
      Vector r = Vector::Zero(5);
      ASSERT_TRUE(solve_local(cone, problem.W.data(), problem.u_free.data(), r.data()));
      if (problem.u_free[0] >= 0) continue;
      const ClosedContact contact(cone, problem.W.data(), problem.u_free.data());
      ASSERT_LE(contact.error(contact.scaled(r.data())), 2e-13) << length << " " << trial;
    }
  }
}

TEST(LocalKinds, TheProjectedStepRepeatedEndsAtTheSolution) {
  std::mt19937 random(34);
  for (const Cone& cone : {Cone::nonnegative(), Cone::coulomb(2, 0.3), Cone::coulomb(3, 0.4),
                           Cone::rolling(0.3, 0.2)}) {
    for (int trial = 0; trial < 200; ++trial) {
      const OwnedProblem problem = make_problem(random, {cone}, 6 * cone.dim());
      Vector r = Vector::Zero(cone.dim());
      for (int k = 0; k < 3000; ++k)
        project_local(cone, problem.W.data(), problem.u_free.data(), 1.0, r.data());
      ASSERT_LE(local_error(cone, problem.W, problem.u_free, r), 1e-11)
          << cone.dim() << " " << trial;
    }
  }
}

TEST(LocalKinds, BlocksThatCannotMoveGiveFiniteImpulsesInTheCone) {
  std::vector<Cone> cones = friction_cones();
  cones.insert(cones.end(),
               {Cone::nonnegative(), Cone::free(1), Cone::free(3), Cone::coulomb(3, 0.0),
                Cone::coulomb(3, 1e3), Cone::rolling(0.0, 0.0), Cone::rolling(1e3, 0.0)});
  for (const LocalKind kind :
       {LocalKind::exact, LocalKind::ac, LocalKind::fb, LocalKind::projection}) {
    for (const Cone& cone : cones) {
      const int dim = cone.dim();
      for (int shape = 0; shape < 3; ++shape) {  // nothing, the normal only, all but the normal
        Matrix W = Matrix::Zero(dim, dim);
        if (shape == 1) W(0, 0) = 2;
        if (shape == 2) W.diagonal().tail(dim - 1).setOnes();
        for (const double b_n : {-1.0, 0.0, 1.0}) {
          Vector b = Vector::Constant(dim, 0.5), r = Vector::Zero(dim);
          b[0] = b_n;
          solve_local(kind, cone, W.data(), b.data(), r.data());
          EXPECT_TRUE(r.allFinite())
              << static_cast<int>(kind) << " dim " << dim << " shape " << shape;
          EXPECT_LE(cone.distance(r.data()), 1e-12 * (1 + r.norm()));
        }
      }
    }
  }
}

}  // namespace
}  // namespace clack
