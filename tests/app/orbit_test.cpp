// clack modes, orbit and continue through the program.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/app/program.hpp"

namespace clack::test {
namespace {

using Json = nlohmann::json;

const std::string kStop = R"(clack: 1
title: Forced oscillator with a stop
parameters: {z: 0.05, F: 1, W: 1.6, g: 0, e: 0.8}
system:
  type: linear
  coordinates: [x]
  M: [[1]]
  C: [[2*z]]
  K: [[1]]
  f: [F*cos(W*t)]
  contacts:
    - {name: stop, G: [-1], g0: g, e_n: e}
initial: {q: [-0.5]}
simulation: {scheme: event-driven, step: 0.1, end: 10}
)";

const std::string kMasses = R"(clack: 1
title: Two masses
system:
  type: linear
  coordinates: [x1, x2]
  M: [[1, 0], [0, 1]]
  K: [[2, -1], [-1, 1]]
  contacts:
    - {name: stop, G: [0, -1], g0: 1, e_n: 1}
initial: {q: [0, 0]}
simulation: {scheme: event-driven, step: 0.1, end: 10}
)";

Json last_line(const Outcome& outcome) {
  const auto lines = lines_of(outcome.out);
  return lines.empty() ? Json() : Json::parse(lines.back(), nullptr, false);
}

TEST(OrbitCommand, closes_the_orbit_of_a_forced_oscillator) {
  const Folder folder;
  const Outcome outcome =
      run_clack({"orbit", folder.write("stop.yaml", kStop), "--kind", "forced", "--period",
                 "2*pi/1.6", "--settle", "47.12388980384690", "--json", "-o", folder.file("out")});
  ASSERT_EQ(outcome.status, 0) << outcome.out << outcome.err;
  const Json json = last_line(outcome);
  EXPECT_NEAR(json["slowest_impact"].get<double>(), 1.6279077957, 1e-9);
  EXPECT_TRUE(json["stable"].get<bool>());
  EXPECT_EQ(json["multipliers"].size(), 2u);
  EXPECT_EQ(lines_of(read_text(folder.file("out/orbit.csv"))).front(), "t,x,x'");
}

TEST(OrbitCommand, continues_over_a_parameter_and_draws_it) {
  const Folder folder;
  const Outcome outcome = run_clack({"continue", folder.write("stop.yaml", kStop), "--period",
                                     "2*pi/W", "--settle", "47.12388980384690", "--over",
                                     "parameters.W=1.6:1.8", "--json", "-o", folder.file("out")});
  ASSERT_EQ(outcome.status, 0) << outcome.out << outcome.err;
  const Json json = last_line(outcome);
  EXPECT_EQ(json["branches"][0]["stop"], "reached parameter = 1.8");
  EXPECT_NE(read_text(folder.file("out/branch.svg")).find("stable"), std::string::npos);
  EXPECT_GT(lines_of(read_text(folder.file("out/branch.csv"))).size(), 3u);
}

TEST(OrbitCommand, follows_a_family_from_the_closed_form) {
  const Folder folder;
  const Outcome outcome = run_clack({"continue", folder.write("masses.yaml", kMasses), "--kind",
                                     "conservative", "--period", "9.5", "--start", "impact-mode",
                                     "--over", "period=9:9.8", "--json", "-o", folder.file("out")});
  ASSERT_EQ(outcome.status, 0) << outcome.out << outcome.err;
  EXPECT_EQ(last_line(outcome)["branches"][0]["stop"], "reached period = 9.8");
}

TEST(OrbitCommand, modes_are_linear_ones_or_those_of_impacts) {
  const Folder folder;
  const std::string scene = folder.write("masses.yaml", kMasses);
  const Outcome linear = run_clack({"modes", scene, "--json", "-o", folder.file("linear")});
  ASSERT_EQ(linear.status, 0) << linear.err;
  EXPECT_NEAR(last_line(linear)["omega"][0].get<double>(), 0.6180339887, 1e-10);
  const Outcome family = run_clack(
      {"modes", scene, "--impacts", "3.2:10.5:500", "--json", "-o", folder.file("impacts")});
  ASSERT_EQ(family.status, 0) << family.err;
  EXPECT_EQ(last_line(family)["windows"].size(), 3u);
  EXPECT_NE(read_text(folder.file("impacts/modes.csv")).find("would pull"), std::string::npos);
}

