#include "clack/integrate/impulse_memory.hpp"

#include <algorithm>

#include "clack/problem/body_problem.hpp"

namespace clack {
namespace {

constexpr double kSamePlace = 1e-3;  // of the smaller body

template <class X, class Y>
int order(const X& x, const Y& y) {
  return x.a != y.a ? x.a - y.a : x.b - y.b;
}

double smaller_size(double a, double b) { return a > 0 && b > 0 ? std::min(a, b) : std::max(a, b); }

}  // namespace

// By way of the values in the contact's frame, which results hold: a run that is taken up from them has
// the same bits.
void ImpulseMemory::keep(const std::vector<WorldContact>& contacts, int dim,
                         const Vector3* impulses) {
  impulses_.resize(contacts.size());
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    const WorldContact& contact = contacts[c];
    double local[3];
    to_local(contact.normal, dim, impulses[c], local);
    impulses_[c] = {contact.a, contact.b, contact.feature,
                    to_world(contact.normal, dim, local), contact.position};
  }
}

void ImpulseMemory::start(const std::vector<WorldContact>& contacts,
                          const std::vector<double>& radius, Vector3* impulses) {
  contacts_ = contacts.data();
  start_ = impulses;
  std::fill_n(impulses, contacts.size(), Vector3::Zero());
  given_.assign(impulses_.size(), 0);
  source_.assign(contacts.size(), -1);
  Range before{0, 0};
  for (Range now{0, 0}; now.begin < contacts.size(); now.begin = now.end) {
    const WorldContact& first = contacts[now.begin];
    while (now.end < contacts.size() && order(contacts[now.end], first) == 0) ++now.end;
    before.begin = before.end;
    while (before.begin < impulses_.size() && order(impulses_[before.begin], first) < 0)
      ++before.begin;
    before.end = before.begin;
    while (before.end < impulses_.size() && order(impulses_[before.end], first) == 0) ++before.end;
    if (before.begin == before.end) continue;
    if (match_features(now, before)) continue;
    match_places(now, before,
                 kSamePlace * smaller_size(radius[static_cast<std::size_t>(first.a)],
                                           radius[static_cast<std::size_t>(first.b)]));
  }
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

void ImpulseMemory::give(std::size_t old, std::size_t contact) {
  given_[old] = 1;
  source_[contact] = static_cast<int>(old);
  start_[contact] = impulses_[old].impulse;
}

}  // namespace clack
