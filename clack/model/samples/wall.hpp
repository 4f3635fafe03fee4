// A masonry wall in running bond: every other course is shifted by half a brick.
#pragma once

#include "clack/model/samples/sample.hpp"

namespace clack {

// The wall stands on z = 0 from x = 0, its middle plane is y = 0; in the plane it stands on y = 0.
struct WallOptions {
  int dim = 3;
  Vector3 brick = {0.24, 0.115, 0.071};  // length, depth, height [m]; the plane has no depth
  double gap = 0;                        // of bed and head joints [m]
  int bricks = 8;                        // in a full course
  int courses = 10;
  double length = 0, height = 0;  // [m]; where > 0: as many bricks, courses as fit into it
  bool half_bricks = true;  // ends of the shifted courses; otherwise these are one brick short
  bool foundation = false;  // a fixed block below the wall, one gap under the first course
  double foundation_height = 0.1;  // [m]

  int brick_count() const;  // in a full course
  int course_count() const;
  double wall_length() const;  // [m]
  double wall_height() const;  // [m]
  void validate() const;
};

// A half brick is (length - gap) / 2 long, so that all courses end alike. Suffixes "course1_1" from
// below and left, "foundation".
Sample make_wall(const WallOptions& options);

}  // namespace clack
