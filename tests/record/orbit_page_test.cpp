// The data of the page of periodic orbits, against closed forms.
#include "clack/record/orbit_page.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "clack/record/orbit_study.hpp"
#include "tests/analyse/orbit_scenes.hpp"
#include "tests/io/report_support.hpp"

namespace clack {
namespace {

using test::Unpacked;

struct Packed {
  explicit Packed(const OrbitPageData& data)
      : head(data.head), points(data.points.compress()), motions(data.motions.compress()) {}

  nlohmann::json head;
  Unpacked points, motions;
};

TEST(OrbitPage, HasTheModesOfAFamilyAndNoOtherSolutions) {
  const Scene scene = test::scene_of(test::kChain);
  const ImpactModes modes(*scene.system);
  FamilyPage family(scene, "one impact per period", true);
  std::vector<ImpactMode> admissible;
  int others = 0;
  for (int k = 0; k < 60; ++k) {
    const ImpactMode mode = modes.one_impact(3.4 + 0.12 * k);
    family.add(modes, mode);
    if (mode.admissible) admissible.push_back(mode);
    others += !mode.admissible;
  }
  ASSERT_GT(others, 0);
  const Packed page(pack_orbit_page(family.page()));
  EXPECT_EQ(page.head["inadmissible"], others);
  const auto period = page.points.doubles("period"), energy = page.points.doubles("energy");
  const auto offset = page.motions.integers("offset");
  ASSERT_EQ(period.size(), admissible.size());
  ASSERT_EQ(offset.size(), admissible.size() + 1);
  const auto t = page.motions.doubles("t");
  const auto z = page.motions.singles("z");
  for (std::size_t i = 0; i < admissible.size(); ++i) {
    EXPECT_EQ(period[i], admissible[i].period);
    EXPECT_EQ(energy[i], admissible[i].energy);
    const auto row = static_cast<std::size_t>(offset[i] + offset[i + 1]) / 2;
    const State state = modes.state(admissible[i], t[row]);
    for (std::size_t j = 0; j < 2; ++j) {
      EXPECT_FLOAT_EQ(z[4 * row + j], static_cast<float>(state.q[static_cast<long>(j)]));
      EXPECT_FLOAT_EQ(z[4 * row + 2 + j], static_cast<float>(state.v[static_cast<long>(j)]));
    }
    EXPECT_EQ(page.head["walls"][i], nlohmann::json::parse(R"([[1, 1.0, -1.0, "stop"]])"));
  }
  // A line goes through a window of periods and not from one to the next.
  const auto joined = page.points.integers("joined");
  for (std::size_t i = 1; i < period.size(); ++i)
    EXPECT_EQ(joined[i] == 1, period[i] - period[i - 1] < 0.121) << period[i];
}

TEST(OrbitPage, ShowsBothSidesOfEachOfTwoImpacts) {
  const Scene scene = test::scene_of(test::kChain);
  const ImpactModes modes(*scene.system);
  FamilyPage family(scene, "two", false);
  for (const ImpactMode& mode : modes.impacts(8, 2)) family.add(modes, mode);
  ASSERT_FALSE(family.page().points.empty());
  const Packed page(pack_orbit_page(family.page()));
  const auto t = page.motions.doubles("t");
  const auto z = page.motions.singles("z");
  const auto& events = page.head["events"][0];
  ASSERT_EQ(events.size(), 2u);
  const double second = events[1][0];
  const auto after =
      static_cast<std::size_t>(std::find(t.begin() + 1, t.end(), second) - t.begin()) + 1;
  ASSERT_LT(after, t.size());
  EXPECT_EQ(t[after], second);
  EXPECT_NEAR(z[4 * after + 1], 1, 1e-6);                        // at the stop
  EXPECT_NEAR(z[4 * after + 3], -z[4 * (after - 1) + 3], 1e-6);  // e = 1
  EXPECT_LT(z[4 * after + 3], -0.1);
}

TEST(OrbitPage, HasTheMultipliersMotionsAndEventsOfABranch) {
  const SceneWith load = [](const std::vector<std::string>& set) {
    return test::scene_of(test::kForced, set);
  };
  const SceneOrbits orbits(load,
                           {.period = "2*pi/W", .settle = 60, .over = "parameters.W", .at = 1.6});
  const Orbit start = orbits.find();
  ASSERT_TRUE(start.good()) << start.note;
  const std::vector<Branch> branches = {orbits.follow(start, {.low = 1.6, .high = 1.8})};
  const Packed page(pack_orbit_page(make_branch_page(orbits.problem(), branches, orbits.scene(),
                                                     BranchCoordinate::parameter, "parameters.W")));
  const std::size_t count = branches[0].points.size();
  const auto W = page.points.doubles("parameter"), mu = page.points.doubles("multipliers");
  ASSERT_EQ(W.size(), count);
  const auto largest = page.points.doubles("largest");
  const auto offset = page.motions.integers("offset");
  const auto t = page.motions.doubles("t");
  for (std::size_t i = 0; i < count; ++i) {
    const double T = 2 * M_PI / W[i];
    // det of the monodromy: e^2 by the impact, exp(-2 z T) by the damping.
    const double product = mu[4 * i] * mu[4 * i + 2] - mu[4 * i + 1] * mu[4 * i + 3];
    EXPECT_NEAR(product, 0.64 * std::exp(-0.1 * T), 1e-8);
    EXPECT_NEAR(largest[i], 0, 1e-8);  // the stop
    EXPECT_EQ(t[static_cast<std::size_t>(offset[i])], 0);
    EXPECT_NEAR(t[static_cast<std::size_t>(offset[i + 1]) - 1], T, 1e-9);
    ASSERT_EQ(page.head["events"][i].size(), 1u);
    EXPECT_EQ(page.head["events"][i][0][1], "impact");
    EXPECT_EQ(page.head["walls"][i].size(), 1u);
  }
  EXPECT_EQ(page.head["kinds"][std::to_string(count - 1)], "end");
  EXPECT_EQ(page.head["parameter"], "parameters.W");
}

// Points at unit distances whose motions say which they are.
OrbitPage numbered_page(int count) {
  const Scene scene = test::scene_of(test::kForced);
  OrbitPage page{.title = "T", .q_names = {"x"}, .v_names = {"x'"}, .parameter = "p"};
  page.branches.push_back({"b", "", true});
  for (int i = 0; i < count; ++i) {
    OrbitPagePoint point{.joined = i > 0, .parameter = double(i), .period = 1};
    point.system = [system = scene.system] { return system; };
    point.motion = [i](const auto&) {
      return OrbitStates{1, 0, {0, 1}, Matrix::Constant(2, 2, double(i))};
    };
    page.points.push_back(std::move(point));
  }
  return page;
}

TEST(OrbitPage, IsThinnedButForSpecialPointsAndBreaksOfTheLine) {
  OrbitPage all = numbered_page(1000);
  all.points[437].kind = "fold";
  all.points[501].joined = false;
  const Packed page(pack_orbit_page(all, {.points = 50, .numbers = 6000}));
  const auto p = page.points.doubles("parameter");
  const auto motion = page.points.integers("motion"), joined = page.points.integers("joined");
  ASSERT_LE(p.size(), 51u);
  EXPECT_EQ(p.front(), 0);
  EXPECT_EQ(p.back(), 999);
  const auto z = page.motions.singles("z");
  int motions = 0, breaks = 0, folds = 0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    breaks += i > 0 && joined[i] == 0;
    if (i > 0 && joined[i] == 0) {
      EXPECT_TRUE(p[i - 1] < 501 && p[i] >= 501);
    }
    if (motion[i] >= 0) {
      EXPECT_EQ(z[4 * static_cast<std::size_t>(motion[i])], p[i]);
      ++motions;
    }
    if (p[i] != 437) continue;
    ++folds;
    EXPECT_EQ(page.head["kinds"][std::to_string(i)], "fold");
    EXPECT_GE(motion[i], 0);
  }
  EXPECT_EQ(folds, 1);
  EXPECT_EQ(breaks, 1);
  EXPECT_LE(motions, 11);
  EXPECT_EQ(page.head["points_found"], 1000);
}

}  // namespace
}  // namespace clack
