// A law of contact: what it states about one contact in the problem of a step, and what it
// remembers.
//
// A contact has rows: the normal one N, up to two tangential ones T, and rows that turn: in the
// plane R, in space the spin S about the normal, or S, R1, R2. Its impulses r and velocities u have
// one value a row. A law answers with blocks and a shift (eq:law_blocks):
//
//     x_b = A_b u + offset_b + compliance_b y_b,   r = shift + sum_b A_b' y_b
//     K_b* contains  x_b + g(x_b)  orthogonal to  y_b in K_b
//
// so that every law is data of the same cone problem, and every solver serves every law.
#pragma once

#include <array>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "clack/core/cone.hpp"

namespace clack {

constexpr int kContactRows = 6;
using ContactValues = std::array<double, kContactRows>;

// What a law knows of its contact.
struct ContactSituation {
  int tangents = 0;         // rows T
  int turns = 0;            // rows S, R
  double t = 0;             // start of the step [s]
  double h = 0;             // [s]
  double end_weight = 1;    // positions move by h (end_weight u+ + (1 - end_weight) u-)
  double gap = 0;           // at the start [m]
  ContactValues place{};    // of each row that stands on a coordinate of a joint [m, rad]
  double forecast_gap = 0;  // by which the scheme tells closed contacts, its tolerance off [m]
  bool closed = false;  // forecast_gap <= 0: the scheme counts the contact as closed in this step
  bool speculative = false;   // an open contact must not close beyond gap = 0: u_N + gap/h >= 0
  double area = 1;            // that the contact point stands for [m^2], in the plane [m]
  double material_angle = 0;  // from T1 to the first axis of the material, about the normal [rad]
  ContactValues u_start{};    // u-, velocities at the start
  std::span<const double> memory;  // at the start of the step

  // Of the pass before: a law that depends on the solution is asked again until its answer holds.
  int stage = 0;            // of Law::stages
  int pass = 0;             // 0: u and r are those of the start
  ContactValues u{};        // velocities at the end of the step [m/s, rad/s]
  ContactValues r{};        // impulses [N s, N m s]
  ContactValues r_stage{};  // with which the stage before ended, those of bonds left out
  // Of the joint at whose coordinate it stands: force and moment of its constraints on B at its
  // point, in its frame [N s, N m s].
  std::array<double, 6> reaction{};

  int rows() const { return 1 + tangents + turns; }
  // How far row k moves within the step, by the last pass [m, rad].
  double way(int k) const { return h * (end_weight * u[k] + (1 - end_weight) * u_start[k]); }
  double slip() const;  // |u_T| at the end of the step [m/s]
};

// One cone on combinations of the contact's rows. A row of zeros belongs to no motion: with
// compliance 1 and offset -s its multiplier is s, which makes a disc of fixed radius.
struct LawBlock {
  bool free = false;  // K = R^n: bilateral; else unilateral with discs
  int dim = 0;
  int disc_count = 0;
  std::array<int, Cone::kMaxDiscs> disc_dim{};
  std::array<double, Cone::kMaxDiscs> radius{};
  std::array<ContactValues, Cone::kMaxDim> map{};  // by rows of the block
  std::array<double, Cone::kMaxDim> offset{};      // [m/s]
  std::array<double, Cone::kMaxDim> compliance{};  // [1/kg]
  bool bond = false;                               // its work is booked as that of bonds
  bool rubs =
      false;  // its normal impulse counts for friction too: it shares the discs of the contact

  Cone cone() const;
  // A further row: `scale` times row `row` of the contact, -1 for none. Returns its number.
  int add_row(int row, double scale = 1, double row_offset = 0, double row_compliance = 0);
  // The same for any combination of the contact's rows.
  int add_row(const ContactValues& combination, double row_offset = 0, double row_compliance = 0);
  // A disc on the rows that follow; they are to be added next.
  void add_disc(int rows, double disc_radius);
  // A further row for a law r(u) of one row, scale * `row`, that passes go round: its impulse at
  // the last pass, and from there a straight line that falls by `stiffness` > 0 a metre of way.
  int add_tangent(const ContactSituation& contact, int row, double scale, double impulse,
                  double stiffness);
};

struct LawStatement {
  static constexpr int kMaxBlocks = 6;
  std::array<LawBlock, kMaxBlocks> blocks{};
  int count = 0;
  int unilateral = -1;      // the block of Signorini's condition, to which friction adds its discs
  ContactValues shift{};    // of the impulses, by attraction [N s, N m s]
  ContactValues carried{};  // impulses of contact that stand before the blocks [N s, N m s]
  double e_t = 0;           // tangential restitution: friction acts on u_T + e_t u_T-
  double friction_share = 1;  // of the coefficient: below 1 while a bond holds
  bool complete = false;      // a bond has stated contact and friction too: no further law is asked

