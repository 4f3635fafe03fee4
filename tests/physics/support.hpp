// Scenes as tests run them.
#pragma once

#include <algorithm>
#include <climits>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "clack/analyse/ledger.hpp"
#include "clack/analyse/measures.hpp"
#include "clack/analyse/world_quantities.hpp"
#include "clack/io/scene/scene.hpp"
#include "tests/support/body_simulation.hpp"

namespace clack::test {

// A scene of examples/, with assignments as --set takes them.
inline Scene example(const std::string& name, const std::vector<std::string>& overrides = {}) {
  return load_scene(CLACK_SOURCE_DIR "/examples/" + name + ".yaml", overrides);
}

inline std::string step_of(double h) {
  char text[64];
  std::snprintf(text, sizeof text, "simulation.step=%.17g", h);
  return text;
}

// What a run leaves behind.
struct Outcome {
  double t = 0;
  Vector q, v;
  Vector r;               // impulses of the last step, all candidates [N s]
  long failed_steps = 0;  // steps that missed a tolerance
  double balance = 0;     // energy ledger, relative
  double min_gap = HUGE_VAL;
  EnergyAudit energy;  // totals
  std::map<std::string, double> measures;
};

// Steps a scene to its end and calls observe(simulation) after each step.
template <class Observe>
Outcome run(const Scene& scene, Observe observe) {
  Simulation simulation(scene.system, scene.initial, scene.options);
  Ledger ledger(simulation.last_step().energy);
  Measures measures(scene.measures);
  measures.add(simulation.time(), simulation.q(), simulation.v());
  Outcome outcome;
  const long steps = scene.step_count();
  for (long i = 0; i < steps; ++i) {
    const Status status = simulation.step();
    if (status != Status::converged) ++outcome.failed_steps;
    if (!simulation.q().allFinite() || !simulation.v().allFinite()) break;
    ledger.add(simulation.last_step().energy);
    measures.add(simulation.time(), simulation.q(), simulation.v());
    const Vector& gap = simulation.last_step().end.gap;
    if (gap.size() > 0) outcome.min_gap = std::min(outcome.min_gap, gap.minCoeff());
    observe(simulation);
  }
  outcome.t = simulation.time();
  outcome.q = simulation.q();
  outcome.v = simulation.v();
  outcome.r = simulation.last_step().r;
  outcome.balance = ledger.relative_error();
  outcome.energy = ledger.totals();
  for (std::size_t i = 0; i < measures.size(); ++i) {
    outcome.measures[measures.observable(i).name] = measures.result(i).value;
  }
  return outcome;
}

// The same for a scene of rigid bodies; q, v and r stay empty. observe(simulation) is called after
// each step.
template <class Observe>
Outcome run_world(const Scene& scene, Observe observe, long most_steps = LONG_MAX) {
  test::BodySimulation simulation(scene);
  Ledger ledger(simulation.energy());
  Measures measures(scene.measures);
  const SampleMeasures sample(*scene.world, {.region = scene.region});
  Vector quantities(static_cast<int>(scene.quantities.size()));
  const auto measure = [&] {
    compute_quantities(scene.quantities, simulation, sample, quantities);
    measures.add(simulation.time(), quantities, Vector());
  };
  measure();
  Outcome outcome;
  for (long i = 0; i < std::min(scene.step_count(), most_steps); ++i) {
    const Status status = simulation.step();
    if (status != Status::converged) ++outcome.failed_steps;
    if (status == Status::numerical_failure) break;
    ledger.add(simulation.energy());
    measure();
    observe(simulation);
  }
  outcome.t = simulation.time();
  outcome.balance = ledger.relative_error();
  outcome.energy = ledger.totals();
  for (std::size_t i = 0; i < measures.size(); ++i) {
    outcome.measures[measures.observable(i).name] = measures.result(i).value;
  }
  return outcome;
}

inline Outcome run_world(const Scene& scene, long most_steps = LONG_MAX) {
  return run_world(
      scene, [](const test::BodySimulation&) {}, most_steps);
}

inline Outcome run(const Scene& scene) {
  if (scene.world) return run_world(scene);
  return run(scene, [](const Simulation&) {});
}

// An impact: a step with an impulse on a contact that was approaching.
struct Impact {
  double t;       // middle of the step [s]
  double before;  // normal velocities [m/s]
  double after;
};

// The impacts of one contact faster than `slowest` [m/s].
inline std::vector<Impact> impacts_of(const Scene& scene, int contact, double slowest = 1e-6) {
  std::vector<Impact> result;
  run(scene, [&](const Simulation& simulation) {
    const Step& step = simulation.last_step();
    const int row = step.detection.row_begin[contact];
    if (!(step.r[row] > 0) || !(step.detection.u[row] < -slowest)) return;
    result.push_back({0.5 * (step.start.t + step.end.t), step.detection.u[row], step.u_end[row]});
  });
  return result;
}

// The first root after `begin` of a function that is positive there, found by marching and
// bisection.
template <class F>
double first_root(F f, double begin, double march) {
  double low = begin, high = begin + march;
  while (f(high) > 0) {
    low = high;
    high += march;
  }
  for (int i = 0; i < 200 && low < high; ++i) {
    const double middle = 0.5 * (low + high);
    if (middle == low || middle == high) break;
    (f(middle) > 0 ? low : high) = middle;
  }
  return high;
}

}  // namespace clack::test
