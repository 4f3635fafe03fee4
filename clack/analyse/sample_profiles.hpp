// Distributions and profiles of a sample of rigid bodies, the slope of a heap, the mass that passes
// a plane. Formulas: docs/theory/measures.md.
#pragma once

#include <vector>

#include "clack/integrate/body_reading.hpp"

namespace clack {

// Of the ball (in the plane: the disc) with that volume [m].
double equivalent_diameter(double volume, bool planar);

// Density of f_N/<f_N> over the loaded contacts in `bins` equal bins from 0 to `upper`; contacts
// beyond count in the whole, so the sum times the width is 1 less their share (eq:force_histogram).
std::vector<double> compute_force_histogram(const BodyReading& reading, int bins, double upper);

struct ProfileBin {
  double centre = 0;                   // along the axis [m]
  double mass = 0;                     // of the free bodies with their centre in the bin [kg]
  Vector3 velocity = Vector3::Zero();  // their mean, by mass; NaN in an empty bin [m/s]
};

// The mean velocity in equal bins along an axis (0, 1, 2) from `lower` to `upper`. In a periodic
// direction bodies count in the cell from `lower` on, in a sheared one with the velocity that they
// have there (eq:profile). Throws InputError for an axis, a range or bins that cannot be.
std::vector<ProfileBin> compute_velocity_profile(const BodyReading& reading, int axis, double lower,
                                                 double upper, int bins);

// Slope of the surface of a heap [rad] by a line through the highest centres in rings of width
// `bin` (eq:repose). NaN for fewer than three rings or without gravity.
double compute_repose_angle(const RigidWorld& world, const WorldState& state, double bin);

// Counts the free bodies whose centre passes a plane, forward along its normal and back.
class MassFlow {
 public:
  // Throws InputError for a normal of no length.
  MassFlow(const Vector3& point, const Vector3& normal);

  // After each step (and once before the first).
  void add(const RigidWorld& world, const WorldState& state);
  double mass() const { return mass_; }  // forward less back [kg]
  long bodies() const { return bodies_; }
  double mean_rate() const;  // since the first state [kg/s]

 private:
  Vector3 normal_;
  double offset_;
  std::vector<signed char> side_;  // -1 behind, 1 in front, 0: not there
  double mass_ = 0, first_ = 0, last_ = 0;
  long bodies_ = 0;
};

}  // namespace clack
