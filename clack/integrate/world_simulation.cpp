#include "clack/integrate/world_simulation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "clack/core/error.hpp"
#include "clack/core/prefetch.hpp"
#include "clack/integrate/law_passes.hpp"
#include "clack/integrate/stage_sequence.hpp"

namespace clack {
namespace {

constexpr std::size_t kAhead = 16;  // contacts whose bodies are asked for

// Distance of the farthest point of a shape from the body's origin.
double bounding_radius(const Shape& shape) {
  if (!shape.bounds().is_bounded()) return 0;
  return shape.bounds().lower.cwiseAbs().cwiseMax(shape.bounds().upper.cwiseAbs()).norm();
}

struct PathPose {
  Vector3 position;
  Quaternion rotation;
};

// What a world of the plane leaves of six functions: x, y and the rotation about z.
std::array<double, 6> values_of(const BodyFunctions& functions, double t, bool planar) {
  std::array<double, 6> values = functions.at(t);
  if (planar) values[2] = values[3] = values[4] = 0;
  return values;
}

PathPose path_at(const Body& body, double t, bool planar) {
  const std::array<double, 6> p = values_of(body.path, t, planar);
  return {{p[0], p[1], p[2]}, rotation_of({p[3], p[4], p[5]})};
}

void follow_path(const PathPose& from, const PathPose& to, double h, BodyState& s) {
  s.position = from.position;
  s.rotation = from.rotation;
  s.v = (to.position - from.position) / h;
  s.omega = rotation_vector(from.rotation.conjugate() * to.rotation) / h;
}

// Whether the body's axis of rotation moves without any torque.
bool turns_freely(const Body& body, bool planar) {
  return body.is_free() && !body.is_isotropic() && !planar;
}

// From the velocity on which contacts stand, that of the middle of the rotation as it was foreseen,
// to the end of the rotation that starts when all impulses are given.
void rotate(const Body& body, bool planar, const Vector3& foreseen, double h, BodyState& s) {
  if (!turns_freely(body, planar)) {
    s.rotation = turn(s.rotation, h * s.omega);
    return;
  }
  const Vector3 kicked = s.omega - foreseen;
  s.omega = rotate_freely(body.moments, kicked, h);
  s.rotation = turn(s.rotation, 0.5 * h * (kicked + s.omega));
}

const LargeArray<WorldContact> kNoContacts;  // of a run that has made no step

}  // namespace

void WorldOptions::validate() const {
  if (!(h > 0) || !std::isfinite(h)) {
    throw InputError(fmt::format("the time step is {} s; it must be finite and > 0", h));
  }
  if (!(recovery >= 0) || !std::isfinite(recovery)) {
    throw InputError(
        fmt::format("the speed of recovery is {} m/s; it must be finite and >= 0", recovery));
  }
  solver_options.validate();
}

WorldSimulation::WorldSimulation(std::shared_ptr<const RigidWorld> world, WorldState initial,
                                 const WorldOptions& options)
    : world_(std::move(world)),
      options_(options),
      state_(std::move(initial)),
      detection_(*world_),
      laws_(*world_),
      own_laws_(*world_, laws_),
      contacts_(&kNoContacts),
      start_time_(state_.t) {
  options.validate();
  world_->validate(state_);
  if (!(options.h * std::abs(world_->shear_rate) < 0.5)) {
    throw InputError(fmt::format("the cell is sheared by {} in a step; it must be below 0.5",
                                 options.h * world_->shear_rate));
  }
  if (options.solver == "bodies") {
    BodySolverOptions own;
    static_cast<SolverOptions&>(own) = options.solver_options;
    own.threads = options.threads;
    own.check_problem = false;  // made of a world that has been checked
    body_solver_ = std::make_unique<BodySolver>(own);
  } else {
    solver_ = make_solver(options.solver, options.solver_options);
  }
  const std::size_t n = world_->bodies.size();
  for (std::size_t i = 0; i < n; ++i) {
    radius_.push_back(bounding_radius(*world_->bodies[i].shape));
    if (world_->bodies[i].kind == BodyKind::driven) driven_.push_back(i);
  }
  reach_.resize(n);
  begin_.resize(n);
  free_.resize(n);
  end_.resize(n);
  mean_.resize(n);
  gyroscopic_.assign(n, Vector3::Zero());
  move_driven(state_.t);
  energy_.kinetic = world_->kinetic_energy(state_);
  energy_.potential = world_->potential_energy(state_);
  if (!own_laws_.empty()) make_bonds();
  if (has_rigid_joints(*world_)) joints_ = std::make_unique<JointProjection>(*world_, state_);
}

void WorldSimulation::make_bonds() {
  for (std::size_t i = 0; i < reach_.size(); ++i) reach_[i] = 1e-3 * radius_[i];
  own_laws_.make_bonds(state_, detection_.find(state_, reach_), radius_);
}

// Sets the velocities of driven bodies: those of time t, or the ones that lead along a path from
// the pose of the last state to that of the next (eq:path).
void WorldSimulation::move_driven(double t) {
  const bool planar = world_->planar;
  for (const std::size_t i : driven_) {
    const Body& body = world_->bodies[i];
    BodyState& s = state_.bodies[i];
    if (body.path) {
      follow_path(path_at(body, state_.t, planar), path_at(body, time_of(count_ + 1), planar),
                  options_.h, s);
    } else {
      const std::array<double, 6> motion = values_of(body.motion, t, planar);
      s.v = Vector3(motion[0], motion[1], motion[2]);
      s.omega = s.rotation.conjugate() * Vector3(motion[3], motion[4], motion[5]);
    }
  }
}

double WorldSimulation::time_of(long count) const {
  return start_time_ + static_cast<double>(count) * options_.h;
}

WorldCheckpoint WorldSimulation::checkpoint() const {
  return {state_,
          start_time_,
          count_,
          energy_,
          memory_.impulses(),
          own_laws_.memories(),
          own_laws_.moments()};
}

void WorldSimulation::restore(const WorldCheckpoint& checkpoint) {
  if (checkpoint.state.bodies.size() != world_->bodies.size()) {
    throw InputError(fmt::format("the checkpoint has {} bodies; the world has {}",
                                 checkpoint.state.bodies.size(), world_->bodies.size()));
  }
  state_ = checkpoint.state;
  start_time_ = checkpoint.start_time;
  count_ = checkpoint.count;
  energy_ = checkpoint.energy;
  memory_.set(checkpoint.impulses);
  if (own_laws_.empty() || count_ == 0) return;
  std::vector<WorldLaws::Identity> contacts;
  for (const RememberedImpulse& x : checkpoint.impulses) contacts.push_back({x.a, x.b, x.feature});
  own_laws_.restore(contacts, checkpoint.law_memories, checkpoint.moments);
}

Status WorldSimulation::step() {
  StageTimer timer(seconds_, true);
  start_ = state_;
  return run_stages(*this, timer);
}

// A point of a body goes h (|v| + h |g|) + h |omega| radius at most, unless another body hits it.
// In a sheared cell v counts against the streaming velocity, to which all images agree; within the
// distance of a pair that velocity differs by shear_rate times it.
void WorldSimulation::detect() {
  constexpr double kSlack = 1e-3;  // of the body's size
  const double h = options_.h, fall = h * h * world_->gravity.norm();
  const double shear = h * std::abs(world_->shear_rate);
  double sum = 0;  // not finite where a body is not
  move_driven(time_of(count_ + 1));
  for (std::size_t i = 0; i < reach_.size(); ++i) {
    const BodyState& s = state_.bodies[i];
    const double speed = (s.v - world_->streaming_velocity(s.position)).norm();
    reach_[i] = h * speed + (h * s.omega.norm() + shear + kSlack) * radius_[i];
    if (world_->bodies[i].is_free()) reach_[i] += fall;
    reach_[i] = (reach_[i] + 0.5 * own_laws_.margin()) / (1 - shear);
    begin_[i] = {s.v, s.rotation * s.omega};
    sum += s.position.sum() + begin_[i].v.sum() + begin_[i].omega.sum();
  }
  contacts_ = &kNoContacts;
  failed_body_ = -1;
  if (!std::isfinite(sum) && !find_failed_body(begin_)) return;
  contacts_ = &detection_.find(state_, reach_);
  if (!own_laws_.empty()) contacts_ = &own_laws_.merge(state_, *contacts_);
}

bool WorldSimulation::load_on(std::size_t body, BodyLoad& load) const {
  const BodyFunctions& functions = world_->bodies[body].load;
  if (!functions && loads_.empty()) return false;
  load = values_of(functions, start_.t + 0.5 * options_.h, world_->planar);
  if (loads_.empty()) return true;
  for (std::size_t k = 0; k < load.size(); ++k) {
    if (!world_->planar || k < 2 || k == 5) load[k] += loads_[body][k];
  }
  return true;
}

void WorldSimulation::predict() {
  const double h = options_.h;
  if (world_->load) {
    loads_.assign(state_.bodies.size(), BodyLoad{});
    world_->load->add(state_.t + 0.5 * h, state_, loads_);
  }
  for (std::size_t i = 0; i < free_.size(); ++i) {
    const Body& body = world_->bodies[i];
    const BodyState& s = state_.bodies[i];
    free_[i] = begin_[i];
    if (!body.is_free() || !body.is_present(state_.t)) continue;
    free_[i].v += h * world_->gravity;
    BodyLoad load;
    if (load_on(i, load)) {
      free_[i].v += h / body.mass * Vector3(load[0], load[1], load[2]);
      const Vector3 torque = s.rotation.conjugate() * Vector3(load[3], load[4], load[5]);
      if (world_->planar)  // the other moments have no meaning and may be 0
        free_[i].omega.z() += h * load[5] / body.moments.z();
      else
        free_[i].omega += s.rotation * (h * torque.cwiseQuotient(body.moments));
    }
    if (turns_freely(body, world_->planar)) {
      const Vector3 kicked = s.rotation.conjugate() * free_[i].omega;
      gyroscopic_[i] = 0.5 * (rotate_freely(body.moments, kicked, h) - kicked);
      free_[i].omega += s.rotation * gyroscopic_[i];
    }
  }
}

void WorldSimulation::assemble() {
  double sum = 0;
  for (const Twist& x : free_) sum += x.v.sum() + x.omega.sum();
  if (!std::isfinite(sum) && !find_failed_body(free_)) contacts_ = &kNoContacts;
  fill_world_problem(*world_, laws_, state_, *contacts_, begin_, free_, options_.h,
                     options_.recovery, problem_);
  impulses_.resize(problem_.contacts.size());
  memory_.start(*contacts_, radius_, impulses_.data());
  r_.clear();
  u_.clear();
  if (own_laws_.empty() || failed_body_ >= 0) return;
  split_islands();
}

// One law that is not plain makes its island one of blocks; the others keep the sweeps and pay
// nothing for it.
void WorldSimulation::split_islands() {
  const std::size_t n = problem_.contacts.size();
  Components islands;
  islands.reset(static_cast<int>(state_.bodies.size()));
  for (const BodyContact& row : problem_.contacts) {
    if (row.a >= 0 && row.b >= 0) islands.join(row.a, row.b);
  }
  const auto body_of = [&](std::size_t c) {
    const BodyContact& row = problem_.contacts[c];
    return islands.find(row.a >= 0 ? row.a : row.b);
  };
  is_stated_.assign(state_.bodies.size(), 0);
  for (std::size_t c = 0; c < n; ++c) {
    if (own_laws_.has_law((*contacts_)[c])) is_stated_[static_cast<std::size_t>(body_of(c))] = 1;
  }
  for (std::size_t i = 0; i < is_stated_.size(); ++i)
    is_stated_[i] = is_stated_[static_cast<std::size_t>(islands.find(static_cast<int>(i)))];
  std::vector<std::size_t> members;
  plain_members_.clear();
  for (std::size_t c = 0; c < n; ++c) {
    const bool stated = is_stated_[static_cast<std::size_t>(body_of(c))];
    (stated ? members : plain_members_).push_back(c);
  }
  own_laws_.begin_step(state_, begin_, free_, options_.h, problem_, std::move(members),
                       memory_.sources(), impulses_.data());
}

// The problem as solve_with_laws sees it.
struct StatedWorld {
  WorldSimulation& world;
  std::vector<double> start = {};  // multipliers before the solve

