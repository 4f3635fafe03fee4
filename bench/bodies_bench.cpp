// Sweeps on bodies: time a contact and sweep, and time to a residual, with both residuals beside
// it. Remake: ./do bench bodies_
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>

#include "clack/solve/bodies/body_solver.hpp"
#include "clack/solve/vector_target.hpp"
#include "tests/support/generate.hpp"

namespace clack {
namespace {

using namespace test;

// About `bodies` bodies: a random packing of spheres has 3 contacts a body, a wall of bricks 7.8.
BodyProblem make_problem(Packing packing, std::int64_t bodies, double speed = 0) {
  GenerateOptions options;
  options.packing = packing;
  options.walls = packing == Packing::fcc;
  options.contacts = static_cast<int>(bodies * (packing == Packing::random ? 3
                                                : packing == Packing::fcc  ? 6
                                                                           : 8));
  options.radius_spread = packing == Packing::random ? 0.2 : 0;
  options.speed = speed;
  return generate_body_problem(options);
}

double now() {
  using Clock = std::chrono::steady_clock;
  return std::chrono::duration<double>(Clock::now().time_since_epoch()).count();
}

// The least time of a sweep: the machine may be shared.
void sweep(benchmark::State& state, Packing packing, double speed, const char* target) {
  use_vector_target(target);
  const BodyProblem problem = make_problem(packing, state.range(0), speed);
  BodySolverOptions options;
  options.threads = static_cast<int>(state.range(1));
  BodySolver solver(options);
  const std::vector<Eigen::Vector3d> impulses(problem.contacts.size(), Eigen::Vector3d::Zero());
  solver.prepare(problem, impulses.data());
  for (int k = 0; k < 20; ++k) solver.sweep(k == 0 ? 0 : 0.8);
  double least = HUGE_VAL;
  for (auto _ : state) {
    const double start = now();
    solver.sweep(0.8);
    least = std::min(least, now() - start);
  }
  const Residual residual = solver.measure();
  const auto contacts = static_cast<double>(problem.contacts.size());
  state.counters["ns_contact"] = 1e9 * least / contacts;
  state.counters["contacts"] = contacts;
  state.counters["colours"] = solver.colours();
  state.counters["lane_fill"] = solver.lane_fill();
  state.counters["residual"] = residual.plain;
  state.counters["scaled"] = residual.scaled;
  use_vector_target("");
}
constexpr const char *kBest = "", *kNarrow = "AVX2";

#define CLACK_SIZES Args({1000, 1})->Args({10000, 1})->Args({20000, 1})->Args({100000, 1})
BENCHMARK_CAPTURE(sweep, bodies_spheres, Packing::random, 0.0, kBest)
    ->CLACK_SIZES->Args({20000, 2})
    ->Args({33000, 1})
    ->Args({33000, 2})
    ->Args({330000, 1});
BENCHMARK_CAPTURE(sweep, bodies_spheres_avx2, Packing::random, 0.0, kNarrow)->CLACK_SIZES;
BENCHMARK_CAPTURE(sweep, bodies_bricks, Packing::wall, 0.0, kBest)
    ->Args({1000, 1})
    ->Args({3000, 1})
    ->Args({10000, 1});
BENCHMARK_CAPTURE(sweep, bodies_bricks_sliding, Packing::wall, 0.1, kBest)
    ->Args({1000, 1})
    ->Args({3000, 1});
BENCHMARK_CAPTURE(sweep, bodies_bricks_avx2, Packing::wall, 0.0, kNarrow)
    ->Args({1000, 1})
    ->Args({3000, 1});

// From r = 0; packing into batches included.
void solve(benchmark::State& state, Packing packing, double tolerance) {
  const BodyProblem problem = make_problem(packing, state.range(0));
  BodySolverOptions options;
  options.tolerance = tolerance;
  options.time_limit = 20;
  options.max_iterations = 100000;
  options.record_history = true;
  SolveReport report;
  for (auto _ : state) {
    Vector r = Vector::Zero(problem.size()), u = r;
    report = BodySolver(options).solve(problem, r.data(), u.data());
  }
  state.counters["contacts"] = static_cast<double>(problem.contacts.size());
  state.counters["sweeps"] = report.iterations;
  state.counters["reached"] = report.status == Status::converged;
  state.counters["residual"] = report.residual;
  state.counters["scaled"] = report.residual_scaled;
}
#define CLACK_ONCE Unit(benchmark::kMillisecond)->Iterations(1)
BENCHMARK_CAPTURE(solve, bodies_random_1e4, Packing::random, 1e-4)
    ->Arg(1000)
    ->Arg(10000)
    ->Arg(20000)
    ->CLACK_ONCE;
BENCHMARK_CAPTURE(solve, bodies_random_1e8, Packing::random, 1e-8)
    ->Arg(1000)
    ->Arg(10000)
    ->CLACK_ONCE;
BENCHMARK_CAPTURE(solve, bodies_lattice_1e4, Packing::fcc, 1e-4)
    ->Arg(1000)
    ->Arg(10000)
    ->Arg(20000)
    ->CLACK_ONCE;
BENCHMARK_CAPTURE(solve, bodies_lattice_1e8, Packing::fcc, 1e-8)
    ->Arg(1000)
    ->Arg(10000)
    ->Arg(20000)
    ->CLACK_ONCE;
BENCHMARK_CAPTURE(solve, bodies_bricks_1e4, Packing::wall, 1e-4)->Arg(400)->CLACK_ONCE;

// The step after: gravity 1 % stronger, from the impulses of a solution of the lattice.
void warm(benchmark::State& state, double tolerance) {
  BodyProblem problem = make_problem(Packing::fcc, state.range(0));
  BodySolverOptions options;
  options.tolerance = tolerance;
  BodySolver solver(options);
  Vector start = Vector::Zero(problem.size()), u = start;
  if (solver.solve(problem, start.data(), u.data()).status != Status::converged) {
    return state.SkipWithError("no start");
  }
  for (RigidBody& body : problem.bodies) body.v_free *= 1.01;
  SolveReport report;
  for (auto _ : state) {
    Vector r = start;
    report = solver.solve(problem, r.data(), u.data());
  }
  state.counters["contacts"] = static_cast<double>(problem.contacts.size());
  state.counters["sweeps"] = report.iterations;
  state.counters["residual"] = report.residual;
  state.counters["scaled"] = report.residual_scaled;
}
BENCHMARK_CAPTURE(warm, bodies_1e4, 1e-4)->Arg(10000)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(warm, bodies_1e8, 1e-8)->Arg(10000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace clack

BENCHMARK_MAIN();
