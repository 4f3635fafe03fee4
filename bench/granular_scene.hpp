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

#include "clack/integrate/world_simulation.hpp"

namespace clack::bench {

struct GranularScene {
  std::shared_ptr<RigidWorld> world = std::make_shared<RigidWorld>();
  WorldState state;
  int walls = 5;  // the first bodies: floor, x low, x high, y low, y high
};

constexpr double kGranularStep = 0.01;  // [s]

// A fixed plane through `point`; solid is the side against the normal.
inline void add_wall(GranularScene& scene, const Vector3& normal, const Vector3& point) {
  Body body;
  body.name = "wall";
  body.kind = BodyKind::fixed;
  body.shape = make_shape(Plane(normal));
  scene.world->bodies.push_back(body);
  scene.state.bodies.emplace_back().position = point;
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
    scene.state.bodies.push_back(s);
  }
  return scene;
}

inline WorldOptions granular_options(double tolerance, int threads = 1) {
  WorldOptions options;
  options.h = kGranularStep;
  options.solver_options.tolerance = tolerance;
  options.solver_options.max_iterations = 2000;
  options.threads = threads;
  return options;
}

inline bool transfer_state(const std::string& path, WorldState& state, bool write) {
  std::fstream file(path, std::ios::binary | (write ? std::ios::out : std::ios::in));
  for (BodyState& body : state.bodies) {
    for (double* values : {body.position.data(), body.v.data(), body.omega.data(),
                           body.rotation.coeffs().data()}) {
      const auto size = static_cast<std::streamsize>(
          sizeof(double) * (values == body.rotation.coeffs().data() ? 4 : 3));
      if (write)
        file.write(reinterpret_cast<const char*>(values), size);
      else
        file.read(reinterpret_cast<char*>(values), size);
    }
  }
  return static_cast<bool>(file);
}

// The scene after `seconds` of settling.
inline GranularScene make_settled_scene(int count, int layers, double seconds) {
  GranularScene scene = make_granular_scene(count, layers);
  const std::filesystem::path folder = std::filesystem::path(CLACK_BINARY_DIR) / "bench";
  std::filesystem::create_directories(folder);
  const std::string path = folder / ("settled_" + std::to_string(count) + "_" +
                                     std::to_string(layers) + ".state");
  if (std::filesystem::exists(path) && transfer_state(path, scene.state, false)) return scene;
  std::fprintf(stderr, "settling %d spheres for %g s, once\n", count, seconds);
  WorldOptions options = granular_options(1e-3);
  options.solver_options.max_iterations = 200;
  WorldSimulation simulation(scene.world, scene.state, options);
  while (simulation.time() < seconds) {
    if (simulation.time() > seconds - 2) {  // the end at rest, well solved
      options = granular_options(1e-6);
      break;
    }
    (void)simulation.step();
  }
  WorldState late = simulation.state();
  late.t = 0;
  WorldSimulation fine(scene.world, late, options);
  while (fine.time() < 2) (void)fine.step();
  scene.state = fine.state();
  scene.state.t = 0;
  transfer_state(path, scene.state, true);
  return scene;
}

}  // namespace clack::bench
