// Contacts of bodies in joint coordinates: those of another source, which stands on the velocities of
// bodies, with its rows on the velocities of the trees (eq:tree_rows):
//
//     u = H_b' u_b + w,   u_b = J v:   H = J'H_b
#pragma once

#include <memory>

#include "clack/collide/contact_set.hpp"
#include "clack/model/bodies/articulated_bodies.hpp"

namespace clack {

class TreeContacts final : public ContactSource {
 public:
  TreeContacts(const ArticulatedBodies& bodies, std::unique_ptr<ContactSource> source);

  bool find(double t, ConstVectorRef q, ConstVectorRef v, double h) override;
  const std::vector<Contact>& contacts() const override { return source_->contacts(); }
  void gaps(double t, ConstVectorRef q, VectorRef gap) override { source_->gaps(t, q, gap); }
  void map(double t, ConstVectorRef q, int first_row, ContactMap& H, VectorRef w) override;
  bool bias(double t, ConstVectorRef q, ConstVectorRef v, VectorRef b) override;
  bool has_constant_map() const override { return false; }
  bool is_moving() const override { return source_->is_moving(); }
  bool is_dynamic() const override { return source_->is_dynamic(); }
  std::vector<Contact> kinds() const override { return source_->kinds(); }
  bool has_laws() const override { return source_->has_laws(); }
  void release(const ContactIdentity& identity) override { source_->release(identity); }
  Contact recall(const ContactIdentity& identity) const override {
    return source_->recall(identity);
  }
  void restore(std::span<const ContactIdentity> list) override { source_->restore(list); }
  bool reaction(int i, std::span<const double> impulses,
                std::array<double, 6>& reaction) const override {
    return source_->reaction(i, impulses, reaction);
  }
  void add_body_impulses(ConstVectorRef r, VectorRef impulses) const override;
  bool place(int i, ContactPlace& place) const override { return source_->place(i, place); }

 private:
  void add_row(int row, const TreeMotion& motion, ContactMap& H, int column);

  const ArticulatedBodies& bodies_;
  std::unique_ptr<ContactSource> source_;
  ContactMap on_bodies_;
  TreeMotion motion_;
  Vector body_v_, row_;  // row_: of a sparse map, zero between rows
  std::vector<int> touched_;
};

}  // namespace clack
