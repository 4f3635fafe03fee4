// Cohesive zones: an elastic bond between two faces that loses its stiffness, beside contact and
// friction. With p = (<jump_N>+, jump_T), C = diag(c_n, c_t, c_t) and D = p' C p the traction is
//
//     T = -s C p,    s from 1 (whole) to 0 (failed)                              (eq:cohesive_zone)
//
// and a step takes it at the mean secant s_bar that makes its work exact (eq:mean_secant).
#pragma once

#include <string>
#include <vector>

#include "clack/model/laws/law.hpp"

namespace clack {

// How far a bond is stretched at the two ends of a step.
struct BondPath {
  double D_start = 0, D_end = 0;  // p' C p [J/m^2]
  double shear = 0;               // share of the tangential part in D_end
  double h = 0;                   // [s]
};

// What becomes of it.
struct BondChange {
  double secant = 1;  // s_bar
  double slope = 0;   // of s_bar with D_end, at most 0
  double intact = 1;  // beta at the end
};

class CohesiveZone : public Law {
 public:
  struct Stiffness {
    double c_n, c_t;  // [Pa/m]
  };
  // The share of friction is (1 - beta)^friction_exponent.
  CohesiveZone(Stiffness stiffness, double friction_exponent)
      : stiffness_(stiffness), friction_exponent_(friction_exponent) {}

  std::vector<LawVariable> variables(int tangents, int turns) const override;
  double reach(const ContactSituation& contact) const override;
  bool is_bond() const override { return true; }
  bool iterates() const override { return true; }
  void prepare(const ContactSituation& contact, LawStatement& statement) const override;
  void update(const ContactSituation& contact, std::span<double> memory) const override;

  // The places in the memory; the jumps follow.
  enum Place { kIntact, kWork, kStored, kDissipated, kJump };

 protected:
  virtual BondChange change(const BondPath& path, double intact) const = 0;
  // s of a bond with this beta.
  virtual double secant(double intact) const = 0;

 private:
  struct Stretch;  // the jumps of a step
  Stretch stretch(const ContactSituation& contact) const;
  void add_rows(const ContactSituation& contact, const Stretch& stretch, const BondChange& change,
                LawStatement& statement) const;

  Stiffness stiffness_;
  double friction_exponent_;
};

// beta falls with the energy release rate beta D, against w and a viscosity b:
//     b dbeta/dt = -<beta D - w>+,  s = beta^2                                   (eq:adhesion)
class AdhesiveZone final : public CohesiveZone {
 public:
  AdhesiveZone(Stiffness stiffness, double w, double b, double friction_exponent)
      : CohesiveZone(stiffness, friction_exponent), w_(w), b_(b) {}
  std::string_view name() const override { return "raous-cangemi-cocou"; }

 protected:
  BondChange change(const BondPath& path, double intact) const override;
  double secant(double intact) const override { return intact * intact; }

 private:
  double w_, b_;
};

}  // namespace clack
