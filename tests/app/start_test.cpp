// What `check` and `run` say about starts that violate constraints and runs that lose a gap.
#include <nlohmann/json.hpp>

#include "program.hpp"

namespace clack::test {
namespace {

std::string tied_mass(const char* start) {
  return "clack: 1\nsystem: {type: linear, M: [[1, 0], [0, 1]], constraints: [{name: tie, G: [1, "
         "0]}]}\ninitial: {" +
         std::string(start) + "}\nsimulation: {step: 0.01, end: 0.1}\n";
}

TEST(Start, OffAConstraintIsClosedAndRemarkedWithWhatWasMoved) {
  const Folder folder;
  const std::string scene = folder.write("scene.yaml", tied_mass("q: [0.5, 0]"));
  const Outcome check = run_clack({"check", scene});
  EXPECT_EQ(check.status, 0) << check.err;
  EXPECT_NE(check.out.find("'tie' was off by 0.5"), std::string::npos) << check.out;
  const Outcome run = run_clack({"run", scene, "-o", folder.file("out")});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_NE(run.out.find("'tie' was off by 0.5"), std::string::npos) << run.out;
}

TEST(Start, WithAVelocityAgainstAConstraintIsRemarkedWithTheEnergyOfItsRemoval) {
  const Folder folder;
  const std::string scene = folder.write("scene.yaml", tied_mass("v: [5, 1]"));
  const std::string words = "violates constraint 'tie' by 5 m/s";
  const Outcome check = run_clack({"check", scene});
  EXPECT_EQ(check.status, 0);
  EXPECT_NE(check.out.find(words), std::string::npos) << check.out;
  EXPECT_NE(check.out.find("changes the kinetic energy by -12.5 J"), std::string::npos)
      << check.out;
  const Outcome run = run_clack({"run", scene, "-o", folder.file("out"), "--json"});
  EXPECT_EQ(run.status, 0);
  const auto summary = nlohmann::json::parse(run.out);
  ASSERT_EQ(summary["remarks"].size(), 1u);
  EXPECT_NE(summary["remarks"][0].get<std::string>().find(words), std::string::npos);
  EXPECT_NEAR(summary["energy"]["work_contact"].get<double>(), -12.5, 1e-12);
}

TEST(Start, ThatSatisfiesItsConstraintsIsNotRemarked) {
  const Folder folder;
  const Outcome check =
      run_clack({"check", folder.write("scene.yaml", tied_mass("q: [0, 1], v: [0, 1]"))});
  EXPECT_EQ(check.out.find("REMARK"), std::string::npos) << check.out;
}

TEST(LostGap, EndsTheRunWithTheNameOfTheContact) {
  const Folder folder;
  const std::string scene = folder.write("scene.yaml", R"(clack: 1
system:
  type: lagrangian
  coordinates: [x]
  kinetic: 0.5*x'^2
  potential: x
  contacts: [{name: floor, gap: sqrt(x) + 1}]
initial: {q: [0.05]}
simulation: {step: 0.01, end: 1}
)");
  const Outcome run = run_clack({"run", scene, "-o", folder.file("out"), "--json"});
  EXPECT_EQ(run.status, 1);
  const auto summary = nlohmann::json::parse(run.out);
  EXPECT_EQ(summary["status"], "numerical_failure");
  EXPECT_TRUE(summary["min_gap"].is_null());
  EXPECT_NE(summary["failure"].get<std::string>().find("the gap of 'floor' is"), std::string::npos)
      << summary["failure"];
  EXPECT_NEAR(summary["time"].get<double>(), std::sqrt(0.1), 0.011);
}

}  // namespace
}  // namespace clack::test
