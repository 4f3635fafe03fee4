// The contract of the command line: exit status, streams, --set, --json, the progress bar.
#include <pty.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "clack/solve/vector_target.hpp"
#include "program.hpp"

namespace clack::test {
namespace {

using Json = nlohmann::json;

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// The summary of a run of the ball with the given assignments.
Json run_ball(const std::vector<std::string>& set) {
  const Folder folder;
  std::vector<std::string> arguments = {"run", folder.write("ball.yaml", kBall), "--json", "-o",
                                        folder.file("out")};
  for (const std::string& assignment : set) {
    arguments.insert(arguments.end(), {"--set", assignment});
  }
  const Outcome outcome = run_clack(arguments);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  return Json::parse(outcome.out);
}

// --- several errors ---

TEST(Errors, OfOneSceneAreReportedTogetherInTheOrderOfTheirPlaces) {
  const Folder folder;
  const std::string scene = folder.write("bad.yaml", R"(clack: 2
parameters: {m: 1, sin: 3}
system:
  type: linear
  M: [[m]]
  f: [-m*gg]
  contacts:
    - {G: [1, 2], e_n: 3}
initial: {q: [1], v: rest}
simulation: {step: 0, end: 1, tetha: 1}
)");
  for (const char* command : {"check", "run"}) {
    const Outcome outcome = run_clack({command, scene});
    EXPECT_EQ(outcome.status, 2);
    const std::vector<std::string> lines = lines_of(outcome.err);
    const std::vector<std::string> places = {":1:8: clack: ",
                                             ":2:20: parameters.sin: ",
                                             ":6:7: system.f.0: ",
                                             ":8:11: system.contacts.0.G: ",
                                             ":8:24: system.contacts.0.e_n: ",
                                             ":9:22: initial.v: ",
                                             ":10:20: simulation.step: ",
                                             ":10:31: simulation.tetha: "};
    ASSERT_EQ(lines.size(), places.size()) << outcome.err;
    for (std::size_t i = 0; i < places.size(); ++i) {
      EXPECT_TRUE(lines[i].starts_with(scene + places[i])) << lines[i] << "\nwants " << places[i];
    }
  }
}

TEST(Errors, OfTheSystemDoNotCauseMoreElsewhere) {
  const Folder folder;
  const std::string scene = folder.write("bad.yaml", R"(clack: 1
system: {type: lagrangian, coordinates: [x, x], kinetic: 0.5*x'^2}
initial: {q: [1, 2, 3], v: {y: 1}}
simulation: {step: 0.1, end: 1}
measures: [{of: 1}, {of: z}]
)");
  const Outcome outcome = run_clack({"check", scene});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_EQ(lines_of(outcome.err).size(), 1u) << outcome.err;
}

// --- --set ---

TEST(Set, ReplacesNumbersNestedValuesAndListEntries) {
  EXPECT_EQ(run_ball({})["steps"], 100);
  EXPECT_EQ(run_ball({"simulation.end=0.05"})["steps"], 5);
  EXPECT_EQ(run_ball({"simulation={step: 0.1, end: 1}"})["steps"], 10);
  EXPECT_EQ(run_ball({"simulation.end=5", "simulation.end=0.02"})["steps"], 2) << "the last wins";
  EXPECT_EQ(run_ball({"initial.q.1=100"})["impacts"]["floor"], 0);
  EXPECT_EQ(run_ball({"system.contacts.0.name=ground"})["impacts"].count("ground"), 1u);
  EXPECT_EQ(run_ball({"title=a = b"})["title"], "a = b");
}

TEST(Set, ReachesTheFormulasOfTheParameters) {
  const double light = run_ball({"parameters.m=1"})["energy"]["work_external"];
  const double heavy = run_ball({"parameters.m=2"})["energy"]["work_external"];
  EXPECT_GT(light, 1);
  EXPECT_NEAR(heavy, 2 * light, 1e-9 * heavy);
}

TEST(Set, LeavesAliasesOfTheValueAlone) {
  const Folder folder;
  const std::string scene = folder.write("scene.yaml", R"(clack: 1
system:
  type: linear
  M: &matrix [[1]]
  K: *matrix
initial: {q: [1]}
simulation: {step: 0.001, end: 1}
)");
  const Outcome outcome =
      run_clack({"run", scene, "-o", folder.file("out"), "--json", "--set", "system.K.0.0=4"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const Json energy = Json::parse(outcome.out)["energy"];
  EXPECT_NEAR(energy["kinetic"].get<double>() + energy["potential"].get<double>(), 2.0, 1e-6);
  EXPECT_NEAR(energy["kinetic"].get<double>(), 2 * std::pow(std::sin(2.0), 2), 1e-4) << "M is 1";
}

struct BadSet {
  std::string assignment;
  std::string message;  // after "--set ASSIGNMENT: "
};

TEST(Set, ErrorsNameTheAssignment) {
  const std::vector<BadSet> cases = {
      {"simulation.step=-1", "simulation.step: -1 is not allowed; it must be a number > 0"},
      {"simulation.step=[1, 2]",
       "simulation.step: expected a number > 0; found a list of 2 values"},
      {"simulation.step=", "simulation.step: expected a number > 0; found nothing"},
      {"simulation.stepp=1", "simulation.stepp: unknown key (did you mean 'step'?)"},
      {"wibble=1", "wibble: unknown key"},
      {"wibble.wobble=1", "wibble: unknown key"},
      {"parameters.sin=1", "parameters.sin: 'sin' cannot be a name"},
      {"system.contacts.0.mu=-1", "system.contacts.0.mu: '-1' is -1"},
      {"system.M.0.0=heavy", "system.M.0.0: unknown name 'heavy'"},
      {"system.contacts.1.mu=1", "'system.contacts' is a list of 1 entries, numbered from 0"},
      {"system.contacts.x=1", "'system.contacts' is a list of 1 entries, numbered from 0"},
      {"system.contacts.-1=1", "'system.contacts' is a list of 1 entries, numbered from 0"},
      {"simulation.step.size=1", "'simulation.step' is a single value and has no 'size'"},
      {"simulation.step", "expected path=value"},
      {"=1", "expected path=value"},
      {"simulation..step=1", "expected path=value"},
      {"simulation.step=[1", "the value is not valid YAML"},
      {"simulation.step=*a", "the value is not valid YAML"},
  };
  const Folder folder;
  const std::string scene = folder.write("scene.yaml", kBall);
  for (const BadSet& bad : cases) {
    const Outcome outcome = run_clack({"check", scene, "--set", bad.assignment});
    EXPECT_EQ(outcome.status, 2) << bad.assignment;
    EXPECT_TRUE(outcome.err.starts_with("--set " + bad.assignment + ": " + bad.message))
        << outcome.err << "wants: " << bad.message;
    EXPECT_EQ(lines_of(outcome.err).size(), 1u) << outcome.err;
  }
}

TEST(Set, LeavesThePlacesOfOtherErrorsAsTheyAre) {
  const Folder folder;
  std::string text = kBall;
  text.replace(text.find("step: 0.01"), 10, "stepp: 0.01");
  const std::string scene = folder.write("scene.yaml", text);
  const Outcome outcome = run_clack({"check", scene, "--set", "simulation.end=2"});
  const std::vector<std::string> lines = lines_of(outcome.err);
  ASSERT_EQ(lines.size(), 2u) << outcome.err;
  EXPECT_TRUE(lines[0].starts_with(scene + ":11:13: simulation.step: is missing")) << lines[0];
  EXPECT_TRUE(lines[1].starts_with(scene + ":11:14: simulation.stepp: unknown key")) << lines[1];
}

// --- exit status and streams ---

TEST(Usage, MistakesEndWithTwoAndSpeakOnStderr) {
  const std::vector<std::vector<std::string>> mistakes = {
      {},
      {"walk"},
      {"run"},
      {"check"},
      {"run", "a.yaml", "--wibble"},
      {"run", "a.yaml", "b.yaml"},
      {"run", "a.yaml", "-o"},
      {"check", "a.yaml", "--set"},
      {"list"},
      {"list", "wibbles"},
  };
  for (const std::vector<std::string>& arguments : mistakes) {
    const Outcome outcome = run_clack(arguments);
    EXPECT_EQ(outcome.status, 2) << testing::PrintToString(arguments);
    EXPECT_EQ(outcome.out, "") << testing::PrintToString(arguments);
    EXPECT_NE(outcome.err, "") << testing::PrintToString(arguments);
  }
}

TEST(Usage, HelpAndVersionEndWithZeroAndSpeakOnStdout) {
  for (const std::vector<std::string>& arguments : std::vector<std::vector<std::string>>{
           {"--help"}, {"run", "--help"}, {"check", "--help"}, {"--version"}}) {
    const Outcome outcome = run_clack(arguments);
    EXPECT_EQ(outcome.status, 0);
    EXPECT_NE(outcome.out, "");
    EXPECT_EQ(outcome.err, "");
  }
}

TEST(Check, FindsEveryExampleGood) {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(CLACK_SOURCE_DIR "/examples")) {
    if (entry.path().extension() != ".yaml") continue;
    ++count;
    const Outcome outcome = run_clack({"check", entry.path()});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_TRUE(has(outcome.out, ": good. ")) << outcome.out;
    EXPECT_EQ(outcome.err, "");
  }
  EXPECT_GT(count, 0);
}

TEST(Check, WritesNothing) {
  const Folder folder;
  const std::string scene = folder.write("scene.yaml", kBall);
  EXPECT_EQ(
      run_command(
          {"sh", "-c", "cd '" + folder.path().string() + "' && " CLACK_PROGRAM " check scene.yaml"})
          .status,
      0);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
}

TEST(List, PrintsTheNamesUsedInFilesWithAWordOnEach) {
  const std::vector<std::pair<std::string, std::vector<std::string>>> lists = {
      {"solvers", {"nsgs"}},
      {"schemes", {"moreau-jean", "statics"}},
      {"laws", {"newton", "coulomb", "rolling", "bilinear", "rod", "bilateral"}},
      {"shapes",
       {"sphere", "box", "polyhedron", "height-field", "polygon", "ring", "tube", "gear"}},
      {"targets", {vector_targets().back().name}}};
  for (const auto& [what, names] : lists) {
    const Outcome outcome = run_clack({"list", what});
    EXPECT_EQ(outcome.status, 0);
    EXPECT_EQ(outcome.err, "");
    for (const std::string& name : names)
      EXPECT_TRUE(has("\n" + outcome.out, "\n" + name + " ")) << outcome.out;
    for (const std::string& line : lines_of(outcome.out)) EXPECT_GT(line.size(), 20u) << line;
  }
}

TEST(List, SchemesAreThoseThatScenesAcceptOrRefuseWithAReason) {
  const Folder folder;
  const std::string scene = folder.write("scene.yaml", kBall);
  int count = 0;
  for (const std::string& line : lines_of(run_clack({"list", "schemes"}).out)) {
    if (line[0] == ' ') continue;
    ++count;
    const std::string set = "simulation.scheme=" + line.substr(0, line.find(' '));
    const Outcome outcome = run_clack({"check", scene, "--set", set});
    EXPECT_TRUE(outcome.status == 0 || has(outcome.err, "contact 'floor'")) << set << outcome.err;
  }
  EXPECT_GE(count, 16);
}

TEST(List, NamesAreThoseThatScenesAccept) {
  const Folder folder;
  const std::string ball = folder.write("scene.yaml", kBall);
  const std::string bodies = folder.write("bodies.yaml", kBodies);
  for (const std::string& line : lines_of(run_clack({"list", "solvers"}).out)) {
    if (line[0] == ' ') continue;  // an option
    const std::string name = line.substr(0, line.find(' ')), set = "solver={name: " + name + "}";
    const Outcome outcome = run_clack({"check", name == "bodies" ? bodies : ball, "--set", set});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
  }
}

// --- --json ---

TEST(JsonSummary, IsOneObjectAsTheLastLineWithTheFieldsOfTheContract) {
  const Folder folder;
  const std::string scene = folder.write("ball.yaml", kBall);
  const Outcome outcome = run_clack({"run", scene, "--json", "-o", folder.file("out")});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  const std::vector<std::string> lines = lines_of(outcome.out);
  ASSERT_FALSE(lines.empty());
  const Json summary = Json::parse(lines.back());
  for (const char* field : {"scene", "steps", "time", "status", "max_residual", "contacts_max",
                            "energy_error", "min_gap", "seconds", "seconds_by_stage"}) {
    EXPECT_TRUE(summary.contains(field)) << field;
  }
  EXPECT_EQ(summary["scene"], scene);
  EXPECT_EQ(summary["steps"], 100);
  EXPECT_EQ(summary["status"], "converged");
  EXPECT_NEAR(summary["time"].get<double>(), 1.0, 1e-12);
  EXPECT_EQ(summary["seconds_by_stage"].size(), 6u);
  EXPECT_EQ(summary, Json::parse(read_text(folder.path() / "out/summary.json")));
}

TEST(JsonSummary, IsValidForASceneWhoseNameIsNoUtf8) {
  const Folder folder;
  const std::string scene = folder.write("b\xff.yaml", kBall);
  const Outcome outcome = run_clack({"run", scene, "--json", "-o", folder.file("out")});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_TRUE(Json::accept(outcome.out)) << outcome.out;
}

TEST(Output, ThatCannotBeWrittenEndsWithThree) {
  const Folder folder;
  const std::string scene = folder.write("ball.yaml", kBall);
  const std::string command =
      CLACK_PROGRAM " run " + scene + " --json -o " + folder.file("out") + " > /dev/full";
  const Outcome outcome = run_command({"sh", "-c", command});
  EXPECT_EQ(outcome.status, 3) << outcome.err;
  EXPECT_NE(outcome.err, "");
}

// --- progress ---

// A run of about a second.
std::vector<std::string> long_run(const Folder& folder) {
  return {CLACK_PROGRAM,      "run",   folder.write("ball.yaml", kBall), "-o",
          folder.file("out"), "--set", "simulation.step=1e-6",           "--set",
          "output.every=1000"};
}

std::string run_on_terminal(const std::vector<std::string>& command) {
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  int terminal = -1;
  const pid_t child = forkpty(&terminal, nullptr, nullptr, nullptr);
  if (child == 0) {
    execv(words[0], words.data());
    _exit(kNoProgram);
  }
  std::string text;
  char buffer[4096];
  for (ssize_t n = 0; (n = read(terminal, buffer, sizeof buffer)) > 0;)
    text.append(buffer, static_cast<std::size_t>(n));
  close(terminal);
  EXPECT_EQ(Process{child}.wait(), 0) << text;
  return text;
}

TEST(Progress, OnATerminalShowsABarWithRateAndTimeLeft) {
  const Folder folder;
  const std::string text = run_on_terminal(long_run(folder));
  EXPECT_TRUE(has(text, "[=")) << text;
  EXPECT_TRUE(has(text, "steps/s")) << text;
  EXPECT_TRUE(has(text, " left")) << text;
  EXPECT_TRUE(has(text, " %")) << text;
  const std::size_t summary = text.find("steps of 1e-06 s");
  ASSERT_NE(summary, std::string::npos) << text;
  EXPECT_GT(summary, text.rfind("steps/s")) << "the bar is gone when the summary comes";
}

TEST(Progress, InAPipeIsSilent) {
  const Folder folder;
  std::string command;
  for (const std::string& word : long_run(folder)) command += "'" + word + "' ";
  const Outcome outcome = run_command({"sh", "-c", command + " 2>&1 | cat"}, 10 * kTimeLimit);
  EXPECT_EQ(outcome.status, 0);
  EXPECT_TRUE(has(outcome.out, "steps of 1e-06 s")) << outcome.out;
  EXPECT_FALSE(has(outcome.out, "steps/s")) << outcome.out;
  EXPECT_FALSE(has(outcome.out, "\r")) << outcome.out;
  EXPECT_FALSE(has(outcome.out, "\x1b")) << outcome.out;
}

}  // namespace
}  // namespace clack::test
