// What tests of the bonded column share: where its grains are, and whether they shear in one band.
#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include "tests/physics/blocks_support.hpp"

namespace clack::test {

using Vector2 = Eigen::Vector2d;
using Points = std::vector<Vector2>;

constexpr int kPress = 1;
constexpr std::size_t kFirstGrain = 3;  // after floor, press and cap

inline Points grain_positions(const WorldState& state) {
  Points points;
  for (std::size_t i = kFirstGrain; i < state.bodies.size(); ++i)
    points.emplace_back(state.bodies[i].position.head<2>());
  return points;
}

inline double width_of(const Points& points) {
  const auto [low, high] =
      std::minmax_element(points.begin(), points.end(),
                          [](const Vector2& a, const Vector2& b) { return a.x() < b.x(); });
  return high->x() - low->x();
}

// Half the difference of the principal strains about each point: of the linear map that fits the
// displacements of its neighbours within `reach` by least squares.
inline std::vector<double> local_shear(const Points& start, const Points& end, double reach) {
  std::vector<double> shear(start.size(), 0);
  for (std::size_t i = 0; i < start.size(); ++i) {
    Eigen::Matrix2d moment = Eigen::Matrix2d::Zero(), fit = Eigen::Matrix2d::Zero();
    int neighbours = -1;  // itself is found too
    for (std::size_t j = 0; j < start.size(); ++j) {
      const Vector2 arm = start[j] - start[i];
      if (arm.norm() > reach) continue;
      ++neighbours;
      moment += arm * arm.transpose();
      fit += (end[j] - end[i] - arm) * arm.transpose();
    }
    if (neighbours < 3) continue;
    const Eigen::Matrix2d gradient = fit * moment.inverse();
    shear[i] = 0.5 * std::hypot(gradient(0, 0) - gradient(1, 1), gradient(0, 1) + gradient(1, 0));
  }
  return shear;
}

// A strip across the column: its share of all shear and of all grains.
struct Strip {
  double degrees = 0;  // to the horizontal, -90 to 90
  double shear = 0, grains = 0;
  double low = 0, high = 0;  // distances of its edges from the origin [m]
  double excess() const { return shear - grains; }
  double distance(const Vector2& x) const {
    const double angle = degrees * std::numbers::pi / 180;
    return std::cos(angle) * x.y() - std::sin(angle) * x.x();
  }
  bool holds(const Vector2& x) const { return low <= distance(x) && distance(x) <= high; }
};

// The strip of that width, of any place and direction, with the largest excess.
inline Strip find_band(const Points& points, const std::vector<double>& shear, double width) {
  const std::size_t n = points.size();
  const double all = std::accumulate(shear.begin(), shear.end(), 0.0);
  std::vector<std::pair<double, double>> across(n);  // distance, shear
  Strip best;
  for (int degrees = -88; degrees <= 90; degrees += 2) {
    Strip strip;
    strip.degrees = degrees;
    for (std::size_t i = 0; i < n; ++i) across[i] = {strip.distance(points[i]), shear[i]};
    std::sort(across.begin(), across.end());
    double sum = 0;
    for (std::size_t first = 0, last = 0; first < n; ++first) {
      strip.low = across[first].first;
      strip.high = strip.low + width;
      for (; last < n && across[last].first <= strip.high; ++last) sum += across[last].second;
      strip.shear = sum / all;
      strip.grains = static_cast<double>(last - first) / static_cast<double>(n);
      if (strip.excess() > best.excess()) best = strip;
      sum -= across[first].second;
    }
  }
  return best;
}

// A column under the press, from examples/bonded_column.yaml.
struct Compression {
  Outcome outcome;
  double peak = 0, peak_strain = 0;  // [Pa]; of the press's way
  double last = 0;                   // stress at the end [Pa]
  Strip band;                        // of the shear from the start to the end, three grains wide
  double chance = 0;  // the largest excess where the same shear is dealt to the grains at random
  double torn = 0;    // share of the band in what the bonds have dissipated
};

// Share of the strip in the energy that cohesive zones have dissipated.
inline double dissipated_in(const Strip& strip, const test::BodySimulation& simulation) {
  constexpr std::size_t kDissipated = 3;  // CohesiveZone::variables
  if (simulation.laws().empty()) return 0;
  double inside = 0, all = 0;
  for (std::size_t c = 0; c < simulation.contacts().size(); ++c) {
    const std::span<const double> memory = simulation.laws().memory(static_cast<int>(c));
    if (memory.size() <= kDissipated) continue;
    all += memory[kDissipated];
    if (strip.holds(simulation.contacts()[c].position.head<2>())) inside += memory[kDissipated];
  }
  return inside / all;
}

inline Compression compress(const std::vector<std::string>& overrides) {
  const Scene scene = example("bonded_column", overrides);
  const Points start = grain_positions(scene.world_initial);
  const double W = 0.2, H = 0.4, grain = std::sqrt(W * H / static_cast<double>(start.size()));
  const double top = H + 0.02;  // of the cap at the start
  Compression result;
  result.outcome = run_world(scene, [&](const test::BodySimulation& simulation) {
    result.last = compute_resultant(simulation, kPress).force.y() / W;
    if (result.last > result.peak) {
      result.peak = result.last;
      result.peak_strain = (top - simulation.state().bodies[kPress].position.y()) / H;
    }
    if (simulation.steps() < scene.step_count()) return;
    std::vector<double> shear =
        local_shear(start, grain_positions(simulation.state()), 1.6 * grain);
    result.band = find_band(start, shear, 3 * grain);
    result.torn = dissipated_in(result.band, simulation);
    std::mt19937 random(1);
    for (int deal = 0; deal < 20; ++deal) {
      std::shuffle(shear.begin(), shear.end(), random);
      result.chance = std::max(result.chance, find_band(start, shear, 3 * grain).excess());
    }
  });
  return result;
}

// Stress has a peak and falls; one inclined strip has far more than its share of the shear and of
// the torn bonds. A second band, the mirror image of the first, may take part of both.
inline void expect_inclined_band(const Compression& column, long missed_steps = 4) {
  EXPECT_LE(column.outcome.failed_steps, missed_steps);  // where a bond tears the laws may cycle
  EXPECT_LT(column.outcome.balance, 1e-11);
  EXPECT_GT(column.peak_strain, 0.5e-3);
  EXPECT_LT(column.peak_strain, 10e-3);
  EXPECT_LT(column.last, 0.5 * column.peak);
  EXPECT_GT(column.band.excess(), 0.25);
  EXPECT_GT(column.band.excess(), 1.5 * column.chance);
  EXPECT_GT(column.torn, 0.35);
  EXPECT_GE(std::abs(column.band.degrees), 45);
  EXPECT_LE(std::abs(column.band.degrees), 75);
}

}  // namespace clack::test
