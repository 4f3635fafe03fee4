#include "clack/core/cone.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "clack/core/error.hpp"

namespace clack {
namespace {

using Point = std::array<double, Cone::kMaxDim>;

std::vector<Cone> all_cones() {
  return {Cone::free(1),          Cone::free(3),         Cone::nonnegative(),
          Cone::coulomb(2, 0.3),  Cone::coulomb(3, 0.3), Cone::coulomb(3, 0.0),
          Cone::coulomb(3, 1e3),  Cone::rolling(0.5, 0.1), Cone::rolling(0.2, 2.0),
          Cone::discs({{3, 0.4}}),                        // Coulomb and Contensou
          Cone::discs({{1, 0.5}, {1, 0.2}}),              // rolling in the plane
          Cone::discs({{2, 0.5}, {1, 0.1}}),              // drilling
          Cone::discs({{2, 0.5}, {1, 0.1}, {2, 0.3}}),    // drilling and rolling
          Cone::discs({{3, 0.5}, {2, 1.5}}),              // Contensou and rolling
          Cone::discs({{2, 0.5}, {1, 0.0}, {2, 0.0}}),
          Cone::discs({{1, 2.0}, {1, 0.7}, {3, 1e-3}})};
}

// Any discs that fit, some of radius 0, radii over three decades.
Cone random_cone(std::mt19937& random) {
  std::vector<Cone::DiscShape> shapes;
  int rows = 1;
  const int count = std::uniform_int_distribution<int>(0, Cone::kMaxDiscs)(random);
  for (int i = 0; i < count; ++i) {
    const int dim = std::uniform_int_distribution<int>(1, Cone::kMaxDiscDim)(random);
    if (rows + dim > Cone::kMaxDim) break;
    rows += dim;
    const double exponent = std::uniform_real_distribution<double>(-2, 1)(random);
    shapes.push_back({dim, random() % 6 == 0 ? 0.0 : std::pow(10.0, exponent)});
  }
  return Cone::discs(shapes);
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

// The square of the distance to the points of K with the normal component t.
double distance_square(const Cone& cone, const Point& x, double t) {
  double sum = (x[0] - t) * (x[0] - t);
  for (int d = 0; d < cone.disc_count(); ++d) {
    double square = 0;
    for (int k = 0; k < cone.disc(d).dim; ++k) square += std::pow(x[cone.disc(d).begin + k], 2);
    const double excess = std::sqrt(square) - cone.disc(d).radius * t;
    if (excess > 0) sum += excess * excess;
  }
  return sum;
}

// Ternary search for the nearest normal component, with no use of breakpoints.
TEST(Cone, ProjectionOnRandomConesIsTheNearestPoint) {
  std::mt19937 random(4);
  std::array<int, Cone::kMaxDiscs + 1> active_counts{};
  for (int trial = 0; trial < 5000; ++trial) {
    const Cone cone = random_cone(random);
    Point x = random_point(random, cone.dim()), p{};
    cone.project(x.data(), p.data());
    double low = 0, high = 100;
    for (int k = 0; k < 200; ++k) {
      const double a = low + (high - low) / 3, b = high - (high - low) / 3;
      (distance_square(cone, x, a) < distance_square(cone, x, b) ? high : low) =
          distance_square(cone, x, a) < distance_square(cone, x, b) ? b : a;
    }
    EXPECT_NEAR(p[0], low, 1e-6) << trial;
    EXPECT_NEAR(std::pow(cone.distance(x.data()), 2), distance_square(cone, x, low), 1e-12) << trial;
    EXPECT_TRUE(inside(cone, p, 1e-12));
    int active = 0;
    for (int d = 0; d < cone.disc_count(); ++d) {
      active += cone.disc(d).norm(x.data()) > cone.disc(d).radius * p[0];
    }
    if (p[0] > 0) ++active_counts[active];
  }
  for (const int count : active_counts) EXPECT_GT(count, 50);
}

TEST(Cone, MoreausDecompositionHoldsForRandomCones) {
  std::mt19937 random(5);
  for (int trial = 0; trial < 5000; ++trial) {
    const Cone cone = random_cone(random);
    const Point x = random_point(random, cone.dim());
    Point p{}, rest{};
    cone.project(x.data(), p.data());
    for (int k = 0; k < cone.dim(); ++k) rest[k] = p[k] - x[k];
    EXPECT_NEAR(dot(p, rest, cone.dim()), 0.0, 1e-12) << trial;
    // K* by its definition: y_N >= sum_i mu_i |y_i|
    EXPECT_GE(rest[0] - cone.shift(rest.data()), -1e-12) << trial;
    EXPECT_LE(cone.dual_distance(rest.data()), 1e-12) << trial;
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
  EXPECT_DOUBLE_EQ(Cone::discs({{3, 2.0}}).shift(u), 2 * std::sqrt(9 + 16 + 0.36));
  EXPECT_DOUBLE_EQ(Cone::discs({{1, 2.0}, {1, 0.5}, {2, 3.0}}).shift(u), 2 * 3 + 0.5 * 4 + 3 * 1.0);
  EXPECT_EQ(Cone::nonnegative().shift(u), 0.0);
  EXPECT_EQ(Cone::free(3).shift(u), 0.0);
}

TEST(Cone, DiscsFollowTheNormalOneAfterTheOther) {
  const Cone cone = Cone::discs({{2, 0.5}, {1, 0.25}, {2, 0.125}});
  EXPECT_EQ(cone.dim(), 6);
  ASSERT_EQ(cone.disc_count(), 3);
  EXPECT_EQ(cone.mu(), 0.5);
  const int begins[] = {1, 3, 4};
  for (int i = 0; i < 3; ++i) EXPECT_EQ(cone.disc(i).begin, begins[i]);
  EXPECT_EQ(cone.disc(2).dim, 2);
  EXPECT_EQ(cone.disc(2).radius, 0.125);
  EXPECT_EQ(cone.rows_like_normal(), 3);
  EXPECT_EQ(Cone::free(4).rows_like_normal(), 4);
  EXPECT_EQ(Cone::discs({{1, 0.5}, {1, 0.1}}).rows_like_normal(), 2);
  EXPECT_TRUE(Cone::discs({}) == Cone::nonnegative());
  EXPECT_TRUE(Cone::discs({{1, 0.3}}) == Cone::coulomb(2, 0.3));
  EXPECT_TRUE(Cone::discs({{2, 0.3}}) == Cone::coulomb(3, 0.3));
  EXPECT_TRUE(Cone::discs({{2, 0.3}, {2, 0.1}}) == Cone::rolling(0.3, 0.1));
  EXPECT_FALSE(Cone::discs({{1, 0.3}, {1, 0.3}}) == Cone::coulomb(3, 0.3));
  EXPECT_FALSE(Cone::free(1) == Cone::nonnegative());
  EXPECT_EQ(sizeof(Cone), 40u);
}

TEST(Cone, DiscsThatDoNotFitAreRefused) {
  const std::vector<std::vector<Cone::DiscShape>> bad = {
      {{0, 0.1}},           {{4, 0.1}},           {{2, -0.1}},
      {{2, NAN}},           {{2, INFINITY}},      {{3, 0.1}, {3, 0.1}},
      {{2, 0.1}, {2, 0.1}, {2, 0.1}},             {{1, 0.1}, {1, 0.1}, {1, 0.1}, {1, 0.1}}};
  for (const auto& shapes : bad) {
    try {
      (void)Cone::discs(shapes);
      ADD_FAILURE() << "accepted";
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find("at most 3 discs of dimension 1 to 3"), std::string::npos)
          << error.what();
    }
  }
}

TEST(Cone, BadCoefficientsAreRefused) {
  EXPECT_THROW(Cone::coulomb(3, -0.1), InputError);
  EXPECT_THROW(Cone::coulomb(4, 0.1), InputError);
  EXPECT_THROW(Cone::coulomb(3, NAN), InputError);
  EXPECT_THROW(Cone::free(0), InputError);
}

}  // namespace
}  // namespace clack
