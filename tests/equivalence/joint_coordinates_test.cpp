// Trees in joint coordinates against the same bodies with constraints: J, M, F and derivatives by
// their definitions, motions by both.
#include <gtest/gtest.h>

#include <random>

#include "clack/collide/joint_rows.hpp"
#include "clack/integrate/simulation.hpp"
#include "clack/io/scene/scene.hpp"
#include "clack/model/bodies/articulated_bodies.hpp"

namespace clack {
namespace {

// All kinds of joints that fit a tree, some with the body nearer to the ground as B; two trees, one of
// which floats, a loop and a body on its own.
const char* const kTrees = R"(clack: 1
system:
  type: rigid-bodies
  coordinates: joints
  gravity: [0.3, -0.2, -9.81]
  materials: {steel: {density: 1000}}
  shapes: {link: {box: {size: [0.3, 0.12, 0.08]}}}
  bodies:
    - {name: a, shape: link, position: [0.2, 0, 0.1]}
    - {name: b, shape: link, position: [0.6, 0.1, 0], rotation: {axis: [1, 2, 3], angle: 0.4}}
    - {name: c, shape: link, position: [0.6, 0.5, 0.2]}
    - {name: d, shape: link, position: [0.9, 0.4, 0.3], rotation: {axis: [0, 1, 1], angle: 0.9}}
    - {name: e, shape: link, position: [0.3, -0.4, 0]}
    - {name: f, shape: link, position: [0.2, -0.8, 0.1]}
    - {name: g, shape: link, position: [0.1, -1.1, 0.2]}
    - {name: root, shape: link, position: [2, 0, 0], rotation: {axis: [1, 0, 1], angle: 0.3}}
    - {name: leaf, shape: link, position: [2.4, 0, 0.2]}
    - {name: alone, shape: link, position: [3, 3, 3], spin: [1, 2, 3]}
  joints:
    - {name: one, kind: revolute, bodies: [ground, a], point: [0, 0, 0], axis: [0, 1, 0.2], spring: {stiffness: 3, damping: 0.2}}
    - {name: two, kind: universal, bodies: [b, a], point: [0.4, 0, 0], axes: [[0, 1, 0], [0, 0, 1]]}
    - {name: three, kind: cylindrical, bodies: [b, c], point: [0.6, 0.3, 0], axis: [0, 1, 1]}
    - {name: four, kind: spherical, bodies: [d, c], point: [0.8, 0.5, 0.2]}
    - {name: five, kind: prismatic, bodies: [a, e], point: [0.2, -0.2, 0], axis: [1, 0, 1], spring: {stiffness: 20, damping: 1}}
    - {name: six, kind: planar, bodies: [e, f], point: [0.2, -0.6, 0], axis: [0, 1, 1]}
    - {name: seven, kind: screw, bodies: [g, f], point: [0.1, -0.9, 0], axis: [0, 1, 0], pitch: 0.05}
    - {name: eight, kind: revolute, bodies: [leaf, root], point: [2.2, 0, 0.1], axis: [1, 1, 0], spring: {stiffness: 2}}
  couplers:
    - {name: gears, of: {seven: -2, one: 1, three.angle: -0.5}}
simulation: {step: 1.0e-3, end: 1}
)";

struct Trees {
  explicit Trees(const std::string& text = kTrees)
      : scene(parse_scene("trees", text, {})),
        own(*scene.system->articulated()),
        bodies(*scene.system->bodies()) {
    q = scene.initial.q;
    v.resize(own.nv());
    std::mt19937 random(7);
    std::normal_distribution<double> normal;
    Vector dq(own.nv());
    for (int i = 0; i < own.nv(); ++i) dq[i] = 0.3 * normal(random);
    for (int i = 0; i < own.nv(); ++i) v[i] = normal(random);
    q = moved(q, dq);
  }

