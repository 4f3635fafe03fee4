// Systems with known orbits, and differences of the event-driven map to compare derivatives with.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "clack/analyse/orbits/flow_map.hpp"
#include "clack/io/scene/scene.hpp"
#include "tests/values.hpp"

namespace clack::test {

// Two equal masses in a row, wall-k-m-k-m, the second one against a stop at distance 1; e = 1.
inline const std::string kChain = R"(clack: 1
parameters: {e: 1, g0: 1}
system:
  type: linear
  coordinates: [x1, x2]
  M: [[1, 0], [0, 1]]
  K: [[2, -1], [-1, 1]]
  contacts:
    - {name: stop, G: [0, -1], g0: g0, e_n: e}
initial: {q: [0.1, 0.1]}
simulation: {scheme: event-driven, step: 0.1, end: 10}
)";

// x'' + 2 z x' + x = F cos(W t + phi) with a stop at x = g.
inline const std::string kForced = R"(clack: 1
parameters: {z: 0.05, F: 1, W: 1.6, phi: 0, g: 0, e: 0.8}
system:
  type: linear
  coordinates: [x]
  M: [[1]]
  C: [[2*z]]
  K: [[1]]
  f: [F*cos(W*t + phi)]
  contacts:
    - {name: stop, G: [-1], g0: g, e_n: e}
initial: {q: [-0.5]}
simulation: {scheme: event-driven, step: 0.1, end: 10}
)";

inline Scene scene_of(const std::string& text, const std::vector<std::string>& set = {}) {
  return parse_scene("scene.yaml", text, set);
}

inline Scene example_scene(const std::string& name, const std::vector<std::string>& set = {}) {
  return load_scene(CLACK_SOURCE_DIR "/examples/" + name + ".yaml", set);
}

inline std::string assignment(const std::string& key, double value) {
  char text[100];
  std::snprintf(text, sizeof text, "%s=%.17g", key.c_str(), value);
  return text;
}

inline Vector joined(const State& state) {
  Vector z(state.q.size() + state.v.size());
  z << state.q, state.v;
  return z;
}

inline State moved(State state, const Vector& dz) {
  state.q += dz.head(state.q.size());
  state.v += dz.tail(state.v.size());
  return state;
}

// dP in the direction dz by central differences of fourth order of the event-driven map.
inline Vector map_difference(const FlowMap& map, const State& start, double duration,
                             const Vector& dz) {
  const auto end = [&](double s) {
    const MappedFlow flow = map.compute(moved(start, s * dz), duration, false);
    EXPECT_TRUE(flow.good()) << flow.note;
    return joined(flow.end);
  };
  return (8 * (end(1) - end(-1)) - (end(2) - end(-2))) / 12;
}

}  // namespace clack::test
