// Time of contact detection, single thread. Each line says how many candidates and contacts were
// found. Remake: ./do bench collide
#include <benchmark/benchmark.h>

#include <random>

#include "clack/collide/broad_phase.hpp"
#include "clack/collide/narrow/collide.hpp"

namespace clack {
namespace {

Matrix3 random_rotation(std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  return Eigen::Quaterniond(normal(random), normal(random), normal(random), normal(random))
      .normalized()
      .toRotationMatrix();
}

// Balls near a face-centred lattice of density 0.6, in random order.
struct Packing {
  std::vector<ShapePtr> shapes;
  std::vector<Pose> poses;
  std::vector<BoundingBox> boxes;

  Packing(int count, double ratio) {
    std::mt19937_64 random(1);
    std::uniform_real_distribution<double> unit(0, 1);
    const int side = static_cast<int>(std::ceil(std::cbrt(count / 4.0)));
    const double spacing = std::cbrt(4 * 4 * M_PI / 3 / 0.6);
    for (int i = 0; i < count; ++i) {
      const int cell = i / 4, x = cell % side, y = cell / side % side, z = cell / side / side;
      const double half = spacing / 2;
      Vector3 centre(x * spacing + (i % 4 == 1 || i % 4 == 2) * half,
                     y * spacing + (i % 4 == 1 || i % 4 == 3) * half,
                     z * spacing + (i % 4 == 2 || i % 4 == 3) * half);
      centre += 0.6 * Vector3(unit(random), unit(random), unit(random));
      const double radius = ratio == 1 ? 1 : std::pow(ratio, 1 - std::pow(unit(random), 0.05));
      shapes.push_back(i > 0 && ratio == 1 ? shapes[0] : make_shape(Sphere(radius)));
      poses.push_back({centre, Matrix3::Identity()});
    }
    std::shuffle(poses.begin(), poses.end(), random);
    boxes.resize(count);
  }
  void update_boxes(double margin) {
    for (std::size_t i = 0; i < boxes.size(); ++i)
      boxes[i] = bounds(*shapes[i], poses[i]).grown(0.5 * margin);
  }
};

void broad_phase(benchmark::State& state) {
  Packing packing(static_cast<int>(state.range(0)), static_cast<double>(state.range(1)));
  packing.update_boxes(0.02);
  BroadPhase broad;
  std::size_t pairs = 0;
  for (auto _ : state) pairs = broad.find(packing.boxes).size();
  state.counters["candidates"] = static_cast<double>(pairs);
}
BENCHMARK(broad_phase)
    ->Args({1000, 1})
    ->Args({10000, 1})
    ->Args({100000, 1})
    ->Args({10000, 100})
    ->Args({100000, 100})
    ->Unit(benchmark::kMicrosecond);

void detect_spheres(benchmark::State& state) {
  Packing packing(static_cast<int>(state.range(0)), 1);
  BroadPhase broad;
  Manifold manifold;
  long contacts = 0;
  for (auto _ : state) {
    packing.update_boxes(0.02);
    contacts = 0;
    for (const CandidatePair& pair : broad.find(packing.boxes)) {
      collide(*packing.shapes[pair.a], packing.poses[pair.a], *packing.shapes[pair.b],
              packing.poses[pair.b], 0.02, manifold);
      contacts += static_cast<long>(manifold.points.size());
    }
  }
  state.counters["contacts"] = static_cast<double>(contacts);
}
BENCHMARK(detect_spheres)->Arg(10000)->Unit(benchmark::kMicrosecond);

ShapePtr random_hull(int count, std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  std::vector<Vector3> points;
  for (int i = 0; i < count; ++i)
    points.push_back(Vector3(normal(random), normal(random), normal(random)).normalized());
  return make_shape(Polyhedron(points));
}

ShapePtr shape_of(const std::string& name, std::mt19937_64& random) {
  if (name == "sphere") return make_shape(Sphere(1));
  if (name == "capsule") return make_shape(Capsule(0.5, 1));
  if (name == "box") return make_shape(Box(Vector3(1, 0.8, 0.6)));
  if (name == "cylinder") return make_shape(Cylinder(0.8, 1));
  if (name == "plane") return make_shape(Plane());
  return random_hull(name == "hull20" ? 20 : 100, random);
}

// Pairs in random poses, the centres moved so that the gap is about the one given.
void pair(benchmark::State& state, const std::string& a, const std::string& b, double gap) {
  std::mt19937_64 random(2);
  const ShapePtr shape_a = shape_of(a, random), shape_b = shape_of(b, random);
  constexpr int kCount = 256;
  std::vector<Pose> poses_a(kCount), poses_b(kCount);
  Manifold manifold;
  for (int i = 0; i < kCount; ++i) {
    if (a != "plane") poses_a[i].rotation = random_rotation(random);
    poses_b[i] = {Vector3(0.1, 0.2, 3), random_rotation(random)};
    for (int k = 0; k < 4; ++k) {
      collide(*shape_a, poses_a[i], *shape_b, poses_b[i], 10, manifold);
      double least = 1e9;
      for (const ContactPoint& point : manifold.points) least = std::min(least, point.gap);
      poses_b[i].position.z() -= least - gap;
    }
  }
  long points = 0, calls = 0;
  for (auto _ : state) {
    const int i = static_cast<int>(calls++ % kCount);
    collide(*shape_a, poses_a[i], *shape_b, poses_b[i], 0.02, manifold);
    points += static_cast<long>(manifold.points.size());
  }
  state.counters["points"] = static_cast<double>(points) / static_cast<double>(calls);
}

BENCHMARK_CAPTURE(pair, sphere_sphere, "sphere", "sphere", 0.0);
BENCHMARK_CAPTURE(pair, plane_sphere, "plane", "sphere", 0.0);
BENCHMARK_CAPTURE(pair, capsule_capsule, "capsule", "capsule", 0.0);
BENCHMARK_CAPTURE(pair, box_sphere, "box", "sphere", 0.0);
BENCHMARK_CAPTURE(pair, plane_box, "plane", "box", 0.0);
BENCHMARK_CAPTURE(pair, box_box_open, "box", "box", 0.01);
BENCHMARK_CAPTURE(pair, box_box_deep, "box", "box", -0.01);
BENCHMARK_CAPTURE(pair, capsule_box_open, "capsule", "box", 0.01);
BENCHMARK_CAPTURE(pair, hull20_open, "hull20", "hull20", 0.01);
BENCHMARK_CAPTURE(pair, hull20_deep, "hull20", "hull20", -0.01);
BENCHMARK_CAPTURE(pair, hull100_open, "hull100", "hull100", 0.01);
BENCHMARK_CAPTURE(pair, hull100_deep, "hull100", "hull100", -0.01);
BENCHMARK_CAPTURE(pair, cylinder_cylinder_open, "cylinder", "cylinder", 0.01);
BENCHMARK_CAPTURE(pair, cylinder_cylinder_deep, "cylinder", "cylinder", -0.01);
BENCHMARK_CAPTURE(pair, cylinder_box_deep, "cylinder", "box", -0.01);

}  // namespace
}  // namespace clack

BENCHMARK_MAIN();