  Vector moved(const Vector& from, const Vector& dq) const {
    Vector to(own.nq());
    own.advance(from, dq, to);
    return to;
  }
  Matrix J(const Vector& at) const {
    Matrix columns(bodies.nv(), own.nv());
    for (int k = 0; k < own.nv(); ++k)
      own.body_velocities(at, Vector::Unit(own.nv(), k), columns.col(k));
    return columns;
  }
  Matrix body_mass() const {
    Matrix M(bodies.nv(), bodies.nv());
    bodies.mass(0, q, M);
    return M;
  }
  Vector total(const Vector& at, const Vector& velocity) const {
    Forces forces(own.nv());
    own.forces(0, at, velocity, forces);
    return forces.potential + forces.inertial + forces.damping + forces.external;
  }

  Scene scene;
  const ArticulatedBodies& own;
  const RigidBodies& bodies;
  Vector q, v;
};

constexpr double kStep = 1e-4;  // of central differences

// A change of q seen as one of bodies.
Vector as_bodies(const Trees& trees, const Vector& q, const Vector& next) {
  Vector dq(trees.bodies.nv());
  trees.bodies.difference(next, q, dq);
  return dq;
}

TEST(JointCoordinates, BodiesMoveByTheVelocitiesOfTheirTrees) {
  const Trees trees;
  const Vector there = trees.moved(trees.q, kStep * trees.v),
               back = trees.moved(trees.q, -kStep * trees.v);
  const Vector moved =
      (as_bodies(trees, trees.q, there) - as_bodies(trees, trees.q, back)) / (2 * kStep);
  EXPECT_LT((moved - trees.J(trees.q) * trees.v).norm(), 1e-6 * moved.norm());
}

TEST(JointCoordinates, MassIsThatOfTheBodiesPulledBack) {
  const Trees trees;
  Matrix M(trees.own.nv(), trees.own.nv());
  trees.own.mass(0, trees.q, M);
  const Matrix J = trees.J(trees.q), expected = J.transpose() * trees.body_mass() * J;
  EXPECT_LT((M - expected).cwiseAbs().maxCoeff(), 1e-12 * expected.cwiseAbs().maxCoeff());
}

// F = J'(F_b - M_b dJ/dt v), with dJ/dt by differences along the motion.
TEST(JointCoordinates, ForcesAreThoseOfTheBodiesPulledBack) {
  const Trees trees;
  const Matrix J = trees.J(trees.q);
  const Vector body_v = J * trees.v;
  Forces forces(trees.bodies.nv());
  trees.bodies.forces(0, trees.q, body_v, forces);
  const Vector ahead = trees.J(trees.moved(trees.q, kStep * trees.v)) * trees.v,
               behind = trees.J(trees.moved(trees.q, -kStep * trees.v)) * trees.v;
  const Vector bias = (ahead - behind) / (2 * kStep);
  const Vector sum = forces.potential + forces.inertial + forces.damping + forces.external;
  const Vector expected = J.transpose() * (sum - trees.body_mass() * bias);
  EXPECT_LT((trees.total(trees.q, trees.v) - expected).norm(), 1e-6 * expected.norm());
}

TEST(JointCoordinates, DerivativesByVelocitiesAreThoseOfTheForces) {
  const Trees trees;
  const int n = trees.own.nv();
  Matrix K(n, n), C(n, n), expected(n, n);
  trees.own.jacobians(0, trees.q, trees.v, K, C);
  for (int k = 0; k < n; ++k) {
    const Vector dv = kStep * Vector::Unit(n, k);
    expected.col(k) =
        -(trees.total(trees.q, trees.v + dv) - trees.total(trees.q, trees.v - dv)) / (2 * kStep);
  }
  EXPECT_LT((C - expected).cwiseAbs().maxCoeff(), 1e-8 * expected.cwiseAbs().maxCoeff());
}

// At rest: those of inertial forces by q are left out.
TEST(JointCoordinates, DerivativesByPositionsAreThoseOfTheForcesAtRest) {
  const Trees trees;
  const int n = trees.own.nv();
  const Vector rest = Vector::Zero(n);
  Matrix K(n, n), C(n, n), expected(n, n);
  trees.own.jacobians(0, trees.q, rest, K, C);
  for (int k = 0; k < n; ++k) {
    const Vector dq = kStep * Vector::Unit(n, k);
    expected.col(k) = -(trees.total(trees.moved(trees.q, dq), rest) -
                        trees.total(trees.moved(trees.q, -dq), rest)) /
                      (2 * kStep);
  }
  EXPECT_LT((K - expected).cwiseAbs().maxCoeff(), 1e-6 * expected.cwiseAbs().maxCoeff());
}

TEST(JointCoordinates, VelocitiesOfBodiesAndOfTreesAreOneAndTheSame) {
  const Trees trees;
  Vector body_v(trees.bodies.nv()), back(trees.own.nv());
  trees.own.body_velocities(trees.q, trees.v, body_v);
  trees.own.from_bodies(trees.q, body_v, back);
  EXPECT_LT((back - trees.v).norm(), 1e-12 * trees.v.norm());
}

TEST(JointCoordinates, DifferenceUndoesAdvance) {
  const Trees trees;
  const Vector dq = 0.1 * trees.v;
  Vector back(trees.own.nv());
  trees.own.difference(trees.moved(trees.q, dq), trees.q, back);
  EXPECT_LT((back - dq).norm(), 1e-12 * dq.norm());
}

TEST(JointCoordinates, JointsHoldToRoundOffHoweverFarTheTreesMove) {
  const Trees trees;
  Vector q = trees.q;
  for (int k = 0; k < 1000; ++k) q = trees.moved(q, 0.05 * trees.v);
  JointRows rows(trees.bodies);
  const Vector none = Vector::Zero(trees.bodies.nv());
  rows.update([&](int i) { return RigidBodies::body(q, none, i); },
              q.data() + RigidBodies::kQ * trees.bodies.count());
  for (int j = 0; j < static_cast<int>(trees.bodies.joints().joints().size()); ++j)
    EXPECT_LT(rows.error(j, 0), 1e-11) << j;
}

// 2 x7 - x1 + x3/2 = 0: one velocity fewer, and no drift.
TEST(JointCoordinates, CouplersHoldToRoundOffHoweverFarTheTreesMove) {
  const Trees trees;
  EXPECT_EQ(trees.own.nv(), trees.own.tree().size() - 1);
  Vector q = trees.q;
  for (int k = 0; k < 1000; ++k) q = trees.moved(q, 0.05 * trees.v);
  const WorldJoints& joints = trees.bodies.joints();
  const auto x = [&](const std::string& name) {
    for (const WorldJoints::Coordinate& c : joints.coordinates()) {
      if (joints.joints()[static_cast<std::size_t>(c.joint)].name == name)
        return q[RigidBodies::kQ * trees.bodies.count() +
                 static_cast<int>(&c - joints.coordinates().data())];
    }
    return 0.0;
  };
  EXPECT_GT(std::abs(x("one")), 1);
  EXPECT_NEAR(2 * x("seven") - x("one") + 0.5 * x("three"), 0, 1e-12);
}

TEST(JointCoordinates, EntriesOfSparseMatricesAreThoseOfDenseOnes) {
  const Trees trees;
  const int n = trees.own.nv();
  Matrix M(n, n), K(n, n), C(n, n);
  trees.own.mass(0, trees.q, M);
  trees.own.jacobians(0, trees.q, trees.v, K, C);
  MatrixEntries m, k, c;
  trees.own.mass_entries(0, trees.q, m);
  trees.own.jacobian_entries(0, trees.q, trees.v, k, c);
  const auto assembled = [&](const MatrixEntries& entries) {
    Eigen::SparseMatrix<double> sparse(n, n);
    sparse.setFromTriplets(entries.begin(), entries.end());
    return Matrix(sparse);
  };
  EXPECT_LT((assembled(m) - M).cwiseAbs().maxCoeff(), 1e-14 * M.cwiseAbs().maxCoeff());
  EXPECT_LT((assembled(k) - K).cwiseAbs().maxCoeff(), 1e-12 * K.cwiseAbs().maxCoeff());
  EXPECT_LT((assembled(c) - C).cwiseAbs().maxCoeff(), 1e-12 * C.cwiseAbs().maxCoeff());
}

// Bodies on joints beside a cart of formulas, which a spring and two stops couple to them.
const char* const kAssembly = R"(clack: 1
system:
  type: assembly
  parts:
    arm:
      type: rigid-bodies
      space: 2d
      gravity: [0, -9.81]
      materials: {steel: {mu: 0}}
      shapes: {rod: {polygon: {points: [[-0.5, -0.005], [0.5, -0.005], [0.5, 0.005], [-0.5, 0.005]]}}}
      bodies:
        - {name: upper, shape: rod, mass: 1, inertia: 0.08333333, position: [0.5, 0]}
        - {name: lower, shape: rod, mass: 1, inertia: 0.08333333, position: [1.5, 0]}
      joints:
        - {name: pin, kind: revolute, bodies: [ground, upper], point: [0, 0]}
        - {name: elbow, kind: revolute, bodies: [upper, lower], point: [1, 0]}
    cart:
      type: lagrangian
      coordinates: [x]
      kinetic: x'^2
      potential: 0
  define:
    tip_x: lower_x + 0.5*lower_e1x
  potential: 25*(tip_x - 2 - x)^2
  contacts:
    - {name: stop, gap: tip_x - 1.7, e_n: 0.5}
    - {name: buffer, gap: 0.2 + x, e_n: 0.2}
simulation: {scheme: moreau-jean, step: 2.0e-4, end: 0.6}
measures:
  - {name: x, of: lower_x}
  - {name: y, of: lower_y}
)";

