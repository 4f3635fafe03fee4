// Joints of rigid bodies as a contact source: each row one bilateral constraint, or a unilateral one
// for limits and ropes, with its gap on positions and H its exact derivative.
#pragma once

#include <vector>

#include "clack/collide/contact_set.hpp"
#include "clack/collide/joint_rows.hpp"

namespace clack {

class JointContacts final : public ContactSource {
 public:
  // `tree`: whose joints need no constraints.
  explicit JointContacts(const RigidBodies& bodies, const BodyTree* tree = nullptr);

  bool find(double t, ConstVectorRef q, ConstVectorRef v, double h) override;
  const std::vector<Contact>& contacts() const override { return rows_.contacts(); }
  void gaps(double t, ConstVectorRef q, VectorRef gap) override;
  void map(double t, ConstVectorRef q, int first_row, ContactMap& H, VectorRef w) override;
  bool bias(double t, ConstVectorRef q, ConstVectorRef v, VectorRef b) override;
  bool reaction(int i, std::span<const double> impulses,
                std::array<double, 6>& reaction) const override;
  bool is_dynamic() const override { return true; }  // driven bodies move within a step
  bool is_moving() const override { return rows_.has_drives(); }  // others move with q

 private:
  void update(ConstVectorRef q);
  // Calls act(contact, its row, row of all).
  template <class Act>
  void for_rows(Act&& act) const {
    const std::vector<int>& begin = rows_.row_begin();
    for (std::size_t c = 0; c + 1 < begin.size(); ++c) {
      for (int row = begin[c]; row < begin[c + 1]; ++row)
        act(static_cast<int>(c), row - begin[c], row);
    }
  }

  const RigidBodies& bodies_;
  const RigidWorld& world_;
  JointRows rows_;
  Vector v_;  // of the start of the step
};

}  // namespace clack
