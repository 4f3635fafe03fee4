// Rows of contacts of rigid bodies: each acts along an axis on the velocities of two bodies, and
// the mass is block-diagonal, so that the operator of the blocks is formed from the bodies
// (eq:body_blocks) and W of the rows never.
//
// Where every statement is Signorini's condition with Coulomb's cone on the rows as they are, the
// problem stays one of bodies (eq:body_problem), for the sweeps that need no operator.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "clack/assemble/law_rows.hpp"
#include "clack/assemble/world_problem.hpp"
#include "clack/collide/world_bonds.hpp"
#include "clack/model/joints/joint_geometry.hpp"
#include "clack/problem/body_blocks.hpp"

namespace clack {

// The rows of laws at the coordinates of joints, on any number of bodies.
class ElementRows {
 public:
  virtual ~ElementRows() = default;
  // Calls for the bodies of row k of an element; free: whether impulses move them.
  using Visit = std::function<void(int body, const Wrench& wrench, bool free)>;
  virtual void visit(int element, int k, const Visit& visit) const = 0;
  virtual double gap(int element) const = 0;
  virtual double place(int element, int k) const = 0;     // where row k stands [m, rad]
  virtual const double* impulses(int element) const = 0;  // of the step before
};

class BodyRows final : public LawRows {
 public:
  // Impulses on rows that turn, S, R1, R2 or R [N m s].
  using Moments = std::array<double, 3>;
  // What is known of a step; all of it must stay until the next.
  struct StepView {
    double h;                        // [s]
    const WorldState& state;         // at the start
    const LargeArray<Twist>& start;  // velocities there
    const LargeArray<Twist>& free;   // and without contact
    const LargeArray<WorldContact>& contacts;
    const BodyProblem& problem;     // of all contacts as plain ones
    LargeArray<Vector3>& impulses;  // by contact, world vectors: to start from, then solved
    LargeArray<Twist>& end;         // receives the velocities
    // Of joints; their multipliers to start from, then solved.
    std::span<const BodyBlock> joints = {};
    std::vector<double>* joint_multipliers = nullptr;
    // Of laws at their coordinates, which have the numbers behind the contacts.
    const ElementRows* elements = nullptr;
  };

  // `sweeps`: whether there is a solver for problems of bodies.
  BodyRows(const RigidWorld& world, const WorldBonds& bonds, bool sweeps)
      : world_(&world), bonds_(&bonds), sweeps_(sweeps) {}

  // `members`: the contacts of the problem, ascending. Those that are not stated keep their cone.
  void begin_step(const StepView& step, std::span<const int> members);
  // What a law is told of the next contact that is stated; `moments` of the step before.
  void describe(const Moments& moments, StatedContact& c);

  void build(std::span<const StatedContact> stated, bool impacts) override;
  // Of a problem of bodies formed when it is asked for.
  ReducedProblem view() override;
  Residual residual() override;
  void set_velocities(std::span<StatedContact> stated) override;

  // The problem as stated last: contacts with Coulomb's cone alone, or blocks.
  bool is_plain() const { return plain_; }
  const BodyProblem& plain_problem() const { return problem_; }
  const LargeArray<RigidBody>& bodies() const { return problem_.bodies; }
  std::vector<BodyBlock> blocks() const;

  // Works of a contact's impulses [J]: on the mean of the motions of start and end; that of bonds on
  // the end's, with which positions move, and what the mean adds to it.
  struct Works {
    double normal = 0, tangential = 0, bond = 0, numerical = 0;
    double driven = 0;  // of moments on the turning of bodies that are not free
  };
  Works works(std::size_t place, const StatedContact& c) const;

 private:
  struct Place {
    ContactAxes axes;
    ContactValues driven{};  // velocities by bodies that do not move freely
    int element = -1;        // of a joint; -1: a contact
  };
  int element_of(int contact) const {
    const auto count = static_cast<int>(step_->contacts.size());
    return contact < count ? -1 : contact - count;
  }
  void describe_element(int element, StatedContact& c);
  const BodyContact& row_of(int contact) const {
    return step_->problem.contacts[static_cast<std::size_t>(contact)];
  }
  ContactValues rates(const Place& place, int contact, const Twist& a, const Twist& b) const;
  ContactValues rates(const Place& place, int contact, const LargeArray<Twist>& twists) const;
  bool is_plain(const Place& place, const StatedContact& c) const;
  void use_start_velocities();
  void apply_shift(const Place& place, const StatedContact& c);
  void add_contact(const Place& place, const StatedContact& c);
  void add_blocks(const Place& place, const StatedContact& c);
  static constexpr int kElementRows = kContactRows;
  void add_element(const Place& place, const StatedContact& c);
  template <class Visit>
  void for_element_rows(int element, const LawBlock& block, Visit&& visit) const;
  void add_joints();
  void reduce_dense();
  void add_neighbour(std::size_t member);

  const RigidWorld* world_;
  const WorldBonds* bonds_;
  bool sweeps_;
  std::optional<StepView> step_;
  std::vector<int> members_;
  std::vector<std::size_t> member_begin_;  // first row of y
  std::vector<Place> places_;              // of those stated
  std::vector<double> known_;              // impulses of members in their frames, dim values each
  bool plain_ = true;
  BodyProblem problem_;  // its contacts where it is plain
  std::vector<BodyBlock> blocks_;
  std::size_t joint_begin_ = 0;  // of the multipliers of joints in y
  bool is_reduced_ = false, is_dense_ = false;
  Matrix dense_W_;  // where joints are among few rows: each of theirs is a cone of its own
  Vector dense_free_;
  std::vector<Cone> dense_cones_;
  std::vector<int> dense_offset_;
  DenseDelassus dense_operator_;
  ProblemData reduced_;
};

}  // namespace clack
