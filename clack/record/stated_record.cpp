#include "clack/record/stated_record.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

namespace clack {
namespace {

// Neither a constraint nor friction or a drive along a coordinate.
bool is_contact(const Contact& contact) {
  return !contact.bilateral && contact.booking == Booking::contact;
}

}  // namespace

StatedRecord::StatedRecord(const System& system, int first_id, int body)
    : system_(&system),
      first_id_(first_id),
      body_(body),
      events_(system, first_id, body),
      impulse_sum_(Vector::Zero(system.rows())) {
  const std::size_t count = contacts().size();
  for (std::size_t c = 0; c < count; ++c) {
    const Contact& contact = contacts()[c];
    if (!contact.law.own) continue;
    int at = 0;
    for (const LawVariable& variable :
         contact.law.own->variables(contact.tangents, contact.turns)) {
      const auto known = std::find(law_names_.begin(), law_names_.end(), variable.name);
      const auto i = static_cast<std::size_t>(known - law_names_.begin());
      if (known == law_names_.end()) {
        law_names_.push_back(variable.name);
        law_units_.push_back(variable.unit);
        law_places_.emplace_back(count, -1);
      }
      law_places_[i][c] = at++;
    }
  }
}

void StatedRecord::update(const Step& step, bool anew) {
  events_.update(step);
  if (anew) {
    impulse_sum_.setZero();
    shown_.clear();
  }
  if (empty()) return;
  impulse_sum_ += step.r.tail(impulse_sum_.size());
  const int first = first_stated(step);
  std::vector<int> active, both;
  for (const int c : step.detection.active) {
    if (c >= first) active.push_back(c - first);
  }
  if (shown_ == active) return;
  std::set_union(shown_.begin(), shown_.end(), active.begin(), active.end(),
                 std::back_inserter(both));
  shown_ = std::move(both);
}

std::map<std::string, long> StatedRecord::impacts() const {
  std::map<std::string, long> result;
  for (std::size_t c = 0; c < contacts().size(); ++c) {
    if (is_contact(contacts()[c])) result[contacts()[c].name] = events_.closings(c);
  }
  return result;
}

double StatedRecord::smallest_gap(const Step& step) const {
  double smallest = std::numeric_limits<double>::infinity();
  const int first = first_stated(step);
  for (std::size_t c = 0; c < contacts().size(); ++c) {
    if (!is_contact(contacts()[c])) continue;
    const double gap = step.end.gap[first + static_cast<int>(c)];
    if (std::isnan(gap)) return gap;
    smallest = std::min(smallest, gap);
  }
  return smallest;
}

int StatedRecord::active_count(const Step& step) const {
  const std::vector<int>& active = step.detection.active;
  const auto first = std::lower_bound(active.begin(), active.end(), first_stated(step));
  return static_cast<int>(active.end() - first);
}

const Contact* StatedRecord::find(const Step& step, int active) const {
  if (active < 0 || active >= static_cast<int>(step.detection.active.size())) return nullptr;
  const int c = step.detection.active[static_cast<std::size_t>(active)] - first_stated(step);
  return c < 0 ? nullptr : &contacts()[static_cast<std::size_t>(c)];
}

void StatedRecord::collect(const Step& step, ContactRowList& rows) const {
  const std::vector<int>& all = step.detection.active;
  const int first = first_stated(step);
  for (const int c : shown_) {
    const Contact& contact = contacts()[static_cast<std::size_t>(c)];
    ContactRow row;
    row.id = first_id_ + c;
    row.body_a = -1;  // the surroundings
    row.body_b = body_;
    row.gap = step.end.gap[first + c];
    row.point.fill(std::numeric_limits<double>::quiet_NaN());
    row.normal.fill(std::numeric_limits<double>::quiet_NaN());
    const int begin = step.detection.row_begin[static_cast<std::size_t>(first + c)];
    const auto sums = static_cast<int>(begin - step.r.size() + impulse_sum_.size());
    const bool active = std::binary_search(all.begin(), all.end(), first + c);
    for (int k = 0; k < contact.dim(); ++k) {
      const auto at = static_cast<std::size_t>(k);
      row.r[at] = active ? step.r[begin + k] : 0.0;
      row.u[at] = active ? step.u_end[begin + k] : step.detection.u[begin + k];
      row.impulse[at] = impulse_sum_[sums + k];
    }
    row.status = static_cast<int>(active ? contact_status(step, first + c) : ContactStatus::open);
    rows.push_back(row);
  }
}

double StatedRecord::law_value(const Step& step, std::size_t shown, std::size_t variable) const {
  const int c = shown_[shown];
  const int at = law_places_[variable][static_cast<std::size_t>(c)];
  if (at < 0) return std::numeric_limits<double>::quiet_NaN();
  return step.problem.laws.memory(first_stated(step) + c)[static_cast<std::size_t>(at)];
}

}  // namespace clack
