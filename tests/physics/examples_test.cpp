// What every example must hold, whatever it shows.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "tests/physics/support.hpp"

namespace clack {
namespace {

std::vector<std::string> example_names() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(CLACK_SOURCE_DIR "/examples")) {
    if (entry.path().extension() == ".yaml") names.push_back(entry.path().stem());
  }
  std::sort(names.begin(), names.end());
  return names;
}

class Examples : public testing::TestWithParam<std::string> {};

TEST_P(Examples, runs_with_every_step_solved_and_a_closed_energy_balance) {
  Scene scene = test::example(GetParam());
  const long most_steps = scene.world ? 20 : 10000;  // enough to see it move
  scene.end =
      std::min(scene.end, scene.initial.t + static_cast<double>(most_steps) * scene.options.h);
  const test::Outcome outcome = test::run(scene);
  EXPECT_EQ(outcome.failed_steps, 0);
  // From event to event works are integrated with the motion, to its flow_tolerance.
  EXPECT_LT(outcome.balance, scene.options.scheme == "event-driven" ? 1e-11 : 1e-12);
  EXPECT_FALSE(scene.measures.empty());
}

TEST(Examples, without_friction_run_with_the_solvers_of_linear_complementarity) {
  for (const char* name : {"bouncing_ball", "newton_cradle", "rod_wall", "impacting_bar"}) {
    for (const char* solver : {"lemke", "lcp-enum"}) {
      Scene scene = test::example(name, {std::string("solver.name=") + solver});
      scene.end = std::min(scene.end, scene.initial.t + 1000 * scene.options.h);
      EXPECT_EQ(test::run(scene).failed_steps, 0) << name << " " << solver;
    }
  }
}

TEST_P(Examples, opens_with_what_it_shows_what_is_known_and_how_to_run_it) {
  std::ifstream file(CLACK_SOURCE_DIR "/examples/" + GetParam() + ".yaml");
  std::string line, comment;
  while (std::getline(file, line) && line.starts_with("#")) comment += line + "\n";
  for (const char* part : {"# Shows: ", "# Known: ", "# Run:   clack run examples/"}) {
    EXPECT_NE(comment.find(part), std::string::npos) << part;
  }
  EXPECT_NE(comment.find("clack run examples/" + GetParam() + ".yaml"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(All, Examples, testing::ValuesIn(example_names()),
                         [](const auto& scene) { return scene.param; });

}  // namespace
}  // namespace clack
