#include "clack/integrate/body_step.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "clack/core/error.hpp"
#include "clack/core/prefetch.hpp"
#include "clack/integrate/law_passes.hpp"

namespace clack {
namespace {

constexpr std::size_t kAhead = 16;  // contacts whose bodies are asked for

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

// Of contacts and bonds, then those at the coordinates of joints.
std::vector<LawPtr> all_laws(const WorldBonds& bonds, const RigidBodies& bodies) {
  std::vector<LawPtr> all = bonds.laws();
  if (!has_joints(bodies)) return all;
  const JointRows rows(bodies, true);
  for (const Contact& contact : rows.contacts()) {
    if (contact.law.own) all.push_back(contact.law.own);
  }
  return all;
}

const LargeArray<WorldContact> kNoContacts;  // of a run that has made no step

}  // namespace

BodyStep::BodyStep(const RigidBodies& bodies, WorldState start, const SimulationOptions& options)
    : world_(&bodies.world()),
      solver_name_(options.solver),
      solver_options_(options.solver_options),
      solver_own_(options.solver_own),
      recovery_(options.scheme_options.recovery),
      h_(options.h),
      state_(std::move(start)),
      detection_(*world_),
      laws_(*world_),
      bonds_(*world_, laws_),
      own_laws_(all_laws(bonds_, bodies)),
      rows_(*world_, bonds_, options.solver == kBodySolver),
      contacts_(&kNoContacts) {
  world_->validate(bodies.initial());
  world_->validate(state_);
  if (!(options.h * std::abs(world_->shear_rate) < 0.5)) {
    throw InputError(fmt::format("the cell is sheared by {} in a step; it must be below 0.5",
                                 options.h * world_->shear_rate));
  }
  if (options.solver == kBodySolver) {
    BodySolverOptions own;
    static_cast<SolverOptions&>(own) = options.solver_options;
    set_options("bodies", BodySolverOptions::table(), options.solver_own, own);
    own.threads = options.threads;
    own.check_problem = false;  // made of a world that has been checked
    body_solver_ = std::make_unique<BodySolver>(own);
  } else {
    solver_ = make_solver(options.solver, options.solver_options, options.solver_own);
  }
  const std::size_t n = world_->bodies.size();
  for (std::size_t i = 0; i < n; ++i) {
    if (world_->bodies[i].kind == BodyKind::driven) driven_.push_back(i);
  }
  begin_.resize(n);
  free_.resize(n);
  end_.resize(n);
  mean_.resize(n);
  gyroscopic_.assign(n, Vector3::Zero());
  t_end_ = state_.t + h_;
  move_driven(state_.t);
  energy_.kinetic = world_->kinetic_energy(state_);
  energy_.potential = world_->potential_energy(state_);
  // Bonds and joints are those of the start of the run, wherever this step begins.
  bonds_.make(state_.t == bodies.initial().t ? state_ : bodies.initial(), detection_);
  if (has_joints(bodies)) {
    joints_ = std::make_unique<JointStep>(bodies);
    energy_.potential += joints_->spring_energy(state_);
    energy_.kinetic += joints_->armature_energy(state_);
  }
}

// Sets the velocities of driven bodies: those of time t, or the ones that lead along a path from
// the pose of the last state to that of the next (eq:path).
void BodyStep::move_driven(double t) {
  const bool planar = world_->planar;
  for (const std::size_t i : driven_) {
    const Body& body = world_->bodies[i];
    BodyState& s = state_.bodies[i];
    if (body.path) {
      follow_path(path_at(body, state_.t, planar), path_at(body, t_end_, planar), h_, s);
    } else {
      const std::array<double, 6> motion = values_of(body.motion, t, planar);
      s.v = Vector3(motion[0], motion[1], motion[2]);
      s.omega = s.rotation.conjugate() * Vector3(motion[3], motion[4], motion[5]);
    }
  }
}

std::shared_ptr<const BodyRecord> BodyStep::record() const {
  auto record = std::make_shared<BodyRecord>();
  record->shear_offset = state_.shear_offset;
  record->impulses = memory_.impulses();
  record->moments = moments_;
  for (std::size_t c = 0; c < moments_.size(); ++c) {
    const std::span<const double> memory = own_laws_.memory(static_cast<int>(c));
    record->law_memories.emplace_back(memory.begin(), memory.end());
  }
  if (joints_) {
    record->joint_multipliers = joints_->multipliers();
    record->joint_impulses = joints_->impulses();
  }
  record->stepped = stepped_;
  return record;
}

void BodyStep::restore(const WorldState& state, const EnergyAudit& energy,
                       const BodyRecord* record) {
  state_ = state;
  energy_ = energy;
  if (!record) return;
  state_.shear_offset = record->shear_offset;
  memory_.set(record->impulses);
  stepped_ = record->stepped;
  if (joints_ && stepped_) {
    joints_->multipliers() = record->joint_multipliers;
    joints_->impulses() = record->joint_impulses;
  }
  if (!own_laws_.empty() && stepped_) restore_laws(*record);
}

// A bond that stands among the contacts holds as its memory says; one that does not holds no more.
void BodyStep::restore_laws(const BodyRecord& record) {
  std::vector<LawContact> contacts;
  std::vector<double> memories;
  for (const std::vector<double>& memory : record.law_memories)
    memories.insert(memories.end(), memory.begin(), memory.end());
  for (const RememberedImpulse& x : record.impulses) {
    if (x.feature >= kTieFeature && x.feature - kTieFeature >= bonds_.size())
      throw InputError("the checkpoint has bonds that this world has not");
    contacts.push_back(law_contact(x.a, x.b, x.feature));
  }
  own_laws_.bind(std::move(contacts), {});
  if (memories.size() != own_laws_.memory().size())
    throw InputError("the checkpoint has laws that this world has not");
  own_laws_.set_memory(std::move(memories));
  moments_ = record.moments;
  for (std::size_t i = 0; i < bonds_.size(); ++i) bonds_.set_holds(i, false);
  for (std::size_t c = 0; c < record.impulses.size(); ++c) {
    const std::uint64_t feature = record.impulses[c].feature;
    if (feature >= kTieFeature)
      bonds_.set_holds(feature - kTieFeature, own_laws_.reach(static_cast<int>(c)) != -Law::kNever);
  }
}

void BodyStep::begin(double t_end, double h) {
  start_ = state_;
  t_end_ = t_end;
  h_ = h;
}

void BodyStep::detect() {
  double sum = 0;  // not finite where a body is not
  move_driven(t_end_);
  for (std::size_t i = 0; i < begin_.size(); ++i) {
    const BodyState& s = state_.bodies[i];
    begin_[i] = {s.v, s.rotation * s.omega};
    sum += s.position.sum() + begin_[i].v.sum() + begin_[i].omega.sum();
  }
  bonds_.set_reach(state_, h_, reach_);
  contacts_ = &kNoContacts;
  failed_body_ = -1;
  if (!std::isfinite(sum) && !find_failed_body(begin_)) return;
  contacts_ = &detection_.find(state_, reach_, h_);
  if (own_laws_.empty()) return;
  bonds_.merge(state_, *contacts_, merged_);
  contacts_ = &merged_;
}

bool BodyStep::load_on(std::size_t body, BodyLoad& load) const {
  const BodyFunctions& functions = world_->bodies[body].load;
  if (!functions && loads_.empty()) return false;
  load = values_of(functions, start_.t + 0.5 * h_, world_->planar);
  if (loads_.empty()) return true;
  for (std::size_t k = 0; k < load.size(); ++k) {
    if (!world_->planar || k < 2 || k == 5) load[k] += loads_[body][k];
  }
  return true;
}

void BodyStep::predict() {
  const double h = h_;
  if (world_->load || (joints_ && joints_->has_motors()))
    loads_.assign(state_.bodies.size(), BodyLoad{});
  if (world_->load) world_->load->add(state_.t + 0.5 * h, state_, loads_);
  if (joints_ && joints_->has_motors())
    joints_->add_loads(state_.t + 0.5 * h, state_, begin_, loads_);
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

void BodyStep::assemble() {
  double sum = 0;
  for (const Twist& x : free_) sum += x.v.sum() + x.omega.sum();
  if (!std::isfinite(sum) && !find_failed_body(free_)) contacts_ = &kNoContacts;
  fill_world_problem(*world_, laws_, state_, *contacts_, begin_, free_, h_, recovery_, problem_);
  impulses_.resize(problem_.contacts.size());
  memory_.start(*contacts_, bonds_.radius(), impulses_.data());
  r_.clear();
  u_.clear();
  if (!has_blocks() || failed_body_ >= 0) return;
  if (joints_) joints_->begin(state_, h_, begin_, free_, problem_.bodies);
  split_islands();
  begin_laws();
}

// One law that is not plain makes its island one of blocks; the others keep the sweeps and pay
// nothing for it.
void BodyStep::split_islands() {
  const std::size_t n = problem_.contacts.size();
  Components islands;
  islands.reset(static_cast<int>(state_.bodies.size()));
  for (const BodyContact& row : problem_.contacts) {
    if (row.a >= 0 && row.b >= 0) islands.join(row.a, row.b);
  }
  if (joints_) joints_->couple([&](int a, int b) { islands.join(a, b); });
  const auto body_of = [&](std::size_t c) {
    const BodyContact& row = problem_.contacts[c];
    return islands.find(row.a >= 0 ? row.a : row.b);
  };
  is_stated_.assign(state_.bodies.size(), 0);
  for (std::size_t c = 0; c < n; ++c) {
    if (bonds_.law_of((*contacts_)[c])) is_stated_[static_cast<std::size_t>(body_of(c))] = 1;
  }
  if (joints_) {
    for (const BodyBlock& block : joints_->blocks()) {
      block.for_bodies([&](int body, const BodyBlock::Rows&) {
        is_stated_[static_cast<std::size_t>(islands.find(body))] = 1;
      });
    }
  }
  for (std::size_t i = 0; i < is_stated_.size(); ++i)
    is_stated_[i] = is_stated_[static_cast<std::size_t>(islands.find(static_cast<int>(i)))];
  members_.clear();
  plain_members_.clear();
  for (std::size_t c = 0; c < n; ++c) {
    const bool stated = is_stated_[static_cast<std::size_t>(body_of(c))];
    (stated ? members_ : plain_members_).push_back(static_cast<int>(c));
  }
}

LawContact BodyStep::law_contact(int a, int b, std::uint64_t feature) const {
  const double area = feature >= kTieFeature ? bonds_[feature - kTieFeature].area : 1.0;
  return {bonds_.law_of(a, b, feature), bonds_.tangents(), bonds_.turns(), area};
}

void BodyStep::begin_laws() {
  BodyRows::StepView view{h_, state_, begin_, free_, *contacts_, problem_, impulses_, end_};
  if (joints_) {
    view.joints = joints_->blocks();
    view.joint_multipliers = &joints_->multipliers();
    view.elements = joints_.get();
    const auto count = static_cast<int>(contacts_->size());
    for (std::size_t e = 0; e < joints_->elements().size(); ++e)
      members_.push_back(count + static_cast<int>(e));
  }
  rows_.begin_step(view, members_);
  if (own_laws_.empty()) return;
  std::vector<LawContact> list;
  list.reserve(contacts_->size());
  for (const WorldContact& x : *contacts_) list.push_back(law_contact(x.a, x.b, x.feature));
  for (std::size_t e = 0; joints_ && e < joints_->elements().size(); ++e) {
    const Contact& x = joints_->element(static_cast<int>(e));
    list.push_back({x.law.own, x.tangents, x.turns, 1});
  }
  const std::vector<int>& source = memory_.sources();
  own_laws_.bind(std::move(list), source);
  own_laws_.observe([this](std::span<StatedContact> stated) { observe_reactions(stated); });
  own_laws_.begin_step(members_, [&](StatedContact& c) {
    const auto at = static_cast<std::size_t>(c.contact);
    const int old = at < source.size() ? source[at] : -1;
    const bool known = old >= 0 && static_cast<std::size_t>(old) < moments_.size();
    rows_.describe(known ? moments_[static_cast<std::size_t>(old)] : BodyRows::Moments{}, c);
  });
}

// A bond whose law reaches no gap any more has broken.
void BodyStep::update_laws() {
  own_laws_.update();
  broken_.clear();
  moments_.assign(contacts_->size(), {});
  for (const StatedContact& c : own_laws_.stated()) {
    const ContactSituation& situation = c.situation;
    if (static_cast<std::size_t>(c.contact) >= contacts_->size()) {
      joints_->set_result(c.contact - static_cast<int>(contacts_->size()), situation.r.data(),
                          situation.u.data());
      continue;
    }
    std::copy_n(situation.r.begin() + 1 + situation.tangents, situation.turns,
                moments_[static_cast<std::size_t>(c.contact)].begin());
    const WorldContact& contact = (*contacts_)[static_cast<std::size_t>(c.contact)];
    if (contact.feature < kTieFeature || own_laws_.reach(c.contact) != -Law::kNever) continue;
    const std::size_t bond = contact.feature - kTieFeature;
    if (bonds_.holds(bond)) broken_.push_back(static_cast<std::size_t>(c.contact));
    bonds_.set_holds(bond, false);
  }
}

void BodyStep::observe_reactions(std::span<StatedContact> stated) const {
  for (StatedContact& c : stated) {
    if (c.law->needs_reaction())
      joints_->reaction(c.contact - static_cast<int>(contacts_->size()), c.situation.reaction);
  }
}

SolveReport BodyStep::solve_stated() {
  SolveReport report;
  report.status = Status::converged;
  report.set({});
  if (members_.empty() && !joints_) {
    own_laws_.state(rows_, 0, 0);
    own_laws_.take_solution(rows_);
    return report;
  }
  LawProblem stated{own_laws_, rows_, [&](double tolerance) {
                      double* y = rows_.y.data();
                      if (rows_.is_plain())
                        return body_solver_->solve(rows_.plain_problem(), y, nullptr, tolerance);
                      // A new one, which knows nothing of steps before: a restart gives the same
                      // bits.
                      const auto solver =
                          body_solver_ ? make_solver("auto", solver_options_)
                                       : make_solver(solver_name_, solver_options_, solver_own_);
                      return solver->solve(rows_.view(), y, rows_.x.data(), tolerance);
                    }};
  report = solve_with_laws(stated, solver_options_.tolerance, 0);
  if (report.worst_contact >= 0)  // so far a block of the laws
    report.worst_contact = rows_.owners[static_cast<std::size_t>(report.worst_contact)].contact;
  return report;
}

SolveReport BodyStep::solve_all_plain(const BodyProblem& problem, Vector3* impulses) {
  if (body_solver_) return body_solver_->solve(problem, impulses);
  const ProblemData reduced = assemble_reduced(problem);
  Vector r(problem.size()), u(problem.size());
  to_local(problem, impulses, r.data());
  SolveReport report = solver_->solve(reduced.view(), r.data(), u.data());
  to_world(problem, r.data(), impulses);
  return report;
}

// Where joints touch nothing all contacts are plain, and nothing is copied.
SolveReport BodyStep::solve_plain() {
  const bool all = plain_members_.size() == problem_.contacts.size();
  if (!all) copy_plain_part();
  const BodyProblem& problem = all ? problem_ : plain_part_;
  LargeArray<Vector3>& impulses = all ? impulses_ : plain_impulses_;
  SolveReport report = solve_all_plain(problem, impulses.data());
  plain_end_.resize(end_.size());
  auto* const velocities = reinterpret_cast<double*>(plain_end_.data());
  if (body_solver_) {
    body_solver_->store_body_velocities(problem, velocities);
  } else {
    Vector r(problem.size());
    to_local(problem, impulses.data(), r.data());
    compute_velocity(problem, r.data(), velocities);
  }
  for (std::size_t i = 0; i < end_.size(); ++i)
    if (!is_stated_[i]) end_[i] = plain_end_[i];
  if (all) return report;
  if (report.worst_contact >= 0)
    report.worst_contact = plain_members_[static_cast<std::size_t>(report.worst_contact)];
  for (std::size_t k = 0; k < plain_members_.size(); ++k)
    impulses_[static_cast<std::size_t>(plain_members_[k])] = plain_impulses_[k];
  return report;
}

void BodyStep::copy_plain_part() {
  plain_part_.dim = problem_.dim;
  plain_part_.bodies = problem_.bodies;
  plain_part_.contacts.resize(plain_members_.size());
  plain_impulses_.resize(plain_members_.size());
  for (std::size_t k = 0; k < plain_members_.size(); ++k) {
    const auto c = static_cast<std::size_t>(plain_members_[k]);
    plain_part_.contacts[k] = problem_.contacts[c];
    plain_impulses_[k] = impulses_[c];
  }
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

ProblemData BodyStep::stated_problem() const {
  if (!has_blocks()) return assemble_reduced(problem_);
  std::vector<BodyBlock> all = rows_.blocks();
  for (const int c : plain_members_)
    all.push_back(plain_block(problem_.contacts[static_cast<std::size_t>(c)], problem_.dim));
  return assemble_reduced(rows_.bodies(), all);
}

void BodyStep::solve() {
  if (problem_.contacts.empty() && (!joints_ || failed_body_ >= 0)) {
    report_ = {};
    report_.status = Status::converged;
    report_.set({});
    return;
  }
  if (has_blocks()) {
    report_ = solve_stated();
    if (!plain_members_.empty()) report_ = together(report_, solve_plain());
    return;
  }
  report_ = solve_all_plain(problem_, impulses_.data());
}

void BodyStep::correct() {
  const double h = h_;
  stepped_ = true;
  state_.t = t_end_;
  if (failed_body_ >= 0) return;
  if (world_->is_sheared()) {
    state_.shear_offset =
        std::remainder(state_.shear_offset + h * world_->shear_speed(), world_->period.x());
  }
  static_assert(sizeof(Twist) == 6 * sizeof(double));
  auto* const velocities = reinterpret_cast<double*>(end_.data());
  // They are there already.
  const bool stated = joints_ || (!own_laws_.empty() && !problem_.contacts.empty());
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
  if (joints_) joint_energy_ = joints_->project(*world_, h, state_);
  memory_.keep(*contacts_, problem_.dim, impulses_.data());
  if (!own_laws_.empty()) update_laws();
}

// Energies, and the works on the mean of the velocities of start and end.
Status BodyStep::audit() {
  if (failed_body_ >= 0) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    energy_ = {.kinetic = nan, .potential = nan};
    return Status::numerical_failure;
  }
  const double before = energy_.kinetic + energy_.potential;
  energy_ = {};
  for (std::size_t i = 0; i < state_.bodies.size(); ++i) audit_body(i);
  audit_contacts();
  if (joints_) {
    joints_->audit(mean_, h_, state_, energy_);
    joints_->audit_motors([this](int body) { return loaded_motion(body); }, h_);
  }
  energy_.numerical += joint_energy_;
  energy_.error = energy_.kinetic + energy_.potential - before - energy_.work_external -
                  energy_.work_damping - energy_.work_contact - energy_.work_impact -
                  energy_.work_friction - energy_.work_bond - energy_.numerical;
  if (std::isfinite(energy_.kinetic + energy_.potential)) return report_.status;
  (void)find_failed_body(end_);
  return Status::numerical_failure;
}

// A body that is born brings its energy in, one that is removed takes it along (eq:presence).
void BodyStep::audit_body(std::size_t i) {
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
void BodyStep::audit_forces(std::size_t i) {
  const double h = h_;
  const Body& body = world_->bodies[i];
  const Vector3& v_mean = mean_[i].v;
  energy_.numerical += body.mass * world_->gravity.dot(h * (v_mean - end_[i].v));
  if (turns_freely(body, world_->planar)) {
    const Vector3 change = start_.bodies[i].rotation.conjugate() * (end_[i].omega - free_[i].omega);
    energy_.numerical -= 0.5 * gyroscopic_[i].dot(body.moments.cwiseProduct(change));
  }
  BodyLoad load;
  if (!load_on(i, load)) return;
  const Twist motion = loaded_motion(static_cast<int>(i));
  energy_.work_external += h * motion.v.dot(Vector3(load[0], load[1], load[2]));
  energy_.work_external += h * motion.omega.dot(Vector3(load[3], load[4], load[5]));
}

// On which loads work: the rotation without what the gyroscopic term adds to its end.
Twist BodyStep::loaded_motion(int body) const {
  const auto i = static_cast<std::size_t>(body);
  if (!world_->bodies[i].is_free()) return {};
  const Vector3 gyroscopic = start_.bodies[i].rotation * gyroscopic_[i];
  return {mean_[i].v, mean_[i].omega - 0.5 * gyroscopic};
}

// Between two free bodies of a cell that is not sheared the problem's contact says all.
void BodyStep::audit_contacts() {
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
    if (const int place = own_laws_.place(static_cast<int>(c)); place >= 0) {
      const auto i = static_cast<std::size_t>(place);
      const BodyRows::Works works = rows_.works(i, own_laws_.stated()[i]);
      impact += works.normal;
      friction += works.tangential;
      energy_.work_bond += works.bond;
      energy_.numerical += works.numerical;
      given -= works.driven;
      continue;
    }
    const double r_n = row.normal.dot(impulse), normal_work = r_n * row.normal.dot(mean);
    const double recovered = r_n * recovery_speed((*contacts_)[c].gap, h_, recovery_);
    impact += normal_work - recovered;  // the overlap goes back as a contact that moves
    given += recovered;
    friction += impulse.dot(mean) - normal_work;
  }
  energy_.work_impact = impact;
  energy_.work_friction = friction;
  energy_.work_contact = given;
}

// The motion of a driven body, and that of the sheared cell, under the impulse.
double BodyStep::work_on_driven(const WorldContact& contact, const BodyContact& row,
                                const Vector3& impulse) const {
  const double work = contact.drift * impulse.x();
  if (row.a >= 0 && row.b >= 0) return work;
  const bool driven_a = row.a < 0;
  const auto other = static_cast<std::size_t>(driven_a ? contact.a : contact.b);
  return work +
         (driven_a ? -1 : 1) * impulse.dot(free_[other].at(driven_a ? row.arm_a : row.arm_b));
}

}  // namespace clack
