// The laws of contacts: what they remember, what they state about a step (eq:law_blocks), and the
// impulses that the blocks carry. The rows on which they stand are LawRows.
#pragma once

#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "clack/assemble/law_rows.hpp"
#include "clack/collide/detection.hpp"
#include "clack/model/laws/law.hpp"

namespace clack {

struct LawContact {
  LawPtr law;  // null: the contact is left to the rows
  int tangents = 0, turns = 0;
  double area = 1;  // that the contact point stands for [m^2], in the plane [m]
};

class ContactLaws {
 public:
  // With all laws that contacts may have.
  explicit ContactLaws(std::span<const LawPtr> laws);
  explicit ContactLaws(const ContactSet& contacts);
  // The contacts of a step; what laws remember goes over to those that go on. `source`: which one of
  // the list before each is, -1 for a new one.
  void bind(std::vector<LawContact> contacts, std::span<const int> source);
  void bind(const ContactSet& contacts);

  // Where no contact can have a law of its own there is nothing to do here.
  bool empty() const { return empty_; }
  int stages() const { return stages_; }
  bool iterate() const { return iterate_; }

  // Up to which gaps the laws act, for select_active.
  void set_reach(Detection& detection) const;
  // Up to which gap the law of a contact acts, as it remembers now; -kNever without one [m].
  double reach(int contact) const;

  // Called whenever impulses have changed, for those whose laws ask for the reaction of their joint.
  using Observe = std::function<void(std::span<StatedContact> stated)>;
  void observe(Observe act) { observe_ = std::move(act); }

  // The contacts that take part in a step, of which those without a law are left out. `describe`
  // sets what is known of each at its start: situation with u_start, and `before`.
  template <class Describe>
  void begin_step(std::span<const int> contacts, Describe&& describe);
  // All laws answer; then the problem of their blocks is built on the rows.
  void state(LawRows& rows, int stage, int pass);
  // After a solve: impulses and velocities, of which the laws take note.
  void take_solution(LawRows& rows);
  // Of rows N and T of contacts whose laws depend on the solution, by the last one.
  void velocities(std::vector<double>& values) const;
  void end_stage();
  // At the end of a step the laws bring their memories up to date.
  void update();

  std::span<StatedContact> stated() { return std::span(stated_).first(count_); }
  std::span<const StatedContact> stated() const { return std::span(stated_).first(count_); }
  // Its place among those stated, -1 where it is none of them.
  int place(int contact) const;

  // Of all contacts, in their order, one after the other.
  const std::vector<double>& memory() const { return memory_; }
  void set_memory(std::vector<double> memory) { memory_ = std::move(memory); }
  // Of one contact; none where it has no law of its own.
  std::span<const double> memory(int contact) const;
  std::vector<LawVariable> variables(int contact) const;

 private:
  void note(const Law& law);
  std::span<double> memory_of(int contact);
  StatedContact& next_stated(int contact);
  void start_stated(StatedContact& c);

  bool empty_;
  int stages_ = 1;
  bool iterate_ = false;
  std::vector<LawContact> contacts_;
  std::vector<std::size_t> memory_begin_{0};  // of each contact, then the size of all
  std::vector<double> memory_, scratch_;
  std::vector<StatedContact> stated_;  // the first count_ of them: they are large and kept
  std::size_t count_ = 0;
  std::vector<int> place_;  // by contact
  bool reactions_ = false;  // some law asks for them
  Observe observe_;
};

template <class Describe>
void ContactLaws::begin_step(std::span<const int> contacts, Describe&& describe) {
  for (const StatedContact& c : stated()) place_[static_cast<std::size_t>(c.contact)] = -1;
  count_ = 0;
  for (const int contact : contacts) {
    if (!contacts_[static_cast<std::size_t>(contact)].law) continue;
    StatedContact& c = next_stated(contact);
    describe(c);
    start_stated(c);
  }
  if (reactions_ && observe_) observe_(stated());
}

}  // namespace clack