TEST(OrbitCommand, shooting_and_harmonic_balance_stand_side_by_side) {
  const Folder folder;
  const Outcome outcome = run_clack(
      {"continue", std::string(CLACK_SOURCE_DIR) + "/examples/dry_friction_response.yaml",
       "--period", "2*pi/W", "--over", "parameters.W=1.4:1.6", "--settle", "179.51958020513104",
       "--method", "both", "--harmonics", "15", "--json", "-o", folder.file("out")});
  ASSERT_EQ(outcome.status, 0) << outcome.out << outcome.err;
  const Json json = last_line(outcome);
  ASSERT_EQ(json["branches"].size(), 2u);
  EXPECT_EQ(json["branches"][0]["method"], "shooting");
  EXPECT_EQ(json["branches"][1]["method"], "harmonic");
  for (const Json& branch : json["branches"]) EXPECT_EQ(branch["stop"], "reached parameter = 1.6");
  const auto lines = lines_of(read_text(folder.file("out/branch.csv")));
  EXPECT_EQ(lines.front().substr(0, 30), "branch,point,method,parameter,");
  EXPECT_NE(read_text(folder.file("out/branch.svg")).find("harmonic balance"), std::string::npos);
  EXPECT_FALSE(read_text(folder.file("out/branch.h5")).empty());
}

TEST(OrbitCommand, families_have_several_impacts_lasting_contacts_and_waves) {
  const Folder folder;
  const std::string scene = folder.write("masses.yaml", kMasses);
  const Outcome two = run_clack({"modes", scene, "--impacts", "7.9:8.1:3", "--count", "2",
                                 "--manifold", "--json", "-o", folder.file("two")});
  ASSERT_EQ(two.status, 0) << two.err;
  EXPECT_GE(last_line(two)["admissible"].get<int>(), 1);
  EXPECT_NE(read_text(folder.file("two/modes.csv")).find("4.11638110"), std::string::npos);
  EXPECT_EQ(lines_of(read_text(folder.file("two/manifold.csv"))).front(),
            "orbit,period,energy,t,x1,x2,x1',x2'");
  EXPECT_FALSE(read_text(folder.file("two/manifold.h5")).empty());
  const std::string rod = std::string(CLACK_SOURCE_DIR) + "/examples/rod_massless_tip.yaml";
  const Outcome lasting =
      run_clack({"modes", rod, "--lasting", "3.5:3.6:2", "--json", "-o", folder.file("lasting")});
  ASSERT_EQ(lasting.status, 0) << lasting.err;
  EXPECT_NE(read_text(folder.file("lasting/modes.csv")).find("2.77001673"), std::string::npos);
  const Outcome family =
      run_clack({"continue", rod, "--kind", "conservative", "--method", "harmonic", "--start",
                 "linear-mode", "--over", "period=3.9:4.1", "--json", "-o", folder.file("family")});
  ASSERT_EQ(family.status, 0) << family.out << family.err;
  EXPECT_EQ(last_line(family)["branches"][0]["stop"], "reached period = 3.9");
  const Outcome waves =
      run_clack({"modes", "--exact-rod", "g0=1", "--json", "-o", folder.file("waves")});
  ASSERT_EQ(waves.status, 0) << waves.err;
  EXPECT_EQ(lines_of(read_text(folder.file("waves/modes.csv"))).size(), 1 + 3 * 199u);
}

TEST(OrbitCommand, periods_are_formulas_of_the_scenes_parameters) {
  const Folder folder;
  const std::string scene = std::string(CLACK_SOURCE_DIR) + "/examples/vibro_impact.yaml";
  const Outcome found = run_clack({"orbit", scene, "--kind", "forced", "--period", "2*pi/W",
                                   "--settle", "300", "--json", "-o", folder.file("out")});
  ASSERT_EQ(found.status, 0) << found.out << found.err;
  const Outcome unknown = run_clack({"orbit", scene, "--kind", "forced", "--period", "2*pi/V"});
  EXPECT_EQ(unknown.status, 2);
  EXPECT_NE(unknown.err.find("'V'"), std::string::npos) << unknown.err;
  const Outcome none = run_clack(
      {"continue", scene, "--over", "parameters.Z=1:2", "--kind", "forced", "--period", "2*pi/W"});
  EXPECT_EQ(none.status, 2);
  EXPECT_NE(none.err.find("the scene has no 'parameters.Z'"), std::string::npos) << none.err;
}

