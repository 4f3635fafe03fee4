#include "clack/record/contact_events.hpp"

#include <algorithm>

#include "clack/model/laws/law.hpp"
#include "clack/record/saved_checkpoint.hpp"

namespace clack {

std::optional<EventKind> event_between(ContactStatus before, ContactStatus after, double u_n) {
  if (!is_loaded(before) && !is_loaded(after)) return std::nullopt;
  if (!is_loaded(before)) return u_n < 0 ? EventKind::impact : EventKind::close;
  if (!is_loaded(after)) return EventKind::open;
  if (before == after) return std::nullopt;
  return after == ContactStatus::sticking ? EventKind::stick : EventKind::slip;
}

int first_stated(const Step& step) {
  return step.contacts.size() - static_cast<int>(step.system.contacts().size());
}

SystemEvents::SystemEvents(const System& system, int first_id, int body)
    : system_(&system),
      first_id_(first_id),
      body_(body),
      status_(system.contacts().size(), ContactStatus::open),
      bonded_(status_.size(), 0),
      located_(status_.size(), 0),
      closings_(status_.size(), 0) {
  if (status_.empty()) return;
  const ContactSet contacts(system);
  const ContactLaws laws(contacts);
  const int first = contacts.size() - static_cast<int>(status_.size());
  for (std::size_t c = 0; c < status_.size(); ++c)
    bonded_[c] = laws.reach(first + static_cast<int>(c)) != -Law::kNever;
}

void SystemEvents::update(const Step& step) {
  events_.clear();
  add_located(step);
  const int first = first_stated(step);
  for (int c = first; c < first + static_cast<int>(status_.size()); ++c) {
    const auto k = static_cast<std::size_t>(c - first);
    const Contact& own = system_->contacts()[k];
    if (own.bilateral || own.booking != Booking::contact) continue;
    const ContactStatus now = contact_status(step, c);
    const int begin = step.detection.row_begin[static_cast<std::size_t>(c)];
    const auto kind = event_between(status_[k], now, step.detection.u[begin]);
    status_[k] = now;
    const bool closes = kind == EventKind::impact || kind == EventKind::close;
    if (kind && !(closes && located_[k])) add(step, c, *kind);
    update_bond(step, c);
  }
}

// A scheme that locates impacts knows more of them than the ends of a step tell.
void SystemEvents::add_located(const Step& step) {
  std::fill(located_.begin(), located_.end(), 0);
  for (const LocatedImpact& impact : step.impacts) {
    const int number = impact.contact - first_stated(step);
    if (number < 0) continue;
    const auto c = static_cast<std::size_t>(number);
    located_[c] = 1;
    ++closings_[c];
    EventRow row;
    row.time = impact.t;
    row.id = first_id_ + number;
    row.body_b = body_;
    row.u_before[0] = impact.before;
    row.u_after[0] = impact.after;
    row.impulse = {impact.impulse, EventRow::kUnknown, EventRow::kUnknown};
    events_.push_back(row);
  }
}

void SystemEvents::add(const Step& step, int c, EventKind kind) {
  const Detection& detection = step.detection;
  const auto k = static_cast<std::size_t>(c - first_stated(step));
  if (kind == EventKind::impact || kind == EventKind::close) ++closings_[k];
  EventRow row;
  row.time = step.end.t;
  row.kind = kind;
  row.id = first_id_ + static_cast<int>(k);
  row.body_b = body_;
  row.u_before.fill(0);
  row.u_after.fill(0);
  const int begin = detection.row_begin[static_cast<std::size_t>(c)];
  for (int i = 0; i < std::min(system_->contacts()[k].dim(), 3); ++i) {
    const auto at = static_cast<std::size_t>(i);
    row.u_before[at] = detection.u[begin + i];
    row.u_after[at] = detection.H.dot(begin + i, step.end.v) + detection.w[begin + i];
    row.impulse[at] = step.r[begin + i];
  }
  events_.push_back(row);
}

void SystemEvents::update_bond(const Step& step, int c) {
  const auto k = static_cast<std::size_t>(c - first_stated(step));
  if (!bonded_[k] || step.problem.laws.reach(c) != -Law::kNever) return;
  bonded_[k] = 0;
  add(step, c, EventKind::rupture);
}

void SystemEvents::save(std::vector<double>& numbers) const {
  for (std::size_t c = 0; c < status_.size(); ++c) {
    numbers.push_back(static_cast<double>(status_[c]));
    numbers.push_back(bonded_[c]);
    numbers.push_back(static_cast<double>(closings_[c]));
  }
}

void SystemEvents::restore(std::span<const double>& numbers) {
  for (std::size_t c = 0; c < status_.size(); ++c) {
    status_[c] = static_cast<ContactStatus>(static_cast<int>(take(numbers)));
    bonded_[c] = static_cast<char>(take(numbers));
    closings_[c] = static_cast<long>(take(numbers));
  }
}

void WorldEvents::update(const BodyReading& reading) {
  events_.clear();
  now_.clear();
  std::vector<char> goes_on(before_.size(), 0);
  const LargeArray<WorldContact>& contacts = reading.contacts();
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    const WorldContact& contact = contacts[c];
    const bool tied = contact.feature >= kTieFeature;
    now_.push_back({contact.a, contact.b, contact.feature,
                    tied ? ContactStatus::bilateral : contact_status(reading, c)});
    const auto source = static_cast<std::size_t>(reading.source(c));
    const bool known = source < before_.size();  // -1 is beyond any number
    if (known) goes_on[source] = 1;
    if (tied) continue;
    const ContactStatus before = known ? before_[source].status : ContactStatus::open;
    if (!is_loaded(before) && !is_loaded(now_.back().status)) continue;
    if (before == now_.back().status) continue;
    const double u_n = reading.start_velocity(c)[0];
    if (const auto kind = event_between(before, now_.back().status, u_n)) add(reading, c, *kind);
  }
  add_lost(reading, goes_on);
  add_broken(reading);
  std::swap(before_, now_);
}

