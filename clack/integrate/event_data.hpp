// What the event-driven scheme keeps within a step, for its own files.
#pragma once

#include <cmath>
#include <vector>

#include "clack/integrate/event_history.hpp"
#include "clack/integrate/flow.hpp"
#include "clack/integrate/scheme.hpp"

namespace clack {

// The integrator lives on from step to step.
struct EventData final : SchemeData {
  EventData(Step& step, const SchemeOptions& options)
      : now(step.end),
        states(step.contacts.list().size()),
        motion(step.contacts),
        flow(step.contacts, options.flow_tolerance, step.h),
        use(step.contacts.list().size(), kByLaw),
        took_part(use),
        scale(Vector::Zero(static_cast<int>(use.size()))),
        bias(Vector::Zero(step.contacts.rows())),
        multipliers(bias),
        drift(2 * options.flow_tolerance) {}

  // A normal velocity that counts as none [m/s]: more than a closed contact drifts in a flow.
  double rest(int contact) const { return 1e-11 * scale[contact] + drift; }

  StatePoint now;  // where the step stands
  std::vector<ContactState> states;
  ContactMotion motion;
  Flow flow;
  bool goes_on = false;  // nothing has changed since the flow stopped
  Flow::End end = Flow::End::reached;
  std::vector<char> use;        // how the problem takes a contact
  std::vector<char> took_part;  // contacts that were closed at some time of the step
  Vector scale;                 // size of the terms in a contact's velocity [m/s]
  Vector bias;                  // rows, dH'/dt v + dw/dt
  Vector multipliers;           // rows, of the problem on accelerations
  Vector v_before;              // before an impact
  bool jammed = false;          // the next impact is one without collision
  bool problem_failed = false;  // on accelerations
  bool failed = false;
  int events = 0, at_once = 0, stalls = 0;
  double drift;  // [m/s]
  double jam_time = -HUGE_VAL;
  double projected = 0;              // energy that projections have added [J]
  std::vector<EventRecord> history;  // of the step
};

inline EventData& data_of(Step& step) { return static_cast<EventData&>(*step.data); }
inline const EventData& data_of(const Step& step) {
  return static_cast<const EventData&>(*step.data);
}

// Length of a tangential vector of one or two components.
inline double length(const double* x, int n) {
  return n == 2 ? std::hypot(x[0], x[1]) : std::abs(x[0]);
}

}  // namespace clack
