// What a run leaves on the disk: when it ends well, badly, or not at all.
#include <sys/stat.h>

#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>

#include "clack/integrate/scheme.hpp"
#include "clack/io/results/results_reader.hpp"
#include "program.hpp"

namespace clack::test {
namespace {

void expect_finite(const std::vector<double>& values, const char* what) {
  for (double value : values) ASSERT_TRUE(std::isfinite(value)) << what;
}

// Every array has the length of /time and holds finite values.
void expect_consistent(const ResultsReader& reader) {
  const auto n = static_cast<std::size_t>(reader.rows());
  const std::vector<double> time = reader.time();
  ASSERT_EQ(time.size(), n);
  for (std::size_t k = 1; k < n; ++k) ASSERT_GT(time[k], time[k - 1]);
  ASSERT_EQ(reader.q().rows(), reader.rows());
  ASSERT_EQ(reader.v().rows(), reader.rows());
  ASSERT_TRUE(reader.q().allFinite());
  ASSERT_TRUE(reader.v().allFinite());
  const EnergyColumns energy = reader.energy();
  for (const std::vector<double>* column :
       {&energy.kinetic, &energy.potential, &energy.work_external, &energy.work_damping,
        &energy.work_contact, &energy.work_impact, &energy.work_friction, &energy.work_bond,
        &energy.numerical}) {
    ASSERT_EQ(column->size(), n);
    expect_finite(*column, "energy");
  }
  const SolverColumns solver = reader.solver();
  ASSERT_EQ(solver.status.size(), n);
  expect_finite(solver.residual, "residual");
  const ContactColumns contacts = reader.contacts();
  ASSERT_EQ(contacts.offset.size(), n + 1);
  for (std::size_t k = 0; k < n; ++k) ASSERT_LE(contacts.offset[k], contacts.offset[k + 1]);
  ASSERT_EQ(contacts.gap.size(), static_cast<std::size_t>(contacts.offset[n]));
  expect_finite(contacts.gap, "gap");
  ASSERT_TRUE(contacts.r.allFinite());
  ASSERT_TRUE(contacts.u.allFinite());
  const EventColumns events = reader.events();
  ASSERT_EQ(events.offset.size(), n + 1);
  for (std::size_t k = 0; k < n; ++k) ASSERT_LE(events.offset[k], events.offset[k + 1]);
  ASSERT_EQ(events.time.size(), static_cast<std::size_t>(events.offset[n]));
  for (double t : events.time) ASSERT_LE(t, time.back() * (1 + 1e-12)) << "of a later row";
}

TEST(KilledRun, LeavesAReadableFileAtAnyMoment) {
  const Folder folder;
  const std::string scene = folder.write("ball.yaml", kBall);
  std::int64_t most_rows = 0;
  for (int moment = 0; moment < 15; ++moment) {
    const std::string out = folder.file("out" + std::to_string(moment));
    const Process process = start({CLACK_PROGRAM, "run", scene, "-o", out, "--set",
                                   "simulation.step=1e-5", "--set", "simulation.end=1e4"},
                                  folder.file("stdout"), folder.file("stderr"));
    while (!std::filesystem::exists(out + "/results.h5")) {
      int status = 0;
      ASSERT_FALSE(process.finished(status)) << read_text(folder.file("stderr"));
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(17 * moment));
    while (moment == 14 && ResultsReader(out + "/results.h5").rows() <= 100)
      std::this_thread::sleep_for(std::chrono::milliseconds(5));  // at least one kill amid the work
    process.kill_now();
    ASSERT_EQ(process.wait(), -SIGKILL);
    const ResultsReader reader(out + "/results.h5");
    expect_consistent(reader);
    EXPECT_FALSE(std::filesystem::exists(out + "/summary.json")) << "a killed run has no summary";
    most_rows = std::max(most_rows, reader.rows());
  }
  EXPECT_GT(most_rows, 100) << "the kills came before any work";
}

void expect_same(const RowMatrix& x, const RowMatrix& y, const char* what) {
  ASSERT_EQ(x.rows(), y.rows()) << what;
  ASSERT_EQ(x.cols(), y.cols()) << what;
  if (x.size() == 0) return;
  EXPECT_EQ(std::memcmp(x.data(), y.data(), static_cast<std::size_t>(x.size()) * sizeof(double)), 0)
      << what;
}

void expect_same(const std::vector<double>& x, const std::vector<double>& y, const char* what) {
  ASSERT_EQ(x.size(), y.size()) << what;
  EXPECT_EQ(std::memcmp(x.data(), y.data(), x.size() * sizeof(double)), 0) << what;
}

void expect_same_contacts(const ContactColumns& x, const ContactColumns& y) {
  EXPECT_EQ(x.offset, y.offset);
  EXPECT_EQ(x.id, y.id);
  EXPECT_EQ(x.body_a, y.body_a);
  EXPECT_EQ(x.body_b, y.body_b);
  EXPECT_EQ(x.status, y.status);
  expect_same(x.gap, y.gap, "contacts/gap");
  expect_same(x.point, y.point, "contacts/point");
  expect_same(x.normal, y.normal, "contacts/normal");
  expect_same(x.r, y.r, "contacts/r");
  expect_same(x.u, y.u, "contacts/u");
}

TEST(SameScene, GivesBitwiseTheSameResults) {
  for (const char* name : {"bouncing_ball", "woodpecker"}) {
    const std::string scene = std::string(CLACK_SOURCE_DIR "/examples/") + name + ".yaml";
    if (!std::filesystem::exists(scene)) continue;
    const Folder folder;
    for (const char* out : {"a", "b"}) {
      const Outcome outcome =
          run_clack({"run", scene, "-o", folder.file(out), "--set", "simulation.end=0.6"}, 60);
      ASSERT_EQ(outcome.status, 0) << outcome.err;
    }
    const ResultsReader a(folder.file("a/results.h5")), b(folder.file("b/results.h5"));
    ASSERT_GT(a.rows(), 100);
    EXPECT_EQ(a.attributes(), b.attributes());
    expect_same(a.time(), b.time(), "time");
    expect_same(a.q(), b.q(), "q");
    expect_same(a.v(), b.v(), "v");
    for (const char* column :
         {"kinetic", "potential", "work_external", "work_damping", "work_contact", "work_impact",
          "work_friction", "work_bond", "numerical"}) {
      expect_same(a.matrix(std::string("/energy/") + column),
                  b.matrix(std::string("/energy/") + column), column);
    }
    EXPECT_EQ(a.solver().iterations, b.solver().iterations);
    EXPECT_EQ(a.solver().status, b.solver().status);
    expect_same(a.solver().residual, b.solver().residual, "solver/residual");
    expect_same(a.solver().residual_scaled, b.solver().residual_scaled, "solver/residual_scaled");
    expect_same_contacts(a.contacts(), b.contacts());
  }
}

TEST(Results, OfAGoodRunAreConsistentAndHoldTheScene) {
  const Folder folder;
  const std::string scene =
      folder.write("ball.yaml", kBall + "# µ\n" + std::string(200'000, '#') + "\n");
  const Outcome outcome =
      run_clack({"run", scene, "-o", folder.file("out"), "--set", "parameters.m=2"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const ResultsReader reader(folder.file("out/results.h5"));
  expect_consistent(reader);
  EXPECT_EQ(reader.rows(), 101);
  EXPECT_EQ(reader.attributes().at("scene"), read_text(scene));
  const auto options = nlohmann::json::parse(reader.attributes().at("options"));
  EXPECT_EQ(options["set"][0], "parameters.m=2");
  EXPECT_EQ(reader.q_names(), (std::vector<std::string>{"x", "y"}));
}

TEST(Results, HoldAllOptionsInEffectAndSoDoesTheSummary) {
  const Folder folder;
  const std::string scene = folder.write("ball.yaml", kBall);
  const Outcome outcome =
      run_clack({"run", scene, "-o", folder.file("out"), "--set", "simulation.theta=0.75", "--set",
                 "solver={name: nsgs, time_limit: 5, relaxation: 1.25, order: shuffle}"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const ResultsReader reader(folder.file("out/results.h5"));
  const auto options = nlohmann::json::parse(reader.attributes().at("options"));
  for (const OptionInfo& option : SchemeOptions::table())
    EXPECT_TRUE(options.contains(std::string(option.name))) << option.name;
  EXPECT_EQ(options["theta"], 0.75);
  EXPECT_EQ(options["rho_inf"], nullptr);
  EXPECT_EQ(options["constraints"], "velocity");
  EXPECT_EQ(options["max_events"], 10000);
  EXPECT_EQ(options["solver_tolerance"], 1e-12);
  EXPECT_EQ(options["solver_time_limit"], 5);
  const auto& own = options["solver_options"];
  EXPECT_EQ(own["relaxation"], 1.25);
  EXPECT_EQ(own["order"], "shuffle");
  EXPECT_EQ(own["check_every"], 4);  // by default
  EXPECT_EQ(own.size(), own_options("nsgs").size());
  const auto summary = nlohmann::json::parse(read_text(folder.file("out/summary.json")));
  EXPECT_EQ(summary["options"], options);
}

// x'' = 1e6 x grows without bound until the numbers end.
const std::string kBlowUp = R"(clack: 1
system: {type: linear, M: [[1]], K: [[-1.0e+6]]}
initial: {q: [1]}
simulation: {step: 0.0001, end: 2}
)";

TEST(Results, OfAdaptiveStepsStandAtTheirOwnTimes) {
  const Folder folder;
  const std::string scene = folder.write("ball.yaml", kBall);
  const Outcome outcome =
      run_clack({"run", scene, "-o", folder.file("out"), "--json", "--set", "simulation.end=2",
                 "--set", "simulation.adaptive={tolerance: 1e-5, max_penetration: 1e-6}"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const nlohmann::json summary = nlohmann::json::parse(outcome.out);
  const ResultsReader reader(folder.file("out") + "/results.h5");
  expect_consistent(reader);
  const std::vector<double> time = reader.time();
  double shortest = HUGE_VAL, longest = 0;
  for (std::size_t k = 1; k < time.size(); ++k) {
    shortest = std::min(shortest, time[k] - time[k - 1]);
    longest = std::max(longest, time[k] - time[k - 1]);
  }
  EXPECT_EQ(time.back(), 2);
  const nlohmann::json& adaptive = summary["adaptive"];
  EXPECT_EQ(adaptive["accepted"].get<std::size_t>(), time.size() - 1);
  EXPECT_EQ(summary["steps"], adaptive["accepted"]);
  EXPECT_GE(adaptive["rejected"].get<long>(), 0);
  EXPECT_EQ(adaptive["forced"].get<long>(), 0);
  EXPECT_NEAR(adaptive["h_smallest"].get<double>() / shortest, 1, 1e-6);
  EXPECT_NEAR(adaptive["h_largest"].get<double>() / longest, 1, 1e-6);
  EXPECT_LT(shortest, 1e-3 * longest);
  EXPECT_GE(summary["min_gap"].get<double>(), -1e-6);
  EXPECT_LT(summary["energy_error"].get<double>(), 1e-12);
  const EnergyColumns energy = reader.energy();
  EXPECT_NEAR(
      energy.kinetic.back() + energy.potential.back() - energy.kinetic[0] - energy.potential[0],
      energy.work_external.back() + energy.work_damping.back() + energy.work_contact.back() +
          energy.work_impact.back() + energy.work_friction.back() + energy.numerical.back(),
      1e-10);
}

TEST(NumericalFailure, EndsWithOneAndKeepsTheRowsComputed) {
  const Folder folder;
  const std::string scene = folder.write("scene.yaml", kBlowUp);
  const Outcome outcome = run_clack({"run", scene, "-o", folder.file("out"), "--json"});
  EXPECT_EQ(outcome.status, 1) << outcome.err;
  const auto summary = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(summary["status"], "numerical_failure") << outcome.out;
  EXPECT_LT(summary["steps"], 20000);
  EXPECT_TRUE(std::filesystem::exists(folder.file("out/summary.json")));
  const ResultsReader reader(folder.file("out/results.h5"));
  ASSERT_GT(reader.rows(), 1000);
  EXPECT_TRUE(reader.q().topRows(reader.rows() - 1).allFinite());
  EXPECT_TRUE(reader.v().topRows(reader.rows() - 1).allFinite());
  EXPECT_EQ(reader.solver().status.front(), 0);
  EXPECT_NE(reader.solver().status.back(), 0) << "the row of the failure says so";
}

TEST(NumericalFailure, InWordsSaysWhenItHappened) {
  const Folder folder;
  const std::string scene = folder.write("scene.yaml", kBlowUp);
  const Outcome outcome = run_clack({"run", scene, "-o", folder.file("out")});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_NE(outcome.out.find("FAILED"), std::string::npos) << outcome.out;
  // Energies grow with the square of the motion and end first.
  EXPECT_NE(outcome.out.find("the step to t = 0.3488 s"), std::string::npos) << outcome.out;
}

void expect_io_failure(const Outcome& outcome, const std::string& words) {
  EXPECT_EQ(outcome.status, 3) << outcome.err;
  EXPECT_NE(outcome.err.find(words), std::string::npos) << outcome.err;
  EXPECT_EQ(lines_of(outcome.err).size(), 1u) << outcome.err;
}

TEST(OutputFolder, ThatCannotBeMadeIsNamed) {
  const Folder folder;
  const std::string scene = folder.write("scene.yaml", kBall);
  expect_io_failure(run_clack({"run", scene, "-o", scene}), scene + ": cannot be made");
  expect_io_failure(run_clack({"run", scene, "-o", scene + "/out"}),
                    scene + "/out: cannot be made");
}

TEST(OutputFolder, ThatCannotBeWrittenIsNamed) {
  const Folder folder;
  std::filesystem::permissions(folder.path(), std::filesystem::perms(0755));
  const std::string scene = folder.write("scene.yaml", kBall);
  const std::string out = folder.file("out");
  std::filesystem::create_directory(out);
  chmod(out.c_str(), 0555);
  const Outcome outcome =
      run_command({CLACK_PROGRAM, "run", scene, "-o", out}, kTimeLimit, geteuid() == 0);
  if (outcome.status == kNoProgram) GTEST_SKIP() << "the program is not open to other users";
  expect_io_failure(outcome, out + "/results.h5");
  EXPECT_NE(outcome.err.find("Permission denied"), std::string::npos) << outcome.err;
  EXPECT_TRUE(std::filesystem::is_empty(out));
}

TEST(OutputFolder, WithAFolderInThePlaceOfAFileIsNamed) {
  const Folder folder;
  const std::string scene = folder.write("scene.yaml", kBall);
  std::filesystem::create_directories(folder.file("a/summary.json/x"));
  expect_io_failure(run_clack({"run", scene, "-o", folder.file("a")}), "summary.json");
  std::filesystem::create_directories(folder.file("b/results.h5/x"));
  expect_io_failure(run_clack({"run", scene, "-o", folder.file("b")}), "results.h5");
}

TEST(OutputFolder, OfARefusedSceneKeepsTheOldResults) {
  const Folder folder;
  const std::string scene = folder.write("scene.yaml", kBall);
  const std::vector<std::string> good = {"run", scene, "-o", folder.file("out")};
  ASSERT_EQ(run_clack(good).status, 0);
  std::vector<std::string> bad = good;
  bad.insert(bad.end(), {"--set", "simulation.step=-1"});
  EXPECT_EQ(run_clack(bad).status, 2);
  EXPECT_TRUE(std::filesystem::exists(folder.file("out/summary.json")));
  EXPECT_EQ(ResultsReader(folder.file("out/results.h5")).rows(), 101);
}

TEST(OutputFolder, OfARunWithManyStepsIsNotFilledBeforehand) {
  const Folder folder;
  const std::string scene = folder.write("scene.yaml", kBall);
  const Process process =
      start({CLACK_PROGRAM, "run", scene, "-o", folder.file("out"), "--set", "simulation.end=9e9"},
            folder.file("stdout"), folder.file("stderr"));
  int status = 0;
  while (!std::filesystem::exists(folder.file("out/results.h5"))) {
    ASSERT_FALSE(process.finished(status)) << status << read_text(folder.file("stderr"));
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  EXPECT_FALSE(process.finished(status)) << status << read_text(folder.file("stderr"));
  process.kill_now();
  process.wait();
  struct stat info {};
  ASSERT_EQ(stat(folder.file("out/results.h5").c_str(), &info), 0);
  EXPECT_LT(info.st_blocks * 512, 1'000'000'000) << "bytes on the disk";
  expect_consistent(ResultsReader(folder.file("out/results.h5")));
}

}  // namespace
}  // namespace clack::test
