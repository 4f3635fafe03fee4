// Contacts of rigid bodies with shapes, with the bonds and links whose laws act on velocities.
//
// Candidates come from a broad and a narrow phase once a step: what may close within it. At any
// other configuration of the step the same features are asked for their gap and frame anew; where
// the narrow phase does not find them any more, the points and the normal go on with the bodies.
#pragma once

#include <vector>

#include "clack/collide/contact_set.hpp"
#include "clack/collide/world_bonds.hpp"
#include "clack/model/bodies/rigid_bodies.hpp"

namespace clack {

class BodyContacts final : public ContactSource {
 public:
  explicit BodyContacts(const RigidBodies& bodies);

  bool find(double t, ConstVectorRef q, ConstVectorRef v, double h) override;
  const std::vector<Contact>& contacts() const override { return contacts_; }
  void gaps(double t, ConstVectorRef q, VectorRef gap) override;
  void map(double t, ConstVectorRef q, int first_row, ContactMap& H, VectorRef w) override;
  bool is_dynamic() const override { return true; }
  // Driven bodies move with q, and the images of a sheared cell belong to the instant of q: a frame
  // of the end of a step with the bodies of its start would be that of no instant.
  bool is_moving() const override { return false; }
  bool has_laws() const override { return !bonds_.laws().empty(); }
  std::vector<Contact> kinds() const override;
  void release(const ContactIdentity& identity) override;
  Contact recall(const ContactIdentity& identity) const override;
  void restore(std::span<const ContactIdentity> list) override;
  bool place(int i, ContactPlace& place) const override;

 private:
  // Where a contact was found, in the frames of its bodies.
  struct Anchor {
    Vector3 point_a, point_b;  // [m]
    Vector3 normal;            // in the frame of a
  };
  Contact contact_of(const WorldContact& found) const;
  Contact contact_of(int a, int b, std::uint64_t feature) const;
  ContactLaw law_of(int a, int b, std::uint64_t feature) const;
  void evaluate(double t, ConstVectorRef q);
  void evaluate_pair(std::size_t begin, std::size_t end, double t);
  void follow(std::size_t c, const Vector3& image);
  Twist driven(int body) const;

  const RigidBodies& bodies_;
  const RigidWorld& world_;
  LawTable table_;
  WorldBonds bonds_;
  WorldDetection detection_;
  double farthest_ = 0;        // way of a step beyond which a motion has blown up [m]
  std::vector<double> reach_;  // of each body in the step [m]
  std::vector<Twist> driven_;  // of bodies that move as they are told, in this step
  std::vector<Contact> contacts_;
  LargeArray<WorldContact> found_, merged_, now_;  // of find(), and where they are at q_
  std::vector<Anchor> anchors_;
  double found_t_ = 0;
  WorldState state_;  // at t_, q_
  double t_ = 0;
  Vector q_, zero_v_;
  Manifold manifold_;
};

}  // namespace clack
