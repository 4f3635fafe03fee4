// Rhythms and attractors from points of a section.
#include "clack/analyse/orbits/section.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/values.hpp"

namespace clack {
namespace {

using test::values;

// Points q of a section at T = 1 with two impacts and one stick each.
std::vector<SectionPoint> points_of(const std::vector<double>& q) {
  std::vector<SectionPoint> points;
  for (std::size_t k = 0; k < q.size(); ++k) {
    SectionPoint point;
    point.t = static_cast<double>(k);
    point.q = values({q[k]});
    point.v = values({0});
    point.impacts = 2 * static_cast<long>(k);
    point.sticks = static_cast<long>(k);
    points.push_back(point);
  }
  return points;
}

MotionLabel label(const std::vector<double>& q, double tolerance = 1e-6) {
  const std::vector<SectionPoint> points = points_of(q);
  MotionLabel found = label_motion(points, {2, 1}, {}, tolerance);
  count_periods(points, 1, found);
  return found;
}

TEST(Section, the_smallest_period_of_all_points_counts) {
  EXPECT_EQ(label({1, 1, 1, 1}).words(), "period 1, 2 impacts, 1 stick");
  EXPECT_EQ(label({1, 2, 1, 2, 1, 2}).words(), "period 2, 4 impacts, 2 sticks");
  EXPECT_EQ(label({1, 2, 3, 1, 2, 3}).points, 3);
  EXPECT_EQ(label({1, 2, 1, 2, 1, 2.1}).words(), "no period");
  EXPECT_EQ(label({1, 2, 3, 1, 2}).points, 0);  // fewer than two periods
  EXPECT_EQ(label({1}).points, 0);
  // Over the size 2 of the motion.
  EXPECT_EQ(label({1, 1 + 1.9e-6, 1, 1}).points, 1);
  EXPECT_EQ(label({1, 1 + 2.1e-6, 1, 1}).points, 0);
}

TEST(Section, drifting_coordinates_do_not_count) {
  const std::vector<SectionPoint> points = points_of({1, 2, 3, 4});
  EXPECT_EQ(label_motion(points, {4, 1}, {}, 1e-6).points, 0);
  EXPECT_EQ(label_motion(points, {4, 1}, {0}, 1e-6).points, 1);
}

TEST(Section, attractors_are_the_same_after_a_shift_and_differ_by_place_or_rhythm) {
  AttractorList list({}, 1e-3);
  const auto add = [&](const std::vector<double>& q) {
    return list.add(label(q), points_of(q), {2, 1});
  };
  EXPECT_EQ(add({1, 2, 1, 2}), 0);
  EXPECT_EQ(add({2, 1, 2, 1}), 0);
  EXPECT_EQ(add({1.5, 2, 1.5, 2}), 1);
  EXPECT_EQ(add({1, 1, 1, 1}), 2);
  EXPECT_EQ(add({1, 2, 3, 4}), 3);  // no period
  EXPECT_EQ(add({4, 1, 3, 2}), 3);
  const auto found = list.list();
  ASSERT_EQ(found.size(), 4u);
  EXPECT_EQ(found[0].runs, 2);
  EXPECT_EQ(found[0].name, "period 2, 4 impacts, 2 sticks at (1, 0)");
  EXPECT_EQ(found[2].name, "period 1, 2 impacts, 1 stick");
  EXPECT_EQ(found[3].name, "no period");
}

TEST(Section, a_run_that_starts_at_rest_is_compared_by_the_size_of_the_others) {
  AttractorList list({}, 1e-3);
  std::vector<SectionPoint> settled = points_of({1 + 1e-8, 1 + 1e-8, 1 + 1e-8});
  for (SectionPoint& point : settled) point.v[0] = 1e-9;
  const std::vector<SectionPoint> rest = points_of({1, 1, 1});
  MotionLabel one;
  one.points = 1;
  EXPECT_EQ(list.add(one, settled, {2, 1}), 0);
  EXPECT_EQ(list.add(one, rest, {1, 0}), 0);
}

}  // namespace
}  // namespace clack
