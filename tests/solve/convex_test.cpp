#include <gtest/gtest.h>

#include "clack/core/error.hpp"
#include "clack/solve/anderson.hpp"
#include "clack/solve/convex/admm_engine.hpp"
#include "clack/solve/convex/interior_point.hpp"
#include "clack/solve/convex/projected_gradient.hpp"
#include "clack/solve/scaled_problem.hpp"
#include "tests/solve/newton_convex_problems.hpp"

namespace clack {
namespace {

struct Method {
  std::string name;
  OptionSet own;
};

const std::vector<Method> kMethods = {{"aclm", {{"core", "bb"}}},
                                      {"aclm", {{"core", "apgd"}}},
                                      {"aclm", {{"core", "admm"}}},
                                      {"aclm", {{"core", "ipm"}}},
                                      {"aclm", {{"core", "bb"}, {"outer", "fixed-point"}}},
                                      {"tresca", {}},
                                      {"panagiotopoulos", {}},
                                      {"admm", {}},
                                      {"ipm", {}}};

class ConvexKinds : public testing::TestWithParam<std::tuple<int, int>> {};

TEST_P(ConvexKinds, SolvesAHundredProblemsOfFullRank) {
  const Method method = kMethods[std::get<0>(GetParam())];
  const ConeKind kind = cone_kinds()[std::get<1>(GetParam())];
  EXPECT_EQ(count_solved(method.name, kind, rows(kind.cones) + 4, 100, method.own), 100)
      << method.name << " " << kind.name;
}

// Singular W on curved cones can make the convex problem itself sublinear for first-order cores,
// so two in a hundred may be left.
TEST_P(ConvexKinds, SolvesRankDeficientProblems) {
  const Method method = kMethods[std::get<0>(GetParam())];
  const ConeKind kind = cone_kinds()[std::get<1>(GetParam())];
  EXPECT_GE(count_solved(method.name, kind, rows(kind.cones) / 2, 100, method.own), 98)
      << method.name << " " << kind.name;
}

INSTANTIATE_TEST_SUITE_P(All, ConvexKinds,
                         testing::Combine(testing::Range(0, 9), testing::Range(0, 5)));

// The convex problem whose solution is that of Coulomb's problem: its shift is known.
struct ConvexProblem {
  OwnedProblem problem;
  ScaledProblem scaled;
  Vector b;

