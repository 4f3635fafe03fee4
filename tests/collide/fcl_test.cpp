// Distances against FCL (its GJK is libccd's). Its depths are those of one normal, not of the best
// one, and its GJK stops at about 1e-6; depths are proved in convex_pairs_test.cpp.
#include <fcl/narrowphase/collision.h>
#include <fcl/narrowphase/distance.h>
#include <gtest/gtest.h>

#include "tests/collide/certificate.hpp"

namespace clack::reference {
namespace {

struct FclBody {
  std::shared_ptr<fcl::CollisionGeometryd> geometry;
  double lift = 0;  // of its origin along our z
};

FclBody make_convex_body(const Polytope& p) {
  auto vertices =
      std::make_shared<std::vector<fcl::Vector3d>>(p.vertices.begin(), p.vertices.end());
  auto faces = std::make_shared<std::vector<int>>();
  for (const PolytopeFace& face : p.faces) {
    faces->push_back(face.end - face.begin);
    for (int i = face.begin; i < face.end; ++i) faces->push_back(p.loops[i]);
  }
  return {std::make_shared<fcl::Convexd>(vertices, static_cast<int>(p.faces.size()), faces)};
}

FclBody make_body(const Shape& s) {
  switch (s.kind()) {
    case ShapeKind::sphere:
      return {std::make_shared<fcl::Sphered>(s.as<Sphere>().radius)};
    case ShapeKind::capsule:
      return {
          std::make_shared<fcl::Capsuled>(s.as<Capsule>().radius, 2 * s.as<Capsule>().half_length)};
    case ShapeKind::cylinder:
      return {std::make_shared<fcl::Cylinderd>(s.as<Cylinder>().radius,
                                               2 * s.as<Cylinder>().half_length)};
    case ShapeKind::cone:
      return {std::make_shared<fcl::Coned>(s.as<ConeShape>().radius, s.as<ConeShape>().height),
              s.as<ConeShape>().height / 4};
    case ShapeKind::box:
      return {std::make_shared<fcl::Boxd>(2 * s.as<Box>().half)};
    default:
      return make_convex_body(s.as<Polyhedron>().core);
  }
}

fcl::Transform3d transform(const Pose& pose, double lift) {
  fcl::Transform3d result = fcl::Transform3d::Identity();
  result.linear() = pose.rotation;
  result.translation() = pose.position + lift * pose.rotation.col(2);
  return result;
}

double fcl_distance(const Pair& pair, const FclBody& a, const FclBody& b) {
  fcl::DistanceRequestd request;
  request.gjk_solver_type = fcl::GST_LIBCCD;
  request.distance_tolerance = 1e-8;
  fcl::DistanceResultd result;
  return fcl::distance(a.geometry.get(), transform(pair.pose_a, a.lift), b.geometry.get(),
                       transform(pair.pose_b, b.lift), request, result);
}

bool fcl_overlap(const Pair& pair, const FclBody& a, const FclBody& b) {
  fcl::CollisionResultd result;
  return fcl::collide(a.geometry.get(), transform(pair.pose_a, a.lift), b.geometry.get(),
                      transform(pair.pose_b, b.lift), fcl::CollisionRequestd(), result) > 0;
}

TEST(Fcl, AgreesOnDistancesAndOverlaps) {
  std::mt19937_64 random(21);
  Manifold manifold;
  double worst = 0;
  int apart = 0, overlap = 0;
  for (const ShapeKind kind_a : kConvexKinds)
    for (const ShapeKind kind_b : kConvexKinds) {
      for (int k = 0; k < 100; ++k) {
        const ShapePtr a = random_convex(kind_a, random, false),
                       b = random_convex(kind_b, random, false);
        const FclBody body_a = make_body(*a), body_b = make_body(*b);
        const Pair pair = random_pair(*a, *b, random);
        collide(*a, pair.pose_a, *b, pair.pose_b, 2 * pair.size(), manifold);
        const double gap = deepest(manifold).gap;
        if (std::abs(gap) < 1e-4) continue;
        EXPECT_EQ(fcl_overlap(pair, body_a, body_b), gap < 0) << int(kind_a) << " " << int(kind_b);
        ++(gap < 0 ? overlap : apart);
        if (gap < 0) continue;
        const double error = std::abs(fcl_distance(pair, body_a, body_b) - gap) / pair.size();
        worst = std::max(worst, error);
        EXPECT_LT(error, 1e-6) << int(kind_a) << " " << int(kind_b);
      }
    }
  EXPECT_GT(apart, 1000);
  EXPECT_GT(overlap, 1000);
  RecordProperty("worst", std::to_string(worst));
}

}  // namespace
}  // namespace clack::reference
