#include "clack/collide/world_detection.hpp"

#include <algorithm>
#include <cmath>

#include "clack/collide/narrow/collide.hpp"

namespace clack {
namespace {

bool has_hollow_part(const Shape& shape) {
  if (shape.kind() != ShapeKind::compound)
    return shape.kind() == ShapeKind::ring || shape.kind() == ShapeKind::tube ||
           shape.kind() == ShapeKind::socket;
  for (const CompoundPart& part : shape.as<Compound>().parts)
    if (has_hollow_part(*part.shape)) return true;
  return false;
}

}  // namespace

WorldDetection::WorldDetection(const RigidWorld& world)
    : world_(&world),
      broad_phase_(world.period),
      periodic_((world.period.array() > 0).any()),
      poses_(world.bodies.size()),
      balls_(world.bodies.size()),
      boxes_(world.bodies.size()),
      padded_(world.bodies.size()),
      room_(world.bodies.size()),
      filters_(world.bodies.size()),
      half_space_of_(world.bodies.size(), -1),
      hollow_(world.bodies.size()) {
  for (std::size_t i = 0; i < world.bodies.size(); ++i) {
    const Body& body = world.bodies[i];
    filters_[i] = {body.group, body.collides, !body.is_free()};
    hollow_[i] = has_hollow_part(*body.shape);
    if (body.shape->kind() == ShapeKind::sphere) balls_[i].radius = body.shape->as<Sphere>().radius;
  }
}

namespace {

// The half space of a plane or a line; false for other shapes.
bool make_half_space(const Shape& shape, const Pose& pose, int body, HalfSpace& out) {
  Vector3 normal;
  double offset = 0;
  if (shape.kind() == ShapeKind::plane) {
    normal = shape.as<Plane>().normal;
    offset = shape.as<Plane>().offset;
  } else if (shape.kind() == ShapeKind::line) {
    normal << shape.as<Line>().normal, 0;
    offset = shape.as<Line>().offset;
  } else {
    return false;
  }
  normal = pose.rotation * normal;
  out = {normal, offset + normal.dot(pose.position), body};
  return true;
}

// Of a body's size, and of what it may go in a step: how much farther than now the list looks. Past
// kMostPad of its size a list costs more than it saves, and there is no padding.
constexpr double kPadOfSize = 0.03, kPadOfReach = 4, kMostPad = 0.3;

double padding(double side, double reach) {
  const double pad = kPadOfSize * side + kPadOfReach * reach;
  return pad <= kMostPad * side ? pad : 0;
}

Vector3 velocity_at(const BodyState& body, const Vector3& arm) {
  return body.v + (body.rotation * body.omega).cross(arm);
}

Pose moved_on(const BodyState& body, double h) {
  const Vector3 turn = h * (body.rotation * body.omega);
  const double angle = turn.norm();
  Pose pose = body.pose();
  pose.position += h * body.v;
  if (angle > 0) pose.rotation = Eigen::AngleAxisd(angle, turn / angle) * pose.rotation;
  return pose;
}

bool contains(const BoundingBox& outer, const BoundingBox& inner) {
  return (outer.lower.array() <= inner.lower.array()).all() &&
         (outer.upper.array() >= inner.upper.array()).all();
}

bool same(const CollisionFilter& a, const CollisionFilter& b) {
  return a.group == b.group && a.collides == b.collides && a.fixed == b.fixed;
}

// Whether the box reaches into the half space; as the broad phase has it.
bool reaches(const BoundingBox& box, const HalfSpace& plane) {
  return !(plane.normal.dot(box.centre()) - plane.normal.cwiseAbs().dot(box.half()) > plane.offset);
}

}  // namespace

void WorldDetection::update_bodies(const WorldState& state, const std::vector<double>& reach) {
  half_spaces_.clear();
  for (std::size_t i = 0; i < boxes_.size(); ++i) {
    const Body& body = world_->bodies[i];
    filters_[i].group = body.is_present(state.t) ? body.group : 0;
    update_body(i, state, reach[i]);
  }
}

void WorldDetection::update_body(std::size_t i, const WorldState& state, double reach) {
  if (balls_[i].radius >= 0) {
    const Vector3& centre = balls_[i].centre = state.bodies[i].position;
    const double extent = balls_[i].radius + reach;
    boxes_[i] = {centre.array() - extent, centre.array() + extent};
    return;
  }
  poses_[i] = state.bodies[i].pose();
  const Shape& shape = *world_->bodies[i].shape;
  HalfSpace half_space;
  if (make_half_space(shape, poses_[i], static_cast<int>(i), half_space)) {
    half_space.offset += reach;
    half_space_of_[i] = static_cast<int>(half_spaces_.size());
    half_spaces_.push_back(half_space);
  } else {
    boxes_[i] = bounds(shape, poses_[i]).grown(reach);
  }
}

// Every box of now lies in its padded box of then, so no pair of boxes that overlap is missing.
bool WorldDetection::list_holds(const std::vector<double>& reach) const {
  if (!has_list_ || half_spaces_.size() != listed_half_spaces_.size()) return false;
  for (std::size_t k = 0; k < half_spaces_.size(); ++k) {
    const HalfSpace &now = half_spaces_[k], &then = listed_half_spaces_[k];
    if (now.body != then.body || now.normal != then.normal || now.offset > then.offset)
      return false;
  }
  for (std::size_t i = 0; i < boxes_.size(); ++i) {
    if (!same(filters_[i], listed_filters_[i])) return false;
    if (balls_[i].radius >= 0) {
      const double left = room_[i] - reach[i];
      const double way = (balls_[i].centre - listed_balls_[i].centre).squaredNorm();
      if (!(left >= 0 && way <= left * left)) return false;
    } else if (half_space_of_[i] < 0 && !contains(padded_[i], boxes_[i])) {
      return false;
    }
  }
  return true;
}

void WorldDetection::make_list(const std::vector<double>& reach) {
  listed_half_spaces_ = half_spaces_;
  for (HalfSpace& plane : listed_half_spaces_) {
    plane.offset += kPadOfReach * reach[static_cast<std::size_t>(plane.body)];
  }
  for (std::size_t i = 0; i < boxes_.size(); ++i) {
    const double side = half_space_of_[i] >= 0 ? 0 : (boxes_[i].upper - boxes_[i].lower).maxCoeff(),
                 pad = padding(side, reach[i]);
    room_[i] = reach[i] + pad;
    padded_[i] = boxes_[i].grown(pad);
  }
  listed_balls_ = balls_;
  listed_filters_ = filters_;
  list_.clear();
  for (const CandidatePair& pair : broad_phase_.find(padded_, filters_, listed_half_spaces_)) {
    if (!are_apart(pair) && may_touch_later(pair)) list_.push_back({pair.a, pair.b});
  }
  has_list_ = true;
  ++lists_made_;
}

// Spheres need to be near, not only their boxes.
// Bodies of a joint, as a rule.
bool WorldDetection::are_apart(const CandidatePair& pair) const {
  const std::vector<std::pair<int, int>>& apart = world_->apart;
  return !apart.empty() &&
         std::binary_search(apart.begin(), apart.end(),
                            std::pair(std::min(pair.a, pair.b), std::max(pair.a, pair.b)));
}

bool WorldDetection::may_touch_later(const CandidatePair& pair) const {
  const std::size_t a = static_cast<std::size_t>(pair.a), b = static_cast<std::size_t>(pair.b);
  if (balls_[a].radius < 0 || balls_[b].radius < 0) return true;
  const double far = (balls_[a].radius + balls_[b].radius + room_[a] + room_[b]) * (1 + 1e-12);
  return (balls_[b].centre - balls_[a].centre).squaredNorm() <= far * far;
}

const LargeArray<WorldContact>& WorldDetection::find(const WorldState& state,
                                                     const std::vector<double>& reach, double h) {
  state_ = &state;
  h_ = h;
  update_bodies(state, reach);
  contacts_.clear();
  if (periodic_) {
    shear_offset_ =
        world_->is_sheared() ? std::remainder(state.shear_offset, world_->period.x()) : 0;
    if (world_->is_sheared()) broad_phase_.shear(world_->shear_normal, shear_offset_);
    for (std::size_t i = 0; i < boxes_.size(); ++i)
      if (balls_[i].radius >= 0) poses_[i].position = balls_[i].centre;
    for (const CandidatePair& pair : broad_phase_.find(boxes_, filters_, half_spaces_)) {
      if (are_apart(pair)) continue;
      add_pair(pair,
               reach[static_cast<std::size_t>(pair.a)] + reach[static_cast<std::size_t>(pair.b)]);
    }
    return contacts_;
  }
  if (!list_holds(reach)) make_list(reach);
  use_list(reach);
  return contacts_;
}

// Spheres first all at once and without a branch, which would be missed every other time.
void WorldDetection::select_hits(const std::vector<double>& reach) {
  hits_.resize(list_.size());
  std::size_t count = 0;
  for (std::size_t k = 0; k < list_.size(); ++k) {
    const auto a = static_cast<std::size_t>(list_[k].a), b = static_cast<std::size_t>(list_[k].b);
    const Ball &x = balls_[a], &y = balls_[b];
    const double far = x.radius + y.radius + (reach[a] + reach[b]);
    const bool near = (y.centre - x.centre).squaredNorm() <= far * far;
    hits_[count] = static_cast<int>(k);
    count += static_cast<std::size_t>(near | (x.radius < 0) | (y.radius < 0));
  }
  hits_.resize(count);
}

void WorldDetection::use_list(const std::vector<double>& reach) {
  select_hits(reach);
  for (const int hit : hits_) {
    const ListedPair& pair = list_[static_cast<std::size_t>(hit)];
    const auto a = static_cast<std::size_t>(pair.a), b = static_cast<std::size_t>(pair.b);
    if (balls_[a].radius >= 0 && balls_[b].radius >= 0) {
      add_balls(pair);
    } else if (boxes_meet(pair)) {
      for (const std::size_t i : {a, b})
        if (balls_[i].radius >= 0) poses_[i].position = balls_[i].centre;
      add_pair({pair.a, pair.b, {0, 0, 0}}, reach[a] + reach[b]);
    }
  }
}

bool WorldDetection::boxes_meet(const ListedPair& pair) const {
  const auto a = static_cast<std::size_t>(pair.a), b = static_cast<std::size_t>(pair.b);
  const int plane_a = half_space_of_[a], plane_b = half_space_of_[b];
  if (plane_a >= 0) return reaches(boxes_[b], half_spaces_[static_cast<std::size_t>(plane_a)]);
  if (plane_b >= 0) return reaches(boxes_[a], half_spaces_[static_cast<std::size_t>(plane_b)]);
  return boxes_[a].overlaps(boxes_[b]);
}

// The narrow phase of two spheres that are known to be near.
void WorldDetection::add_balls(const ListedPair& pair) {
  const Ball &a = balls_[static_cast<std::size_t>(pair.a)],
             &b = balls_[static_cast<std::size_t>(pair.b)];
  const Vector3 between = b.centre - a.centre;
  const double distance = between.norm(), gap = distance - a.radius - b.radius;
  // Coincident centres: every normal is right, one is chosen.
  const Vector3 normal = distance > 0 ? Vector3(between / distance) : Vector3::UnitZ();
  contacts_.push_back({pair.a, pair.b, a.centre + (a.radius + 0.5 * gap) * normal, normal,
                       Vector3::Zero(), gap, 0});
}

bool WorldDetection::turns(const CandidatePair& pair) const {
  return h_ > 0 && (hollow_[static_cast<std::size_t>(pair.a)] != 0 ||
                    hollow_[static_cast<std::size_t>(pair.b)] != 0);
}

// The inner contacts of a pair as they will be in the middle of the step, if both bodies go on as
// they do now, and the others as they are. Along the normal of then the bodies are as far apart now
// as they will be then less what they approach in between; the points of then stand on either body
// where they are, apart from half of what the bodies slip.
void WorldDetection::add_held(const CandidatePair& pair, const Vector3& image, double margin) {
  const std::size_t a = static_cast<std::size_t>(pair.a), b = static_cast<std::size_t>(pair.b);
  const BodyState &now_a = state_->bodies[a], &now_b = state_->bodies[b];
  const Pose then_a = moved_on(now_a, 0.5 * h_), then_b = moved_on(now_b, 0.5 * h_);
  const Shape &shape_a = *world_->bodies[a].shape, &shape_b = *world_->bodies[b].shape;
  const auto add = [&](const ContactPoint& point) {
    const int across = pair.image[static_cast<std::size_t>(world_->shear_normal)];
    contacts_.push_back({pair.a, pair.b, point.position, point.normal, image, point.gap,
                         point.feature % kTieFeature, across * world_->shear_speed()});
  };
  const auto shifted = [&](Pose pose) {
    pose.position += image;
    return pose;
  };
  collide(shape_a, now_a.pose(), shape_b, shifted(now_b.pose()), margin, manifold_);
  for (const ContactPoint& point : manifold_.points)
    if (!point.inner) add(point);
  collide(shape_a, then_a, shape_b, shifted(then_b), margin, ahead_);
  for (ContactPoint point : ahead_.points) {
    if (!point.inner) continue;
    const Vector3 half = 0.5 * point.gap * point.normal;
    const Vector3 arm_a = point.position - half - then_a.position,
                  arm_b = point.position + half - shifted(then_b).position;
    const Vector3 slip = velocity_at(now_b, arm_b) - velocity_at(now_a, arm_a);
    point.gap -= 0.5 * h_ * point.normal.dot(slip);
    point.position = 0.5 * (now_a.position + arm_a + now_b.position + image + arm_b);
    if (point.gap <= margin) add(point);
  }
}

void WorldDetection::add_pair(const CandidatePair& pair, double margin) {
  const std::size_t a = static_cast<std::size_t>(pair.a), b = static_cast<std::size_t>(pair.b);
  Vector3 image;
  for (int k = 0; k < 3; ++k)
    image[k] = pair.image[static_cast<std::size_t>(k)] * world_->period[k];
  const int across = pair.image[static_cast<std::size_t>(world_->shear_normal)];
  image.x() += across * shear_offset_;
  if (turns(pair)) return add_held(pair, image, margin);
  Pose moved = poses_[b];
  moved.position += image;
  collide(*world_->bodies[a].shape, poses_[a], *world_->bodies[b].shape, moved, margin, manifold_);
  for (const ContactPoint& point : manifold_.points) {
    contacts_.push_back({pair.a, pair.b, point.position, point.normal, image, point.gap,
                         point.feature % kTieFeature, across * world_->shear_speed()});
  }
}

}  // namespace clack
