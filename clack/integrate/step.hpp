// The data of one time step: everything that the stages read and write, allocated once.
#pragma once

#include <memory>
#include <string>
#include <utility>
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
  double work_bond = 0;      // cohesion and links, not in the two above
  double numerical = 0;      // what the scheme adds (+) or removes (-), from its own identity
  double error = 0;          // what is left of the balance: round-off, or an unconverged step
  double algorithmic = 0;    // at the end: what the scheme's own energy holds beyond T + V
};

// What a scheme remembers from step to step beyond q and v: vectors with names, so that a run can
// be written down and taken up again. A scheme numbers them in the order in which it adds them.
class SchemeMemory {
 public:
  void add(std::string name, Vector value) {
    entries_.emplace_back(std::move(name), std::move(value));
  }
  Vector& operator[](int i) { return entries_[static_cast<std::size_t>(i)].second; }
  const Vector& operator[](int i) const { return entries_[static_cast<std::size_t>(i)].second; }
  const std::vector<std::pair<std::string, Vector>>& entries() const { return entries_; }

 private:
  std::vector<std::pair<std::string, Vector>> entries_;
};

// What a scheme keeps beside: its own kind of data, workspace of an integrator for example.
struct SchemeData {
  virtual ~SchemeData() = default;
};

// What of that data a checkpoint holds.
struct SchemeRecord {
  virtual ~SchemeRecord() = default;
};

// An impact at its instant, between the ends of a step.
struct LocatedImpact {
  double t;  // [s]
  int contact;
  double before, after;  // normal velocities [m/s]
  double impulse;        // normal [N s]
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
  // Matrices are sparse where both the system and the scheme say so. Without contacts the scheme
  // finds them by itself.
  Step(const System& system, bool sparse, bool contacts = true);

  const System& system;
  ContactSet contacts;  // of this step
  double h = 0;         // [s]
  StatePoint start, end;
  Detection detection;
  Vector w_next;                // rows, w at the end of the step
  SystemMatrix M, K, C, M_hat;  // nv x nv
  IterationMatrix matrix;
  double matrix_for_h = 0;  // the step for which a linear system's matrix was factorised
  Vector q_theta, v_theta, v_free, momentum_residual, work;
  ContactProblem problem;
  int phase = 0;             // which of the step's problems is under way (Scheme::next_phase)
  int repeats = 0;           // how often a scheme has gone back to an earlier phase of this step
  std::vector<Vector> warm;  // for each phase: rows, last multipliers of all candidates
  SchemeMemory memory;
  std::vector<IterationMatrix> extra;  // further matrices, where a scheme's phases need them
  std::vector<Vector> scratch;         // further vectors of a scheme within a step
  std::unique_ptr<SchemeData> data;
  std::vector<LocatedImpact> impacts;  // of this step, where a scheme locates them
  std::vector<char> marked, held;      // for each contact: flags of a scheme within a step
  Vector r;                            // rows, impulses of all candidates [N s]
  Vector u_end;                        // rows, local velocities at the end of the step [m/s]

  int newton_iterations = 0;
  double equation_residual = 0;           // |M dv - h F - H r| over its scale
  double previous_equation_residual = 0;  // of the pass before
  bool matrix_failed = false;
  bool gap_lost = false;  // a gap is not a number
  // Nothing more of this step can be computed.
  bool failed() const { return matrix_failed || gap_lost; }
  Status status = Status::not_run;  // worst of the phases so far
  SolveReport solve;  // of the last problem; its residuals are the worst of the phases
  Residual earlier;   // worst of the phases before
  std::string fault;  // why the step has no result, in words; empty where it has one
  EnergyAudit energy;
  Vector drive_work;  // of each driver of the system within the step [J]
  double fed = 0;     // energy that comes with prescribed velocities and with bodies [J]

  // Takes up another list of contacts: warm starts go over by identity.
  void change_contacts();
};

// How a contact ended a step.
enum class ContactStatus { open = 0, separating = 1, sticking = 2, sliding = 3, bilateral = 4 };
ContactStatus contact_status(const Step& step, int contact);

}  // namespace clack
