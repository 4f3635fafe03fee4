#include "clack/collide/world_bonds.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "clack/core/contact_frame.hpp"
#include "clack/core/error.hpp"
#include "clack/model/laws/law_list.hpp"

namespace clack {
namespace {

constexpr double kTouches = 1e-6;  // gap of bodies that touch at the start, over the smaller one

bool before(const WorldContact& x, const WorldContact& y) {
  return x.a != y.a ? x.a < y.a : x.b < y.b;
}

// Of a polygon with these corners in the plane across the normal: its convex hull by the signed fan
// about the mean, corners sorted by angle.
double polygon_area(const std::vector<Vector3>& corners, const Matrix3& frame) {
  Vector3 mean = Vector3::Zero();
  for (const Vector3& x : corners) mean += x / static_cast<double>(corners.size());
  std::vector<std::pair<double, Eigen::Vector2d>> around;
  for (const Vector3& x : corners) {
    const Vector3 local = frame * (x - mean);
    around.emplace_back(std::atan2(local[2], local[1]), Eigen::Vector2d(local[1], local[2]));
  }
  std::sort(around.begin(), around.end(),
            [](const auto& x, const auto& y) { return x.first < y.first; });
  double twice = 0;
  for (std::size_t i = 0; i < around.size(); ++i) {
    const Eigen::Vector2d &p = around[i].second, &q = around[(i + 1) % around.size()].second;
    twice += p.x() * q.y() - p.y() * q.x();
  }
  return 0.5 * twice;
}

}  // namespace

WorldBonds::WorldBonds(const RigidWorld& world, const LawTable& laws)
    : world_(&world), laws_(&laws) {
  for (const Link& link : world.links) bonds_.push_back({link, Vector3::Zero(), true, false});
}

double WorldBonds::round_radius(int body, const std::vector<double>& radius) const {
  const Shape& shape = *world_->bodies[static_cast<std::size_t>(body)].shape;
  if (shape.kind() == ShapeKind::sphere) return shape.as<Sphere>().radius;
  if (shape.kind() == ShapeKind::disc) return shape.as<Disc>().radius;
  return radius[static_cast<std::size_t>(body)];
}

// A point stands for its share of the surface that touches: of the length or the polygon between
// the points of the pair; round bodies that touch at one point for a disc of their mean radius R,
// 1/R = 1/R_a + 1/R_b (in the plane for its length R).
double WorldBonds::area(const LargeArray<WorldContact>& contacts, std::size_t begin,
                        std::size_t end, const std::vector<double>& radius) const {
  const WorldContact& first = contacts[begin];
  const auto count = static_cast<double>(end - begin);
  std::vector<Vector3> points;
  for (std::size_t k = begin; k < end; ++k) points.push_back(contacts[k].position);
  double extent = 0;
  for (const Vector3& x : points) extent = std::max(extent, (x - points[0]).norm());
  if (world_->planar && extent > 0) return extent / count;
  if (points.size() >= 3) return polygon_area(points, contact_frame(first.normal, 3)) / count;
  const double a = round_radius(first.a, radius), b = round_radius(first.b, radius);
  const double mean = a > 0 && b > 0 ? a * b / (a + b) : std::max(a, b);
  return world_->planar ? mean : std::numbers::pi * mean * mean / count;
}

void WorldBonds::make(const WorldState& state, const LargeArray<WorldContact>& contacts,
                      const std::vector<double>& radius) {
  for (Bond& bond : bonds_) bond.jump = jump_of(bond, state);
  for (std::size_t begin = 0, end = 0; begin < contacts.size(); begin = end) {
    while (end < contacts.size() && !before(contacts[begin], contacts[end])) ++end;
    const WorldContact& first = contacts[begin];
    const Law* law = (*laws_)(first.a, first.b).law.get();
    if (!law || !law->is_bond()) continue;
    if (world_->is_sheared())
      throw InputError("bonds between bodies of a sheared cell are not possible");
    const auto a = static_cast<std::size_t>(first.a), b = static_cast<std::size_t>(first.b);
    LargeArray<WorldContact> touching;
    for (std::size_t k = begin; k < end; ++k) {
      if (contacts[k].gap <= kTouches * smaller_size(radius[a], radius[b]))
        touching.push_back(contacts[k]);
    }
    if (touching.empty()) continue;
    const double share = area(touching, 0, touching.size(), radius);
    for (const WorldContact& contact : touching) {
      const BodyState &x = state.bodies[a], &y = state.bodies[b];
      Bond bond;
      bond.link.a = contact.a;
      bond.link.b = contact.b;
      bond.link.point_a = x.rotation.conjugate() * (contact.position - x.position);
      bond.link.point_b = y.rotation.conjugate() * (contact.position - contact.image - y.position);
      bond.link.normal = x.rotation.conjugate() * contact.normal;
      bond.link.area = share;
      bond.link.law = (*laws_)(contact.a, contact.b).law;
      bond.image = contact.image;
      bonds_.push_back(std::move(bond));
    }
  }
}

// From the point of a to that of b, in the frame of a.
Vector3 WorldBonds::jump_of(const Bond& bond, const WorldState& state) const {
  const Link& link = bond.link;
  const BodyState &a = state.bodies[static_cast<std::size_t>(link.a)],
                  &b = state.bodies[static_cast<std::size_t>(link.b)];
  const Vector3 point_b = b.position + b.rotation * link.point_b + bond.image;
  return a.rotation.conjugate() * (point_b - a.position) - link.point_a;
}

double WorldBonds::drift(std::size_t index, const WorldState& state) const {
  const Bond& bond = bonds_[index];
  if (!bond.holds) return 0;
  const Vector3 jump = jump_of(bond, state);
  return link_error(*bond.link.law, jump.norm() - bond.link.length, (jump - bond.jump).norm());
}

WorldContact WorldBonds::contact_of(std::size_t index, const WorldState& state) const {
  const Bond& bond = bonds_[index];
  const Link& link = bond.link;
  const BodyState &a = state.bodies[static_cast<std::size_t>(link.a)],
                  &b = state.bodies[static_cast<std::size_t>(link.b)];
  const Vector3 point_a = a.position + a.rotation * link.point_a,
                point_b = b.position + b.rotation * link.point_b + bond.image;
  WorldContact contact{};
  contact.a = link.a;
  contact.b = link.b;
  // Where both bodies' velocities give the rate of the jump, seen from a.
  contact.position = point_b;
  contact.image = bond.image;
  contact.feature = kTieFeature + index;
  const Vector3 jump = point_b - point_a;
  if (link.axial) {
    const double distance = jump.norm();
    contact.normal = distance > 0 ? Vector3(jump / distance) : a.rotation * link.normal;
    contact.gap = distance - link.length;
  } else {
    contact.normal = (a.rotation * link.normal).normalized();
    contact.gap = contact.normal.dot(jump);
  }
  if (world_->planar)
    contact.normal = Vector3(contact.normal.x(), contact.normal.y(), 0).normalized();
  return contact;
}

void WorldBonds::merge(const WorldState& state, const LargeArray<WorldContact>& detected,
                       LargeArray<WorldContact>& merged) const {
  LargeArray<WorldContact> tied;
  std::vector<std::pair<int, int>> bound;  // pairs of bodies with a bond that holds
  for (const Bond& bond : bonds_) {
    if (bond.made && bond.holds) bound.emplace_back(bond.link.a, bond.link.b);
  }
  std::sort(bound.begin(), bound.end());
  const auto is_bound = [&](int a, int b) {
    return std::binary_search(bound.begin(), bound.end(), std::pair(a, b));
  };
  for (std::size_t i = 0; i < bonds_.size(); ++i) {
    const Bond& bond = bonds_[i];
    if (bond.made ? is_bound(bond.link.a, bond.link.b) : bond.holds)
      tied.push_back(contact_of(i, state));
  }
  std::stable_sort(tied.begin(), tied.end(), before);
  merged.clear();
  auto next = tied.begin();
  for (const WorldContact& contact : detected) {
    while (next != tied.end() && before(*next, contact)) merged.push_back(*next++);
    if (!is_bound(contact.a, contact.b)) merged.push_back(contact);
  }
  merged.insert(merged.end(), next, tied.end());
}

std::size_t WorldBonds::holding() const {
  return static_cast<std::size_t>(std::count_if(
      bonds_.begin(), bonds_.end(), [](const Bond& bond) { return bond.made && bond.holds; }));
}

}  // namespace clack
