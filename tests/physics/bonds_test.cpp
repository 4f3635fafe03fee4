// Bonds between rigid bodies: a strip that peels, a column that fails along a band, and flows
// without them.
#include "tests/physics/bonds_support.hpp"

namespace clack {
namespace {

using test::example;
using test::Outcome;
using test::parameter;
using test::run_world;
using test::set;

TEST(BondedStrip, peels_at_the_force_of_the_double_cantilever_beam) {
  const Outcome outcome =
      run_world(example("bonded_strip", {parameter("n", 14), parameter("pull", 0.0048),
                                         parameter("T", 0.2), test::step_of(5e-4)}));
  EXPECT_LE(outcome.failed_steps, 4);  // where a bond tears the passes of the laws may cycle
  EXPECT_LT(outcome.balance, 1e-11);
  EXPECT_NEAR(outcome.measures.at("force over that of the closed form"), 1, 0.02);
}

// The measure of a band on fields whose answer is known.
TEST(FindBand, finds_a_band_and_none_in_uniform_strain) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> unit(0, 1);
  std::normal_distribution<double> noise(0, 2e-5);
  test::Points start, sheared, squeezed;
  const double grain = 0.015, angle = 58 * M_PI / 180;
  const test::Vector2 along(std::cos(angle), std::sin(angle)), middle(0.1, 0.2);
  for (int i = 0; i < 27; ++i) {
    for (int j = 0; j < 14; ++j) {
      const test::Vector2 x = grain * test::Vector2(j + 0.6 * unit(random), i + 0.6 * unit(random));
      const double across = along.x() * (x - middle).y() - along.y() * (x - middle).x();
      const test::Vector2 jitter(noise(random), noise(random));
      start.push_back(x);
      sheared.push_back(x + jitter + (across > 0 ? 3e-3 : 0.0) * along);
      squeezed.push_back(x + jitter + 0.02 * test::Vector2(x.x(), -x.y()));
    }
  }
  const auto band = [&](const test::Points& end) {
    return test::find_band(start, test::local_shear(start, end, 1.6 * grain), 3 * grain);
  };
  EXPECT_NEAR(band(sheared).degrees, 58, 2);
  EXPECT_GT(band(sheared).excess(), 0.6);
  EXPECT_LT(band(squeezed).excess(), 0.05);
}

TEST(BondedColumn, fails_along_an_inclined_band) {
  const test::Compression column =
      test::compress({parameter("n", 200), set("simulation.end", 0.03)});
  test::expect_inclined_band(column);
  EXPECT_GT(column.band.excess(), 0.4);  // with this seed there is one band alone
  EXPECT_GT(column.torn, 0.5);
}

TEST(BondedColumn, flows_without_bonds_when_the_press_is_away) {
  const Scene scene =
      example("bonded_column", {"system.pairs=[]", parameter("away", 0), set("simulation.end", 0.5),
                                set("simulation.step", 1e-3), set("solver.tolerance", 1e-3)});
  const double before = test::width_of(test::grain_positions(scene.world_initial));
  double width = 0, height = 0;
  const Outcome outcome = run_world(scene, [&](const test::BodySimulation& simulation) {
    const test::Points grains = test::grain_positions(simulation.state());
    width = test::width_of(grains);
    height = 0;
    for (const test::Vector2& x : grains) height = std::max(height, x.y());
  });
  test::expect_solved(outcome);
  EXPECT_LT(height, 0.6 * 0.4);
  EXPECT_GT(width, 2 * before);
}

// It is the bonds that hold the column up.
TEST(BondedColumn, stands_with_bonds_when_the_press_is_away) {
  const Scene scene = example(
      "bonded_column", {parameter("n", 100), parameter("away", 0), set("simulation.end", 0.05)});
  const test::Points start = test::grain_positions(scene.world_initial);
  double way = 0;
  const Outcome outcome = run_world(scene, [&](const test::BodySimulation& simulation) {
    const test::Points grains = test::grain_positions(simulation.state());
    for (std::size_t i = 0; i < grains.size(); ++i)
      way = std::max(way, (grains[i] - start[i]).norm());
  });
  test::expect_solved(outcome);
  EXPECT_LT(way, 1e-4);
}

}  // namespace
}  // namespace clack
