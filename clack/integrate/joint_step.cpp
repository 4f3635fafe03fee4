#include "clack/integrate/joint_step.hpp"

#include <algorithm>
#include <cmath>

namespace clack {
namespace {

constexpr int kDense = 60;  // rows up to which a dense factor is faster

bool is_projected(const Contact& contact, const JointRows::Row& row) {
  // The second: a rope. Rotors take part in the metric (eq:armature).
  return contact.bilateral || row.part == JointRows::Part::constraint ||
         row.part == JointRows::Part::armature;
}

}  // namespace

JointStep::JointStep(const RigidBodies& bodies) : rows_(bodies, true) {
  const std::vector<Contact>& contacts = rows_.contacts();
  std::vector<char> is_member(bodies.world().bodies.size(), 0);
  for (const Joint& joint : rows_.joints().joints()) {
    has_motors_ = has_motors_ || !joint.motors.empty();
    for (const int body : {joint.a, joint.b}) {
      if (body >= 0 && bodies.world().bodies[static_cast<std::size_t>(body)].is_free())
        is_member[static_cast<std::size_t>(body)] = 1;
    }
  }
  for (std::size_t i = 0; i < is_member.size(); ++i) {
    member_of_.push_back(is_member[i] ? static_cast<int>(members_.size()) : -1);
    if (is_member[i]) members_.push_back(static_cast<int>(i));
  }
  by_member_.resize(members_.size());
  for (int c = 0; c < static_cast<int>(contacts.size()); ++c) {
    const Contact& contact = contacts[static_cast<std::size_t>(c)];
    if (is_projected(contact, rows_.row(c))) projected_.push_back(c);
    if (contact.law.own) elements_.push_back(c);
  }
  impulses_.assign(static_cast<std::size_t>(rows_.row_begin().back()), 0);
  gap_ = lambda_ = Vector::Zero(static_cast<int>(projected_.size()));
}

void JointStep::add_loads(double t, const WorldState& start, const LargeArray<Twist>& twists,
                          std::vector<BodyLoad>& loads) {
  const WorldJoints& joints = rows_.joints();
  motor_loads_.clear();
  for (std::size_t j = 0; j < joints.joints().size(); ++j) {
    const Joint& joint = joints.joints()[j];
    for (const JointMotor& motor : joint.motors) {
      const auto k =
          static_cast<std::size_t>(joints.coordinate(static_cast<int>(j), motor.coordinate));
      const JointGeometry at = joints.geometry(
          static_cast<int>(j), [&](int i) { return start.bodies[static_cast<std::size_t>(i)]; });
      const WrenchPair pair = row_wrenches(joints.coordinates()[k].what.row, at);
      const auto rate = [&](int body, const Wrench& wrench) {
        if (body < 0) return 0.0;
        const Twist& twist = twists[static_cast<std::size_t>(body)];
        return wrench.force.dot(twist.v) + wrench.moment.dot(twist.omega);
      };
      const double force = joints
                               .motor_force(motor, static_cast<int>(k), t, start.coordinates[k],
                                            rate(joint.a, pair.a) + rate(joint.b, pair.b))
                               .value;
      const auto push = [&](int body, const Wrench& wrench) {
        if (body < 0) return;
        BodyLoad own{};
        for (std::size_t i = 0; i < 6; ++i) {
          const auto axis = static_cast<int>(i);
          own[i] = force * (axis < 3 ? wrench.force[axis] : wrench.moment[axis - 3]);
          loads[static_cast<std::size_t>(body)][i] += own[i];
        }
        motor_loads_.push_back({joints.driver(static_cast<int>(j)), body, own});
      };
      push(joint.a, pair.a);
      push(joint.b, pair.b);
    }
  }
}

void JointStep::begin(const WorldState& start, double h, const LargeArray<Twist>& begin,
                      const LargeArray<Twist>& free, const LargeArray<RigidBody>& bodies) {
  bodies_ = &bodies;
  t_end_ = start.t + h;
  factorised_ = false;
  rows_.update([&](int i) { return start.bodies[static_cast<std::size_t>(i)]; },
               start.coordinates.data());
  const std::size_t n = rows_.contacts().size(), rows = impulses_.size();
  entries_.clear();
  element_rates_.assign(rows, 0);
  spring_energy_at_start_ = spring_energy(start);
  armature_energy_at_start_ = armature_energy(start);
  place_start_.assign(rows, 0);
  begin_.assign(1, 0);
  u_start_.assign(rows, 0);
  driven_.assign(rows, 0);
  by_time_.resize(n);
  gap_start_.resize(n);
  for (std::size_t c = 0; c < n; ++c) {
    const int contact = static_cast<int>(c);
    by_time_[c] = rows_.rate_by_time(contact, start.t);
    gap_start_[c] = rows_.gap(contact, start.t);
    for (int k = 0; k < rows_.contacts()[c].dim(); ++k) {
      const std::size_t row = row_of(c) + static_cast<std::size_t>(k);
      if (rows_.contacts()[c].law.own) place_start_[row] = rows_.place(contact, k);
      // A rotor's law has gamma in place of it: x'' = G'v' + gamma.
      if (rows_.row(contact).part == JointRows::Part::armature)
        place_start_[row] = rows_.bias(contact, k, start.t,
                                       [&](int i) { return begin[static_cast<std::size_t>(i)]; });
      for (const BodyWrench& x : rows_.wrenches(contact, k)) {
        const auto i = static_cast<std::size_t>(x.body);
        const bool is_free = bodies[i].inverse_mass > 0;
        const auto rate = [&](const Twist& twist) {
          return x.wrench.force.dot(twist.v) + x.wrench.moment.dot(twist.omega);
        };
        u_start_[row] += rate(begin[i]);
        if (!is_free) driven_[row] += rate(free[i]);
        entries_.push_back({x.body, x.wrench, is_free});
      }
      begin_.push_back(entries_.size());
    }
  }
  rotation_.clear();
  for (const int i : members_)
    rotation_.push_back(start.bodies[static_cast<std::size_t>(i)].rotation);

  // Constraints of one joint make one cone.
  blocks_.clear();
  first_row_.clear();
  const std::vector<Contact>& contacts = rows_.contacts();
  for (std::size_t c = 0, end = 0; c < n; c = end) {
    end = c + 1;
    if (contacts[c].law.own) continue;
    const JointRows::Row& row = rows_.row(static_cast<int>(c));
    const auto goes_on = [&](std::size_t k) {
      const JointRows::Row& next = rows_.row(static_cast<int>(k));
      return contacts[k].bilateral && next.joint == row.joint &&
             (next.part == JointRows::Part::coupler) == (row.part == JointRows::Part::coupler);
    };
    while (contacts[c].bilateral && end < n && end - c < Cone::kMaxDim && goes_on(end)) ++end;
    const int count = static_cast<int>(end - c);
    add_block(contacts[c].bilateral ? Cone::free(count) : Cone::nonnegative(), static_cast<int>(c),
              count);
  }
  std::size_t size = 0;
  for (const BodyBlock& block : blocks_) size += static_cast<std::size_t>(block.dim());
  if (multipliers_.size() != size) multipliers_.assign(size, 0);

  // Of a limit with restitution that is reached within the step: u+ + e_n u- >= 0.
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    BodyBlock& block = blocks_[b];
    for (int k = 0; k < block.dim(); ++k) {
      const auto c = static_cast<std::size_t>(first_row_[b] + k);
      double& offset = block.offset[static_cast<std::size_t>(k)];
      const double u_start = u_start_[row_of(c)], driven = driven_[row_of(c)];
      if (contacts[c].bilateral) {
        offset = u_start + driven + 2 * by_time_[c];
        continue;
      }
      const double e_n = contacts[c].law.e_n;
      const bool strikes = e_n > 0 && gap_start_[c] + h * u_start <= 0;
      offset = driven + (strikes ? e_n * u_start : std::max(gap_start_[c], 0.0) / h);
    }
  }
}

