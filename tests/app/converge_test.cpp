// clack converge: orders, references, files, failed runs and messages.
#include <cmath>
#include <nlohmann/json.hpp>

#include "program.hpp"

namespace clack::test {
namespace {

using Json = nlohmann::json;

// x'' = -4 x from x = 1, with its closed form.
const std::string kOscillator = R"(clack: 1
title: Oscillator
system: {type: linear, coordinates: [x], M: [[1]], K: [[4]]}
initial: {q: [1]}
simulation: {step: 0.01, end: 3}
exact: {q: {x: cos(2*t)}}
)";

struct Study {
  Outcome outcome;
  Json json;
};

class Converge : public testing::Test {
 protected:
  std::vector<std::string> command(const std::string& scene, std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"converge", scene, "-o", folder_.file("out")});
    return arguments;
  }
  // Runs with --json and reads it.
  Study study(const std::string& scene, std::vector<std::string> arguments) {
    arguments.push_back("--json");
    Study result{run_clack(command(scene, arguments), 60), {}};
    result.json = Json::parse(result.outcome.out, nullptr, false);
    EXPECT_FALSE(result.json.is_discarded()) << result.outcome.out << result.outcome.err;
    return result;
  }
  std::string oscillator() { return folder_.write("oscillator.yaml", kOscillator); }
  std::string message(const std::string& scene, const std::vector<std::string>& arguments,
                      int status = 2) {
    const Outcome outcome = run_clack(command(scene, arguments));
    EXPECT_EQ(outcome.status, status) << outcome.out << outcome.err;
    EXPECT_EQ(lines_of(outcome.err).size(), 1u) << outcome.err;
    EXPECT_FALSE(std::filesystem::exists(folder_.file("out"))) << "refused input leaves a folder";
    return outcome.err;
  }

  Folder folder_;
};

const std::string kExamples = CLACK_SOURCE_DIR "/examples/";

TEST_F(Converge, FindsSecondOrderOnASmoothMotionInEveryNorm) {
  const std::string scene = oscillator();
  for (const char* norm : {"L1", "Lp:2", "max", "Hausdorff", "Hausdorff:0.5"}) {
    const Study s = study(scene, {"--schemes", "moreau-jean,moreau-midpoint", "--steps",
                                  "0.05,0.02,0.01,0.005", "--norm", norm});
    EXPECT_EQ(s.outcome.status, 0) << s.outcome.err;
    ASSERT_EQ(s.json["schemes"].size(), 2u);
    for (const Json& scheme : s.json["schemes"]) {
      EXPECT_NEAR(scheme["order"].get<double>(), 2, 0.03) << norm;
      EXPECT_LT(scheme["order_half_width"].get<double>(), 0.1) << norm;
      EXPECT_EQ(scheme["runs"].size(), 4u);
    }
  }
}

// What is observed are the velocities of bodies, whatever the coordinates are.
TEST_F(Converge, FindsSecondOrderOfBodiesInJointCoordinates) {
  const Study s = study(kExamples + "double_pendulum.yaml",
                        {"--set", "system.coordinates=joints", "--set", "simulation.end=0.5",
                         "--schemes", "moreau-jean", "--steps", "2e-2:5e-3:3"});
  EXPECT_EQ(s.outcome.status, 0) << s.outcome.err;
  EXPECT_NEAR(s.json["schemes"][0]["order"].get<double>(), 2, 0.1);
}

TEST_F(Converge, FindsTheErrorThatFollowsFromTheSchemesKnownFrequency) {
  // Moreau-Jean with theta = 1/2 turns by 2 atan(w h/2) a step and keeps the amplitude.
  const Study s =
      study(oscillator(), {"--schemes", "moreau-jean", "--steps", "0.1", "--observe", "x"});
  double sum = 0;
  for (int k = 1; k <= 30; ++k)
    sum += 0.1 * std::abs(std::cos(2 * k * std::atan(0.1)) - std::cos(0.2 * k));
  EXPECT_NEAR(s.json["schemes"][0]["runs"][0]["error"].get<double>(), sum, 1e-12);
  EXPECT_EQ(s.json["observed"], Json::array({"x"}));
}

TEST_F(Converge, FindsFirstOrderThroughImpactsInL1AndHausdorff) {
  for (const char* norm : {"L1", "Hausdorff"}) {
    const Study s = study(kExamples + "impacting_oscillator_offset.yaml",
                          {"--schemes", "moreau-jean", "--steps", "1e-2:2e-4:16", "--set",
                           "simulation.end=5", "--norm", norm});
    EXPECT_EQ(s.outcome.status, 0) << s.outcome.err;
    EXPECT_NEAR(s.json["schemes"][0]["order"].get<double>(), 1, 0.2) << norm;
  }
}

