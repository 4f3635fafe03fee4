// Harmonic balance against closed forms: linear response, nonsmooth modes, dry friction.
#include "clack/analyse/harmonic/harmonic_orbit.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "clack/analyse/modes/impact_modes.hpp"
#include "clack/core/error.hpp"
#include "tests/analyse/orbit_scenes.hpp"

namespace clack {
namespace {

using test::values;

constexpr double kPi = 3.14159265358979323846;

HarmonicProblem family_of(const Scene& scene, int harmonics) {
  HarmonicProblem problem;
  problem.orbit.kind = OrbitKind::conservative;
  problem.orbit.system = [system = scene.system](double) { return system; };
  problem.options.harmonics = harmonics;
  return problem;
}

// Energy where the branch from a linear mode reaches a period.
double energy_at(const HarmonicProblem& problem, int mode, double period) {
  const Orbit start = harmonic_linear_mode(problem, mode);
  EXPECT_TRUE(start.good()) << start.note;
  if (!start.good()) return NAN;
  const Branch branch = continue_harmonic(
      problem, start,
      {.over = BranchCoordinate::period, .low = period, .direction = -1, .max_step = 0.5, .max_points = 150});
  std::printf("  %zu orbits, %s\n", branch.points.size(), branch.stop.c_str());
  if (getenv("DEBUG"))
    for (const BranchPoint& p : branch.points)
      std::printf("   T %.9g E %.9g closing %.2e its %zu\n", p.orbit.period, p.orbit.energy,
                  p.orbit.closing, p.orbit.history.size());
  return branch.points.back().orbit.energy;
}

TEST(HarmonicBalance, of_rigid_impacts_converges_with_the_first_order) {
  const Scene scene = test::scene_of(test::kChain);
  const double exact = ImpactModes(*scene.system).one_impact(9.5).energy;
  for (int H : {10, 20}) {
    const double E = energy_at(family_of(scene, H), 0, 9.5);
    std::printf("  H = %d: %.3e\n", H, E / exact - 1);
  }
}

}  // namespace
}  // namespace clack
