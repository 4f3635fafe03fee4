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

double bounding_radius(const Shape& shape) {
  if (!shape.bounds().is_bounded()) return 0;
  return shape.bounds().lower.cwiseAbs().cwiseMax(shape.bounds().upper.cwiseAbs()).norm();
}

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

double material_angle(const ContactAxes& axes, const WorldContact& contact,
                      const WorldState& state) {
  const Matrix3 R = state.bodies[static_cast<std::size_t>(contact.a)].rotation.toRotationMatrix();
  const Vector3 axis = R.col(0);
  return std::atan2(axis.dot(axes[2].direction), axis.dot(axes[1].direction));
}

WorldBonds::WorldBonds(const RigidWorld& world, const LawTable& table)
    : world_(&world), table_(&table) {
  for (const Body& body : world.bodies) radius_.push_back(bounding_radius(*body.shape));
  for (const MaterialPair& pair : world.pairs) {
    if (!pair.law) continue;
    note(pair.law);
    if (!pair.law->is_bond()) continue;
    const LawPtr& unbonded = unbonded_[pair.law.get()] = pair.law->unbonded();
    if (unbonded) note(unbonded);
  }
  for (const Link& link : world.links) {
    double length = 0;
    const bool holds = rigid_link(*link.law, length) == RigidLink::none;
    bonds_.push_back({link, Vector3::Zero(), holds, false});
    if (holds) note(link.law);
  }
}

void WorldBonds::note(const LawPtr& law) {
  ContactSituation situation;
  situation.tangents = tangents();
  situation.turns = turns();
  const std::string fault = law->fault(situation.tangents, situation.turns);
  if (!fault.empty()) throw InputError("law '" + std::string(law->name()) + "' " + fault);
  laws_.push_back(law);
  if (law->is_bond()) return;
  std::vector<double> memory;
  for (const LawVariable& x : law->variables(situation.tangents, situation.turns))
    memory.push_back(x.initial);
  situation.memory = memory;
  const double reach = law->reach(situation);
  if (std::isfinite(reach)) margin_ = std::max(margin_, reach);
}

const LawPtr& WorldBonds::law_of(int a, int b, std::uint64_t feature) const {
  if (feature >= kTieFeature) return bonds_[feature - kTieFeature].link.law;
  const LawPtr& law = (*table_)(a, b).law;
  return law && law->is_bond() ? unbonded_.at(law.get()) : law;
}

const Link* WorldBonds::link_of(const WorldContact& contact) const {
  return contact.feature < kTieFeature ? nullptr : &bonds_[contact.feature - kTieFeature].link;
}

// The frame of a bond turns with its first body, so that a tangential jump that is remembered keeps
// its meaning.
ContactAxes WorldBonds::axes(const WorldContact& contact, const WorldState& state) const {
  Matrix3 frame = contact_frame(contact.normal, world_->planar ? 2 : 3);
  const Link* link = link_of(contact);
  if (link && !link->axial && !world_->planar) {
    const Matrix3 R = state.bodies[static_cast<std::size_t>(link->a)].rotation.toRotationMatrix();
    frame = contact_frame(link->normal, 3) * R.transpose();
  }
  ContactAxes axes{};
  axes[0].direction = frame.row(0);
  axes[1].direction = frame.row(1);
  if (world_->planar) {
    axes[2].turn = Vector3::UnitZ();
    return axes;
  }
  axes[2].direction = frame.row(2);
  for (std::size_t k = 0; k < 3; ++k) axes[k + 3].turn = frame.row(static_cast<int>(k));
  return axes;
}

