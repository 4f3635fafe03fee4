// Nonsmooth modes in closed form: free periodic motions of a linear conservative system with one
// elastic contact and k impacts per period.
//
// With mass-normalised linear modes phi_j, omega_j about the equilibrium, b_j = phi_j . n, n = dgap/dq
// and g0 the gap at the equilibrium, the periodic response to a unit impulse at t = 0 is
//
//     x(t) = sum_j phi_j b_j cos(omega_j (t - T/2))/(2 omega_j sin(omega_j T/2)),    0 <= t <= T
//     r = -g0/S(T),   S = sum_j b_j^2/(2 omega_j) cot(omega_j T/2)                  (eq:impact_mode)
//     E = r^2/8 sum_j b_j^2/sin^2(omega_j T/2)
//
// for one impact; the elastic law holds by symmetry in time. Several impacts: (eq:impact_modes).
// A solution is a mode only where it is admissible: impulses > 0 and gap > 0 between impacts.
// Reference: Thorin, Delezoide, Legrand (2017).
#pragma once

#include <string>
#include <vector>

#include "clack/analyse/modes/linear_modes.hpp"

namespace clack {

struct ImpactMode {
  double period = 0;             // [s]
  std::vector<double> times;     // of the impacts, the first at 0 [s]
  std::vector<double> impulses;  // normal, on the contact [N s]
  double energy = 0;             // above the equilibrium [J]
  double residual = 0;           // of the equations of several impacts, relative
  bool admissible = false;
  std::string inadmissible;  // why not
  double lowest_gap = 0;     // lowest minimum of the gap between impacts [m]
  double lowest_at = 0;      // when [s]
};

// Periods from `begin` to `end`, both open ends, all of which have an admissible orbit.
struct PeriodWindow {
  double begin, end;  // [s]
};

class ImpactModes {
 public:
  // Throws InputError unless the system is linear, undamped, not driven, free of friction, with
  // e_n = 1 at the contact, and has no motion without stiffness.
  explicit ImpactModes(const System& system, int contact = 0);

  const LinearModes& linear() const { return modes_; }
  double gap_at_rest() const { return gap0_; }  // [m]
  // S(T), whose zeros are the periods at which the energy becomes infinite.
  double closure(double T) const;

  ImpactMode one_impact(double T) const;
  // Newton's method on the times and impulses, from guessed times; the first one counts as 0.
  ImpactMode several_impacts(double T, const std::vector<double>& times) const;
  // All pairs of equal impulses at a distance other than T/2.
  std::vector<ImpactMode> two_impacts(double T) const;
  // All of these that Newton's method finds from times on a grid, 1 to 5 impacts; those that are
  // orbits of a part of the period are left out.
  std::vector<ImpactMode> impacts(double T, int count) const;

  // Windows of admissible one-impact orbits between two periods, looked for on a grid and refined.
  std::vector<PeriodWindow> one_impact_windows(double begin, double end, int grid = 2000) const;

  // q and v of a mode at time t, after the impact where there is one.
  State state(const ImpactMode& mode, double t) const;
  double gap(const ImpactMode& mode, double t) const;

 private:
  double kernel(double T, double t) const;       // G, t in [0, T)
  double kernel_rate(double T, double t) const;  // G', t in (0, T)
  double kernel_curvature(double T, double t) const;
  double gap_rate(const ImpactMode& mode, double t) const;
  void set_energy(ImpactMode& mode) const;
  void check(ImpactMode& mode) const;
  void find_lowest_gap(ImpactMode& mode) const;

  LinearModes modes_;
  Vector rest_;  // equilibrium
  Vector b_;     // phi_j . n
  double gap0_;
};

}  // namespace clack
