// The first-order solvers on the shared collection: a verdict of each must be true. What they solve
// in two seconds is printed, not demanded: it depends on the machine.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <map>

#include "clack/io/problems/problem_file.hpp"
#include "clack/problem/global_problem.hpp"
#include "clack/problem/residual.hpp"
#include "clack/solve/solver.hpp"

namespace clack {
namespace {

constexpr const char* kSolvers[] = {"nsgs",           "jacobi",           "prox-sor",
                                    "vi-fixed-point", "vi-extragradient", "vi-hyperplane"};

std::vector<std::filesystem::path> problem_files() {
  std::vector<std::filesystem::path> files;
  for (const char* folder : {"fc3d", "fc2d", "rolling", "global"}) {
    const std::filesystem::path path =
        std::filesystem::path(CLACK_SHARED_DIR) / "problems" / folder;
    if (!std::filesystem::is_directory(path)) continue;
    for (const auto& entry : std::filesystem::directory_iterator(path))
      files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

TEST(FirstOrderProblems, EveryVerdictOnTheCollectionIsTrue) {
  const auto files = problem_files();
  if (files.empty()) GTEST_SKIP() << "no problems in " << CLACK_SHARED_DIR;
  std::map<std::string, std::pair<int, int>> solved;
  for (const auto& file : files) {
    ProblemData data = read_problem(file.string());
    if (data.form == ProblemForm::global) data = reduce(data);
    std::printf("%-40s %5d", data.name.c_str(), data.contacts());
    for (const char* name : kSolvers) {
      SolverOptions options;
      options.tolerance = 1e-8;
      options.max_iterations = 100000000;
      options.time_limit = 2;
      Vector r = Vector::Zero(data.dimension()), u = r;
      const SolveReport report = make_solver(name, options)->solve(data.view(), r.data(), u.data());
      const double residual =
          data.dimension() > 0 ? compute_residual(data.view(), r.data(), u.data()).worst() : 0.0;
      EXPECT_TRUE(std::isfinite(residual)) << data.name << " " << name;
      EXPECT_EQ(report.status == Status::converged, residual <= 1e-8) << data.name << " " << name;
      std::printf(" | %-16s %8.1e %7d", name, residual, report.iterations);
      solved[name].first += residual <= 1e-4;
      solved[name].second += residual <= 1e-8;
    }
    std::printf("\n");
  }
  for (const auto& [name, count] : solved) {
    std::printf("%-16s solved to 1e-4: %d, to 1e-8: %d of %zu\n", name.c_str(), count.first,
                count.second, files.size());
  }
}

}  // namespace
}  // namespace clack
