// Steps of a pile of spheres: all stages, with the residual reached. Remake: ./do bench granular
#include <benchmark/benchmark.h>

#include <array>
#include <cmath>
#include <numeric>
#include <vector>

#include "bench/granular_scene.hpp"
#ifdef CLACK_HAS_BULLET
#include "bench/bullet_pile.hpp"
#endif

namespace clack::bench {
namespace {

constexpr int kSteps = 50, kRounds = 3;

using Stages = std::array<double, 6>;  // [s]

double total_of(const Stages& stages) { return std::accumulate(stages.begin(), stages.end(), 0.0); }

// Mean times of the steps by stage [ms].
void report_stages(benchmark::State& state, const std::vector<Stages>& steps) {
  static const char* const kNames[] = {"1_detect", "2_predict", "3_assemble",
                                       "4_solve",  "5_correct", "6_audit"};
  Stages sum{};
  double least = HUGE_VAL;
  for (const Stages& step : steps) {
    for (std::size_t k = 0; k < 6; ++k) sum[k] += step[k];
    least = std::min(least, total_of(step));
  }
  const double scale = 1e3 / static_cast<double>(steps.size());
  for (std::size_t k = 0; k < 6; ++k) state.counters[kNames[k]] = scale * sum[k];
  state.counters["0_step_ms"] = scale * total_of(sum);
  state.counters["least_ms"] = 1e3 * least;
}

struct Observed {
  double residual = 0, sum = 0;
  int unsolved = 0;
  long sweeps = 0;
};

// The stages of each step.
std::vector<Stages> observe_steps(test::BodySimulation& simulation, int steps, Observed& seen) {
  seen = {};
  std::vector<Stages> times;
  for (int k = 0; k < steps; ++k) {
    const Stages before = simulation.seconds_by_stage();
    seen.unsolved += simulation.step() != Status::converged;
    times.push_back(simulation.seconds_by_stage());
    for (std::size_t i = 0; i < 6; ++i) times.back()[i] -= before[i];
    const double residual =
        std::max(simulation.report().residual, simulation.report().residual_scaled);
    seen.residual = std::max(seen.residual, residual);
    seen.sum += residual;
    seen.sweeps += simulation.report().iterations;
  }
  return times;
}

// Steps the simulation and reports stages, contacts and the worst residual. The same steps
// kRounds times, each step as in its fastest round: the machine may be shared.
void measure_steps(benchmark::State& state, test::BodySimulation& simulation, int warm_up,
                   int steps = kSteps) {
  for (int k = 0; k < warm_up; ++k) (void)simulation.step();
  const Checkpoint start = simulation.checkpoint();
  Observed seen;
  std::vector<Stages> times;
  for (auto _ : state) {
    times = observe_steps(simulation, steps, seen);
    for (int round = 1; round < kRounds; ++round) {
      simulation.restore(start);
      const std::vector<Stages> again = observe_steps(simulation, steps, seen);
      for (std::size_t k = 0; k < times.size(); ++k)
        if (total_of(again[k]) < total_of(times[k])) times[k] = again[k];
    }
  }
  report_stages(state, times);
  state.counters["contacts"] = static_cast<double>(simulation.contacts().size());
  state.counters["sweeps"] = static_cast<double>(seen.sweeps) / steps;
  state.counters["unsolved"] = seen.unsolved;
  state.counters["residual"] = seen.residual;  // the worst
  state.counters["residual_mean"] = seen.sum / steps;
}

#define CLACK_ONCE Unit(benchmark::kMillisecond)->Iterations(1)

void granular_settled(benchmark::State& state, double tolerance) {
  const GranularScene scene = make_settled_scene(static_cast<int>(state.range(0)), 50);
  test::BodySimulation simulation(scene.world, scene.start.state,
                                  granular_options(tolerance, static_cast<int>(state.range(1))));
  scene.start.apply(simulation);
  measure_steps(state, simulation, 10);
}
BENCHMARK_CAPTURE(granular_settled, to_1e4, 1e-4)->Args({10000, 1})->Args({10000, 2})->CLACK_ONCE;
BENCHMARK_CAPTURE(granular_settled, to_1e8, 1e-8)->Args({10000, 1})->CLACK_ONCE;

// The wall at x high is gone: 0.2 s later the column is on its way.
void granular_collapse(benchmark::State& state, double tolerance) {
  const GranularScene scene = make_settled_scene(static_cast<int>(state.range(0)), 50);
  scene.world->bodies[2].removal = 0;
  test::BodySimulation simulation(scene.world, scene.start.state, granular_options(tolerance));
  scene.start.apply(simulation);
  measure_steps(state, simulation, 20);
}
BENCHMARK_CAPTURE(granular_collapse, to_1e3, 1e-3)->Args({10000})->CLACK_ONCE;
BENCHMARK_CAPTURE(granular_collapse, to_1e4, 1e-4)->Args({10000})->CLACK_ONCE;

// A simulated second of a pile that is coming to rest, from 2 s after it was dropped: the same at
// all sizes, 50 layers.
void granular_drop(benchmark::State& state) {
  const GranularScene scene = make_granular_scene(static_cast<int>(state.range(0)), 50);
  SimulationOptions options = granular_options(1e-3, static_cast<int>(state.range(1)));
  options.solver_options.max_iterations = 100;
  test::BodySimulation simulation(scene.world, scene.start.state, options);
  measure_steps(state, simulation, 200, 100);
  state.counters["us_contact"] =
      1e3 * state.counters["0_step_ms"] / state.counters["contacts"];  // of a step
  state.counters["steps_s"] = 1e3 / state.counters["0_step_ms"];
}
BENCHMARK(granular_drop)->Args({10000, 1})->Args({100000, 1})->CLACK_ONCE;

#ifdef CLACK_HAS_BULLET
// The settled pile in Bullet: the time of its steps, and its impulses judged by our residual.
void granular_bullet(benchmark::State& state) {
  const GranularScene scene = make_settled_scene(static_cast<int>(state.range(0)), 50);
  BulletPile pile(scene, static_cast<int>(state.range(1)));
  for (int k = 0; k < 10; ++k) pile.step();
  for (auto _ : state)
    for (int k = 0; k < kSteps; ++k) pile.step();
  std::vector<double> r;
  double mismatch = 0;
  const BodyProblem problem = pile.observed_step(r, mismatch);
  std::vector<double> u(r.size());
  const Residual residual = compute_residual(problem, r.data(), u.data());
  state.counters["contacts"] = static_cast<double>(problem.contacts.size());
  state.counters["residual"] = residual.plain;
  state.counters["scaled"] = residual.scaled;
  state.counters["mismatch"] = mismatch;
}
BENCHMARK(granular_bullet)->Args({10000, 50})->CLACK_ONCE;
#endif

}  // namespace
}  // namespace clack::bench

BENCHMARK_MAIN();
