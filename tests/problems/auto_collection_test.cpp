// `auto` on the collection of real problems, where it is at hand.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "clack/io/problems/problem_file.hpp"
#include "clack/problem/certificate.hpp"
#include "clack/problem/global_problem.hpp"
#include "clack/solve/auto/auto_solver.hpp"

namespace clack {
namespace {

std::vector<std::filesystem::path> files_in(const char* folder) {
  std::vector<std::filesystem::path> files;
  const std::filesystem::path path = std::filesystem::path(CLACK_SHARED_DIR) / "problems" / folder;
  if (std::filesystem::exists(path)) {
    for (const auto& entry : std::filesystem::directory_iterator(path))
      files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

void expect_solved(const char* folder, double tolerance) {
  const std::vector<std::filesystem::path> files = files_in(folder);
  if (files.empty()) GTEST_SKIP() << "no shared/problems/" << folder << " beside the checkout";
  for (const std::filesystem::path& file : files) {
    ProblemData problem = read_problem(file);
    if (problem.form == ProblemForm::global) problem = reduce(problem);
    AutoOptions options;
    options.tolerance = tolerance;
    Vector r = Vector::Zero(problem.dimension()), u = r;
    const SolveReport report = AutoSolver(options).solve(problem.view(), r.data(), u.data());
    const bool good = report.status == Status::converged || report.status == Status::infeasible;
    EXPECT_TRUE(good) << file.filename() << " " << report.residual << " " << report.note;
    if (report.status != Status::converged) continue;
    EXPECT_LE(compute_certificate(problem.view(), r.data(), u.data()).worst(),
              1e4 * tolerance + 1e-9)
        << file.filename();
  }
}

TEST(AutoOnRealProblems, SpaceFrictionIsSolvedTo1e8) { expect_solved("fc3d", 1e-8); }
TEST(AutoOnRealProblems, SpaceFrictionIsSolvedTo1e12) { expect_solved("fc3d", 1e-12); }
TEST(AutoOnRealProblems, PlaneFrictionIsSolvedTo1e8) { expect_solved("fc2d", 1e-8); }
TEST(AutoOnRealProblems, PlaneFrictionIsSolvedTo1e12) { expect_solved("fc2d", 1e-12); }
TEST(AutoOnRealProblems, GlobalProblemsAreSolvedTo1e8) { expect_solved("global", 1e-8); }
TEST(AutoOnRealProblems, GlobalProblemsAreSolvedTo1e12) { expect_solved("global", 1e-12); }
TEST(AutoOnRealProblems, RollingFrictionIsSolvedTo1e8) { expect_solved("rolling", 1e-8); }
TEST(AutoOnRealProblems, RollingFrictionIsSolvedTo1e12) { expect_solved("rolling", 1e-12); }
TEST(AutoOnRealProblems, LinearComplementarityIsDecidedTo1e8) { expect_solved("lcp", 1e-8); }
TEST(AutoOnRealProblems, MixedComplementarityIsDecidedTo1e8) { expect_solved("mlcp", 1e-8); }

}  // namespace
}  // namespace clack
