#include "clack/analyse/sample_profiles.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>

#include "clack/core/error.hpp"

namespace clack {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// Slope of the line through points (x, y) by least squares.
double fit_slope(const std::vector<Eigen::Vector2d>& points) {
  Eigen::Vector2d mean = Eigen::Vector2d::Zero();
  for (const Eigen::Vector2d& p : points) mean += p / static_cast<double>(points.size());
  double product = 0, square = 0;
  for (const Eigen::Vector2d& p : points) {
    product += (p.x() - mean.x()) * (p.y() - mean.y());
    square += (p.x() - mean.x()) * (p.x() - mean.x());
  }
  return product / square;
}

// The highest centre of each ring about the axis of the heap: (distance, height).
std::vector<Eigen::Vector2d> heap_surface(const RigidWorld& world, const WorldState& state,
                                          double bin) {
  const Vector3 up = -world.gravity.normalized();
  Vector3 axis = Vector3::Zero();
  double mass = 0;
  auto for_bodies = [&](auto&& visit) {
    for (std::size_t i = 0; i < world.bodies.size(); ++i) {
      if (world.bodies[i].is_free() && world.bodies[i].is_present(state.t))
        visit(world.bodies[i].mass, state.bodies[i].position);
    }
  };
  for_bodies([&](double m, const Vector3& x) { mass += m, axis += m * x; });
  axis /= mass;
  std::map<double, Eigen::Vector2d> rings;  // a body may have gone any way
  for_bodies([&](double, const Vector3& x) {
    const double height = up.dot(x), distance = (x - axis - up * up.dot(x - axis)).norm();
    if (!std::isfinite(distance)) return;
    Eigen::Vector2d& ring =
        rings.try_emplace(std::floor(distance / bin), distance, -INFINITY).first->second;
    if (height > ring.y()) ring = {distance, height};
  });
  std::vector<Eigen::Vector2d> surface;
  for (const auto& [number, top] : rings) surface.push_back(top);
  return surface;
}

}  // namespace

double equivalent_diameter(double volume, bool planar) {
  return planar ? 2 * std::sqrt(volume / std::numbers::pi)
                : std::cbrt(6 * volume / std::numbers::pi);
}

std::vector<double> compute_force_histogram(const BodyReading& reading, int bins, double upper) {
  if (bins < 1 || !(upper > 0))
    throw InputError(fmt::format("a histogram of {} bins up to {}; both must be > 0", bins, upper));
  const auto dim = static_cast<std::size_t>(reading.dim());
  std::vector<double> normal;
  for (std::size_t c = 0; c < reading.contacts().size(); ++c)
    normal.push_back(reading.r()[c * dim]);
  const double largest = normal.empty() ? 0 : *std::max_element(normal.begin(), normal.end());
  std::erase_if(normal, [&](double r) { return !(r > 1e-9 * largest); });
  std::vector<double> density(static_cast<std::size_t>(bins), 0);
  double mean = 0;
  const auto contacts = static_cast<double>(normal.size());
  for (const double r : normal) mean += r / contacts;
  const double width = upper / bins;
  for (const double r : normal) {
    const double place = r / mean / width;
    if (place < bins) density[static_cast<std::size_t>(place)] += 1 / (contacts * width);
  }
  return density;
}

std::vector<ProfileBin> compute_velocity_profile(const BodyReading& reading, int axis, double lower,
                                                 double upper, int bins) {
  const RigidWorld& world = reading.world();
  if (axis < 0 || axis >= world.dimension() || bins < 1 || !(upper > lower)) {
    throw InputError(
        fmt::format("a profile along axis {} from {} to {} m in {} bins; the axis is "
                    "below {}, the range and the bins > 0",
                    axis, lower, upper, bins, world.dimension()));
  }
  std::vector<ProfileBin> profile(static_cast<std::size_t>(bins));
  const double width = (upper - lower) / bins, period = world.period[axis];
  for (std::size_t i = 0; i < world.bodies.size(); ++i) {
    const Body& body = world.bodies[i];
    if (!body.is_free() || !body.is_present(reading.time())) continue;
    const BodyState& s = reading.state().bodies[i];
    const double cells = period > 0 ? std::floor((s.position[axis] - lower) / period) : 0;
    const double place = (s.position[axis] - cells * period - lower) / width;
    if (!(place >= 0 && place < bins)) continue;
    ProfileBin& bin = profile[static_cast<std::size_t>(place)];
    const double drift = axis == world.shear_normal ? cells * world.shear_speed() : 0;
    bin.mass += body.mass;
    bin.velocity += body.mass * (s.v - drift * Vector3::UnitX());
  }
  for (std::size_t k = 0; k < profile.size(); ++k) {
    profile[k].centre = lower + (static_cast<double>(k) + 0.5) * width;
    profile[k].velocity /= profile[k].mass;  // 0/0 is NaN, as it should be
  }
  return profile;
}

double compute_repose_angle(const RigidWorld& world, const WorldState& state, double bin) {
  if (!(bin > 0) || world.gravity.isZero()) return kNan;
  std::vector<Eigen::Vector2d> surface = heap_surface(world, state, bin);
  if (surface.size() < 3) return kNan;
  double top = -INFINITY, foot = INFINITY;
  for (const Eigen::Vector2d& p : surface) top = std::max(top, p.y()), foot = std::min(foot, p.y());
  // Without the rounded top and the bodies that have rolled away.
  std::erase_if(surface, [&](const Eigen::Vector2d& p) {
    const double share = (p.y() - foot) / (top - foot);
    return !(share >= 0.1 && share <= 0.9);
  });
  return surface.size() < 3 ? kNan : std::atan(-fit_slope(surface));
}

MassFlow::MassFlow(const Vector3& point, const Vector3& normal)
    : normal_(normal.normalized()), offset_(normal_.dot(point)) {
  if (!(normal.norm() > 0)) throw InputError("the normal of a plane for a flow has no length");
}

void MassFlow::add(const RigidWorld& world, const WorldState& state) {
  if (side_.empty()) {
    side_.assign(world.bodies.size(), 0);
    first_ = state.t;
  }
  last_ = state.t;
  for (std::size_t i = 0; i < side_.size(); ++i) {
    const Body& body = world.bodies[i];
    const bool there = body.is_free() && body.is_present(state.t);
    const signed char side = !there ? 0 : normal_.dot(state.bodies[i].position) >= offset_ ? 1 : -1;
    const int passed = side * side_[i] < 0 ? side : 0;
    side_[i] = side;
    mass_ += passed * body.mass;
    bodies_ += passed;
  }
}

double MassFlow::mean_rate() const { return last_ > first_ ? mass_ / (last_ - first_) : kNan; }

}  // namespace clack
