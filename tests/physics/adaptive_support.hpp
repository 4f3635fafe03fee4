// Runs with steps that adapt themselves, and constant ones to compare them with.
#pragma once

#include "clack/analyse/dense_output.hpp"
#include "clack/integrate/adaptive.hpp"
#include "tests/order/exact.hpp"

namespace clack::test {

struct AdaptiveOutcome {
  Vector q, v;
  AdaptiveFigures figures;
  long failed_steps = 0;
  double balance = 0;  // energy ledger, relative
  double min_gap = HUGE_VAL;
  double l1_error = 0;  // of coordinates and velocities
  long computed = 0;    // steps, also those that were not kept
};

// A scene with simulation.adaptive; `exact` may be empty.
inline AdaptiveOutcome run_adaptive(const Scene& scene, const Solution& exact = {}) {
  AdaptiveSimulation simulation(scene.system, scene.initial, scene.options, scene.end);
  Ledger ledger(simulation.second().last_step().energy);
  AdaptiveOutcome outcome;
  State before = scene.initial;
  auto look = [&](const Simulation& half, Status status) {
    outcome.failed_steps += status != Status::converged;
    ledger.add(half.last_step().energy);
    const Vector& gap = half.last_step().end.gap;
    if (gap.size() > 0) outcome.min_gap = std::min(outcome.min_gap, gap.minCoeff());
    double t = before.t;
    const State now{half.time(), half.q(), half.v()};
    for (const State& state : dense_between(before, now)) {
      if (!exact) break;
      const Exact at = exact(state.t);
      outcome.l1_error +=
          (state.t - t) * ((state.q - at.q).cwiseAbs().sum() + (state.v - at.v).cwiseAbs().sum());
      t = state.t;
    }
    before = now;
  };
  while (!simulation.done()) {
    simulation.step();
    look(simulation.first(), simulation.first_status());
    look(simulation.second(), simulation.second_status());
  }
  outcome.q = simulation.state().end.q;
  outcome.v = simulation.state().end.v;
  outcome.figures = simulation.figures();
  outcome.balance = ledger.relative_error();
  outcome.computed = 3 * (outcome.figures.accepted / 2 + outcome.figures.rejected);
  EXPECT_EQ(before.t, scene.end);
  return outcome;
}

inline std::string tolerance_of(double tolerance) {
  char text[64];
  std::snprintf(text, sizeof text, "simulation.adaptive.tolerance=%.17g", tolerance);
  return text;
}

}  // namespace clack::test
