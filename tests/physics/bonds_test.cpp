// Bonds between rigid bodies: a strip that peels, a column that fails along a band.
#include "tests/physics/bonds_support.hpp"

namespace clack {
namespace {

using test::example;
using test::Outcome;
using test::parameter;
using test::run_world;
using test::set;

TEST(BondedStrip, peels_at_the_force_of_the_double_cantilever_beam) {
  const Outcome outcome = run_world(
      example("bonded_strip", {parameter("n", 14), parameter("pull", 0.0048), parameter("T", 0.2),
                               test::step_of(5e-4)}));
  EXPECT_LE(outcome.failed_steps, 4);  // where a bond tears the passes of the laws may cycle
  EXPECT_LT(outcome.balance, 1e-11);
  EXPECT_NEAR(outcome.measures.at("force over that of the closed form"), 1, 0.02);
}

TEST(BondedColumn, stands_under_a_load_below_its_strength_with_part_of_its_bonds) {
  const Scene scene = example("bonded_column");
  std::size_t bonds = 0, left = 0;
  const Outcome outcome = run_world(scene, [&](const WorldSimulation& simulation) {
    if (bonds == 0) bonds = simulation.laws().bonds_holding();
    left = simulation.laws().bonds_holding();
  });
  test::expect_solved(outcome);
  EXPECT_GT(bonds, 1500u);
  EXPECT_GT(left, bonds / 4);
  EXPECT_LT(left, bonds * 9 / 10);
  EXPECT_NEAR(outcome.measures.at("stress under the press"), 150e3, 5e3);  // of 213 kPa
  EXPECT_GT(outcome.measures.at("height"), 0.999 * 0.4);
}

TEST(BondedColumn, spreads_without_cohesion) {
  const Scene scene =
      example("bonded_column", {parameter("c_n", 1e-3), parameter("F", 0), set("simulation.end", 0.5),
                                set("solver.tolerance", 1e-3)});
  double width = 0;
  const Outcome outcome = run_world(scene, [&](const WorldSimulation& simulation) {
    width = test::grain_width(simulation.state());
  });
  test::expect_solved(outcome);
  EXPECT_LT(outcome.measures.at("height"), 0.5 * 0.4);
  EXPECT_GT(width, 3 * 0.2);
}

}  // namespace
}  // namespace clack
