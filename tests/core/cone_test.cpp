#include "clack/core/cone.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <random>
#include <vector>

#include "clack/core/error.hpp"

namespace clack {
namespace {

using Point = std::array<double, Cone::kMaxDim>;

std::vector<Cone> all_cones() {
  return {Cone::free(1),          Cone::free(3),         Cone::nonnegative(),
          Cone::coulomb(2, 0.3),  Cone::coulomb(3, 0.3), Cone::coulomb(3, 0.0),
          Cone::coulomb(3, 1e3),  Cone::rolling(0.5, 0.1), Cone::rolling(0.2, 2.0)};
}

Point random_point(std::mt19937& random, int dim) {
  std::normal_distribution<double> normal;
  Point x{};
  for (int k = 0; k < dim; ++k) x[k] = normal(random);
  return x;
}

double dot(const Point& a, const Point& b, int dim) {
  double sum = 0;
  for (int k = 0; k < dim; ++k) sum += a[k] * b[k];
  return sum;
}

// Membership by the definition, not by the projection.
bool inside(const Cone& cone, const Point& x, double slack) {
  if (cone.is_free()) return true;
  if (x[0] < -slack) return false;
  for (int d = 0; d < cone.disc_count(); ++d) {
    double square = 0;
    for (int k = 0; k < cone.disc(d).dim; ++k) square += std::pow(x[cone.disc(d).begin + k], 2);
    if (std::sqrt(square) > cone.disc(d).radius * x[0] + slack) return false;
  }
  return true;
}

TEST(Cone, ProjectionLiesInTheConeAndLeavesItsPointsAlone) {
  std::mt19937 random(1);
  for (const Cone& cone : all_cones()) {
    for (int trial = 0; trial < 1000; ++trial) {
      Point p = random_point(random, cone.dim());
      cone.project(p.data(), p.data());
      EXPECT_TRUE(inside(cone, p, 1e-12));
      Point again = p;
      cone.project(again.data(), again.data());
      for (int k = 0; k < cone.dim(); ++k) EXPECT_NEAR(again[k], p[k], 1e-13);
    }
  }
}

// The variational characterisation (x - p) . (z - p) <= 0 for all z in K.
TEST(Cone, ProjectionSatisfiesItsVariationalInequality) {
  std::mt19937 random(2);
  for (const Cone& cone : all_cones()) {
    for (int trial = 0; trial < 300; ++trial) {
      const Point x = random_point(random, cone.dim());
      Point p{};
      cone.project(x.data(), p.data());
      for (int other = 0; other < 20; ++other) {
        Point z = random_point(random, cone.dim());
        cone.project(z.data(), z.data());
        double product = 0;
        for (int k = 0; k < cone.dim(); ++k) product += (x[k] - p[k]) * (z[k] - p[k]);
        EXPECT_LE(product, 1e-9);
      }
    }
  }
}

TEST(Cone, MoreausDecompositionIsOrthogonal) {
  std::mt19937 random(3);
  for (const Cone& cone : all_cones()) {
    for (int trial = 0; trial < 300; ++trial) {
      const Point x = random_point(random, cone.dim());
      Point p{}, rest{};
      cone.project(x.data(), p.data());
      for (int k = 0; k < cone.dim(); ++k) rest[k] = p[k] - x[k];  // the part in the dual cone
      EXPECT_NEAR(dot(p, rest, cone.dim()), 0.0, 1e-9);
      EXPECT_NEAR(cone.dual_distance(rest.data()), 0.0, 1e-9);
    }
  }
}

TEST(Cone, ProjectionOnCoulombsConeHasTheTextbookForm) {
  const double mu = 0.5;
  const Cone cone = Cone::coulomb(3, mu);
  const double x[3] = {0.1, 3.0, 4.0};  // outside, |x_T| = 5
  double p[3];
  cone.project(x, p);
  const double normal = (0.1 + mu * 5) / (1 + mu * mu);
  EXPECT_DOUBLE_EQ(p[0], normal);
  EXPECT_NEAR(p[1], mu * normal * 0.6, 1e-15);
  EXPECT_NEAR(p[2], mu * normal * 0.8, 1e-15);
  const double polar[3] = {-3.0, 3.0, 4.0};  // mu |x_T| <= -x_N
  cone.project(polar, p);
  EXPECT_EQ(p[0], 0.0);
  EXPECT_EQ(p[1], 0.0);
}

TEST(Cone, ShiftIsDeSaxcesTerm) {
  const double u[5] = {1.0, 3.0, 4.0, 0.6, 0.8};
  EXPECT_DOUBLE_EQ(Cone::coulomb(3, 0.3).shift(u), 1.5);
  EXPECT_DOUBLE_EQ(Cone::coulomb(2, 0.3).shift(u), 0.9);
  EXPECT_DOUBLE_EQ(Cone::rolling(0.3, 0.1).shift(u), 1.6);
  EXPECT_EQ(Cone::nonnegative().shift(u), 0.0);
  EXPECT_EQ(Cone::free(3).shift(u), 0.0);
}

TEST(Cone, BadCoefficientsAreRefused) {
  EXPECT_THROW(Cone::coulomb(3, -0.1), InputError);
  EXPECT_THROW(Cone::coulomb(4, 0.1), InputError);
  EXPECT_THROW(Cone::coulomb(3, NAN), InputError);
  EXPECT_THROW(Cone::free(0), InputError);
}

}  // namespace
}  // namespace clack
