// Joints of rigid bodies: values, rows and accelerations against exact motions of the bodies.
#include "clack/collide/joint_contacts.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

#include "clack/model/laws/law_list.hpp"

namespace clack {
namespace {

constexpr double kPi = std::numbers::pi;

Vector3 random_vector(std::mt19937& random, bool planar = false) {
  std::normal_distribution<double> normal;
  const double x = normal(random), y = normal(random), z = normal(random);
  return {x, y, planar ? 0 : z};
}

// B's frame of a joint in A's, as the joint allows it.
struct Placing {
  Quaternion rotation = Quaternion::Identity();
  Vector3 d = Vector3::Zero();  // along the axes of A
};
Placing allowed(JointKind kind, double pitch, bool planar, std::mt19937& random) {
  const Vector3 x = 0.5 * random_vector(random, planar), turned = 0.4 * random_vector(random);
  const Quaternion about_axis = rotation_of({0, 0, turned.z()});
  switch (kind) {
    case JointKind::fixed:
      return {};
    case JointKind::revolute:
      return {about_axis};
    case JointKind::prismatic:
      return {Quaternion::Identity(), {0, 0, x.x()}};
    case JointKind::cylindrical:
      return {about_axis, {0, 0, x.x()}};
    case JointKind::universal:
      return {about_axis * rotation_of({turned.x(), 0, 0})};
    case JointKind::spherical:
      return {rotation_of(turned)};
    case JointKind::planar:
      return {about_axis, {x.x(), x.y(), 0}};
    case JointKind::screw:
      return {about_axis, {0, 0, pitch * turned.z() / (2 * kPi)}};
    case JointKind::line:
      return {planar ? rotation_of({0, turned.y(), 0}) : rotation_of(turned), {0, 0, x.x()}};
    case JointKind::plane:
      return {rotation_of(turned), {x.x(), x.y(), 0}};
    case JointKind::orientation:
      return {Quaternion::Identity(), x};
    default:
      return {planar ? about_axis : rotation_of(turned), x};
  }
}

// That go through a point.
void add_surfaces(const Vector3& p, bool planar, Joint& joint) {
  const double x = p.x(), y = p.y(), z = p.z();
  joint.surfaces.emplace_back(
      fmt::format("x^2 + 0.5*y*z + sin(x*y) - ({:.17g})", x * x + 0.5 * y * z + std::sin(x * y)));
  if (!planar) joint.surfaces.emplace_back(fmt::format("x*y + z - ({:.17g})", x * y + z));
}

// Two free bodies and one that is driven; all kinds of joints between all pairs, and to the ground,
// with everything that acts on their coordinates. All of them hold in the state.
struct Machine {
  std::shared_ptr<RigidWorld> world = std::make_shared<RigidWorld>();
  WorldState state;

