// What a run says in words: remarks, bodies that are lost, what is not finite.
#include "clack/record/remarks.hpp"

#include <gtest/gtest.h>

#include "tests/record/record_support.hpp"

namespace clack::test {
namespace {

using Words = std::vector<std::string>;

// Remarks of a run as it is written, recorded to its end.
Words remarks_of(std::vector<ScriptedStep> steps, Words lost = {}) {
  const Folder folder;
  const Scene scene = scene_with();
  ScriptedRun run(std::move(steps));
  run.lost = std::move(lost);
  Recorder recorder(scene, run, folder.file("results.h5"));
  record_all(run, recorder);
  return run_remarks(scene, run, recorder);
}

void expect_says(const Words& words, const std::string& text) {
  ASSERT_EQ(words.size(), 1U) << (words.empty() ? "nothing is said" : words[1]);
  EXPECT_NE(words[0].find(text), std::string::npos) << words[0];
}

TEST(Remarks, OfAGoodRunAreNone) {
  EXPECT_TRUE(remarks_of(std::vector<ScriptedStep>(3)).empty());
  EXPECT_TRUE(start_remarks(scene_with()).empty());
}

TEST(Remarks, CountNearMissesWithTheWorst) {
  std::vector<ScriptedStep> steps(5);
  steps[1] = with_status(Status::stagnated, {{3e-8, 1e-8}});
  steps[3] = with_status(Status::stagnated, {{2.5e-7, 1e-8}});
  expect_says(remarks_of(steps),
              "2 of the steps missed a tolerance by little, at most 25 times it");
}

TEST(Remarks, OfFailuresAreNone) {  // the verdict says that
  EXPECT_TRUE(remarks_of({with_status(Status::infeasible)}).empty());
}

TEST(Remarks, NameThreeLostBodiesAndCountTheOthers) {
  const std::vector<ScriptedStep> steps(1);
  expect_says(remarks_of(steps, {"a"}), "'a' falls with nothing below");
  expect_says(remarks_of(steps, {"a", "b", "c"}), "'a', 'b', 'c' fall with nothing below");
  expect_says(remarks_of(steps, {"a", "b", "c", "d", "e"}),
              "'a', 'b', 'c' and 2 others fall with nothing below");
}

TEST(Remarks, SayHowMuchEnergyImpactsAdd) {
  std::vector<ScriptedStep> steps(2);
  steps[0].energy.kinetic = steps[1].energy.kinetic = 100;
  steps[1].energy.work_impact = 2;
  expect_says(remarks_of(steps),
              "added energy in 1 steps, 2 J in all (0.02 of the largest energy)");
}

TEST(Remarks, SayWhenImpactsTakeMoreThanThereIs) {
  std::vector<ScriptedStep> steps(3);
  for (ScriptedStep& step : steps) step.energy.kinetic = 1;
  steps[1].energy.work_impact = -50;
  expect_says(remarks_of(steps), "impacts took 50 J in the step to t = 1 s");
}

TEST(Remarks, OfTheStartNameTheViolatedContactAndItsGap) {
  expect_says(start_remarks(scene_with({"initial.q=[0, -0.25]"})),
              "contact 'floor' is violated at the start: its gap is -0.25 m");
  EXPECT_TRUE(start_remarks(scene_with({"initial.q=[1, -1.0e-5]"})).empty()) << "round-off";
  expect_says(start_remarks(scene_with({"simulation.step=2"})),
              "the step of 2 s is longer than the run of 1 s");
}

const std::string kOverlapping = R"(clack: 1
system:
  type: rigid-bodies
  materials: {stone: {density: 1000}}
  bodies:
    - {name: a, shape: {sphere: {radius: 0.1}}, position: [0, 0, 0]}
    - {name: b, shape: {sphere: {radius: 0.1}}, position: [0.17, 0, 0]}
    - {name: c, shape: {sphere: {radius: 0.1}}, position: [0.35, 0, 0]}
simulation: {step: 1.0e-3, end: 1}
)";

TEST(Remarks, OfTheStartNameTheDeepestOverlap) {
  expect_says(start_remarks(parse_scene("scene", kOverlapping)),
              "'a' and 'b' overlap by 0.03 m, the deepest of 2 pairs; overlap stays as it is");
  expect_says(
      start_remarks(parse_scene("scene", kOverlapping, {"system.bodies.2.position=[1, 0, 0]"})),
      "'a' and 'b' overlap by 0.03 m; overlap stays");
  expect_says(
      start_remarks(parse_scene("scene", kOverlapping, {"simulation.recovery={speed: 0.5}"})),
      "takes it back with at most 0.5 m/s");
  EXPECT_TRUE(start_remarks(parse_scene("scene", kOverlapping,
                                        {"system.bodies.1.position=[0.19999, 0, 0]",
                                         "system.bodies.2.position=[1, 0, 0]"}))
                  .empty())
      << "less than a thousandth of a body";
}

// A link that drifts by 2e-3 of its smaller body is told, one that drifts by 0.9e-3 is not.
TEST(Remarks, NameALinkThatDrifts) {
  const Folder folder;
  const Scene scene =
      parse_scene("scene", kOverlapping,
                  {"system.bodies.1.position=[1, 0, 0]", "system.bodies.2.position=[2, 0, 0]",
                   "system.links=[{name: weld, bodies: [a, b], point: [0.5, 0, 0], link: glue}]"});
  for (const double relative : {0.9e-3, 2e-3}) {
    std::vector<ScriptedStep> steps(2);
    steps[0].drift = {0.1 * relative, relative, 0};
    ScriptedRun run(steps);
    Recorder recorder(scene, run, folder.file("results.h5"));
    record_all(run, recorder);
    const Words words = run_remarks(scene, run, recorder);
    if (relative < 1e-3)
      EXPECT_TRUE(words.empty());
    else
      expect_says(words, "link 'weld' drifts: at t = 0.5 s its points are 0.0002 m off, 0.002 of");
  }
}

// --- lost bodies ---------------------------------------------------------------------------------

// A table at z = 0 and a ball, after one step.
Words lost_after_a_step(const Words& set) {
  const std::string text = R"(clack: 1
system:
  type: rigid-bodies
  gravity: [0, 0, -10]
  materials: {stone: {density: 1000}}
  bodies:
    - {name: table, shape: {box: {size: [1, 1, 0.2]}}, fixed: true}
    - {name: ball, shape: {sphere: {radius: 0.1}}, position: [3, 0, -5]}
simulation: {step: 1.0e-3, end: 1}
)";
  Words lost;
  for (const char* scheme : {"stewart-trinkle", "moreau-jean"}) {
    Words all = set;
    all.push_back(std::string("simulation.scheme=") + scheme);
    const Scene scene = parse_scene("scene", text, all);
    const auto run = make_run(scene, 1);
    EXPECT_EQ(run->step(), Status::converged);
    if (scheme == std::string("stewart-trinkle")) lost = run->lost_bodies();
    EXPECT_EQ(run->lost_bodies(), lost) << scheme;
  }
  return lost;
}

