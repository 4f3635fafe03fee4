// A robot as a file describes it (URDF, MJCF): rigid bodies that are joined as trees, with loops
// closed by further joints and couplers of joint coordinates. Pose of the child of a joint:
//
//     T_child = T_parent  in_parent  motion(x - reference)  in_child^-1          (eq:robot_chain)
//
// with motion = Rot_z(x) of a revolute, Trans_z(x) of a prismatic joint; joint frames have the axis
// as third direction, those of a universal joint the second pin as first one.
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "clack/model/joints/joint.hpp"
#include "clack/model/pose.hpp"

namespace clack {

struct RobotShape {
  enum class Kind { box, sphere, cylinder, capsule, plane, mesh };
  Kind kind = Kind::sphere;
  // box: sides; sphere: radius; cylinder and capsule: radius, length along z [m]
  Vector3 size = Vector3::Zero();
  std::string file;                 // of a mesh
  Vector3 scale = Vector3::Ones();  // of a mesh [-]
  Pose pose;                        // in the frame of the body
  int line = 0;                     // in the file of the robot
};

// Mass, centre and inertia about the centre along the axes of a frame.
struct RobotMass {
  double mass = 0;                    // [kg]
  Vector3 centre = Vector3::Zero();   // [m]
  Matrix3 inertia = Matrix3::Zero();  // [kg m^2]

  RobotMass moved(const Pose& pose) const;  // seen from the frame in which this one has that pose
  RobotMass& operator+=(const RobotMass& other);
};

// A link of the file, in the frame of the body that it belongs to.
struct RobotFrame {
  std::string name;
  Pose pose;
};

// Its frame is that of its first link.
struct RobotBody {
  std::string name;
  bool fixed = false;
  Pose pose;  // of bodies that no joint carries, in the frame of the robot
  RobotMass mass;
  std::vector<RobotShape> shapes;
  std::vector<RobotFrame> frames;
  std::optional<double> mu;  // friction, where the file gives it
  int line = 0;

  // Bodies that only hold others need not stand in a scene: the ground does the same.
  bool is_written() const { return !fixed || !shapes.empty(); }
};

struct RobotServo {
  double position = 0, stiffness = 0, damping = 0;
  double limit = std::numeric_limits<double>::infinity();
};

struct RobotCoordinate {
  std::string joint;  // of the file
  std::string name;   // of the joint in scenes: angle, slide, angle_a, ...
  bool turns = true;
  double start = 0, reference = 0;  // at the start; where the frames of both bodies coincide
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();
  double damping = 0, friction = 0, stiffness = 0, rest = 0;
  double armature = 0;  // inertia of the rotor behind its gear [kg, kg m^2]
  double effort = 0;    // the most that its motor gives [N, N m]; 0: not known
  std::optional<RobotServo> servo;
};

struct RobotJoint {
  std::string name;
  JointKind kind = JointKind::fixed;
  int parent = -1, child = -1;  // bodies; -1: the ground
  Pose in_parent, in_child;     // the joint's frame
  std::vector<RobotCoordinate> coordinates;
  double ball_friction = 0;  // [N m]
  bool closes = false;       // joins bodies that others carry: does not place its child
  int line = 0;
};

// Sum of factor x over coordinates = constant.
struct RobotCoupler {
  struct Term {
    int joint = 0, coordinate = 0;
    double factor = 1;
  };
  std::string name;
  std::vector<Term> terms;
  double constant = 0;
};

struct Robot {
  std::string name, path;
  std::vector<RobotBody> bodies;
  std::vector<RobotJoint>
      joints;  // those that carry bodies in an order in which they can be placed
  std::vector<RobotCoupler> couplers;
  std::optional<Vector3> gravity;
  std::vector<std::string> remarks;  // what the file says and the robot has not, file:line
};

// Poses of the frames of all bodies at the start values, in the frame of the robot.
std::vector<Pose> compute_poses(const Robot& robot);
// Axes with a given third one, of unit length; without round-off where it is an axis itself.
Matrix3 axes_along(const Vector3& third);
// "shoulder", or "base.x" of a joint with several coordinates.
std::string coordinate_name(const RobotJoint& joint, std::size_t coordinate);

}  // namespace clack
