// A rock mass: a box cut by families of parallel planes, all of which go right through.
#pragma once

#include <cstdint>

#include "clack/model/samples/sample.hpp"

namespace clack {

// The planes normal . (x - centre of the box) = offset + k spacing, k = 0, +-1, ..., with
//
//     normal = (sin dip sin azimuth, sin dip cos azimuth, cos dip)     (eq:joint_normal)
//
// In space z is up, y north, x east. In the plane normal = (sin dip, cos dip): joints of positive
// dip fall towards +x.
struct JointSet {
  double dip = 0;            // below the horizontal, 0 to pi/2; in the plane -pi/2 to pi/2 [rad]
  double dip_direction = 0;  // azimuth of the steepest fall, clockwise from +y [rad]; space only
  double spacing = 1;        // [m]
  double offset = 0;         // of the plane k = 0 [m]
  double jitter = 0;         // each plane moves by up to +- jitter spacing, 0 to 0.49 [-]
};

struct JointsOptions {
  int dim = 3;
  BoundingBox box = {Vector3::Zero(), Vector3::Constant(10)};  // [m]; in the plane x and y alone
  std::vector<JointSet> sets;
  std::vector<Plane> keep;  // only what is inside all of them stays: the faces of a slope
  double gap = 0;           // aperture of all joints [m]
  double least_volume = 0;  // smaller blocks are left out [m^3], in the plane [m^2]
  std::uint64_t seed = 1;

  void validate() const;
};

// Polyhedra, in the plane polygons, whose frames are at their centroids. Suffixes count from 1.
// Blocks thinner than 1e-8 of the box's diagonal are left out.
Sample make_joints(const JointsOptions& options);

Vector3 joint_normal(const JointSet& set, int dim);

}  // namespace clack
