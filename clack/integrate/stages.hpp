// Pieces of stages that several schemes share.
#pragma once

#include "clack/integrate/step.hpp"

namespace clack {

// Takes the impulses of the problem into step.r and the velocities into step.u_end: u = H'v + w.
void store_impulses(Step& step);

// v_end = v_free + M_hat^-1 H r.
void apply_impulses(Step& step);

// Forces at a state point, summed.
void evaluate_forces(const System& system, StatePoint& point);

// Works of a step whose equation was M dv = h F + H r, tested with the velocity v_test (eq:ledger).
// `weight` is that of the end of the step in F = weight F_end + (1 - weight) F_start.
void audit_energy(Step& step, const Vector& v_test, const Forces& start, const Forces& end,
                  double weight);

// |M dv - h (weight F_end + (1 - weight) F_start) - H r| / scale, 0 within round-off; leaves the
// vector without the contact term in step.momentum_residual.
double equation_residual(Step& step, const Forces& start, const Forces& end, double weight);

}  // namespace clack
