// What Painleve's rod must hold at every step.
#pragma once

#include <gtest/gtest.h>

#include "tests/physics/support.hpp"

namespace clack::test {

inline void expect_rod_survives(double h, const std::vector<std::string>& overrides = {}) {
  std::vector<std::string> all = overrides;
  all.push_back(step_of(h));
  const Scene scene = example("painleve_rod", all);
  double lowest = HUGE_VAL, growth = 0;
  const Outcome outcome = run(scene, [&](const Simulation& simulation) {
    const EnergyAudit& energy = simulation.last_step().energy;
    lowest = std::min(lowest, energy.kinetic + energy.potential);
    growth = std::max(growth, energy.kinetic + energy.potential - lowest);
  });
  const double start = 450 + 10 * std::sin(31 * M_PI / 180);
  EXPECT_NEAR(outcome.t, 1.2, h) << "h = " << h;
  EXPECT_EQ(outcome.failed_steps, 0) << "h = " << h;
  EXPECT_TRUE(outcome.q.allFinite() && outcome.v.allFinite()) << "h = " << h;
  EXPECT_GT(outcome.min_gap, -15 * h * h - 1e-12) << "h = " << h;
  EXPECT_LT(growth, 50 * h) << "h = " << h;
  EXPECT_LT(outcome.energy.kinetic + outcome.energy.potential, start) << "h = " << h;
  EXPECT_LT(outcome.energy.work_friction, 0) << "h = " << h;
}

}  // namespace clack::test
