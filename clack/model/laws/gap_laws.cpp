#include "clack/model/laws/gap_laws.hpp"

#include <algorithm>

#include "clack/model/laws/basic_laws.hpp"

namespace clack {
namespace {

enum Memory { kInitialGap, kIsKnown };

}  // namespace

std::vector<LawVariable> GapLaw::variables(int, int) const {
  if (!remove_initial_gap_) return {};
  return {{"initial_gap", "m"}, {"initial_gap_is_known", "-"}};
}

double GapLaw::removed_gap(const ContactSituation& contact) const {
  if (!remove_initial_gap_) return 0;
  return contact.memory[kIsKnown] != 0 ? contact.memory[kInitialGap] : contact.gap;
}

void GapLaw::update(const ContactSituation& contact, std::span<double> memory) const {
  if (!remove_initial_gap_ || memory[kIsKnown] != 0) return;
  memory[kInitialGap] = contact.gap;
  memory[kIsKnown] = 1;
}

bool GapLaw::is_closed(const ContactSituation& contact) const {
  return contact.forecast_gap - removed_gap(contact) <= 0;
}

double GapLaw::coasting_gap(const ContactSituation& contact) const {
  return contact.gap - removed_gap(contact) +
         contact.h * (1 - contact.end_weight) * contact.u_start[0];
}

std::string_view RigidContact::name() const {
  return level_ == Level::velocity   ? "velocity"
         : level_ == Level::position ? "position"
                                     : "quasi-shock";
}

double RigidContact::reach(const ContactSituation& contact) const {
  const bool closed_alone = level_ == Level::velocity && !removes_initial_gap();
  return closed_alone ? -kNever : GapLaw::reach(contact);
}

void RigidContact::prepare(const ContactSituation& contact, LawStatement& statement) const {
  double gap = 0;
  if (level_ == Level::velocity) {
    if (!is_closed(contact)) {
      add_unilateral_block(contact, 0, statement);
      return;
    }
  } else {
    gap = coasting_gap(contact);
    if (level_ == Level::quasi_shock) gap = std::max(gap, 0.0);
  }
  statement.unilateral = statement.count;
  statement.add_block(false).add_row(0, 1, gap / (contact.h * contact.end_weight));
}

// r = -h (k (w gap+ + (1 - w) gap) + c (w u+ + (1 - w) u-)) where that is positive, w the end's
// weight.
void CompliantContact::prepare(const ContactSituation& contact, LawStatement& statement) const {
  const double w = contact.end_weight, h = contact.h, u_start = contact.u_start[0];
  const double c = is_closed(contact) ? c_ : 0.0;
  const double gap = contact.gap - removed_gap(contact);
  const double factor = h * w * (h * w * k_ + c);  // -dr/du+
  const double at_rest = h * (k_ * (gap + h * w * (1 - w) * u_start) + c * (1 - w) * u_start);
  statement.unilateral = statement.count;
  statement.add_block(false).add_row(0, 1, at_rest / factor, 1 / factor);
}

}  // namespace clack