  explicit Machine(bool planar, bool driven = true) {
    world->planar = planar;
    world->materials.push_back({"stuff", 1000, 0, 0});
    for (int i = 0; i < 3; ++i) {
      const ShapePtr shape = planar ? make_shape(Disc(0.1)) : make_shape(Box({0.1, 0.2, 0.3}));
      BodyState s;
      Body body = make_body("body", shape, world->materials[0], 0, {}, s);
      if (i == 0 && driven) body.kind = BodyKind::driven;
      world->bodies.push_back(body);
      state.bodies.push_back(random_state(static_cast<unsigned>(i)));
    }
    for (const JointType& type : joint_list()) {
      if (planar && !type.in_plane) continue;
      for (const auto& [a, b] : {std::pair(0, 1), {1, 2}, {2, 0}, {-1, 1}}) add(type.kind, a, b);
    }
    Coupler gear;
    gear.name = "gear";
    for (int k = 0; k < 3; ++k) gear.terms.push_back({4 + k, 0, 1.5 - k});
    gear.constant = 0.3;
    world->couplers.push_back(gear);
  }
  void add(JointKind kind, int a, int b) {
    std::mt19937 random(static_cast<unsigned>(world->joints.size()));
    Joint joint;
    joint.name = joint_type(kind).name;
    joint.kind = kind;
    joint.a = a;
    joint.b = b;
    joint.pitch = 0.3;
    const bool planar = world->planar;
    joint.frame_a.point = random_vector(random, planar);
    const Vector3 turned = random_vector(random);
    joint.frame_a.axes =
        rotation_of(planar ? Vector3(0, 0, turned.z()) : turned).toRotationMatrix();
    // In the plane the axis of these joints lies in it, and the second one across it.
    if (planar && (kind == JointKind::prismatic || kind == JointKind::line))
      joint.frame_a.axes = joint.frame_a.axes * rotation_of({kPi / 2, 0, 0}).toRotationMatrix();
    const Placing placing = allowed(kind, joint.pitch, planar, random);
    const BodyState ground, &A = a < 0 ? ground : state.bodies[static_cast<std::size_t>(a)],
                            &B = state.bodies[static_cast<std::size_t>(b)];
    const Matrix3 axes = A.rotation * joint.frame_a.axes;
    const Vector3 point = A.position + A.rotation * joint.frame_a.point + axes * placing.d;
    joint.frame_b.point = B.rotation.conjugate() * (point - B.position);
    joint.frame_b.axes = B.rotation.conjugate() * (axes * placing.rotation.toRotationMatrix());
    joint.length = placing.d.norm();
    if (kind == JointKind::surface) add_surfaces(placing.d, planar, joint);
    const std::size_t free = joint_type(kind).coordinates(joint, planar).size();
    for (int k = 0; k < static_cast<int>(free); ++k) {
      joint.limits.push_back({k, -0.4, 0.6, 0.5, 1.5});
      joint.drives.push_back({k, JointFunction("0.3*sin(2*t)")});
    }
    world->joints.push_back(joint);
  }
  BodyState random_state(unsigned seed) const {
    std::mt19937 random(seed);
    BodyState s{random_vector(random), rotation_of(0.4 * random_vector(random)),
                random_vector(random), random_vector(random)};
    if (!world->planar) return s;
    s.position.z() = s.v.z() = s.omega.x() = s.omega.y() = 0;
    s.rotation = rotation_of({0, 0, 0.7 * random_vector(random).z()});
    return s;
  }
};

// Whether a row stands on angles, which are those about the axes of joints that hold.
bool has_angle(const RigidWorld& world, const JointRows::Row& row) {
  if (row.part == JointRows::Part::coupler) return true;
  const Joint& joint = world.joints[static_cast<std::size_t>(row.joint)];
  if (row.part == JointRows::Part::constraint) return joint.kind == JointKind::screw;
  const auto index = static_cast<std::size_t>(row.index);
  const int k = row.part == JointRows::Part::drive ? joint.drives[index].coordinate
                                                   : joint.limits[index].coordinate;
  return joint_type(joint.kind).coordinates(joint, world.planar)[static_cast<std::size_t>(k)].turns;
}

TEST(JointContacts, ConstraintsHoldInEveryPositionThatAJointAllows) {
  for (const bool planar : {false, true}) {
    const Machine machine(planar);
    const RigidBodies bodies(machine.world, machine.state);
    JointRows rows(bodies);
    const State state = bodies.to_state(bodies.initial());
    rows.update([&](int i) { return machine.state.bodies[static_cast<std::size_t>(i)]; },
                bodies.initial().coordinates.data());
    int checked = 0;
    for (int c = 0; c < static_cast<int>(rows.contacts().size()); ++c) {
      if (rows.row(c).part != JointRows::Part::constraint) continue;
      EXPECT_NEAR(rows.gap(c, 0), 0, 1e-14) << rows.contacts()[static_cast<std::size_t>(c)].name;
      ++checked;
    }
    EXPECT_EQ(checked, planar ? 4 * (3 + 2 + 2 + 1 + 1 + 1 + 1 + 1)
                              : 4 * (6 + 5 + 5 + 4 + 4 + 3 + 3 + 5 + 2 + 1 + 1 + 1 + 3 + 2));
  }
}

// d gap/dt along a motion with constant v, by central differences: where joints hold, and elsewhere.
TEST(JointContacts, RowsAreTheDerivativesOfTheirGaps) {
  for (const bool planar : {false, true}) {
    for (const bool holds : {true, false}) {
      const Machine machine(planar);
      const RigidBodies bodies(machine.world, machine.state);
      JointContacts joints(bodies);
      const JointRows rows(bodies);
      State state = bodies.to_state(bodies.initial());
      if (!holds) {
        Vector away = Vector::Zero(bodies.nv()), q = state.q;
        std::mt19937 random(7);
        for (int i = 0; i < 3; ++i) {
          away.segment<3>(6 * i) = 0.2 * random_vector(random, planar);
          const Vector3 turned = 0.2 * random_vector(random);
          away.segment<3>(6 * i + 3) = planar ? Vector3(0, 0, turned.z()) : turned;
        }
        bodies.advance(q, away, state.q);
      }
      const double t = 0.4, dt = 1e-5;
      joints.find(t, state.q, state.v, 1e-3);
      const int count = static_cast<int>(joints.contacts().size());
      Vector w(count), before(count), after(count), q(bodies.nq());
      ContactMap dense(bodies.nv(), count), sparse(bodies.nv(), count, true);
      joints.map(t, state.q, 0, dense, w);
      sparse.clear();
      joints.map(t, state.q, 0, sparse, w);
      bodies.advance(state.q, -dt * state.v, q);
      joints.gaps(t - dt, q, before);
      bodies.advance(state.q, dt * state.v, q);
      joints.gaps(t + dt, q, after);
      for (int c = 0; c < count; ++c) {
        EXPECT_NEAR(sparse.dot(c, state.v), dense.dot(c, state.v), 1e-13) << c;
        if (!holds && !planar && has_angle(*machine.world, rows.row(c))) continue;
        EXPECT_NEAR(dense.dot(c, state.v) + w[c], (after[c] - before[c]) / (2 * dt), 2e-7)
            << joints.contacts()[static_cast<std::size_t>(c)].name << " row " << c;
      }
      EXPECT_TRUE(dense.dense().topRows(6).isZero(0)) << "what is driven moves by w alone";
      EXPECT_GT(w.norm(), 0.1);
    }
  }
}

// du/dt along a motion with constant v is the part of the acceleration that is not H'a.
TEST(JointContacts, BiasIsTheRateOfTheRows) {
  for (const bool planar : {false, true}) {
    const Machine machine(planar, false);
    const RigidBodies bodies(machine.world, machine.state);
    JointContacts joints(bodies);
    const JointRows rows(bodies);
    const State state = bodies.to_state(bodies.initial());
    const double t = 0.4, dt = 1e-5;
    joints.find(t, state.q, state.v, 1e-3);
    const int count = static_cast<int>(joints.contacts().size());
    Vector bias(count), w(count), q(bodies.nq());
    ASSERT_TRUE(joints.bias(t, state.q, state.v, bias));
    const auto rate = [&](double at) {
      Vector u(count);
      ContactMap H(bodies.nv(), count);
      bodies.advance(state.q, at * state.v, q);
      joints.map(t + at, q, 0, H, w);
      for (int c = 0; c < count; ++c) u[c] = H.dot(c, state.v) + w[c];
      return u;
    };
    const Vector expected = (rate(dt) - rate(-dt)) / (2 * dt);
    for (int c = 0; c < count; ++c) {
      EXPECT_NEAR(bias[c], expected[c], 1e-6 * (1 + std::abs(bias[c])))
          << joints.contacts()[static_cast<std::size_t>(c)].name << " row " << c;
    }
  }
}

// Full turns count, in q, whatever the steps look at in between.
TEST(JointCoordinates, CountFullTurnsAndFollowTheirRates) {
  Machine machine(false, false);
  machine.world->joints.clear();
  machine.world->couplers.clear();
  machine.add(JointKind::cylindrical, -1, 1);
  machine.state.bodies[1].omega = Vector3::Zero();
  const RigidBodies bodies(machine.world, machine.state);
  ASSERT_EQ(bodies.nq(), 3 * 7 + 2);
  State state = bodies.to_state(bodies.initial());
  const Joint& joint = machine.world->joints[0];
  const Vector3 axis = joint.frame_b.axes.col(2);  // in the body
  state.v.setZero();
  state.v.segment<3>(6 + 3) = 5 * axis;
  // The point of the joint stays where it is.
  const auto speed = [&](const Vector& q) {
    const BodyState s = RigidBodies::body(q, state.v, 1);
    return Vector3(-(s.rotation * s.omega).cross(s.rotation * joint.frame_b.point));
  };
  const double start = state.q[21];
  Vector q = state.q, next = q;
  for (int k = 0; k < 1000; ++k) {
    state.v.segment<3>(6) = speed(q);
    Vector rates(bodies.nq());
    bodies.coordinate_rates(q, state.v, rates);
    ASSERT_NEAR(rates[21], 5, 1e-12);
    Vector aside(bodies.nq());
    bodies.advance(q, 0.3 * state.v, aside);  // looking elsewhere changes nothing
    bodies.advance(q, 0.01 * state.v, next);
    q = next;
  }
  EXPECT_NEAR(q[21] - start, 50, 1e-10);
  // Their gradient is that of the rate.
  Vector gradient = Vector::Zero(bodies.nq()), force(bodies.nv());
  gradient[21] = 2;
  bodies.pull_back(q, gradient, force);
  EXPECT_NEAR(force.dot(state.v), 2 * 5, 1e-12);
}

// p and -p are the same rotation.
TEST(JointContacts, DoNotSeeTheSignOfAQuaternion) {
  for (const bool planar : {false, true}) {
    const Machine machine(planar);
    const RigidBodies bodies(machine.world, machine.state);
    JointContacts joints(bodies);
    State state = bodies.to_state(bodies.initial());
    const int count = static_cast<int>(joints.contacts().size());
    Vector gap(count), again(count), w(count), w_again(count);
    ContactMap H(bodies.nv(), count), H_again(bodies.nv(), count);
    joints.find(0, state.q, state.v, 1e-3);
    joints.gaps(0, state.q, gap);
    joints.map(0, state.q, 0, H, w);
    state.q.segment<4>(RigidBodies::kQ + 3) *= -1;
    joints.gaps(0, state.q, again);
    joints.map(0, state.q, 0, H_again, w_again);
    EXPECT_LT((again - gap).norm(), 1e-13);
    EXPECT_LT((H_again.dense() - H.dense()).norm(), 1e-13);
  }
}

// Links that cannot break are joints without coordinates, where they were made.
TEST(JointContacts, OfRigidLinksHoldWhereTheyWereMadeAndWiresAtTheirLength) {
  for (const bool planar : {false, true}) {
    Machine machine(planar);
    machine.world->joints.clear();
    machine.world->couplers.clear();
    for (const char* law : {"hinge", "glue", "wire"}) {
      Link link;
      link.name = law;
      link.a = 1;
      link.b = 2;
      link.point_a = {0.1, -0.2, planar ? 0 : 0.3};
      link.point_b = {0.2, -0.2, planar ? 0 : 0.15};
      link.length = link.name == "wire" ? 0.2 : 0;
      link.axial = link.name == "wire";
      link.law = make_law(LawKind::link, law, {});
      machine.world->links.push_back(link);
    }
    const RigidBodies bodies(machine.world, machine.state);
    EXPECT_EQ(bodies.nq(), 21);
    JointContacts joints(bodies);
    const int count = static_cast<int>(joints.contacts().size());
    ASSERT_EQ(count, planar ? 2 + 3 + 1 : 3 + 6 + 1);
    Vector gap(count);
    joints.gaps(0, bodies.to_state(machine.state).q, gap);
    EXPECT_LT(gap.head(count - 1).norm(), 1e-14);
    const BodyState &a = machine.state.bodies[1], &b = machine.state.bodies[2];
    const Link& wire = machine.world->links[2];
    const double distance =
        (b.position + b.rotation * wire.point_b - a.position - a.rotation * wire.point_a).norm();
    EXPECT_NEAR(gap[count - 1], 0.2 - distance, 1e-15);
    EXPECT_FALSE(joints.contacts().back().bilateral);
  }
}

}  // namespace
}  // namespace clack
