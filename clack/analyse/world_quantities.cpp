#include "clack/analyse/world_quantities.hpp"

#include <cmath>

#include "clack/model/joints/joint_geometry.hpp"

namespace clack {
namespace {

double state_quantity(const BodyState& s, BodyQuantity quantity) {
  const auto k = static_cast<int>(quantity);
  const Quaternion& q = s.rotation;
  switch (quantity) {
    case BodyQuantity::x:
    case BodyQuantity::y:
    case BodyQuantity::z:
      return s.position[k];
    case BodyQuantity::vx:
    case BodyQuantity::vy:
    case BodyQuantity::vz:
      return s.v[k - static_cast<int>(BodyQuantity::vx)];
    case BodyQuantity::wx:
    case BodyQuantity::wy:
    case BodyQuantity::wz:
      return (q * s.omega)[k - static_cast<int>(BodyQuantity::wx)];
    case BodyQuantity::qw:
      return q.w();
    case BodyQuantity::qx:
      return q.x();
    case BodyQuantity::qy:
      return q.y();
    case BodyQuantity::qz:
      return q.z();
    case BodyQuantity::angle:
      return 2 * std::atan2(std::copysign(1.0, q.w()) * q.z(), std::abs(q.w()));
    default:
      break;
  }
  const int axis = k - static_cast<int>(BodyQuantity::e1x);
  return q.toRotationMatrix()(axis % 3, axis / 3);
}

double resultant_quantity(const ContactResultant& sum, BodyQuantity quantity) {
  const auto k = static_cast<int>(quantity);
  if (quantity >= BodyQuantity::tx) return sum.torque[k - static_cast<int>(BodyQuantity::tx)];
  return sum.force[k - static_cast<int>(BodyQuantity::fx)];
}

double coordinate_value(const BodyReading& reading, const WorldQuantity& wanted) {
  const RigidWorld& world = reading.world();
  std::size_t place = 0;
  for (int j = 0; j < wanted.joint; ++j) {
    const Joint& joint = world.joints[static_cast<std::size_t>(j)];
    place += joint_type(joint.kind).coordinates(joint, world.planar).size();
  }
  return reading.state().coordinates[place + static_cast<std::size_t>(wanted.coordinate)];
}

double coordinate_rate(const BodyReading& reading, const WorldQuantity& wanted) {
  const RigidWorld& world = reading.world();
  const Joint& joint = world.joints[static_cast<std::size_t>(wanted.joint)];
  const JointRow row =
      joint_type(joint.kind)
          .coordinates(joint, world.planar)[static_cast<std::size_t>(wanted.coordinate)]
          .row;
  static const BodyState kGround;
  const auto body = [&](int i) -> const BodyState& {
    return i < 0 ? kGround : reading.state().bodies[static_cast<std::size_t>(i)];
  };
  const BodyState &a = body(joint.a), &b = body(joint.b);
  const WrenchPair on = row_wrenches(row, joint_geometry(joint, a, b));
  return on.a.force.dot(a.v) + on.a.moment.dot(a.rotation * a.omega) + on.b.force.dot(b.v) +
         on.b.moment.dot(b.rotation * b.omega);
}

double joint_quantity(const BodyReading& reading, std::span<const double> works,
                      const WorldQuantity& wanted) {
  if (wanted.coordinate >= 0)
    return wanted.rate ? coordinate_rate(reading, wanted) : coordinate_value(reading, wanted);
  if (!(reading.h() > 0)) return 0;
  const auto joint = static_cast<std::size_t>(wanted.joint);
  const BodyReading::Holding holding = reading.holding(joint);
  const Wrench& reaction = holding.reaction;
  switch (const auto quantity = static_cast<JointQuantity>(wanted.index)) {
    case JointQuantity::power:
      return reading.drive_work(joint) / reading.h();
    case JointQuantity::work:
      return joint < works.size() ? works[joint] : 0;
    case JointQuantity::force:
      return reaction.force.norm();
    case JointQuantity::moment:
      return reaction.moment.norm();
    case JointQuantity::fx:
    case JointQuantity::fy:
    case JointQuantity::fz:
      return reaction.force[static_cast<int>(quantity)];
    default:
      return reaction.moment[static_cast<int>(quantity) - static_cast<int>(JointQuantity::tx)];
  }
}

}  // namespace

ContactResultant compute_resultant(const BodyReading& reading, int body) {
  ContactResultant sum;
  const auto dim = static_cast<std::size_t>(reading.dim());
  for (std::size_t c = 0; c < reading.contacts().size(); ++c) {
    const WorldContact& contact = reading.contacts()[c];
    if (contact.a != body && contact.b != body) continue;
    const bool is_b = contact.b == body;
    const Vector3 force = (is_b ? 1 : -1) / reading.h() *
                          to_world(contact.normal, reading.dim(), reading.r().data() + c * dim);
    const Vector3& arm = is_b ? reading.row(c).arm_b : reading.row(c).arm_a;
    sum.force += force;
    sum.torque += arm.cross(force);
  }
  for (const JointRows::Load& load : reading.joint_loads()) {
    if (load.body != body) continue;
    sum.force += load.wrench.force;
    sum.torque += load.wrench.moment;
  }
  return sum;
}

void compute_quantities(const std::vector<WorldQuantity>& quantities, const BodyReading& reading,
                        const SampleMeasures& sample, VectorRef values,
                        std::span<const double> works) {
  std::vector<double> of_sample;
  ContactResultant resultant;
  int resultant_of = -1;
  for (std::size_t i = 0; i < quantities.size(); ++i) {
    const WorldQuantity& wanted = quantities[i];
    double& value = values[static_cast<int>(i)];
    if (wanted.joint >= 0) {
      value = joint_quantity(reading, works, wanted);
      continue;
    }
    if (wanted.body < 0) {
      if (of_sample.empty()) of_sample = sample.compute(reading);
      value = of_sample[static_cast<std::size_t>(wanted.index)];
      continue;
    }
    const auto quantity = static_cast<BodyQuantity>(wanted.index);
    if (quantity < BodyQuantity::fx) {
      value =
          state_quantity(reading.state().bodies[static_cast<std::size_t>(wanted.body)], quantity);
      continue;
    }
    if (resultant_of != wanted.body) resultant = compute_resultant(reading, wanted.body);
    resultant_of = wanted.body;
    value = resultant_quantity(resultant, quantity);
  }
}

}  // namespace clack
