#include "clack/integrate/event_driven.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "clack/core/error.hpp"
#include "clack/integrate/event_data.hpp"
#include "clack/integrate/stages.hpp"

namespace clack {
namespace {

constexpr double kAhead = 1e-3;    // change of velocity to which an impact without collision looks
constexpr int kMostAtOnce = 50;    // impacts at one instant before all become inelastic
constexpr double kLowFlight = 10;  // times the tolerance: lower rebounds cannot be resolved

// The size of what adds up in the velocities of a contact.
double velocity_scale(const Detection& detection, const Contact& contact, int begin,
                      const Vector& v) {
  double worst = 0;
  for (int row = begin; row < begin + contact.dim(); ++row) {
    worst = std::max(worst, detection.H.abs_dot(row, v) + std::abs(detection.w[row]));
  }
  return worst;
}

}  // namespace

void EventDriven::initialise(Step& step) const {
  const int contacts = step.contacts.size();
  step.memory.add("closed", Vector::Zero(contacts));
  step.memory.add("last_impact", Vector::Constant(contacts, -HUGE_VAL));
  step.data = std::make_unique<EventData>(step, options());
}

void EventDriven::change_contacts(Step& step) const {
  const ContactChange& change = step.contacts.change();
  change.carry_contacts(step.memory[kClosed]);
  change.carry_contacts(step.memory[kLastImpact], -HUGE_VAL);
  const EventData& before = data_of(step);
  auto data = std::make_unique<EventData>(step, options());
  for (std::size_t c = 0; c < change.source.size(); ++c) {
    if (change.source[c] >= 0)
      data->states[c] = before.states[static_cast<std::size_t>(change.source[c])];
  }
  data->jam_time = before.jam_time;
  step.data = std::move(data);
}

void EventDriven::resize(Step& step) const {
  if (static_cast<int>(data_of(step).use.size()) != step.contacts.size())
    step.data = std::make_unique<EventData>(step, options());
}

void EventDriven::begin(Step& step) const {
  EventData& data = data_of(step);
  // What is prescribed may have changed since the end of the step before.
  if (data.now.q != step.start.q || data.now.v != step.start.v) data.goes_on = false;
  data.now.t = step.start.t;
  data.now.q = step.start.q;
  data.now.v = step.start.v;
  data.events = data.at_once = data.stalls = 0;
  data.failed = false;
  data.projected = 0;
  data.history.clear();
  data.scale.setZero();
  std::fill(data.took_part.begin(), data.took_part.end(), 0);
  step.energy = {};
  step.r.setZero();
  step.impacts.clear();
}

// Mass, frames, gaps and velocities where the step stands.
void EventDriven::update_contacts(Step& step) const {
  EventData& data = data_of(step);
  Detection& detection = step.detection;
  update_contact_map(step.contacts, data.now.t, data.now.q, detection);
  if (detection.map_changed) step.matrix.forget_columns();
  if (step.contacts.has_constant_map()) detection.map_changed = false;
  step.contacts.gaps(data.now.t, data.now.q, detection.gap);
  update_velocities(data.now.v, detection);
  for (int c = 0; c < detection.gap.size(); ++c) {
    const double scale =
        velocity_scale(detection, step.contacts.list()[c], detection.row_begin[c], data.now.v);
    data.scale[c] = std::max(data.scale[c], scale);
  }
  if (step.system.is_linear() && step.matrix.is_factorised()) return;
  evaluate_mass(step.system, data.now.t, data.now.q, step.M);
  step.matrix_failed = !step.matrix.factorise(step.M);
}

void EventDriven::detect(Step& step) const {
  if (step.phase == kImpact && step.repeats == 0) begin(step);
  update_contacts(step);
  if (step.phase == kImpact) {
    detect_impact(step);
  } else {
    detect_flow(step);
  }
}

namespace {

// Whether a row moves against its contact, or at all where it is a constraint.
bool approaches(const Step& step, int c) {
  const double u = step.detection.u[step.detection.row_begin[c]];
  const double rest = data_of(step).rest(c);
  return step.contacts.list()[c].bilateral ? std::abs(u) > rest : u < -rest;
}

}  // namespace

bool EventDriven::is_closed(const Step& step, int c) const {
  return step.contacts.list()[c].bilateral || step.memory[kClosed][c] > 0 ||
         step.detection.gap[c] <= options().activation_tolerance;
}

void EventDriven::detect_impact(Step& step) const {
  EventData& data = data_of(step);
  std::vector<int>& active = step.detection.active;
  active.clear();
  bool needed = data.jammed;
  for (int c = 0; c < step.detection.gap.size(); ++c) {
    if (!is_closed(step, c)) continue;
    active.push_back(c);
    needed = needed || approaches(step, c);
  }
  if (!needed) active.clear();
  int hits = 0, captured = 0;
  for (int c : active) {
    if (step.contacts.list()[c].bilateral) continue;
    const bool hit = approaches(step, c);
    captured += capture(step, c);
    hits += hit;
  }
  const bool calm = !data.jammed && hits > 0 && captured == hits;
  // Captured contacts must not throw each other off again.
  for (int c : active) {
    const bool leaves = step.detection.u[step.detection.row_begin[c]] > data.rest(c);
    data.use[c] = calm && !leaves ? kHeld : kByLaw;
  }
}

// Captures a contact whose rebounds have become too low or too many (eq:capture): no restitution.
// Returns whether they were too low.
bool EventDriven::capture(Step& step, int c) const {
  EventData& data = data_of(step);
  double& u = step.detection.u[step.detection.row_begin[c]];
  double& last = step.memory[kLastImpact][c];
  const double flight = data.now.t - last, size = 1 + data.now.q.cwiseAbs().maxCoeff();
  const double lowest =
      std::max(options().activation_tolerance, kLowFlight * options().flow_tolerance * size);
  bool low = false;
  if (approaches(step, c) && flight > 0) {
    low = 0.25 * std::abs(u) * flight <= lowest || flight <= options().capture_time;
    last = data.now.t;
  }
  const bool too_many = data.events > options().max_events || data.at_once > kMostAtOnce;
  if (low || too_many || data.jammed || step.detection.gap[c] < -lowest) u = 0;
  return low;
}

void EventDriven::predict(Step& step) const {
  EventData& data = data_of(step);
  evaluate_forces(step.system, data.now);
  step.contacts.bias(data.now.t, data.now.q, data.now.v, data.bias);
  step.matrix.solve(data.now.forces.total, step.v_free);  // accelerations without contact
  if (step.phase == kFlow) {
    step.w_next = data.bias;
    return set_sliding_columns(step);
  }
  // An impact without collision is the one that a little time ahead would bring (eq:jam).
  const double instant = data.jammed ? kAhead * data.now.v.norm() / step.v_free.norm() : 0.0;
  step.v_free = data.now.v + instant * step.v_free;
  step.w_next = step.detection.w + instant * data.bias;
}

void EventDriven::assemble(Step& step) const {
  if (step.phase == kImpact) {
    step.matrix.forget_columns();
    step.problem.build(step.contacts, step.detection, step.matrix, step.v_free, step.w_next, {},
                       data_of(step).use);
  } else {
    step.problem.build(step.contacts, step.detection, step.matrix, step.v_free, step.w_next,
                       {.restitution = false}, data_of(step).use);
  }
}

void EventDriven::correct(Step& step) const {
  if (step.phase == kImpact) {
    correct_impact(step);
  } else {
    correct_flow(step);
  }
}

// Whether every contact that an impact without collision loads ends sticking; then that is what
// the impulses must bring about, and looking ahead leaves no trace in them.
bool EventDriven::stick_in_jam(Step& step) const {
  EventData& data = data_of(step);
  const ReducedProblem problem = step.problem.view();
  for (ContactState& state : data.states) state.mode = ContactMode::open;
  for (int i = 0; i < problem.contacts(); ++i) {
    const double* u = step.problem.u.data() + problem.offset[i];
    const Cone& cone = problem.cones[i];
    const int c = step.detection.active[i];
    if (cone.is_free() || !(step.problem.r[problem.offset[i]] > 0)) continue;
    if (cone.dim() > 1 && length(u + 1, cone.dim() - 1) > 1e-9 * data.scale[c]) return false;
    data.states[c].mode = ContactMode::sticking;
  }
  return true;
}

namespace {

// The impact as the problem has solved it; `detection.u` of captured contacts has been set to zero.
void record_impact(Step& step, const Vector& r) {
  EventData& data = data_of(step);
  EventRecord record{.is_impact = true, .flow = {}, .impact = {}};
  ImpactRecord& impact = record.impact;
  impact.t = data.now.t;
  impact.q = data.now.q;
  impact.v = data.v_before;
  impact.v_after = data.now.v;
  impact.active = step.detection.active;
  impact.r = r;
  impact.jam = data.jammed;
  for (int c : impact.active) {
    const int row = step.detection.row_begin[c];
    const double before = step.detection.H.dot(row, data.v_before) + step.detection.w[row];
    impact.captured.push_back(step.detection.u[row] == 0 && before != 0);
    impact.held.push_back(data.use[c] == kHeld);
  }
  data.history.push_back(std::move(record));
}

}  // namespace

void EventDriven::correct_impact(Step& step) const {
  EventData& data = data_of(step);
  Vector& v = data.now.v;
  data.v_before = v;
  if (step.detection.active.empty()) return;
  data.goes_on = false;
  Vector r = Vector::Zero(step.r.size());
  if (data.jammed && stick_in_jam(step)) {
    data.motion.fix(data.states, r);
    r = data.motion.project_velocity(data.now.t, data.now.q, v);
  } else {
    for (int i = 0; i < step.problem.size(); ++i) r[step.problem.rows()[i]] = step.problem.r[i];
    step.problem.apply_impulses(step.detection, step.matrix, step.problem.r.data(), v);
  }
  step.v_theta = 0.5 * (data.v_before + v);
  add_impulse_work(step, step.v_theta, r);
  step.r += r;
  record_impact(step, r);
  for (int c : step.detection.active) {
    const int row = step.detection.row_begin[c];
    if (step.contacts.list()[c].bilateral) continue;
    data.took_part[c] = 1;
    step.memory[kClosed][c] = 1;  // until its velocity or its acceleration says otherwise
    const double w = step.detection.w[row], before = step.detection.H.dot(row, data.v_before) + w;
    const double after = step.detection.H.dot(row, v) + w;
    if (r[row] > 0) step.impacts.push_back({data.now.t, c, before, after, r[row]});
  }
}

bool EventDriven::next_phase(Step& step) const {
  ++step.repeats;
  return step.phase == kImpact ? after_impact(step) : after_flow(step);
}

bool EventDriven::after_impact(Step& step) const {
  EventData& data = data_of(step);
  if (step.status != Status::converged) return fail(step, "the impact problem was not solved");
  if (data.jammed && (data.now.v - data.v_before).norm() <= 1e-12 * data.now.v.norm()) {
    return fail(step, "no acceleration and no impulse satisfies the contact law");
  }
  data.jammed = false;
  update_velocities(data.now.v, step.detection);
  bool again = false;
  for (int c : step.detection.active) again = again || approaches(step, c);
  if (again && ++data.at_once > 2 * kMostAtOnce) return fail(step, "impacts do not end");
  step.phase = again ? kImpact : kFlow;
  return true;
}

// An impact without collision instead of accelerations that do not exist (eq:jam).
bool EventDriven::jam(Step& step, const std::string& why) const {
  EventData& data = data_of(step);
  if (data.now.t <= data.jam_time) return fail(step, why);
  data.jam_time = data.now.t;
  data.jammed = true;
  data.goes_on = false;
  data.problem_failed = false;
  step.status = Status::converged;  // of the problem that is given up
  step.earlier = {};
  step.phase = kImpact;
  return true;
}

bool EventDriven::fail(Step& step, const std::string& why) const {
  data_of(step).failed = true;
  step.status = Status::numerical_failure;
  step.solve.note = fmt::format("at t = {} s: {}", data_of(step).now.t, why);
  return false;
}

void EventDriven::audit(Step& step) const {
  EventData& data = data_of(step);
  step.end.q = data.now.q;
  step.end.v = data.now.v;
  evaluate_forces(step.system, step.end);
  step.end.energies = step.system.energies(step.end.t, step.end.q, step.end.v);
  EnergyAudit& energy = step.energy;
  energy.kinetic = step.end.energies.kinetic;
  energy.potential = step.end.energies.potential;
  energy.numerical = data.projected;
  add_appearing(step);
  energy.work_external += step.fed;
  energy.error = energy.kinetic + energy.potential - step.start.energies.kinetic -
                 step.start.energies.potential - energy.work_external - energy.work_damping -
                 energy.work_contact - energy.work_impact - energy.work_friction - energy.numerical;
  // For whoever reads the step: velocities at its ends, contacts that were closed in between.
  Detection& detection = step.detection;
  update_contact_map(step.contacts, step.end.t, step.end.q, detection);
  update_velocities(step.end.v, detection);
  step.u_end = detection.u;
  update_contact_map(step.contacts, step.start.t, step.start.q, detection);
  update_velocities(step.start.v, detection);
  detection.active.clear();
  for (int c = 0; c < detection.gap.size(); ++c) {
    if (step.contacts.list()[c].bilateral || data.took_part[c]) detection.active.push_back(c);
  }
}

}  // namespace clack
