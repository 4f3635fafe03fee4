// The coordinates of joints, and what acts on them.
#include "clack/model/bodies/rigid_bodies.hpp"

namespace clack {
namespace {

BodyState placed(ConstVectorRef q, int i) {
  const double* p = q.data() + RigidBodies::kQ * i;
  BodyState s;
  s.position = Vector3(p[0], p[1], p[2]);
  s.rotation = Quaternion(p[3], p[4], p[5], p[6]);
  return s;
}

auto places(ConstVectorRef q) {
  return [q](int i) { return placed(q, i); };
}

// Force and moment of a wrench on the velocities of a body.
Eigen::Matrix<double, 6, 1> on_velocities(const Wrench& wrench, const Quaternion& rotation) {
  Eigen::Matrix<double, 6, 1> values;
  values << wrench.force, rotation.conjugate() * wrench.moment;
  return values;
}

}  // namespace

// Angles stay near those that are there.
void RigidBodies::update_coordinates(VectorRef q) const {
  joints_.update(places(q), q.data() + first_coordinate());
}

RigidBodies::Column RigidBodies::coordinate_column(int coordinate, ConstVectorRef q) const {
  const WorldJoints::Coordinate& x = joints_.coordinates()[static_cast<std::size_t>(coordinate)];
  const Joint& joint = joints_.joints()[static_cast<std::size_t>(x.joint)];
  const WrenchPair pair = row_wrenches(x.what.row, joints_.geometry(x.joint, places(q)));
  Column column;
  const auto add = [&](int body, const Wrench& wrench) {
    if (body < 0 || !world_->bodies[static_cast<std::size_t>(body)].is_free()) return;
    const auto k = static_cast<std::size_t>(column.count++);
    column.at[k] = kV * body;
    column.values[k] = on_velocities(wrench, placed(q, body).rotation);
  };
  add(joint.a, pair.a);
  add(joint.b, pair.b);
  return column;
}

// Of bodies that move as they are told too.
double RigidBodies::coordinate_rate(int coordinate, ConstVectorRef q, ConstVectorRef v) const {
  const WorldJoints::Coordinate& x = joints_.coordinates()[static_cast<std::size_t>(coordinate)];
  const Joint& joint = joints_.joints()[static_cast<std::size_t>(x.joint)];
  const WrenchPair pair = row_wrenches(x.what.row, joints_.geometry(x.joint, places(q)));
  const auto rate = [&](int body, const Wrench& wrench) {
    if (body < 0) return 0.0;
    return on_velocities(wrench, placed(q, body).rotation).dot(v.segment<kV>(kV * body));
  };
  return rate(joint.a, pair.a) + rate(joint.b, pair.b);
}

void RigidBodies::add_coordinate_force(int coordinate, ConstVectorRef q, double force,
                                       VectorRef out) const {
  const Column column = coordinate_column(coordinate, q);
  for (int k = 0; k < column.count; ++k) {
    const auto i = static_cast<std::size_t>(k);
    out.segment<kV>(column.at[i]) += force * column.values[i];
  }
}

RigidBodies::CoordinateForce RigidBodies::coordinate_force(int coordinate, double t, double x,
                                                           double v) const {
  const int number = joints_.coordinates()[static_cast<std::size_t>(coordinate)].joint;
  const Joint& joint = joints_.joints()[static_cast<std::size_t>(number)];
  const int own = coordinate - joints_.coordinate(number, 0);
  CoordinateForce sum;
  for (const JointSpring& spring : joint.springs) {
    if (spring.coordinate != own) continue;
    sum.potential -= spring.stiffness * (x - spring.rest);
    sum.damping -= spring.damping * v;
    sum.by_x -= spring.stiffness;
    sum.by_v -= spring.damping;
    sum.energy += 0.5 * spring.stiffness * (x - spring.rest) * (x - spring.rest);
  }
  for (const JointMotor& motor : joint.motors) {
    if (motor.coordinate != own) continue;
    const JointFunction::Values force = joints_.motor_force(motor, coordinate, t, x, v);
    sum.external += force.value;
    sum.by_x += force.by_x;
    sum.by_v += force.by_v;
  }
  return sum;
}

void RigidBodies::add_joint_forces(double t, ConstVectorRef q, ConstVectorRef v,
                                   Forces& out) const {
  for (const int k : forced_) {
    const CoordinateForce force =
        coordinate_force(k, t, q[first_coordinate() + k], coordinate_rate(k, q, v));
    const Column column = coordinate_column(k, q);
    for (int i = 0; i < column.count; ++i) {
      const auto at = static_cast<std::size_t>(i);
      out.potential.segment<kV>(column.at[at]) += force.potential * column.values[at];
      out.damping.segment<kV>(column.at[at]) += force.damping * column.values[at];
      out.external.segment<kV>(column.at[at]) += force.external * column.values[at];
    }
  }
}

// K = -dF/dq and C = -dF/dv of forces that act along a coordinate; that its direction turns with the
// bodies is left out.
void RigidBodies::add_joint_entries(double t, ConstVectorRef q, ConstVectorRef v, MatrixEntries& K,
                                    MatrixEntries& C) const {
  const auto add = [](const Column& column, double factor, MatrixEntries& entries) {
    if (factor == 0) return;
    for (std::size_t a = 0; a < static_cast<std::size_t>(column.count); ++a) {
      for (std::size_t b = 0; b < static_cast<std::size_t>(column.count); ++b) {
        for (int i = 0; i < kV; ++i) {
          for (int j = 0; j < kV; ++j) {
            const double value = factor * column.values[a][i] * column.values[b][j];
            if (value != 0) entries.emplace_back(column.at[a] + i, column.at[b] + j, value);
          }
        }
      }
    }
  };
  for (const int k : forced_) {
    const CoordinateForce force =
        coordinate_force(k, t, q[first_coordinate() + k], coordinate_rate(k, q, v));
    const Column column = coordinate_column(k, q);
    add(column, -force.by_x, K);
    add(column, -force.by_v, C);
  }
}

}  // namespace clack
