// The event-driven scheme (eq:event_driven): a step is a sequence of smooth flows and events,
//
//     impact: M (v+ - v) = H r, law (eq:impact), for closed contacts while one of them approaches
//     flow:   M a = F + H lambda, the contact laws on accelerations decide for every closed contact
//             whether it opens, slides or sticks; then the motion with those states
//             (eq:fixed_contacts) up to the first event or to the end of the step
//
// Accurate to `flow_tolerance` whatever the step. Impacts that accumulate are captured
// (eq:capture); where friction leaves no acceleration, an impact without collision follows
// (eq:jam). Reference: Pfeiffer, Glocker (1996); Glocker (2001); Acary, Brogliato (2008).
#pragma once

#include "clack/integrate/scheme.hpp"

namespace clack {

class EventDriven final : public Scheme {
 public:
  using Scheme::Scheme;
  std::string_view name() const override { return "event-driven"; }
  bool needs_stiffness() const override { return false; }
  bool needs_damping() const override { return false; }
  // Impacts and the flow between them are small dense problems.
  bool takes_sparse() const override { return false; }
  void change_contacts(Step& step) const override;
  void resize(Step& step) const override;
  int phases() const override { return 2; }
  bool step_may_vary() const override { return false; }  // the flow adapts itself within the grid
  void initialise(Step& step) const override;
  void detect(Step& step) const override;
  void predict(Step& step) const override;
  void assemble(Step& step) const override;
  void correct(Step& step) const override;
  bool accepted(const Step&) const override { return true; }
  bool next_phase(Step& step) const override;
  void audit(Step& step) const override;

 private:
  enum Phase { kImpact, kFlow };
  enum Memory { kClosed, kLastImpact };  // one value per contact each

  void begin(Step& step) const;
  void update_contacts(Step& step) const;
  bool is_closed(const Step& step, int contact) const;
  void detect_impact(Step& step) const;
  void detect_flow(Step& step) const;
  bool capture(Step& step, int contact) const;
  bool starts_from_rest(const Step& step, int contact) const;
  void set_sliding_columns(Step& step) const;
  bool stick_in_jam(Step& step) const;
  void correct_impact(Step& step) const;
  void correct_flow(Step& step) const;
  bool decide_states(Step& step) const;
  void decide_state(Step& step, int index) const;
  void set_slacks(Step& step, int index, double none) const;
  void begin_to_slide(Step& step, int index, double none) const;
  void settle(Step& step) const;
  void restart(Step& step) const;
  void flow(Step& step) const;
  bool after_impact(Step& step) const;
  bool after_flow(Step& step) const;
  bool jam(Step& step, const std::string& why) const;
  bool fail(Step& step, const std::string& why) const;
};

}  // namespace clack
