// Detection allocates nothing once it is warm.
#include <gtest/gtest.h>

#include "clack/collide/broad_phase.hpp"
#include "tests/collide/reference.hpp"
#include "tests/count_allocations.hpp"

namespace clack {
namespace {

std::vector<ShapePtr> all_shapes() {
  std::mt19937_64 random(1);
  std::vector<ShapePtr> shapes;
  for (const ShapeKind kind : reference::kConvexKinds)
    shapes.push_back(reference::random_convex(kind, random, true));
  std::vector<Vector3> points;
  for (int i = 0; i < 100; ++i) points.push_back(reference::random_unit(random));
  shapes.push_back(make_shape(Polyhedron(points)));
  shapes.push_back(make_shape(HeightField(9, 9, 0.5, 0.5, std::vector<double>(81, 0.0))));
  shapes.push_back(make_shape(Plane()));
  shapes.push_back(make_shape(Compound({{shapes[0], {}}, {shapes[4], {}}})));
  return shapes;
}

void collide_all(const std::vector<ShapePtr>& shapes, const std::vector<Pose>& poses,
                 Manifold& manifold) {
  for (const ShapePtr& a : shapes)
    for (const ShapePtr& b : shapes)
      for (const Pose& pose : poses) collide(*a, {}, *b, pose, 0.1, manifold);
}

TEST(Allocation, AWarmNarrowPhaseAllocatesNothing) {
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "the sanitizer owns malloc";
#endif
  const std::vector<ShapePtr> shapes = all_shapes();
  std::mt19937_64 random(2);
  std::vector<Pose> poses;
  for (int k = 0; k < 50; ++k)
    poses.push_back(
        {0.05 * k * reference::random_unit(random), reference::random_rotation(random)});
  Manifold manifold;
  collide_all(shapes, poses, manifold);
  const long before = allocations;
  collide_all(shapes, poses, manifold);
  EXPECT_EQ(allocations - before, 0);
  EXPECT_GT(before, 0);
}

TEST(Allocation, AWarmBroadPhaseAllocatesNothing) {
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "the sanitizer owns malloc";
#endif
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> unit(0, 10);
  std::vector<BoundingBox> boxes;
  for (int i = 0; i < 1000; ++i) {
    const Vector3 corner(unit(random), unit(random), unit(random));
    boxes.push_back({corner, corner + 0.1 * Vector3::Constant(unit(random))});
  }
  BroadPhase broad_phase;
  const auto first = broad_phase.find(boxes);
  const long before = allocations;
  const std::size_t count = broad_phase.find(boxes).size();
  EXPECT_EQ(allocations - before, 0);
  EXPECT_EQ(count, first.size());
}

}  // namespace
}  // namespace clack
