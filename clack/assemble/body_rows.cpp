#include "clack/assemble/body_rows.hpp"

#include <algorithm>

namespace clack {

void BodyRows::begin_step(const StepView& step, std::span<const int> members) {
  step_.emplace(step);
  members_.assign(members.begin(), members.end());
  places_.clear();
  const auto dim = static_cast<std::size_t>(step.problem.dim);
  known_.resize(members_.size() * dim);
  for (std::size_t m = 0; m < members_.size(); ++m) {
    if (element_of(members_[m]) >= 0) continue;
    const auto c = static_cast<std::size_t>(members_[m]);
    to_local(step.contacts[c].normal, step.problem.dim, step.impulses[c], known_.data() + m * dim);
  }
}

void BodyRows::describe_element(int element, StatedContact& c) {
  Place& place = places_.emplace_back();
  place.element = element;
  ContactSituation& situation = c.situation;
  situation.t = step_->state.t;
  situation.h = step_->h;
  situation.gap = step_->elements->gap(element);
  for (int k = 0; k < situation.rows(); ++k) {
    const auto i = static_cast<std::size_t>(k);
    c.before[i] = step_->elements->impulses(element)[i];
    situation.place[i] = step_->elements->place(element, k);
    step_->elements->visit(element, k, [&](int body, const Wrench& wrench, bool free) {
      if (free) return;
      const Twist& twist = step_->free[static_cast<std::size_t>(body)];
      place.driven[i] += wrench.force.dot(twist.v) + wrench.moment.dot(twist.omega);
    });
  }
  situation.u_start = rates(place, c.contact, step_->start);
}

void BodyRows::describe(const Moments& moments, StatedContact& c) {
  if (const int element = element_of(c.contact); element >= 0) return describe_element(element, c);
  const auto at = static_cast<std::size_t>(c.contact);
  const WorldContact& contact = step_->contacts[at];
  const BodyContact& row = row_of(c.contact);
  Place& place = places_.emplace_back();
  place.axes = bonds_->axes(contact, step_->state);
  const auto driven = [&](int index, int body) {
    return index < 0 ? step_->free[static_cast<std::size_t>(body)] : Twist();
  };
  place.driven = rates(place, c.contact, driven(row.a, contact.a), driven(row.b, contact.b));
  ContactSituation& situation = c.situation;
  situation.t = step_->state.t;
  situation.h = step_->h;
  situation.gap = contact.gap;
  situation.speculative = true;
  if (!world_->planar) situation.material_angle = material_angle(place.axes, contact, step_->state);
  situation.u_start = rates(place, c.contact, step_->start);
  situation.forecast_gap = contact.gap + step_->h * situation.u_start[0];
  for (std::size_t k = 0; k < kContactRows; ++k)
    c.before[k] = place.axes[k].direction.dot(step_->impulses[at]);
  std::copy_n(moments.begin(), situation.turns, c.before.begin() + 1 + situation.tangents);
}

ContactValues BodyRows::rates(const Place& place, int contact,
                              const LargeArray<Twist>& twists) const {
  if (place.element >= 0) {
    ContactValues u{};
    const auto& laws = step_->elements;
    for (int k = 0; k < kElementRows; ++k) {
      laws->visit(place.element, k, [&](int body, const Wrench& wrench, bool) {
        const Twist& twist = twists[static_cast<std::size_t>(body)];
        u[static_cast<std::size_t>(k)] +=
            wrench.force.dot(twist.v) + wrench.moment.dot(twist.omega);
      });
    }
    return u;
  }
  const WorldContact& of = step_->contacts[static_cast<std::size_t>(contact)];
  return rates(place, contact, twists[static_cast<std::size_t>(of.a)],
               twists[static_cast<std::size_t>(of.b)]);
}

ContactValues BodyRows::rates(const Place& place, int contact, const Twist& a,
                              const Twist& b) const {
  const BodyContact& row = row_of(contact);
  const double drift = step_->contacts[static_cast<std::size_t>(contact)].drift;
  const Vector3 point = b.at(row.arm_b) - a.at(row.arm_a) + drift * Vector3::UnitX();
  const Vector3 turn = b.omega - a.omega;
  ContactValues u{};
  for (std::size_t k = 0; k < kContactRows; ++k)
    u[k] = place.axes[k].direction.dot(point) + place.axes[k].turn.dot(turn);
  return u;
}

// Whether a law states Signorini and Coulomb on the rows as they are.
bool BodyRows::is_plain(const Place& place, const StatedContact& c) const {
  if (place.element >= 0) return false;
  const LawStatement& statement = c.statement;
  if (statement.count != 1 || statement.unilateral != 0) return false;
  const LawBlock& block = statement.blocks[0];
  const int tangents = c.situation.tangents, dim = 1 + tangents;
  if (block.free || (block.dim != 1 && block.dim != dim)) return false;
  if (block.dim == dim && (block.disc_count != 1 || block.disc_dim[0] != tangents)) return false;
  for (int k = 0; k < block.dim; ++k) {
    const auto i = static_cast<std::size_t>(k);
    if (block.compliance[i] != 0) return false;
    for (int j = 0; j < c.situation.rows(); ++j) {
      if (block.map[i][static_cast<std::size_t>(j)] != (j == k ? 1 : 0)) return false;
    }
  }
  const Matrix3 frame = contact_frame(row_of(c.contact).normal, dim);
  for (int k = 0; k < dim; ++k) {
    if (frame.row(k).transpose() != place.axes[static_cast<std::size_t>(k)].direction) return false;
  }
  return true;
}

void BodyRows::use_start_velocities() {
  for (std::size_t i = 0; i < problem_.bodies.size(); ++i) {
    if (!world_->bodies[i].is_free()) continue;
    problem_.bodies[i].v_free = step_->start[i].v;
    problem_.bodies[i].omega_free = step_->start[i].omega;
  }
}

void BodyRows::apply_shift(const Place& place, const StatedContact& c) {
  if (place.element >= 0) return;  // their laws have none
  Vector3 impulse = Vector3::Zero(), moment = Vector3::Zero();
  for (std::size_t k = 0; k < kContactRows; ++k) {
    impulse += c.shift(k) * place.axes[k].direction;
    moment += c.shift(k) * place.axes[k].turn;
  }
  if (impulse.isZero(0) && moment.isZero(0)) return;
  const BodyContact& row = row_of(c.contact);
  const auto push = [&](int index, const Vector3& arm, double sign) {
    if (index < 0) return;
    RigidBody& body = problem_.bodies[static_cast<std::size_t>(index)];
    body.v_free += sign * body.inverse_mass * impulse;
    body.omega_free += sign * (body.inverse_inertia_matrix() * (arm.cross(impulse) + moment));
  };
  push(row.a, row.arm_a, -1);
  push(row.b, row.arm_b, 1);
}

void BodyRows::build(std::span<const StatedContact> stated, bool impacts) {
  problem_.dim = step_->problem.dim;
  problem_.bodies = step_->problem.bodies;
  problem_.contacts.clear();
  if (impacts) use_start_velocities();
  plain_ = (sweeps_ || stated.empty()) && step_->joints.empty();
  for (std::size_t i = 0; i < stated.size(); ++i) {
    plain_ = plain_ && is_plain(places_[i], stated[i]);
    apply_shift(places_[i], stated[i]);
  }
  blocks_.clear();
  y.clear();
  begin.clear();
  owners.clear();
  member_begin_.clear();
  for (std::size_t m = 0; m < members_.size(); ++m) {
    member_begin_.push_back(y.size());
    const std::size_t i = begin.size();
    if (i == stated.size() || stated[i].contact != members_[m]) {
      add_neighbour(m);
      continue;
    }
    begin.push_back(y.size());
    if (plain_)
      add_contact(places_[i], stated[i]);
    else
      add_blocks(places_[i], stated[i]);
  }
  add_joints();
  x.resize(y.size());
  is_reduced_ = false;
}

void BodyRows::add_joints() {
  joint_begin_ = y.size();
  if (step_->joints.empty()) return;
  blocks_.insert(blocks_.end(), step_->joints.begin(), step_->joints.end());
  owners.resize(owners.size() + step_->joints.size(), {-1, nullptr});
  y.insert(y.end(), step_->joint_multipliers->begin(), step_->joint_multipliers->end());
}

void BodyRows::add_neighbour(std::size_t member) {
  const BodyContact& row = row_of(members_[member]);
  const auto dim = static_cast<std::size_t>(problem_.dim);
  if (plain_)
    problem_.contacts.push_back(row);
  else
    blocks_.push_back(plain_block(row, problem_.dim));
  owners.push_back({members_[member], nullptr});
  const double* known = known_.data() + member * dim;
  y.insert(y.end(), known, known + dim);
}

// With `dim` values of y, also where the law states the normal row alone.
void BodyRows::add_contact(const Place& place, const StatedContact& c) {
  const LawBlock& block = c.statement.blocks[0];
  problem_.contacts.push_back(row_of(c.contact));
  BodyContact& row = problem_.contacts.back();
  for (int k = 0; k < problem_.dim; ++k) {
    const auto i = static_cast<std::size_t>(k);
    row.offset[k] = place.driven[i] + (k < block.dim ? block.offset[i] : 0.0);
    y.push_back(k < block.dim ? c.y[i] : 0.0);
  }
  row.mu = block.disc_count > 0 ? block.radius[0] : 0.0;
  owners.push_back({c.contact, c.law});
}

void BodyRows::add_element(const Place& place, const StatedContact& c) {
  for (int b = 0; b < c.statement.count; ++b) {
    const LawBlock& own = c.statement.blocks[static_cast<std::size_t>(b)];
    BodyBlock& block = blocks_.emplace_back();
    block.cone = own.cone();
    block.compliance = own.compliance;
    for_element_rows(place.element, own, [&](int, double, int body, const Wrench&, bool free) {
      if (free) block.rows_of(body).setZero();
    });
    for (std::size_t i = 0; i < static_cast<std::size_t>(own.dim); ++i) {
      block.offset[i] = own.offset[i];
      for (std::size_t j = 0; j < kContactRows; ++j)
        block.offset[i] += own.map[i][j] * place.driven[j];
    }
    for_element_rows(place.element, own,
                     [&](int i, double factor, int body, const Wrench& wrench, bool free) {
                       if (!free) return;
                       auto row = block.rows_of(body).row(i);
                       row.head<3>() += factor * wrench.force;
                       row.tail<3>() += factor * wrench.moment;
                     });
    double others = 0;
    for (int k = 1; k < own.dim; ++k) others = std::max(others, mobility(bodies(), block, k));
    const double scale = standing_scale(own, others);
    if (scale != 1) {
      block.offset[0] *= scale;
      block.compliance[0] = others;
    }
    owners.push_back({c.contact, c.law});
  }
  y.insert(y.end(), c.y.begin(), c.y.end());
}

// Calls visit(row of the block, factor, body, wrench, free).
template <class Visit>
void BodyRows::for_element_rows(int element, const LawBlock& block, Visit&& visit) const {
  for (int i = 0; i < block.dim; ++i) {
    for (int k = 0; k < kElementRows; ++k) {
      const double factor = block.map[static_cast<std::size_t>(i)][static_cast<std::size_t>(k)];
      if (factor == 0) continue;
      step_->elements->visit(element, k, [&](int body, const Wrench& wrench, bool free) {
        visit(i, factor, body, wrench, free);
      });
    }
  }
}

void BodyRows::add_blocks(const Place& place, const StatedContact& c) {
  if (place.element >= 0) return add_element(place, c);
  const BodyContact& row = row_of(c.contact);
  for (int b = 0; b < c.statement.count; ++b) {
    const LawBlock& own = c.statement.blocks[static_cast<std::size_t>(b)];
    BodyBlock& block = blocks_.emplace_back(make_block(row, own.cone()));
    block.compliance = own.compliance;
    for (std::size_t i = 0; i < static_cast<std::size_t>(own.dim); ++i) {
      Vector3 direction = Vector3::Zero(), turn = Vector3::Zero();
      block.offset[i] = own.offset[i];
      for (std::size_t j = 0; j < kContactRows; ++j) {
        direction += own.map[i][j] * place.axes[j].direction;
        turn += own.map[i][j] * place.axes[j].turn;
        block.offset[i] += own.map[i][j] * place.driven[j];
      }
      set_row(row, static_cast<int>(i), direction, turn, block);
    }
    double others = 0;
    for (int k = 1; k < own.dim; ++k) others = std::max(others, mobility(bodies(), block, k));
    const double scale = standing_scale(own, others);
    if (scale != 1) {
      block.offset[0] *= scale;
      block.compliance[0] = others;
    }
    owners.push_back({c.contact, c.law});
  }
  y.insert(y.end(), c.y.begin(), c.y.end());
}

std::vector<BodyBlock> BodyRows::blocks() const {
  if (!plain_) return blocks_;
  std::vector<BodyBlock> all;
  for (const BodyContact& row : problem_.contacts) all.push_back(plain_block(row, problem_.dim));
  return all;
}

ReducedProblem BodyRows::view() {
  constexpr std::size_t kDense = 120;  // rows
  if (!is_reduced_) {
    is_dense_ = !step_->joints.empty() && y.size() <= kDense;
    if (is_dense_)
      reduce_dense();
    else
      reduced_ = plain_ ? assemble_reduced(problem_) : assemble_reduced(bodies(), blocks_);
  }
  is_reduced_ = true;
  if (is_dense_) return {&dense_operator_, dense_free_.data(), dense_cones_, dense_offset_};
  return reduced_.view();
}

void BodyRows::reduce_dense() {
  assemble_dense(bodies(), blocks_, dense_W_, dense_free_);
  dense_operator_ = DenseDelassus(dense_W_.data(), static_cast<int>(dense_W_.rows()));
  dense_cones_.clear();
  dense_offset_.assign(1, 0);
  std::vector<BlockOwner> own;
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    const Cone& cone = blocks_[b].cone;
    const int parts = cone.is_free() ? cone.dim() : 1;
    for (int k = 0; k < parts; ++k) {
      dense_cones_.push_back(cone.is_free() ? Cone::free(1) : cone);
      dense_offset_.push_back(dense_offset_.back() + dense_cones_.back().dim());
      own.push_back(owners[b]);
    }
  }
  owners = std::move(own);
}

