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

// factor G_a G_b'.
void add_square(const RigidBodies::Column& a, const RigidBodies::Column& b, double factor,
                MatrixEntries& entries) {
  if (factor == 0) return;
  constexpr int kV = RigidBodies::kV;
  for (std::size_t x = 0; x < static_cast<std::size_t>(a.count); ++x) {
    for (std::size_t y = 0; y < static_cast<std::size_t>(b.count); ++y) {
      for (int i = 0; i < kV; ++i) {
        for (int j = 0; j < kV; ++j) {
          const double value = factor * a.values[x][i] * b.values[y][j];
          if (value != 0) entries.emplace_back(a.at[x] + i, b.at[y] + j, value);
        }
      }
    }
  }
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
  if (has_motors_) out.drives.setZero(nv(), drivers());
  for (const int k : forced_) {
    const int driver = joints_.driver(joints_.coordinates()[static_cast<std::size_t>(k)].joint);
    const CoordinateForce force =
        coordinate_force(k, t, q[first_coordinate() + k], coordinate_rate(k, q, v));
    const Column column = coordinate_column(k, q);
    for (int i = 0; i < column.count; ++i) {
      const auto at = static_cast<std::size_t>(i);
      out.potential.segment<kV>(column.at[at]) += force.potential * column.values[at];
      out.damping.segment<kV>(column.at[at]) += force.damping * column.values[at];
      out.external.segment<kV>(column.at[at]) += force.external * column.values[at];
      if (force.external != 0)
        out.drives.col(driver).segment<kV>(column.at[at]) += force.external * column.values[at];
    }
  }
  add_coupled_forces(q, v, out);
  add_armature_forces(q, v, out);
}

// x' = G'v, T = J x'^2/2: J G G' is a part of M, and -J gamma G what is left of -J x'' G.
void RigidBodies::add_armature_mass(ConstVectorRef q, MatrixEntries& M) const {
  for (const JointArmature& x : armatures_) {
    const Column column = coordinate_column(x.coordinate, q);
    add_square(column, column, x.inertia, M);
  }
}

double RigidBodies::coordinate_bias(int coordinate, ConstVectorRef q, ConstVectorRef v) const {
  const auto state = [&](int i) { return i < 0 ? BodyState() : body(q, v, i); };
  const WorldJoints::Coordinate& own = joints_.coordinates()[static_cast<std::size_t>(coordinate)];
  const Joint& joint = joints_.joints()[static_cast<std::size_t>(own.joint)];
  const BodyState a = state(joint.a), b = state(joint.b);
  return row_bias(own.what.row, joints_.geometry(own.joint, places(q)),
                  {a.v, a.rotation * a.omega, b.v, b.rotation * b.omega});
}

void RigidBodies::add_armature_forces(ConstVectorRef q, ConstVectorRef v, Forces& out) const {
  for (const JointArmature& x : armatures_) {
    const double bias = coordinate_bias(x.coordinate, q, v);
    add_coordinate_force(x.coordinate, q, -x.inertia * bias, out.inertial);
  }
}

double RigidBodies::armature_energy(ConstVectorRef q, ConstVectorRef v) const {
  double sum = 0;
  for (const JointArmature& x : armatures_) {
    const double rate = coordinate_rate(x.coordinate, q, v);
    sum += 0.5 * x.inertia * rate * rate;
  }
  return sum;
}

void RigidBodies::add_coupled_forces(ConstVectorRef q, ConstVectorRef v, Forces& out) const {
  for_spring_matrices([&](const JointSpringMatrix& spring, int first) {
    const auto n = static_cast<int>(spring.rest.size());
    Vector rates(n);
    for (int k = 0; k < n; ++k) rates[k] = coordinate_rate(first + k, q, v);
    const Vector way = q.segment(first_coordinate() + first, n) - spring.rest;
    const Vector pull = -spring.stiffness * way, drag = -spring.damping * rates;
    for (int k = 0; k < n; ++k) {
      add_coordinate_force(first + k, q, pull[k], out.potential);
      add_coordinate_force(first + k, q, drag[k], out.damping);
    }
  });
}

void RigidBodies::add_coupled_entries(ConstVectorRef q, MatrixEntries& K, MatrixEntries& C) const {
  for_spring_matrices([&](const JointSpringMatrix& spring, int first) {
    const auto n = static_cast<int>(spring.rest.size());
    std::vector<Column> columns;
    for (int k = 0; k < n; ++k) columns.push_back(coordinate_column(first + k, q));
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) {
        const Column &a = columns[static_cast<std::size_t>(i)],
                     &b = columns[static_cast<std::size_t>(j)];
        add_square(a, b, spring.stiffness(i, j), K);
        add_square(a, b, spring.damping(i, j), C);
      }
    }
  });
}

double RigidBodies::coupled_energy(ConstVectorRef q) const {
  double sum = 0;
  for_spring_matrices([&](const JointSpringMatrix& spring, int first) {
    sum += spring.energy(q.data() + first_coordinate() + first);
  });
  return sum;
}

// K = -dF/dq and C = -dF/dv of forces that act along a coordinate; that its direction turns with the
// bodies is left out.
void RigidBodies::add_joint_entries(double t, ConstVectorRef q, ConstVectorRef v, MatrixEntries& K,
                                    MatrixEntries& C) const {
  for (const int k : forced_) {
    const CoordinateForce force =
        coordinate_force(k, t, q[first_coordinate() + k], coordinate_rate(k, q, v));
    const Column column = coordinate_column(k, q);
    add_square(column, column, -force.by_x, K);
    add_square(column, column, -force.by_v, C);
  }
  add_coupled_entries(q, K, C);
}

}  // namespace clack
