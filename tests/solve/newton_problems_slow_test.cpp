// The second-order and convex solvers on the collected problems; skips where they are absent.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "clack/io/problems/problem_file.hpp"
#include "clack/problem/global_problem.hpp"
#include "clack/solve/solver.hpp"

namespace clack {
namespace {

struct Candidate {
  const char* name;
  OptionSet own;
};

const std::vector<Candidate> kCandidates = {{"newton-ac", {}},
                                            {"newton-nm", {}},
                                            {"newton-fb", {}},
                                            {"ipm", {}},
                                            {"admm", {}},
                                            {"aclm", {}},
                                            {"aclm", {{"core", "apgd"}}},
                                            {"aclm", {{"core", "admm"}}},
                                            {"aclm", {{"core", "ipm"}}},
                                            {"tresca", {}},
                                            {"panagiotopoulos", {}}};

std::vector<ProblemData> collected_problems() {
  std::vector<std::string> paths;
  for (const char* folder : {"fc3d", "fc2d", "global", "rolling"}) {
    const auto root = std::filesystem::path(CLACK_SHARED_DIR) / "problems" / folder;
    if (!std::filesystem::is_directory(root)) continue;
    for (const auto& entry : std::filesystem::directory_iterator(root))
      paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  std::vector<ProblemData> problems;
  for (const std::string& path : paths) {
    ProblemData data = read_problem(path);
    problems.push_back(data.form == ProblemForm::global ? reduce(data) : std::move(data));
  }
  return problems;
}

TEST(NewtonProblems, MostCollectedProblemsAreSolvedInTwoSeconds) {
  const std::vector<ProblemData> problems = collected_problems();
  if (problems.empty()) GTEST_SKIP() << "no problems at " << CLACK_SHARED_DIR;
  for (const Candidate& candidate : kCandidates) {
    for (const double tolerance : {1e-4, 1e-8}) {
      int solved = 0;
      std::string rest;
      for (const ProblemData& problem : problems) {
        SolverOptions options;
        options.tolerance = tolerance;
        options.time_limit = 2;
        options.max_iterations = 10000000;
        Vector r = Vector::Zero(problem.dimension()), u = r;
        const SolveReport report = make_solver(candidate.name, options, candidate.own)
                                       ->solve(problem.view(), r.data(), u.data());
        EXPECT_TRUE(r.allFinite()) << candidate.name << " " << problem.name;
        if (report.status == Status::converged) {
          ++solved;
        } else {
          rest += fmt::format(" {} ({:.0e})", problem.name,
                              std::max(report.residual, report.residual_scaled));
        }
      }
      std::string options;
      for (const auto& [key, value] : candidate.own) options += fmt::format(" {}={}", key, value);
      fmt::print("{}{} {:.0e}: {} of {}; not:{}\n", candidate.name, options, tolerance, solved,
                 problems.size(), rest);
      EXPECT_GE(solved, static_cast<int>(problems.size() * (tolerance < 1e-6 ? 6 : 8) / 10))
          << candidate.name;
    }
  }
}

}  // namespace
}  // namespace clack
