// Newton's impact and Coulomb's friction: the laws that stand where no other is given.
#pragma once

#include "clack/model/law.hpp"
#include "clack/model/laws/law.hpp"

namespace clack {

// 0 <= u_N+ + e_n u_N-  orthogonal to  r_N >= 0 where the contact is closed.         (eq:impact)
class NewtonImpact final : public Law {
 public:
  explicit NewtonImpact(double e_n = 0, double e_t = 0) : e_n_(e_n), e_t_(e_t) {}
  std::string_view name() const override { return "newton"; }
  double e_n() const { return e_n_; }
  double e_t() const { return e_t_; }
  void prepare(const ContactSituation& contact, LawStatement& statement) const override;

 private:
  double e_n_, e_t_;
};

// |r_T| <= mu r_N, with the coefficient at the slip of the start of the step.
class CoulombFriction final : public Law {
 public:
  explicit CoulombFriction(FrictionCoefficient mu) : mu_(std::move(mu)) {}
  std::string_view name() const override { return "coulomb"; }
  const FrictionCoefficient& mu() const { return mu_; }
  void prepare(const ContactSituation& contact, LawStatement& statement) const override;

 private:
  FrictionCoefficient mu_;
};

// The unilateral block of a contact, on u_N + offset where it is closed; where open contacts take
// part in the problem, on u_N + gap/h, also of a closed one without restitution (offset 0). Null
// where the contact is open and takes no part.
LawBlock* add_unilateral_block(const ContactSituation& contact, double offset,
                               LawStatement& statement);

// A disc on the tangential rows of the unilateral block, with the statement's tangential
// restitution and share of friction; nothing where the block is missing or there are no tangential
// rows.
void add_tangential_disc(const ContactSituation& contact, double mu, LawStatement& statement);

}  // namespace clack
