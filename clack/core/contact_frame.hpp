// The local frame of a contact, from its normal alone.
#pragma once

#include "clack/core/types.hpp"

namespace clack {

// The axes N, T1, T2 as rows. They depend on the normal alone: in space T1 and T2 after Duff et al.
// (2017), in the plane T1 = (-n_y, n_x, 0) and T2 = z.
inline Eigen::Matrix3d contact_frame(const Eigen::Vector3d& n, int dim) {
  Eigen::Matrix3d frame;
  if (dim == 2) {
    frame << n.x(), n.y(), 0, -n.y(), n.x(), 0, 0, 0, 1;
    return frame;
  }
  const double sign = n.z() < 0 ? -1 : 1;
  const double a = -1 / (sign + n.z()), b = n.x() * n.y() * a;
  frame << n.x(), n.y(), n.z(), 1 + sign * n.x() * n.x() * a, sign * b, -sign * n.x(), b,
      sign + n.y() * n.y() * a, -n.y();
  return frame;
}

// An impulse as a world vector and back, `dim` local values in a contact's frame: what a warm start
// carries from step to step while the normal turns.
inline Eigen::Vector3d from_frame(const Eigen::Matrix3d& frame, int dim, const double* local) {
  Eigen::Vector3d world = local[0] * frame.row(0).transpose() + local[1] * frame.row(1).transpose();
  if (dim == 3) world += local[2] * frame.row(2).transpose();
  return world;
}
inline void to_frame(const Eigen::Matrix3d& frame, int dim, const Eigen::Vector3d& world,
                     double* local) {
  local[0] = frame.row(0).dot(world);
  local[1] = frame.row(1).dot(world);
  if (dim == 3) local[2] = frame.row(2).dot(world);
}
inline Eigen::Vector3d to_world(const Eigen::Vector3d& normal, int dim, const double* local) {
  return from_frame(contact_frame(normal, dim), dim, local);
}
inline void to_local(const Eigen::Vector3d& normal, int dim, const Eigen::Vector3d& world,
                     double* local) {
  to_frame(contact_frame(normal, dim), dim, world, local);
}

}  // namespace clack
