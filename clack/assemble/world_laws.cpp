#include "clack/assemble/world_laws.hpp"

#include <algorithm>
#include <cmath>

#include "clack/core/error.hpp"
#include "clack/model/laws/law_list.hpp"

namespace clack {

WorldLaws::WorldLaws(const RigidWorld& world, const LawTable& laws)
    : world_(&world), laws_(&laws), bonds_(world, laws) {
  const auto note = [&](const Law& law) {
    empty_ = false;
    stages_ = std::max(stages_, law.stages());
    iterate_ = iterate_ || law.iterates();
    const std::string fault = law.fault(tangents(), turns());
    if (!fault.empty()) throw InputError("law '" + std::string(law.name()) + "' " + fault);
    std::vector<double>& memory = initial_memory_[&law];
    memory.clear();
    for (const LawVariable& variable : law.variables(tangents(), turns()))
      memory.push_back(variable.initial);
  };
  for (const MaterialPair& pair : world.pairs) {
    if (!pair.law) continue;
    note(*pair.law);
    if (pair.law->is_bond()) {
      unbonded_[pair.law.get()] = pair.law->unbonded();
      if (unbonded_[pair.law.get()]) note(*unbonded_[pair.law.get()]);
      continue;
    }
    ContactSituation situation;
    situation.tangents = tangents();
    situation.turns = turns();
    situation.memory = initial_memory_[pair.law.get()];
    const double reach = pair.law->reach(situation);
    if (std::isfinite(reach)) margin_ = std::max(margin_, reach);
  }
  for (const Link& link : world.links) note(*link.law);
}

const Law* WorldLaws::law_of(int a, int b, std::uint64_t feature) const {
  if (feature >= kTieFeature) return bonds_[feature - kTieFeature].law.get();
  const Law* law = pair_law(a, b);
  return law && law->is_bond() ? unbonded_.at(law).get() : law;
}

const Law* WorldLaws::pair_law(int a, int b) const { return (*laws_)(a, b).law.get(); }

// In space N, T1, T2, S, R1, R2; in the plane N, T, R. The frame of a bond turns with its first
// body, so that a tangential jump that is remembered keeps its meaning.
void WorldLaws::set_axes(Slot& slot, const WorldState& state) const {
  const WorldContact& contact = contacts_[slot.contact];
  Matrix3 frame = contact_frame(contact.normal, world_->planar ? 2 : 3);
  if (slot.bond >= 0 && !world_->planar) {
    const Link& link = bonds_[static_cast<std::size_t>(slot.bond)];
    if (!link.axial) {
      const Matrix3 R = state.bodies[static_cast<std::size_t>(link.a)].rotation.toRotationMatrix();
      frame = contact_frame(link.normal, 3) * R.transpose();
    }
  }
  slot.axes = {};
  if (world_->planar) {
    slot.axes[0].direction = frame.row(0);
    slot.axes[1].direction = frame.row(1);
    slot.axes[2].turn = Vector3::UnitZ();
    return;
  }
  for (std::size_t k = 0; k < 3; ++k) {
    slot.axes[k].direction = frame.row(static_cast<int>(k));
    slot.axes[k + 3].turn = frame.row(static_cast<int>(k));
  }
  const Matrix3 R = state.bodies[static_cast<std::size_t>(contact.a)].rotation.toRotationMatrix();
  const Vector3 axis = R.col(0);  // of the material of the first body
  slot.situation.material_angle =
      std::atan2(axis.dot(slot.axes[2].direction), axis.dot(slot.axes[1].direction));
}

ContactValues WorldLaws::rates(const Slot& slot, const LargeArray<Twist>& twists) const {
  const WorldContact& contact = contacts_[slot.contact];
  return rates(slot, twists[static_cast<std::size_t>(contact.a)],
               twists[static_cast<std::size_t>(contact.b)]);
}

ContactValues WorldLaws::rates(const Slot& slot, const Twist& a, const Twist& b) const {
  const WorldContact& contact = contacts_[slot.contact];
  const BodyContact& row = rows_->contacts[slot.contact];
  const Vector3 point = b.at(row.arm_b) - a.at(row.arm_a) + contact.drift * Vector3::UnitX();
  const Vector3 turn = b.omega - a.omega;
  ContactValues u{};
  for (int k = 0; k < slot.situation.rows(); ++k) {
    const auto i = static_cast<std::size_t>(k);
    u[i] = slot.axes[i].direction.dot(point) + slot.axes[i].turn.dot(turn);
  }
  return u;
}

void WorldLaws::begin_step(const WorldState& state, const LargeArray<Twist>& start,
                           const LargeArray<Twist>& free_motion, double h, const BodyProblem& rows,
                           std::vector<std::size_t> members, const std::vector<int>& source,
                           const Vector3* impulses) {
  rows_ = &rows;
  members_ = std::move(members);
  start_ = &start;
  impulses_ = impulses;
  const std::size_t n = members_.size(), dim = static_cast<std::size_t>(rows.dim);
  plain_y_.resize(n * dim);
  slot_of_.assign(contacts_.size(), -1);
  std::vector<Slot> slots;
  slots.reserve(n);  // they are large: none is moved
  for (std::size_t m = 0; m < n; ++m) {
    const std::size_t c = members_[m];
    const WorldContact& contact = contacts_[c];
    to_local(contact.normal, rows.dim, impulses[c], plain_y_.data() + m * dim);
    const Law* law = law_of(contact.a, contact.b, contact.feature);
    if (!law) continue;
    slot_of_[c] = static_cast<int>(slots.size());
    Slot& slot = slots.emplace_back();
    slot.contact = c;
    slot.member = m;
    slot.law = law;
    if (contact.feature >= kTieFeature) {
      slot.bond = static_cast<int>(contact.feature - kTieFeature);
      slot.situation.area = bonds_[static_cast<std::size_t>(slot.bond)].area;
      double length = 0;
      slot.joint = rigid_link(*law, length) != RigidLink::none;
    }
    slot.memory = initial_memory_.at(slot.law);
    const auto old = static_cast<std::size_t>(source[c]);
    if (source[c] >= 0 && old < kept_.size() && kept_[old].size() == slot.memory.size())
      slot.memory = kept_[old];
    if (source[c] >= 0 && old < moments_.size()) slot.before = moments_[old];
    ContactSituation& situation = slot.situation;
    situation.tangents = tangents();
    situation.turns = turns();
    situation.t = state.t;
    situation.h = h;
    situation.end_weight = 1;
    situation.gap = contact.gap;
    situation.speculative = true;
    set_axes(slot, state);
    situation.u_start = rates(slot, start);
    situation.forecast_gap = contact.gap + h * situation.u_start[0];
    situation.closed = situation.forecast_gap <= 0;
    situation.u = situation.u_start;
    // What bodies that do not move freely do at the contact.
    const auto driven = [&](int row, int body) {
      return row < 0 ? free_motion[static_cast<std::size_t>(body)] : Twist();
    };
    slot.driven =
        rates(slot, driven(rows.contacts[c].a, contact.a), driven(rows.contacts[c].b, contact.b));
  }
  slots_ = std::move(slots);
  for (Slot& slot : slots_) slot.situation.memory = slot.memory;
}

// Contacts of which every law states Signorini and Coulomb on the rows as they are keep the sweeps.
bool WorldLaws::state_plain(const Slot& slot, BodyContact& row) const {
  const LawStatement& statement = slot.statement;
  if (statement.count != 1 || statement.unilateral != 0) return false;
  const LawBlock& block = statement.blocks[0];
  const int dim = 1 + tangents();
  if (block.free || (block.dim != 1 && block.dim != dim)) return false;
  if (block.dim == dim && (block.disc_count != 1 || block.disc_dim[0] != tangents())) return false;
  for (int k = 0; k < block.dim; ++k) {
    const auto i = static_cast<std::size_t>(k);
    if (block.compliance[i] != 0) return false;
    for (int j = 0; j < slot.situation.rows(); ++j) {
      if (block.map[i][static_cast<std::size_t>(j)] != (j == k ? 1 : 0)) return false;
    }
  }
  const Matrix3 frame = contact_frame(row.normal, world_->planar ? 2 : 3);
  for (int k = 0; k < dim; ++k) {
    const auto i = static_cast<std::size_t>(k);
    if (frame.row(k).transpose() != slot.axes[i].direction) return false;
    row.offset[k] = slot.driven[i] + (k < block.dim ? block.offset[i] : 0.0);
  }
  row.mu = block.disc_count > 0 ? block.radius[0] : 0.0;
  return true;
}

void WorldLaws::apply_shifts(LargeArray<RigidBody>& bodies) const {
  for (const Slot& slot : slots_) {
    Vector3 impulse = Vector3::Zero(), moment = Vector3::Zero();
    for (int k = 0; k < slot.situation.rows(); ++k) {
      const auto i = static_cast<std::size_t>(k);
      const double shift = slot.statement.shift[i] + slot.statement.carried[i];
      impulse += shift * slot.axes[i].direction;
      moment += shift * slot.axes[i].turn;
    }
    if (impulse.isZero(0) && moment.isZero(0)) continue;
    const BodyContact& row = rows_->contacts[slot.contact];
    const auto push = [&](int index, const Vector3& arm, double sign) {
      if (index < 0) return;
      RigidBody& body = bodies[static_cast<std::size_t>(index)];
      body.v_free += sign * body.inverse_mass * impulse;
      body.omega_free += sign * (body.inverse_inertia_matrix() * (arm.cross(impulse) + moment));
    };
    push(row.a, row.arm_a, -1);
    push(row.b, row.arm_b, 1);
  }
}

void WorldLaws::state(int stage, int pass) {
  for (Slot& slot : slots_) {
    slot.situation.stage = stage;
    slot.situation.pass = pass;
    slot.statement.clear();
    slot.law->prepare(slot.situation, slot.statement);
    if (stage > 0 || pass > 0) {
      slot.statement.take_over(slot.solved, slot.y);
      continue;
    }
    ContactValues before{};
    for (std::size_t k = 0; k < kContactRows; ++k)
      before[k] = slot.axes[k].direction.dot(impulses_[slot.contact]);
    std::copy_n(slot.before.begin(), turns(), before.begin() + 1 + tangents());
    slot.statement.guess(before, slot.y);
  }
  plain_problem_.dim = rows_->dim;
  plain_problem_.bodies = rows_->bodies;
  plain_problem_.contacts.resize(members_.size());
  for (std::size_t m = 0; m < members_.size(); ++m)
    plain_problem_.contacts[m] = rows_->contacts[members_[m]];
  if (stage < stages_ - 1) use_start_velocities(plain_problem_.bodies);
  plain_ = true;
  for (const Slot& slot : slots_) {
    plain_ = plain_ && state_plain(slot, plain_problem_.contacts[slot.member]);
  }
  apply_shifts(plain_problem_.bodies);
  if (!plain_) return state_blocks();
  y_ = plain_y_;
  const auto dim = static_cast<std::size_t>(rows_->dim);
  for (const Slot& slot : slots_) {
    if (slot.y.size() == dim)
      std::copy(slot.y.begin(), slot.y.end(),
                y_.begin() + static_cast<std::ptrdiff_t>(slot.member * dim));
  }
}

// Stages before the last are of impacts alone.
void WorldLaws::use_start_velocities(LargeArray<RigidBody>& bodies) const {
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    if (!world_->bodies[i].is_free()) continue;
    bodies[i].v_free = (*start_)[i].v;
    bodies[i].omega_free = (*start_)[i].omega;
  }
}

