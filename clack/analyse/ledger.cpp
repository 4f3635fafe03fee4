#include "clack/analyse/ledger.hpp"

#include <algorithm>
#include <cmath>

namespace clack {

Ledger::Ledger(const EnergyAudit& initial)
    : totals_(initial), scale_(std::max(std::abs(initial.kinetic), std::abs(initial.potential))) {}

void Ledger::add(const EnergyAudit& step) {
  totals_.kinetic = step.kinetic;
  totals_.potential = step.potential;
  totals_.work_external += step.work_external;
  totals_.work_damping += step.work_damping;
  totals_.work_contact += step.work_contact;
  totals_.work_impact += step.work_impact;
  totals_.work_friction += step.work_friction;
  totals_.work_bond += step.work_bond;
  totals_.numerical += step.numerical;
  totals_.error += step.error;
  const double imbalance = std::abs(step.error);
  worst_ = std::max(worst_, std::isfinite(imbalance) ? imbalance : HUGE_VAL);
  scale_ = std::max({scale_, std::abs(step.kinetic), std::abs(step.potential),
                     std::abs(totals_.work_external), std::abs(step.work_impact)});
}

double Ledger::relative_error() const {
  return scale_ > 0 && std::isfinite(worst_) ? worst_ / scale_ : worst_;
}

void Ledger::save(std::vector<double>& numbers) const {
  for (double x :
       {totals_.kinetic, totals_.potential, totals_.work_external, totals_.work_damping,
        totals_.work_contact, totals_.work_impact, totals_.work_friction, totals_.work_bond,
        totals_.numerical, totals_.error, totals_.algorithmic, worst_, scale_}) {
    numbers.push_back(x);
  }
}

void Ledger::restore(std::span<const double>& numbers) {
  for (double* x :
       {&totals_.kinetic, &totals_.potential, &totals_.work_external, &totals_.work_damping,
        &totals_.work_contact, &totals_.work_impact, &totals_.work_friction, &totals_.work_bond,
        &totals_.numerical, &totals_.error, &totals_.algorithmic, &worst_, &scale_}) {
    *x = numbers.front();
    numbers = numbers.subspan(1);
  }
}

}  // namespace clack
