#include "clack/model/samples/tower.hpp"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <numbers>

#include "clack/core/error.hpp"
#include "clack/model/samples/checks.hpp"

namespace clack {
namespace {

constexpr std::string_view kName = "tower";

struct PlankPlace {
  double x, y;
  bool across;  // along y
};

std::vector<PlankPlace> place_cabin(const TowerOptions& options, bool across) {
  const double reach = options.plank.x() - options.plank.y();  // of the axes of the outer planks
  std::vector<PlankPlace> places;
  for (int i = 0; i < options.planks; ++i) {
    const double at = reach * (static_cast<double>(i) / (options.planks - 1) - 0.5);
    places.push_back(across ? PlankPlace{at, 0, true} : PlankPlace{0, at, false});
  }
  return places;
}

// The square has the side length + width + gap.
std::vector<PlankPlace> place_square(const TowerOptions& options, bool mirrored) {
  const double axis = 0.5 * (options.plank.x() + options.gap);  // of a plank from the middle
  const double shift = 0.5 * (options.plank.y() + options.gap) * (mirrored ? -1 : 1);
  return {{-shift, -axis, false}, {axis, -shift, true}, {shift, axis, false}, {-axis, shift, true}};
}

}  // namespace

void TowerOptions::validate() const {
  for (int i = 0; i < 3; ++i)
    samples::require_positive(plank[i], fmt::format("plank[{}]", i), kName);
  samples::require_at_least(levels, 1, "levels", kName);
  samples::require_not_negative(gap, "gap", kName);
  if (plank.y() > plank.x())
    throw InputError(fmt::format("plank[1] of the tower is {}; it must be <= plank[0] = {}",
                                 plank.y(), plank.x()));
  if (kind == TowerKind::square) return;
  samples::require_at_least(planks, 2, "planks", kName);
  if (planks * plank.y() > plank.x() * (1 + 1e-12))
    throw InputError(fmt::format("planks of the tower is {}; a level has room for {}", planks,
                                 static_cast<int>(plank.x() / plank.y() * (1 + 1e-12))));
}

Sample make_tower(const TowerOptions& options) {
  options.validate();
  const ShapePtr shape = make_shape(Box(0.5 * options.plank));
  Matrix3 quarter;
  quarter << 0, -1, 0, 1, 0, 0, 0, 0, 1;
  Sample sample;
  for (int level = 0; level < options.levels; ++level) {
    const bool odd = level % 2 == 1;
    const std::vector<PlankPlace> places = options.kind == TowerKind::log_cabin
                                               ? place_cabin(options, odd)
                                               : place_square(options, odd);
    for (std::size_t i = 0; i < places.size(); ++i) {
      const auto& [x, y, across] = places[i];
      const Vector3 position(x, y, (level + 0.5) * options.plank.z());
      sample.push_back({shape,
                        {position, across ? quarter : Matrix3::Identity()},
                        fmt::format("level{}_{}", level + 1, i + 1)});
    }
  }
  return sample;
}

}  // namespace clack