void WorldEvents::save(std::vector<double>& numbers) const {
  numbers.push_back(static_cast<double>(before_.size()));
  for (const Known& x : before_) {
    for (const int k : {x.a, x.b, static_cast<int>(x.status)}) numbers.push_back(k);
    save_feature(x.feature, numbers);
  }
}

void WorldEvents::restore(std::span<const double>& numbers) {
  before_.resize(static_cast<std::size_t>(take(numbers)));
  for (Known& x : before_) {
    x.a = static_cast<int>(take(numbers));
    x.b = static_cast<int>(take(numbers));
    x.status = static_cast<ContactStatus>(static_cast<int>(take(numbers)));
    x.feature = take_feature(numbers);
  }
}

void WorldEvents::add(const BodyReading& reading, std::size_t c, EventKind kind) {
  const WorldContact& contact = reading.contacts()[c];
  const auto dim = static_cast<std::size_t>(reading.dim());
  EventRow row;
  row.time = reading.time();
  row.kind = kind;
  row.body_a = contact.a;
  row.body_b = contact.b;
  row.feature = static_cast<std::int64_t>(contact.feature);
  row.id = reading.link_of(c);
  row.u_before = reading.start_velocity(c);
  row.u_after.fill(0);
  std::copy_n(reading.u().data() + c * dim, dim, row.u_after.data());
  std::copy_n(reading.r().data() + c * dim, dim, row.impulse.data());
  events_.push_back(row);
}

// Contacts that carried load and are not even near any more.
void WorldEvents::add_lost(const BodyReading& reading, const std::vector<char>& goes_on) {
  for (std::size_t k = 0; k < before_.size(); ++k) {
    if (goes_on[k] || !is_loaded(before_[k].status)) continue;
    EventRow row;
    row.time = reading.time();
    row.kind = EventKind::open;
    row.body_a = before_[k].a;
    row.body_b = before_[k].b;
    row.feature = static_cast<std::int64_t>(before_[k].feature);
    events_.push_back(row);
  }
}

void WorldEvents::add_broken(const BodyReading& reading) {
  if (reading.broken().empty()) return;
  for (const std::size_t c : reading.broken()) add(reading, c, EventKind::rupture);
}

}  // namespace clack
