// Cones with spin, drilling and rolling: the local solve against slow methods that share nothing
// with it, and random problems with all cones mixed by every solver.
#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <string>

#include "clack/core/error.hpp"
#include "clack/problem/block_sparse.hpp"
#include "clack/problem/residual.hpp"
#include "clack/solve/local_solver.hpp"
#include "clack/solve/solver.hpp"
#include "tests/solve/random_problem.hpp"

namespace clack {
namespace {

Cone contensou(double mu) { return Cone::discs({{3, mu}}); }

// One of each kind, with the coefficients scaled.
std::vector<Cone> rich_cones(double scale = 1) {
  return {Cone::discs({{3, 0.4 * scale}}),                     // Coulomb and Contensou
          Cone::discs({{1, 0.5 * scale}, {1, 0.2 * scale}}),   // rolling in the plane
          Cone::discs({{2, 0.5 * scale}, {1, 0.15 * scale}}),  // drilling
          Cone::discs({{2, 0.5 * scale}, {1, 0.1 * scale}, {2, 0.2 * scale}}),  // drilling, rolling
          Cone::discs({{3, 0.4 * scale}, {2, 0.2 * scale}}),  // Contensou and rolling
          Cone::rolling(0.5 * scale, 0.2 * scale),
          Cone::discs({{2, 0.0}, {1, 0.2 * scale}, {2, 0.0}}),  // only drilling
          Cone::discs({{2, 0.6 * scale}, {1, 0.0}}),
          Cone::discs({{3, 0.0}})};
}

Matrix random_block(std::mt19937& random, int dim) {
  Matrix A(dim, dim + 2);
  for (Eigen::Index j = 0; j < A.cols(); ++j) A.col(j) = random_vector(random, dim);
  return A * A.transpose() / (dim + 2) + 0.2 * Matrix::Identity(dim, dim);
}

// For the normal impulse s the discs by projected gradients; s by bisection on u_N.
Vector solve_slowly(const Cone& cone, const Matrix& W, const Vector& b) {
  Vector r = Vector::Zero(cone.dim());
  if (b[0] >= 0) return r;
  const double step = 1 / W.trace();
  const auto velocity = [&](double s) {
    r[0] = s;
    for (int k = 0; k < 3000; ++k) {
      const Vector before = r;
      const Vector u = W * r + b;
      for (int d = 0; d < cone.disc_count(); ++d) {
        const Cone::Disc disc = cone.disc(d);
        Vector y = r.segment(disc.begin, disc.dim) - step * u.segment(disc.begin, disc.dim);
        const double limit = disc.radius * s;
        if (y.norm() > limit) y *= limit / y.norm();
        r.segment(disc.begin, disc.dim) = y;
      }
      if ((r - before).norm() <= 1e-15 * r.norm()) break;
    }
    return (W.row(0) * r)(0) + b[0];
  };
  double low = 0, high = 1;
  while (velocity(high) < 0) high *= 2;
  for (int k = 0; k < 50; ++k) {
    const double middle = 0.5 * (low + high);
    (velocity(middle) < 0 ? low : high) = middle;
  }
  return r;
}

// Which discs stick (0) and which move (1), "open" where r = 0.
std::string regime(const Cone& cone, const Vector& r, const Vector& u) {
  if (r[0] == 0) return "open";
  std::string state;
  for (int d = 0; d < cone.disc_count(); ++d)
    state += cone.disc(d).norm(u.data()) > 1e-9 ? '1' : '0';
  return state;
}

TEST(FrictionCones, LocalSolveAgreesWithASlowMethodInEveryRegime) {
  std::mt19937 random(51);
  for (const Cone& cone : rich_cones()) {
    std::set<std::string> seen;
    for (int trial = 0; trial < 250; ++trial) {
      const Matrix W = random_block(random, cone.dim());
      Vector b = random_vector(random, cone.dim());
      if (trial % 8 > 0) b[0] = -std::abs(b[0]) - 0.3;
      for (int d = 0; d < cone.disc_count(); ++d) {  // some discs with little drive: they stick
        if (random() % 2 == 0) b.segment(cone.disc(d).begin, cone.disc(d).dim) *= 0.02;
      }
      Vector r = Vector::Zero(cone.dim());
      ASSERT_TRUE(solve_local(cone, W.data(), b.data(), r.data()));
      const Vector slow = solve_slowly(cone, W, b);
      EXPECT_LE((r - slow).norm(), 1e-8 * (1 + slow.norm())) << trial << "\n"
                                                             << r.transpose() << "\n"
                                                             << slow.transpose();
      seen.insert(regime(cone, r, W * r + b));
    }
    int moving = 0;  // discs that can stick at all
    for (int d = 0; d < cone.disc_count(); ++d) moving += cone.disc(d).radius > 0;
    EXPECT_EQ(seen.size(), 1u + (1u << moving)) << cone.dim() << " " << cone.disc_count();
  }
}

TEST(FrictionCones, LocalSolveIsExactWithLargeCoefficientsAndNearlySingularBlocks) {
  std::mt19937 random(52);
  int trials = 0, unsolved = 0;
  for (const double scale : {0.1, 1.0, 4.0}) {
    for (const Cone& cone : rich_cones(scale)) {
      for (int trial = 0; trial < 2000; ++trial, ++trials) {
        const OwnedProblem problem = make_problem(random, {cone}, cone.dim() + trial % 3);
        const Matrix& W = problem.W;
        const Vector& b = problem.u_free;
        Vector r = Vector::Zero(cone.dim());
        if (!solve_local(cone, W.data(), b.data(), r.data())) {
          ++unsolved;
          continue;
        }
        const Vector u = W * r + b;
        const double rho = 1 / largest_eigenvalue(W.data(), cone.dim());
        const double size = std::max(r.norm(), rho * b.norm());
        ASSERT_LE(natural_map_norm(cone, r.data(), u.data(), rho), 1e-9 * size) << trial;
      }
    }
  }
  RecordProperty("unsolved", unsolved);
  EXPECT_LE(unsolved, trials / 2000);
}

// W = diag(w_N, w, w, w): r_T = -b_T / w inside the ball, else against b_T.
TEST(FrictionCones, BallOfThreeComponentsHasItsClosedFormForADiagonalBlock) {
  std::mt19937 random(53);
  const double mu = 0.4;
  for (int trial = 0; trial < 500; ++trial) {
    Matrix W = Matrix::Zero(4, 4);
    W.diagonal() << 2.0, 0.7, 0.7, 0.7;
    Vector b = random_vector(random, 4), r = Vector::Zero(4), expected = r;
    ASSERT_TRUE(solve_local(contensou(mu), W.data(), b.data(), r.data()));
    if (b[0] < 0) {
      expected[0] = -b[0] / 2;
      expected.tail(3) = -b.tail(3) / 0.7;
      const double limit = mu * expected[0];
      if (expected.tail(3).norm() > limit) expected.tail(3) *= limit / expected.tail(3).norm();
    }
    EXPECT_LE((r - expected).norm(), 1e-13) << trial;
  }
}

// W = diag(w): r_i = -b_i / (w_i + l), l >= 0 by bisection.
TEST(FrictionCones, BallOfThreeComponentsSlidesAgainstItsVelocityWhereTheInertiasDiffer) {
  std::mt19937 random(54);
  const double mu = 0.4;
  Matrix W = Matrix::Zero(4, 4);
  W.diagonal() << 2.0, 0.3, 1.1, 9.0;
  for (int trial = 0; trial < 500; ++trial) {
    Vector b = random_vector(random, 4), r = Vector::Zero(4);
    b[0] = -0.1 - std::abs(b[0]);
    ASSERT_TRUE(solve_local(contensou(mu), W.data(), b.data(), r.data()));
    const double limit = -mu * b[0] / 2;
    const auto tangent = [&](double l) {
      return Vector(-b.tail(3).cwiseQuotient((W.diagonal().tail(3).array() + l).matrix()));
    };
    double low = 0, high = tangent(0).norm() <= limit ? 0 : 1e6;
    for (int k = 0; k < 200; ++k) {
      const double middle = 0.5 * (low + high);
      (tangent(middle).norm() > limit ? low : high) = middle;
    }
    EXPECT_NEAR(r[0], -b[0] / 2, 1e-14);
    EXPECT_LE((r.tail(3) - tangent(high)).norm(), 1e-12) << trial;
  }
}

// All kinds in random order, with or without bilateral blocks; W = A A' + small.
OwnedProblem make_rich_problem(std::mt19937& random, int contacts, bool bilateral, double scale) {
  std::vector<Cone> kinds = rich_cones(scale);
  kinds.push_back(Cone::coulomb(2, 0.5 * scale));
  kinds.push_back(Cone::coulomb(3, 0.5 * scale));
  kinds.push_back(Cone::nonnegative());
  std::vector<Cone> cones;
  int rows = 0;
  for (int c = 0; c < contacts; ++c) {
    const bool is_free = bilateral && random() % 4 == 0;
    cones.push_back(is_free ? Cone::free(1 + static_cast<int>(random() % 6))
                            : kinds[random() % kinds.size()]);
    rows += cones.back().dim();
  }
  OwnedProblem problem = make_problem(random, std::move(cones), rows + 2);
  problem.W += 0.02 * Matrix::Identity(rows, rows);
  return problem;
}

// Solves and judges by the yardstick alone.
double solve_and_judge(std::string_view name, OwnedProblem& problem, double tolerance) {
  SolverOptions options;
  options.tolerance = tolerance;
  options.max_iterations = 100000;
  options.time_limit = 10;
  Vector r = Vector::Zero(problem.W.rows()), u = r;
  (void)make_solver(name, options)->solve(problem.view(), r.data(), u.data());
  return compute_residual(problem.view(), r.data(), u.data()).worst();
}

void expect_solved(std::string_view name, double tolerance, double scale, int trials) {
  std::mt19937 random(55);
  for (int trial = 0; trial < trials; ++trial) {
    const int contacts = 1 + trial * 29 / std::max(1, trials - 1);
    OwnedProblem problem = make_rich_problem(random, contacts, trial % 2 == 1, scale);
    EXPECT_LE(solve_and_judge(name, problem, tolerance), tolerance)
        << name << " trial " << trial << " contacts " << contacts;
  }
}

TEST(FrictionCones, AutoSolvesMixedProblems) {
  expect_solved("auto", 1e-10, 1.0, 120);
  expect_solved("auto", 1e-10, 0.3, 60);
}

TEST(FrictionCones, GaussSeidelSolvesMixedProblems) {
  expect_solved("nsgs", 1e-8, 1.0, 60);
  expect_solved("nsgs", 1e-10, 0.3, 60);
}

// Moments and angular velocities instead of forces and velocities at the distance `length`.
OwnedProblem change_units(const OwnedProblem& problem, double length) {
  OwnedProblem other = problem;
  Vector scale = Vector::Ones(problem.W.rows());
  for (std::size_t c = 0; c < problem.cones.size(); ++c) {
    const Cone& cone = problem.cones[c];
    if (cone.is_free()) continue;
    std::vector<Cone::DiscShape> shapes;
    for (int d = 0; d < cone.disc_count(); ++d) {
      const Cone::Disc disc = cone.disc(d);
      shapes.push_back({disc.dim, d == 0 ? disc.radius : disc.radius * length});
      if (d > 0) scale.segment(problem.offset[c] + disc.begin, disc.dim).setConstant(1 / length);
    }
    other.cones[c] = Cone::discs(shapes);
  }
  other.W = scale.asDiagonal() * problem.W * scale.asDiagonal();
  other.u_free = scale.cwiseProduct(problem.u_free);
  return other;
}

// Contacts of one dimension in block-sparse storage have sweeps of their own.
TEST(FrictionCones, ContactsOfOneKindInSparseStorageAreSolved) {
  std::mt19937 random(58);
  for (const Cone& cone : rich_cones()) {
    for (int trial = 0; trial < 20; ++trial) {
      Vector known_r, known_u;
      OwnedProblem problem = make_known_problem(random, std::vector<Cone>(8, cone),
                                                8 * cone.dim() + 4, known_r, known_u);
      const int m = static_cast<int>(problem.W.rows());
      const BlockSparse W(SparseMatrix(problem.W.sparseView()), problem.offset);
      const ReducedProblem sparse{&W, problem.u_free.data(), problem.cones, problem.offset};
      for (const std::string_view name : {"auto", "nsgs", "prox-sor"}) {
        SolverOptions options;
        options.tolerance = 1e-9;
        options.max_iterations = 100000;
        Vector r = Vector::Zero(m), u = r;
        (void)make_solver(name, options)->solve(sparse, r.data(), u.data());
        EXPECT_LE(compute_residual(problem.view(), r.data(), u.data()).worst(), 1e-9)
            << name << " rows " << cone.dim() << " discs " << cone.disc_count() << " " << trial;
      }
    }
  }
}

// With the exact derivative of every disc the last Newton steps double the digits: without it they
// are many.
TEST(FrictionCones, AutoNeedsFewNewtonSteps) {
  for (const Cone& cone :
       {Cone::coulomb(3, 0.5), contensou(0.5), Cone::discs({{2, 0.5}, {1, 0.2}, {2, 0.3}})}) {
    std::mt19937 random(59);
    int steps = 0;
    for (int trial = 0; trial < 20; ++trial) {
      Vector known_r, known_u;
      OwnedProblem problem = make_known_problem(random, std::vector<Cone>(24, cone),
                                                16 * cone.dim(), known_r, known_u);
      SolverOptions options;
      options.tolerance = 1e-12;
      Vector r = known_r + 1e-3 * random_vector(random, static_cast<int>(known_r.size())), u = r;
      const SolveReport report =
          make_solver("auto", options)->solve(problem.view(), r.data(), u.data());
      EXPECT_EQ(report.status, Status::converged) << trial;
      steps += report.iterations;
    }
    std::printf("STEPS %d rows %d\n", steps, cone.dim());
    EXPECT_LE(steps, 20 * 20);
  }
}

TEST(FrictionCones, UnitsOfTheLaterDiscsDoNotMatter) {
  for (const double length : {1e-3, 1e-2, 10.0}) {
    std::mt19937 random(57);
    for (int trial = 0; trial < 60; ++trial) {
      OwnedProblem problem =
          change_units(make_rich_problem(random, 1 + trial / 2, trial % 2 == 1, 0.5), length);
      for (const std::string_view name : {"auto", "nsgs"}) {
        EXPECT_LE(solve_and_judge(name, problem, 1e-8), 1e-8)
            << name << " " << trial << " " << length;
      }
    }
  }
}

bool is_pivoting(std::string_view name) { return name.starts_with("lcp") || name == "lemke"; }

TEST(FrictionCones, EveryOtherSolverSolvesMixedProblems) {
  for (const SolverEntry& entry : solver_list()) {
    if (is_pivoting(entry.name) || entry.name == "auto" || entry.name == "nsgs") continue;
    expect_solved(entry.name, 1e-8, 0.5, 20);
  }
}

TEST(FrictionCones, PivotingSolversRefuseThem) {
  std::mt19937 random(56);
  for (const SolverEntry& entry : solver_list()) {
    if (!is_pivoting(entry.name)) continue;
    for (const Cone& cone : {contensou(0.4), Cone::discs({{2, 0.0}, {1, 0.1}}),
                             Cone::discs({{2, 0.0}, {1, 0.0}, {2, 0.1}})}) {
      OwnedProblem problem = make_problem(random, {cone}, 8);
      EXPECT_THROW(solve_and_judge(entry.name, problem, 1e-8), InputError) << entry.name;
    }
  }
}

}  // namespace
}  // namespace clack
