// The options that the table says a scheme reads are those that change its motion.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>

#include "clack/core/error.hpp"
#include "clack/integrate/simulation.hpp"
#include "clack/io/scene/scene.hpp"

namespace clack {
namespace {

// A pendulum that meets a wall, with another just behind it: nonlinear, without restitution.
const char* const kPendulum = R"(clack: 1
system:
  type: lagrangian
  coordinates: [phi, z]
  kinetic: 0.5*phi'^2 + 0.5*(1 + 0.3*cos(phi))*z'^2
  potential: -10*cos(phi) + 2*z^2 + z^4
  dissipation: 0.05*phi'^2
  contacts:
    - {name: wall, gap: 0.4 + sin(phi) + 0.1*z}
    - {name: behind, gap: 0.43 + sin(phi) + 0.1*z}
initial: {q: [1, 0.3], v: [0, 0.5]}
simulation: {step: 0.02, end: 1.2}
)";

// A ball that rebounds several times in a step.
const char* const kBall = R"(clack: 1
system:
  type: lagrangian
  coordinates: [z]
  kinetic: 0.5*z'^2
  potential: 10*z
  contacts: [{name: floor, gap: z, e_n: 0.5}]
initial: {q: [0.01]}
simulation: {step: 0.1, end: 0.5}
)";

// A mass on a spring that is pressed against a stop.
const char* const kPressed = R"(clack: 1
system:
  type: lagrangian
  coordinates: [x]
  kinetic: 0.5*x'^2
  potential: 5*x^2 + 3*x^4 + 4*x*t
  contacts: [{name: stop, gap: x + x^3 + 0.1}]
initial: {q: [-0.08]}
simulation: {step: 0.05, end: 1}
)";

const std::map<std::string, std::vector<std::string>> kOthers = {
    {"theta", {"0.7"}},
    {"gamma", {"0", "3"}},
    {"xi", {"0.7"}},
    {"rho_inf", {"0.6"}},
    {"alpha_m", {"0.1"}},
    {"alpha_f", {"0.2"}},
    {"beta", {"0.4"}},
    {"newmark_gamma", {"0.75"}},
    {"constraints", {"position-velocity", "position"}},
    {"activation_tolerance", {"0.05", "0.01"}},
    {"flow_tolerance", {"1e-4"}},
    {"capture_time", {"10"}},
    {"max_events", {"2"}},
    {"newton_tolerance", {"0.1"}},
    {"newton_max_iterations", {"1"}},
};

// Verdicts, states and contacts of all steps; or the refusal.
std::string motion(const char* text, const std::vector<std::string>& set) {
  std::string result;
  try {
    const Scene scene = parse_scene("scene", text, set);
    Simulation simulation(scene.system, scene.initial, scene.options);
    for (long k = 0; k < scene.step_count(); ++k) {
      result += fmt::format("{} ", static_cast<int>(simulation.step()));
      for (const double x : simulation.q()) result += fmt::format("{} ", x);
      for (const double x : simulation.v()) result += fmt::format("{} ", x);
      for (const int c : simulation.last_step().detection.active) result += fmt::format("{} ", c);
    }
  } catch (const InputError& error) {
    result += error.what();
  }
  return result;
}

bool depends_on(const std::string& scheme, const std::string& option) {
  for (const char* text : {kPendulum, kBall, kPressed}) {
    const std::vector<std::string> set = {"simulation.scheme=" + scheme};
    const std::string before = motion(text, set);
    for (const std::string& value : kOthers.at(option)) {
      std::vector<std::string> other = set;
      other.push_back("simulation." + option + "=" + value);
      if (motion(text, other) != before) return true;
    }
  }
  return false;
}

TEST(SchemeOptions, are_read_by_the_schemes_that_the_table_names_and_by_no_others) {
  for (const OptionInfo& option : SchemeOptions::table()) {
    ASSERT_TRUE(kOthers.contains(std::string(option.name))) << option.name << " has no trial value";
    for (const SchemeInfo& scheme : scheme_list()) {
      EXPECT_EQ(depends_on(std::string(scheme.name), std::string(option.name)),
                option.is_read_by(scheme.name))
          << scheme.name << " and " << option.name;
    }
  }
}

}  // namespace
}  // namespace clack
