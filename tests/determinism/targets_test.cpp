// The same bits with every instruction set that has fused multiply-add.
#include <gtest/gtest.h>

#include <functional>

#include "clack/problem/global_problem.hpp"
#include "clack/solve/bodies/body_solver.hpp"
#include "clack/solve/solver.hpp"
#include "clack/solve/vector_target.hpp"
#include "tests/determinism/state_hash.hpp"
#include "tests/physics/support.hpp"
#include "tests/support/generate.hpp"

namespace clack {
namespace {

using namespace test;

void expect_same_bits(const std::function<std::uint64_t()>& run) {
  std::uint64_t first = 0;
  for (const VectorTarget& target : vector_targets()) {
    if (!target.fused) continue;
    use_vector_target(target.name);
    const std::uint64_t hash = run();
    if (first == 0) first = hash;
    EXPECT_EQ(hash, first) << target.name;
  }
  use_vector_target("");
}

std::uint64_t hash_after(const std::string& name, const std::vector<std::string>& settings,
                         long steps) {
  const Scene scene = test::example(name, settings);
  test::BodySimulation simulation(scene);
  for (long k = 0; k < steps; ++k) (void)simulation.step();
  EXPECT_GT(simulation.contacts().size(), 0u) << name;
  return test::hash_of(simulation.state());
}

GenerateOptions packing_of(Packing packing, int contacts) {
  GenerateOptions options;
  options.packing = packing;
  options.contacts = contacts;
  options.dim = packing == Packing::hexagonal ? 2 : 3;
  options.walls = packing == Packing::hexagonal;
  options.speed = 0.05;
  return options;
}

constexpr Packing kPackings[] = {Packing::random, Packing::wall, Packing::hexagonal};

TEST(VectorTargets, SweepsOfAllKindsOfContactsGiveTheSameBits) {
  for (const Packing packing : kPackings) {
    const BodyProblem problem = generate_body_problem(packing_of(packing, 1500));
    expect_same_bits([&] {
      BodySolverOptions options;
      options.tolerance = 1e-10;
      options.max_iterations = 200;
      options.patience = 20;  // all methods take part
      options.island_contacts = options.planar_island_contacts = 0;
      Vector r = Vector::Zero(problem.size()), u = r;
      const SolveReport report = BodySolver(options).solve(problem, r.data(), u.data());
      test::Hash hash;
      hash.add(r.data(), static_cast<std::size_t>(r.size()));
      hash.add(&report.residual, 1);
      hash.add(&report.residual_scaled, 1);
      return hash.value();
    });
  }
}

TEST(VectorTargets, AutoGivesTheSameBits) {
  for (const Packing packing : kPackings) {
    const ProblemData problem = reduce(generate_problem(packing_of(packing, 300)));
    expect_same_bits([&] {
      SolverOptions options;
      options.tolerance = 1e-10;
      Vector r = Vector::Zero(problem.dimension()), u = r;
      EXPECT_EQ(make_solver("auto", options)->solve(problem.view(), r.data(), u.data()).status,
                Status::converged);
      test::Hash hash;
      hash.add(r.data(), static_cast<std::size_t>(r.size()));
      return hash.value();
    });
  }
}

TEST(VectorTargets, ScenesEndInTheSameBits) {
  expect_same_bits([] { return hash_after("sphere_pile", {}, 100); });
  expect_same_bits([] { return hash_after("hopper_2d", {}, 60); });
  expect_same_bits([] { return hash_after("domino_run", {}, 60); });
  expect_same_bits([] { return hash_after("domino_run", {"solver.name=bodies"}, 60); });
}

}  // namespace
}  // namespace clack
