#include "clack/model/samples/chute.hpp"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <cmath>
#include <numbers>

#include "clack/core/error.hpp"
#include "clack/core/split_mix.hpp"
#include "clack/model/samples/blocks.hpp"
#include "clack/model/samples/checks.hpp"
#include "clack/model/samples/size_distribution.hpp"

namespace clack {
namespace {

constexpr std::string_view kName = "chute";

// In the frame of the floor: x down the slope, z out of the floor.
void add_block(const ChuteOptions& options, const Vector3& lower, const Vector3& upper,
               std::string suffix, Sample& sample) {
  SampleBody body;
  body.shape = samples::make_block(samples::upright(upper - lower, options.dim), options.dim);
  body.pose.position = samples::upright(0.5 * (lower + upper), options.dim);
  body.suffix = std::move(suffix);
  sample.push_back(std::move(body));
}

// The centres of a row of bumps in the middle of a width; at least one.
std::vector<double> find_row(double from, double room, double diameter, double spacing,
                             double jitter) {
  const double free = room - diameter - 2 * jitter;
  const int count = 1 + static_cast<int>(free / spacing * (1 + 1e-12));
  std::vector<double> row;
  for (int i = 0; i < count; ++i)
    row.push_back(from + 0.5 * (room - (count - 1) * spacing) + i * spacing);
  return row;
}

void add_bumps(const ChuteOptions& options, Sample& sample) {
  const double d = options.bump_diameter, jitter = options.bump_jitter;
  const double spacing = options.bump_spacing > 0 ? options.bump_spacing : d + 2 * jitter;
  SplitMix random(options.seed);
  const ShapePtr ball = make_ball(0.5 * d, options.dim);
  std::vector<double> across = {0};
  if (options.dim == 3) across = find_row(-0.5 * options.width, options.width, d, spacing, jitter);
  int count = 0;
  for (const double x : find_row(0, options.length, d, spacing, jitter))
    for (const double y : across) {
      Vector3 centre(x, y, 0.5 * d);
      centre.x() += jitter * random.uniform(-1, 1);
      if (options.dim == 3) centre.y() += jitter * random.uniform(-1, 1);
      sample.push_back(
          {ball, {samples::upright(centre, options.dim)}, fmt::format("base{}", ++count)});
    }
}

Pose incline(const ChuteOptions& options) {
  if (options.dim == 2) return planar_pose(0, 0, -options.slope);
  return {Vector3::Zero(), Eigen::AngleAxisd(options.slope, Vector3::UnitY()).toRotationMatrix()};
}

void check_bumps(const ChuteOptions& options) {
  samples::require_not_negative(options.bump_spacing, "bump_spacing", kName);
  samples::require_not_negative(options.bump_jitter, "bump_jitter", kName);
  const double need = options.bump_diameter + 2 * options.bump_jitter;
  if (options.bump_spacing > 0 && options.bump_spacing < need)
    throw InputError(
        fmt::format("bump_spacing of the chute is {}; it must be 0 or >= {}: the "
                    "diameter and twice the jitter",
                    options.bump_spacing, need));
  const double room = options.dim == 3 ? std::min(options.width, options.length) : options.length;
  if (need > room)
    throw InputError(
        fmt::format("bump_diameter of the chute is {}; with the jitter it must be <= "
                    "its length and width, {}",
                    options.bump_diameter, room));
}

}  // namespace

void ChuteOptions::validate() const {
  samples::require_dim(dim, kName);
  samples::require_positive(length, "length", kName);
  samples::require_positive(width, "width", kName);
  const double right = 0.5 * std::numbers::pi;
  samples::require_between(slope, -right, right, "slope", kName);
  samples::require_not_negative(wall_height, "wall_height", kName);
  samples::require_positive(thickness, "thickness", kName);
  samples::require_not_negative(bump_diameter, "bump_diameter", kName);
  if (bump_diameter > 0) check_bumps(*this);
}

Sample make_chute(const ChuteOptions& options) {
  options.validate();
  const double length = options.length, half = 0.5 * options.width, t = options.thickness;
  const double h = options.wall_height;
  Sample sample;
  add_block(options, {0, -half, -t}, {length, half, 0}, "floor", sample);
  if (options.dim == 3 && h > 0) {  // beside the floor, down to its lower face
    add_block(options, {0, half, -t}, {length, half + t, h}, "left", sample);
    add_block(options, {0, -half - t, -t}, {length, -half, h}, "right", sample);
  }
  if (options.bump_diameter > 0) add_bumps(options, sample);
  move_sample(sample, incline(options));
  for (SampleBody& body : sample) body.fixed = true;
  return sample;
}

}  // namespace clack
