// Contact without restitution, on velocities and on gaps, rigid and with a spring and a dashpot.
#pragma once

#include "clack/model/laws/law.hpp"

namespace clack {

// Contacts of all gaps take part, those that are open in the end without an impulse. With
// `remove_initial_gap` the gap of the first step counts as zero.
class GapLaw : public Law {
 public:
  std::vector<LawVariable> variables(int tangents, int turns) const override;
  double reach(const ContactSituation&) const override { return kNever; }
  void update(const ContactSituation& contact, std::span<double> memory) const override;

 protected:
  explicit GapLaw(bool remove_initial_gap) : remove_initial_gap_(remove_initial_gap) {}
  bool removes_initial_gap() const { return remove_initial_gap_; }
  // The gap of the first step, 0 where it is not removed.
  double removed_gap(const ContactSituation& contact) const;
  bool is_closed(const ContactSituation& contact) const;
  // Gap at the end of the step if u_N+ were zero [m]: the end gap is this plus h end_weight u_N+.
  double coasting_gap(const ContactSituation& contact) const;

 private:
  bool remove_initial_gap_;
};

// Signorini's condition without restitution, (eq:newton_law), (eq:position_level) or
// (eq:quasi_shock).
class RigidContact final : public GapLaw {
 public:
  enum class Level { velocity, position, quasi_shock };
  RigidContact(Level level, bool remove_initial_gap) : GapLaw(remove_initial_gap), level_(level) {}
  std::string_view name() const override;
  double reach(const ContactSituation& contact) const override;
  void prepare(const ContactSituation& contact, LawStatement& statement) const override;

 private:
  Level level_;
};

// A spring and, while the contact is closed, a dashpot beside it; they never pull.   (eq:compliant)
class CompliantContact final : public GapLaw {
 public:
  CompliantContact(double stiffness, double damping, bool remove_initial_gap)
      : GapLaw(remove_initial_gap), k_(stiffness), c_(damping) {}
  std::string_view name() const override { return "compliant"; }
  void prepare(const ContactSituation& contact, LawStatement& statement) const override;

 private:
  double k_, c_;
};

}  // namespace clack
