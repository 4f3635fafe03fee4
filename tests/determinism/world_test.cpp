// The same bits on any number of threads, for whole worlds.
#include <gtest/gtest.h>

#include <cstdint>
#include <random>

#include "tests/determinism/state_hash.hpp"
#include "tests/support/body_simulation.hpp"

namespace clack {
namespace {

// Spheres on a lattice that just touch each other, in a box, pushed to one side.
struct Heap {
  std::shared_ptr<RigidWorld> world = std::make_shared<RigidWorld>();
  WorldState state;

  explicit Heap(int side) {
    world->materials.push_back({"grain", 1, 0.5, 0});
    world->gravity = {3, 1, -10};
    const double width = 2.0 * side;
    add_wall(Vector3::UnitZ(), Vector3::Zero());
    add_wall(-Vector3::UnitX(), {width, 0, 0});
    add_wall(-Vector3::UnitY(), {0, width, 0});
    std::mt19937_64 random(3);
    std::uniform_real_distribution<double> unit(0, 1);
    for (int i = 0; i < side * side * side; ++i) {
      const Vector3 cell(i % side, i / side % side, i / side / side);
      BodyState s;
      world->bodies.push_back(make_body("grain", make_shape(Sphere(0.95 + 0.05 * unit(random))),
                                        world->materials[0], 0,
                                        {2 * cell + Vector3::Ones(), Matrix3::Identity()}, s));
      s.v = 0.5 * Vector3(unit(random), unit(random), -unit(random));
      state.bodies.push_back(s);
    }
  }
  void add_wall(const Vector3& normal, const Vector3& point) {
    Body body;
    body.kind = BodyKind::fixed;
    body.shape = make_shape(Plane(normal));
    world->bodies.push_back(body);
    state.bodies.emplace_back().position = point;
  }
};

std::uint64_t hash_after(const Heap& heap, int steps, int threads, std::size_t& contacts) {
  SimulationOptions options = body_options();
  options.h = 0.01;
  options.threads = threads;
  options.solver_options.tolerance = 1e-4;
  options.solver_options.max_iterations = 60;
  test::BodySimulation simulation(heap.world, heap.state, options);
  for (int k = 0; k < steps; ++k) (void)simulation.step();
  contacts = simulation.contacts().size();
  return test::hash_of(simulation.state());
}

TEST(Determinism, ThousandsOfSpheresMoveTheSameOnAnyNumberOfThreads) {
  const Heap heap(14);
  std::size_t contacts = 0;
  const std::uint64_t one = hash_after(heap, 20, 1, contacts);
  EXPECT_GT(contacts, 4000u);
  EXPECT_EQ(hash_after(heap, 20, 2, contacts), one);
  EXPECT_EQ(hash_after(heap, 20, 8, contacts), one);
  EXPECT_NE(hash_after(heap, 19, 1, contacts), one) << "the hash sees nothing";
}

// More bodies than stay in the cache: lines and contacts in Morton's order.
TEST(Determinism, BodiesAlongACurveMoveTheSameOnAnyNumberOfThreads) {
  const Heap heap(26);
  std::size_t contacts = 0;
  const std::uint64_t one = hash_after(heap, 2, 1, contacts);
  EXPECT_EQ(hash_after(heap, 2, 8, contacts), one);
}

}  // namespace
}  // namespace clack
