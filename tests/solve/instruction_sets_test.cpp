// The islands of `auto` are compiled for several instruction sets: all that this machine has must
// agree.
#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <cstdint>
#include <cstdio>
#include <set>
#include <string>

#include "clack/problem/generate.hpp"
#include "clack/problem/global_problem.hpp"
#include "clack/solve/auto/auto_solver.hpp"

namespace clack {
namespace {

void use_only(std::int64_t targets) {
  hwy::SetSupportedTargetsForTest(targets);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

TEST(InstructionSets, AllSolveTheSameProblems) {
  const std::int64_t supported = hwy::SupportedTargets();
  std::set<std::string> names;
  for (std::int64_t rest = supported; rest != 0; rest &= rest - 1) {
    use_only(rest & -rest);
    names.insert(vector_target());
    for (const Packing packing : {Packing::random, Packing::wall, Packing::hexagonal}) {
      GenerateOptions generate;
      generate.packing = packing;
      generate.dim = packing == Packing::hexagonal ? 2 : 3;
      generate.walls = packing == Packing::hexagonal;
      generate.contacts = 150;
      const ProblemData problem = reduce(generate_problem(generate));
      AutoOptions options;
      options.tolerance = 1e-10;
      Vector r = Vector::Zero(problem.dimension()), u = r;
      const SolveReport report = AutoSolver(options).solve(problem.view(), r.data(), u.data());
      EXPECT_EQ(report.status, Status::converged) << vector_target() << " " << to_string(packing)
                                                  << " " << report.residual << " " << report.note;
    }
  }
  use_only(0);  // 0: what the machine has
  std::printf("  instruction sets tried:");
  for (const std::string& name : names) std::printf(" %s", name.c_str());
  std::printf("\n");
  EXPECT_GE(names.size(), 1u);
}

}  // namespace
}  // namespace clack
