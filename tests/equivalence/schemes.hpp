// Runs of a scene by each scheme.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "clack/integrate/simulation.hpp"
#include "clack/io/scene/scene.hpp"

namespace clack::test {

// Steps a scene to its end by a scheme; every step must be solved.
inline Simulation run_by_scheme(const std::string& text, const std::string& scheme) {
  // With theta = 1/2 the velocities of theta-xi swing after contact, and round-off with them.
  const Scene scene = parse_scene(
      "scene", text,
      {"simulation.scheme=" + scheme, scheme == "theta-xi" ? "simulation.theta=1" : "title=kinds",
       "solver={name: auto, tolerance: 1.0e-13}"});
  Simulation simulation(scene.system, scene.initial, scene.options);
  for (long k = 0; k < scene.step_count(); ++k)
    EXPECT_EQ(simulation.step(), Status::converged) << scheme << " at " << simulation.time();
  return simulation;
}

// Those that move at all.
inline std::vector<std::string> all_schemes() {
  std::vector<std::string> names;
  for (const SchemeInfo& info : scheme_list())
    if (info.name != "statics") names.emplace_back(info.name);
  return names;
}

inline std::string scheme_name(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  for (char& c : name)
    if (c == '-') c = '_';
  return name;
}

}  // namespace clack::test