// W_ii of a row, without its compliance.
double WorldLaws::mobility(const BodyBlock& block, std::size_t row) const {
  double sum = 0;
  const auto add = [&](int index, const Vector3& arm) {
    if (index < 0) return;
    const RigidBody& body = rows_->bodies[static_cast<std::size_t>(index)];
    const Vector3 turn = arm.cross(block.direction[row]) + block.turn[row];
    sum += body.inverse_mass * block.direction[row].squaredNorm() +
           turn.dot(body.inverse_inertia_matrix() * turn);
  };
  add(block.a, block.arm_a);
  add(block.b, block.arm_b);
  return sum;
}

// A row that belongs to no motion says c (y - s) = 0 for whatever c > 0: that of its block's other
// rows makes it count as much as they do.
void WorldLaws::scale_standing_row(BodyBlock& block) const {
  if (!block.direction[0].isZero(0) || !block.turn[0].isZero(0)) return;
  double others = 0;
  for (int k = 1; k < block.dim(); ++k)
    others = std::max(others, mobility(block, static_cast<std::size_t>(k)));
  if (!(others > 0) || !(block.compliance[0] > 0)) return;
  block.offset[0] *= others / block.compliance[0];
  block.compliance[0] = others;
}

void WorldLaws::add_plain_block(std::size_t m) {
  const auto dim = static_cast<std::size_t>(rows_->dim);
  block_problem_.blocks.push_back(plain_block(rows_->contacts[members_[m]], rows_->dim));
  for (std::size_t k = 0; k < dim; ++k) y_.push_back(plain_y_[m * dim + k]);
}

