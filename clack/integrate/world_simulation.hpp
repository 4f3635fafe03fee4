// A simulation of rigid bodies: the same stages as Simulation, on bodies and on contacts that come
// and go (eq:world_step):
//
//     v+ = v + h (g + F/m) + M^-1 H r,       x+ = x + h v+
//     omega_k = omega + J^-1 (h tau + H r),
//     J (omega+ - omega_k) + h omega_m x J omega_m = 0,  omega_m = (omega_k + omega+)/2,
//     R+ = R cay(h omega_m)
//
// All impulses come first; the rotation that follows is the midpoint rule with Cayley's map, which
// keeps kinetic energy and spatial angular momentum to round-off. Contacts stand on the velocities
// with which bodies move, v+ and omega_m, the latter with (omega+ - omega_k)/2 as foreseen without
// contact, and have the open gap as an offset: bodies cannot pass through each other. Joints are
// brought back to their position constraints at the end of the step (eq:joint_projection).
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "clack/assemble/world_laws.hpp"
#include "clack/assemble/world_problem.hpp"
#include "clack/integrate/impulse_memory.hpp"
#include "clack/integrate/joint_projection.hpp"
#include "clack/integrate/simulation.hpp"
#include "clack/solve/bodies/body_solver.hpp"

namespace clack {

// The scheme of worlds of rigid bodies, under its name (Stewart, Trinkle 1996; Anitescu, Potra).
constexpr const char* kWorldScheme = "stewart-trinkle";

struct WorldOptions {
  double h = 0;                   // time step [s]
  std::string solver = "bodies";  // matrix free; or one of the family, on the assembled W
  SolverOptions solver_options{.tolerance = 1e-8, .verdict = Verdict::unit_free};
  int threads = 1;      // of `bodies`; any number gives the same bits
  double recovery = 0;  // largest speed with which overlaps are taken back, 0: they stay [m/s]

  void validate() const;  // throws InputError
};

// All that a step takes over from the one before.
struct WorldCheckpoint {
  WorldState state;
  double start_time = 0;  // of the run [s]: times are start_time + count h
  long count = 0;
  EnergyAudit energy;
  LargeArray<RememberedImpulse> impulses;
  std::vector<std::vector<double>> law_memories;  // by impulse
  std::vector<std::array<double, 3>> moments;     // on rows that turn, by impulse [N m s]
};

class WorldSimulation {
 public:
  // Throws InputError for a world or a start that does not hold together.
  WorldSimulation(std::shared_ptr<const RigidWorld> world, WorldState initial,
                  const WorldOptions& options);

  // One step from t to t + h. The state is advanced in any case unless it is not finite.
  Status step();

  // After restore(), also in another simulation of the same world with the same options, a step
  // gives the same bits as after the step at which the checkpoint was taken. contacts(), r() and
  // u() are those of the next step. Throws InputError for a checkpoint of another world.
  WorldCheckpoint checkpoint() const;
  void restore(const WorldCheckpoint& checkpoint);

  const RigidWorld& world() const { return *world_; }
  const WorldOptions& options() const { return options_; }
  const WorldState& state() const { return state_; }
  double h() const { return options_.h; }  // [s]
  double time() const { return state_.t; }
  long steps() const { return count_; }
  // Of the last step: contacts, impulses as world vectors; impulses and velocities at the end in
  // the contacts' frames (dim values a contact), which are computed when they are first asked for.
  const LargeArray<WorldContact>& contacts() const { return *contacts_; }
  // Of each contact the number that it had in the step before, -1 for a new one.
  const std::vector<int>& sources() const { return memory_.sources(); }
  // Velocity of a contact at the start of the step, N, T1, T2 [m/s].
  std::array<double, 3> start_velocity(std::size_t contact) const;
  // The link of the world that a contact is, -1 where it is none.
  int link_of(std::size_t contact) const;
  // Of a link of the world: its position error [m], and the size of the smaller body [m].
  double link_drift(std::size_t link) const { return own_laws_.drift(link, state_); }
  double link_size(std::size_t link) const;
  // The body whose load, motion or state is not finite, -1 for none: the step has failed.
  int failed_body() const { return failed_body_; }
  // The problem of all contacts as the laws have stated it last.
  ProblemData stated_problem() const;
  // The laws that are not plain: bonds, memories.
  const WorldLaws& laws() const { return own_laws_; }
  int dim() const { return world_->dimension(); }
  const LargeArray<Vector3>& impulses() const { return impulses_; }
  const std::vector<double>& r() const;
  const std::vector<double>& u() const;
  const BodyProblem& problem() const { return problem_; }
  const SolveReport& report() const { return report_; }
  const EnergyAudit& energy() const { return energy_; }
  const std::array<double, 6>& seconds_by_stage() const { return seconds_; }

 private:
  // The stages; the problem is linear in the velocities: one phase with one pass.
  template <class Any>
  friend Status run_stages(Any& simulation, StageTimer& timer);
  void begin_phase() {}
  void detect();
  void predict();
  void assemble();
  void solve();
  void correct();
  bool accepted() const { return true; }
  void end_phase() {}
  bool next_phase() const { return false; }
  Status audit();
  bool find_failed_body(const LargeArray<Twist>& motion);
  void audit_body(std::size_t body);
  void audit_forces(std::size_t body);
  void audit_contacts();
  double work_on_driven(const WorldContact& contact, const BodyContact& row,
                        const Vector3& impulse) const;
  // All loads on a body at the middle of the step; false where there are none.
  bool load_on(std::size_t body, BodyLoad& load) const;
  void make_bonds();
  // Islands that have a law which is not plain, and the others.
  void split_islands();
  SolveReport solve_stated();  // the problem of laws that are not plain
  SolveReport solve_plain();   // of the other islands
  SolveReport solve_all_plain(const BodyProblem& problem, Vector3* impulses);
  friend struct StatedWorld;
  void move_driven(double t);
  double time_of(long count) const;  // [s]

  std::shared_ptr<const RigidWorld> world_;
  WorldOptions options_;
  WorldState state_, start_;
  WorldDetection detection_;
  LawTable laws_;
  WorldLaws own_laws_;
  const LargeArray<WorldContact>* contacts_;  // of the step: detected, or with bonds and links
  std::vector<double> radius_, reach_;        // of each body [m]
  std::vector<std::size_t> driven_;           // bodies
  LargeArray<Twist> begin_, free_, end_, mean_;
  std::vector<Vector3> gyroscopic_;  // (omega+ - omega_k)/2 as foreseen, body frame
  std::vector<BodyLoad> loads_;      // of the world's own load in this step; empty without one
  BodyProblem problem_;
  std::unique_ptr<BodySolver> body_solver_;  // one of the two
  std::unique_ptr<Solver> solver_;
  ProblemData reduced_;  // of blocks
  std::vector<double> x_;
  // Where laws are not plain: contacts of the islands that have none of them, as a problem.
  std::vector<std::size_t> plain_members_;
  BodyProblem plain_part_;
  LargeArray<Vector3> plain_impulses_;
  LargeArray<Twist> plain_end_;
  std::vector<char> is_stated_;              // by body: in an island with such a law
  std::unique_ptr<JointProjection> joints_;  // null where no link holds on positions
  double joint_energy_ = 0;                  // that it has added in this step [J]
  LargeArray<Vector3> impulses_;
  mutable std::vector<double> r_, u_;  // empty until asked for
  ImpulseMemory memory_;
  SolveReport report_;
  EnergyAudit energy_;
  double start_time_;
  long count_ = 0;
  int failed_body_ = -1;
  std::array<double, 6> seconds_{};
};

}  // namespace clack
