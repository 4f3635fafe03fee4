#include "clack/collide/world_detection.hpp"

#include <cmath>

#include "clack/collide/narrow/collide.hpp"

namespace clack {

WorldDetection::WorldDetection(const RigidWorld& world)
    : world_(&world),
      broad_phase_(world.period),
      poses_(world.bodies.size()),
      boxes_(world.bodies.size()),
      filters_(world.bodies.size()) {
  for (std::size_t i = 0; i < world.bodies.size(); ++i) {
    const Body& body = world.bodies[i];
    filters_[i] = {body.group, body.collides, !body.is_free()};
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

}  // namespace

void WorldDetection::update_boxes(const WorldState& state, const std::vector<double>& reach) {
  half_spaces_.clear();
  for (std::size_t i = 0; i < boxes_.size(); ++i) {
    const Body& body = world_->bodies[i];
    const bool present = body.is_present(state.t);
    filters_[i].group = present ? body.group : 0;
    poses_[i] = state.bodies[i].pose();
    HalfSpace half_space;
    if (make_half_space(*body.shape, poses_[i], static_cast<int>(i), half_space)) {
      if (present) half_spaces_.push_back(half_space);
      boxes_[i] = {};
    } else {
      boxes_[i] = bounds(*body.shape, poses_[i]).grown(reach[i]);
    }
  }
}

const std::vector<WorldContact>& WorldDetection::find(const WorldState& state,
                                                      const std::vector<double>& reach) {
  update_boxes(state, reach);
  contacts_.clear();
  shear_offset_ = world_->is_sheared() ? std::remainder(state.shear_offset, world_->period.x()) : 0;
  if (world_->is_sheared()) broad_phase_.shear(world_->shear_normal, shear_offset_);
  for (const CandidatePair& pair : broad_phase_.find(boxes_, filters_, half_spaces_)) {
    add_pair(pair,
             reach[static_cast<std::size_t>(pair.a)] + reach[static_cast<std::size_t>(pair.b)]);
  }
  return contacts_;
}

void WorldDetection::add_pair(const CandidatePair& pair, double margin) {
  const std::size_t a = static_cast<std::size_t>(pair.a), b = static_cast<std::size_t>(pair.b);
  Vector3 image;
  for (int k = 0; k < 3; ++k)
    image[k] = pair.image[static_cast<std::size_t>(k)] * world_->period[k];
  const int across = pair.image[static_cast<std::size_t>(world_->shear_normal)];
  image.x() += across * shear_offset_;
  Pose moved = poses_[b];
  moved.position += image;
  collide(*world_->bodies[a].shape, poses_[a], *world_->bodies[b].shape, moved, margin, manifold_);
  for (const ContactPoint& point : manifold_.points) {
    contacts_.push_back({pair.a, pair.b, point.position, point.normal, image, point.gap,
                         point.feature, across * world_->shear_speed()});
  }
}

}  // namespace clack