void WorldLaws::add_blocks(const Slot& slot) {
  const BodyContact& row = rows_->contacts[slot.contact];
  const std::size_t first = y_.size();
  for (int b = 0; b < slot.statement.count; ++b) {
    const LawBlock& own = slot.statement.blocks[static_cast<std::size_t>(b)];
    BodyBlock block;
    block.a = row.a;
    block.b = row.b;
    block.arm_a = row.arm_a;
    block.arm_b = row.arm_b;
    block.cone = own.cone();
    for (int k = 0; k < own.dim; ++k) {
      const auto i = static_cast<std::size_t>(k);
      block.direction[i] = block.turn[i] = Vector3::Zero();
      block.offset[i] = own.offset[i];
      block.compliance[i] = own.compliance[i];
      for (int j = 0; j < slot.situation.rows(); ++j) {
        const auto at = static_cast<std::size_t>(j);
        block.direction[i] += own.map[i][at] * slot.axes[at].direction;
        block.turn[i] += own.map[i][at] * slot.axes[at].turn;
        block.offset[i] += own.map[i][at] * slot.driven[at];
      }
      y_.push_back(0);
    }
    scale_standing_row(block);
    block_problem_.blocks.push_back(block);
  }
  if (slot.y.size() == y_.size() - first)
    std::copy(slot.y.begin(), slot.y.end(), y_.begin() + static_cast<std::ptrdiff_t>(first));
}

