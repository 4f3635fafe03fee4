// Gears by the laws of their flanks.
#include "clack/model/shapes/gear.hpp"

#include <gtest/gtest.h>

#include "clack/core/error.hpp"

namespace clack {
namespace {

std::vector<Vector2> tooth_of(const GearOptions& options) {
  return make_gear(options)->as<Compound>().parts[1].shape->as<Polygon>().core.vertices;
}

// The line of action is tangent to the base circle: so far from the flank's point is its normal.
TEST(Gear, FlanksHaveNormalsThatTouchTheBaseCircle) {
  GearOptions options{.teeth = 40, .module = 0.01, .chords = 400};
  const double base = 0.2 * std::cos(options.pressure_angle);
  const std::vector<Vector2> tooth = tooth_of(options);
  int seen = 0;
  for (std::size_t i = 0; i < tooth.size(); ++i) {
    const Vector2 &p = tooth[i], &q = tooth[(i + 1) % tooth.size()];
    if (std::abs(p.norm() - q.norm()) < 1e-9 || p.norm() < base || q.norm() < base) continue;
    const Vector2 along = (q - p).normalized(), middle = 0.5 * (p + q);
    EXPECT_NEAR(std::abs(along.dot(middle)), base, 1e-4 * base);
    ++seen;
  }
  EXPECT_GT(seen, 700);
}

TEST(Gear, TeethAreAsThickAsTheSpacesAndThinnerByTheBacklash) {
  for (const double backlash : {0.0, 0.002}) {
    const GearOptions options{.teeth = 20, .module = 0.02, .backlash = backlash, .chords = 400};
    double least = 1e9, width = 0;
    for (const Vector2& p : tooth_of(options))
      if (std::abs(p.norm() - 0.2) < least && p.y() > 0)
        least = std::abs(p.norm() - 0.2), width = 2 * 0.2 * std::atan2(p.y(), p.x());
    EXPECT_NEAR(width, M_PI * 0.02 / 2 - backlash, 1e-4);
  }
}

TEST(Gear, RefusesTeethThatCannotBe) {
  const GearOptions good{.teeth = 20, .module = 0.01};
  EXPECT_NO_THROW(make_gear(good));
  GearOptions bad = good;
  bad.teeth = 3;
  EXPECT_THROW(make_gear(bad), InputError);
  bad = good;
  bad.module = 0;
  EXPECT_THROW(make_gear(bad), InputError);
  bad = good;
  bad.addendum = 3;
  EXPECT_THROW(make_gear(bad), InputError);
  bad = good;
  bad.dedendum = 11;
  EXPECT_THROW(make_gear(bad), InputError);
  bad = good;
  bad.pressure_angle = 1;
  EXPECT_THROW(make_gear(bad), InputError);
}

}  // namespace
}  // namespace clack
