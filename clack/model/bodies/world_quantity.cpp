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
      {"contacts_open", "", "contacts without impulse"},
      {"contacts_sticking", "", "loaded contacts without slip"},
      {"contacts_sliding", "", "loaded contacts that slip"},
      {"coordination", "", "loaded contacts of a body, mean over the free bodies"},
  };
  return kList;
}

}  // namespace clack