TEST(LostBodies, FallFarBelowAllThatCouldCatchThem) {
  EXPECT_EQ(lost_after_a_step({}), Words{"ball"});
  // The table's half extent is 0.71 m at most: ten sizes of the ball below that.
  EXPECT_EQ(lost_after_a_step({"system.bodies.1.position=[3, 0, -1.8]"}), Words{"ball"});
  EXPECT_TRUE(lost_after_a_step({"system.bodies.1.position=[3, 0, -0.9]"}).empty()) << "not far";
  EXPECT_TRUE(lost_after_a_step({"system.bodies.1.position=[3, 0, 5]"}).empty()) << "above";
  EXPECT_TRUE(lost_after_a_step({"system.bodies.1.velocity=[0, 0, 1]"}).empty()) << "rises";
}

TEST(LostBodies, AreNoneWhereBodiesAreMeantToFly) {
  EXPECT_TRUE(lost_after_a_step({"system.bodies.0.fixed=false"}).empty()) << "nothing is fixed";
  EXPECT_TRUE(lost_after_a_step({"system.gravity=[0, 0, 0]", "system.bodies.1.velocity=[0, 0, -1]"})
                  .empty())
      << "without gravity";
  EXPECT_TRUE(lost_after_a_step({"system.cell={period: [0, 0, 20]}"}).empty())
      << "a cell that is periodic along gravity";
  EXPECT_EQ(lost_after_a_step({"system.cell={period: [20, 0, 0]}"}), Words{"ball"});
}