void JointStep::add_block(const Cone& cone, int first, int count) {
  BodyBlock& block = blocks_.emplace_back();
  block.cone = cone;
  first_row_.push_back(first);
  for (int k = 0; k < count; ++k) {
    for (const RowEntry& x : entries(first + k, 0)) {
      if (x.free) block.rows_of(x.body);
    }
  }
  for (int k = 0; k < count; ++k) set_row(first + k, k, block);
}

void JointStep::set_row(int contact, int k, BodyBlock& block) const {
  block.for_bodies([&](int, BodyBlock::Rows& rows) { rows.row(k).setZero(); });
  for (const RowEntry& x : entries(contact, 0)) {
    if (!x.free) continue;
    auto row = block.rows_of(x.body).row(k);
    row.head<3>() = x.wrench.force;
    row.tail<3>() = x.wrench.moment;
  }
}

// --- positions -----------------------------------------------------------------------------------

// Of a slack rope there is none.
double JointStep::update_gaps(const WorldState& state) {
  coordinates_ = state.coordinates;
  const auto body = [&](int i) { return state.bodies[static_cast<std::size_t>(i)]; };
  rows_.joints().update(body, coordinates_.data());
  rows_.update(body, coordinates_.data());
  for (std::size_t i = 0; i < projected_.size(); ++i) {
    const int c = projected_[i];
    const double gap = rows_.gap(c, t_end_);
    if (rows_.row(c).part == JointRows::Part::armature) {
      gap_[static_cast<int>(i)] = 0;
      continue;
    }
    gap_[static_cast<int>(i)] =
        rows_.contacts()[static_cast<std::size_t>(c)].bilateral ? gap : std::min(gap, 0.0);
  }
  return gap_.size() > 0 ? gap_.cwiseAbs().maxCoeff() : 0.0;
}

