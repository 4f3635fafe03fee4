#include "clack/io/scene/joint_start.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "clack/collide/contact_set.hpp"
#include "clack/collide/joint_rows.hpp"
#include "clack/integrate/close_constraints.hpp"

namespace clack {
namespace {

constexpr double kExact = 1e-9;  // error that is not worth a word, of lengths about 1 m

// The body that has moved most, and how far.
std::string largest_move(const RigidBodies& bodies, const State& before, const State& after) {
  double worst = 0, turned = 0;
  int most = 0;
  for (int i = 0; i < bodies.count(); ++i) {
    const BodyState x = RigidBodies::body(before.q, before.v, i),
                    y = RigidBodies::body(after.q, after.v, i);
    const double way = (y.position - x.position).norm(),
                 angle = rotation_vector(x.rotation.conjugate() * y.rotation).norm();
    if (way + angle > worst + turned) worst = way, turned = angle, most = i;
  }
  return fmt::format("'{}' moved by {:.3g} m and turned by {:.3g} rad",
                     bodies.world().bodies[static_cast<std::size_t>(most)].name, worst, turned);
}

// Axes that must point the same way may also meet the rows when they are opposed.
std::string opposed_axes(const RigidBodies& bodies, const State& start) {
  const WorldJoints& joints = bodies.joints();
  const auto body = [&](int i) { return RigidBodies::body(start.q, start.v, i); };
  for (std::size_t j = 0; j < joints.joints().size(); ++j) {
    const Joint& joint = joints.joints()[j];
    const bool on_axis = joint.kind == JointKind::revolute ||
                         joint.kind == JointKind::cylindrical || joint.kind == JointKind::planar ||
                         joint.kind == JointKind::screw;
    if (!on_axis || bodies.world().planar) continue;
    const JointGeometry at = joints.geometry(static_cast<int>(j), body);
    if (at.a.col(2).dot(at.b.col(2)) < 0) return joint.name;
  }
  return {};
}

void remark_limits(const RigidBodies& bodies, const State& start, JointStart& result) {
  ContactSet contacts(bodies, true);
  (void)contacts.find(start.t, start.q, start.v, 0);
  Vector gap(contacts.size());
  contacts.gaps(start.t, start.q, gap);
  for (int c = 0; c < contacts.size(); ++c) {
    const Contact& contact = contacts.list()[static_cast<std::size_t>(c)];
    if (contact.bilateral || contact.law.own || contact.identity.feature < kTieFeature ||
        !(gap[c] < -kExact))
      continue;
    result.remarks.push_back(fmt::format(
        "at the start '{}' is beyond its limit by {:.3g}; it stays there until it is pushed back: "
        "start within the limits",
        contact.name, -gap[c]));
  }
}

bool has_load_friction(const Joint& joint) {
  return std::any_of(joint.frictions.begin(), joint.frictions.end(),
                     [](const JointFriction& friction) { return friction.depends_on_load(); });
}

// Joints whose reactions are not unique.
std::vector<int> find_shared_loads(const RigidBodies& bodies, const ClosedStart& closed) {
  std::vector<int> joints;
  const auto count = bodies.joints().joints().size();
  for (const ContactIdentity& x : closed.undetermined) {
    if (x.feature < kTieFeature) continue;  // of formulas
    const std::size_t joint = JointRows::joint_of(x.feature);
    if (joint < count && (joints.empty() || joints.back() != static_cast<int>(joint)))
      joints.push_back(static_cast<int>(joint));
  }
  return joints;
}

// "'a', 'b' and 3 others"
std::string list_names(const std::vector<std::string>& names) {
  constexpr std::size_t kNamed = 3;
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kNamed); ++i)
    text += fmt::format("{}'{}'", i > 0 ? ", " : "", names[i]);
  if (names.size() > kNamed) text += fmt::format(" and {} others", names.size() - kNamed);
  return text;
}

void remark_redundant(const RigidBodies& bodies, const ClosedStart& closed, JointStart& result) {
  if (closed.redundant <= 0) return;
  result.remarks.push_back(fmt::format(
      "{} of the {} rows of joints follow from the others: the motion is determined, of the "
      "reactions only their sum is; those given are of least norm",
      closed.redundant, closed.rows));
  std::vector<std::string> names;
  for (const int j : result.shared_loads) {
    const Joint& joint = bodies.joints().joints()[static_cast<std::size_t>(j)];
    if (has_load_friction(joint)) names.push_back(joint.name);
  }
  if (names.empty()) return;
  result.remarks.push_back(fmt::format(
      "the friction of {} depends on a load that is not unique, so that the motion is not unique "
      "either: it is that of the loads of least norm; take joints that leave more free (spherical, "
      "line, plane), or give the friction a 'force' of its own",
      list_names(names)));
}

}  // namespace

JointStart close_start(const RigidBodies& bodies, double h, State& start) {
  JointStart result;
  (void)bodies.prescribe(start.t, h, start.q, start.v);
  const State given = start;
  const ClosedStart closed = close_constraints(bodies, start);
  if (!closed.closed) {
    result.fault = fmt::format(
        "cannot be assembled: '{}' stays open by {:.3g} [m, rad] however the bodies are moved; "
        "check points, axes and lengths, or constraints that contradict each other",
        closed.constraint, closed.error);
    return result;
  }
  if (const std::string name = opposed_axes(bodies, start); !name.empty()) {
    result.fault = fmt::format(
        "can only be assembled with the axis of joint '{}' turned round; start nearer to where its "
        "axes point the same way",
        name);
    return result;
  }
  result.moved = (start.q - given.q).cwiseAbs().maxCoeff() > 0 ||
                 (start.v - given.v).cwiseAbs().maxCoeff() > 0;
  if (closed.error > kExact) {
    result.remarks.push_back(
        fmt::format("the mechanism has been assembled: '{}' was off by {:.3g} [m, rad]; {}",
                    closed.constraint, closed.error, largest_move(bodies, given, start)));
  }
  const double kinetic = bodies.energies(given.t, given.q, given.v).kinetic;
  if (std::abs(closed.energy) > kExact * kinetic) {
    result.remarks.push_back(
        fmt::format("the initial velocities did not fit the joints: those nearest to them that do "
                    "have {:.3g} J "
                    "less kinetic energy",
                    closed.energy));
  }
  remark_limits(bodies, start, result);
  result.shared_loads = find_shared_loads(bodies, closed);
  remark_redundant(bodies, closed, result);
  return result;
}

}  // namespace clack