Residual BodyRows::residual() {
  if (plain_) return compute_residual(problem_, y.data(), x.data());
  return LawRows::residual();
}

void BodyRows::set_velocities(std::span<StatedContact> stated) {
  static_assert(sizeof(Twist) == 6 * sizeof(double));
  auto* const v = reinterpret_cast<double*>(step_->end.data());
  if (plain_)
    compute_velocity(problem_, y.data(), v);
  else
    compute_velocity(bodies(), blocks_, y.data(), v);
  if (!step_->joints.empty())
    step_->joint_multipliers->assign(y.begin() + static_cast<std::ptrdiff_t>(joint_begin_),
                                     y.end());
  const auto dim = static_cast<std::size_t>(problem_.dim);
  std::size_t i = 0;
  for (std::size_t m = 0; m < members_.size(); ++m) {
    if (element_of(members_[m]) >= 0) {
      stated[i].situation.u = rates(places_[i], members_[m], step_->end);
      ++i;
      continue;
    }
    Vector3& impulse = step_->impulses[static_cast<std::size_t>(members_[m])];
    if (i == stated.size() || stated[i].contact != members_[m]) {
      const double* own = y.data() + member_begin_[m];
      std::copy_n(own, dim, known_.data() + m * dim);
      impulse = to_world(row_of(members_[m]).normal, problem_.dim, own);
      continue;
    }
    ContactSituation& situation = stated[i].situation;
    const Place& place = places_[i++];
    situation.u = rates(place, members_[m], step_->end);
    impulse.setZero();
    for (std::size_t k = 0; k < dim; ++k) impulse += situation.r[k] * place.axes[k].direction;
  }
}

BodyRows::Works BodyRows::works(std::size_t index, const StatedContact& c) const {
  const Place& place = places_[index];
  const ContactValues u = rates(place, c.contact, step_->start),
                      v = rates(place, c.contact, step_->end);
  Works works;
  Vector3 moment = Vector3::Zero(), turning = Vector3::Zero();
  for (std::size_t k = 0; k < kContactRows; ++k) {
    const double mean = 0.5 * (u[k] + v[k]);
    works.bond += c.bond[k] * v[k];  // with which positions go
    works.numerical += c.bond[k] * (mean - v[k]);
    (k == 0 ? works.normal : works.tangential) += (c.situation.r[k] - c.bond[k]) * mean;
    moment += c.situation.r[k] * place.axes[k].turn;
  }
  const BodyContact& row = row_of(c.contact);
  const WorldContact& contact = step_->contacts[static_cast<std::size_t>(c.contact)];
  if (row.b < 0) turning += step_->free[static_cast<std::size_t>(contact.b)].omega;
  if (row.a < 0) turning -= step_->free[static_cast<std::size_t>(contact.a)].omega;
  works.driven = moment.dot(turning);
  return works;
}

}  // namespace clack