  int stages() const { return world.own_laws_.stages(); }
  bool iterate() const { return world.own_laws_.iterate(); }
  void state(int stage, int pass) {
    WorldLaws& laws = world.own_laws_;
    laws.state(stage, pass);
    if (!laws.is_plain() || !world.body_solver_) {
      world.reduced_ = laws.is_plain() ? assemble_reduced(laws.plain_problem())
                                       : assemble_reduced(laws.block_problem());
    }
    world.x_.resize(laws.y().size());
  }
  bool by_sweeps() const { return world.own_laws_.is_plain() && world.body_solver_; }
  SolveReport solve(double tolerance) {
    std::vector<double>& y = world.own_laws_.y();
    if (iterate()) start = y;
    SolveReport report;
    if (by_sweeps()) {
      report =
          world.body_solver_->solve(world.own_laws_.plain_problem(), y.data(), nullptr, tolerance);
    } else {
      // A new one, which knows nothing of steps before: a restart gives the same bits.
      const std::unique_ptr<Solver> solver = make_solver(
          world.body_solver_ ? "auto" : world.options_.solver, world.options_.solver_options);
      report = solver->solve(world.reduced_.view(), y.data(), world.x_.data(), tolerance);
    }
    take_solution();
    return report;
  }
  void go(double share) {
    shorten(start, share, world.own_laws_.y());
    take_solution();
  }
  void take_solution() { world.own_laws_.take_solution(world.end_, world.impulses_.data()); }
  void velocities(std::vector<double>& values) { world.own_laws_.velocities(values); }
  Residual residual() {
    WorldLaws& laws = world.own_laws_;
    if (by_sweeps())
      return compute_residual(laws.plain_problem(), laws.y().data(), world.x_.data());
    return compute_residual(world.reduced_.view(), laws.y().data(), world.x_.data());
  }
  std::string unsettled() {
    WorldLaws& laws = world.own_laws_;
    if (by_sweeps()) world.reduced_ = assemble_reduced(laws.plain_problem());
    return describe_unsettled(world.reduced_.view(), laws.y().data(), world.x_.data(),
                              laws.owners());
  }
  void end_stage() { world.own_laws_.end_stage(); }
};

SolveReport WorldSimulation::solve_stated() {
  SolveReport report;
  report.status = Status::converged;
  report.set({});
  if (own_laws_.members().empty()) {
    own_laws_.state(0, 0);
    own_laws_.take_solution(end_, impulses_.data());
    return report;
  }
  StatedWorld stated{*this};
  report = solve_with_laws(stated, options_.solver_options.tolerance, 0);
  if (report.worst_contact < 0) return report;
  // So far a block of the laws, or one of their contacts.
  const auto worst = static_cast<std::size_t>(report.worst_contact);
  report.worst_contact = own_laws_.is_plain() ? static_cast<int>(own_laws_.members()[worst])
                                              : own_laws_.owners()[worst].contact;
  return report;
}

SolveReport WorldSimulation::solve_all_plain(const BodyProblem& problem, Vector3* impulses) {
  if (body_solver_) return body_solver_->solve(problem, impulses);
  const ProblemData reduced = assemble_reduced(problem);
  Vector r(problem.size()), u(problem.size());
  to_local(problem, impulses, r.data());
  SolveReport report = solver_->solve(reduced.view(), r.data(), u.data());
  to_world(problem, r.data(), impulses);
  return report;
}

SolveReport WorldSimulation::solve_plain() {
  plain_part_.dim = problem_.dim;
  plain_part_.bodies = problem_.bodies;
  plain_part_.contacts.resize(plain_members_.size());
  plain_impulses_.resize(plain_members_.size());
  for (std::size_t k = 0; k < plain_members_.size(); ++k) {
    plain_part_.contacts[k] = problem_.contacts[plain_members_[k]];
    plain_impulses_[k] = impulses_[plain_members_[k]];
  }
  SolveReport report = solve_all_plain(plain_part_, plain_impulses_.data());
  if (report.worst_contact >= 0)
    report.worst_contact =
        static_cast<int>(plain_members_[static_cast<std::size_t>(report.worst_contact)]);
  for (std::size_t k = 0; k < plain_members_.size(); ++k)
    impulses_[plain_members_[k]] = plain_impulses_[k];
  plain_end_.resize(end_.size());
  auto* const velocities = reinterpret_cast<double*>(plain_end_.data());
  if (body_solver_) {
    body_solver_->store_body_velocities(plain_part_, velocities);
  } else {
    Vector r(plain_part_.size());
    to_local(plain_part_, plain_impulses_.data(), r.data());
    compute_velocity(plain_part_, r.data(), velocities);
  }
  for (std::size_t i = 0; i < end_.size(); ++i)
    if (!is_stated_[i]) end_[i] = plain_end_[i];
  return report;
}

namespace {

// Of islands solved apart: the worse of both, and what both have cost.
SolveReport together(const SolveReport& x, const SolveReport& y) {
  SolveReport both = x.status == Status::converged ? y : x;
  const Residual a = x.measured(), b = y.measured();
  const bool second = b.unit_free() > a.unit_free() || std::isnan(b.unit_free());
  both.set({std::max(a.plain, b.plain), std::max(a.scaled, b.scaled),
            std::max(a.velocity, b.velocity), second ? b.contact : a.contact});
  both.iterations = std::max(x.iterations, y.iterations);
  both.seconds = x.seconds + y.seconds;
  return both;
}

}  // namespace

ProblemData WorldSimulation::stated_problem() const {
  if (own_laws_.empty()) return assemble_reduced(problem_);
  BodyBlockProblem all;
  if (own_laws_.is_plain()) {
    all.bodies = own_laws_.plain_problem().bodies;
    for (const BodyContact& row : own_laws_.plain_problem().contacts)
      all.blocks.push_back(plain_block(row, problem_.dim));
  } else {
    all = own_laws_.block_problem();
  }
  for (const std::size_t c : plain_members_)
    all.blocks.push_back(plain_block(problem_.contacts[c], problem_.dim));
  return assemble_reduced(all);
}

void WorldSimulation::solve() {
  if (problem_.contacts.empty()) {
    report_ = {};
    report_.status = Status::converged;
    report_.set({});
    return;
  }
  if (!own_laws_.empty()) {
    report_ = solve_stated();
    if (!plain_members_.empty()) report_ = together(report_, solve_plain());
    return;
  }
  report_ = solve_all_plain(problem_, impulses_.data());
}

void WorldSimulation::correct() {
  const double h = options_.h;
  ++count_;
  state_.t = time_of(count_);
  if (failed_body_ >= 0) return;
  if (world_->is_sheared()) {
    state_.shear_offset =
        std::remainder(state_.shear_offset + h * world_->shear_speed(), world_->period.x());
  }
  static_assert(sizeof(Twist) == 6 * sizeof(double));
  auto* const velocities = reinterpret_cast<double*>(end_.data());
  const bool stated = !own_laws_.empty() && !problem_.contacts.empty();  // they are there already
  if (!stated && body_solver_ && !problem_.contacts.empty())
    body_solver_->store_body_velocities(problem_, velocities);
  else if (!stated)
    compute_velocity(problem_, r().data(), velocities);
  for (std::size_t i = 0; i < state_.bodies.size(); ++i) {
    const Body& body = world_->bodies[i];
    BodyState& s = state_.bodies[i];
    if (body.path) {
      const PathPose pose = path_at(body, state_.t, world_->planar);
      s.position = pose.position;
      s.rotation = pose.rotation;
      continue;
    }
    if (body.kind == BodyKind::fixed || !body.is_present(start_.t)) continue;
    if (body.is_free()) {
      s.v = end_[i].v;
      s.omega = s.rotation.conjugate() * end_[i].omega;
    }
    s.position += h * s.v;
    rotate(body, world_->planar, gyroscopic_[i], h, s);
  }
  if (joints_) joint_energy_ = joints_->project(start_, h, state_);
  memory_.keep(*contacts_, problem_.dim, impulses_.data());
  if (!own_laws_.empty()) own_laws_.update();
}

// Energies, and the works on the mean of the velocities of start and end.
Status WorldSimulation::audit() {
  if (failed_body_ >= 0) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    energy_ = {.kinetic = nan, .potential = nan};
    return Status::numerical_failure;
  }
  const double before = energy_.kinetic + energy_.potential;
  energy_ = {};
  for (std::size_t i = 0; i < state_.bodies.size(); ++i) audit_body(i);
  audit_contacts();
  energy_.numerical += joint_energy_;
  energy_.error = energy_.kinetic + energy_.potential - before - energy_.work_external -
                  energy_.work_contact - energy_.work_impact - energy_.work_friction -
                  energy_.work_bond - energy_.numerical;
  if (std::isfinite(energy_.kinetic + energy_.potential)) return report_.status;
  (void)find_failed_body(end_);
  return Status::numerical_failure;
}

