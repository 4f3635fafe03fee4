// Drop-and-roll packings: no overlaps, every body at rest, the density of loose random packings.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/large.hpp"
#include "tests/support/packing.hpp"

namespace clack {
namespace {

using namespace test;

GenerateOptions make_options(int dim, int contacts, double radius_spread, std::uint64_t seed = 1) {
  GenerateOptions options;
  options.packing = Packing::random;
  options.dim = dim;
  options.contacts = contacts;
  options.radius_spread = radius_spread;
  options.seed = seed;
  return options;
}

PackedScene pack(const GenerateOptions& options) {
  SplitMix random(options.seed);
  return pack_random(options, random);
}

// About 300 bodies each.
std::vector<GenerateOptions> small_packings() {
  std::vector<GenerateOptions> result;
  for (const std::uint64_t seed : {1, 2, 3, 4, 5}) {
    for (const double spread : {0.0, 0.2, 0.5}) {
      result.push_back(make_options(3, 900, spread, seed));
      result.push_back(make_options(2, 600, spread, seed));
      result.push_back(make_options(3, 900, spread, seed));
      result.back().width = 3;
    }
  }
  return result;
}

TEST(RandomPacking, BodiesDoNotOverlapAndContactsAreExactlyTheTouchingPairs) {
  for (const GenerateOptions& options : small_packings()) {
    const PackedScene scene = pack(options);
    const int last = static_cast<int>(scene.bodies.size()) - 1;  // it may have lost contacts
    EXPECT_GT(last, 250);
    int touching = 0;
    for (int b = 0; b <= last; ++b) {
      for (int a = 0; a < b; ++a) {
        const PackedBody &one = scene.bodies[a], &two = scene.bodies[b];
        const double gap = (two.centre - one.centre).norm() - one.radius - two.radius;
        EXPECT_GE(gap, -1e-9 * std::min(one.radius, two.radius)) << a << " " << b;
        touching += b < last && gap <= 1e-9 * two.radius ? 1 : 0;
      }
    }
    const auto between = [&](const PackedContact& c) { return c.body_a >= 0 && c.body_b < last; };
    EXPECT_EQ(std::count_if(scene.contacts.begin(), scene.contacts.end(), between), touching);
  }
}

TEST(RandomPacking, BodiesStayInTheBoxAndTouchItWhereContactsSaySo) {
  for (GenerateOptions options : small_packings()) {
    options.width = 6;
    const PackedScene scene = pack(options);
    const double edge = 12 * options.size;
    const int last = static_cast<int>(scene.bodies.size()) - 1;
    int touching = 0;
    for (int b = 0; b <= last; ++b) {
      const Point c = scene.bodies[b].centre;
      std::vector<double> distances{c.z(), c.x(), edge - c.x()};
      if (options.dim == 3) distances.insert(distances.end(), {c.y(), edge - c.y()});
      for (const double distance : distances) {
        const double gap = distance - scene.bodies[b].radius;
        EXPECT_GE(gap, -1e-9 * scene.bodies[b].radius);
        touching += b < last && gap <= 1e-9 * scene.bodies[b].radius ? 1 : 0;
      }
    }
    const auto rigid = [&](const PackedContact& c) { return c.body_a < 0 && c.body_b < last; };
    EXPECT_EQ(std::count_if(scene.contacts.begin(), scene.contacts.end(), rigid), touching);
  }
}

TEST(RandomPacking, ContactPointsLieOnBothBodiesAlongTheNormal) {
  for (const GenerateOptions& options : small_packings()) {
    const PackedScene scene = pack(options);
    const double tolerance = 1e-9 * options.size;
    for (const PackedContact& c : scene.contacts) {
      ASSERT_LT(c.body_a, c.body_b);
      const PackedBody& two = scene.bodies[c.body_b];
      EXPECT_NEAR(c.normal.norm(), 1, 1e-14);
      EXPECT_LE((c.point + two.radius * c.normal - two.centre).norm(), tolerance);
      if (c.body_a < 0) continue;
      const PackedBody& one = scene.bodies[c.body_a];
      EXPECT_LE((c.point - one.radius * c.normal - one.centre).norm(), tolerance);
    }
  }
}

// Some normals span a cone that holds the vertical: without friction or rotation, the contacts
// below carry the weight, and their points surround the vertical line through the centre.
bool balances(int dim, const std::vector<Point>& n) {
  constexpr double kRound = -1e-9;
  for (std::size_t i = 0; i < n.size(); ++i) {
    if ((n[i] - Point::UnitZ()).norm() < 1e-12) return true;  // the floor
    for (std::size_t j = i + 1; j < n.size(); ++j) {
      if (dim == 2) {
        const double det = n[i].x() * n[j].z() - n[i].z() * n[j].x();
        if (-n[j].x() / det >= kRound && n[i].x() / det >= kRound) return true;
        continue;
      }
      for (std::size_t k = j + 1; k < n.size(); ++k) {
        Eigen::Matrix3d normals;
        normals << n[i], n[j], n[k];
        const Point share = normals.fullPivLu().solve(Point::UnitZ());
        if (share.minCoeff() >= kRound && (normals * share - Point::UnitZ()).norm() < 1e-9)
          return true;
      }
    }
  }
  return false;
}

TEST(RandomPacking, EveryBodyRestsOnItsSupportsOrTheFloor) {
  for (const GenerateOptions& options : small_packings()) {
    const PackedScene scene = pack(options);
    std::vector<std::vector<Point>> normals(scene.bodies.size());
    for (const PackedContact& c : scene.contacts) normals[c.body_b].push_back(c.normal);
    normals.pop_back();  // the last body may have lost contacts
    for (const std::vector<Point>& n : normals) {
      const bool on_floor =
          std::any_of(n.begin(), n.end(), [](const Point& x) { return x.z() == 1; });
      EXPECT_TRUE(on_floor || std::ssize(n) >= options.dim);
      EXPECT_TRUE(balances(options.dim, n));
    }
  }
}

TEST(RandomPacking, RadiiFillTheSpread) {
  const PackedScene scene = pack(make_options(3, 9000, 0.4));
  double low = HUGE_VAL, high = 0, sum = 0;
  for (const PackedBody& body : scene.bodies) {
    low = std::min(low, body.radius / 0.01);
    high = std::max(high, body.radius / 0.01);
    sum += body.radius / 0.01;
  }
  EXPECT_GE(low, 0.6);
  EXPECT_LT(low, 0.61);
  EXPECT_LE(high, 1.4);
  EXPECT_GT(high, 1.39);
  EXPECT_NEAR(sum / static_cast<double>(scene.bodies.size()), 1, 0.02);
}

// The middle of a packing: three diameters away from walls and floor, below the upper surface.
struct Middle {
  double low, high, top;  // low, high: in x and y

