#include "clack/collide/world_detection.hpp"

#include <gtest/gtest.h>

#include <random>

namespace clack {
namespace {

// Spheres and boxes in random motion over a plane that rises.
struct Crowd {
  RigidWorld world;
  WorldState state;
  std::vector<double> reach;
  std::mt19937_64 random{5};
  std::uniform_real_distribution<double> unit{-1, 1};

  Vector3 any() { return {unit(random), unit(random), unit(random)}; }

  Crowd() {
    world.materials.push_back({"stuff", 1000, 0.5, 0});
    Body plane;
    plane.kind = BodyKind::driven;
    plane.shape = make_shape(Plane(Vector3::UnitZ()));
    world.bodies.push_back(plane);
    state.bodies.emplace_back();
    for (int i = 0; i < 150; ++i) {
      BodyState s;
      const ShapePtr shape = i % 5 == 0 ? make_shape(Box({0.5, 0.4, 0.6}))
                                        : make_shape(Sphere(0.5 + 0.1 * unit(random)));
      world.bodies.push_back(make_body("body", shape, world.materials[0], 0,
                                       {3 * any() + Vector3(0, 0, 3), Matrix3::Identity()}, s));
      s.v = any();
      state.bodies.push_back(s);
    }
    world.bodies[7].removal = 0.3;
    reach.resize(state.bodies.size());
  }
  void advance(double h) {
    state.t += h;
    state.bodies[0].position.z() += 0.1 * h;
    for (std::size_t i = 0; i < state.bodies.size(); ++i) {
      BodyState& s = state.bodies[i];
      if (i > 0) {
        s.position += h * s.v;
        s.rotation = Quaternion(Eigen::AngleAxisd(h, s.v.normalized())) * s.rotation;
        if (unit(random) > 0.98) s.v = any();
      }
      reach[i] = h * (s.v.norm() + 1);
    }
  }
};

void expect_same(const LargeArray<WorldContact>& a, const LargeArray<WorldContact>& b, int step) {
  ASSERT_EQ(a.size(), b.size()) << step;
  for (std::size_t k = 0; k < a.size(); ++k) {
    ASSERT_TRUE(a[k].a == b[k].a && a[k].b == b[k].b && a[k].gap == b[k].gap &&
                a[k].position == b[k].position && a[k].normal == b[k].normal &&
                a[k].feature == b[k].feature)
        << step << " " << k;
  }
}

TEST(WorldDetection, ContactsAreThoseOfANewBroadPhaseInEachStep) {
  Crowd crowd;
  WorldDetection kept(crowd.world);
  std::size_t contacts = 0;
  constexpr int kSteps = 400;
  for (int k = 0; k < kSteps; ++k) {
    crowd.advance(2e-3);
    WorldDetection fresh(crowd.world);
    expect_same(kept.find(crowd.state, crowd.reach), fresh.find(crowd.state, crowd.reach), k);
    contacts += kept.contacts().size();
  }
  EXPECT_GT(contacts, 50u * kSteps);
  EXPECT_LT(kept.lists_made(), kSteps / 4);
  EXPECT_GT(kept.lists_made(), 5);
}

// Each pair of spheres whose gap is within the margin, and no other.
TEST(WorldDetection, AllPairsWithinTheMarginAreFound) {
  Crowd crowd;
  WorldDetection detection(crowd.world);
  for (int step = 0; step < 50; ++step) {
    crowd.advance(1e-2);
    std::size_t found = 0, expected = 0;
    for (const WorldContact& contact : detection.find(crowd.state, crowd.reach)) {
      const auto sphere = [&](int i) {
        return crowd.world.bodies[static_cast<std::size_t>(i)].shape->kind() == ShapeKind::sphere;
      };
      found += sphere(contact.a) && sphere(contact.b);
    }
    for (std::size_t i = 1; i < crowd.state.bodies.size(); ++i) {
      for (std::size_t j = i + 1; j < crowd.state.bodies.size(); ++j) {
        const Body &a = crowd.world.bodies[i], &b = crowd.world.bodies[j];
        if (a.shape->kind() != ShapeKind::sphere || b.shape->kind() != ShapeKind::sphere) continue;
        if (!a.is_present(crowd.state.t) || !b.is_present(crowd.state.t)) continue;
        const double distance =
            (crowd.state.bodies[j].position - crowd.state.bodies[i].position).norm();
        expected += distance - a.shape->as<Sphere>().radius - b.shape->as<Sphere>().radius <=
                    crowd.reach[i] + crowd.reach[j];
      }
    }
    ASSERT_EQ(found, expected) << step;
  }
}

}  // namespace
}  // namespace clack
