#include "clack/integrate/tree_reactions.hpp"

#include <limits>

#include "clack/model/bodies/body_places.hpp"

namespace clack {
namespace {

constexpr int kV = RigidBodies::kV;

// Of a body: generalised values of RigidBodies as a force and a moment about a point at rest.
Wrench about(const Vector3& origin, const Vector& q, int body, ConstVectorRef values) {
  const Vector3 force = values.segment<3>(kV * body);
  const Vector3 moment = rotation_in(q, body) * Vector3(values.segment<3>(kV * body + 3));
  return {force, moment + (centre_in(q, body) - origin).cross(force)};
}

// Impulses of all rows but those of joints that trees hold, whose reactions are asked for.
Vector impulses_from_outside(const BodyTree& tree, const Step& step) {
  Vector r = step.r;
  const std::vector<Contact>& list = step.contacts.list();
  const auto joints = static_cast<std::size_t>(tree.joint_count());
  for (std::size_t c = 0; c < list.size(); ++c) {
    if (list[c].identity.source != 1) continue;
    const std::size_t joint = JointRows::joint_of(list[c].identity.feature);
    if (joint >= joints || !tree.holds(static_cast<int>(joint))) continue;
    r.segment(step.contacts.row_begin()[c], list[c].dim()).setZero();
  }
  return r;
}

struct BodyPoint {
  Vector momentum, force;
};

// Momenta, and forces without gyroscopic ones, in the coordinates of RigidBodies.
BodyPoint body_point(const ArticulatedBodies& bodies, const StatePoint& at) {
  const RigidBodies& own = *bodies.bodies();
  const auto q = at.q.head(own.nq());
  Vector v(own.nv());
  bodies.body_velocities(q, at.v.head(bodies.nv()), v);
  Forces forces(own.nv());
  own.forces(at.t, q, v, forces);
  BodyPoint point{v, forces.potential + forces.damping + forces.external};
  for (int i = 0; i < own.count(); ++i) {
    const Body& body = own.world().bodies[static_cast<std::size_t>(i)];
    point.momentum.segment<3>(kV * i) *= body.mass;
    point.momentum.segment<3>(kV * i + 3).array() *= own.moments(body).array();
  }
  return point;
}

// Along a coordinate a joint carries what acts there; what is left is of a rotor, or of a coupler that
// the tree has taken up: none of its reaction.
void remove_excess(const RigidBodies& own, int coordinate, const JointRows& rows,
                   std::span<const double> impulses, double h, std::vector<Wrench>& reactions) {
  const WorldJoints::Coordinate& x =
      own.joints().coordinates()[static_cast<std::size_t>(coordinate)];
  const JointGeometry& geometry = rows.geometry(x.joint);
  const Wrench on_b = row_wrenches(x.what.row, geometry).b;
  const Matrix3 to_frame = geometry.a.transpose();
  const Wrench axis = {to_frame * on_b.force,
                       to_frame * (on_b.moment - geometry.arm_b.cross(on_b.force))};
  Wrench& reaction = reactions[static_cast<std::size_t>(x.joint)];
  const Wrench acting = rows.reaction(x.joint, impulses, false) * (1 / h);
  const double size = axis.force.squaredNorm() + axis.moment.squaredNorm();
  const double excess = (axis.force.dot(reaction.force - acting.force) +
                         axis.moment.dot(reaction.moment - acting.moment)) /
                        size;
  reaction += axis * -excess;
}

// Coordinates of trees on which rotors or couplers act that are no rows.
std::vector<int> coordinates_with_excess(const ArticulatedBodies& bodies) {
  const RigidBodies& own = *bodies.bodies();
  std::vector<int> list;
  const auto add = [&](int coordinate) {
    if (bodies.tree().velocity_of(coordinate) >= 0) list.push_back(coordinate);
  };
  for (const JointArmature& x : own.armatures()) add(x.coordinate);
  const std::vector<Coupler>& couplers = own.world().couplers;
  for (std::size_t c = 0; c < couplers.size(); ++c) {
    if (!bodies.tree().absorbs(static_cast<int>(c))) continue;
    for (const Coupler::Term& x : couplers[c].terms)
      add(own.joints().coordinate(x.joint, x.coordinate));
  }
  return list;
}

}  // namespace

std::vector<Wrench> tree_reactions(const ArticulatedBodies& bodies, const Step& step,
                                   const JointRows& rows, std::span<const double> impulses) {
  const RigidBodies& own = *bodies.bodies();
  const BodyTree& tree = bodies.tree();
  std::vector<Wrench> reactions(own.joints().joints().size());
  if (step.system.nv() != bodies.nv()) {
    const Vector3 unknown = Vector3::Constant(std::numeric_limits<double>::quiet_NaN());
    reactions.assign(reactions.size(), {unknown, unknown});
    return reactions;
  }
  const BodyPoint start = body_point(bodies, step.start), end = body_point(bodies, step.end);
  Vector impulse = Vector::Zero(own.nv());
  step.contacts.add_body_impulses(impulses_from_outside(tree, step), impulse);
  std::vector<Wrench> lacking(tree.links().size());  // of a link and all that hangs on it
  for (std::size_t i = lacking.size(); i-- > 0;) {
    const TreeLink& link = tree.links()[i];
    const Vector3 origin =
        centre_in(step.start.q, tree.links()[static_cast<std::size_t>(link.root)].body);
    const auto add = [&](const Vector& q, const Vector& values, double factor) {
      lacking[i] += about(origin, q, link.body, values) * factor;
    };
    add(step.end.q, end.momentum, 1);
    add(step.start.q, start.momentum, -1);
    add(step.end.q, end.force, -0.5 * step.h);
    add(step.start.q, start.force, -0.5 * step.h);
    add(step.start.q, impulse, -1);
    if (link.parent >= 0) lacking[static_cast<std::size_t>(link.parent)] += lacking[i];
    if (link.joint < 0) continue;
    const Joint& joint = own.joints().joints()[static_cast<std::size_t>(link.joint)];
    const auto frame = [&](int body, const JointFrame& f, const Vector& q) -> Vector3 {
      return body < 0 ? f.point : centre_in(q, body) + rotation_in(q, body) * f.point;
    };
    const Vector3 point = 0.5 * (frame(joint.b, joint.frame_b, step.start.q) +
                                 frame(joint.b, joint.frame_b, step.end.q));
    const Matrix3 axes =
        joint.a < 0
            ? joint.frame_a.axes
            : Matrix3(rotation_in(step.end.q, joint.a).toRotationMatrix() * joint.frame_a.axes);
    const Wrench on_b = lacking[i] * ((link.reversed ? -1 : 1) / step.h);
    const Vector3 moment = on_b.moment - (point - origin).cross(on_b.force);
    reactions[static_cast<std::size_t>(link.joint)] = {axes.transpose() * on_b.force,
                                                       axes.transpose() * moment};
  }
  for (const int x : coordinates_with_excess(bodies))
    remove_excess(own, x, rows, impulses, step.h, reactions);
  return reactions;
}

}  // namespace clack
