// Spheres of radius 0.8 to 1.2 in a box, settled under gravity by simulation: the scene of the
// granular benchmarks. The settled state is kept in build/bench, where it is made once.
#pragma once

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <random>
#include <string>

#include "tests/support/body_simulation.hpp"

namespace clack::bench {

// What is between two steps.
struct GranularStart {
  WorldState state;
  LargeArray<RememberedImpulse> impulses;

  void apply(test::BodySimulation& simulation) const {
    Checkpoint point = simulation.checkpoint();
    auto record = std::make_shared<BodyRecord>();
    record->impulses = impulses;
    point.scheme = record;
    simulation.restore(point);
  }
};

struct GranularScene {
  std::shared_ptr<RigidWorld> world = std::make_shared<RigidWorld>();
  GranularStart start;  // the first five bodies are walls: floor, x low, x high, y low, y high
};

constexpr double kGranularStep = 0.01;  // [s]

// A fixed plane through `point`; solid is the side against the normal.
inline void add_wall(GranularScene& scene, const Vector3& normal, const Vector3& point) {
  Body body;
  body.name = "wall";
  body.kind = BodyKind::fixed;
  body.shape = make_shape(Plane(normal));
  scene.world->bodies.push_back(body);
  scene.start.state.bodies.emplace_back().position = point;
}

// `count` spheres on a loose lattice above the floor, `layers` of them at rest about as high.
inline GranularScene make_granular_scene(int count, int layers) {
  GranularScene scene;
  scene.world->materials.push_back({"grain", 1.0, 0.5, 0.0});
  scene.world->gravity = {0, 0, -10};
  const int side = std::max(2, static_cast<int>(std::round(std::sqrt(count / (1.18 * layers)))));
  const double spacing = 2.42, width = spacing * side;
  add_wall(scene, Vector3::UnitZ(), Vector3::Zero());
  add_wall(scene, Vector3::UnitX(), Vector3::Zero());
  add_wall(scene, -Vector3::UnitX(), {width, 0, 0});
  add_wall(scene, Vector3::UnitY(), Vector3::Zero());
  add_wall(scene, -Vector3::UnitY(), {0, width, 0});
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> unit(0, 1);
  for (int i = 0; i < count; ++i) {
    const double radius = 0.8 + 0.4 * unit(random), room = 0.5 * spacing - radius;
    const int x = i % side, y = i / side % side, z = i / side / side;
    Vector3 centre = spacing * Vector3(x + 0.5, y + 0.5, z + 0.5);
    for (int k = 0; k < 3; ++k) centre[k] += 0.9 * room * (2 * unit(random) - 1);
    BodyState s;
    scene.world->bodies.push_back(make_body("grain", make_shape(Sphere(radius)),
                                            scene.world->materials[0], 0,
                                            {centre, Matrix3::Identity()}, s));
    scene.start.state.bodies.push_back(s);
  }
  return scene;
}

inline SimulationOptions granular_options(double tolerance, int threads = 1) {
  SimulationOptions options = body_options();
  options.h = kGranularStep;
  options.solver_options.tolerance = tolerance;
  options.solver_options.max_iterations = 2000;
  options.threads = threads;
  return options;
}

// Reads or writes what is between two steps.
class CheckpointFile {
 public:
  CheckpointFile(const std::string& path, bool write)
      : file_(path, std::ios::binary | (write ? std::ios::out : std::ios::in)), write_(write) {}

  bool transfer(GranularStart& checkpoint) {
    for (BodyState& body : checkpoint.state.bodies) {
      move(body.position.data(), 3);
      move(body.v.data(), 3);
      move(body.omega.data(), 3);
      move(body.rotation.coeffs().data(), 4);
    }
    std::uint64_t count = checkpoint.impulses.size();
    move(&count, 1);
    if (!file_) return false;
    checkpoint.impulses.resize(count);
    for (RememberedImpulse& impulse : checkpoint.impulses) {
      move(&impulse.a, 1);
      move(&impulse.b, 1);
      move(&impulse.feature, 1);
      move(impulse.impulse.data(), 3);
    }
    return static_cast<bool>(file_);
  }

 private:
  template <class T>
  void move(T* values, std::size_t count) {
    const auto size = static_cast<std::streamsize>(count * sizeof(T));
    if (write_)
      file_.write(reinterpret_cast<const char*>(values), size);
    else
      file_.read(reinterpret_cast<char*>(values), size);
  }

  std::fstream file_;
  bool write_;
};

// Steps for some time with at most `iterations` sweeps a step.
inline void let_settle(const GranularScene& scene, double seconds, double tolerance, int iterations,
                       GranularStart& start) {
  SimulationOptions options = granular_options(tolerance);
  options.solver_options.max_iterations = iterations;
  test::BodySimulation simulation(scene.world, start.state, options);
  start.apply(simulation);
  const double end = simulation.time() + seconds;
  while (simulation.time() < end) (void)simulation.step();
  start.state = simulation.state();
  start.impulses = simulation.data().record()->impulses;
}

// The scene at rest: dropped with few sweeps a step, then held by well solved steps until they end
// soon. The rest is kept with its impulses: from r = 0 it would be shaken.
inline GranularScene make_settled_scene(int count, int layers) {
  GranularScene scene = make_granular_scene(count, layers);
  const std::filesystem::path folder = std::filesystem::path(CLACK_BINARY_DIR) / "bench";
  std::filesystem::create_directories(folder);
  const std::string path =
      folder / ("settled_" + std::to_string(count) + "_" + std::to_string(layers) + ".state");
  if (CheckpointFile(path, false).transfer(scene.start)) return scene;
  std::fprintf(stderr, "settling %d spheres, once (kept in %s)\n", count, path.c_str());
  scene.start.impulses.clear();
  let_settle(scene, 20, 1e-3, 200, scene.start);
  let_settle(scene, 30, 1e-8, 100, scene.start);
  scene.start.state.t = 0;
  CheckpointFile(path, true).transfer(scene.start);
  return scene;
}

}  // namespace clack::bench