// G'M^-1 G at the start of the step.
void JointStep::factorise() {
  const int n = static_cast<int>(projected_.size());
  for (std::vector<RowOfMember>& list : by_member_) list.clear();
  for (int i = 0; i < n; ++i) {
    const std::size_t row =
        row_of(static_cast<std::size_t>(projected_[static_cast<std::size_t>(i)]));
    for (std::size_t e = begin_[row]; e < begin_[row + 1]; ++e) {
      if (!entries_[e].free) continue;
      const int member = member_of_[static_cast<std::size_t>(entries_[e].body)];
      by_member_[static_cast<std::size_t>(member)].push_back({i, static_cast<int>(e)});
    }
  }
  const bool dense = n <= kDense;
  MatrixEntries entries;
  if (dense) S_.setZero(n, n);
  for (std::size_t k = 0; k < members_.size(); ++k) {
    const RigidBody& body = (*bodies_)[static_cast<std::size_t>(members_[k])];
    const Matrix3 inertia = body.inverse_inertia_matrix();
    for (const RowOfMember& x : by_member_[k]) {
      const Wrench& own = entries_[static_cast<std::size_t>(x.entry)].wrench;
      const Vector3 push = body.inverse_mass * own.force, turn = inertia * own.moment;
      for (const RowOfMember& y : by_member_[k]) {
        const Wrench& other = entries_[static_cast<std::size_t>(y.entry)].wrench;
        const double value = push.dot(other.force) + turn.dot(other.moment);
        if (dense)
          S_(y.row, x.row) += value;
        else
          entries.emplace_back(y.row, x.row, value);
      }
    }
  }
  if (dense) {
    for (int i = 0; i < n; ++i)
      S_(i, i) += armature_compliance(projected_[static_cast<std::size_t>(i)]);
    factorised_ = factor_.compute(S_);
    return;
  }
  SparseMatrix S(n, n);
  S.setFromTriplets(entries.begin(), entries.end());
  for (int i = 0; i < n; ++i)
    S.coeffRef(i, i) += armature_compliance(projected_[static_cast<std::size_t>(i)]);
  factorised_ = factor_.compute(S);
}

// 1/J on the diagonal: with (M + G_x J G_x')^-1 in place of M^-1.
double JointStep::armature_compliance(int contact) const {
  const JointRows::Row& row = rows_.row(contact);
  if (row.part != JointRows::Part::armature) return 0;
  const Joint& joint = rows_.joints().joints()[static_cast<std::size_t>(row.joint)];
  return 1 / joint.armatures[static_cast<std::size_t>(row.index)].inertia;
}

double JointStep::energy(const RigidWorld& world, const WorldState& state) const {
  double sum = 0;
  for (const int i : members_) {
    const Body& body = world.bodies[static_cast<std::size_t>(i)];
    const BodyState& s = state.bodies[static_cast<std::size_t>(i)];
    sum += body.kinetic_energy(s) - body.mass * world.gravity.dot(s.position);
  }
  return sum;
}

// By impulses lambda/h where the step started.
void JointStep::displace(const Vector& lambda, double h, WorldState& state) const {
  pushes_.assign(members_.size(), {});
  for (std::size_t i = 0; i < projected_.size(); ++i) {
    for (const RowEntry& x : entries(projected_[i], 0)) {
      if (!x.free) continue;
      const int member = member_of_[static_cast<std::size_t>(x.body)];
      pushes_[static_cast<std::size_t>(member)] += x.wrench * lambda[static_cast<int>(i)];
    }
  }
  for (std::size_t k = 0; k < members_.size(); ++k) {
    const auto i = static_cast<std::size_t>(members_[k]);
    const RigidBody& body = (*bodies_)[i];
    BodyState& s = state.bodies[i];
    const Vector3 way = body.inverse_mass * pushes_[k].force;
    const Vector3 turned =
        rotation_[k].conjugate() * (body.inverse_inertia_matrix() * pushes_[k].moment);
    s.position += way;
    if (!turned.isZero(0)) s.rotation = (s.rotation * rotation_of(turned)).normalized();
    s.v += way / h;
    s.omega += turned / h;
  }
}

