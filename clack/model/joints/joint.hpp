// A joint between two rigid bodies, or a body and the ground: rows phi(q) = 0 on the relative
// position of a frame of A and a frame of B (eq:joint_blocks).
//
//     r_A = x_A + R_A s_A,   a_i = R_A a_i',   r_B = x_B + R_B s_B,   b_i = R_B b_i',   d = r_B - r_A
//
// The third axis of a frame is the axis of the joint. A row is a sum of blocks; its velocity is
// u = G'v, its acceleration G'v' + gamma. B moves against A: +lambda acts on B.
#pragma once

#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "clack/core/formula/tape.hpp"
#include "clack/core/rotation.hpp"

namespace clack {

enum class JointKind {
  fixed,
  revolute,
  prismatic,
  cylindrical,
  universal,
  spherical,
  planar,
  screw,
  line,
  plane,
  distance,
  rope,
  orientation,
  surface,
  bushing
};

// What rows are made of (i, j: axes of A and of B).
enum class JointBlock {
  slide,     // a_i . d
  perp,      // a_i . b_j
  turn,      // 2 sgn(eta) eps_i of the quaternion (eta, eps) of B's frame in A's
  distance,  // |d|
  spin,      // no quantity: the rate of turning about a_i
  angle,     // of B's frame about a_3 = b_3: atan2(b_1 . a_2, b_1 . a_1), of any number of turns
  bend,      // of B's frame about b_1, which lies across a_3: atan2(a_3 . b_2, a_3 . b_3)
  surface    // F_i(a_1 . d, a_2 . d, a_3 . d), the joint's i-th surface
};

struct JointTerm {
  JointBlock block;
  int i = 0, j = 0;
  double factor = 1;
};

// phi = sum of terms - constant [m, rad].
struct JointRow {
  std::vector<JointTerm> terms;
  double constant = 0;
};

// A quantity that a joint leaves free.
struct JointCoordinate {
  std::string name, unit;
  JointRow row;
  bool turns = false;  // an angle, whose full turns count
};

struct JointFrame {
  Vector3 point = Vector3::Zero();     // in the frame of the body [m]
  Matrix3 axes = Matrix3::Identity();  // by columns, in the frame of the body
};

// A function of time and of a coordinate with its rate, and its derivatives by them.
class JointFunction {
 public:
  JointFunction() = default;
  // A formula of t, x and v. Throws formula::ParseError.
  explicit JointFunction(const std::string& formula);
  // The same of a graph with these variables.
  JointFunction(formula::Graph& graph, formula::Expr value);
  // A tape with the inputs t, x, v; outputs value, its derivatives by t, x, v, and the second by t.
  explicit JointFunction(std::shared_ptr<const formula::Tape> tape) : tape_(std::move(tape)) {}
  explicit operator bool() const { return tape_ != nullptr; }

  struct Values {
    double value = 0, by_t = 0, by_x = 0, by_v = 0, by_tt = 0;
  };
  Values at(double t, double x = 0, double v = 0) const;

 private:
  std::shared_ptr<const formula::Tape> tape_;
};

// F(x, y, z) = 0 in the joint's frame of A, with its gradient and its second derivatives.
class JointSurface {
 public:
  JointSurface() = default;
  // A formula of x, y, z. Throws formula::ParseError.
  explicit JointSurface(const std::string& formula);
  JointSurface(formula::Graph& graph, formula::Expr value);

  struct Values {
    double value = 0;
    Vector3 gradient = Vector3::Zero();
    Matrix3 hessian = Matrix3::Zero();
  };
  Values at(const Vector3& point) const;

