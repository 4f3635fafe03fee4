// Rate-independent cohesive zones by their traction-separation curve. In units of the separation
// and the traction at the end of the elastic branch the curve is
//
//     t(x) = x for x <= 1,  a softening branch beyond                                (eq:softening)
//     q/2 = the area below it = G/D_i
//
// and a bond is unloaded along the secant t/x.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "clack/model/laws/cohesive_zone.hpp"

namespace clack {

// A branch for x >= 1, with t(1) = 1; q > 1 is twice the area of the whole curve.
class Softening {
 public:
  virtual ~Softening() = default;
  virtual double traction(double q, double x) const = 0;
  // Mean traction between a and b, 1 <= a < b.
  virtual double mean(double q, double a, double b) const = 0;
  // x with t(x) = secant * x, 0 < secant <= 1.
  virtual double at_secant(double q, double secant) const = 0;
  // What is wrong with such a q, empty where nothing is.
  virtual std::string fault(double q) const;
};

// Two straight lines, by a knee between them.
class LinearSoftening : public Softening {
 public:
  double traction(double q, double x) const override;
  double mean(double q, double a, double b) const override;
  double at_secant(double q, double secant) const override;
  std::string fault(double q) const override;

 protected:
  struct Knee {
    double x, t;  // where the first line ends
    double end;   // where the second one does, at t = 0
  };
  virtual Knee knee(double q) const = 0;
};

// Petersson: the first line falls to the traction `t`, and along it the share `energy` of the
// fracture energy is spent; t = 1 and none give one line.
class BilinearSoftening final : public LinearSoftening {
 public:
  BilinearSoftening(double t, double energy) : t_(t), energy_(energy) {}

 protected:
  Knee knee(double q) const override { return {energy_ * q + t_, t_, (1 - energy_) * q / t_}; }

 private:
  double t_, energy_;
};

// Tvergaard and Hutchinson: a plateau, 0 none to 1 a rectangle, then one line.
class TrapezoidalSoftening final : public LinearSoftening {
 public:
  explicit TrapezoidalSoftening(double plateau) : plateau_(plateau) {}

 protected:
  Knee knee(double q) const override {
    const double x = 1 + 0.5 * plateau_ * (q - 1);
    return {x, 1, q - x + 1};
  }

 private:
  double plateau_;
};

// t = exp(a (1 - x)) with a = 2/(q - 1).
class ExponentialSoftening final : public Softening {
 public:
  double traction(double q, double x) const override;
  double mean(double q, double a, double b) const override;
  double at_secant(double q, double secant) const override;
};

class SofteningZone final : public CohesiveZone {
 public:
  struct Mode {
    double strength;         // [Pa]
    double fracture_energy;  // [J/m^2]
  };
  // Throws InputError where the elastic branch alone takes more than the fracture energy.
  SofteningZone(std::string_view name, Stiffness stiffness, Mode opening, Mode sliding,
                std::unique_ptr<const Softening> softening, double friction_exponent);
  std::string_view name() const override { return name_; }

 protected:
  BondChange change(const BondPath& path, double intact) const override;
  double secant(double intact) const override { return intact; }

 private:
  std::string_view name_;
  Mode opening_, sliding_;
  double elastic_[2];  // s^2/c of the modes [J/m^2]
  std::unique_ptr<const Softening> softening_;
};

}  // namespace clack
