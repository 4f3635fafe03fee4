// Singular positions, reactions that are not unique, and constraints of formulas that are closed.
#include <algorithm>

#include "clack/core/error.hpp"
#include "clack/integrate/constraint_rank.hpp"
#include "mechanism_support.hpp"

namespace clack {
namespace {

bool has_remark(const Scene& scene, const std::string& text) {
  return std::any_of(scene.remarks.begin(), scene.remarks.end(), [&](const std::string& remark) {
    return remark.find(text) != std::string::npos;
  });
}

std::unique_ptr<ConstraintRank> watched(const std::string& name, double h, double end) {
  const Scene scene = load_scene(CLACK_SOURCE_DIR "/examples/" + name + ".yaml",
                                 {test::step_is(h), "simulation.end=" + std::to_string(end)});
  Simulation simulation(scene.system, scene.initial, scene.options);
  auto rank = std::make_unique<ConstraintRank>(*scene.system, scene.initial);
  while (simulation.time() < end - 0.5 * h) {
    EXPECT_EQ(simulation.step(), Status::converged);
    rank->add(simulation.time(), simulation.q());
  }
  return rank;
}

// The benchmark's own time, with 35 rows in space.
TEST(ConstraintRank, OfTheFourBarOfTwoLoopsFallsFrom29To27WhereItIsFlat) {
  for (const double h : {2e-3, 1e-3}) {
    const std::unique_ptr<ConstraintRank> watch = watched("four_bar", h, 1);
    const ConstraintRank& rank = *watch;
    EXPECT_EQ(rank.rows(), 35);
    EXPECT_EQ(rank.rank(), 29);
    EXPECT_EQ(rank.least(), 27);
    EXPECT_EQ(rank.changes(), 1);
    EXPECT_EQ(rank.first().before, 29);
    EXPECT_TRUE(rank.first().passes);
    EXPECT_NEAR(rank.first().t, .71435553, 1e-2 * h);
  }
}

TEST(ConstraintRank, OfMechanismsThatPassNoSuchPositionStays) {
  EXPECT_EQ(watched("crank_rocker", 1e-3, 0.7)->changes(), 0);
  const auto bricard = watched("bricard", 2e-3, 2);
  EXPECT_EQ(bricard->changes(), 0);
  EXPECT_EQ(bricard->rows(), 30);
  EXPECT_EQ(bricard->rank(), 29);
}

TEST(ConstraintRank, IsWatchedWhereJointsCloseLoopsOnly) {
  const auto watches = [](const std::string& name) {
    return ConstraintRank::may_change(
        *load_scene(CLACK_SOURCE_DIR "/examples/" + name + ".yaml", {}).system);
  };
  EXPECT_TRUE(watches("four_bar"));
  EXPECT_FALSE(watches("double_pendulum"));
  EXPECT_FALSE(watches("rocker_bogie"));
}

// A door whose hinges share loads in a way that nothing tells; one hinge and a ball share none.
std::string door(const std::string& upper) {
  return R"(
clack: 1
system:
  type: rigid-bodies
  gravity: [0, 0, -9.81]
  materials: {wood: {}}
  bodies: [{name: leaf, shape: {box: {size: [0.8, 0.04, 2]}}, mass: 20, position: [0.4, 0, 1]}]
  joints:
    - {name: lower, kind: revolute, bodies: [ground, leaf], point: [0, 0, 0.2], axis: [0, 0, 1], friction: {mu: 0.1, radius: 0.01}}
    - {name: upper, kind: )" +
         upper + R"(, bodies: [ground, leaf], point: [0, 0, 1.8]}
simulation: {step: 1.0e-3, end: 0.1}
)";
}

TEST(SharedLoads, AreNamedWithTheFrictionThatDependsOnThem) {
  const Scene twice = parse_scene("scene", door("revolute, axis: [0, 0, 1]"));
  EXPECT_EQ(twice.shared_loads, (std::vector<int>{0, 1}));
  EXPECT_TRUE(has_remark(twice, "the friction of 'lower' depends on a load that is not unique"));
  const Scene alone = parse_scene("scene", door("bushing"));
  EXPECT_TRUE(alone.shared_loads.empty());
  EXPECT_FALSE(has_remark(alone, "not unique"));
}

std::string pendulum(const std::string& start, const std::string& equation) {
  return R"(
clack: 1
system:
  type: lagrangian
  coordinates: [x, y]
  kinetic: 0.5*(x'^2 + 4*y'^2)
  constraints: [{name: rod, equation: ")" +
         equation + R"("}]
initial: {q: )" +
         start + R"(, v: [0, 1]}
simulation: {step: 1.0e-3, end: 0.1}
)";
}

// On the line x + y = 1 from (1.5, 0) the least of (dx^2 + 4 dy^2) is at (1.1, -0.1).
TEST(ClosedFormulas, MoveByTheLeastMotionOfTheMassesAndSaySo) {
  const Scene line = parse_scene("scene", pendulum("[1.5, 0]", "x + y - 1"));
  EXPECT_NEAR(line.initial.q[0], 1.1, 1e-12);
  EXPECT_NEAR(line.initial.q[1], -0.1, 1e-12);
  EXPECT_NEAR(line.initial.v[0] + line.initial.v[1], 0, 1e-12);
  EXPECT_TRUE(has_remark(line, "constraint 'rod' was off by 0.5 at the start"));
  const Scene circle = parse_scene("scene", pendulum("[0.8, 0]", "x^2 + y^2 - 1"));
  EXPECT_NEAR(circle.initial.q[0], 1, 1e-12);
  const Scene fits = parse_scene("scene", pendulum("[1, 0]", "x^2 + y^2 - 1"));
  EXPECT_EQ(fits.initial.q[0], 1);
  EXPECT_FALSE(has_remark(fits, "was off"));
}

TEST(ClosedFormulas, ThatCannotBeClosedAreRefused) {
  try {
    (void)parse_scene("scene", pendulum("[1, 0]", "x^2 + y^2 + 1"));
    FAIL() << "was not refused";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("cannot be closed"), std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace clack
