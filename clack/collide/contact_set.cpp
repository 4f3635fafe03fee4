#include "clack/collide/contact_set.hpp"

#include "clack/collide/body_contacts.hpp"
#include "clack/collide/joint_contacts.hpp"
#include "clack/collide/tree_contacts.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "clack/core/error.hpp"

namespace clack {

void ContactChange::carry_contacts(Vector& values, double fresh) const {
  Vector carried(static_cast<int>(source.size()));
  for (std::size_t c = 0; c < source.size(); ++c)
    carried[static_cast<int>(c)] = source[c] < 0 ? fresh : values[source[c]];
  values = std::move(carried);
}

void ContactChange::carry_rows(Vector& values) const {
  Vector carried = Vector::Zero(new_begin.back());
  for (std::size_t c = 0; c < source.size(); ++c) {
    if (source[c] < 0) continue;
    const auto old = static_cast<std::size_t>(source[c]);
    const int dim = new_begin[c + 1] - new_begin[c];
    if (dim != old_begin[old + 1] - old_begin[old]) continue;
    carried.segment(new_begin[c], dim) = values.segment(old_begin[old], dim);
  }
  values = std::move(carried);
}

Contact ContactSource::recall(const ContactIdentity& identity) const {
  const auto same = [&](const Contact& contact) {
    const ContactIdentity& x = contact.identity;
    return x.a == identity.a && x.b == identity.b && x.feature == identity.feature;
  };
  const auto it = std::find_if(contacts().begin(), contacts().end(), same);
  return it != contacts().end() ? *it : Contact{};
}

bool ContactSource::has_laws() const {
  return std::any_of(contacts().begin(), contacts().end(),
                     [](const Contact& contact) { return contact.law.own != nullptr; });
}

ContactSet::ContactSet(const System& system, bool sparse, bool with_sources)
    : system_(&system), sparse_(sparse) {
  if (with_sources) sources_ = make_contact_sources(system);
  for (const auto& source : sources_) {
    constant_map_ = constant_map_ && source->has_constant_map();
    moving_ = moving_ || source->is_moving();
    dynamic_ = dynamic_ || source->is_dynamic();
    laws_ = laws_ || source->has_laws();
  }
  collect();
}

void ContactSet::collect() {
  list_.clear();
  row_begin_.assign(1, 0);
  for (std::size_t s = 0; s < sources_.size(); ++s) {
    for (const Contact& contact : sources_[s]->contacts()) {
      list_.push_back(contact);
      list_.back().identity.source = static_cast<int>(s);
      row_begin_.push_back(row_begin_.back() + contact.dim());
    }
  }
}

bool ContactSet::find(double t, ConstVectorRef q, ConstVectorRef v, double h) {
  bool changed = false;
  for (const auto& source : sources_) changed = source->find(t, q, v, h) || changed;
  if (!changed && !restored_) {
    if (dynamic_) keep_list();
    return false;
  }
  restored_ = false;
  const std::vector<Contact> before = std::move(list_);
  const std::vector<int> row_begin = row_begin_;
  list_ = {};
  collect();
  note_change(before, row_begin);
  return true;
}

// The same contacts, each in its own place, with what they are now.
void ContactSet::keep_list() {
  collect();
  change_.source.resize(list_.size());
  std::iota(change_.source.begin(), change_.source.end(), 0);
  change_.old_begin = change_.new_begin = row_begin_;
}

std::vector<Contact> ContactSet::kinds() const {
  std::vector<Contact> all;
  for (const auto& source : sources_) {
    const std::vector<Contact> own = source->kinds();
    all.insert(all.end(), own.begin(), own.end());
  }
  return all;
}

std::vector<ContactIdentity> ContactSet::identities() const {
  std::vector<ContactIdentity> all;
  for (const Contact& contact : list_) all.push_back(contact.identity);
  return all;
}

bool ContactSet::restore(std::span<const ContactIdentity> list) {
  const auto same = [](const ContactIdentity& x, const Contact& y) { return x == y.identity; };
  if (std::equal(list.begin(), list.end(), list_.begin(), list_.end(), same)) return false;
  const std::vector<Contact> before = std::exchange(list_, {});
  const std::vector<int> begin = std::exchange(row_begin_, {0});
  for (const ContactIdentity& identity : list) {
    const auto source = static_cast<std::size_t>(identity.source);
    if (source >= sources_.size())
      throw InputError("the checkpoint has contacts that this system has not");
    list_.push_back(sources_[source]->recall(identity));
    list_.back().identity = identity;
    row_begin_.push_back(row_begin_.back() + list_.back().dim());
  }
  note_change(before, begin);
  for (const auto& source : sources_) source->restore(list);
  return restored_ = true;
}

void ContactSet::note_change(const std::vector<Contact>& before,
                             const std::vector<int>& row_begin) {
  std::vector<int> order(before.size());
  std::iota(order.begin(), order.end(), 0);
  const auto identity = [&](int c) { return before[static_cast<std::size_t>(c)].identity; };
  std::sort(order.begin(), order.end(), [&](int x, int y) { return identity(x) < identity(y); });
  change_.source.assign(list_.size(), -1);
  for (std::size_t c = 0; c < list_.size(); ++c) {
    const auto it =
        std::lower_bound(order.begin(), order.end(), list_[c].identity,
                         [&](int x, const ContactIdentity& id) { return identity(x) < id; });
    if (it != order.end() && identity(*it) == list_[c].identity) change_.source[c] = *it;
  }
  change_.old_begin = row_begin;
  change_.new_begin = row_begin_;
}

void ContactSet::gaps(double t, ConstVectorRef q, VectorRef gap) {
  if (sources_.size() == 1) return sources_[0]->gaps(t, q, gap);
  int begin = 0;
  for (const auto& source : sources_) {
    const int count = static_cast<int>(source->contacts().size());
    source->gaps(t, q, gap.segment(begin, count));
    begin += count;
  }
}

void ContactSet::map(double t, ConstVectorRef q, ContactMap& H, VectorRef w) {
  if (H.is_sparse()) H.clear();
  if (sources_.size() == 1) return sources_[0]->map(t, q, 0, H, w);
  std::size_t contact = 0;
  for (const auto& source : sources_) {
    const int begin = row_begin_[contact];
    contact += source->contacts().size();
    const int count = row_begin_[contact] - begin;
    source->map(t, q, begin, H, w.segment(begin, count));
  }
}

// Richardson's central difference: f' = (8 (f(d) - f(-d)) - (f(2d) - f(-2d)))/12d.
void ContactSet::bias(double t, ConstVectorRef q, ConstVectorRef v, VectorRef b) {
  b.setZero();
  if (b.size() == 0 || (constant_map_ && !moving_)) return;
  if (sources_.size() == 1 && sources_[0]->bias(t, q, v, b)) return;
  ContactMap H(system_->nv(), rows(), sparse_);
  Vector w(b.size()), q_moved(q.size());
  const double step = 1e-3 / (1 + v.cwiseAbs().maxCoeff());
  for (const auto& [shift, weight] : {std::pair(1, 8.0), {-1, -8.0}, {2, -1.0}, {-2, 1.0}}) {
    system_->advance(q, shift * step * v, q_moved);
    map(t + shift * step, q_moved, H, w);
    for (int row = 0; row < b.size(); ++row)
      b[row] += weight / (12 * step) * (H.dot(row, v) + w[row]);
  }
}

void ContactSet::add_stiffness(double t, ConstVectorRef q, ConstVectorRef r, MatrixRef K) {
  constexpr double kDifference = 6e-6;  // cube root of round-off: central differences
  if (r.size() == 0 || constant_map_) return;
  if (sources_.size() == 1 && sources_[0]->add_stiffness(t, q, r, K)) return;
  const int nv = system_->nv();
  ContactMap H(nv, rows(), sparse_);
  Vector w(r.size()), q_moved(q.size()), direction = Vector::Zero(nv);
  for (int j = 0; j < nv; ++j) {
    const double step = kDifference * std::max(1.0, j < q.size() ? std::abs(q[j]) : 0.0);
    for (const double side : {-1.0, 1.0}) {
      direction[j] = side * step;
      system_->advance(q, direction, q_moved);
      map(t, q_moved, H, w);
      for (int row = 0; row < r.size(); ++row)
        if (r[row] != 0) H.add_to(row, -side / (2 * step) * r[row], K.col(j));
    }
    direction[j] = 0;
  }
}

void ContactSet::release(const ContactIdentity& identity) {
  sources_[static_cast<std::size_t>(identity.source)]->release(identity);
}

void ContactSet::add_body_impulses(ConstVectorRef r, VectorRef impulses) const {
  int contact = 0;
  for (const auto& source : sources_) {
    const int first = row_begin_[static_cast<std::size_t>(contact)];
    contact += static_cast<int>(source->contacts().size());
    const int rows = row_begin_[static_cast<std::size_t>(contact)] - first;
    source->add_body_impulses(r.segment(first, rows), impulses);
  }
}

bool ContactSet::place(int contact, ContactPlace& place) const {
  for (const auto& source : sources_) {
    const int count = static_cast<int>(source->contacts().size());
    if (contact < count) return source->place(contact, place);
    contact -= count;
  }
  return false;
}

bool ContactSet::reaction(int contact, std::span<const double> impulses,
                          std::array<double, 6>& reaction) const {
  int first = 0;
  for (const auto& source : sources_) {
    const auto count = static_cast<int>(source->contacts().size());
    if (contact < first + count) {
      const auto begin = static_cast<std::size_t>(row_begin_[static_cast<std::size_t>(first)]),
                 end =
                     static_cast<std::size_t>(row_begin_[static_cast<std::size_t>(first + count)]);
      return source->reaction(contact - first, impulses.subspan(begin, end - begin), reaction);
    }
    first += count;
  }
  return false;
}

namespace {

// The list that a system states itself.
class StatedContacts final : public ContactSource {
 public:
  explicit StatedContacts(const System& system) : system_(system), contacts_(system.contacts()) {
    for (std::size_t c = 0; c < contacts_.size(); ++c) contacts_[c].identity.feature = c;
    rows_ = system.rows();
  }
  bool find(double t, ConstVectorRef, ConstVectorRef v, double) override {
    system_.list_prescribed(t, prescribed_);
    if (!prescribed_.empty()) v_ = v;
    return false;
  }
  const std::vector<Contact>& contacts() const override { return contacts_; }
  void gaps(double t, ConstVectorRef q, VectorRef gap) override { system_.gaps(t, q, gap); }
  void map(double t, ConstVectorRef q, int first_row, ContactMap& H, VectorRef w) override {
    if (H.is_sparse())
      system_.contact_rows(t, q, H, w);
    else if (H.rows() == rows_)
      system_.contact_map(t, q, H.dense(), w);
    else
      system_.contact_map(t, q, H.dense().middleCols(first_row, rows_), w);
    if (!prescribed_.empty()) H.fix(prescribed_, v_, first_row, w);
  }
  bool bias(double t, ConstVectorRef q, ConstVectorRef v, VectorRef b) override {
    system_.contact_bias(t, q, v, b);
    return true;
  }
  bool add_stiffness(double t, ConstVectorRef q, ConstVectorRef r, MatrixRef K) override {
    system_.add_contact_stiffness(t, q, r, K);
    return true;
  }
  bool has_constant_map() const override { return system_.has_constant_contact_map(); }
  bool is_moving() const override { return system_.has_moving_contacts(); }

 private:
  const System& system_;
  std::vector<Contact> contacts_;
  int rows_;
  std::vector<int> prescribed_;  // velocities that are known in this step
  Vector v_;                     // at its start
};

}  // namespace

std::vector<std::unique_ptr<ContactSource>> make_contact_sources(const System& system) {
  std::vector<std::unique_ptr<ContactSource>> sources;
  const RigidBodies* bodies = system.bodies();
  if (bodies) {
    const ArticulatedBodies* articulated = system.articulated();
    const auto add = [&](std::unique_ptr<ContactSource> source) {
      if (articulated) source = std::make_unique<TreeContacts>(*articulated, std::move(source));
      sources.push_back(std::move(source));
    };
    add(std::make_unique<BodyContacts>(*bodies));
    if (has_joints(*bodies)) {
      const BodyTree* tree = articulated ? &articulated->tree() : nullptr;
      add(std::make_unique<JointContacts>(*bodies, tree));
    }
  }
  if (!bodies || !system.contacts().empty())
    sources.push_back(std::make_unique<StatedContacts>(system));
  return sources;
}

}  // namespace clack