// A body that is born brings its energy in, one that is removed takes it along (eq:presence).
void WorldSimulation::audit_body(std::size_t i) {
  const Body& body = world_->bodies[i];
  const BodyState& s = state_.bodies[i];
  mean_[i] = {0.5 * (begin_[i].v + end_[i].v), 0.5 * (begin_[i].omega + end_[i].omega)};
  if (!body.is_free()) return;
  const bool before = body.is_present(start_.t), after = body.is_present(state_.t);
  const double kinetic = body.kinetic_energy(s),
               potential = -body.mass * world_->gravity.dot(s.position);
  if (after) {
    energy_.kinetic += kinetic;
    energy_.potential += potential;
  }
  if (before != after) energy_.work_external += (after ? 1 : -1) * (kinetic + potential);
  if (before) audit_forces(i);
}

// `numerical` is what the rule itself adds: the force of gravity on h v+ instead, and the impulses
// of contacts on the mean of the rotation instead of the velocity that they give.
void WorldSimulation::audit_forces(std::size_t i) {
  const double h = options_.h;
  const Body& body = world_->bodies[i];
  const Vector3& v_mean = mean_[i].v;
  const Vector3 gyroscopic = start_.bodies[i].rotation * gyroscopic_[i];
  energy_.numerical += body.mass * world_->gravity.dot(h * (v_mean - end_[i].v));
  if (turns_freely(body, world_->planar)) {
    const Vector3 change = start_.bodies[i].rotation.conjugate() * (end_[i].omega - free_[i].omega);
    energy_.numerical -= 0.5 * gyroscopic_[i].dot(body.moments.cwiseProduct(change));
  }
  BodyLoad load;
  if (!load_on(i, load)) return;
  energy_.work_external += h * v_mean.dot(Vector3(load[0], load[1], load[2]));
  energy_.work_external +=
      h * (mean_[i].omega - 0.5 * gyroscopic).dot(Vector3(load[3], load[4], load[5]));
}

