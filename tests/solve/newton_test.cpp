#include <gtest/gtest.h>

#include "clack/core/error.hpp"
#include "clack/problem/residual.hpp"
#include "clack/solve/newton/block_system.hpp"
#include "clack/solve/newton/contact_maps.hpp"
#include "clack/solve/scaled_problem.hpp"
#include "tests/solve/newton_convex_problems.hpp"

namespace clack {
namespace {

const std::vector<std::string> kNewton = {"newton-ac", "newton-nm", "newton-fb"};

const std::vector<std::pair<const char*, ContactMap>> kMaps = {
    {"alart-curnier", alart_curnier},
    {"jean-moreau", jean_moreau},
    {"natural map", natural_map},
    {"fischer-burmeister", fischer_burmeister}};

std::vector<Cone> all_cones() {
  return {Cone::nonnegative(),
          Cone::coulomb(2, 0.4),
          Cone::coulomb(3, 0.5),
          Cone::coulomb(3, 0.0),
          Cone::rolling(0.5, 0.2),
          Cone::free(2),
          Cone::coulomb(3, 3.0),
          Cone::discs({{3, 0.5}}),
          Cone::discs({{1, 0.5}, {1, 0.2}}),
          Cone::discs({{2, 0.5}, {1, 0.3}, {2, 0.2}})};
}

SmallVector map_at(ContactMap map, const Cone& cone, const Vector& r, const Vector& u) {
  MapValue value;
  map(cone, r.data(), u.data(), value);
  return value.phi;
}

// Random points are smooth almost surely; the ones where both one-sided differences disagree are
// within a step of a kink and are left out, but not many may be.
TEST(NewtonMaps, DerivativesAgreeWithFiniteDifferences) {
  std::mt19937 random(1);
  for (const auto& [name, map] : kMaps) {
    for (const Cone& cone : all_cones()) {
      const int d = cone.dim();
      int left_out = 0;
      for (int trial = 0; trial < 200; ++trial) {
        const Vector r = random_vector(random, d), u = random_vector(random, d);
        MapValue value;
        map(cone, r.data(), u.data(), value);
        for (int k = 0; k < 2 * d; ++k) {
          const double h = 1e-6;
          const Vector dr = k < d ? Vector(h * Vector::Unit(d, k)) : Vector(Vector::Zero(d));
          const Vector du = k < d ? Vector(Vector::Zero(d)) : Vector(h * Vector::Unit(d, k - d));
          const SmallVector forward = (map_at(map, cone, r + dr, u + du) - value.phi) / h;
          const SmallVector backward = (value.phi - map_at(map, cone, r - dr, u - du)) / h;
          if ((forward - backward).norm() > 1e-3) {
            ++left_out;
            continue;
          }
          const SmallVector exact = k < d ? value.dr.col(k) : value.du.col(k - d);
          EXPECT_LE((0.5 * (forward + backward) - exact).norm(), 2e-5) << name << " dim " << d;
        }
      }
      EXPECT_LE(left_out, 10) << name;
    }
  }
}

TEST(NewtonMaps, VanishExactlyAtSolutions) {
  std::mt19937 random(2);
  for (const auto& [name, map] : kMaps) {
    for (const Cone& cone : all_cones()) {
      for (int trial = 0; trial < 100; ++trial) {
        Vector r, u;
        make_known_problem(random, {cone}, cone.dim(), r, u);
        EXPECT_LE(map_at(map, cone, r, u).norm(), 1e-7 * (r.norm() + u.norm())) << name;
        // away from the solution set the map sees what the yardstick sees
        const Vector wrong = r + 0.3 * random_vector(random, cone.dim());
        if (natural_map_norm(cone, wrong.data(), u.data(), 1.0) < 1e-2) continue;
        EXPECT_GE(map_at(map, cone, wrong, u).norm(), 1e-4) << name;
      }
    }
  }
}

TEST(NewtonMaps, FischerBurmeisterIsExactAwayFromDegeneracy) {
  std::mt19937 random(3);
  for (const Cone& cone : {Cone::coulomb(2, 0.4), Cone::coulomb(3, 0.5), Cone::nonnegative()}) {
    for (int trial = 0; trial < 100; ++trial) {
      Vector r, u;
      make_known_problem(random, {cone}, cone.dim(), r, u);
      EXPECT_LE(map_at(fischer_burmeister, cone, r, u).norm(), 1e-13 * (1 + r.norm() + u.norm()));
    }
  }
}

TEST(NewtonMaps, ProjectionDerivativeIsSymmetricWithEigenvaluesBetweenZeroAndOne) {
  std::mt19937 random(4);
  for (const Cone& cone : all_cones()) {
    for (int trial = 0; trial < 100; ++trial) {
      const Vector x = random_vector(random, cone.dim());
      const Matrix P = projection_derivative(cone, x.data());
      EXPECT_LE((P - P.transpose()).norm(), 1e-12);
      const Vector eigenvalues = Eigen::SelfAdjointEigenSolver<Matrix>(P).eigenvalues();
      EXPECT_GE(eigenvalues.minCoeff(), -1e-12);
      EXPECT_LE(eigenvalues.maxCoeff(), 1 + 1e-12);
    }
  }
}

class NewtonKinds : public testing::TestWithParam<std::tuple<std::string, int>> {};

TEST_P(NewtonKinds, SolvesAHundredProblemsOfFullRank) {
  const auto& [name, k] = GetParam();
  const ConeKind kind = cone_kinds()[k];
  EXPECT_EQ(count_solved(name, kind, rows(kind.cones) + 4, 100), 100) << name << " " << kind.name;
}

TEST_P(NewtonKinds, SolvesAHundredRankDeficientProblems) {
  const auto& [name, k] = GetParam();
  const ConeKind kind = cone_kinds()[k];
  EXPECT_EQ(count_solved(name, kind, rows(kind.cones) / 2, 100), 100) << name << " " << kind.name;
}

INSTANTIATE_TEST_SUITE_P(All, NewtonKinds,
                         testing::Combine(testing::ValuesIn(kNewton), testing::Range(0, 5)));

TEST(NewtonSolvers, EveryOptionSolves) {
  const ConeKind kind = cone_kinds()[4];
  const std::vector<OptionSet> variants = {{{"line_search", "none"}},
                                           {{"line_search", "armijo"}},
                                           {{"line_search", "goldstein-price"}},
                                           {{"factorisation", "sparse"}},
                                           {{"factorisation", "dense"}},
                                           {{"start_sweeps", "0"}}};
  for (const std::string& name : kNewton) {
    for (const OptionSet& own : variants) {
      EXPECT_EQ(count_solved(name, kind, rows(kind.cones) + 4, 50, own), 50) << name;
    }
  }
  EXPECT_EQ(count_solved("newton-ac", cone_kinds()[2], 20, 100, {{"variant", "jean-moreau"}}), 100);
}

TEST(NewtonSolvers, DegenerateProblemsAreSolved) {
  for (auto& [what, problem] : degenerate_problems()) {
    for (const std::string& name : kNewton) {
      const SolveOutcome outcome = solve_problem(name, problem, 1e-8, {}, 2000);
      EXPECT_EQ(outcome.report.status, Status::converged)
          << name << ", " << what << ": " << outcome.report.residual_scaled;
      EXPECT_TRUE(outcome.r.allFinite());
    }
  }
}

TEST(NewtonSolvers, WarmStartAtTheSolutionNeedsNoStepAndNoSweep) {
  std::mt19937 random(6);
  Vector r, u;
  OwnedProblem problem = make_known_problem(random, cone_kinds()[2].cones, 20, r, u);
  for (const std::string& name : kNewton) {
    const Vector before = r;
    const SolveReport report = make_solver(name, {})->solve(problem.view(), r.data(), u.data());
    EXPECT_EQ(report.iterations, 0);
    EXPECT_EQ((r - before).norm(), 0);
  }
}

TEST(NewtonSolvers, TwoRunsGiveTheSameBits) {
  std::mt19937 random(7);
  OwnedProblem problem = make_problem(random, cone_kinds()[4].cones, 6);
  for (const std::string& name : kNewton) {
    const SolveOutcome a = solve_problem(name, problem, 1e-10),
                       b = solve_problem(name, problem, 1e-10);
    EXPECT_EQ((a.r - b.r).cwiseAbs().maxCoeff(), 0) << name;
  }
}

TEST(NewtonSolvers, BadOptionsAreRefused) {
  EXPECT_THROW(make_solver("newton-ac", {}, {{"line_search", "wolfe"}}), InputError);
  EXPECT_THROW(make_solver("newton-nm", {}, {{"variant", "jean-moreau"}}), InputError);
  EXPECT_THROW(make_solver("newton-fb", {}, {{"alpha_min", "-1"}}), InputError);
  EXPECT_THROW(make_solver("newton-ac", {}, {{"inner_steps", "0"}}), InputError);
}

TEST(NewtonMatrix, DenseSparseAndSymmetricFactorsAgree) {
  std::mt19937 random(8);
  OwnedProblem problem = make_problem(random, cone_kinds()[4].cones, 6);
  ScaledProblem scaled;
  scaled.load(problem.view());
  Vector solutions[3];
  for (int k = 0; k < 3; ++k) {
    BlockSystem system;
    system.load(scaled.W(), k == 0 ? Factorisation::dense : Factorisation::sparse, k == 2);
    std::vector<double> B(system.block_values(), 0.0);
    for (int c = 0; c < scaled.contacts(); ++c) {
      const int d = scaled.cones()[c].dim();
      for (int i = 0; i < d; ++i) B[system.block_begin(c) + i * d + i] = 0.1 + c;
    }
    ASSERT_TRUE(system.factorise({}, B));
    ASSERT_TRUE(system.solve(scaled.u_free(), solutions[k]));
  }
  EXPECT_LE((solutions[0] - solutions[1]).norm(), 1e-10 * solutions[0].norm());
  EXPECT_LE((solutions[0] - solutions[2]).norm(), 1e-10 * solutions[0].norm());
}

TEST(NewtonMatrix, ScalingKeepsTheLawAndGivesUnitBlocks) {
  std::mt19937 random(9);
  Vector r, u;
  OwnedProblem problem = make_known_problem(random, cone_kinds()[2].cones, 20, r, u);
  problem.W *= 1e-6;  // r in units a million times larger
  r *= 1e6;
  ScaledProblem scaled;
  scaled.load(problem.view());
  const Vector r_scaled = scaled.to_scaled(r.data());
  Vector u_scaled, back(r.size());
  scaled.velocity(r_scaled, u_scaled);
  scaled.from_scaled(r_scaled, back.data());
  EXPECT_LE((back - r).norm(), 1e-14 * r.norm());
  EXPECT_LE((u_scaled - scaled.scale().cwiseProduct(u)).norm(), 1e-10 * u_scaled.norm());
  double block[9];
  for (int c = 0; c < scaled.contacts(); ++c) {
    scaled.W().diagonal_block(scaled.offset()[c], 3, block);
    EXPECT_NEAR(block[0] + block[4] + block[8], 3, 1e-12);
    EXPECT_LE(natural_map_norm(scaled.cones()[c], r_scaled.data() + scaled.offset()[c],
                               u_scaled.data() + scaled.offset()[c], 1.0),
              1e-9 * r_scaled.norm());
  }
}

}  // namespace
}  // namespace clack
