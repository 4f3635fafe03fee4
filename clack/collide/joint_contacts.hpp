// Links of rigid bodies that hold on positions: each row one bilateral constraint (a rigid wire: a
// unilateral one) with gap, and H its exact derivative.
//
//     hinge   x_b + R_b p_b - x_a - R_a p_a = 0                         (3 rows, in the plane 2)
//     glue    the same, and 2 vec(R_a'R_b R_0') = 0                     (6 rows, in the plane 3)
//     wire    length - |x_b + R_b p_b - x_a - R_a p_a| >= 0             (1 row)        (eq:joints)
//
// p_a is where the point of b stands at the start of the run, R_0 the relative rotation then.
#pragma once

#include <vector>

#include "clack/collide/contact_arms.hpp"
#include "clack/collide/contact_set.hpp"
#include "clack/model/bodies/rigid_bodies.hpp"
#include "clack/model/laws/law_list.hpp"

namespace clack {

bool has_rigid_joints(const RigidWorld& world);

class JointContacts final : public ContactSource {
 public:
  explicit JointContacts(const RigidBodies& bodies);

  bool find(double t, ConstVectorRef q, ConstVectorRef v, double h) override;
  const std::vector<Contact>& contacts() const override { return contacts_; }
  void gaps(double t, ConstVectorRef q, VectorRef gap) override;
  void map(double t, ConstVectorRef q, int first_row, ContactMap& H, VectorRef w) override;
  bool is_dynamic() const override { return true; }  // driven bodies move within a step
  bool place(int i, ContactPlace& place) const override;

  // Which joint and which of its rows a contact of the list is.
  static std::uint64_t feature(std::size_t link, int row) { return kTieFeature + 8 * link + row; }
  static std::size_t link_of(std::uint64_t feature) { return (feature - kTieFeature) / 8; }
  static int row_of(std::uint64_t feature) { return static_cast<int>((feature - kTieFeature) % 8); }

 private:
  struct Joint {
    RigidLink kind;
    std::size_t link;
    int a, b;
    Vector3 point_a, point_b;  // in the frames of the bodies [m]
    Quaternion turned;         // of b against a at the start
    double length = 0;         // of a wire [m]
    int rows = 1;
  };
  struct Row {
    Vector3 direction = Vector3::Zero(), turn = Vector3::Zero();
  };
  struct Ends {
    BodyState a, b;
    Vector3 arm_a, arm_b, jump;
  };
  Ends ends(const Joint& joint, ConstVectorRef q) const;
  Quaternion turning(const Joint& joint, const Ends& ends) const;
  void set_rows(const Joint& joint, const Ends& ends, std::vector<Row>& rows) const;

  const RigidBodies& bodies_;
  const RigidWorld& world_;
  std::vector<Joint> joints_;
  std::vector<Contact> contacts_;
  std::vector<std::size_t> joint_of_;  // by contact
  Vector q_, v_;                       // of the last find()
};

}  // namespace clack