TEST_F(Converge, AgainstItselfAgreesWithTheClosedForm) {
  const std::string scene = oscillator();
  const std::vector<std::string> arguments = {"--schemes", "moreau-midpoint", "--steps",
                                              "0.05,0.02"};
  std::vector<std::string> self = arguments, other = arguments;
  self.insert(self.end(), {"--reference", "self"});
  other.insert(other.end(), {"--reference", "self", "--reference-scheme", "moreau-jean"});
  const double exact = study(scene, arguments).json["schemes"][0]["runs"][0]["error"];
  for (const auto& list : {self, other}) {
    const double error = study(scene, list).json["schemes"][0]["runs"][0]["error"];
    EXPECT_NEAR(error, exact, 0.02 * exact);
    EXPECT_NE(error, exact);
  }
}

TEST_F(Converge, AgainstAFileAgreesWithTheClosedForm) {
  const std::string scene = oscillator();
  std::string named = "x' t x\n", bare;
  for (int k = 0; k <= 3000; ++k) {
    const double t = k * 1e-3, x = std::cos(2 * t), v = -2 * std::sin(2 * t);
    named += std::to_string(v) + " " + std::to_string(t) + " " + std::to_string(x) + "\n";
    if (k > 0)
      bare += std::to_string(t) + ", " + std::to_string(x) + ", " + std::to_string(v) + ", 0\n";
  }
  const Outcome run =
      run_clack({"run", scene, "-o", folder_.file("fine"), "--set", "simulation.step=1e-4"});
  ASSERT_EQ(run.status, 0) << run.err;
  const std::vector<std::string> arguments = {"--schemes", "moreau-jean", "--steps", "0.05"};
  const double exact = study(scene, arguments).json["schemes"][0]["runs"][0]["error"];
  for (const std::string& file :
       {folder_.write("named.txt", named), folder_.write("bare.csv", bare),
        folder_.file("fine/results.h5")}) {
    std::vector<std::string> all = arguments;
    all.insert(all.end(), {"--reference", file});
    const double error = study(scene, all).json["schemes"][0]["runs"][0]["error"];
    EXPECT_NEAR(error, exact, 2e-3 * exact) << file;
  }
  // The start, which the bare table leaves out, is the scene's: in the largest difference it would
  // show.
  const Study s = study(scene, {"--schemes", "moreau-jean", "--steps", "0.005", "--norm", "max",
                                "--reference", folder_.file("bare.csv")});
  EXPECT_LT(s.json["schemes"][0]["runs"][0]["error"].get<double>(), 1e-3);
}

TEST_F(Converge, ComparesEachSchemeWithItsOwnFineRun) {
  const std::string scene = oscillator();
  const auto errors = [&](const char* schemes, const char* scheme) {
    const Study s =
        study(scene, {"--schemes", schemes, "--steps", "0.05,0.02", "--reference", "self"});
    for (const Json& record : s.json["schemes"]) {
      if (record["scheme"] != scheme) continue;
      return std::vector<double>{record["runs"][0]["error"], record["runs"][1]["error"]};
    }
    return std::vector<double>{};
  };
  for (const char* scheme : {"moreau-jean", "moreau-midpoint"}) {
    EXPECT_EQ(errors(scheme, scheme), errors("moreau-jean,moreau-midpoint", scheme)) << scheme;
  }
}

TEST_F(Converge, GivesTheSameErrorsWithAnyNumberOfJobs) {
  const auto errors = [&](const char* jobs) {
    const Study s = study(
        kExamples + "bouncing_ball.yaml",
        {"--schemes", "moreau-jean,moreau-midpoint", "--steps", "1e-2:1e-3:6", "--jobs", jobs});
    std::vector<double> list;
    for (const Json& scheme : s.json["schemes"]) {
      for (const Json& run : scheme["runs"]) list.push_back(run["error"]);
    }
    return list;
  };
  const std::vector<double> one = errors("1");
  EXPECT_EQ(one.size(), 12u);
  EXPECT_EQ(one, errors("4"));
}

TEST_F(Converge, WritesATableAPlotAndACostThatIsNotExtrapolated) {
  const Outcome outcome =
      run_clack(command(oscillator(), {"--schemes", "moreau-jean", "--steps", "0.1,0.01,0.005"}));
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("L1 error of x, x' over 3 s, against the closed form"),
            std::string::npos);
  EXPECT_NE(outcome.out.find("(95 % confidence, 3 runs)"), std::string::npos);
  const std::vector<std::string> csv = lines_of(read_text(folder_.file("out/converge.csv")));
  ASSERT_EQ(csv.size(), 4u);
  EXPECT_TRUE(csv[0].starts_with("scheme,step,steps,norm,error,"));
  EXPECT_TRUE(csv[2].starts_with("moreau-jean,0.01,300,L1,")) << csv[2];
  const std::string svg = read_text(folder_.file("out/converge.svg"));
  EXPECT_TRUE(svg.starts_with("<svg") || svg.starts_with("<?xml")) << svg.substr(0, 80);
  EXPECT_NE(svg.find("order 2"), std::string::npos);
  // Errors 5.9e-2, 5.7e-4, 1.4e-4: 1e-3 lies between two runs, 1e-4 beyond the last.
  const Study s = study(oscillator(), {"--schemes", "moreau-jean", "--steps", "0.1,0.01,0.005"});
  const Json& costs = s.json["schemes"][0]["costs"];
  EXPECT_NEAR(costs[0]["steps"].get<double>(), 227, 5);
  EXPECT_TRUE(costs[1]["steps"].is_null());
  EXPECT_TRUE(costs[2]["cpu_seconds"].is_null());
}