  void clear() { *this = {}; }
  LawBlock& add_block(bool free);
  LawBlock* unilateral_block() { return unilateral < 0 ? nullptr : &blocks[unilateral]; }
  // Multipliers of all blocks to start a solve from: the impulse goes to the bond, else to the
  // contact.
  void guess(const ContactValues& impulse, std::vector<double>& y) const;
  // y of the statement solved last in the rows of this one. A law that turns or scales its rows
  // from pass to pass does not change the impulses by that: the question is whether they solve the
  // problem as it is stated now. Rows of a block are orthogonal.
  void take_over(const LawStatement& solved, std::vector<double>& y) const;
  // After the friction law: blocks marked `rubs` get its discs; on the same rows radii add up.
  void share_friction();
};

// A variable that a law keeps for each contact from step to step.
struct LawVariable {
  std::string name;
  std::string unit;
  double initial = 0;
};

// All functions are const and must not allocate but `variables`.
class Law {
 public:
  virtual ~Law() = default;
  virtual std::string_view name() const = 0;
  // What it remembers, for a contact with so many rows.
  virtual std::vector<LawVariable> variables(int /*tangents*/, int /*turns*/) const { return {}; }
  // What is missing for it at such a contact, empty where nothing is: "needs a tangential
  // direction".
  virtual std::string fault(int /*tangents*/, int /*turns*/) const { return {}; }
  // It acts at gaps up to this one although the contact is open [m].
  virtual double reach(const ContactSituation& /*contact*/) const { return -kNever; }
  // Rigid bodies that touch at the start of a run are held together at the points that touch, which
  // then belong to the bodies, until its reach says that nothing holds.
  virtual bool is_bond() const { return false; }
  // What is left of a law with bonds between bodies that were not bonded; null where it has none.
  virtual std::shared_ptr<const Law> unbonded() const { return nullptr; }
  // Problems in a row that make one step: 2 for compression and expansion. All but the last are on
  // the velocities of the start of the step, without its forces: impacts alone.
  virtual int stages() const { return 1; }
  // Whether the statement depends on u and r of the pass before.
  virtual bool iterates() const { return false; }
  // Whether it asks for ContactSituation::reaction.
  virtual bool needs_reaction() const { return false; }
  // Adds its part to the statement.
  virtual void prepare(const ContactSituation& contact, LawStatement& statement) const = 0;
  // Memory at the end of the step, of which u and r are known; it comes as that of the start.
  virtual void update(const ContactSituation& /*contact*/, std::span<double> /*memory*/) const {}

  static constexpr double kNever = std::numeric_limits<double>::infinity();
};
using LawPtr = std::shared_ptr<const Law>;

// Whose a cone of a problem is.
struct BlockOwner {
  int contact;
  const Law* law;  // null for a plain contact
};

// Several laws that make one: cohesion, then contact and impact, then friction, each with its own
// part of the memory.
class CompositeLaw final : public Law {
 public:
  explicit CompositeLaw(std::vector<LawPtr> parts);

  std::string_view name() const override { return name_; }
  std::vector<LawVariable> variables(int tangents, int turns) const override;
  std::string fault(int tangents, int turns) const override;
  double reach(const ContactSituation& contact) const override;
  bool is_bond() const override;
  std::shared_ptr<const Law> unbonded() const override;
  int stages() const override { return stages_; }
  bool iterates() const override { return iterates_; }
  void prepare(const ContactSituation& contact, LawStatement& statement) const override;
  void update(const ContactSituation& contact, std::span<double> memory) const override;

 private:
  // Calls visit(part, contact with the part's memory, where that begins) for each part.
  template <class Visit>
  void for_parts(const ContactSituation& contact, Visit&& visit) const;

  std::string name_;
  std::vector<LawPtr> parts_;
  std::array<std::array<std::vector<std::size_t>, 4>, 3> sizes_;  // by tangents, turns, part
  int stages_ = 1;
  bool iterates_ = false;
};

}  // namespace clack
