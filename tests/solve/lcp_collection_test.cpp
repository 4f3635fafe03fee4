// The collection of small problems made by others, where it is at hand: all of them have solutions.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "clack/io/problems/problem_file.hpp"
#include "clack/solve/solver.hpp"
#include "tests/large.hpp"

namespace clack {
namespace {

namespace fs = std::filesystem;

SolveReport solve_file(std::string_view solver, const ProblemData& problem, double tolerance) {
  SolverOptions options;
  options.tolerance = tolerance;
  options.max_iterations = 20000;
  Vector r = Vector::Zero(problem.dimension()), u = r;
  return make_solver(solver, options)->solve(problem.view(), r.data(), u.data());
}

TEST(LcpCollection, EveryProblemIsSolvedToRoundOff) {
  SKIP_UNDER_SANITIZERS();
  const fs::path folder = fs::path(CLACK_SHARED_DIR) / "problems";
  if (!fs::is_directory(folder / "lcp")) GTEST_SKIP() << "no problem collection at " << folder;
  int count = 0;
  for (const char* kind : {"lcp", "mlcp"}) {
    for (const auto& entry : fs::directory_iterator(folder / kind)) {
      if (entry.path().extension() != ".dat") continue;
      const ProblemData problem = read_problem(entry.path().string());
      ++count;
      for (const std::string_view solver : {"lemke", "lcp-enum", "lcp-newton"}) {
        // Two bimatrix games in one: Newton's method is caught by stationary points.
        if (solver == "lcp-newton" && problem.name == "lcp_tobenna") continue;
        const SolveReport report = solve_file(solver, problem, 1e-12);
        EXPECT_EQ(report.status, Status::converged)
            << solver << " " << problem.name << " " << report.residual << " " << report.note;
      }
    }
  }
  EXPECT_GE(count, 20);
}

}  // namespace
}  // namespace clack
