// The energy ledger of a run: works summed over the steps, and how well they balance (eq:ledger):
//
//     E(t) - E(0) = W_external + W_damping + W_contact + W_impact + W_friction + numerical
#pragma once

#include <span>
#include <vector>

#include "clack/integrate/step.hpp"

namespace clack {

class Ledger {
 public:
  // Starts from the energies of the initial state.
  explicit Ledger(const EnergyAudit& initial);

  void add(const EnergyAudit& step);

  // Energies now and works since the start; `error` is the sum of the steps' errors [J].
  const EnergyAudit& totals() const { return totals_; }
  // Largest imbalance of a single step over the largest energy or work that has appeared [-].
  double relative_error() const;

  // The largest energy or work that has appeared [J].
  double scale() const { return scale_; }

  // All numbers, for a run that is taken up again.
  void save(std::vector<double>& numbers) const;
  void restore(std::span<const double>& numbers);  // takes them from the front

 private:
  EnergyAudit totals_;
  double worst_ = 0;  // [J]
  double scale_ = 0;  // [J]
};

}  // namespace clack
