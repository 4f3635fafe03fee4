#include "clack/integrate/impulse_memory.hpp"

#include "clack/assemble/world_problem.hpp"
#include "clack/problem/body_problem.hpp"

namespace clack {
namespace {

constexpr double kSamePlace = 1e-3;  // of the smaller body

// In the order of contacts.
template <class Contact>
std::uint64_t bodies_of(const Contact& x) {
  return static_cast<std::uint64_t>(x.a) << 32 | static_cast<std::uint32_t>(x.b);
}

template <class Contacts>
std::size_t end_of_pair(const Contacts& contacts, std::size_t begin, std::uint64_t pair) {
  while (begin < contacts.size() && bodies_of(contacts[begin]) == pair) ++begin;
  return begin;
}

}  // namespace

// By way of the values in the contact's frame, which results hold: a run that is taken up from them
// has the same bits.
void ImpulseMemory::keep(const LargeArray<WorldContact>& contacts, int dim,
                         const Vector3* impulses) {
  impulses_.resize(contacts.size());
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    const WorldContact& contact = contacts[c];
    const Matrix3 frame = contact_frame(contact.normal, dim);
    double local[3];
    to_frame(frame, dim, impulses[c], local);
    impulses_[c] = {contact.a, contact.b, contact.feature, from_frame(frame, dim, local),
                    contact.position};
  }
}

inline void ImpulseMemory::give(std::size_t old, std::size_t contact) {
  given_[old] = 1;
  source_[contact] = static_cast<int>(old);
  start_[contact] = impulses_[old].impulse;
}

void ImpulseMemory::start(const LargeArray<WorldContact>& contacts,
                          const std::vector<double>& radius, Vector3* impulses) {
  contacts_ = contacts.data();
  start_ = impulses;
  given_.assign(impulses_.size(), 0);
  source_.resize(contacts.size());
  Range before{0, 0};
  for (Range now{0, 0}; now.begin < contacts.size(); now.begin = now.end) {
    const WorldContact& first = contacts[now.begin];
    const std::uint64_t pair = bodies_of(first);
    now.end = end_of_pair(contacts, now.begin, pair);
    before.begin = before.end;
    while (before.begin < impulses_.size() && bodies_of(impulses_[before.begin]) < pair)
      ++before.begin;
    before.end = end_of_pair(impulses_, before.begin, pair);
    if (now.size() == 1 && before.size() == 1 && impulses_[before.begin].feature == first.feature)
      give(before.begin, now.begin);
    else
      match(now, before, radius);
  }
}

void ImpulseMemory::match(Range now, Range before, const std::vector<double>& radius) {
  for (std::size_t c = now.begin; c < now.end; ++c) {
    source_[c] = -1;
    start_[c].setZero();
  }
  if (before.size() == 0 || match_features(now, before)) return;
  const WorldContact& first = contacts_[now.begin];
  match_places(now, before,
               kSamePlace * smaller_size(radius[static_cast<std::size_t>(first.a)],
                                         radius[static_cast<std::size_t>(first.b)]));
}

bool ImpulseMemory::match_features(Range now, Range before) {
  bool all = true;
  for (std::size_t c = now.begin; c < now.end; ++c) {
    for (std::size_t k = before.begin; k < before.end; ++k) {
      if (given_[k] || impulses_[k].feature != contacts_[c].feature) continue;
      give(k, c);
      break;
    }
    all = all && source_[c] >= 0;
  }
  return all;
}

void ImpulseMemory::match_places(Range now, Range before, double reach) {
  for (std::size_t c = now.begin; c < now.end; ++c) {
    if (source_[c] >= 0) continue;
    double least = reach * reach;
    std::size_t nearest = before.end;
    for (std::size_t k = before.begin; k < before.end; ++k) {
      const double distance = (impulses_[k].position - contacts_[c].position).squaredNorm();
      if (given_[k] || !(distance < least)) continue;
      least = distance;
      nearest = k;
    }
    if (nearest < before.end) give(nearest, c);
  }
}

}  // namespace clack