double JointStep::project(const RigidWorld& world, double h, WorldState& state) {
  constexpr int kMostPasses = 50;
  constexpr double kRoundOff = 4e-16;
  // What the velocity problem has given.
  take_multipliers(impulses_);
  double length = 1;
  for (const int i : members_)
    length =
        std::max(length, state.bodies[static_cast<std::size_t>(i)].position.cwiseAbs().maxCoeff());
  const double before = energy(world, state);
  double worst = update_gaps(state);
  if (worst > kRoundOff * length) {
    factorise();
    for (int pass = 0; factorised_ && pass < kMostPasses && worst > kRoundOff * length; ++pass) {
      factor_.solve(-gap_, lambda_);
      displace(lambda_, h, state);
      for (std::size_t i = 0; i < projected_.size(); ++i)
        impulses_[row_of(static_cast<std::size_t>(projected_[i]))] +=
            lambda_[static_cast<int>(i)] / h;
      const double left = update_gaps(state);
      if (!(left < 0.5 * worst) && pass > 2) break;  // round-off
      worst = left;
    }
  }
  rows_.joints().update([&](int i) { return state.bodies[static_cast<std::size_t>(i)]; },
                        state.coordinates.data());
  return energy(world, state) - before;
}

void JointStep::visit(int element, int k, const Visit& visit) const {
  const int contact = elements_[static_cast<std::size_t>(element)];
  if (k >= rows_.contacts()[static_cast<std::size_t>(contact)].dim()) return;
  for (const RowEntry& x : entries(contact, k)) visit(x.body, x.wrench, x.free);
}

double JointStep::place(int element, int k) const {
  const int contact = elements_[static_cast<std::size_t>(element)];
  return place_start_[row_of(static_cast<std::size_t>(contact)) + static_cast<std::size_t>(k)];
}

double JointStep::gap(int element) const {
  return gap_start_[static_cast<std::size_t>(elements_[static_cast<std::size_t>(element)])];
}

const double* JointStep::impulses(int element) const {
  return impulses_.data() +
         row_of(static_cast<std::size_t>(elements_[static_cast<std::size_t>(element)]));
}

void JointStep::set_result(int element, const double* r, const double* u) {
  const auto c = static_cast<std::size_t>(elements_[static_cast<std::size_t>(element)]);
  const auto row = static_cast<std::ptrdiff_t>(row_of(c));
  std::copy_n(r, rows_.contacts()[c].dim(), impulses_.begin() + row);
  std::copy_n(u, rows_.contacts()[c].dim(), element_rates_.begin() + row);
}

void JointStep::reaction(int element, std::array<double, 6>& reaction) const {
  reaction_r_ = impulses_;
  take_multipliers(reaction_r_);
  const int contact = elements_[static_cast<std::size_t>(element)];
  const Wrench own = rows_.reaction(rows_.row(contact).joint, reaction_r_, true);
  std::copy_n(own.force.data(), 3, reaction.data());
  std::copy_n(own.moment.data(), 3, reaction.data() + 3);
}

void JointStep::take_multipliers(std::vector<double>& impulses) const {
  for (std::size_t b = 0, at = 0; b < blocks_.size(); ++b) {
    for (int k = 0; k < blocks_[b].dim(); ++k)
      impulses[row_of(static_cast<std::size_t>(first_row_[b] + k))] = multipliers_[at++];
  }
}

double JointStep::spring_energy(const WorldState& state) const {
  double sum = 0;
  for (const int contact : elements_) {
    const JointRows::Row& row = rows_.row(contact);
    const WorldJoints& joints = rows_.joints();
    const Joint& joint = joints.joints()[static_cast<std::size_t>(row.joint)];
    if (row.part == JointRows::Part::spring_matrix) {
      const double* own = state.coordinates.data() + joints.coordinate(row.joint, 0);
      sum += joint.spring_matrices[static_cast<std::size_t>(row.index)].energy(own);
    }
    if (row.part != JointRows::Part::spring) continue;
    const JointSpring& spring = joint.springs[static_cast<std::size_t>(row.index)];
    const double x = state.coordinates[static_cast<std::size_t>(
                         joints.coordinate(row.joint, spring.coordinate))] -
                     spring.rest;
    sum += 0.5 * spring.stiffness * x * x;
  }
  return sum;
}

