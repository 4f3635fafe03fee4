// Steps of a pile of spheres: all stages, with the residual reached. Remake: ./do bench granular
#include <benchmark/benchmark.h>

#include "bench/granular_scene.hpp"
#ifdef CLACK_HAS_BULLET
#include "bench/bullet_pile.hpp"
#endif

namespace clack::bench {
namespace {

constexpr int kSteps = 50;

// Mean times of `steps` steps by stage [ms].
void report_stages(benchmark::State& state, const WorldSimulation& simulation,
                   const std::array<double, 6>& before, int steps) {
  static const char* const kNames[] = {"1_detect", "2_predict", "3_assemble",
                                       "4_solve",  "5_correct", "6_audit"};
  double total = 0;
  for (std::size_t k = 0; k < 6; ++k) {
    const double mean = 1e3 * (simulation.seconds_by_stage()[k] - before[k]) / steps;
    state.counters[kNames[k]] = mean;
    total += mean;
  }
  state.counters["0_step_ms"] = total;
}

struct Observed {
  double residual = 0, sum = 0, least = HUGE_VAL;
  int unsolved = 0;
  long sweeps = 0;
};

// Steps the simulation and reports stages, contacts and the worst residual.
void measure_steps(benchmark::State& state, WorldSimulation& simulation, int warm_up,
                   int steps = kSteps) {
  for (int k = 0; k < warm_up; ++k) (void)simulation.step();
  const std::array<double, 6> before = simulation.seconds_by_stage();
  Observed seen;
  auto total = [&] {
    double sum = 0;
    for (const double s : simulation.seconds_by_stage()) sum += s;
    return sum;
  };
  for (auto _ : state) {
    for (int k = 0; k < steps; ++k) {
      const double start = total();
      seen.unsolved += simulation.step() != Status::converged;
      seen.least = std::min(seen.least, total() - start);
      const double residual =
          std::max(simulation.report().residual, simulation.report().residual_scaled);
      seen.residual = std::max(seen.residual, residual);
      seen.sum += residual;
      seen.sweeps += simulation.report().iterations;
    }
  }
  report_stages(state, simulation, before, steps);
  state.counters["least_ms"] = 1e3 * seen.least;
  state.counters["contacts"] = static_cast<double>(simulation.contacts().size());
  state.counters["sweeps"] = static_cast<double>(seen.sweeps) / steps;
  state.counters["unsolved"] = seen.unsolved;
  state.counters["residual"] = seen.residual;  // the worst
  state.counters["residual_mean"] = seen.sum / steps;
}

#define CLACK_ONCE Unit(benchmark::kMillisecond)->Iterations(1)

void granular_settled(benchmark::State& state, double tolerance) {
  const GranularScene scene = make_settled_scene(static_cast<int>(state.range(0)), 50);
  WorldSimulation simulation(scene.world, scene.start.state,
                             granular_options(tolerance, static_cast<int>(state.range(1))));
  simulation.restore(scene.start);
  measure_steps(state, simulation, 10);
}
BENCHMARK_CAPTURE(granular_settled, to_1e4, 1e-4)->Args({10000, 1})->Args({10000, 2})->CLACK_ONCE;
BENCHMARK_CAPTURE(granular_settled, to_1e8, 1e-8)->Args({10000, 1})->CLACK_ONCE;

// The wall at x high is gone: 0.2 s later the column is on its way.
void granular_collapse(benchmark::State& state, double tolerance) {
  const GranularScene scene = make_settled_scene(static_cast<int>(state.range(0)), 50);
  scene.world->bodies[2].removal = 0;
  WorldSimulation simulation(scene.world, scene.start.state, granular_options(tolerance));
  simulation.restore(scene.start);
  measure_steps(state, simulation, 20);
}
BENCHMARK_CAPTURE(granular_collapse, to_1e3, 1e-3)->Args({10000})->CLACK_ONCE;
BENCHMARK_CAPTURE(granular_collapse, to_1e4, 1e-4)->Args({10000})->CLACK_ONCE;

// A simulated second of a pile that is coming to rest, from 2 s after it was dropped: the same at
// all sizes, 50 layers.
void granular_drop(benchmark::State& state) {
  const GranularScene scene = make_granular_scene(static_cast<int>(state.range(0)), 50);
  WorldOptions options = granular_options(1e-3, static_cast<int>(state.range(1)));
  options.solver_options.max_iterations = 100;
  WorldSimulation simulation(scene.world, scene.start.state, options);
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
