// Funnels under a bin, made of convex plates.
#pragma once

#include "clack/model/samples/sample.hpp"

namespace clack {

enum class HopperKind {
  conical,  // space: regular polygons about the z axis
  wedge     // space: a slot along y between two inclined plates and two ends; the plane's section
};

// The funnel's inner faces rise from the orifice at z = 0 (in the plane y = 0) by `angle` above the
// horizontal out to the bin, whose walls are vertical. Plates have the given thickness across their
// faces. Conical: every polygon has an inscribed circle of the diameter given, so that the orifice
// passes a cylinder of diameter `orifice`.
struct HopperOptions {
  int dim = 3;
  HopperKind kind = HopperKind::conical;
  double orifice = 0.05;    // diameter, width of the slot [m]
  double bin_width = 0.3;   // diameter, width of the bin [m]
  double angle = 1.0472;    // of the funnel above the horizontal, 0 (flat) to below pi/2 [rad]
  double bin_height = 0.3;  // above the funnel [m]; 0: no bin
  double depth = 0.1;       // of a wedge along y [m]
  double thickness = 0.01;  // [m]
  int sides = 32;           // of a conical one
  bool lid = false;         // a plate under the orifice

  double funnel_height() const;  // [m]
  void validate() const;
};

// Fixed: one compound "" and, where asked for, "lid", which touches it from below.
Sample make_hopper(const HopperOptions& options);

}  // namespace clack
