#include "clack/model/joints/joint_laws.hpp"

#include <cmath>

namespace clack {
namespace {

// A disc of fixed radius on rows: the first row of the block belongs to no motion, and its multiplier
// is the radius.
LawBlock& add_bounded(double bound, int rows, LawStatement& statement) {
  LawBlock& block = statement.add_block(false);
  block.add_row(-1, 0, -bound, 1);
  block.add_disc(rows, 1);
  return block;
}

}  // namespace

double JointFrictionLaw::bound(const std::array<double, 6>& reaction) const {
  const JointFriction& f = friction_;
  const Vector3 force(reaction[0], reaction[1], reaction[2]),
      moment(reaction[3], reaction[4], reaction[5]);
  if (!f.depends_on_load()) return f.force;
  if (load_ == Load::ball) return f.force + f.mu * f.radius * force.norm();
  if (load_ == Load::thread) return f.force + f.mu * std::abs(force.z()) / std::cos(lead_);
  const Vector3 axis = Vector3::UnitZ();
  const Vector3 half = 0.5 * (force - force.z() * axis),
                couple = f.span > 0 ? Vector3(moment.cross(axis) / f.span) : Vector3::Zero();
  const double load = (half + couple).norm() + (half - couple).norm();
  return f.force + f.mu * f.radius * load + f.collar_mu * f.collar_radius * std::abs(force.z());
}

void JointFrictionLaw::prepare(const ContactSituation& contact, LawStatement& statement) const {
  const int rows = contact.rows();
  std::array<double, 6> mean = contact.reaction;
  for (double& x : mean) x /= contact.h;
  LawBlock& block = add_bounded(contact.h * bound(mean), rows, statement);
  for (int k = 0; k < rows; ++k) block.add_row(k);
}

void JointSpeedLaw::prepare(const ContactSituation& contact, LawStatement& statement) const {
  const double target = drive_.target.at(contact.t + contact.h).value;
  LawBlock& block = std::isfinite(drive_.limit)
                        ? add_bounded(contact.h * drive_.limit, 1, statement)
                        : statement.add_block(true);
  block.add_row(0, 1, -target);
}

// y = -h k (x + h ((1 - w) x'- + w x'+) - f) - h d (x'+ - f'), f at the end of the step.
void JointServoLaw::prepare(const ContactSituation& contact, LawStatement& statement) const {
  const double h = contact.h, w = contact.end_weight;
  const JointFunction::Values f = servo_.target.at(contact.t + h);
  const double gain = h * h * servo_.stiffness * w + h * servo_.damping;
  const double error = contact.gap + h * (1 - w) * contact.u_start[0] - f.value;
  LawBlock& block = std::isfinite(servo_.limit) ? add_bounded(h * servo_.limit, 1, statement)
                                                : statement.add_block(true);
  block.add_row(0, 1, (h * servo_.stiffness * error - h * servo_.damping * f.by_t) / gain,
                1 / gain);
}

void JointSpringLaw::prepare(const ContactSituation& contact, LawStatement& statement) const {
  const double h = contact.h, way = contact.way(0);
  const double impulse =
      -h * spring_.stiffness * (contact.gap - spring_.rest + 0.5 * way) - spring_.damping * way;
  statement.add_block(true).add_tangent(contact, 0, 1, impulse,
                                        0.5 * h * spring_.stiffness + spring_.damping);
}

}  // namespace clack