TEST_F(Converge, ComparesAdaptiveStepsByTheirTolerance) {
  const Study s = study(kExamples + "impacting_oscillator.yaml",
                        {"--schemes", "moreau-jean,schatzman-paoli", "--steps", "1e-2,5e-3",
                         "--tolerances", "1e-6,1e-4,1e-5", "--set", "simulation.end=5"});
  EXPECT_EQ(s.outcome.status, 0) << s.outcome.err;
  ASSERT_EQ(s.json["schemes"].size(), 3u);  // the two-step scheme has no adaptive line
  const Json& adaptive = s.json["schemes"][2];
  EXPECT_EQ(adaptive["scheme"], "moreau-jean, adaptive");
  ASSERT_EQ(adaptive["runs"].size(), 3u);
  double previous = HUGE_VAL;
  for (const Json& run : adaptive["runs"]) {
    EXPECT_LT(run["error"].get<double>(), 0.5 * previous);
    previous = run["error"].get<double>();
  }
  EXPECT_EQ(adaptive["runs"][0]["tolerance"].get<double>(), 1e-4);
  EXPECT_TRUE(s.json["schemes"][0]["runs"][0]["tolerance"].is_null());
}

TEST_F(Converge, MarksAFailedRunAndGoesOn) {
  // Explicit in a stiff spring: unstable at the large step, good at the small ones.
  std::string text = kOscillator;
  text.replace(text.find("[[4]]"), 5, "[[4e4]]");
  text.replace(text.find("cos(2*t)"), 8, "cos(200*t)");
  text.replace(text.find("end: 3"), 6, "end: 30");
  const Study s = study(folder_.write("stiff.yaml", text),
                        {"--schemes", "moreau-midpoint", "--steps", "0.1,2e-3,1e-3"});
  EXPECT_EQ(s.outcome.status, 1);
  const Json& runs = s.json["schemes"][0]["runs"];
  EXPECT_NE(runs[0]["failure"].get<std::string>().find("no finite state at t = "),
            std::string::npos);
  EXPECT_TRUE(runs[0]["error"].is_null());
  EXPECT_EQ(runs[2]["failure"], "");
  EXPECT_TRUE(s.json["schemes"][0]["order"].is_number());
  EXPECT_EQ(s.json["status"], "numerical_failure");
}

TEST_F(Converge, SaysWhatIsWrongInOneLine) {
  const std::string scene = oscillator();
  const auto says = [&](std::vector<std::string> arguments, const std::string& part,
                        int status = 2) {
    const std::string text = message(scene, arguments, status);
    EXPECT_NE(text.find(part), std::string::npos) << text << "wants " << part;
  };
  says({"--schemes", "moreau-jan", "--steps", "0.1"},
       "--schemes: unknown scheme 'moreau-jan'; known: moreau-jean");
  says({"--schemes", ",", "--steps", "0.1"}, "names no scheme");
  says({"--schemes", "moreau-jean", "--steps", "0.07"},
       "0.07 s does not divide the 3 s of the scene; 0.0697");
  says({"--schemes", "moreau-jean", "--steps", "0.1,x"}, "'x' is no step");
  says({"--schemes", "moreau-jean", "--steps", "0"}, "'0' is no step");
  says({"--schemes", "moreau-jean", "--steps", "1e-15"}, "more than 1e+09 steps");
  says({"--schemes", "moreau-jean", "--steps", "0.1:0.01"}, "is no range");
  says({"--schemes", "moreau-jean", "--steps", "0.1", "--norm", "Lp:0.5"},
       "--norm: 'Lp:0.5' is not known");
  says({"--schemes", "moreau-jean", "--steps", "0.1", "--observe", "y"},
       "--observe: 'y' is no coordinate");
  says({"--schemes", "moreau-jean", "--steps", "0.1", "--reference-scheme", "statics"},
       "only goes with");
  says({"--schemes", "moreau-jean", "--steps", "0.1", "--reference", "none.csv"},
       "none.csv: cannot be read", 3);
  const std::string short_file = folder_.write("short.csv", "t,x,x'\n0,1,0\n1,0,0\n");
  says({"--schemes", "moreau-jean", "--steps", "0.1", "--reference", short_file},
       "goes from t = 0 to 1 s");
  const std::string poor_file = folder_.write("poor.csv", "t,x\n0,1\n3,0\n");
  says({"--schemes", "moreau-jean", "--steps", "0.1", "--reference", poor_file},
       "has no column 'x''");
  says({"--schemes", "moreau-jean", "--steps", "0.1", "--reference", scene}, "", 2);
  const std::string ball = folder_.write("ball.yaml", kBall);
  EXPECT_NE(message(ball, {"--schemes", "moreau-jean", "--steps", "0.1", "--reference", "exact"})
                .find("has no `exact:` part"),
            std::string::npos);
  EXPECT_NE(message(ball, {"--schemes", "statics", "--steps", "0.1"}).find("knows no friction"),
            std::string::npos);
}

}  // namespace
}  // namespace clack::test
