#include "clack/model/samples/dominoes.hpp"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "clack/core/error.hpp"
#include "clack/model/samples/blocks.hpp"
#include "clack/model/samples/checks.hpp"

namespace clack {
namespace {

constexpr std::string_view kName = "dominoes";

struct Standing {
  Vector2 place;
  Vector2 along;  // unit, of the path
};

Standing on_spiral(const DominoesOptions& options, double angle) {
  const double rate = options.pitch / (2 * std::numbers::pi);
  const double r = options.radius + rate * angle;
  const Vector2 out(std::cos(angle), std::sin(angle)), left(-out.y(), out.x());
  return {r * out, (rate * out + r * left).normalized()};
}

// The angle of the point of the spiral at the distance `spacing` further on: bisection.
double next_on_spiral(const DominoesOptions& options, double angle) {
  const Vector2 from = on_spiral(options, angle).place;
  // a chord is no longer than its arc, and the radius does not shrink
  double low = angle, high = angle + std::numbers::pi / 2;
  for (int i = 0; i < 100 && low < high; ++i) {
    const double middle = 0.5 * (low + high);
    const bool near = (on_spiral(options, middle).place - from).norm() < options.spacing;
    (near ? low : high) = middle;
  }
  return high;
}

std::vector<Standing> find_places(const DominoesOptions& options) {
  std::vector<Standing> places;
  double angle = 0;
  for (int i = 0; i < options.count; ++i) {
    if (options.path == DominoPath::line) {
      places.push_back({{i * options.spacing, 0}, Vector2::UnitX()});
    } else if (options.path == DominoPath::arc) {
      const double a = i * 2 * std::asin(0.5 * options.spacing / options.radius);
      const double r = options.radius;
      places.push_back({{r * std::sin(a), r * (1 - std::cos(a))}, {std::cos(a), std::sin(a)}});
    } else {
      places.push_back(on_spiral(options, angle));
      angle = next_on_spiral(options, angle);
    }
  }
  return places;
}

// Separating axes of two rectangles; touching is allowed.
bool are_apart(const Standing& a, const Standing& b, const Vector2& half) {
  const auto reach = [&](const Standing& s, const Vector2& axis) {
    const Vector2 across(-s.along.y(), s.along.x());
    return half.x() * std::abs(s.along.dot(axis)) + half.y() * std::abs(across.dot(axis));
  };
  for (const Standing& s : {a, b})
    for (const Vector2& axis : {s.along, Vector2(-s.along.y(), s.along.x())}) {
      const double distance = std::abs(axis.dot(b.place - a.place));
      if (distance >= (reach(a, axis) + reach(b, axis)) * (1 - 1e-12)) return true;
    }
  return false;
}

void check_apart(const DominoesOptions& options, const std::vector<Standing>& places) {
  const Vector2 half = 0.5 * options.size.head<2>();
  for (std::size_t i = 0; i < places.size(); ++i)
    for (std::size_t j = i + 1; j < places.size(); ++j)
      if ((places[i].place - places[j].place).norm() < 2 * half.norm() &&
          !are_apart(places[i], places[j], half))
        throw InputError(
            fmt::format("dominoes {} and {} overlap; spacing, radius or pitch must be "
                        "greater",
                        i + 1, j + 1));
}

// The upper front edge of the first must stay short of all of the second.
void check_tilt(const DominoesOptions& options, const std::vector<Standing>& places) {
  if (places.size() < 2) return;
  const auto& [place, along] = places[1];
  const Vector2 across(-along.y(), along.x()), half = 0.5 * options.size.head<2>();
  double room = HUGE_VAL;
  for (const double side : {-1.0, 1.0}) {
    const Vector2 corner = place - half.x() * along + side * half.y() * across;
    room = std::min(room, places[0].along.dot(corner - places[0].place) - half.x());
  }
  samples::require_between(options.tilt, 0,
                           std::asin(std::clamp(room / options.size.z(), 0.0, 1.0)), "tilt", kName);
}

// About the lower front edge, towards the path's direction.
Pose tilted(const Pose& pose, const DominoesOptions& options) {
  const double forward = 0.5 * options.size.x(), height = 0.5 * options.size.z();
  if (options.dim == 2) {
    const Pose turn = planar_pose(forward, -height, -options.tilt);
    return pose * turn * planar_pose(-forward, height, 0);
  }
  const Matrix3 turn = Eigen::AngleAxisd(options.tilt, Vector3::UnitY()).toRotationMatrix();
  return pose * Pose{{forward, 0, -height}, turn} * Pose{{-forward, 0, height}};
}

}  // namespace

void DominoesOptions::validate() const {
  samples::require_dim(dim, kName);
  for (int i = 0; i < 3; ++i) samples::require_positive(size[i], fmt::format("size[{}]", i), kName);
  samples::require_at_least(count, 1, "count", kName);
  samples::require_positive(spacing, "spacing", kName);
  if (spacing < size.x())
    throw InputError(fmt::format("spacing of the dominoes is {}; it must be >= their thickness {}",
                                 spacing, size.x()));
  if (dim == 2 && path != DominoPath::line)
    throw InputError("path of the dominoes is curved; in the plane it must be a line");
  if (path != DominoPath::line) samples::require_positive(radius, "radius", kName);
  if (path != DominoPath::line && spacing > radius)
    throw InputError(
        fmt::format("radius of the dominoes is {}; it must be >= spacing, {}", radius, spacing));
  if (path == DominoPath::spiral) samples::require_positive(pitch, "pitch", kName);
  samples::require_between(tilt, 0, 0.5 * std::numbers::pi, "tilt", kName);
}

Sample make_dominoes(const DominoesOptions& options) {
  options.validate();
  const std::vector<Standing> places = find_places(options);
  if (options.dim == 3) check_apart(options, places);
  check_tilt(options, places);
  const Vector3& size = options.size;
  const ShapePtr shape =
      samples::make_block(options.dim == 3 ? size : Vector3(size.x(), size.z(), 0), options.dim);
  Sample sample;
  for (const auto& [place, along] : places) {
    Pose pose;
    pose.position = samples::upright({place.x(), place.y(), 0.5 * size.z()}, options.dim);
    if (options.dim == 3)
      pose.rotation.topLeftCorner<2, 2>() << along.x(), -along.y(), along.y(), along.x();
    if (sample.empty() && options.tilt > 0) pose = tilted(pose, options);
    sample.push_back({shape, pose, std::to_string(sample.size() + 1)});
  }
  return sample;
}

}  // namespace clack
