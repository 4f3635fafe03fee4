// `auto` on random packings of spheres and discs.
#include <gtest/gtest.h>

#include "clack/problem/certificate.hpp"
#include "clack/problem/global_problem.hpp"
#include "clack/solve/auto/auto_solver.hpp"
#include "tests/large.hpp"
#include "tests/support/generate.hpp"

namespace clack {
namespace {

using namespace test;

TEST(Auto, RandomPackingsOfFiveHundredContactsAreSolved) {
  SKIP_UNDER_SANITIZERS();
  GenerateOptions options;
  options.packing = Packing::random;
  options.contacts = 500;
  for (const int dim : {2, 3}) {
    for (const double spread : {0.0, 0.3}) {
      options.dim = dim;
      options.radius_spread = spread;
      const ProblemData problem = reduce(generate_problem(options));
      AutoOptions solver_options;
      solver_options.tolerance = 1e-8;
      Vector r = Vector::Zero(problem.dimension()), u = r;
      const SolveReport report =
          AutoSolver(solver_options).solve(problem.view(), r.data(), u.data());
      EXPECT_EQ(report.status, Status::converged) << problem.name << " " << report.note;
      EXPECT_LE(compute_certificate(problem.view(), r.data(), u.data()).worst(), 1e-6);
      EXPECT_GT(r.maxCoeff(), 0);
    }
  }
}

}  // namespace
}  // namespace clack