State end_of(const std::vector<std::string>& set) {
  const Scene scene = parse_scene("assembly", kAssembly, set);
  Simulation simulation(scene.system, scene.initial, scene.options);
  while (simulation.time() < scene.end - 1e-9) EXPECT_EQ(simulation.step(), Status::converged);
  State end{simulation.time(), simulation.q(), Vector()};
  to_shown_velocities(*scene.system, simulation.q(), simulation.v(), end.v);
  return end;
}

// The cart's coordinate stands behind those of the joints.
TEST(JointCoordinates, AssembliesMoveAsWithConstraints) {
  const std::string joints = "system.parts.arm.coordinates=joints",
                    events = "simulation.scheme=event-driven";
  const State reference = end_of({events});
  EXPECT_LT(reference.q.tail(1)[0], -0.1);  // the cart has been pulled along
  const State by_events = end_of({events, joints}), by_steps = end_of({joints});
  EXPECT_LT((by_events.q - reference.q).norm(), 1e-6);
  EXPECT_LT((by_events.v - reference.v).norm(), 1e-5);
  EXPECT_LT((by_steps.q - reference.q).norm(), 2e-3);
}

// Of a spring between a point of a tree and the cart, at rest.
TEST(JointCoordinates, DerivativesOfCouplingsAreThoseOfTheForces) {
  const Scene scene = parse_scene("assembly", kAssembly, {"system.parts.arm.coordinates=joints"});
  const System& system = *scene.system;
  const int n = system.nv();
  const Vector rest = Vector::Zero(n);
  const auto moved = [&](const Vector& q, const Vector& dq) {
    Vector to(system.nq());
    system.advance(q, dq, to);
    return to;
  };
  const auto total = [&](const Vector& q) {
    Forces forces(n);
    system.forces(0, q, rest, forces);
    forces.set_total();
    return forces.total;
  };
  const Vector q = moved(scene.initial.q, Vector::LinSpaced(n, -0.3, 0.4));
  Matrix K(n, n), C(n, n), expected(n, n);
  system.jacobians(0, q, rest, K, C);
  for (int k = 0; k < n; ++k) {
    const Vector dq = kStep * Vector::Unit(n, k);
    expected.col(k) = -(total(moved(q, dq)) - total(moved(q, -dq))) / (2 * kStep);
  }
  EXPECT_LT((K - expected).cwiseAbs().maxCoeff(), 1e-6 * expected.cwiseAbs().maxCoeff());
}

}  // namespace
}  // namespace clack
