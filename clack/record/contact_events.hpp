// Events of contacts, from what one step after the other leaves behind.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "clack/integrate/body_reading.hpp"
#include "clack/io/results/events.hpp"

namespace clack {

inline bool is_loaded(ContactStatus status) {
  return status == ContactStatus::sticking || status == ContactStatus::sliding;
}

// What a contact does that ended the step before and this one so; `u_n`: its normal velocity at the
// start of this step [m/s]. None where nothing changes.
std::optional<EventKind> event_between(ContactStatus before, ContactStatus after, double u_n);

// Where the contacts that the system itself states begin in the list of a step.
int first_stated(const Step& step);

// The contacts that a system states: a fixed list. In the results they have the numbers from
// `first_id` on and belong to `body`.
class SystemEvents {
 public:
  explicit SystemEvents(const System& system, int first_id = 0, int body = 0);

  void update(const Step& step);                                           // after each step
  const std::vector<EventRow>& events() const { return events_; }          // of the last step
  long closings(std::size_t contact) const { return closings_[contact]; }  // impact or close

  // For a run that is taken up again: as many numbers at any time.
  void save(std::vector<double>& numbers) const;
  void restore(std::span<const double>& numbers);

 private:
  void add_located(const Step& step);
  void add(const Step& step, int contact, EventKind kind);
  void update_bond(const Step& step, int contact);

  const System* system_;
  int first_id_, body_;
  std::vector<ContactStatus> status_;  // by contact, of the last step
  std::vector<char> bonded_;           // its law reaches over open gaps, until the bond breaks
  std::vector<char> located_;          // the scheme has told its impacts in the last step
  std::vector<long> closings_;
  std::vector<EventRow> events_;
};

// The contacts of rigid bodies, which come and go: followed as the warm start follows them.
class WorldEvents {
 public:
  struct Known {
    int a, b;
    std::uint64_t feature;
    ContactStatus status;
  };

  void update(const BodyReading& reading);                         // after each step
  const std::vector<EventRow>& events() const { return events_; }  // of the last step
  // The contacts of the last step of a run that is taken up again.
  void restore(std::vector<Known> contacts) { before_ = std::move(contacts); }
  void save(std::vector<double>& numbers) const;
  void restore(std::span<const double>& numbers);

 private:
  void add(const BodyReading& reading, std::size_t contact, EventKind kind);
  void add_lost(const BodyReading& reading, const std::vector<char>& goes_on);
  void add_broken(const BodyReading& reading);

  std::vector<Known> before_, now_;
  std::vector<EventRow> events_;
};

}  // namespace clack
