#include "clack/assemble/contact_laws.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "clack/model/laws/basic_laws.hpp"

namespace clack {
namespace {

// The law of a bilateral constraint.
class Constraint final : public Law {
 public:
  std::string_view name() const override { return "constraint"; }
  void prepare(const ContactSituation&, LawStatement& statement) const override {
    statement.add_block(true).add_row(0);
  }
};

LawPtr law_of(const Contact& contact) {
  static const LawPtr constraint = std::make_shared<Constraint>();
  if (contact.bilateral) return constraint;
  if (contact.law.own) return contact.law.own;
  return std::make_shared<CompositeLaw>(
      std::vector<LawPtr>{std::make_shared<NewtonImpact>(contact.law.e_n, contact.law.e_t),
                          std::make_shared<CoulombFriction>(contact.law.mu)});
}

// Of laws by the rows of their contact; `variables` makes names.
class InitialMemories {
 public:
  const std::vector<double>& operator()(const LawContact& contact) {
    const auto [it, is_new] =
        known_.try_emplace({contact.law.get(), contact.tangents, contact.turns});
    if (is_new) {
      for (const LawVariable& x : contact.law->variables(contact.tangents, contact.turns))
        it->second.push_back(x.initial);
    }
    return it->second;
  }

 private:
  std::map<std::tuple<const Law*, int, int>, std::vector<double>> known_;
};

}  // namespace

ContactLaws::ContactLaws(std::span<const LawPtr> laws) : empty_(laws.empty()) {
  for (const LawPtr& law : laws) note(*law);
}

ContactLaws::ContactLaws(const ContactSet& contacts) : empty_(!contacts.has_laws()) {
  if (empty_) return;
  for (const Contact& contact : contacts.kinds()) note(*law_of(contact));
  bind(contacts);
}

void ContactLaws::note(const Law& law) {
  stages_ = std::max(stages_, law.stages());
  iterate_ = iterate_ || law.iterates();
  reactions_ = reactions_ || law.needs_reaction();
}

void ContactLaws::bind(const ContactSet& contacts) {
  if (empty_) return;
  std::vector<LawContact> list;
  for (const Contact& contact : contacts.list())
    list.push_back({law_of(contact), contact.tangents, contact.turns, contact.area});
  bind(std::move(list), contacts.change().source);
}

void ContactLaws::bind(std::vector<LawContact> contacts, std::span<const int> source) {
  const std::vector<std::size_t> old_begin = std::exchange(memory_begin_, {0});
  const std::vector<double> known = std::exchange(memory_, {});
  InitialMemories initial;
  contacts_ = std::move(contacts);
  for (std::size_t c = 0; c < contacts_.size(); ++c) {
    if (contacts_[c].law) {
      const std::vector<double>& fresh = initial(contacts_[c]);
      const double* from = fresh.data();
      if (c < source.size() && source[c] >= 0) {
        const auto old = static_cast<std::size_t>(source[c]);
        if (old + 1 < old_begin.size() && old_begin[old + 1] - old_begin[old] == fresh.size())
          from = known.data() + old_begin[old];
      }
      memory_.insert(memory_.end(), from, from + fresh.size());
    }
    memory_begin_.push_back(memory_.size());
  }
  count_ = 0;
  place_.assign(contacts_.size(), -1);
}

std::span<double> ContactLaws::memory_of(int contact) {
  const auto c = static_cast<std::size_t>(contact);
  return std::span(memory_).subspan(memory_begin_[c], memory_begin_[c + 1] - memory_begin_[c]);
}

std::span<const double> ContactLaws::memory(int contact) const {
  if (empty()) return {};
  const auto c = static_cast<std::size_t>(contact);
  return std::span(memory_).subspan(memory_begin_[c], memory_begin_[c + 1] - memory_begin_[c]);
}

std::vector<LawVariable> ContactLaws::variables(int contact) const {
  if (empty()) return {};
  const LawContact& c = contacts_[static_cast<std::size_t>(contact)];
  return c.law ? c.law->variables(c.tangents, c.turns) : std::vector<LawVariable>();
}

int ContactLaws::place(int contact) const {
  return empty() ? -1 : place_[static_cast<std::size_t>(contact)];
}

void ContactLaws::set_reach(Detection& detection) const {
  detection.reach.resize(contacts_.size());
  detection.forecast.resize(contacts_.size());
  for (std::size_t c = 0; c < contacts_.size(); ++c)
    detection.reach[c] = reach(static_cast<int>(c));
}

double ContactLaws::reach(int contact) const {
  if (empty()) return -Law::kNever;
  const LawContact& c = contacts_[static_cast<std::size_t>(contact)];
  if (!c.law) return -Law::kNever;
  ContactSituation situation;
  situation.tangents = c.tangents;
  situation.turns = c.turns;
  situation.area = c.area;
  situation.memory = memory(contact);
  return c.law->reach(situation);
}

StatedContact& ContactLaws::next_stated(int contact) {
  if (count_ == stated_.size()) stated_.emplace_back();
  const LawContact& known = contacts_[static_cast<std::size_t>(contact)];
  place_[static_cast<std::size_t>(contact)] = static_cast<int>(count_);
  StatedContact& c = stated_[count_++];
  c.contact = contact;
  c.law = known.law.get();
  c.before.fill(0);
  c.bond.fill(0);
  c.situation = {};
  c.situation.tangents = known.tangents;
  c.situation.turns = known.turns;
  c.situation.area = known.area;
  return c;
}

void ContactLaws::start_stated(StatedContact& c) {
  c.situation.memory = memory_of(c.contact);
  c.situation.closed = c.situation.forecast_gap <= 0;
  c.situation.u = c.situation.u_start;
}

void ContactLaws::state(LawRows& rows, int stage, int pass) {
  for (StatedContact& c : stated()) {
    c.situation.stage = stage;
    c.situation.pass = pass;
    c.statement.clear();
    c.law->prepare(c.situation, c.statement);
    if (stage == 0 && pass == 0) {
      c.statement.guess(c.before, c.y);
    } else {
      if (c.y.size() != c.size()) c.y.assign(c.size(), 0.0);
      c.statement.take_over(c.solved, c.y);
    }
  }
  rows.build(stated(), stage < stages_ - 1);
}

void ContactLaws::take_solution(LawRows& rows) {
  for (std::size_t i = 0; i < count_; ++i) {
    StatedContact& c = stated_[i];
    std::copy_n(rows.y.begin() + static_cast<std::ptrdiff_t>(rows.begin[i]), c.y.size(),
                c.y.begin());
    c.solved = c.statement;
    c.bond = c.statement.shift;
    for (std::size_t k = 0; k < kContactRows; ++k) c.situation.r[k] = c.shift(k);
    const double* y = c.y.data();
    for (int b = 0; b < c.statement.count; ++b) {
      const LawBlock& block = c.statement.blocks[static_cast<std::size_t>(b)];
      for (int j = 0; j < block.dim; ++j, ++y) {
        for (std::size_t k = 0; k < kContactRows; ++k) {
          const double part = block.map[static_cast<std::size_t>(j)][k] * *y;
          c.situation.r[k] += part;
          if (block.bond) c.bond[k] += part;
        }
      }
    }
  }
  rows.set_velocities(stated());
  if (reactions_ && observe_) observe_(stated());
}

void ContactLaws::velocities(std::vector<double>& values) const {
  values.clear();
  for (const StatedContact& c : stated()) {
    if (!c.law->iterates()) continue;
    const auto u = c.situation.u.begin();
    values.insert(values.end(), u, u + 1 + c.situation.tangents);
  }
}

void ContactLaws::end_stage() {
  for (StatedContact& c : stated()) {
    for (std::size_t k = 0; k < kContactRows; ++k)
      c.situation.r_stage[k] = c.situation.r[k] - c.bond[k];
  }
}

void ContactLaws::update() {
  for (StatedContact& c : stated()) {
    const std::span<double> memory = memory_of(c.contact);
    scratch_.assign(memory.begin(), memory.end());  // laws read what they replace
    c.situation.memory = scratch_;
    c.law->update(c.situation, memory);
    c.situation.memory = memory;
  }
}

}  // namespace clack
