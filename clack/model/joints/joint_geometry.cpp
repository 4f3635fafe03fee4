#include "clack/model/joints/joint_geometry.hpp"

#include <cmath>
#include <numbers>

namespace clack {
namespace {

double angle_about_axis(const JointGeometry& at) {
  return std::atan2(at.b.col(0).dot(at.a.col(1)), at.b.col(0).dot(at.a.col(0)));
}

double bend_about_pin(const JointGeometry& at) {
  return std::atan2(at.a.col(2).dot(at.b.col(1)), at.a.col(2).dot(at.b.col(2)));
}

double block_value(const JointTerm& term, const JointGeometry& at) {
  switch (term.block) {
    case JointBlock::slide:
      return at.a.col(term.i).dot(at.d);
    case JointBlock::perp:
      return at.a.col(term.i).dot(at.b.col(term.j));
    case JointBlock::turn:
      return 2 * at.turn.vec()[term.i];
    case JointBlock::distance:
      return at.d.norm();
    case JointBlock::spin:
      return 0;
    case JointBlock::angle:
      return unwound(angle_about_axis(at), at.angle);
    case JointBlock::bend:
      return bend_about_pin(at);
    case JointBlock::surface:
      return at.surfaces[static_cast<std::size_t>(term.i)].value;
  }
  return 0;
}

// A force at the point of B on both bodies, with the opposite sign on A.
WrenchPair force_at_b(const Vector3& force, const JointGeometry& at) {
  return {{-force, -(at.arm_a + at.d).cross(force)}, {force, at.arm_b.cross(force)}};
}

WrenchPair moment_on_b(const Vector3& moment) {
  return {{Vector3::Zero(), -moment}, {Vector3::Zero(), moment}};
}

Vector3 direction_of(const JointGeometry& at) {
  const double length = at.d.norm();
  return length > 0 ? Vector3(at.d / length) : Vector3(at.a.col(2));
}

// 2 eps' = (eta 1 - [eps]x) A'(Omega_B - Omega_A).
Vector3 turn_axis(int i, const JointGeometry& at) {
  const Matrix3 rate = at.turn.w() * Matrix3::Identity() - skew(at.turn.vec());
  return at.a * rate.row(i).transpose();
}

WrenchPair block_wrenches(const JointTerm& term, const JointGeometry& at) {
  switch (term.block) {
    case JointBlock::slide:
      return force_at_b(at.a.col(term.i), at);
    case JointBlock::perp:
      return moment_on_b(at.b.col(term.j).cross(at.a.col(term.i)));
    case JointBlock::turn:
      return moment_on_b(turn_axis(term.i, at));
    case JointBlock::distance: {
      // Both points at the ends of d: the force on A may act at either of them.
      return force_at_b(direction_of(at), at);
    }
    case JointBlock::spin:
      return moment_on_b(at.a.col(term.i));
    case JointBlock::angle:
      return moment_on_b(at.a.col(2));
    case JointBlock::bend:
      return moment_on_b(at.b.col(0));
    case JointBlock::surface:
      return force_at_b(at.a * at.surfaces[static_cast<std::size_t>(term.i)].gradient, at);
  }
  return {};
}

double block_bias(const JointTerm& term, const JointGeometry& at, const BodyMotion& m) {
  const Vector3 &wa = m.omega_a, &wb = m.omega_b;
  const Vector3 rate = m.v_b + wb.cross(at.arm_b) - m.v_a - wa.cross(at.arm_a);
  const Vector3 Q = wb.cross(wb.cross(at.arm_b)) - wa.cross(wa.cross(at.arm_a));
  switch (term.block) {
    case JointBlock::slide: {
      const Vector3 a = at.a.col(term.i);
      return at.d.dot(wa.cross(wa.cross(a))) + 2 * wa.cross(a).dot(rate) + a.dot(Q);
    }
    case JointBlock::perp: {
      const Vector3 a = at.a.col(term.i), b = at.b.col(term.j);
      return b.dot(wa.cross(wa.cross(a))) + a.dot(wb.cross(wb.cross(b))) +
             2 * wa.cross(a).dot(wb.cross(b));
    }
    case JointBlock::turn: {
      const Vector3 relative = at.a.transpose() * (wb - wa), eps = at.turn.vec();
      const Vector3 eps_rate = 0.5 * (at.turn.w() * relative + relative.cross(eps));
      const double eta_rate = -0.5 * relative.dot(eps);
      const Vector3 change = -(at.a.transpose() * wa.cross(wb - wa));
      const Vector3 bias =
          eta_rate * relative - eps_rate.cross(relative) + at.turn.w() * change - eps.cross(change);
      return bias[term.i];
    }
    case JointBlock::distance: {
      const Vector3 n = direction_of(at);
      const double length = at.d.norm(), along = n.dot(rate);
      return n.dot(Q) + (length > 0 ? (rate.squaredNorm() - along * along) / length : 0.0);
    }
    case JointBlock::spin:
      return wa.cross(Vector3(at.a.col(term.i))).dot(wb - wa);
    case JointBlock::angle:
      return wa.cross(Vector3(at.a.col(2))).dot(wb - wa);
    case JointBlock::bend:
      return wb.cross(Vector3(at.b.col(0))).dot(wb - wa);
    case JointBlock::surface: {
      const JointSurface::Values& own = at.surfaces[static_cast<std::size_t>(term.i)];
      const Vector3 x_rate = at.a.transpose() * (rate - wa.cross(at.d));
      double sum = x_rate.dot(own.hessian * x_rate);
      for (int i = 0; i < 3; ++i)
        sum += own.gradient[i] * block_bias({JointBlock::slide, i}, at, m);
      return sum;
    }
  }
  return 0;
}

}  // namespace

JointGeometry joint_geometry(const Joint& joint, const BodyState& a, const BodyState& b) {
  JointGeometry at;
  at.a = a.rotation * joint.frame_a.axes;
  at.b = b.rotation * joint.frame_b.axes;
  at.arm_a = a.rotation * joint.frame_a.point;
  at.arm_b = b.rotation * joint.frame_b.point;
  at.d = b.position + at.arm_b - a.position - at.arm_a;
  at.turn = Quaternion(Matrix3(at.a.transpose() * at.b));
  if (at.turn.w() < 0) at.turn.coeffs() *= -1;
  for (std::size_t i = 0; i < joint.surfaces.size(); ++i)
    at.surfaces[i] = joint.surfaces[i].at(at.a.transpose() * at.d);
  return at;
}

double row_value(const JointRow& row, const JointGeometry& at) {
  double sum = -row.constant;
  for (const JointTerm& term : row.terms) sum += term.factor * block_value(term, at);
  return sum;
}

WrenchPair row_wrenches(const JointRow& row, const JointGeometry& at) {
  WrenchPair sum;
  for (const JointTerm& term : row.terms) {
    const WrenchPair part = block_wrenches(term, at);
    sum.a += part.a * term.factor;
    sum.b += part.b * term.factor;
  }
  return sum;
}

double row_bias(const JointRow& row, const JointGeometry& at, const BodyMotion& motion) {
  double sum = 0;
  for (const JointTerm& term : row.terms) sum += term.factor * block_bias(term, at, motion);
  return sum;
}

double unwound(double angle, double near) {
  return near + std::remainder(angle - near, 2 * std::numbers::pi);
}

}  // namespace clack
