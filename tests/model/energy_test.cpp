// Energy of smooth conservative motion, and what a derived model costs.
#include <gtest/gtest.h>

#include "clack/model/lagrangian_system.hpp"
#include "tests/physics/support.hpp"

namespace clack {
namespace {

// Largest departure of the energy from its first value, up to a time before any impact.
double energy_drift(const std::string& name, double h, const char* end, const std::string& scheme) {
  const Scene scene = test::example(name, {test::step_of(h), std::string("simulation.end=") + end,
                                           "simulation.scheme=" + scheme});
  const Simulation start(scene.system, scene.initial, scene.options);
  const double first = start.last_step().energy.kinetic + start.last_step().energy.potential;
  double worst = 0;
  test::run(scene, [&](const Simulation& simulation) {
    const Step& step = simulation.last_step();
    EXPECT_TRUE(step.r.size() == 0 || step.r.cwiseAbs().maxCoeff() == 0)
        << "an impact at t = " << simulation.time();
    // A linear scene counts its constant loads as external: their work belongs to the balance.
    worst = std::max(worst, std::abs(step.energy.kinetic + step.energy.potential - first));
  });
  return worst;
}

TEST(SmoothMotion, keeps_the_energy_to_second_order_in_the_step) {
  for (const char* name : {"pendulum_wall", "five_link_pendulum"}) {
    const char* end = std::string(name) == "pendulum_wall" ? "0.55" : "0.25";
    const double coarse = energy_drift(name, 2e-3, end, "moreau-jean");
    const double fine = energy_drift(name, 5e-4, end, "moreau-jean");
    std::printf("  %s: energy drift %.3g J at h = 2e-3 s, %.3g J at 5e-4 s\n", name, coarse, fine);
    EXPECT_GT(coarse, 1e-9) << name;
    EXPECT_NEAR(coarse / fine, 16, 1.6) << name;
    EXPECT_LT(fine, 1e-4) << name;
  }
}

TEST(SmoothMotion, of_a_linear_oscillator_keeps_the_energy_to_round_off) {
  EXPECT_LT(energy_drift("impacting_oscillator", 1e-2, "0.7", "moreau-jean"), 1e-13);
  EXPECT_LT(energy_drift("impacting_oscillator_offset", 1e-2, "1", "moreau-jean"), 1e-13);
}

TEST(FiveLinkPendulum, is_derived_to_few_instructions_and_steps_to_its_end) {
  const Scene scene = test::example("five_link_pendulum");
  Simulation simulation(scene.system, scene.initial, scene.options);
  const long steps = 2000;
  for (long i = 0; i < steps; ++i) ASSERT_EQ(simulation.step(), Status::converged);
  const auto* model = dynamic_cast<const LagrangianSystem*>(scene.system.get());
  ASSERT_NE(model, nullptr);
  EXPECT_LT(model->instruction_count(), 2000);
}

}  // namespace
}  // namespace clack
