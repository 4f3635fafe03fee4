// What `auto` takes, single thread; both residuals stand beside every time.
// Remake: ./do bench packing, ./do bench granular_flow, ./do bench warm_start
#include <benchmark/benchmark.h>

#include <algorithm>
#include <filesystem>

#include "clack/core/split_mix.hpp"
#include "clack/io/problems/problem_file.hpp"
#include "clack/problem/global_problem.hpp"
#include "clack/solve/auto/auto_solver.hpp"
#include "tests/support/generate.hpp"

namespace clack {
namespace {

using namespace test;

AutoSolver make_auto(double tolerance) {
  AutoOptions options;
  options.tolerance = tolerance;
  options.time_limit = 60;
  return AutoSolver(options);
}

template <class Any>
SolveReport solve(Any&& solver, const ProblemData& problem, Vector& r) {
  Vector u = r;
  return solver.solve(problem.view(), r.data(), u.data());
}

void time_cold(benchmark::State& state, const ProblemData& problem, double tolerance) {
  SolveReport report;
  for (auto _ : state) {
    Vector r = Vector::Zero(problem.dimension());
    report = solve(make_auto(tolerance), problem, r);
  }
  if (report.status != Status::converged) state.SkipWithError("not solved");
  state.counters["contacts"] = problem.contacts();
  state.counters["residual"] = report.residual;
  state.counters["scaled"] = report.residual_scaled;
}

void packing(benchmark::State& state, Packing kind) {
  GenerateOptions options;
  options.packing = kind;
  options.walls = true;
  options.contacts = static_cast<int>(state.range(0));
  time_cold(state, reduce(generate_problem(options)), 1e-6);
}
BENCHMARK_CAPTURE(packing, random, Packing::random)
    ->Arg(20000)
    ->Unit(benchmark::kSecond)
    ->Iterations(1);
BENCHMARK_CAPTURE(packing, fcc, Packing::fcc)->Arg(20000)->Unit(benchmark::kSecond)->Iterations(1);

std::filesystem::path shared_problem(const char* name) {
  return std::filesystem::path(CLACK_SOURCE_DIR) / ".." / "shared" / "problems" / name;
}

void granular_flow(benchmark::State& state) {
  const auto file = shared_problem("fc2d/fc2d_granularflowonwall_07002_00801.dat");
  if (!std::filesystem::exists(file)) return state.SkipWithError("no ../shared/problems");
  time_cold(state, read_problem(file), 1e-8);
}
BENCHMARK(granular_flow)->Unit(benchmark::kMillisecond);

// u_free changed by 0.1 % in the range of W.
ProblemData changed(const ProblemData& problem) {
  SplitMix random(7);
  Vector z(problem.dimension()), change(problem.dimension());
  for (double& x : z) x = random.uniform(-1, 1);
  problem.W.multiply(z.data(), change.data());
  ProblemData other = problem;
  other.u_free += (1e-3 * problem.u_free.norm() / change.norm()) * change;
  return other;
}

// The time from the last solution; the counter `cold` is the one from zero, in the same run.
void warm_start(benchmark::State& state, const char* name) {
  const auto file = shared_problem(name);
  if (!std::filesystem::exists(file)) return state.SkipWithError("no ../shared/problems");
  ProblemData problem = read_problem(file);
  if (problem.form == ProblemForm::global) problem = reduce(problem);
  const ProblemData other = changed(problem);
  Vector start = Vector::Zero(problem.dimension());
  AutoSolver solver = make_auto(1e-8);  // kept, as a simulation keeps it
  benchmark::DoNotOptimize(solve(solver, problem, start));
  double cold = HUGE_VAL;
  SolveReport report;
  for (int k = 0; k < 10; ++k) {
    Vector r = Vector::Zero(problem.dimension());
    cold = std::min(cold, solve(make_auto(1e-8), other, r).seconds);
  }
  for (auto _ : state) {
    Vector r = start;
    report = solve(solver, other, r);
  }
  if (report.status != Status::converged) state.SkipWithError("not solved");
  state.counters["cold_ms"] = 1e3 * cold;
  state.counters["residual"] = report.residual;
  state.counters["scaled"] = report.residual_scaled;
}
BENCHMARK_CAPTURE(warm_start, kaplas, "fc3d/KaplasTower-i1061-4.dat")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(warm_start, spheres_in_a_box, "global/spheres-in-a-box-98-i10000-256-10.hdf5")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(warm_start, capsules_122, "fc3d/Capsules-i122-1617.dat")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(warm_start, capsules_100, "fc3d/Capsules-i100-889.dat")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(warm_start, plane_727, "fc2d/FrictionContactProblem00727.dat")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(warm_start, granular_flow, "fc2d/fc2d_granularflowonwall_07002_00801.dat")
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace clack

BENCHMARK_MAIN();