// A point of a body goes h (|v| + h |g|) + h |omega| radius at most, unless another body hits it.
// In a sheared cell v counts against the streaming velocity, to which all images agree; within the
// distance of a pair that velocity differs by shear_rate times it.
void WorldBonds::set_reach(const WorldState& state, double h, std::vector<double>& reach) const {
  constexpr double kSlack = 1e-3;  // of the body's size
  const double fall = h * h * world_->gravity.norm(), shear = h * std::abs(world_->shear_rate);
  reach.resize(radius_.size());
  for (std::size_t i = 0; i < reach.size(); ++i) {
    const BodyState& s = state.bodies[i];
    const double speed = (s.v - world_->streaming_velocity(s.position)).norm();
    reach[i] = h * speed + (h * s.omega.norm() + shear + kSlack) * radius_[i];
    if (world_->bodies[i].is_free()) reach[i] += fall;
    reach[i] = (reach[i] + 0.5 * margin_) / (1 - shear);
  }
}

double WorldBonds::round_radius(int body) const {
  const Shape& shape = *world_->bodies[static_cast<std::size_t>(body)].shape;
  if (shape.kind() == ShapeKind::sphere) return shape.as<Sphere>().radius;
  if (shape.kind() == ShapeKind::disc) return shape.as<Disc>().radius;
  return radius_[static_cast<std::size_t>(body)];
}

// A point stands for its share of the surface that touches: of the length or the polygon between
// the points of the pair; round bodies that touch at one point for a disc of their mean radius R,
// 1/R = 1/R_a + 1/R_b (in the plane for its length R).
double WorldBonds::area(const LargeArray<WorldContact>& contacts) const {
  const WorldContact& first = contacts[0];
  const auto count = static_cast<double>(contacts.size());
  std::vector<Vector3> points;
  for (const WorldContact& contact : contacts) points.push_back(contact.position);
  double extent = 0;
  for (const Vector3& x : points) extent = std::max(extent, (x - points[0]).norm());
  if (world_->planar && extent > 0) return extent / count;
  if (points.size() >= 3) return polygon_area(points, contact_frame(first.normal, 3)) / count;
  const double a = round_radius(first.a), b = round_radius(first.b);
  const double mean = a > 0 && b > 0 ? a * b / (a + b) : std::max(a, b);
  return world_->planar ? mean : std::numbers::pi * mean * mean / count;
}

void WorldBonds::make(const WorldState& state, WorldDetection& detection) {
  if (laws_.empty()) return;
  for (Bond& bond : bonds_) bond.jump = jump_of(bond, state);
  std::vector<double> reach;
  for (const double radius : radius_) reach.push_back(1e-3 * radius);
  const LargeArray<WorldContact>& contacts = detection.find(state, reach);
  for (std::size_t begin = 0, end = 0; begin < contacts.size(); begin = end) {
    while (end < contacts.size() && !before(contacts[begin], contacts[end])) ++end;
    const WorldContact& first = contacts[begin];
    const Law* law = (*table_)(first.a, first.b).law.get();
    if (!law || !law->is_bond()) continue;
    if (world_->is_sheared())
      throw InputError("bonds between bodies of a sheared cell are not possible");
    const double size = smaller_size(radius_[static_cast<std::size_t>(first.a)],
                                     radius_[static_cast<std::size_t>(first.b)]);
    LargeArray<WorldContact> touching;
    for (std::size_t k = begin; k < end; ++k) {
      if (contacts[k].gap <= kTouches * size) touching.push_back(contacts[k]);
    }
    if (!touching.empty()) bond_pair(state, touching);
  }
}

void WorldBonds::bond_pair(const WorldState& state, const LargeArray<WorldContact>& touching) {
  const double share = area(touching);
  for (const WorldContact& contact : touching) {
    const BodyState &x = state.bodies[static_cast<std::size_t>(contact.a)],
                    &y = state.bodies[static_cast<std::size_t>(contact.b)];
    Bond bond;
    bond.link.a = contact.a;
    bond.link.b = contact.b;
    bond.link.point_a = x.rotation.conjugate() * (contact.position - x.position);
    bond.link.point_b = y.rotation.conjugate() * (contact.position - contact.image - y.position);
    bond.link.normal = x.rotation.conjugate() * contact.normal;
    bond.link.area = share;
    bond.link.law = (*table_)(contact.a, contact.b).law;
    bond.image = contact.image;
    bonds_.push_back(std::move(bond));
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
