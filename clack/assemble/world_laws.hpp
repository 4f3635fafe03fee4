// The laws of a world's contacts beyond Newton's impact and Coulomb's friction: their memories and
// the problem that they state (eq:law_blocks) on the rows of the bodies, with those of bonds and
// links.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "clack/assemble/world_problem.hpp"
#include "clack/collide/world_bonds.hpp"
#include "clack/core/large_array.hpp"
#include "clack/model/laws/law.hpp"
#include "clack/problem/body_blocks.hpp"

namespace clack {

class WorldLaws {
 public:
  explicit WorldLaws(const RigidWorld& world, const LawTable& laws);

  // Where no pair has a law of its own and there are no links there is nothing to do here.
  bool empty() const { return empty_; }
  // Contacts farther apart than they can close within a step take part up to this gap [m].
  double margin() const { return margin_; }
  // Bonds from the contacts of the initial state; `radius` of each body [m].
  void make_bonds(const WorldState& state, const LargeArray<WorldContact>& contacts,
                  const std::vector<double>& radius) {
    bonds_.make(state, contacts, radius);
  }
  // The contacts of a step: those detected, without pairs that bonds hold, and all links and bonds.
  const LargeArray<WorldContact>& merge(const WorldState& state,
                                        const LargeArray<WorldContact>& detected) {
    bonds_.merge(state, detected, contacts_);
    return contacts_;
  }
  // Whether a contact has a law that is not plain.
  bool has_law(const WorldContact& contact) const {
    return law_of(contact.a, contact.b, contact.feature) != nullptr;
  }
  // Takes what is known at the start of a step. `rows` is the problem of the merged contacts as
  // plain ones, `members` the contacts that are stated here, whole islands of them; `source` the
  // number that each had in the step before, -1 for a new one, `impulses` those to start from, as
  // world vectors.
  void begin_step(const WorldState& state, const LargeArray<Twist>& start,
                  const LargeArray<Twist>& free_motion, double h, const BodyProblem& rows,
                  std::vector<std::size_t> members, const std::vector<int>& source,
                  const Vector3* impulses);
  const std::vector<std::size_t>& members() const { return members_; }

  int stages() const { return stages_; }
  bool iterate() const { return iterate_; }
  void state(int stage, int pass);
  // The problem of the members as stated: contacts with Coulomb's cone alone, or blocks.
  bool is_plain() const { return plain_; }
  const BodyProblem& plain_problem() const { return plain_problem_; }
  const BodyBlockProblem& block_problem() const { return block_problem_; }
  std::vector<double>& y() { return y_; }
  std::vector<BlockOwner> owners() const;  // of its cones
  // After a solve: velocities of the bodies, impulses of the members as world vectors.
  void take_solution(LargeArray<Twist>& twists, Vector3* impulses);
  // Of rows N and T of contacts whose laws depend on the solution, by the last one.
  void velocities(std::vector<double>& values) const;
  void end_stage();
  // At the end of a step: memories.
  void update();

  // Works of the impulses that laws with own statements gave [J]: on the mean of two motions; that
  // of bonds on the second one, with which positions move, and what the mean adds to it.
  struct Works {
    double normal = 0, tangential = 0, bond = 0, numerical = 0;
  };
  bool has_own(std::size_t contact) const { return slot_of_[contact] >= 0; }
  // Work of the moment beside the impulse on the turning of bodies that are not free [J].
  double driven_turning(std::size_t contact, const LargeArray<Twist>& motion) const;
  Works works(std::size_t contact, const LargeArray<Twist>& start,
              const LargeArray<Twist>& end) const;

  // Of a contact's law in the last step, none for a plain one.
  std::span<const double> memory(std::size_t contact) const;
  // Contacts of the last step whose bond or link broke at its end.
  const std::vector<std::size_t>& broken() const { return broken_; }
  // Of a link of the world [m] (WorldBonds::drift).
  double drift(std::size_t link, const WorldState& state) const {
    return bonds_.drift(link, state);
  }
  std::size_t bonds_made() const { return bonds_.made(); }
  std::size_t bonds_holding() const { return bonds_.holding(); }

  // What laws remember of the contacts of the last step: all that the next step takes over beside
  // their impulses. `contacts` are those of the memories.
  std::vector<std::vector<double>> memories() const { return kept_; }
  // Their impulses on rows that turn, S, R1, R2 or R [N m s].
  using Moments = std::array<double, 3>;
  const std::vector<Moments>& moments() const { return moments_; }
  struct Identity {
    int a, b;
    std::uint64_t feature;
  };
  void restore(const std::vector<Identity>& contacts, std::vector<std::vector<double>> memories,
               std::vector<Moments> moments);
  // The variables of the law of any contact, none where it is plain.
  std::vector<LawVariable> variables(const Identity& contact) const;

 private:
  struct Axes {
    Vector3 direction = Vector3::Zero(), turn = Vector3::Zero();
  };
  struct Slot {
    std::size_t contact = 0, member = 0;
    const Law* law = nullptr;
    int bond = -1;
    bool joint = false;  // on positions: its mean velocity vanishes
    std::array<Axes, kContactRows> axes;
    ContactSituation situation;
    LawStatement statement, solved;
    std::vector<double> memory, y;
    ContactValues driven{};  // velocities by bodies that do not move freely
    Moments before{};        // on rows that turn, of the step before
    ContactValues bond_part{};
  };
  int tangents() const { return world_->planar ? 1 : 2; }
  int turns() const { return world_->planar ? 1 : 3; }
  const Law* pair_law(int a, int b) const;
  const Law* law_of(int a, int b, std::uint64_t feature) const;
  void set_axes(Slot& slot, const WorldState& state) const;
  ContactValues rates(const Slot& slot, const LargeArray<Twist>& twists) const;
  ContactValues rates(const Slot& slot, const Twist& a, const Twist& b) const;
  void apply_shifts(LargeArray<RigidBody>& bodies) const;
  void use_start_velocities(LargeArray<RigidBody>& bodies) const;
  double mobility(const BodyBlock& block, std::size_t row) const;
  void scale_standing_row(BodyBlock& block) const;
  bool state_plain(const Slot& slot, BodyContact& row) const;
  void state_blocks();
  void add_plain_block(std::size_t member);
  void add_blocks(const Slot& slot);

  const RigidWorld* world_;
  const LawTable* laws_;
  std::map<const Law*, std::vector<double>> initial_memory_;
  std::map<const Law*, LawPtr> unbonded_;  // of laws with bonds: between bodies that have none
  bool empty_ = true;
  double margin_ = 0;
  int stages_ = 1;
  bool iterate_ = false;
  WorldBonds bonds_;
  LargeArray<WorldContact> contacts_;
  std::vector<int> slot_of_;          // by contact, -1: plain
  std::vector<std::size_t> members_;  // contacts
  std::vector<Slot> slots_;
  std::vector<std::size_t> broken_;
  std::vector<std::vector<double>> kept_;  // memories by contact of the step before
  std::vector<Moments> moments_;           // by contact of the step before
  const Vector3* impulses_ = nullptr;      // to start from
  const BodyProblem* rows_ = nullptr;
  const LargeArray<Twist>* start_ = nullptr;
  bool plain_ = true;
  BodyProblem plain_problem_;
  BodyBlockProblem block_problem_;
  std::vector<double> plain_y_, y_, v_;
  std::vector<int> block_begin_;  // first row of y by member, where there are blocks
};

}  // namespace clack
