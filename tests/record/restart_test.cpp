// Runs that were broken off and taken up again: the same file and the same figures as in one go.
#include <gtest/gtest.h>

#include <cstring>
#include <set>

#include "clack/core/error.hpp"
#include "clack/integrate/scheme.hpp"
#include "tests/record/record_support.hpp"

namespace clack::test {
namespace {

using nlohmann::json;

bool same_bits(const RowMatrix& x, const RowMatrix& y) {
  return x.rows() == y.rows() && x.cols() == y.cols() &&
         (x.size() == 0 || std::memcmp(x.data(), y.data(),
                                       static_cast<std::size_t>(x.size()) * sizeof(double)) == 0);
}

// All numbers of two files but the wall clock.
void expect_same_files(const std::filesystem::path& one, const std::filesystem::path& other) {
  const ResultsReader a((one / "results.h5").string()), b((other / "results.h5").string());
  ASSERT_EQ(a.rows(), b.rows());
  const std::set<std::string> groups = {
      "/energy", "/solver", "/contacts", "/contacts/law", "/events", "/measures", "/sample",
      "/joints", "/bodies", "/shapes",   "/world",        "/model",  "/restart"};
  const std::set<std::string> texts = {"/joints/name", "/joints/kind", "/joints/coordinate_name",
                                       "/joints/coordinate_unit"};
  long compared = 0;
  for (const char* group : {"", "/energy", "/solver", "/contacts", "/contacts/law", "/events",
                            "/measures", "/sample", "/joints", "/restart"}) {
    const std::vector<std::string> members = a.members(group[0] ? group : "/");
    ASSERT_EQ(members, b.members(group[0] ? group : "/")) << group;
    for (const std::string& name : members) {
      const std::string path = std::string(group) + "/" + name;
      if (groups.contains(path) || path == "/solver/seconds" || texts.contains(path)) continue;
      EXPECT_TRUE(same_bits(a.matrix(path), b.matrix(path))) << path;
      ++compared;
    }
  }
  EXPECT_GT(compared, 20);
}

void expect_same_summaries(json a, json b) {
  for (const char* timed : {"seconds", "seconds_by_stage"}) {
    a.erase(timed);
    b.erase(timed);
  }
  EXPECT_EQ(a, b);
}

// In one go; and broken off after each of these numbers of steps.
json expect_resumed(const Scene& scene, const std::vector<long>& parts) {
  const Folder folder;
  const json whole = run_scene(scene, folder.file("whole"));
  for (const long steps : parts) run_scene(scene, folder.file("parts"), steps, true);
  const json last = run_scene(scene, folder.file("parts"), -1, true);
  expect_same_files(folder.file("whole"), folder.file("parts"));
  expect_same_summaries(whole, last);
  return whole;
}

TEST(Restart, GivesTheSameFileWhereverASystemIsBrokenOff) {
  for (const char* every : {"1", "7", "1000"}) {
    const json summary =
        expect_resumed(scene_with({std::string("output.every=") + every}), {1, 13, 21, 20});
    EXPECT_GT(summary["events"]["impact"], 2);
  }
}

TEST(Restart, GivesTheSameFileUnderEverySchemeThatCanBeTakenUp) {
  for (const SchemeInfo& scheme : scheme_list()) {
    if (scheme.name == "event-driven" || scheme.name == "statics") continue;
    SCOPED_TRACE(scheme.name);
    std::vector<std::string> set = {"simulation.scheme=" + std::string(scheme.name),
                                    "output.every=3"};
    if (scheme.name == "theta-xi" || scheme.name == "semi-implicit-3" ||
        scheme.name == "central-differences")
      set.push_back("system.contacts.0.e_n=0");
    expect_resumed(scene_with(set), {10, 31});
  }
}

// Three masses in a heap with too few sweeps: near misses, failures and figures of all kinds.
TEST(Restart, TakesUpTheCountsOfMissesAndFailures) {
  const char* const heap = R"(clack: 1
system:
  type: linear
  M: [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
  f: [-10, -10, -10]
  contacts:
    - {name: floor, G: [1, 0, 0]}
    - {name: lower, G: [-1, 1, 0], g0: -0.1}
    - {name: upper, G: [0, -1, 1], g0: -0.1}
initial: {q: [0, 0.1, 0.2]}
simulation: {step: 1.0e-3, end: 0.06}
solver: {name: nsgs, max_iterations: 6, tolerance: 1.0e-8}
output: {every: 4}
)";
  const Scene scene = parse_scene("scene", heap);
  const json summary = expect_resumed(scene, {9, 11});
  EXPECT_GT(summary["failed_steps"], 0);
  EXPECT_GT(summary["near_misses"], 0);
  EXPECT_NE(summary["status"], "converged");
  ASSERT_TRUE(summary.contains("first_failure"));
  EXPECT_EQ(summary["first_failure"]["time"], 1e-3);
}

constexpr const char* kBodies = R"(clack: 1
system:
  type: rigid-bodies
  gravity: [0, 0, -10]
  materials: {stone: {density: 1000, mu: 0.4, e_n: 0.3}}
  bodies:
    - {name: floor, shape: plane, fixed: true}
    - {name: a, shape: {sphere: {radius: 0.1}}, position: [0, 0, 0.11], velocity: [1, 0, 0]}
    - {name: b, shape: {box: {size: [0.2, 0.2, 0.2]}}, position: [0.5, 0.02, 0.3], spin: [1, 2, 0]}
    - {name: c, shape: {sphere: {radius: 0.1}}, position: [0.52, 0, 0.6]}
  links: [{name: weld, bodies: [a, c], point: [0.2, 0, 0.4], link: {law: glue, strength_n: 1.0e9}}]
simulation: {step: 2.0e-3, end: 0.4}
output: {every: 5}
measures: [{name: height, of: b_z, take: min}]
)";

TEST(Restart, GivesTheSameFileOfRigidBodiesWithLinks) {
  const json summary = expect_resumed(parse_scene("scene", kBodies), {5, 42, 20});
  EXPECT_GT(summary["events"]["impact"], 1);
  EXPECT_GT(summary["drift"]["largest"], 0);
}

TEST(Restart, OfAnUntouchedFolderIsAStart) {
  const Folder folder;
  const Scene scene = scene_with();
  run_scene(scene, folder.file("whole"));
  run_scene(scene, folder.file("fresh"), -1, true);
  expect_same_files(folder.file("whole"), folder.file("fresh"));
}

TEST(Restart, OfARunThatIsDoneChangesNothing) {
  const Folder folder;
  const Scene scene = scene_with();
  const json whole = run_scene(scene, folder.file("whole"));
  const std::string before = read_text(folder.file("whole/results.h5"));
  const json again = run_scene(scene, folder.file("whole"), -1, true);
  expect_same_summaries(whole, again);
  const ResultsReader file(folder.file("whole/results.h5"));
  EXPECT_EQ(file.rows(), 101);
}

template <class Function>
std::string refusal(Function run) {
  try {
    run();
  } catch (const InputError& error) {
    return error.what();
  }
  return "nothing was refused";
}

TEST(Restart, OfAnotherSceneOrOtherSettingsIsRefused) {
  const Folder folder;
  run_scene(scene_with(), folder.file("run"), 10);
  const std::string kept = read_text(folder.file("run/results.h5"));
  for (const char* other : {"simulation.step=5e-3", "solver.tolerance=1e-3", "output.every=2"}) {
    const Scene scene = scene_with({other});
    EXPECT_NE(refusal([&] {
                run_scene(scene, folder.file("run"), -1, true);
              }).find("--resume needs the same"),
              std::string::npos)
        << other;
  }
  EXPECT_EQ(read_text(folder.file("run/results.h5")), kept);
  const Scene longer = scene_with({"simulation.end=1.5"});
  EXPECT_EQ(run_scene(longer, folder.file("run"), -1, true)["steps"], 150) << "but for the end";
}

TEST(Restart, IsRefusedWhereARunCannotBeTakenUp) {
  const Folder folder;
  for (const char* set : {"simulation.scheme=event-driven", "simulation.adaptive={}"}) {
    const Scene scene = scene_with({set});
    const std::filesystem::path out = folder.file(set);
    run_scene(scene, out, 3);
    EXPECT_NE(refusal([&] { run_scene(scene, out, -1, true); }).find("cannot be taken up again"),
              std::string::npos)
        << set;
  }
}

// The numbers alone, of a run that holds nothing else.
TEST(Restart, TakesUpAllFiguresOfTheRecorder) {
  const Folder folder;
  const Scene scene = scene_with();
  std::vector<ScriptedStep> steps(4);
  steps[0] = with_status(Status::stagnated, {{3e-8, 1e-8}});
  steps[1] = with_status(Status::time_limit, {{1, 1e-8}});
  steps[1].place = {8, 9};
  steps[1].report.residual = 1e-3;
  steps[1].report.residual_scaled = 2e-3;
  steps[1].report.velocity_error = 3e-3;
  steps[2].contacts = 5;
  steps[2].gap = -0.5;
  steps[2].drift = {0.1, 0.2, 3};
  steps[2].energy.kinetic = 7;
  steps[2].energy.potential = -3;
  steps[2].energy.work_impact = 600;
  steps[3].energy.potential = 4;
  EventRow event;
  event.kind = EventKind::slip;
  steps[3].events = {event, event};
  ScriptedRun run(steps);
  Recorder recorder(scene, run, folder.file("results.h5"));
  record_all(run, recorder);
  ScriptedRun again(steps);
  const ResultsReader old(folder.file("results.h5"));
  const Recorder resumed(scene, again, folder.file("results.h5"), old);
  const RunFigures &x = recorder.figures(), &y = resumed.figures();
  EXPECT_EQ(again.steps(), 4);
  EXPECT_EQ(y.max_residual, 1e-3);
  EXPECT_EQ(y.max_residual_scaled, 2e-3);
  EXPECT_EQ(y.max_velocity_error, 3e-3);
  EXPECT_EQ(y.contacts_max, 5);
  EXPECT_EQ(y.min_gap, -0.5);
  EXPECT_EQ(y.failed_steps, 1);
  EXPECT_EQ(y.first_failure, Status::time_limit);
  EXPECT_EQ(y.first_failure_time, 1);
  EXPECT_EQ(y.first_failure_at.second, 9);
  EXPECT_EQ(y.first_failure_place, "place 8");
  EXPECT_EQ(y.near_misses, 1);
  EXPECT_EQ(y.near_miss_worst, x.near_miss_worst);
  EXPECT_EQ(y.drift.distance, 0.1);
  EXPECT_EQ(y.drift.relative, 0.2);
  EXPECT_EQ(y.drift.link, 3);
  EXPECT_EQ(y.drift_time, 1.5);
  EXPECT_EQ(y.gain_steps, 1);
  EXPECT_EQ(y.gain_work, 600);
  EXPECT_EQ(y.kinetic_max, 7);
  EXPECT_EQ(y.potential_low, -3);
  EXPECT_EQ(y.potential_high, 4);
  EXPECT_EQ(y.excess_work, x.excess_work);
  EXPECT_EQ(y.excess_time, x.excess_time);
  EXPECT_GT(y.excess_work, 0);
  EXPECT_EQ(y.events, x.events);
  EXPECT_EQ(resumed.ledger().totals().work_impact, 600);
  EXPECT_EQ(resumed.ledger().scale(), recorder.ledger().scale());
  EXPECT_EQ(resumed.measures().result(0).value, recorder.measures().result(0).value);
}

}  // namespace
}  // namespace clack::test