// Between two free bodies of a cell that is not sheared the problem's contact says all.
void WorldSimulation::audit_contacts() {
  double impact = 0, friction = 0, given = 0;  // the last one by driven bodies and by the cell
  for (std::size_t c = 0; c < impulses_.size(); ++c) {
    const BodyContact& row = problem_.contacts[c];
    const Vector3& impulse = impulses_[c];
    const int later = problem_.contacts[std::min(c + kAhead, impulses_.size() - 1)].b;
    if (later >= 0) prefetch(mean_[static_cast<std::size_t>(later)]);
    Vector3 mean;
    if (row.a >= 0 && row.b >= 0 && !world_->is_sheared()) {
      mean = mean_[static_cast<std::size_t>(row.b)].at(row.arm_b) -
             mean_[static_cast<std::size_t>(row.a)].at(row.arm_a);
    } else {
      const WorldContact& contact = (*contacts_)[c];
      mean = velocity_of(contact, row, mean_);
      given -= work_on_driven(contact, row, impulse);
    }
    if (!own_laws_.empty() && own_laws_.has_own(c)) {
      const WorldLaws::Works works = own_laws_.works(c, begin_, end_);
      impact += works.normal;
      friction += works.tangential;
      energy_.work_bond += works.bond;
      energy_.numerical += works.numerical;
      given -= own_laws_.driven_turning(c, free_);
      continue;
    }
    const double r_n = row.normal.dot(impulse), normal_work = r_n * row.normal.dot(mean);
    const double recovered =
        r_n * recovery_speed((*contacts_)[c].gap, options_.h, options_.recovery);
    impact += normal_work - recovered;  // the overlap goes back as a contact that moves
    given += recovered;
    friction += impulse.dot(mean) - normal_work;
  }
  energy_.work_impact = impact;
  energy_.work_friction = friction;
  energy_.work_contact = given;
}

// The motion of a driven body, and that of the sheared cell, under the impulse.
double WorldSimulation::work_on_driven(const WorldContact& contact, const BodyContact& row,
                                       const Vector3& impulse) const {
  const double work = contact.drift * impulse.x();
  if (row.a >= 0 && row.b >= 0) return work;
  const bool driven_a = row.a < 0;
  const auto other = static_cast<std::size_t>(driven_a ? contact.a : contact.b);
  return work +
         (driven_a ? -1 : 1) * impulse.dot(free_[other].at(driven_a ? row.arm_a : row.arm_b));
}

}  // namespace clack