void WorldLaws::state_blocks() {
  block_problem_.bodies = plain_problem_.bodies;
  block_problem_.blocks.clear();
  y_.clear();
  block_begin_.assign(1, 0);
  for (std::size_t m = 0; m < members_.size(); ++m) {
    const int slot = slot_of_[members_[m]];
    if (slot < 0)
      add_plain_block(m);
    else
      add_blocks(slots_[static_cast<std::size_t>(slot)]);
    block_begin_.push_back(static_cast<int>(y_.size()));
  }
}

void WorldLaws::take_solution(LargeArray<Twist>& twists, Vector3* impulses) {
  const auto dim = static_cast<std::size_t>(rows_->dim);
  static_assert(sizeof(Twist) == 6 * sizeof(double));
  auto* const v = reinterpret_cast<double*>(twists.data());
  if (plain_)
    compute_velocity(plain_problem_, y_.data(), v);
  else
    compute_velocity(block_problem_, y_.data(), v);
  for (std::size_t m = 0; m < members_.size(); ++m) {
    const std::size_t c = members_[m];
    const std::size_t begin = plain_ ? m * dim : static_cast<std::size_t>(block_begin_[m]);
    const std::size_t end = plain_ ? begin + dim : static_cast<std::size_t>(block_begin_[m + 1]);
    if (slot_of_[c] < 0) {
      std::copy_n(y_.data() + begin, dim, plain_y_.data() + m * dim);
      impulses[c] = to_world(rows_->contacts[c].normal, rows_->dim, y_.data() + begin);
      continue;
    }
    Slot& slot = slots_[static_cast<std::size_t>(slot_of_[c])];
    slot.y.assign(y_.begin() + static_cast<std::ptrdiff_t>(begin),
                  y_.begin() + static_cast<std::ptrdiff_t>(end));
    slot.solved = slot.statement;
    ContactSituation& situation = slot.situation;
    situation.r = slot.bond_part = slot.statement.shift;
    for (std::size_t j = 0; j < kContactRows; ++j) situation.r[j] += slot.statement.carried[j];
    std::size_t next = 0;
    for (int b = 0; b < slot.statement.count; ++b) {
      const LawBlock& block = slot.statement.blocks[static_cast<std::size_t>(b)];
      for (int k = 0; k < block.dim; ++k, ++next) {
        for (std::size_t j = 0; j < kContactRows; ++j) {
          const double part = block.map[static_cast<std::size_t>(k)][j] * slot.y[next];
          situation.r[j] += part;
          if (block.bond) slot.bond_part[j] += part;
        }
      }
    }
    situation.u = rates(slot, twists);
    impulses[c].setZero();
    for (std::size_t k = 0; k < dim; ++k) impulses[c] += situation.r[k] * slot.axes[k].direction;
  }
}

std::vector<BlockOwner> WorldLaws::owners() const {
  std::vector<BlockOwner> owners;
  for (const std::size_t c : members_) {
    const Slot* slot = slot_of_[c] < 0 ? nullptr : &slots_[static_cast<std::size_t>(slot_of_[c])];
    const int blocks = plain_ || !slot ? 1 : slot->statement.count;
    owners.insert(owners.end(), static_cast<std::size_t>(blocks),
                  {static_cast<int>(c), slot ? slot->law : nullptr});
  }
  return owners;
}

