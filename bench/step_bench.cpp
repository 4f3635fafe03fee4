// Time of one step, without output, single thread; the worst residual stands beside it.
// Remake: ./do bench step
#include <benchmark/benchmark.h>

#include <algorithm>
#include <string>

#include "clack/io/scene/scene.hpp"

namespace clack {
namespace {

void step_scene(benchmark::State& state, const std::string& name) {
  Scene scene = load_scene(CLACK_SOURCE_DIR "/examples/" + name + ".yaml");
  scene.options.record_timings = false;
  auto simulation = std::make_unique<Simulation>(scene.system, scene.initial, scene.options);
  const long last = scene.step_count();
  double residual = 0;
  for (auto _ : state) {
    if (simulation->steps() == last) {  // from the start again, so that every phase is counted
      state.PauseTiming();
      simulation = std::make_unique<Simulation>(scene.system, scene.initial, scene.options);
      state.ResumeTiming();
    }
    benchmark::DoNotOptimize(simulation->step());
    residual = std::max(residual, simulation->last_step().solve.residual);
  }
  state.counters["residual"] = residual;
}

BENCHMARK_CAPTURE(step_scene, bouncing_ball, "bouncing_ball");
BENCHMARK_CAPTURE(step_scene, woodpecker, "woodpecker");
BENCHMARK_CAPTURE(step_scene, five_link_pendulum, "five_link_pendulum");

void derive_pendulum(benchmark::State& state) {
  for (auto _ : state) {
    benchmark::DoNotOptimize(load_scene(CLACK_SOURCE_DIR "/examples/five_link_pendulum.yaml"));
  }
}
BENCHMARK(derive_pendulum)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace clack

BENCHMARK_MAIN();