TEST(LostBodies, AreNotThoseThatAFloorCatchesLater) {
  const std::string floor = "system.bodies.0.shape={plane: {normal: [0, 0, 1], offset: -100}}";
  EXPECT_TRUE(lost_after_a_step({floor}).empty());
  EXPECT_TRUE(lost_after_a_step({floor, "system.bodies.1.position=[0, 0, -150]"}).empty())
      << "below the floor it touches";
  EXPECT_EQ(lost_after_a_step({"system.bodies.0.shape={plane: {normal: [1, 0, 0], offset: 0}}"}),
            Words{"ball"})
      << "a wall catches nothing";
  EXPECT_EQ(lost_after_a_step({"system.bodies.0.shape={plane: {normal: [0, 0, -1], offset: 0}}"}),
            Words{"ball"})
      << "nor does a ceiling";
}

TEST(LostBodies, AreNotThoseThatAreNotThere) {
  EXPECT_TRUE(lost_after_a_step({"system.bodies.1.removed=5.0e-4"}).empty());
  EXPECT_TRUE(lost_after_a_step({"system.bodies.1.born=0.5"}).empty());
}

// --- failures ------------------------------------------------------------------------------------

// What a run says after the step that has no finite result.
std::string failure_of(const Scene& scene) {
  const auto run = make_run(scene, 1);
  Status status = Status::converged;
  while (!run->done() && status != Status::numerical_failure) status = run->step();
  EXPECT_EQ(status, Status::numerical_failure);
  return run->failure();
}

std::string system_failure(const std::string& rest, const Words& set = {}) {
  return failure_of(parse_scene("scene",
                                "clack: 1\nsystem:\n  type: lagrangian\n  coordinates: [x, y]\n" +
                                    rest + "simulation: {step: 0.01, end: 1}\n",
                                set));
}

TEST(Failure, NamesTheForceAndTheCoordinate) {
  const std::string kinetic = "  kinetic: 0.5*(x'^2 + y'^2)\n";
  EXPECT_EQ(system_failure(kinetic + "  forces: {y: sqrt(0.5 - t)}\n").find("the force on 'y' is"),
            0U);
  EXPECT_NE(system_failure(kinetic + "  dissipation: sqrt(0.5 - t)*x'^2\n")
                .find("the force on coordinate 'x' is not a number"),
            std::string::npos);
  EXPECT_EQ(system_failure(kinetic + "  potential: y*sqrt(0.5 - t)\n")
                .find("the force of the potential on 'y' is"),
            0U);
}

TEST(Failure, NamesTheEnergyWhereNoForceIsWrong) {
  EXPECT_EQ(system_failure("  kinetic: 0.5*(x'^2 + y'^2)\n  potential: sqrt(0.5 - t)\n")
                .find("the potential energy is"),
            0U);
}

TEST(Failure, NamesTheMatrixThatIsSingular) {
  const std::string words = system_failure("  kinetic: 0.5*(x'^2 + if(t < 0.5, 1, 0)*y'^2)\n");
  EXPECT_NE(words.find("singular"), std::string::npos) << words;
}

TEST(Failure, OfRigidBodiesNamesTheBody) {
  const std::string text = R"(clack: 1
system:
  type: rigid-bodies
  materials: {stone: {density: 1000}}
  bodies:
    - {name: wall, shape: plane, driven: {velocity: [0, 0, 0]}}
    - {name: ball, shape: {sphere: {radius: 0.1}}, position: [0, 0, 1]}
simulation: {step: 0.01, end: 1}
)";
  EXPECT_EQ(failure_of(parse_scene("scene", text, {"system.bodies.1.force=[sqrt(0.5 - t), 0, 0]"})),
            "between t = 0.5 s and 0.51 s body 'ball': its load or velocity is not finite");
  EXPECT_EQ(failure_of(parse_scene("scene", text,
                                   {"system.bodies.0.driven={velocity: [0, 0, sqrt(0.5 - t)]}"})),
            "between t = 0.5 s and 0.51 s body 'wall': its motion or path is not finite");
  const std::string by_scheme = failure_of(parse_scene(
      "scene", text,
      {"system.bodies.1.force=[sqrt(0.5 - t), 0, 0]", "simulation.scheme=moreau-jean"}));
  EXPECT_EQ(by_scheme.find("the force on 'ball: x' is"), 0U) << by_scheme;
}

}  // namespace
}  // namespace clack::test