void WorldLaws::velocities(std::vector<double>& values) const {
  values.clear();
  for (const Slot& slot : slots_) {
    if (!slot.law->iterates()) continue;
    const auto u = slot.situation.u.begin();
    values.insert(values.end(), u, u + 1 + tangents());
  }
}

void WorldLaws::end_stage() {
  for (Slot& slot : slots_) {
    for (std::size_t k = 0; k < kContactRows; ++k)
      slot.situation.r_stage[k] = slot.situation.r[k] - slot.bond_part[k];
  }
}

void WorldLaws::update() {
  kept_.assign(contacts_.size(), {});
  moments_.assign(contacts_.size(), {});
  broken_.clear();
  for (Slot& slot : slots_) {
    const std::vector<double> start = slot.memory;
    slot.situation.memory = start;
    slot.law->update(slot.situation, slot.memory);
    slot.situation.memory = slot.memory;
    if (slot.bond >= 0 && slot.law->reach(slot.situation) == -Law::kNever) {
      const auto bond = static_cast<std::size_t>(slot.bond);
      if (bonds_.holds(bond)) broken_.push_back(slot.contact);
      bonds_.set_holds(bond, false);
    }
    kept_[slot.contact] = slot.memory;
    std::copy_n(slot.situation.r.begin() + 1 + tangents(), turns(), moments_[slot.contact].begin());
  }
}

WorldLaws::Works WorldLaws::works(std::size_t contact, const LargeArray<Twist>& start,
                                  const LargeArray<Twist>& end) const {
  const Slot& slot = slots_[static_cast<std::size_t>(slot_of_[contact])];
  const ContactValues u = rates(slot, start), v = rates(slot, end);
  Works works;
  for (std::size_t k = 0; k < kContactRows; ++k) {
    const double mean = 0.5 * (u[k] + v[k]);
    const double moves = slot.joint ? mean : v[k];  // with which positions go
    works.bond += slot.bond_part[k] * moves;
    works.numerical += slot.bond_part[k] * (mean - moves);
    (k == 0 ? works.normal : works.tangential) += (slot.situation.r[k] - slot.bond_part[k]) * mean;
  }
  return works;
}

double WorldLaws::driven_turning(std::size_t contact, const LargeArray<Twist>& motion) const {
  const Slot& slot = slots_[static_cast<std::size_t>(slot_of_[contact])];
  const BodyContact& row = rows_->contacts[contact];
  Vector3 moment = Vector3::Zero(), turning = Vector3::Zero();
  for (std::size_t k = 0; k < kContactRows; ++k) moment += slot.situation.r[k] * slot.axes[k].turn;
  if (row.b < 0) turning += motion[static_cast<std::size_t>(contacts_[contact].b)].omega;
  if (row.a < 0) turning -= motion[static_cast<std::size_t>(contacts_[contact].a)].omega;
  return moment.dot(turning);
}

std::span<const double> WorldLaws::memory(std::size_t contact) const {
  if (slot_of_[contact] < 0) return {};
  return slots_[static_cast<std::size_t>(slot_of_[contact])].memory;
}

std::vector<LawVariable> WorldLaws::variables(const Identity& contact) const {
  const Law* law = law_of(contact.a, contact.b, contact.feature);
  return law ? law->variables(tangents(), turns()) : std::vector<LawVariable>();
}

// A bond that stands among the contacts holds as its memory says; one that does not holds no more.
void WorldLaws::restore(const std::vector<Identity>& contacts,
                        std::vector<std::vector<double>> memories, std::vector<Moments> moments) {
  kept_ = std::move(memories);
  moments_ = std::move(moments);
  std::vector<char> holds(bonds_.size(), 0);
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    if (contacts[c].feature < kTieFeature) continue;
    const std::size_t index = contacts[c].feature - kTieFeature;
    if (index >= bonds_.size())
      throw InputError("the checkpoint has bonds that this world has not");
    ContactSituation situation;
    situation.tangents = tangents();
    situation.turns = turns();
    situation.memory = kept_[c];
    holds[index] = bonds_[index].law->reach(situation) != -Law::kNever;
  }
  for (std::size_t i = 0; i < bonds_.size(); ++i) bonds_.set_holds(i, holds[i]);
}

}  // namespace clack
