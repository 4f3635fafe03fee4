#include "clack/model/joints/joint_laws.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
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

void JointSpringMatrixLaw::prepare(const ContactSituation& contact, LawStatement& statement) const {
  using Values = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, kContactRows, 1>;
  using Square =
      Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, kContactRows, kContactRows>;
  const double h = contact.h;
  const int n = contact.rows();
  const Square A = 0.5 * h * h * spring_.stiffness + h * spring_.damping;
  const Values x = Eigen::Map<const Values>(contact.place.data(), n) - Values(spring_.rest);
  const Values push = h * (spring_.stiffness * x);
  const Eigen::SelfAdjointEigenSolver<Square> eigen(A);
  const double least = 1e-14 * eigen.eigenvalues().cwiseAbs().maxCoeff();
  for (int i = 0; i < n; ++i) {
    const double stiffness = eigen.eigenvalues()[i];
    if (!(stiffness > least)) continue;  // no force in this direction
    ContactValues row{};
    const auto direction = eigen.eigenvectors().col(i);
    std::copy_n(direction.data(), n, row.begin());
    statement.add_block(true).add_row(row, direction.dot(push) / stiffness, 1 / stiffness);
  }
}

void JointArmatureLaw::prepare(const ContactSituation& contact, LawStatement& statement) const {
  const double gamma = contact.place[0];  // its row's (eq:armature) [m/s^2, rad/s^2]
  statement.add_block(true).add_row(0, 1, contact.h * gamma - contact.u_start[0], 1 / inertia_);
}

}  // namespace clack
