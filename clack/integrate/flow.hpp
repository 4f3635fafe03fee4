// The smooth flow between events: y = (q, v), y' = (G(q) v, a) with the accelerations of a
// ContactMotion, by CVODES (Adams' methods of variable order), which also finds the roots
// (eq:event_functions)
//
//     gap of open contacts; lambda_N of closed ones; mu lambda_N - |lambda_T| of sticking ones;
//     slip of sliding ones
//
// and integrates the works of the ledger and the impulses along the way. The integrator sees a root
// by the signs at the ends of its steps, and a gap that dips below zero within one has none there.
// So it also stops at minima of gaps (u_N of open contacts rising through zero) and looks back from
// a negative one (eq:grazing). What stays unseen is a gap with two minima within one step.
// Reference: Hindmarsh et al. (2005).
#pragma once

#include <memory>
#include <string>

#include "clack/integrate/contact_motion.hpp"

namespace clack {

// What a stretch of the flow has done [J].
struct FlowWorks {
  double external = 0, damping = 0, contact = 0, normal = 0, friction = 0;
};

class Flow {
 public:
  enum class End { reached, event, failed };
  enum class Root { normal, tangential, minimum };  // of a contact's event functions

  // Tolerance of the states, relative and absolute; no step longer than `longest` [s].
  Flow(ContactSet& contacts, double tolerance, double longest);
  ~Flow();

  // Starts anew from a state, with `motion` as it is fixed now. The motion must stay.
  void restart(ContactMotion& motion, double t, const Vector& q, const Vector& v);
  // Goes on to `end` or to the first root before it; t, q, v receive where it stopped.
  End advance(double end, double& t, Vector& q, Vector& v);

  bool fired(int contact, Root root) const;  // at the last stop
  const FlowWorks& works() const;            // of the last advance
  const Vector& impulses() const;            // of the last advance, all rows [N s]
  const Vector& drive_works() const;         // of the last advance, by driver [J]
  std::string failure() const;               // in words, after Flow::End::failed
  bool lost_a_gap() const;                   // it failed since a gap was not a number

 private:
  struct Integrator;
  std::unique_ptr<Integrator> it_;
};

}  // namespace clack