TEST(OrbitCommand, exponents_are_printed_with_their_history) {
  const Folder folder;
  const Outcome outcome =
      run_clack({"orbit", folder.write("stop.yaml", kStop), "--lyapunov", "200", "--settle", "120",
                 "--interval", "3.9269908169872414", "--json", "-o", folder.file("out")});
  ASSERT_EQ(outcome.status, 0) << outcome.out << outcome.err;
  const Json exponents = last_line(outcome)["exponents"];
  ASSERT_EQ(exponents.size(), 2u);
  EXPECT_NEAR((exponents[0].get<double>() + exponents[1].get<double>()) / 2, -0.10682304, 1e-7);
  EXPECT_GT(lines_of(read_text(folder.file("out/lyapunov.csv"))).size(), 50u);
}

TEST(OrbitCommand, equilibria_are_followed_onto_a_stop_and_sliding_has_modes) {
  const Folder folder;
  const Outcome truss = run_clack({"continue", CLACK_SOURCE_DIR "/examples/von_mises_truss.yaml",
                                   "--equilibrium", "--over", "parameters.F=-15:15", "--at", "0",
                                   "--json", "-o", folder.file("truss")});
  ASSERT_EQ(truss.status, 0) << truss.out << truss.err;
  const Json special = last_line(truss)["special"];
  ASSERT_EQ(special.size(), 4u);
  EXPECT_EQ(special[0]["kind"], "fold");
  EXPECT_EQ(special[2]["contact"], "stop");
  EXPECT_NE(read_text(folder.file("truss/equilibria.svg")).find("closes"), std::string::npos);
  const Outcome squeal =
      run_clack({"modes", CLACK_SOURCE_DIR "/examples/mode_coupling.yaml", "--contacts", "sliding",
                 "--set", "parameters.mu=0.8", "--json", "-o", folder.file("squeal")});
  ASSERT_EQ(squeal.status, 0) << squeal.out << squeal.err;
  EXPECT_FALSE(last_line(squeal)["stable"].get<bool>());
  EXPECT_EQ(lines_of(read_text(folder.file("squeal/modes.csv"))).size(), 5u);
}

TEST(OrbitCommand, bad_input_has_one_clear_message) {
  const Folder folder;
  const std::string stop = folder.write("stop.yaml", kStop), out = folder.file("out");
  const auto expect = [&](std::vector<std::string> words, const std::string& message) {
    words.insert(words.end(), {"-o", out});
    const Outcome outcome = run_clack(words);
    EXPECT_EQ(outcome.status, 2) << outcome.out << outcome.err;
    EXPECT_NE(outcome.err.find(message), std::string::npos) << outcome.err;
  };
  expect({"orbit", stop, "--period", "1", "--set", "simulation.scheme=moreau-jean"},
         "need the scheme event-driven");
  expect({"orbit", stop}, "a forced orbit needs one");
  expect({"orbit", stop, "--period", "2*pi/U"}, "U");
  expect({"orbit", stop, "--period", "1", "--drift", "y"}, "no coordinate 'y'");
  expect({"continue", stop, "--period", "2*pi/W", "--over", "parameters.U=1:2"}, "U");
  expect({"continue", stop, "--period", "2*pi/W", "--over", "parameters.W=2:1"}, "smaller");
  expect({"continue", stop, "--period", "2*pi/W", "--over", "W"}, "LOW:HIGH");
  expect({"continue", stop, "--equilibrium", "--over", "period=1:2"}, "parameters.F");
  expect({"modes", stop, "--impacts", "1:2:10"}, "'stop' has e_n = 0.8");
  expect({"modes", stop, "--lasting", "1:2:10"}, "damping");
  expect({"modes", stop, "--manifold", "--manifold-axes", "x,y,x'"}, "has no 'y'");
  expect({"modes", "--exact-rod", "EA=1,k=2"}, "'k=2'");
  expect({"modes"}, "give a scene");
  expect({"continue", stop, "--period", "3*pi/W", "--over", "parameters.W=1:2", "--method",
          "harmonic"},
         "do not have the period");
  expect({"orbit", stop, "--period", "1", "--start", "linear-mode"}, "--method harmonic only");
}

}  // namespace
}  // namespace clack::test
