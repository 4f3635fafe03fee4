#include "clack/model/samples/deposit.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "clack/core/error.hpp"
#include "clack/model/samples/checks.hpp"
#include "clack/model/samples/drop_and_roll.hpp"

namespace clack {
namespace {

constexpr std::string_view kName = "deposit";

// A place that round-off leads astray is drawn again, which is rare.
void drop_one(const DepositOptions& options, double radius, double unit, DropAndRoll& box,
              SplitMix& random) {
  constexpr int kDraws = 1000;
  for (int draw = 0; draw < kDraws; ++draw) {
    const double x = random.uniform(radius, options.width[0] - radius);
    const double y = options.dim == 2 ? 0 : random.uniform(radius, options.width[1] - radius);
    if (box.drop(radius / unit, x / unit, y / unit)) return;
  }
  throw std::logic_error("deposit: a sphere found no place to rest");
}

SampleBody make_side(const DepositOptions& options, const Vector3& normal, const Vector3& point,
                     std::string suffix) {
  const double offset = normal.dot(options.origin + point);
  const ShapePtr shape = options.dim == 2 ? make_shape(Line(normal.head<2>(), offset))
                                          : make_shape(Plane(normal, offset));
  return {shape, {}, std::move(suffix), true};
}

void add_sides(const DepositOptions& options, Sample& sample) {
  const Vector3 x = Vector3::UnitX(), y = Vector3::UnitY(), none = Vector3::Zero();
  const Vector3 up = options.dim == 2 ? y : Vector3::UnitZ();
  sample.push_back(make_side(options, up, none, "floor"));
  sample.push_back(make_side(options, x, none, "wall1"));
  sample.push_back(make_side(options, -x, options.width[0] * x, "wall2"));
  if (options.dim == 2) return;
  sample.push_back(make_side(options, y, none, "wall3"));
  sample.push_back(make_side(options, -y, options.width[1] * y, "wall4"));
}

}  // namespace

void DepositOptions::validate() const {
  samples::require_dim(dim, kName);
  sizes.validate();
  samples::require_at_least(count, 0, "count", kName);
  if (count == 0) samples::require_positive(volume, "volume", kName);
  for (int i = 0; i < dim - 1; ++i) {
    samples::require_positive(width[i], fmt::format("width[{}]", i), kName);
    if (width[i] < sizes.greatest_diameter())
      throw InputError(
          fmt::format("width[{}] of the deposit is {}; it must be >= the greatest "
                      "diameter, {}",
                      i, width[i], sizes.greatest_diameter()));
  }
  for (int i = 0; i < 3; ++i)
    samples::require_finite(origin[i], fmt::format("origin[{}]", i), kName);
}

Sample make_deposit(const DepositOptions& options) {
  options.validate();
  SplitMix random(options.seed);
  const std::vector<double> radii =
      draw_radii(options.sizes, {options.count, options.volume}, options.dim, random);
  // the tolerances of DropAndRoll are absolute: 1 there is a typical radius
  const double unit = 0.25 * (options.sizes.least_diameter() + options.sizes.greatest_diameter());
  DropAndRoll box(options.dim, options.width[0] / unit, options.width[1] / unit,
                  0.5 * options.sizes.greatest_diameter() / unit);
  Sample sample;
  for (const double radius : radii) {
    drop_one(options, radius, unit, box, random);
    Vector3 centre = unit * box.spheres().back().centre;
    if (options.dim == 2) centre = Vector3(centre.x(), centre.z(), 0);
    sample.push_back({make_ball(radius, options.dim, sample),
                      {options.origin + centre},
                      std::to_string(sample.size() + 1)});
  }
  if (options.walls) add_sides(options, sample);
  return sample;
}

}  // namespace clack
