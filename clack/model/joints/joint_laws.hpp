// Laws at the coordinates of joints: dry friction, drives of limited force, servos. They stand on the
// rates of the coordinates as a law of contact stands on its rows (law.hpp), with the multipliers of
// the joint's constraints as its load.
#pragma once

#include "clack/model/joints/joint.hpp"
#include "clack/model/laws/law.hpp"

namespace clack {

// |y| <= h s, y = h s where the rates do not vanish, against them (eq:joint_friction): a set-valued
// law, whose bound is a force. The load-dependent part of s, with the joint's force F and moment M in
// its frame (third axis along the joint):
//
//     angle     s = force + mu radius (|R+| + |R-|) + mu_collar radius_collar |F_3|,
//     slide     s = force + mu (|R+| + |R-|),            R± = F_T/2 ± M x a_3/span
//     ball      s = force + mu radius |F|
//     thread    s = force + mu |F_3|/cos(lead)
class JointFrictionLaw final : public Law {
 public:
  enum class Load { bearing, ball, thread };
  JointFrictionLaw(const JointFriction& friction, Load load, double lead = 0)
      : friction_(friction), load_(load), lead_(lead) {}
  std::string_view name() const override { return "joint-friction"; }
  double reach(const ContactSituation&) const override { return kNever; }
  bool iterates() const override { return friction_.depends_on_load(); }
  bool needs_reaction() const override { return friction_.depends_on_load(); }
  void prepare(const ContactSituation& contact, LawStatement& statement) const override;

  // The bound for a reaction, force and moment in the joint's frame [N, N m].
  double bound(const std::array<double, 6>& reaction) const;

 private:
  JointFriction friction_;
  Load load_;
  double lead_;  // [rad]
};

// A rate that is to be target(t), by a force of at most `limit` (eq:joint_friction).
class JointSpeedLaw final : public Law {
 public:
  explicit JointSpeedLaw(const JointSpeed& drive) : drive_(drive) {}
  std::string_view name() const override { return "velocity-drive"; }
  double reach(const ContactSituation&) const override { return kNever; }
  void prepare(const ContactSituation& contact, LawStatement& statement) const override;

 private:
  JointSpeed drive_;
};

// The force -k (x - f) - d (x' - f') at the end of the step, of at most `limit` (eq:joint_servo).
class JointServoLaw final : public Law {
 public:
  explicit JointServoLaw(const JointServo& servo) : servo_(servo) {}
  std::string_view name() const override { return "servo"; }
  double reach(const ContactSituation&) const override { return kNever; }
  void prepare(const ContactSituation& contact, LawStatement& statement) const override;

 private:
  JointServo servo_;
};

// A spring with a damper in a scheme that takes forces at the start of a step: the mean force of the
// step, y = -h k (x + h x'+/2 - rest) - d h x'+, implicitly.
class JointSpringLaw final : public Law {
 public:
  explicit JointSpringLaw(const JointSpring& spring) : spring_(spring) {}
  std::string_view name() const override { return "spring"; }
  double reach(const ContactSituation&) const override { return kNever; }
  void prepare(const ContactSituation& contact, LawStatement& statement) const override;

 private:
  JointSpring spring_;
};

// The same of several coordinates together: y = -h K (x + h x'+/2 - rest) - h C x'+, along the
// eigenvectors of h^2 K/2 + h C.
class JointSpringMatrixLaw final : public Law {
 public:
  explicit JointSpringMatrixLaw(const JointSpringMatrix& spring) : spring_(spring) {}
  std::string_view name() const override { return "spring"; }
  double reach(const ContactSituation&) const override { return kNever; }
  void prepare(const ContactSituation& contact, LawStatement& statement) const override;

 private:
  JointSpringMatrix spring_;
};

// The inertia of a rotor behind a gear, y = -J (x'+ - x'-), in a scheme whose masses are those of
// bodies alone (eq:armature).
class JointArmatureLaw final : public Law {
 public:
  explicit JointArmatureLaw(const JointArmature& armature) : inertia_(armature.inertia) {}
  std::string_view name() const override { return "armature"; }
  double reach(const ContactSituation&) const override { return kNever; }
  void prepare(const ContactSituation& contact, LawStatement& statement) const override;

 private:
  double inertia_;  // [kg, kg m^2]
};

}  // namespace clack