 private:
  std::shared_ptr<const formula::Tape> tape_;
};

// What acts at a coordinate x of a joint, by its number. Forces are generalised: torques on angles.

// lower <= x <= upper with Newton's restitution. The contact is stated at this radius, where the stop
// bites: its gap is a length, its impulse one in N s [m]; 1 leaves those of the coordinate.
struct JointLimit {
  int coordinate = 0;
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();
  double e_n = 0;
  double radius = 1;
};

// The force -stiffness (x - rest) - damping x'.
struct JointSpring {
  int coordinate = 0;
  double stiffness = 0;  // [N/m, N m/rad]
  double rest = 0;       // [m, rad]
  double damping = 0;    // [N s/m, N m s/rad]
};

// A rotor that a coordinate turns with it by a gear: its inertia times the square of the ratio
// (eq:armature) [kg, kg m^2].
struct JointArmature {
  int coordinate = 0;
  double inertia = 0;
};

// The forces -K (x - rest) - C x' on all coordinates x of a joint together (eq:coupled_spring): K and
// C symmetric, without negative eigenvalues.
struct JointSpringMatrix {
  Matrix stiffness, damping;  // n x n
  Vector rest;                // n [m, rad]

  double energy(const double* x) const;  // [J]
};

// A force as a function of t, x and x'; or one that is set from outside while a run goes on.
struct JointMotor {
  int coordinate = 0;
  JointFunction force;
  bool controlled = false;  // RigidWorld::efforts
};

// x = target(t), with whatever force that takes.
struct JointDrive {
  int coordinate = 0;
  JointFunction target;
};

// Dry friction (eq:joint_friction): a bound on its force, and what the load of the joint adds to it.
struct JointFriction {
  int coordinate = 0;        // -1: all rates of a ball together
  double force = 0;          // [N, N m]
  double mu = 0;             // [-]
  double radius = 1;         // of the bearing, the ball or the thread [m]; 1 for a slide
  double span = 0;           // between two bearings [m]; 0: moments carry no load
  double collar_mu = 0;      // of an axial bearing [-]
  double collar_radius = 0;  // [m]

  bool depends_on_load() const { return mu > 0 || collar_mu > 0; }
};

// A rate that is to be target(t), by a force of at most `limit`.
struct JointSpeed {
  int coordinate = 0;
  JointFunction target;
  double limit = std::numeric_limits<double>::infinity();  // [N, N m]
};

// Pulls towards target(t) with a stiffness and a damping (eq:joint_servo).
struct JointServo {
  int coordinate = 0;
  JointFunction target;
  double stiffness = 0, damping = 0;
  double limit = std::numeric_limits<double>::infinity();  // [N, N m]
};

struct Joint {
  std::string name;
  JointKind kind = JointKind::fixed;
  int a = -1, b = -1;  // bodies; -1: the ground
  JointFrame frame_a, frame_b;
  double length = 0;                   // of distance and rope [m]
  double pitch = 0;                    // of a screw: advance per turn [m]
  std::vector<JointSurface> surfaces;  // of a point on a surface, or with two on a curve
  bool has_coordinates = true;         // they stand in q, behind those of the bodies
  std::vector<JointLimit> limits;
  std::vector<JointSpring> springs;
  std::vector<JointSpringMatrix> spring_matrices;
  std::vector<JointArmature> armatures;
  std::vector<JointMotor> motors;
  std::vector<JointDrive> drives;
  std::vector<JointFriction> frictions;
  std::vector<JointSpeed> speeds;
  std::vector<JointServo> servos;

  // Whether something feeds energy in or takes it out.
  bool is_driven() const {
    return !motors.empty() || !drives.empty() || !speeds.empty() || !servos.empty();
  }
};

// Sum of factor x over coordinates of joints = constant: gears, racks, couplers.
struct Coupler {
  struct Term {
    int joint = 0, coordinate = 0;
    double factor = 1;
  };
  std::string name;
  std::vector<Term> terms;
  double constant = 0;
};

// In a world of the plane rows act within the plane: the axis of `revolute` is that across it, those
// of the others lie in it.
struct JointType {
  JointKind kind;
  std::string name, summary;
  bool in_plane;  // whether there is such a joint in the plane
  std::vector<JointRow> (*rows)(const Joint& joint, bool planar);
  std::vector<JointCoordinate> (*coordinates)(const Joint& joint, bool planar);
};

const std::vector<JointType>& joint_list();
const JointType& joint_type(JointKind kind);

}  // namespace clack
