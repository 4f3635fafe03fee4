#include "clack/model/bodies/body_tree.hpp"

#include <algorithm>
#include <array>
#include <numbers>
#include <span>

#include "clack/model/bodies/body_places.hpp"

namespace clack {
namespace {

constexpr int kQ = RigidBodies::kQ, kV = RigidBodies::kV;

// The coordinates of a joint in the order in which they move from A to B; -1: of a ball.
std::span<const int> sequence(JointKind kind) {
  static constexpr std::array<int, 1> kOne = {0};
  static constexpr std::array<int, 2> kTwo = {0, 1};
  static constexpr std::array<int, 3> kPlanar = {1, 2, 0}, kBall = {-1, -1, -1};
  switch (kind) {
    case JointKind::revolute:
    case JointKind::prismatic:
    case JointKind::screw:
      return kOne;
    case JointKind::cylindrical:
    case JointKind::universal:
      return kTwo;
    case JointKind::planar:
      return kPlanar;
    case JointKind::spherical:
      return kBall;
    default:
      return {};
  }
}

bool fits_a_tree(JointKind kind) { return kind == JointKind::fixed || !sequence(kind).empty(); }

constexpr double kTurn = 2 * std::numbers::pi;

// B's frame in A's: rotation and displacement along A's axes.
struct FramePose {
  Quaternion rotation = Quaternion::Identity();
  Vector3 way = Vector3::Zero();
};

FramePose frame_pose(const Joint& joint, const double* x, const Quaternion& ball) {
  const auto about = [](double angle, const Vector3& axis) {
    return Quaternion(Eigen::AngleAxisd(angle, axis));
  };
  const Vector3 e1 = Vector3::UnitX(), e3 = Vector3::UnitZ();
  switch (joint.kind) {
    case JointKind::revolute:
      return {about(x[0], e3)};
    case JointKind::prismatic:
      return {Quaternion::Identity(), x[0] * e3};
    case JointKind::cylindrical:
      return {about(x[0], e3), x[1] * e3};
    case JointKind::screw:
      return {about(x[0], e3), joint.pitch / kTurn * x[0] * e3};
    case JointKind::universal:
      return {about(x[0], e3) * about(x[1], e1)};
    case JointKind::planar:
      return {about(x[0], e3), Vector3(x[1], x[2], 0)};
    case JointKind::spherical:
      return {ball};
    default:
      return {};
  }
}

// The child's frame in the parent's at a ball.
Quaternion ball_rotation(ConstVectorRef q, const Joint& joint, bool reversed) {
  const Quaternion a = place_in(q, joint.a).rotation * Quaternion(joint.frame_a.axes),
                   b = place_in(q, joint.b).rotation * Quaternion(joint.frame_b.axes);
  return reversed ? b.conjugate() * a : a.conjugate() * b;
}

}  // namespace

std::string BodyTree::fault(const RigidWorld& world, const Joint& joint) {
  if (!fits_a_tree(joint.kind))
    return "a joint '" + joint_type(joint.kind).name +
           "' has no coordinates for all that it leaves free";
  if (!sequence(joint.kind).empty() && !joint.has_coordinates && joint.kind != JointKind::spherical)
    return "a link has no coordinates";
  for (const JointFriction& friction : joint.frictions) {
    if (friction.depends_on_load())
      return "its friction depends on its reaction, which is no unknown in joint coordinates";
  }
  for (const int i : {joint.a, joint.b}) {
    if (i < 0) continue;
    const Body& body = world.bodies[static_cast<std::size_t>(i)];
    if (body.kind == BodyKind::driven) return "body '" + body.name + "' moves as it is told";
    if (body.birth > -std::numeric_limits<double>::max() ||
        body.removal < std::numeric_limits<double>::max())
      return "body '" + body.name + "' is not there all the time";
  }
  return {};
}

BodyTree::BodyTree(const RigidBodies& bodies, const std::vector<char>& taken)
    : bodies_(&bodies), world_(&bodies.world()), joints_(&bodies.joints()) {
  const std::size_t n = world_->bodies.size();
  link_of_.assign(n, -1);
  velocity_of_.assign(joints_->coordinates().size(), -1);
  holds_.assign(joints_->joints().size(), 0);
  const auto moves = [&](int body) {
    return body >= 0 && world_->bodies[static_cast<std::size_t>(body)].kind != BodyKind::fixed;
  };
  // First what hangs on the surroundings, then what does not.
  for (std::size_t j = 0; j < taken.size(); ++j) {
    const Joint& joint = joints_->joints()[j];
    if (!taken[j] || moves(joint.a) == moves(joint.b)) continue;
    const int body = moves(joint.b) ? joint.b : joint.a;
    if (link_of(body) >= 0) continue;
    hang(body, static_cast<int>(j), body == joint.a);
    grow(body, taken);
  }
  for (std::size_t i = 0; i < n; ++i) {
    const int body = static_cast<int>(i);
    if (!moves(body) || link_of(body) >= 0) continue;
    hang(body, -1, false);
    grow(body, taken);
  }
  absorb_couplers();
}

// All that hangs on a body, breadth first.
void BodyTree::grow(int body, const std::vector<char>& taken) {
  std::vector<int> front = {body};
  for (std::size_t k = 0; k < front.size(); ++k) {
    for (std::size_t j = 0; j < taken.size(); ++j) {
      const Joint& joint = joints_->joints()[j];
      if (!taken[j] || (joint.a != front[k] && joint.b != front[k])) continue;
      const int other = joint.a == front[k] ? joint.b : joint.a;
      if (other < 0 || link_of(other) >= 0 ||
          !world_->bodies[static_cast<std::size_t>(other)].is_free())
        continue;
      hang(other, static_cast<int>(j), other == joint.a);
      front.push_back(other);
    }
  }
}

void BodyTree::hang(int body, int joint, bool reversed) {
  TreeLink link;
  const int number = static_cast<int>(links_.size());
  link.body = body;
  link.joint = joint;
  link.reversed = reversed;
  link.root = number;
  if (joint >= 0) {
    const Joint& own = joints_->joints()[static_cast<std::size_t>(joint)];
    const int before = reversed ? own.b : own.a;
    holds_[static_cast<std::size_t>(joint)] = 1;
    link.parent = before < 0 ? -1 : link_of(before);
  }
  if (link.parent >= 0) {
    link.root = links_[static_cast<std::size_t>(link.parent)].root;
    link.path = links_[static_cast<std::size_t>(link.parent)].path;
  }
  link_of_[static_cast<std::size_t>(body)] = number;
  add_velocities(link);
  links_.push_back(std::move(link));
}

void BodyTree::add_velocities(TreeLink& link) {
  link.first = size();
  const int number = static_cast<int>(links_.size());
  if (link.joint < 0) {
    velocities_.insert(velocities_.end(), kV, {number, -1});
  } else {
    const Joint& joint = joints_->joints()[static_cast<std::size_t>(link.joint)];
    std::vector<int> order(sequence(joint.kind).begin(), sequence(joint.kind).end());
    if (link.reversed) std::reverse(order.begin(), order.end());
    for (const int x : order) {
      const int coordinate = x < 0 ? -1 : joints_->coordinate(link.joint, x);
      if (coordinate >= 0) velocity_of_[static_cast<std::size_t>(coordinate)] = size();
      velocities_.push_back({number, coordinate});
    }
  }
  link.count = size() - link.first;
  for (int k = 0; k < link.count; ++k) link.path.push_back(link.first + k);
}

// --- positions ---------------------------------------------------------------------------------

// Where the joint of a link puts its body, with the link before it where it is in q.
BodyState BodyTree::hung(ConstVectorRef q, const TreeLink& link, const double* coordinates,
                         const Quaternion& ball) const {
  const Joint& joint = joints_->joints()[static_cast<std::size_t>(link.joint)];
  const JointFrame &before = link.reversed ? joint.frame_b : joint.frame_a,
                   &own = link.reversed ? joint.frame_a : joint.frame_b;
  const BodyState parent = place_in(q, link.reversed ? joint.b : joint.a);
  FramePose pose = frame_pose(joint, coordinates, ball);
  if (link.reversed && joint.kind != JointKind::spherical) {
    pose.rotation = pose.rotation.conjugate();
    pose.way = -(pose.rotation * pose.way);
  }
  const Quaternion frame = parent.rotation * Quaternion(before.axes);
  BodyState s;
  s.rotation = (frame * pose.rotation * Quaternion(own.axes).conjugate()).normalized();
  s.position =
      parent.position + parent.rotation * before.point + frame * pose.way - s.rotation * own.point;
  return s;
}

void BodyTree::advance(ConstVectorRef q, ConstVectorRef dq_own, VectorRef q_next) const {
  const int places = kQ * bodies_->count();
  thread_local Vector dq;
  dq.resize(size());
  spread(dq_own, dq);
  q_next = q;
  for (int k = 0; k < size(); ++k) {
    const int coordinate = velocities_[static_cast<std::size_t>(k)].coordinate;
    if (coordinate >= 0) q_next[places + coordinate] += dq[k];
  }
  if (is_coupled()) follow(q_next);
  for (const TreeLink& link : links_) {
    double* pose = q_next.data() + kQ * link.body;
    if (link.joint < 0) {
      const Vector3 angle = dq.segment<3>(link.first + 3);
      BodyState s = place_in(q, link.body);
      s.position += dq.segment<3>(link.first);
      if (!angle.isZero(0)) s.rotation = (s.rotation * rotation_of(angle)).normalized();
      std::array<double, kV> none{};
      RigidBodies::write(s, pose, none.data());
      continue;
    }
    const Joint& joint = joints_->joints()[static_cast<std::size_t>(link.joint)];
    const int own = places + joints_->coordinate(link.joint, 0);
    Quaternion ball = Quaternion::Identity();
    if (joint.kind == JointKind::spherical)
      ball = ball_rotation(q, joint, link.reversed) * rotation_of(dq.segment<3>(link.first));
    const BodyState s = hung(q_next, link, q_next.data() + own, ball);
    std::array<double, kV> none{};
    RigidBodies::write(s, pose, none.data());
  }
  update_open_coordinates(q_next);
}

void BodyTree::update_open_coordinates(VectorRef q) const {
  const int places = kQ * bodies_->count();
  const auto body = [&](int i) { return place_in(q, i); };
  for (std::size_t k = 0; k < velocity_of_.size(); ++k) {
    if (velocity_of_[k] >= 0) continue;
    const WorldJoints::Coordinate& x = joints_->coordinates()[k];
    const double raw = row_value(x.what.row, joints_->geometry(x.joint, body));
    double& value = q[places + static_cast<int>(k)];
    value = x.what.turns ? unwound(raw, value) : raw;
  }
}

void BodyTree::difference(ConstVectorRef q_next, ConstVectorRef q, VectorRef own) const {
  const int places = kQ * bodies_->count();
  Vector dq(size());
  for (const TreeLink& link : links_) {
    if (link.joint < 0) {
      dq.segment<3>(link.first) = centre_in(q_next, link.body) - centre_in(q, link.body);
      dq.segment<3>(link.first + 3) =
          rotation_vector(rotation_in(q, link.body).conjugate() * rotation_in(q_next, link.body));
      continue;
    }
    const Joint& joint = joints_->joints()[static_cast<std::size_t>(link.joint)];
    if (joint.kind == JointKind::spherical) {
      dq.segment<3>(link.first) =
          rotation_vector(ball_rotation(q, joint, link.reversed).conjugate() *
                          ball_rotation(q_next, joint, link.reversed));
      continue;
    }
    for (int k = link.first; k < link.first + link.count; ++k) {
      const int at = places + velocities_[static_cast<std::size_t>(k)].coordinate;
      dq[k] = q_next[at] - q[at];
    }
  }
  pick(dq, own);
}

void BodyTree::from_bodies(ConstVectorRef q, ConstVectorRef body_v, VectorRef own) const {
  Vector v(size());
  for (const TreeLink& link : links_) {
    if (link.joint < 0) {
      v.segment<kV>(link.first) = body_v.segment<kV>(kV * link.body);
      continue;
    }
    const Joint& joint = joints_->joints()[static_cast<std::size_t>(link.joint)];
    if (joint.kind == JointKind::spherical) {
      const auto spin = [&](int body) -> Vector3 {
        if (body < 0) return Vector3::Zero();
        return rotation_in(q, body) * Vector3(body_v.segment<3>(kV * body + 3));
      };
      const JointFrame& frame = link.reversed ? joint.frame_a : joint.frame_b;
      const Matrix3 axes = rotation_in(q, link.body) * frame.axes;
      const Vector3 relative = spin(joint.b) - spin(joint.a);
      v.segment<3>(link.first) = axes.transpose() * (link.reversed ? -relative : relative);
      continue;
    }
    for (int k = link.first; k < link.first + link.count; ++k)
      v[k] =
          bodies_->coordinate_rate(velocities_[static_cast<std::size_t>(k)].coordinate, q, body_v);
  }
  pick(v, own);
}

}  // namespace clack
