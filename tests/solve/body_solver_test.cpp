#include "clack/solve/bodies/body_solver.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstring>

#include "clack/problem/global_problem.hpp"
#include "clack/solve/auto/auto_solver.hpp"
#include "clack/solve/local_solver.hpp"
#include "clack/solve/vector_target.hpp"
#include "tests/problem/body_support.hpp"
#include "tests/support/generate.hpp"

namespace clack {
namespace {

using namespace test;

using test::Random;

BodySolverOptions options_of(double tolerance, int threads = 1) {
  BodySolverOptions options;
  options.tolerance = tolerance;
  options.threads = threads;
  options.max_iterations = 100000;
  return options;
}

struct Solution {
  Vector r, u;
  SolveReport report;
};

Solution solve_bodies(const BodyProblem& problem, const BodySolverOptions& options) {
  Solution s{Vector::Zero(problem.size()), Vector::Zero(problem.size()), {}};
  s.report = BodySolver(options).solve(problem, s.r.data(), s.u.data());
  return s;
}

BodyProblem generated(Packing packing, int contacts, int dim = 3, double speed = 0) {
  GenerateOptions options;
  options.packing = packing;
  options.contacts = contacts;
  options.dim = dim;
  options.speed = speed;
  return generate_body_problem(options);
}

// One contact is solved exactly by the first sweep: open, sticking, sliding, of all shapes.
TEST(BodySolver, OneContactIsTheExactLocalSolution) {
  Random random(21);
  int open = 0, stick = 0, slide = 0;
  for (int trial = 0; trial < 600; ++trial) {
    const int dim = trial % 3 == 0 ? 2 : 3;
    BodyProblem problem = test::random_body_problem(random, dim, 3, 1, trial % 2 == 0);
    problem.contacts[0].a = trial % 5 == 0 ? -1 : 0;
    problem.contacts[0].b = trial % 5 == 1 ? -1 : 1;
    problem.contacts[0].mu = trial % 11 == 0 ? 0 : test::uniform(random, 0.05, 1.5);
    const ProblemData reduced = assemble_reduced(problem);
    Vector block(dim * dim), known = Vector::Zero(dim);
    reduced.W.diagonal_block(0, dim, block.data());
    const Cone cone = reduced.cones[0];
    ASSERT_TRUE(solve_local(cone, block.data(), reduced.u_free.data(), known.data()));
    const Solution s = solve_bodies(problem, options_of(1e-13));
    EXPECT_EQ(s.report.status, Status::converged) << trial << " " << s.report.residual;
    EXPECT_LE(s.report.iterations, 2) << trial;
    EXPECT_LE((s.r - known).norm(), 1e-12 * (1 + known.norm())) << trial;
    const double length = known.tail(dim - 1).norm();
    ++(known[0] == 0 ? open : length < 0.999 * cone.mu() * known[0] ? stick : slide);
  }
  EXPECT_GE(open, 20);
  EXPECT_GE(stick, 20);
  EXPECT_GE(slide, 20);
}

// Sweeps with momentum stay at a solution: what they extrapolate from are the impulses packed, and
// lines and impulses, each of which changes places with those before, stay together.
TEST(BodySolver, SweepsStayAtASolution) {
  for (const Packing packing : {Packing::fcc, Packing::wall}) {
    const BodyProblem problem = generated(packing, 400);
    const Solution s = solve_bodies(problem, options_of(1e-9));
    ASSERT_EQ(s.report.status, Status::converged);
    std::vector<Eigen::Vector3d> impulses(problem.contacts.size());
    to_world(problem, s.r.data(), impulses.data());
    BodySolver solver(options_of(1e-9));
    for (int round = 0; round < 2; ++round) {  // packed again with the roles exchanged
      solver.prepare(problem, impulses.data());
      EXPECT_LE(solver.measure().worst(), 1.01e-9);
      for (int k = 0; k < 5; ++k) {
        solver.sweep(0.8);
        EXPECT_LE(solver.measure().worst(), 3e-9) << round << " " << k;
      }
    }
  }
}

// Bodies without contacts move freely to the last bit, whatever number of sweeps the others take
// and whatever problem the solver had before.
TEST(BodySolver, BodiesWithoutContactsMoveFreely) {
  BodyProblem problem = generated(Packing::fcc, 200), other = generated(Packing::random, 300);
  for (BodyProblem* p : {&problem, &other}) {
    RigidBody lonely = p->bodies.back();
    lonely.v_free = {0.1, 0.2, 0.3};
    lonely.omega_free = {-1.1, 0.7, 1.3};
    p->bodies.push_back(lonely);
  }
  std::array<int, 2> parity{};
  for (double tolerance = 0.3; tolerance > 1e-3; tolerance *= 0.6) {
    BodySolverOptions options = options_of(tolerance);
    options.polish_contacts = options.island_contacts = 0;
    BodySolver solver(options);
    for (const BodyProblem* p : {&problem, &other, &problem}) {
      std::vector<Eigen::Vector3d> impulses(p->contacts.size(), Eigen::Vector3d::Zero());
      const SolveReport report = solver.solve(*p, impulses.data());
      EXPECT_EQ(report.status, Status::converged);
      ++parity[static_cast<std::size_t>(report.iterations % 2)];
      std::vector<double> v(6 * p->bodies.size());
      solver.store_body_velocities(*p, v.data());
      const double known[6] = {0.1, 0.2, 0.3, -1.1, 0.7, 1.3};
      for (std::size_t k = 0; k < 6; ++k) EXPECT_EQ(v[v.size() - 6 + k], known[k]) << tolerance;
    }
  }
  EXPECT_GE(parity[0], 3);
  EXPECT_GE(parity[1], 3);
}

// The best of many sweeps on a heap that collapses, on which sweeps stall: some more make it worse,
// and it is given back as it is.
TEST(BodySolver, TheStartIsReturnedWhereItIsTheBest) {
  constexpr double kRoundOff = 1e-14;  // residuals are relative to r and u: of 1, not of themselves
  int kept = 0;
  for (const int contacts : {200, 400, 600, 800}) {
    const BodyProblem problem = generated(Packing::fcc, contacts);
    BodySolverOptions options = options_of(1e-18);
    options.polish_contacts = options.island_contacts = 0;
    options.max_iterations = 3000;
    const Solution best = solve_bodies(problem, options);
    for (options.max_iterations = 1; options.max_iterations < 6; ++options.max_iterations) {
      Vector r = best.r, u(problem.size());
      const double before = compute_residual(problem, r.data(), u.data()).worst();
      const SolveReport report = BodySolver(options).solve(problem, r.data(), u.data());
      EXPECT_LE(std::max(report.residual, report.residual_scaled), before + kRoundOff);
      kept += (r - best.r).norm() <= 1e-15 * r.norm();
    }
  }
  EXPECT_GE(kept, 10);
}

TEST(BodySolver, ReportedResidualsAreThoseOfTheProblem) {
  for (const Packing packing : {Packing::random, Packing::wall}) {
    const BodyProblem problem = generated(packing, 300, 3, 0.02);
    BodySolverOptions options = options_of(1e-12);
    options.max_iterations = 37;
    options.polish_contacts = options.island_contacts = options.planar_island_contacts =
        0;  // sweeps alone
    const Solution s = solve_bodies(problem, options);
    EXPECT_EQ(s.report.status, Status::iteration_limit);
    EXPECT_EQ(s.report.iterations, 37);
    Vector u(problem.size());
    const Residual residual = compute_residual(problem, s.r.data(), u.data());
    EXPECT_NEAR(s.report.residual, residual.plain, 1e-9 * residual.plain);
    EXPECT_NEAR(s.report.residual_scaled, residual.scaled, 1e-9 * residual.scaled);
    EXPECT_LE((s.u - u).norm(), 1e-10 * u.norm());
  }
}

TEST(BodySolver, PackingsAreSolvedToEightDigits) {
  struct Case {
    Packing packing;
    int contacts, dim;
    double speed;
  };
  for (const Case& c : {Case{Packing::random, 500, 3, 0}, Case{Packing::random, 300, 3, 0.05},
                        Case{Packing::fcc, 300, 3, 0}, Case{Packing::wall, 300, 3, 0.01},
                        Case{Packing::wall, 200, 2, 0.01}, Case{Packing::random, 200, 2, 0}}) {
    const BodyProblem problem = generated(c.packing, c.contacts, c.dim, c.speed);
    const Solution s = solve_bodies(problem, options_of(1e-8));
    EXPECT_EQ(s.report.status, Status::converged)
        << to_string(c.packing) << " " << s.report.residual << " " << s.report.note;
    Vector u(problem.size());
    const ProblemData reduced = reduce(assemble_global(problem));
    EXPECT_LE(compute_residual(reduced.view(), s.r.data(), u.data()).worst(), 1.01e-8);
  }
}

// Without friction u is unique.
TEST(BodySolver, VelocitiesAgreeWithAutoWithoutFriction) {
  for (const Packing packing : {Packing::random, Packing::wall}) {
    BodyProblem problem = generated(packing, 200, 3, 0.05);
    for (BodyContact& contact : problem.contacts) contact.mu = 0;
    const Solution s = solve_bodies(problem, options_of(1e-9));
    EXPECT_EQ(s.report.status, Status::converged) << s.report.residual << s.report.note;
    const ProblemData reduced = assemble_reduced(problem);
    Vector r = Vector::Zero(problem.size()), u = r;
    AutoOptions options;
    options.tolerance = 1e-11;
    ASSERT_EQ(AutoSolver(options).solve(reduced.view(), r.data(), u.data()).status,
              Status::converged);
    EXPECT_LE((s.u - u).norm(), 1e-6 * u.norm());
    for (int i = 0; i < problem.size(); ++i)
      EXPECT_LE(i % 3 == 0 ? 0 : std::abs(s.r[i]), 1e-15 * s.r.norm());
  }
}

// Also from walls on either side of a contact, and in the plane.
TEST(BodySolver, ASolutionIsTakenAsItIs) {
  Random random(24);
  for (const BodyProblem& problem :
       {generated(Packing::random, 300, 3, 0.01), generated(Packing::wall, 300, 3, 0.01),
        test::random_body_problem(random, 3, 30, 30, true),
        test::random_body_problem(random, 3, 30, 30, false),
        test::random_body_problem(random, 2, 30, 30, false)}) {
    Solution s = solve_bodies(problem, options_of(1e-8));
    ASSERT_EQ(s.report.status, Status::converged) << s.report.residual << " " << s.report.note;
    const SolveReport again = BodySolver(options_of(2e-8)).solve(problem, s.r.data(), s.u.data());
    EXPECT_EQ(again.status, Status::converged);
    EXPECT_EQ(again.iterations, 0);
  }
}

TEST(BodySolver, BodyVelocitiesFollowFromTheImpulses) {
  Random random(22);
  const BodyProblem problem = test::random_body_problem(random, 3, 30, 60, false);
  Vector r = Vector::Zero(problem.size()), u = r, v(6 * 30), known = v;
  BodySolver solver(options_of(1e-8));
  EXPECT_EQ(solver.solve(problem, r.data(), u.data()).status, Status::converged);
  solver.store_body_velocities(problem, v.data());
  compute_velocity(problem, r.data(), known.data());
  EXPECT_LE((v - known).norm(), 1e-12 * known.norm());
}

TEST(BodySolver, AnyNumberOfThreadsGivesTheSameBits) {
  for (const Packing packing : {Packing::random, Packing::wall}) {
    const BodyProblem problem = generated(packing, 9000, 3, 0.02);  // several chunks
    Vector first;
    for (const int threads : {1, 2, 8}) {
      BodySolverOptions options = options_of(1e-10, threads);
      options.max_iterations = 120;
      options.patience = 20;  // all methods take part
      const Solution s = solve_bodies(problem, options);
      if (first.size() == 0) first = s.r;
      EXPECT_EQ(std::memcmp(first.data(), s.r.data(),
                            sizeof(double) * static_cast<std::size_t>(first.size())),
                0)
          << threads;
    }
  }
}

TEST(BodySolver, AllInstructionSetsGiveTheSameAnswer) {
  for (const Packing packing : {Packing::random, Packing::wall}) {
    const BodyProblem problem = generated(packing, 300, 3, 0.02);
    Vector first;
    for (const VectorTarget& target : vector_targets()) {
      use_vector_target(target.name);
      BodySolverOptions options = options_of(1e-12);
      options.max_iterations = 20;
      options.polish_contacts = options.island_contacts = options.planar_island_contacts = 0;
      const Solution s = solve_bodies(problem, options);
      if (first.size() == 0) first = s.r;
      EXPECT_LE((s.r - first).norm(), 1e-11 * first.norm()) << batch_kernels().target;
    }
    use_vector_target("");
  }
}

// A drum touched by many: its contacts need more colours than a mask has.
TEST(BodySolver, ABodyWithHundredsOfContactsIsSolved) {
  Random random(23);
  BodyProblem problem;
  problem.bodies.push_back(test::random_body(random, 3, true));
  problem.bodies[0].inverse_mass = 1e-3;
  for (std::size_t k = 0; k < 3; ++k) problem.bodies[0].inverse_inertia[k] = 1e-3;
  for (int i = 1; i <= 300; ++i) {
    problem.bodies.push_back(test::random_body(random, 3, true));
    const Eigen::Vector3d n = test::random_normal(random, 3);
    problem.contacts.push_back({0, i, n, 5 * n, -n, Eigen::Vector3d::Zero(), 0.5});
  }
  const Solution s = solve_bodies(problem, options_of(1e-8));
  EXPECT_EQ(s.report.status, Status::converged) << s.report.residual << " " << s.report.note;
}

// A contact between two driven bodies cannot be solved and must not spoil the rest.
TEST(BodySolver, DrivenBodiesMoveAsTheyAreTold) {
  BodyProblem problem;
  problem.bodies.resize(3);
  problem.bodies[0].v_free = {0, 0, 2};  // a piston below a ball
  problem.bodies[1].inverse_mass = 1;
  for (std::size_t k = 0; k < 3; ++k) problem.bodies[1].inverse_inertia[k] = 2.5;
  problem.contacts.push_back({0, 1, {0, 0, 1}, {0, 0, 0}, {0, 0, -1}, {0, 0, 0}, 0.3});
  Solution s = solve_bodies(problem, options_of(1e-10));
  EXPECT_EQ(s.report.status, Status::converged);
  EXPECT_NEAR(s.r[0], 2, 1e-12);
  problem.bodies[2].v_free = {0, 0, 1};  // the piston runs into a slower one
  problem.contacts.push_back({0, 2, {0, 0, 1}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}, 0.3});
  s = solve_bodies(problem, options_of(1e-10));
  EXPECT_EQ(s.report.status, Status::stagnated);
  EXPECT_NEAR(s.r[0], 2, 1e-12);
  EXPECT_EQ(s.r[3], 0);
}

// Cubes on each other: sweeps alone leave what adds up over many steps.
TEST(BodySolver, SmallProblemsThatStickAreSolvedToRoundOff) {
  BodyProblem problem;
  for (int i = 0; i < 10; ++i) {
    RigidBody cube;
    cube.inverse_mass = 1;
    cube.inverse_inertia = {6, 6, 6, 0, 0, 0};
    cube.v_free = {1e-5, 2e-5, -1e-2};
    problem.bodies.push_back(cube);
    for (const double x : {-0.5, 0.5})
      for (const double y : {-0.5, 0.5})
        problem.contacts.push_back(
            {i - 1, i, {0, 0, 1}, {x, y, 0.5}, {x, y, -0.5}, {0, 0, 0}, 0.5});
  }
  BodySolverOptions options = options_of(1e-6);
  const Solution s = solve_bodies(problem, options);
  EXPECT_EQ(s.report.status, Status::converged) << s.report.note;
  Vector u(problem.size());
  EXPECT_LE(compute_residual(problem, s.r.data(), u.data()).worst(), 1e-12);
  EXPECT_LE(s.u.norm(), 1e-12);
  options.polish_contacts = 0;
  EXPECT_GE(solve_bodies(problem, options).u.norm(), 1e-10);
}

// A heap that collapses, cut down to an island that `auto` takes over where sweeps wander.
TEST(BodySolver, SmallIslandsGoToAutoWhereSweepsDoNotEnd) {
  const BodyProblem problem = generated(Packing::hexagonal, 300, 2);
  BodySolverOptions options = options_of(1e-8);
  options.max_iterations = 2000;
  options.planar_island_contacts = 0;
  const Solution alone = solve_bodies(problem, options);
  EXPECT_NE(alone.report.status, Status::converged);
  options.planar_island_contacts = 300;
  const Solution s = solve_bodies(problem, options);
  EXPECT_EQ(s.report.status, Status::converged) << s.report.residual << " " << s.report.note;
  EXPECT_NE(s.report.note.find("auto"), std::string::npos);
}

}  // namespace
}  // namespace clack
