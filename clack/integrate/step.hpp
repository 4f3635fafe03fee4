// The data of one time step: everything that the stages read and write, allocated once.
#pragma once

#include <array>
#include <vector>

#include "clack/assemble/contact_problem.hpp"
#include "clack/assemble/iteration_matrix.hpp"
#include "clack/collide/detection.hpp"
#include "clack/model/system.hpp"
#include "clack/solve/solver.hpp"

namespace clack {

// Energies at the end of the step and the work done within it [J] (eq:ledger).
struct EnergyAudit {
  double kinetic = 0, potential = 0;
  double work_external = 0;  // external forces and explicit time
  double work_damping = 0;
  double work_contact = 0;   // fed in through moving contacts and constraints, -w' r
  double work_impact = 0;    // normal impulses on the normal velocity
  double work_friction = 0;  // tangential impulses on the sliding velocity
  double numerical = 0;      // what the scheme adds (+) or removes (-), from its own identity
  double error = 0;          // what is left of the balance: round-off, or an unconverged step
};

// A configuration with what is known of it.
struct StatePoint {
  StatePoint(int nq, int nv, int contacts);

  double t = 0;
  Vector q, v;
  Vector gap;  // all candidates [m]
  Forces forces;
  Energies energies;
};

struct Step {
  explicit Step(const System& system);

  const System& system;
  double h = 0;              // [s]
  StatePoint start, end;
  Detection detection;
  Vector w_next;             // rows, w at the end of the step
  Matrix M, K, C, M_hat;     // nv x nv
  IterationMatrix matrix;
  double matrix_for_h = 0;   // the step for which a linear system's matrix was factorised
  Vector q_theta, v_theta, v_free, momentum_residual, work;
  ContactProblem problem;
  Vector r;                  // rows, impulses of all candidates; also the warm start [N s]
  Vector u_end;              // rows, local velocities at the end of the step [m/s]

  int newton_iterations = 0;
  double equation_residual = 0;  // |M dv - h F - H r| over its scale
  double previous_equation_residual = 0;  // of the pass before
  bool matrix_failed = false;
  SolveReport solve;
  EnergyAudit energy;
};

// How a contact ended a step.
enum class ContactStatus { open = 0, separating = 1, sticking = 2, sliding = 3, bilateral = 4 };
ContactStatus contact_status(const Step& step, int contact);

}  // namespace clack
