// A spur gear of the plane: involute flanks as chords, one convex polygon for each tooth.
#pragma once

#include "clack/model/shapes/shape.hpp"

namespace clack {

// With the pitch radius r = module teeth/2, the base radius r_b = r cos(alpha) and
// inv(a) = tan(a) - a a tooth has at the radius s the half angle                 (eq:involute)
//     pi/(2 teeth) - backlash/(2 r) + inv(alpha) - inv(acos(r_b/s)),
// and below the base circle radial sides. The first tooth stands on the x axis.
struct GearOptions {
  int teeth = 20;
  double module = 0;                     // pitch diameter over teeth [m]
  double pressure_angle = M_PI / 9;      // alpha [rad]
  double addendum = 1, dedendum = 1.25;  // of the teeth above and below the pitch circle, modules
  double backlash = 0;                   // by which a tooth is thinner at the pitch circle [m]
  int chords = 6;                        // of a flank

  void validate() const;  // throws InputError
};

// Teeth and the disc within the root circle. The mass counts twice where they overlap: the segments
// of the disc under the teeth.
ShapePtr make_gear(const GearOptions& options);

// Shapes of scenes that are made of others.
std::span<const ShapeInfo> made_shape_list();

}  // namespace clack
