// The broad phase finds the pairs that a look at all pairs finds, in the same order.
#include "clack/collide/broad_phase.hpp"

#include <gtest/gtest.h>

#include <random>

#include "clack/core/error.hpp"

namespace clack {
namespace {

std::vector<BoundingBox> random_boxes(int count, double ratio, bool planar, unsigned seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> place(-1, 1), power(0, 1);
  const double extent = planar ? std::sqrt(count) : std::cbrt(count);
  std::vector<BoundingBox> boxes;
  for (int i = 0; i < count; ++i) {
    const Vector3 centre =
        extent * Vector3(place(random), place(random), planar ? 0 : place(random));
    const Vector3 half = std::pow(ratio, power(random)) / std::sqrt(ratio) *
                         Vector3(0.5 + power(random), 0.5 + power(random), 0.5 + power(random));
    boxes.push_back({centre - half, centre + half});
  }
  return boxes;
}

LargeArray<CandidatePair> all_pairs(const std::vector<BoundingBox>& boxes) {
  LargeArray<CandidatePair> pairs;
  for (int i = 0; i < static_cast<int>(boxes.size()); ++i)
    for (int j = i + 1; j < static_cast<int>(boxes.size()); ++j)
      if (boxes[i].overlaps(boxes[j])) pairs.push_back({i, j, {0, 0, 0}});
  return pairs;
}

TEST(BroadPhase, FindsWhatALookAtAllPairsFinds) {
  BroadPhase broad_phase;
  unsigned seed = 0;
  for (const bool planar : {false, true})
    for (const double ratio : {1.0, 3.0, 100.0})
      for (const int count : {0, 1, 2, 10, 300, 2000}) {
        const std::vector<BoundingBox> boxes = random_boxes(count, ratio, planar, ++seed);
        const auto expected = all_pairs(boxes);
        EXPECT_EQ(broad_phase.find(boxes), expected) << count << " bodies, ratio " << ratio;
        EXPECT_TRUE(count < 2000 || expected.size() > 1000);
      }
}

TEST(BroadPhase, IsRightWithBodiesFarAwayAndPoints) {
  std::vector<BoundingBox> boxes = random_boxes(500, 10, false, 3);
  for (int i = 0; i < 20; ++i) {
    const Vector3 far(1e7 * i, -3e6, 1e5);
    boxes.push_back({far, far + Vector3::Ones()});
    boxes.push_back({far, far});
  }
  boxes.push_back({Vector3::Zero(), Vector3::Zero()});
  boxes.push_back({Vector3::Constant(-1e8), Vector3::Constant(1e8)});
  EXPECT_EQ(BroadPhase().find(boxes), all_pairs(boxes));
}

TEST(BroadPhase, FindsImagesInPeriodicCells) {
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> place(-20, 20), size(0.1, 0.9);
  for (const Vector3& period :
       {Vector3(5, 0, 0), Vector3(5, 7, 0), Vector3(4, 4, 4), Vector3(40, 9, 3)}) {
    std::vector<BoundingBox> boxes;
    for (int i = 0; i < 400; ++i) {
      const Vector3 centre(place(random), place(random), 0.1 * place(random));
      const Vector3 half(size(random) / 2, size(random) / 2, size(random) / 2);
      boxes.push_back({centre - half, centre + half});
    }
    LargeArray<CandidatePair> expected;
    for (int i = 0; i < 400; ++i)
      for (int j = i + 1; j < 400; ++j) {
        CandidatePair pair{i, j, {0, 0, 0}};
        Vector3 shift = Vector3::Zero();
        for (int k = 0; k < 3; ++k) {
          if (period[k] == 0) continue;
          const double between = boxes[j].centre()[k] - boxes[i].centre()[k];
          pair.image[k] = static_cast<int>(-std::round(between / period[k]));
          shift[k] = pair.image[k] * period[k];
        }
        if (boxes[i].overlaps({boxes[j].lower + shift, boxes[j].upper + shift}))
          expected.push_back(pair);
      }
    EXPECT_EQ(BroadPhase(period).find(boxes), expected);
    EXPECT_GT(expected.size(), 50u);
  }
}

TEST(BroadPhase, FindsImagesInShearedCells) {
  std::mt19937_64 random(8);
  std::uniform_real_distribution<double> place(-20, 20), power(-3.5, 0);
  const Vector3 period(5, 7, 4);
  for (const int axis : {1, 2})
    for (const double offset : {0.0, 0.3, 1.7, 2.5, -2.5, -1.1, 13.2}) {
      std::vector<BoundingBox> boxes;
      for (int i = 0; i < 250; ++i) {
        const Vector3 centre(place(random), place(random), place(random));
        const Vector3 half = std::exp2(power(random)) * Vector3(1, 0.7, 0.9);
        boxes.push_back({centre - half, centre + half});
      }
      LargeArray<CandidatePair> expected;
      const double reduced = std::remainder(offset, period[0]);
      for (int i = 0; i < 250; ++i)
        for (int j = i + 1; j < 250; ++j)
          for (int image = 0; image < 27; ++image) {
            const Vector3 between = boxes[j].centre() - boxes[i].centre();
            // All images near the nearest one along y and z, and along x for each of them.
            std::array<int, 3> k;
            for (int d : {1, 2}) k[d] = -static_cast<int>(std::round(between[d] / period[d]));
            k[1] += image / 3 % 3 - 1;
            k[2] += image / 9 - 1;
            k[0] = -static_cast<int>(std::round((between[0] + k[axis] * reduced) / period[0])) +
                   image % 3 - 1;
            Vector3 shift(k[0] * period[0] + k[axis] * reduced, k[1] * period[1], k[2] * period[2]);
            if (boxes[i].overlaps({boxes[j].lower + shift, boxes[j].upper + shift}))
              expected.push_back({i, j, k});
          }
      BroadPhase broad_phase(period);
      broad_phase.shear(axis, offset);
      EXPECT_EQ(broad_phase.find(boxes), expected) << axis << " " << offset;
      EXPECT_GT(expected.size(), 20u);
    }
}

TEST(BroadPhase, RefusesBodiesLongerThanHalfAPeriod) {
  const std::vector<BoundingBox> boxes = {{Vector3::Zero(), Vector3::Ones()}};
  EXPECT_THROW(BroadPhase(Vector3(1.9, 0, 0)).find(boxes), InputError);
  EXPECT_NO_THROW(BroadPhase(Vector3(2, 0, 0)).find(boxes));
}

TEST(BroadPhase, LeavesOutFixedPairsAndGroupsThatDoNotMeet) {
  const std::vector<BoundingBox> boxes(4, {Vector3::Zero(), Vector3::Ones()});
  const std::vector<CollisionFilter> filters = {
      {.fixed = true}, {.fixed = true}, {.group = 2, .collides = 1}, {.group = 2, .collides = 1}};
  const LargeArray<CandidatePair> expected = {
      {0, 2, {0, 0, 0}}, {0, 3, {0, 0, 0}}, {1, 2, {0, 0, 0}}, {1, 3, {0, 0, 0}}};
  EXPECT_EQ(BroadPhase().find(boxes, filters), expected);
}

TEST(BroadPhase, GivesHalfSpacesTheBodiesThatReachThem) {
  std::vector<BoundingBox> boxes(3);
  boxes[0] = {Vector3(0, 0, 0.1), Vector3(1, 1, 1)};
  boxes[2] = {Vector3(5, 5, -0.1), Vector3(6, 6, 1)};
  const std::vector<HalfSpace> floor = {{Vector3::UnitZ(), 0, 1}};
  const LargeArray<CandidatePair> expected = {{1, 2, {0, 0, 0}}};
  EXPECT_EQ(BroadPhase().find(boxes, {}, floor), expected);
}

}  // namespace
}  // namespace clack
