#include "clack/model/shapes/gear.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "clack/core/error.hpp"
#include "clack/model/shapes/checks.hpp"

namespace clack {
namespace {

double involute(double angle) { return std::tan(angle) - angle; }

struct Tooth {
  double pitch, base, root, tip;  // radii [m]
  double middle;                  // half angle at the base circle [rad]

  explicit Tooth(const GearOptions& o)
      : pitch(0.5 * o.module * o.teeth),
        base(pitch * std::cos(o.pressure_angle)),
        root(pitch - o.dedendum * o.module),
        tip(pitch + o.addendum * o.module),
        middle(M_PI / (2 * o.teeth) - o.backlash / (2 * pitch) + involute(o.pressure_angle)) {}
  double half_angle(double radius) const {
    return middle - (radius > base ? involute(std::acos(base / radius)) : 0.0);
  }
};

}  // namespace

void GearOptions::validate() const {
  constexpr int kMostTeeth = 10000, kMostChords = 1000;
  if (teeth < 4 || teeth > kMostTeeth)
    throw InputError(
        fmt::format("teeth of the gear is {}; it must be from 4 to {}", teeth, kMostTeeth));
  if (chords < 1 || chords > kMostChords)
    throw InputError(
        fmt::format("chords of the gear is {}; it must be from 1 to {}", chords, kMostChords));
  shapes::require_positive(module, "module", "gear");
  shapes::require_positive(addendum, "addendum", "gear");
  shapes::require_positive(dedendum, "dedendum", "gear");
  shapes::require_not_negative(backlash, "backlash", "gear");
  if (!(pressure_angle > 0 && pressure_angle < M_PI / 4))
    throw InputError(fmt::format(
        "pressure_angle of the gear is {} rad; it must be above 0 and below pi/4", pressure_angle));
  const Tooth tooth(*this);
  if (!(tooth.root > 0))
    throw InputError(
        fmt::format("dedendum of the gear is {} modules; it must be below teeth/2 = {}", dedendum,
                    0.5 * teeth));
  if (!(tooth.half_angle(tooth.tip) > 0))
    throw InputError(fmt::format(
        "addendum of the gear is {} modules: its teeth are pointed below their tips", addendum));
}

std::span<const ShapeInfo> made_shape_list() {
  static constexpr ShapeInfo kList[] = {
      {"gear", "plane: involute teeth about a disc: teeth, module, pressure_angle, backlash"}};
  return kList;
}

ShapePtr make_gear(const GearOptions& options) {
  options.validate();
  const Tooth tooth(options);
  const double low = std::max(tooth.base, tooth.root);
  std::vector<double> radii;
  if (tooth.root < tooth.base) radii.push_back(tooth.root);
  // Equal steps of the roll angle, which is the square root of the radius above the base.
  for (int i = 0; i <= options.chords; ++i) {
    const auto roll = [&](double r) {
      return std::sqrt(std::max(r * r - tooth.base * tooth.base, 0.0));
    };
    const double s = roll(low) + (roll(tooth.tip) - roll(low)) * i / options.chords;
    radii.push_back(std::hypot(tooth.base, s));
  }
  std::vector<Vector2> points;
  for (const double r : radii)
    for (const double angle : {-tooth.half_angle(r), tooth.half_angle(r)})
      points.emplace_back(r * std::cos(angle), r * std::sin(angle));
  const ShapePtr shape = make_shape(Polygon(points));
  std::vector<CompoundPart> parts = {{make_shape(Disc(tooth.root)), Pose()}};
  for (int k = 0; k < options.teeth; ++k)
    parts.push_back({shape, planar_pose(0, 0, 2 * M_PI * k / options.teeth)});
  return make_shape(Compound(std::move(parts)));
}

}  // namespace clack