double JointStep::armature_energy(const WorldState& state) const {
  double sum = 0;
  const WorldJoints& joints = rows_.joints();
  for (std::size_t j = 0; j < joints.joints().size(); ++j) {
    for (const JointArmature& armature : joints.joints()[j].armatures) {
      const double rate =
          joints.rate(joints.coordinate(static_cast<int>(j), armature.coordinate),
                      [&](int i) { return state.bodies[static_cast<std::size_t>(i)]; });
      sum += 0.5 * armature.inertia * rate * rate;
    }
  }
  return sum;
}

void JointStep::audit(const LargeArray<Twist>& mean, double h, const WorldState& state,
                      EnergyAudit& energy) {
  drive_work_.assign(rows_.joints().drivers().size(), 0);
  const auto rate = [&](int contact, int k) {
    double own = 0;
    for (const RowEntry& x : entries(contact, k)) {
      const Twist& twist = mean[static_cast<std::size_t>(x.body)];
      if (x.free) own += x.wrench.force.dot(twist.v) + x.wrench.moment.dot(twist.omega);
    }
    return own;
  };
  for (std::size_t b = 0, at = 0; b < blocks_.size(); ++b) {
    for (int k = 0; k < blocks_[b].dim(); ++k, ++at) {
      const int contact = first_row_[b] + k;
      book(contact, 0, multipliers_[at], rate(contact, 0), energy);
    }
  }
  for (const int contact : elements_) {
    for (int k = 0; k < rows_.contacts()[static_cast<std::size_t>(contact)].dim(); ++k)
      book(contact, k,
           impulses_[row_of(static_cast<std::size_t>(contact)) + static_cast<std::size_t>(k)],
           rate(contact, k), energy);
  }
  const double stored = spring_energy(state);
  energy.potential += stored;
  energy.numerical += stored - spring_energy_at_start_;
  const double kinetic = armature_energy(state);
  energy.kinetic += kinetic;
  energy.numerical += kinetic - armature_energy_at_start_;
  for (const int contact : elements_) {
    const double lost = -h * damping_power(contact);
    energy.work_damping += lost;
    energy.numerical -= lost;
  }
}

// At the rates of the end of the step [W].
double JointStep::damping_power(int contact) const {
  const JointRows::Row& row = rows_.row(contact);
  const auto index = static_cast<std::size_t>(row.index);
  const Joint& joint = rows_.joints().joints()[static_cast<std::size_t>(row.joint)];
  const double* rates = element_rates_.data() + row_of(static_cast<std::size_t>(contact));
  if (row.part == JointRows::Part::spring)
    return joint.springs[index].damping * rates[0] * rates[0];
  if (row.part != JointRows::Part::spring_matrix) return 0;
  const JointSpringMatrix& spring = joint.spring_matrices[index];
  const Eigen::Map<const Vector> u(rates, spring.rest.size());
  return u.dot(spring.damping * u);
}

// They are in the loads of bodies, whose work is external.
void JointStep::audit_motors(const MotionOf& mean, double h) {
  for (const MotorLoad& x : motor_loads_) {
    const Twist motion = mean(x.body);
    const Vector3 force(x.load[0], x.load[1], x.load[2]), torque(x.load[3], x.load[4], x.load[5]);
    drive_work_[static_cast<std::size_t>(x.driver)] +=
        h * (force.dot(motion.v) + torque.dot(motion.omega));
  }
}

// `rate`: of the bodies that are free.
void JointStep::book(int contact, int k, double r, double rate, EnergyAudit& energy) {
  const auto c = static_cast<std::size_t>(contact);
  const Contact& own = rows_.contacts()[c];
  if (own.booking == Booking::spring) {
    energy.numerical += r * rate;  // what it stores and loses is taken off
  } else if (own.booking == Booking::drive) {
    energy.work_external += r * rate;
    if (own.driver >= 0) drive_work_[static_cast<std::size_t>(own.driver)] += r * rate;
  } else if (own.bilateral) {
    energy.work_contact += r * rate;
  } else {
    const double driven = driven_[row_of(c) + static_cast<std::size_t>(k)];
    (own.booking == Booking::friction ? energy.work_friction : energy.work_impact) +=
        r * (rate + driven);
    energy.work_contact -= r * driven;
  }
}

}  // namespace clack
