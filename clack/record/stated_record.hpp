// What results hold of the contacts that a system states itself, by formulas and matrices: a fixed
// list, which comes last in the contact set of a step.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "clack/record/contact_events.hpp"
#include "clack/record/run.hpp"

namespace clack {

class StatedRecord {
 public:
  // Contacts get the numbers from `first_id` on in the results; `body` is what they belong to there.
  StatedRecord(const System& system, int first_id, int body);

  bool empty() const { return contacts().empty(); }
  const std::vector<Contact>& contacts() const { return system_->contacts(); }

  // After each step; `anew`: sums begin with this one.
  void update(const Step& step, bool anew);
  const std::vector<EventRow>& events() const { return events_.events(); }
  std::map<std::string, long> impacts() const;
  double smallest_gap(const Step& step) const;
  int active_count(const Step& step) const;
  // The contact of a problem of a step by its place there; null where that is another one.
  const Contact* find(const Step& step, int active) const;

  // Appends all contacts that took part in a step since the sums began.
  void collect(const Step& step, ContactRowList& rows) const;
  // Variables of their laws, and the value of one of them for each contact that collect() appends.
  const std::vector<std::string>& law_names() const { return law_names_; }
  const std::vector<std::string>& law_units() const { return law_units_; }
  std::size_t shown() const { return shown_.size(); }
  double law_value(const Step& step, std::size_t shown, std::size_t variable) const;

  void save(std::vector<double>& numbers) const { events_.save(numbers); }
  void restore(std::span<const double>& numbers) { events_.restore(numbers); }

 private:
  const System* system_;
  int first_id_, body_;
  std::vector<std::string> law_names_, law_units_;  // variables of all laws
  std::vector<std::vector<int>> law_places_;        // by variable and contact: in its memory, or -1
  SystemEvents events_;
  Vector impulse_sum_;      // rows [N s]
  std::vector<int> shown_;  // contacts that took part in a step since the sums began
};

}  // namespace clack