  ConvexProblem(std::mt19937& random, const std::vector<Cone>& cones, int rank) {
    Vector r, u;
    problem = make_known_problem(random, cones, rank, r, u);
    scaled.load(problem.view());
    b = scaled.u_free();
    for (int c = 0; c < scaled.contacts(); ++c) {
      const int begin = scaled.offset()[c];
      b[begin] += scaled.scale()[begin] * scaled.cones()[c].shift(u.data() + begin);
    }
  }
  Vector solve(CoreKind kind, double tolerance) {
    const auto core = make_core(kind);
    core->load(scaled.W(), true, scaled.cones());
    CoreLimits limits;
    limits.tolerance = tolerance;
    limits.max_iterations = 50000;
    Vector r = Vector::Zero(b.size());
    const CoreReport report = core->solve(b, limits, r);
    EXPECT_LE(report.measure, 1e-6) << "core " << static_cast<int>(kind);
    return r;
  }
  double value(const Vector& r) const { return r.dot(0.5 * multiply(scaled.W(), r) + b); }
};

const std::vector<CoreKind> kCores = {CoreKind::interior_point, CoreKind::admm, CoreKind::apgd,
                                      CoreKind::spectral};

TEST(ConvexCores, AgreeOnTheSolutionOfFullRankProblems) {
  std::mt19937 random(31);
  for (const ConeKind& kind : cone_kinds()) {
    for (int trial = 0; trial < 20; ++trial) {
      ConvexProblem convex(random, kind.cones, rows(kind.cones) + 6);
      const Vector first = convex.solve(kCores[0], 1e-12);
      for (const CoreKind core : kCores) {
        EXPECT_LE((convex.solve(core, 1e-12) - first).norm(), 1e-8 * (1 + first.norm()))
            << kind.name << " " << trial << " core " << static_cast<int>(core);
      }
    }
  }
}

// r is not unique here; the least value is. It may hang on a slope of 1e-7 along the null space of
// W, which first-order cores descend slowly.
TEST(ConvexCores, AgreeOnTheLeastValueOfRankDeficientProblems) {
  std::mt19937 random(32);
  for (const ConeKind& kind : cone_kinds()) {
    for (int trial = 0; trial < 20; ++trial) {
      ConvexProblem convex(random, kind.cones, rows(kind.cones) / 2);
      const double first = convex.value(convex.solve(kCores[0], 1e-11));
      for (const CoreKind core : kCores) {
        const Vector r = convex.solve(core, 1e-11);
        EXPECT_NEAR(convex.value(r), first, 1e-6 * (1 + r.norm() * convex.b.norm()))
            << kind.name << " " << trial << " core " << static_cast<int>(core);
      }
    }
  }
}

TEST(ConvexSets, CylinderProjectionIsTheNearestPoint) {
  std::mt19937 random(32);
  const std::vector<Cone> cones = cone_kinds()[4].cones;
  OwnedProblem problem = make_problem(random, cones, 4);
  Vector theta = random_vector(random, static_cast<int>(cones.size())).cwiseAbs();
  CylinderSet set(problem.cones, problem.offset);
  set.set(theta, CylinderSet::Frozen::nothing, nullptr);
  for (int trial = 0; trial < 100; ++trial) {
    const Vector x = random_vector(random, rows(cones));
    Vector p = x, other = random_vector(random, rows(cones));
    set.project(p);
    set.project(other);
    EXPECT_LE((x - p).dot(other - p), 1e-12);  // the variational inequality of the projection
  }
}

TEST(ConvexSets, FrozenPartsStayWhatTheyAre) {
  std::mt19937 random(33);
  OwnedProblem problem = make_problem(random, {Cone::coulomb(3, 0.5), Cone::free(1)}, 4);
  const Vector values = random_vector(random, 4), theta = Vector::Ones(2);
  Vector x = random_vector(random, 4);
  CylinderSet set(problem.cones, problem.offset);
  set.set(theta, CylinderSet::Frozen::tangential, &values);
  set.project(x);
  EXPECT_EQ(x[1], values[1]);
  EXPECT_EQ(x[2], values[2]);
  set.set(theta, CylinderSet::Frozen::normal, &values);
  set.project(x);
  EXPECT_EQ(x[0], values[0]);
}

TEST(ConvexAnderson, SolvesALinearFixedPointOfDimensionNInNPlusTwoSteps) {
  std::mt19937 random(34);
  Matrix A(4, 4);
  for (int j = 0; j < 4; ++j) A.col(j) = 0.3 * random_vector(random, 4);
  const Vector c = random_vector(random, 4);
  Anderson acceleration(4);
  Vector s = Vector::Zero(4);
  for (int k = 0; k < 7; ++k) s = acceleration.next(s, A * s + c);
  EXPECT_LE((A * s + c - s).norm(), 1e-7 * c.norm());
}

// Against a QR factorisation of the differences themselves, while old ones fall out of the memory.
TEST(ConvexAnderson, EachStepIsTheLeastSquaresOneOfTheLastDifferences) {
  constexpr int kSize = 12, kMemory = 3, kSteps = 9;
  std::mt19937 random(36);
  Matrix A(kSize, kSize);
  for (int j = 0; j < kSize; ++j) A.col(j) = 0.15 * random_vector(random, kSize);
  const Vector c = random_vector(random, kSize);
  Anderson acceleration(kMemory, 1e3);  // never forgets
  Matrix f(kSize, kSteps), image(kSize, kSteps);
  Vector s = Vector::Zero(kSize);
  for (int k = 0; k < kSteps; ++k) {
    image.col(k) = A * s + c;
    f.col(k) = image.col(k) - s;
    s = acceleration.next(s, image.col(k));
    const int n = std::min(k, kMemory);
    const auto steps = [&](const Matrix& of) {
      return Matrix(of.middleCols(k - n + 1, n) - of.middleCols(k - n, n));
    };
    Vector expected = image.col(k);
    if (n > 0) expected -= steps(image) * steps(f).householderQr().solve(f.col(k));
    EXPECT_LE((s - expected).norm(), 1e-6 * expected.norm()) << k;
  }
}

TEST(ConvexSolvers, DegenerateProblemsAreSolved) {
  for (auto& [what, problem] : degenerate_problems()) {
    for (const Method& method : kMethods) {
      const SolveOutcome outcome = solve_problem(method.name, problem, 1e-8, method.own);
      EXPECT_EQ(outcome.report.status, Status::converged)
          << method.name << ", " << what << ": " << outcome.report.residual_scaled;
      EXPECT_TRUE(outcome.r.allFinite());
    }
  }
}

TEST(ConvexSolvers, NoContactsIsSolved) {
  OwnedProblem problem;
  problem.offset = {0};
  for (const Method& method : kMethods) {
    EXPECT_EQ(solve_problem(method.name, problem, 1e-8).report.status, Status::converged);
  }
}

TEST(ConvexSolvers, AnUnsymmetricOperatorIsSolvedAndJudgedAsItIs) {
  std::mt19937 random(35);
  for (int trial = 0; trial < 20; ++trial) {
    Vector r, u;
    OwnedProblem problem = make_known_problem(random, cone_kinds()[2].cones, 24, r, u);
    Matrix noise = 2e-3 * Matrix::Random(15, 15);
    problem.W += noise - noise.transpose();
    problem.u_free = u - problem.W * r;
    for (const Method& method : kMethods) {
      const SolveOutcome outcome = solve_problem(method.name, problem, 1e-8, method.own);
      EXPECT_EQ(outcome.report.status, Status::converged) << method.name << " " << trial;
    }
  }
}

TEST(ConvexSolvers, LimitsAreObeyed) {
  std::mt19937 random(36);
  OwnedProblem problem = make_problem(random, cone_kinds()[2].cones, 20);
  for (const Method& method : kMethods) {
    SolverOptions options;
    options.tolerance = 1e-300;
    options.max_iterations = 1000000000;
    options.time_limit = 0.02;
    Vector r = Vector::Zero(problem.W.rows()), u = r;
    const SolveReport report =
        make_solver(method.name, options, method.own)->solve(problem.view(), r.data(), u.data());
    EXPECT_TRUE(report.status == Status::time_limit || report.status == Status::stagnated)
        << method.name << " " << to_string(report.status);
  }
}

TEST(ConvexSolvers, WarmStartAtTheSolutionNeedsNoWork) {
  std::mt19937 random(37);
  Vector r, u;
  OwnedProblem problem = make_known_problem(random, cone_kinds()[2].cones, 20, r, u);
  for (const Method& method : kMethods) {
    const SolveReport report =
        make_solver(method.name, {}, method.own)->solve(problem.view(), r.data(), u.data());
    EXPECT_EQ(report.iterations, 0) << method.name;
  }
}

TEST(ConvexSolvers, BadOptionsAreRefused) {
  EXPECT_THROW(make_solver("aclm", {}, {{"core", "simplex"}}), InputError);
  EXPECT_THROW(make_solver("tresca", {}, {{"core", "bb"}}), InputError);
  EXPECT_THROW(make_solver("admm", {}, {{"rho", "0"}}), InputError);
  EXPECT_THROW(make_solver("admm", {}, {{"relaxation", "2"}}), InputError);
  EXPECT_THROW(make_solver("ipm", {}, {{"starts", "0"}}), InputError);
  EXPECT_THROW(make_solver("panagiotopoulos", {}, {{"memory", "-1"}}), InputError);
}

}  // namespace
}  // namespace clack
