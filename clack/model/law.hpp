// What a contact does: friction and restitution.
#pragma once

#include <memory>
#include <string>

#include "clack/core/formula/tape.hpp"

namespace clack {

class Law;

// A friction coefficient: a number, or a formula of the sliding speed `slip` = |u_T| [m/s]
// (Stribeck's falling characteristic, for example), evaluated at the start of the step.
class FrictionCoefficient {
 public:
  FrictionCoefficient(double value = 0.0) : value_(value) {}  // NOLINT: a number is a coefficient
  // The formula's text, its tape with the single input `slip`.
  FrictionCoefficient(std::string text, std::shared_ptr<const formula::Tape> tape);

  bool is_constant() const { return tape_ == nullptr; }
  double at(double slip) const;
  const std::string& text() const { return text_; }

 private:
  double value_;
  std::string text_;
  std::shared_ptr<const formula::Tape> tape_;
};

// Signorini's condition on velocities with Newton's restitution and Coulomb's friction (eq:impact):
//     0 <= u_N+ + e_n u_N-  orthogonal to  r_N >= 0
//     -(u_T+ + e_t u_T-)  in the normal cone of the disc |r_T| <= mu r_N at r_T
struct ContactLaw {
  FrictionCoefficient mu;          // [-]
  double e_n = 0;                  // normal restitution, 0 to 1 [-]
  double e_t = 0;                  // tangential restitution, in (-1, 1] [-]
  std::shared_ptr<const Law> own;  // any other law, in place of these numbers
};

}  // namespace clack
