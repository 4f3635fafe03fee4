// Numbers of granular flows that tests take from the positions.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "tests/physics/support.hpp"

namespace clack::test {

// Of the free bodies [m].
inline Vector3 centre_of_mass(const test::BodySimulation& simulation) {
  Vector3 sum = Vector3::Zero();
  double mass = 0;
  for (std::size_t i = 0; i < simulation.world().bodies.size(); ++i) {
    const Body& body = simulation.world().bodies[i];
    if (!body.is_free()) continue;
    sum += body.mass * simulation.state().bodies[i].position;
    mass += body.mass;
  }
  return sum / mass;
}

// Free bodies whose centre is below the plates of a hopper, 1 cm thick, along an axis.
inline long count_below(const test::BodySimulation& simulation, int axis) {
  long count = 0;
  for (std::size_t i = 0; i < simulation.world().bodies.size(); ++i) {
    if (simulation.world().bodies[i].is_free())
      count += simulation.state().bodies[i].position[axis] < -0.01;
  }
  return count;
}

// Bodies a second through the orifice of a hopper, by least squares from 0.1 s after its
// opening until half of the bodies have left: before, the flow builds up; after, the bin runs
// empty.
inline double discharge_rate(const Scene& scene, int axis, double opening) {
  std::vector<double> times, counts;
  const auto bodies =
      static_cast<double>(std::count_if(scene.world->bodies.begin(), scene.world->bodies.end(),
                                        [](const Body& body) { return body.is_free(); }));
  test::BodySimulation simulation(scene);
  for (long i = 0; i < scene.step_count(); ++i) {
    if (simulation.step() == Status::numerical_failure) return std::nan("");
    const auto out = static_cast<double>(count_below(simulation, axis));
    if (out > 0.5 * bodies) break;
    if (simulation.time() < opening + 0.1) continue;
    times.push_back(simulation.time());
    counts.push_back(out);
  }
  const auto n = static_cast<long>(times.size());
  const Eigen::ArrayXd t = Eigen::Map<Eigen::ArrayXd>(times.data(), n) - times[times.size() / 2];
  const Eigen::ArrayXd count = Eigen::Map<Eigen::ArrayXd>(counts.data(), n);
  return ((t - t.mean()) * (count - count.mean())).sum() / (t - t.mean()).square().sum();
}

// The surface of discs over x: the highest centre in strips of a width [m], from a wall at `left`.
inline std::vector<double> surface(const test::BodySimulation& simulation, double left,
                                   double width) {
  std::vector<double> top;
  for (std::size_t i = 0; i < simulation.world().bodies.size(); ++i) {
    if (!simulation.world().bodies[i].is_free()) continue;
    const Vector3& x = simulation.state().bodies[i].position;
    const auto strip = static_cast<std::size_t>(std::max(x.x() - left, 0.0) / width);
    if (strip >= top.size()) top.resize(strip + 1, 0);
    top[strip] = std::max(top[strip], x.y());
  }
  return top;
}

// The surface of the sandbox at the end: its highest point and the standard deviation of its height
// [m].
struct PushedSand {
  double highest = 0, uneven = 0;
};

inline PushedSand pushed_sand(const std::vector<std::string>& settings) {
  std::vector<double> top;
  run_world(example("sandbox", settings), [&](const test::BodySimulation& simulation) {
    top = surface(simulation, simulation.state().bodies[2].position.x() + 0.01, 0.02);
  });
  top.pop_back();  // the last strip may be narrow
  const Eigen::Map<const Eigen::ArrayXd> height(top.data(), static_cast<long>(top.size()));
  return {height.maxCoeff(), std::sqrt((height - height.mean()).square().mean())};
}

}  // namespace clack::test
