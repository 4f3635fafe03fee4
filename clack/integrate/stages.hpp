// Pieces of stages that several schemes share.
#pragma once

#include "clack/integrate/step.hpp"

namespace clack {

// Frames and gaps at the start of the step, and the velocities of v there. The map counts as
// changed where `matrix`, which keeps its columns, has none yet.
void detect_at_start(Step& step, const IterationMatrix& matrix, const Vector& v);

// Takes the impulses of the problem into step.r and the velocities into step.u_end: u = H'v + w.
void store_impulses(Step& step);

// v_end = v_free + M_hat^-1 H r.
void apply_impulses(Step& step);

// out = H s for the multipliers s of the problem's rows.
void contact_force(const Step& step, const double* s, Vector& out);

// Contacts on positions (eq:position_rows): sets w_next of the active normal rows so that H'x +
// w_next is (gap + shift)/scale, linear about the end of the step, which x has led to. `scale` [s]
// is the derivative of the position by x; `shift`, one per contact [m], may be null.
void set_position_rows(Step& step, double scale, const Vector& x, const Vector* shift);
// How far the gaps of the end of the step are from what those rows said for x, relative to the
// velocities; 0 within round-off.
double position_residual(const Step& step, double scale, const Vector& x, const Vector* shift);

// Forces at a state point, summed.
void evaluate_forces(const System& system, StatePoint& point);

// Works of a step whose equation was M dv = h F + H r, tested with the velocity v_test (eq:ledger).
// `weight` is that of the end of the step in F = weight F_end + (1 - weight) F_start.
void audit_energy(Step& step, const Vector& v_test, const Forces& start, const Forces& end,
                  double weight);

// Adds to step.fed what comes and goes within the step; once in an audit.
void add_appearing(Step& step);

// The same ledger in strokes, for schemes of another form: open; add the works of forces on a
// displacement, of impulses on a velocity, and the discrete equations tested (they end in `error`);
// close, which leaves the rest in `numerical`.
void open_audit(Step& step);
// Of motors, on a displacement (eq:drive_work).
void add_motor_work(Step& step, const Vector& displacement, const Matrix& drives, double weight);
void add_force_work(Step& step, const Vector& displacement, const Forces& forces, double weight);
void add_impulse_work(Step& step, const Vector& v_test, const Vector& r);
void close_audit(Step& step, double equation_error, double driven_work);

// |M dv - h (weight F_end + (1 - weight) F_start) - H r| / scale, 0 within round-off; leaves the
// vector without the contact term in step.momentum_residual and the whole one in step.work.
double equation_residual(Step& step, const Forces& start, const Forces& end, double weight);
// The same for a change of velocity other than that from step.start to step.end.
double equation_residual(Step& step, const Vector& v_start, const Vector& v_end,
                         const Forces& start, const Forces& end, double weight);

}  // namespace clack
