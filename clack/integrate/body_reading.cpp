#include "clack/integrate/body_reading.hpp"

#include <algorithm>
#include <cmath>

#include "clack/collide/joint_contacts.hpp"
#include "clack/integrate/tree_reactions.hpp"
#include "clack/model/bodies/articulated_bodies.hpp"
#include "clack/model/shapes/extent.hpp"

namespace clack {
namespace {

BodyContact row_of(const WorldContact& contact, const WorldState& start, double mu) {
  const ContactArms arms = contact_arms(contact, start);
  BodyContact row;
  row.a = contact.a;
  row.b = contact.b;
  row.normal = contact.normal;
  row.arm_a = arms.a;
  row.arm_b = arms.b;
  row.mu = mu;
  return row;
}

void set_twists(const WorldState& state, LargeArray<Twist>& twists) {
  twists.clear();
  for (const BodyState& s : state.bodies) twists.push_back({s.v, s.rotation * s.omega});
}

}  // namespace

void BodyReading::Data::clear() {
  contacts.clear();
  rows.clear();
  for (std::vector<double>* list : {&r, &u, &u_start, &gap_end, &joint_impulses}) list->clear();
  sources.clear();
  broken.clear();
  tree_reactions.clear();
}

BodyReading::BodyReading(const Simulation& simulation) { read(simulation); }

void BodyReading::read(const Simulation& simulation) {
  bodies_ = simulation.system().bodies();
  articulated_ = simulation.system().articulated();
  direct_ = body_step(simulation);
  if (direct_) return;
  const Step& step = simulation.last_step();
  if (!data_ || data_.use_count() > 1) data_ = std::make_shared<Data>();
  Data& data = *data_;
  data.clear();
  data.world = &bodies_->world();
  data.h = step.h;
  data.energy = step.energy;
  to_world(simulation.system(), step.start.t, step.start.q, step.start.v, data.start);
  to_world(simulation.system(), step.end.t, step.end.q, step.end.v, data.state);
  set_twists(data.start, data.before);
  set_twists(data.state, data.after);
  if (simulation.steps() > 0) read_contacts(step);
  if (has_joints(*bodies_)) read_joints(step);
  step_ = articulated_ && simulation.steps() > 0 ? &step : nullptr;
}

void BodyReading::read_contacts(const Step& step) {
  Data& data = *data_;
  const auto dim = static_cast<std::size_t>(data.world->dimension());
  const std::vector<Contact>& list = step.contacts.list();
  const std::vector<int>& source = step.contacts.change().source;
  for (std::size_t c = 0; c < list.size(); ++c) {
    const Contact& contact = list[c];
    if (contact.identity.source > 0) break;  // joints, and contacts that formulas state
    const int begin = step.contacts.row_begin()[c];
    ContactPlace place;
    if (!step.contacts.place(static_cast<int>(c), place)) continue;
    WorldContact found{};
    found.a = contact.identity.a;
    found.b = contact.identity.b;
    found.feature = contact.identity.feature;
    found.position = place.point;
    found.normal = place.normal;
    found.image = place.image;
    found.drift = place.drift;
    found.gap = step.start.gap[static_cast<int>(c)];
    const double mu = contact.law.mu.is_constant() ? contact.law.mu.at(0) : 0.0;
    data.rows.push_back(row_of(found, data.start, mu));
    const auto rows = static_cast<std::size_t>(contact.dim() - contact.turns);
    for (std::size_t k = 0; k < dim; ++k)
      data.r.push_back(k < rows ? step.r[begin + static_cast<int>(k)] : 0.0);
    double u[3] = {}, u_start[3] = {};
    to_local(found.normal, static_cast<int>(dim), velocity_of(found, data.rows.back(), data.after),
             u);
    to_local(found.normal, static_cast<int>(dim), velocity_of(found, data.rows.back(), data.before),
             u_start);
    data.u.insert(data.u.end(), u, u + dim);
    data.u_start.insert(data.u_start.end(), u_start, u_start + dim);
    data.gap_end.push_back(step.end.gap[static_cast<int>(c)]);
    data.sources.push_back(c < source.size() ? source[c] : -1);
    if (found.feature >= kTieFeature &&
        step.problem.laws.reach(static_cast<int>(c)) == -Law::kNever)
      data.broken.push_back(data.contacts.size());
    data.contacts.push_back(found);
  }
}

void BodyReading::read_joints(const Step& step) {
  Data& data = *data_;
  const BodyTree* tree = articulated_ ? &articulated_->tree() : nullptr;
  if (!data.joints || &data.joints->joints() != &bodies_->joints())
    data.joints = std::make_shared<JointRows>(*bodies_, false, tree);
  data.joints->update([&](int i) { return data.state.bodies[static_cast<std::size_t>(i)]; },
                      data.state.coordinates.data());
  data.drive_work.assign(step.drive_work.begin(), step.drive_work.end());
  const std::vector<Contact>& list = step.contacts.list();
  for (std::size_t c = 0; c < list.size(); ++c) {
    if (list[c].identity.source != 1) continue;  // that of joints
    for (int k = 0; k < list[c].dim(); ++k)
      data.joint_impulses.push_back(step.r[step.contacts.row_begin()[c] + k]);
  }
}

Vector3 BodyReading::impulse(std::size_t c) const {
  if (direct_) return direct_->impulses()[c];
  return to_world(data_->contacts[c].normal, dim(),
                  data_->r.data() + c * static_cast<std::size_t>(dim()));
}

std::array<double, 3> BodyReading::start_velocity(std::size_t c) const {
  if (direct_) return direct_->start_velocity(c);
  std::array<double, 3> u{};
  std::copy_n(data_->u_start.data() + c * static_cast<std::size_t>(dim()), dim(), u.data());
  return u;
}

// The world's own step moves positions with the velocities of its end.
double BodyReading::gap_at_end(std::size_t c) const {
  if (!direct_) return data_->gap_end[c];
  return contacts()[c].gap + h() * u()[c * static_cast<std::size_t>(dim())];
}

int BodyReading::link_of(std::size_t c) const {
  const std::uint64_t feature = contacts()[c].feature;
  if (feature < kTieFeature) return -1;
  if (direct_) return direct_->link_of(c);
  const std::size_t link = feature - kTieFeature;
  return link < world().links.size() ? static_cast<int>(link) : -1;
}

int BodyReading::joint_of(std::size_t index) const {
  const std::size_t own = world().joints.size();
  return index < own ? static_cast<int>(index)
                     : bodies_->joints().joint_of_link(static_cast<int>(index - own));
}

double BodyReading::holding_error(std::size_t index) const {
  const int joint = joint_of(index);
  if (joint < 0) return direct_ ? direct_->link_drift(index - world().joints.size()) : 0.0;
  const JointStep* step = direct_ ? direct_->joints() : nullptr;
  return (step ? step->rows() : *data_->joints).error(joint, time());
}

BodyReading::Holding BodyReading::holding(std::size_t index) const {
  Holding result;
  result.error = holding_error(index);
  const int joint = joint_of(index);
  if (joint < 0) return result;
  if (articulated_ && articulated_->tree().holds(joint)) {
    if (!step_) return result;
    if (data_->tree_reactions.empty())
      data_->tree_reactions =
          tree_reactions(*articulated_, *step_, *data_->joints, data_->joint_impulses);
    result.reaction = data_->tree_reactions[static_cast<std::size_t>(joint)];
    return result;
  }
  const JointStep* step = direct_ ? direct_->joints() : nullptr;
  const JointRows& rows = step ? step->rows() : *data_->joints;
  result.reaction =
      rows.reaction(joint, step ? step->impulses() : data_->joint_impulses, false) * (1 / h());
  return result;
}

double BodyReading::drive_work(std::size_t index) const {
  const int joint = joint_of(index);
  const int driver = joint < 0 ? -1 : bodies_->joints().driver(joint);
  if (driver < 0) return 0;
  const std::vector<double>& works = direct_ ? direct_->joints()->drive_work() : data_->drive_work;
  return works.empty() ? 0.0 : works[static_cast<std::size_t>(driver)];
}

std::vector<JointRows::Load> BodyReading::joint_loads() const {
  const JointStep* step = direct_ ? direct_->joints() : nullptr;
  if (!step && !(data_ && data_->joints)) return {};
  std::vector<JointRows::Load> all =
      step ? step->rows().loads(step->impulses()) : data_->joints->loads(data_->joint_impulses);
  for (JointRows::Load& load : all) load.wrench = load.wrench * (1 / h());
  return all;
}

std::size_t holding_count(const RigidWorld& world) {
  return world.joints.size() + world.links.size();
}

const std::string& holding_name(const RigidWorld& world, std::size_t index) {
  const std::size_t own = world.joints.size();
  return index < own ? world.joints[index].name : world.links[index - own].name;
}

double holding_size(const RigidWorld& world, std::size_t index) {
  const auto size = [&](int body) {
    return body < 0 ? 0.0 : half_extent(*world.bodies[static_cast<std::size_t>(body)].shape);
  };
  const std::size_t own = world.joints.size();
  if (index < own) return smaller_size(size(world.joints[index].a), size(world.joints[index].b));
  return smaller_size(size(world.links[index - own].a), size(world.links[index - own].b));
}

ContactStatus contact_status(const BodyReading& reading, std::size_t c) {
  if (reading.link_of(c) >= 0) return ContactStatus::bilateral;
  const auto dim = static_cast<std::size_t>(reading.dim());
  const double* r = reading.r().data() + c * dim;
  if (!(r[0] > 0))
    return reading.gap_at_end(c) > 0 ? ContactStatus::open : ContactStatus::separating;
  const double mu = reading.row(c).mu;
  double tangential = 0;
  for (std::size_t k = 1; k < dim; ++k) tangential += r[k] * r[k];
  constexpr double kRoundOff = 1e-12;
  return std::sqrt(tangential) >= mu * r[0] * (1 - kRoundOff) ? ContactStatus::sliding
                                                              : ContactStatus::sticking;
}

}  // namespace clack
