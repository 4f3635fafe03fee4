// Mass properties against formulas of handbooks, meshes of the same solid and sums over points.
#include "clack/model/shapes/mass.hpp"

#include <gtest/gtest.h>

#include <random>

#include "clack/core/error.hpp"
#include "tests/collide/reference.hpp"

namespace clack {
namespace {

void expect_mass(const Shape& shape, double mass, const Vector3& inertia) {
  const MassProperties m = compute_mass(shape, 3);
  EXPECT_NEAR(m.mass, mass, 1e-13 * mass);
  EXPECT_LT(m.centre.norm(), 1e-14);
  EXPECT_LT((m.inertia - Matrix3(inertia.asDiagonal())).norm(), 1e-13 * inertia.norm());
}

TEST(Mass, FollowsTheFormulasOfTheHandbook) {
  const double r = 0.7, l = 0.9, h = 2 * l, rho = 3;
  const double ball = rho * 4 * M_PI / 3 * r * r * r, tube = rho * M_PI * r * r * h;
  expect_mass(Shape(Sphere(r)), ball, Vector3::Constant(0.4 * ball * r * r));
  const double across = tube * (3 * r * r + h * h) / 12;
  expect_mass(Shape(Cylinder(r, l)), tube, Vector3(across, across, tube * r * r / 2));
  const double cone = rho * M_PI * r * r * h / 3, lean = cone * (3. / 20 * r * r + 3. / 80 * h * h);
  expect_mass(Shape(ConeShape(r, h)), cone, Vector3(lean, lean, 0.3 * cone * r * r));
  const double caps = ball * (0.4 * r * r + l * l + 0.75 * l * r);
  expect_mass(Shape(Capsule(r, l)), tube + ball,
              Vector3(across + caps, across + caps, tube * r * r / 2 + 0.4 * ball * r * r));
  const double brick = rho * 8 * 1 * 2 * 3;
  expect_mass(Shape(Box(Vector3(1, 2, 3))), brick, brick / 3 * Vector3(4 + 9, 1 + 9, 1 + 4));
}

TEST(Mass, OfShapesOfThePlaneFollowsTheHandbook) {
  const double r = 0.7, l = 0.9, rho = 3;
  const MassProperties disc = compute_mass(Shape(Disc(r)), rho);
  EXPECT_NEAR(disc.mass, rho * M_PI * r * r, 1e-14);
  EXPECT_NEAR(disc.inertia(2, 2), disc.mass * r * r / 2, 1e-14);
  const MassProperties square = compute_mass(Shape(Polygon({{0, 0}, {2, 0}, {2, 2}, {0, 2}})), rho);
  EXPECT_NEAR(square.mass, rho * 4, 1e-14);
  EXPECT_LT((square.centre - Vector3(1, 1, 0)).norm(), 1e-14);
  EXPECT_NEAR(square.inertia(2, 2), square.mass * 4 / 6, 1e-13);
  const double bar = rho * 4 * l * r, ends = rho * M_PI * r * r;
  const MassProperties capsule = compute_mass(Shape(PlanarCapsule(r, l)), rho);
  EXPECT_NEAR(capsule.mass, bar + ends, 1e-13);
  // Half discs: their centre is 4r/(3 pi) beyond the ends of the bar.
  const double c = 4 * r / (3 * M_PI);
  EXPECT_NEAR(capsule.inertia(2, 2),
              bar * (l * l + r * r) / 3 + ends * (r * r / 2 - c * c + (l + c) * (l + c)), 1e-12);
}

// Integrals by many points of a box around the shape (Halton's sequence).
double radical_inverse(int i, int base) {
  double value = 0, digit = 1;
  for (; i > 0; i /= base) value += (digit /= base) * (i % base);
  return value;
}

void expect_moments_of_points(const Shape& shape, double tolerance) {
  const BoundingBox box = shape.bounds();
  const int count = 200000;
  Moments sum;
  const Vector3 side = box.upper - box.lower;
  const double share = side.prod() / count;
  for (int i = 1; i <= count; ++i) {
    const Vector3 unit(radical_inverse(i, 2), radical_inverse(i, 3), radical_inverse(i, 5));
    const Vector3 point = box.lower + unit.cwiseProduct(side);
    if (reference::distance_outside(shape, point) > 0) continue;
    sum.volume += share;
    sum.first += share * point;
    sum.second += share * point * point.transpose();
  }
  const Moments exact = compute_moments(shape);
  EXPECT_NEAR(exact.volume, sum.volume, tolerance * sum.volume);
  EXPECT_LT((exact.first - sum.first).norm(), tolerance * sum.volume);
  EXPECT_LT((exact.second - sum.second).norm(), tolerance * sum.second.norm());
}

// The whole less the hole, which the wall's own formulas do not use.
TEST(Mass, OfAHollowShapeIsThatOfTheSolidLessThatOfTheHole) {
  const std::pair<Shape, std::pair<Shape, Shape>> cases[] = {
      {Shape(RingShape(0.4, 0.7)), {Shape(Disc(0.7)), Shape(Disc(0.4))}},
      {Shape(Tube(0.4, 0.7, 0.9)), {Shape(Cylinder(0.7, 0.9)), Shape(Cylinder(0.4, 0.9))}},
      {Shape(Socket(0.4, 0.7)), {Shape(Sphere(0.7)), Shape(Sphere(0.4))}}};
  for (const auto& [hollow, parts] : cases) {
    const MassProperties all = compute_mass(parts.first, 3), hole = compute_mass(parts.second, 3);
    const MassProperties wall = compute_mass(hollow, 3);
    EXPECT_NEAR(wall.mass, all.mass - hole.mass, 1e-13);
    // About one centre the moments of inertia subtract.
    EXPECT_LT((wall.inertia - (all.inertia - hole.inertia)).norm(), 1e-13);
    EXPECT_LT(wall.centre.norm(), 1e-14);
  }
  expect_moments_of_points(Shape(Tube(0.4, 0.7, 0.9)), 2e-3);
  expect_moments_of_points(Shape(Socket(0.4, 0.7)), 2e-3);
}

TEST(Mass, OfRoundedShapesAgreesWithASumOverPoints) {
  expect_moments_of_points(Shape(Box(Vector3(1, 0.5, 0.7), 0.4)), 2e-3);
  expect_moments_of_points(Shape(Cylinder(0.8, 0.5, 0.3)), 2e-3);
  expect_moments_of_points(Shape(ConeShape(0.8, 1.1, 0.3)), 2e-3);
  std::mt19937_64 random(8);
  for (int k = 0; k < 2; ++k)
    expect_moments_of_points(*reference::random_convex(ShapeKind::polyhedron, random, k == 1),
                             2e-3);
}

// A rounded box is three slabs' worth of boxes, quarter cylinders and eighths of a ball.
TEST(Mass, OfARoundedBoxHasSteinersVolume) {
  const double r = 0.4;
  const Vector3 a(1, 0.5, 0.7);
  const double surface = 8 * (a.x() * a.y() + a.y() * a.z() + a.z() * a.x());
  const double expected =
      8 * a.prod() + surface * r + 2 * M_PI * r * r * a.sum() + 4 * M_PI / 3 * r * r * r;
  EXPECT_NEAR(compute_moments(Shape(Box(a, r))).volume, expected, 1e-13);
}

TriangleMesh mesh_of(const Polytope& p) {
  std::vector<Triangle> triangles;
  for (const PolytopeFace& face : p.faces)
    for (int i = face.begin + 1; i + 1 < face.end; ++i)
      triangles.push_back({p.loops[face.begin], p.loops[i], p.loops[i + 1]});
  return TriangleMesh(p.vertices, triangles);
}

TEST(Mass, OfAPolyhedronIsThatOfItsMesh) {
  std::mt19937_64 random(9);
  for (int k = 0; k < 50; ++k) {
    const ShapePtr solid = reference::random_convex(ShapeKind::polyhedron, random, false);
    const Moments a = compute_moments(*solid);
    const Moments b = compute_moments(Shape(mesh_of(solid->as<Polyhedron>().core)));
    EXPECT_NEAR(a.volume, b.volume, 1e-13);
    EXPECT_LT((a.first - b.first).norm(), 1e-13);
    EXPECT_LT((a.second - b.second).norm(), 1e-13);
  }
}

TEST(Mass, OfACompoundIsTheSumOfItsParts) {
  const ShapePtr left = make_shape(Box(Vector3(0.5, 1, 1)));
  const Shape halves{Compound({{left, {Vector3(-0.5, 0, 0), Matrix3::Identity()}},
                               {left, {Vector3(0.5, 0, 0), Matrix3::Identity()}}})};
  const MassProperties whole = compute_mass(Shape(Box(Vector3::Ones())), 2),
                       sum = compute_mass(halves, 2);
  EXPECT_NEAR(whole.mass, sum.mass, 1e-14);
  EXPECT_LT((whole.inertia - sum.inertia).norm(), 1e-13);
}

TEST(Mass, PrincipalShapesHaveTheirCentreAtTheOriginAndNoProducts) {
  std::mt19937_64 random(10);
  for (int k = 0; k < 50; ++k) {
    std::vector<Vector3> points;
    for (int i = 0; i < 12; ++i)
      points.push_back(Vector3(5, 0, 1) + reference::random_unit(random));
    const ShapePtr shape = make_shape(Polyhedron(points));
    const PrincipalShape principal = make_principal(shape, 2);
    const MassProperties mass = compute_mass(*principal.shape, 2);
    EXPECT_LT(mass.centre.norm(), 1e-12);
    EXPECT_LT((mass.inertia - Matrix3(principal.moments.asDiagonal())).norm(), 1e-11);
    EXPECT_NEAR(principal.offset.rotation.determinant(), 1, 1e-12);
    EXPECT_LT((principal.offset.position - compute_mass(*shape, 2).centre).norm(), 1e-14);
  }
  const ShapePtr cube = make_shape(Box(Vector3::Ones()));
  EXPECT_EQ(make_principal(cube, 1).shape, cube);
}

TEST(Mass, IsRefusedWhereThereIsNone) {
  EXPECT_THROW(compute_mass(Shape(Plane()), 1), InputError);
  EXPECT_THROW(compute_mass(Shape(Line()), 1), InputError);
  EXPECT_THROW(compute_mass(Shape(Segment({0, 0}, {1, 0})), 1), InputError);
  EXPECT_THROW(compute_mass(Shape(HeightField(2, 2, 1, 1, {0, 0, 0, 0})), 1), InputError);
  const TriangleMesh open({Vector3::Zero(), Vector3::UnitX(), Vector3::UnitY()}, {{0, 1, 2}});
  EXPECT_THROW(compute_mass(Shape(open), 1), InputError);
  EXPECT_THROW(compute_mass(Shape(Sphere(1)), 0), InputError);
  TriangleMesh inside_out = mesh_of(make_box_polytope(Vector3::Ones()));
  for (Triangle& t : inside_out.triangles) std::swap(t[0], t[1]);
  EXPECT_THROW(compute_mass(Shape(TriangleMesh(inside_out.vertices, inside_out.triangles)), 1),
               InputError);
}

}  // namespace
}  // namespace clack
