// A step of rigid bodies in arrays of their own: the stages of the scheme `stewart-trinkle`
// (eq:world_step):
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

#include "clack/assemble/body_rows.hpp"
#include "clack/assemble/contact_laws.hpp"
#include "clack/assemble/world_problem.hpp"
#include "clack/integrate/impulse_memory.hpp"
#include "clack/integrate/joint_step.hpp"
#include "clack/integrate/simulation.hpp"
#include "clack/solve/bodies/body_solver.hpp"

namespace clack {

// The solver of this step that never forms W; others of the family work on the assembled W.
constexpr const char* kBodySolver = "bodies";

// All that a step takes over from the one before, beside positions and velocities.
struct BodyRecord final : SchemeRecord {
  double shear_offset = 0;  // of a sheared cell [m]
  LargeArray<RememberedImpulse> impulses;
  std::vector<std::vector<double>> law_memories;  // by impulse
  std::vector<BodyRows::Moments> moments;         // on rows that turn, by impulse [N m s]
  std::vector<double> joint_multipliers, joint_impulses;
  bool stepped = false;  // else laws and bonds are those of the start
};

class BodyStep final : public SchemeData {
 public:
  // Throws InputError for a world or a start that does not hold together.
  BodyStep(const RigidBodies& bodies, WorldState start, const SimulationOptions& options);

  // The stages of a step; the problem is linear in the velocities: one phase with one pass. The
  // state is advanced in any case unless it is not finite.
  void begin(double t_end, double h);
  void detect();
  void predict();
  void assemble();
  void solve();
  void correct();
  Status audit();

  // After restore() a step gives the same bits as after the step at which the record was taken.
  // contacts(), r() and u() are those of the next step. Without a record only bodies are moved.
  std::shared_ptr<const BodyRecord> record() const;
  void restore(const WorldState& state, const EnergyAudit& energy, const BodyRecord* record);

  const RigidWorld& world() const { return *world_; }
  const WorldState& state() const { return state_; }
  double h() const { return h_; }  // [s]
  double time() const { return state_.t; }
  // Of the last step: contacts, impulses as world vectors; impulses and velocities at the end in
  // the contacts' frames (dim values a contact), which are computed when they are first asked for.
  const LargeArray<WorldContact>& contacts() const { return *contacts_; }
  // Of each contact the number that it had in the step before, -1 for a new one.
  const std::vector<int>& sources() const { return memory_.sources(); }
  // Velocity of a contact at the start of the step, N, T1, T2 [m/s].
  std::array<double, 3> start_velocity(std::size_t contact) const;
  // The link of the world that a contact is, -1 where it is none.
  int link_of(std::size_t contact) const;
  // Position error of a link of the world that is no joint [m].
  double link_drift(std::size_t link) const { return bonds_.drift(link, state_); }
  // Null where there are none.
  const JointStep* joints() const { return joints_.get(); }
  // The body whose load, motion or state is not finite, -1 for none: the step has failed.
  int failed_body() const { return failed_body_; }
  // The problem of all contacts as the laws have stated it last.
  ProblemData stated_problem() const;
  // The laws that are not plain, with their memories; contacts on which they act in place of shapes.
  const ContactLaws& laws() const { return own_laws_; }
  const WorldBonds& bonds() const { return bonds_; }
  // Contacts of the last step whose bond or link broke at its end.
  const std::vector<std::size_t>& broken() const { return broken_; }
  // Impulses of the last step on rows that turn, by contact; none where all laws are plain.
  const std::vector<BodyRows::Moments>& moments() const { return moments_; }
  int dim() const { return world_->dimension(); }
  const LargeArray<Vector3>& impulses() const { return impulses_; }
  const std::vector<double>& r() const;
  const std::vector<double>& u() const;
  const BodyProblem& problem() const { return problem_; }
  const SolveReport& report() const { return report_; }
  const EnergyAudit& energy() const { return energy_; }

 private:
  bool find_failed_body(const LargeArray<Twist>& motion);
  void audit_body(std::size_t body);
  void audit_forces(std::size_t body);
  Twist loaded_motion(int body) const;
  void audit_contacts();
  double work_on_driven(const WorldContact& contact, const BodyContact& row,
                        const Vector3& impulse) const;
  // All loads on a body at the middle of the step; false where there are none.
  bool load_on(std::size_t body, BodyLoad& load) const;
  // Whether some islands have laws that are not plain, or joints.
  bool has_blocks() const { return !own_laws_.empty() || joints_; }
  // These islands, and the others.
  void split_islands();
  void restore_laws(const BodyRecord& record);
  LawContact law_contact(int a, int b, std::uint64_t feature) const;
  void begin_laws();
  void update_laws();
  void observe_reactions(std::span<StatedContact> stated) const;
  SolveReport solve_stated();  // the problem of laws that are not plain
  SolveReport solve_plain();   // of the other islands
  void copy_plain_part();
  SolveReport solve_all_plain(const BodyProblem& problem, Vector3* impulses);
  void move_driven(double t);

  const RigidWorld* world_;
  std::string solver_name_;
  SolverOptions solver_options_;
  OptionSet solver_own_;
  double recovery_;  // largest speed with which overlaps are taken back, 0: they stay [m/s]
  double h_;         // [s]
  double t_end_;     // of the step [s]
  WorldState state_, start_;
  WorldDetection detection_;
  LawTable laws_;
  WorldBonds bonds_;
  ContactLaws own_laws_;
  BodyRows rows_;                             // on which they stand
  LargeArray<WorldContact> merged_;           // with bonds and links
  const LargeArray<WorldContact>* contacts_;  // of the step: detected, or merged
  std::vector<double> reach_;                 // of each body [m]
  std::vector<std::size_t> driven_;           // bodies
  LargeArray<Twist> begin_, free_, end_, mean_;
  std::vector<Vector3> gyroscopic_;  // (omega+ - omega_k)/2 as foreseen, body frame
  std::vector<BodyLoad> loads_;      // of the world's own load in this step; empty without one
  BodyProblem problem_;
  std::unique_ptr<BodySolver> body_solver_;  // one of the two
  std::unique_ptr<Solver> solver_;
  // Where laws are not plain: contacts of the islands that have one of them, and of the others, the
  // latter as a problem.
  std::vector<int> members_, plain_members_;
  BodyProblem plain_part_;
  LargeArray<Vector3> plain_impulses_;
  LargeArray<Twist> plain_end_;
  std::vector<char> is_stated_;        // by body: in an island with such a law
  std::unique_ptr<JointStep> joints_;  // null where there are none
  double joint_energy_ = 0;            // that it has added in this step [J]
  LargeArray<Vector3> impulses_;
  std::vector<BodyRows::Moments> moments_;
  std::vector<std::size_t> broken_;
  mutable std::vector<double> r_, u_;  // empty until asked for
  ImpulseMemory memory_;
  SolveReport report_;
  EnergyAudit energy_;
  bool stepped_ = false;
  int failed_body_ = -1;
};

}  // namespace clack
