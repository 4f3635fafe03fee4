// Impact laws besides Newton's.
#pragma once

#include "clack/model/laws/law.hpp"

namespace clack {

// Compression, then expansion with at least e_n times the impulse of compression.      (eq:poisson)
class PoissonImpact final : public Law {
 public:
  explicit PoissonImpact(double e_n) : e_n_(e_n) {}
  std::string_view name() const override { return "poisson"; }
  int stages() const override { return 2; }
  void prepare(const ContactSituation& contact, LawStatement& statement) const override;

 private:
  double e_n_;
};

// Percussions against the mean velocity of an impact, beside Signorini's condition.    (eq:fremond)
class FremondImpact final : public Law {
 public:
  FremondImpact(double k_n, double k_t, double e_t) : k_n_(k_n), k_t_(k_t), e_t_(e_t) {}
  std::string_view name() const override { return "fremond"; }
  void prepare(const ContactSituation& contact, LawStatement& statement) const override;

 private:
  double k_n_, k_t_, e_t_;
};

}  // namespace clack
