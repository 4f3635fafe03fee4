// What is wrong with a start or with a step, in words that name the coordinate or the contact;
// empty where nothing is.
#pragma once

#include <cmath>
#include <string>

#include "clack/integrate/scheme.hpp"
#include "clack/model/system.hpp"

namespace clack {

// Up to how many unknowns matrices may be dense: each takes 72 MB there.
inline constexpr int kMostDenseUnknowns = 3000;
// A system too large for the dense matrices that it has itself or that the scheme works on.
std::string storage_fault(const System& system, const Scheme& scheme);

// A derivative of the forces that the scheme's matrix takes and that is not finite at a state.
std::string derivative_fault(const System& system, const Scheme& scheme, const State& state);

// Whether a gap says nothing: not a number or minus infinity. Plus infinity is far away.
inline bool is_lost(double gap) { return !(gap > -HUGE_VAL); }
bool any_lost(const Vector& gap);
// A gap that says nothing, or a contact map that is not finite, at a configuration.
std::string gap_fault(const System& system, double t, const Vector& q);

// The constraint that a start violates most on positions. Its violation is measured as a
// displacement, gap/|H|, against the size of the coordinates.
struct ConstraintFault {
  int contact = -1;  // none
  double value = 0;  // of its equation
};
ConstraintFault constraint_fault(const System& system, const State& state);
// A start whose velocity violates constraints, with the energy that their removal takes.
std::string velocity_remark(const System& system, const State& state);

// Why a step has no result: its matrix could not be factorised, or its state is not finite.
std::string step_fault(const Step& step, const Scheme& scheme);

}  // namespace clack