  Middle(const GenerateOptions& options, const PackedScene& scene) {
    double height = 0;
    for (const PackedBody& body : scene.bodies) height = std::max(height, body.centre.z());
    low = 6 * options.size;
    high = (2 * options.width - 6) * options.size;
    top = 0.75 * height;
  }
  bool holds(const Point& c, int dim) const {
    const auto in = [&](double x) { return x > low && x < high; };
    return in(c.x()) && (dim == 2 || in(c.y())) && c.z() > low && c.z() < top;
  }
};

double mean_coordination(const GenerateOptions& options, const PackedScene& scene, int& bodies) {
  std::vector<int> count(scene.bodies.size(), 0);
  for (const PackedContact& c : scene.contacts) {
    ++count[c.body_b];
    if (c.body_a >= 0) ++count[c.body_a];
  }
  const Middle middle(options, scene);
  double sum = 0;
  bodies = 0;
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    if (!middle.holds(scene.bodies[b].centre, options.dim)) continue;
    sum += count[b];
    ++bodies;
  }
  return sum / bodies;
}

TEST(RandomPacking, MeanCoordinationIsAboutTwiceTheDimension) {
  for (const double spread : {0.0, 0.2}) {
    GenerateOptions options = make_options(3, 24000, spread);
    options.width = 18;
    int bodies = 0;
    const double space = mean_coordination(options, pack(options), bodies);
    EXPECT_GT(bodies, 1800);
    EXPECT_GT(space, 5);
    EXPECT_LT(space, 6.6);
    options = make_options(2, 8000, spread);
    options.width = 60;
    const double plane = mean_coordination(options, pack(options), bodies);
    EXPECT_GT(bodies, 1800);
    EXPECT_GT(plane, 3.7);
    EXPECT_LT(plane, 4.4);
  }
}

TEST(RandomPacking, SolidFractionIsThatOfLooseRandomPackings) {
  SKIP_UNDER_SANITIZERS();
  for (const std::uint64_t seed : {1, 2, 3}) {
    GenerateOptions options = make_options(3, 24000, 0, seed);
    options.width = 18;
    const PackedScene scene = pack(options);
    const Middle middle(options, scene);
    SplitMix random(7);
    int inside = 0;
    constexpr int kPoints = 4000;
    for (int s = 0; s < kPoints; ++s) {
      Point p;
      for (int k = 0; k < 3; ++k)
        p[k] = random.uniform(middle.low, k < 2 ? middle.high : middle.top);
      inside += std::any_of(scene.bodies.begin(), scene.bodies.end(), [&](const PackedBody& body) {
        return (p - body.centre).squaredNorm() < body.radius * body.radius;
      });
    }
    const double fraction = static_cast<double>(inside) / kPoints;
    EXPECT_GT(fraction, 0.52);
    EXPECT_LT(fraction, 0.62);
  }
}

TEST(RandomPacking, OfAHundredThousandContactsHasAllOfThem) {
  SKIP_UNDER_SANITIZERS();
  for (const int dim : {2, 3})
    EXPECT_EQ(std::ssize(pack(make_options(dim, 120000, 0.1)).contacts), 120000) << dim;
}

}  // namespace
}  // namespace clack
