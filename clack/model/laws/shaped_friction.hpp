// Friction of other shapes than Coulomb's disc: ellipses, spin, rolling and drilling, a fixed
// radius.
#pragma once

#include "clack/model/laws/law.hpp"

namespace clack {

// (r_1/mu_1)^2 + (r_2/mu_2)^2 <= r_N^2 in the axes of the material.                (eq:anisotropic)
class AnisotropicFriction final : public Law {
 public:
  struct Axes {
    double first, second;
  };
  // Slip along the normal of the ellipse with axes mu.
  AnisotropicFriction(Axes mu, double angle) : mu_(mu), nu_(mu), angle_(angle), associated_(true) {}
  // Slip along the normal of the ellipse with axes nu.
  AnisotropicFriction(Axes mu, Axes nu, double angle)
      : mu_(mu), nu_(nu), angle_(angle), associated_(false) {}
  std::string_view name() const override { return "anisotropic"; }
  std::string fault(int tangents, int turns) const override;
  bool iterates() const override { return !associated_; }
  void prepare(const ContactSituation& contact, LawStatement& statement) const override;

 private:
  // Of the disc in rows scaled by nu: where the direction of the last force meets the ellipse mu.
  double radius(const ContactSituation& contact, const LawStatement& statement, double cosine,
                double sine) const;

  Axes mu_, nu_;
  double angle_;
  bool associated_;
};

// Sliding and spin on a round contact: a ball in (T1, T2, R_c S). (eq:contensou)
class ContensouFriction final : public Law {
 public:
  // The pressure on a disc of this radius is that of a paraboloid.
  ContensouFriction(double mu, double radius);
  std::string_view name() const override { return "contensou"; }
  std::string fault(int tangents, int turns) const override;
  void prepare(const ContactSituation& contact, LawStatement& statement) const override;

 private:
  double mu_, arm_;
};

// |r_T| <= mu r_N, |m_S| <= mu_s r_N, |m_R| <= mu_r r_N (eq:rolling)
class RollingFriction final : public Law {
 public:
  RollingFriction(double mu, double mu_r, double mu_s) : mu_(mu), mu_r_(mu_r), mu_s_(mu_s) {}
  std::string_view name() const override { return "rolling"; }
  std::string fault(int tangents, int turns) const override;
  void prepare(const ContactSituation& contact, LawStatement& statement) const override;

 private:
  double mu_, mu_r_, mu_s_;
};

// |r_T| <= h s while the contact is closed. (eq:tresca_law)
class TrescaFriction final : public Law {
 public:
  explicit TrescaFriction(double s) : s_(s) {}
  std::string_view name() const override { return "tresca"; }
  void prepare(const ContactSituation& contact, LawStatement& statement) const override;

 private:
  double s_;
};

}  // namespace clack
