#include "clack/model/bodies/world_quantity.hpp"

namespace clack {

std::span<const BodyQuantityInfo> body_quantity_list() {
  static constexpr BodyQuantityInfo kList[] = {
      {"x", "m", "position of the centre of mass"},
      {"y", "m", "position of the centre of mass"},
      {"z", "m", "position of the centre of mass"},
      {"vx", "m/s", "velocity of the centre of mass"},
      {"vy", "m/s", "velocity of the centre of mass"},
      {"vz", "m/s", "velocity of the centre of mass"},
      {"wx", "rad/s", "angular velocity"},
      {"wy", "rad/s", "angular velocity"},
      {"wz", "rad/s", "angular velocity"},
      {"qw", "", "rotation, quaternion"},
      {"qx", "", "rotation, quaternion"},
      {"qy", "", "rotation, quaternion"},
      {"qz", "", "rotation, quaternion"},
      {"angle", "rad", "rotation about z, -pi to pi"},
      {"e1x", "", "x component of the body's first axis"},
      {"e1y", "", "y component of the body's first axis"},
      {"e1z", "", "z component of the body's first axis"},
      {"e2x", "", "x component of the body's second axis"},
      {"e2y", "", "y component of the body's second axis"},
      {"e2z", "", "z component of the body's second axis"},
      {"e3x", "", "x component of the body's third axis"},
      {"e3y", "", "y component of the body's third axis"},
      {"e3z", "", "z component of the body's third axis"},
      {"fx", "N", "force of all contacts, mean over the step"},
      {"fy", "N", "force of all contacts, mean over the step"},
      {"fz", "N", "force of all contacts, mean over the step"},
      {"tx", "N m", "torque of all contacts about the centre"},
      {"ty", "N m", "torque of all contacts about the centre"},
      {"tz", "N m", "torque of all contacts about the centre"},
  };
  return kList;
}

std::span<const SampleQuantityInfo> sample_quantity_list() {
  static constexpr SampleQuantityInfo kList[] = {
      {"bodies", "", "free bodies in the region"},
      {"contacts", "", "loaded contact points of its bodies"},
      {"open", "", "contact points without load"},
      {"sticking", "", "loaded contact points inside their friction cone"},
      {"sliding", "", "loaded contact points at the limit of friction"},
      {"coordination", "", "loaded contact points a body"},
      {"neighbours", "", "bodies touched under load a body"},
      {"rattlers", "", "bodies that bear nothing"},
      {"coordination_backbone", "", "loaded contact points a body without rattlers"},
      {"solid_fraction", "", "volume of the bodies over that of the region"},
      {"fabric_xx", "", "mean of n_x n_x of loaded contacts"},
      {"fabric_yy", "", "mean of n_y n_y"},
      {"fabric_zz", "", "mean of n_z n_z"},
      {"fabric_xy", "", "mean of n_x n_y"},
      {"fabric_xz", "", "mean of n_x n_z"},
      {"fabric_yz", "", "mean of n_y n_z"},
      {"stress_xx", "Pa", "compression positive; in the plane N/m"},
      {"stress_yy", "Pa", "compression positive"},
      {"stress_zz", "Pa", "compression positive"},
      {"stress_xy", "Pa", "mean of xy and yx"},
      {"stress_xz", "Pa", "mean of xz and zx"},
      {"stress_yz", "Pa", "mean of yz and zy"},
      {"pressure", "Pa", "trace of the stress over the dimension"},
      {"mean_normal_force", "N", "of the loaded contacts"},
      {"max_normal_force", "N", "of the loaded contacts"},
      {"strong_share", "", "share of contacts above the mean force"},
      {"kinetic_energy", "J", "of the bodies in the region"},
      {"dissipated", "J", "by impacts and friction of the whole world in the step"},
      {"repose_angle", "rad", "slope of the surface of a heap"},
      {"inertial_number", "", "shear rate d sqrt(density/pressure)"},
  };
  return kList;
}

std::span<const JointQuantityInfo> joint_quantity_list() {
  static constexpr JointQuantityInfo kList[] = {
      {"fx", "N", "reaction on the second body along the joint's first axis"},
      {"fy", "N", "along the second axis"},
      {"fz", "N", "along the third axis, that of the joint"},
      {"tx", "N m", "moment about the first axis, at the joint's point"},
      {"ty", "N m", "about the second axis"},
      {"tz", "N m", "about the axis of the joint"},
      {"force", "N", "size of the force"},
      {"moment", "N m", "size of the moment"},
      {"power", "W", "of its motors, drives and servos, mean over the step"},
      {"work", "J", "that they have done since the start"},
  };
  return kList;
}

}  // namespace clack
