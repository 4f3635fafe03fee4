// Longer runs of the examples of blocks and masonry.
#include "tests/physics/blocks_support.hpp"

namespace clack {
namespace {

TEST(MasonryArchSlow, the_least_thickness_is_that_of_the_line_of_thrust_within_a_thousandth) {
  for (const int voussoirs : {15, 31, 61}) {
    const double limit = test::least_thickness(voussoirs);
    double low = 0.98 * limit, high = 1.02 * limit;
    ASSERT_FALSE(test::arch_stands(low, voussoirs, 2));
    ASSERT_TRUE(test::arch_stands(high, voussoirs, 2));
    while (high - low > 5e-4 * limit) {
      const double middle = 0.5 * (low + high);
      (test::arch_stands(middle, voussoirs, 2) ? high : low) = middle;
    }
    EXPECT_NEAR(0.5 * (low + high), limit, 1e-3 * limit) << voussoirs;
  }
}

TEST(KaplaTowerSlow, stands_for_ten_seconds_without_creep) {
  const test::Outcome outcome = test::run_world(test::example("kapla_tower"));
  test::expect_solved(outcome);
  EXPECT_LT(outcome.measures.at("way of a top plank over the height of the tower"), 1e-6);
}

TEST(KaplaCollapseSlow, the_floor_carries_all_of_the_weight_in_the_end) {
  const test::Outcome outcome = test::run_world(test::example("kapla_collapse"));
  test::expect_solved(outcome);
  EXPECT_LT(outcome.measures.at("height of a top plank after"), 0.08);
  EXPECT_NEAR(outcome.measures.at("force on the floor over the weight at the end"), 1, 0.05);
}

TEST(DominoRunSlow, forty_dominoes_fall_at_equal_intervals) {
  const test::Outcome outcome = test::run_world(test::example("domino_run"));
  test::expect_solved(outcome);
  const double lag = outcome.measures.at("time from the 30th to the 40th");
  EXPECT_NEAR(outcome.measures.at("time from the 20th to the 30th"), lag, 0.01 * lag);
  EXPECT_NEAR(outcome.measures.at("time from the 10th to the 20th"), lag, 0.01 * lag);
  EXPECT_NEAR(outcome.measures.at("inclination of the last"), M_PI / 2, 1e-3);
}

TEST(BarrelVaultSlow, two_rows_in_bond_thrust_between_the_bounds_of_one) {
  const test::Outcome outcome = test::run_world(test::example("barrel_vault"));
  test::expect_solved(outcome);
  const double radius = (25 + 9) / 6.0;
  const test::ThrustLine lines(radius, std::asin(5 / radius), 0.2, 90);
  const double thrust = outcome.measures.at("thrust over the weight");
  EXPECT_GT(thrust, lines.least_thrust() / lines.weight());
  EXPECT_LT(thrust, lines.greatest_thrust() / lines.weight());
}

TEST(RockfallSlow, boulders_with_edges_come_to_rest_on_the_ground) {
  std::map<std::string, double> speed;
  const std::vector<std::string> names = {"tetrahedron", "octahedron", "stone", "slab", "cube"};
  const test::Outcome outcome =
      test::run_world(test::example("rockfall"), [&](const test::BodySimulation& simulation) {
        for (const std::string& name : names)
          speed[name] = test::body_state(simulation, name).v.norm();
      });
  test::expect_solved(outcome);
  for (const std::string& name : names) EXPECT_LT(speed[name], 1e-5) << name;
  EXPECT_LT(outcome.measures.at("runout of the slab"), outcome.measures.at("runout of the stone"));
}

}  // namespace
}  // namespace clack
