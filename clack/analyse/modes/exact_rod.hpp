// A clamped elastic rod whose tip meets a rigid stop, exactly: waves instead of elements.
//
//     u(x, t) = F(t + x/c) - F(t - x/c),   a(t) = F'(t - L/c), the wave that arrives at the tip
//     a(t + 2L/c) = a(t) in contact, -a(t) free                                      (eq:delay_map)
//     u(L, t) = integral of a over [t, t + 2L/c],   contact force 2 EA |a|/c, a <= 0
//     E = EA/c integral of a^2 over the same, which the map keeps
//
// The wave is held as pieces of constant height and their lengths, so a motion of square waves is
// exact to round-off, whatever its times are.
#pragma once

#include <deque>

namespace clack {

struct ExactRodData {
  double EA = 1;      // stiffness of the section [N]
  double c = 1;       // wave speed [m/s]
  double length = 1;  // [m]
  double g0 = 1;      // distance of the stop from the tip at rest, < 0: prestressed [m]

  void validate() const;  // throws InputError
};

// A free periodic motion with one contact of length tau per period (eq:rod_modes).
struct RodMode {
  int order = 0;       // 0: the first
  double period = 0;   // [s]
  double alpha = 0;    // height of the square wave [m/s]; the tip moves with 2 alpha
  double contact = 0;  // tau [s]
  double away = 0;     // the tip moves away for this time, and back for as long [s]
  double force = 0;    // in contact [N]
  double energy = 0;   // [J]
};

// Periods that a mode of some order may have: between `low` and `high`; equal ones where g0 = 0.
struct RodPeriods {
  double low, high;  // [s]
};
RodPeriods rod_mode_periods(const ExactRodData& rod, int order);

// Throws InputError where there is no such mode. Where g0 = 0 the period is fixed and the energy is
// free: `energy` is used there only.
RodMode rod_mode(const ExactRodData& rod, int order, double period, double energy = 1);
// The first mode by its energy: f = (c/L)/(3 + g0 sqrt(EA/(2 L E))) [Hz].
double first_rod_frequency(const ExactRodData& rod, double energy);

struct WavePiece {
  double length;  // [s]
  double height;  // [m/s]
};

class ExactRod {
 public:
  // `wave`: a over [0, 2L/c], pieces in the order of time. Throws InputError where their lengths do
  // not add up to it or the tip would start beyond the stop.
  ExactRod(const ExactRodData& data, std::deque<WavePiece> wave);
  // On a mode, at the start of its contact.
  ExactRod(const ExactRodData& data, const RodMode& mode);

  void advance(double duration);
  double time() const { return t_; }
  double tip() const { return tip_; }  // [m]
  double tip_velocity() const;         // just after t [m/s]
  double force() const;                // of the stop, just after t [N]
  double energy() const;               // [J]
  // u(x) and its rate at the present time, x in [0, L].
  double displacement(double x) const;
  const std::deque<WavePiece>& wave() const { return wave_; }
  int contacts() const { return contacts_; }  // begun so far

 private:
  void add_piece(double length, double height);

  ExactRodData data_;
  std::deque<WavePiece> wave_;
  double t_ = 0, tip_ = 0, round_off_ = 0;
  bool touching_ = false;    // the tip is at the stop
  bool in_contact_ = false;  // over the last piece
  int contacts_ = 0;
};

}  // namespace clack
