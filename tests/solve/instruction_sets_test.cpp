// The islands of `auto` are compiled for several instruction sets: all that this machine has must
// agree.
#include <gtest/gtest.h>

#include "clack/core/error.hpp"
#include "clack/problem/global_problem.hpp"
#include "clack/solve/auto/auto_solver.hpp"
#include "clack/solve/vector_target.hpp"
#include "tests/support/generate.hpp"

namespace clack {
namespace {

using namespace test;

TEST(InstructionSets, AllSolveTheSameProblems) {
  for (const VectorTarget& target : vector_targets()) {
    use_vector_target(target.name);
    ASSERT_EQ(vector_target(), target.name);
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
  use_vector_target("");
}

TEST(InstructionSets, AnUnknownOneIsRefusedWithThoseThatAre) {
  const std::string known = vector_targets().back().name;
  try {
    use_vector_target("abacus");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("'abacus'"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find(known), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace clack
