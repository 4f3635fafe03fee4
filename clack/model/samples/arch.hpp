// Circular arches and barrel vaults of voussoirs.
#pragma once

#include "clack/model/samples/sample.hpp"

namespace clack {

// The circle on which span and rise are measured; its springings are at height 0.
enum class ArchLine { intrados, mean, extrados };

// The circle of span s and rise f has
//
//     R = (s^2/4 + f^2) / (2 f),  sin(beta) = s / (2 R)     (eq:arch)
//
// its centre at height f - R and half opening beta; f = s/2 makes a semicircle. Joints are radial
// and equally spaced in angle. A voussoir is the convex block between two joints whose four corners
// lie on intrados and extrados: it is flat from joint to joint. The span is along x about x = 0,
// up is z (in the plane y), the depth is along y about y = 0.
struct ArchOptions {
  int dim = 3;
  ArchLine line = ArchLine::intrados;
  double span = 2, rise = 1;  // [m]; rise <= span/2
  double thickness = 0.2;     // radial [m]
  double depth = 0.3;         // space only [m]
  int voussoirs = 15;
  double gap = 0;              // of the joints, at the abutments as well: parallel faces [m]
  bool abutments = true;       // fixed blocks on the springing joints
  double abutment_length = 0;  // across the joint [m]; 0: the thickness

  double circle_radius() const;  // R [m]
  double half_angle() const;     // beta [rad]
  double inner_radius() const;   // of the intrados [m]
  void validate() const;
};

// Suffixes "1" to "n" from x < 0 to x > 0, "abutment1", "abutment2".
Sample make_arch(const ArchOptions& options);

// Rows of voussoirs one behind the other along y from y = 0, every other one shifted by half a
// voussoir, with half ones at its springings. arch.depth is that of one row.
struct VaultOptions {
  ArchOptions arch;
  int rows = 4;

  void validate() const;
};

// Suffixes "row1_1", ...; the abutments carry all rows.
Sample make_vault(const VaultOptions& options);

}  // namespace clack
