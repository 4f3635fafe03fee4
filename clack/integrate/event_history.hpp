// What happened within a step of the event-driven scheme, in its order: smooth motions with fixed
// contact states, and impacts between them. For analyses that need the sequence of events, such as
// the derivative of the motion by its start.
#pragma once

#include <vector>

#include "clack/integrate/contact_motion.hpp"
#include "clack/integrate/flow.hpp"

namespace clack {

// An event function that became zero.
struct FiredEvent {
  int contact = 0;
  Flow::Root root = Flow::Root::normal;

  bool operator==(const FiredEvent&) const = default;
};

// One stretch of smooth motion.
struct FlowRecord {
  double begin = 0, end = 0;         // [s]
  Vector q, v, q_end, v_end;         // at its ends
  std::vector<ContactState> states;  // of all contacts, fixed within it
  Vector multipliers;                // all rows, at its start [N]
  std::vector<FiredEvent> fired;     // what ended it; empty: the end of the step
};

// One solution of the impact problem.
struct ImpactRecord {
  double t = 0;                // [s]
  Vector q, v, v_after;        // v before
  std::vector<int> active;     // contacts of the problem
  std::vector<char> captured;  // of those: taken without restitution (eq:capture)
  std::vector<char> held;      // of those: taken as bilateral
  Vector r;                    // all rows [N s]
  bool jam = false;            // an impact without collision (eq:jam)
};

struct EventRecord {
  bool is_impact = false;
  FlowRecord flow;      // where it is not an impact
  ImpactRecord impact;  // where it is
};

}  // namespace clack
