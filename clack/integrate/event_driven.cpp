#include "clack/integrate/event_driven.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "clack/core/error.hpp"
#include "clack/integrate/flow.hpp"
#include "clack/integrate/stages.hpp"

namespace clack {
namespace {

constexpr double kRest = 1e-11;      // relative velocity that counts as none
constexpr double kSlipRest = 1e-10;  // the same for slip
constexpr double kSwitch = 1e-10;    // relative acceleration that counts as none
constexpr double kAhead = 1e-3;    // change of velocity to which an impact without collision looks
constexpr int kMostAtOnce = 50;    // impacts at one instant before all become inelastic
constexpr int kMostStalls = 50;    // decisions at one instant
constexpr double kLowFlight = 10;  // times the tolerance: lower rebounds cannot be resolved

}  // namespace

// What the scheme keeps within a step, and the integrator from step to step.
struct EventData final : SchemeData {
  EventData(const Step& step, const SchemeOptions& options)
      : now(step.end),
        states(step.system.contacts().size()),
        motion(step.system),
        flow(step.system, options.flow_tolerance, step.h),
        use(step.system.contacts().size(), kByLaw),
        took_part(use),
        scale(Vector::Zero(static_cast<int>(use.size()))),
        bias(Vector::Zero(step.system.rows())),
        multipliers(bias),
        drift(2 * options.flow_tolerance) {}

  // A normal velocity that counts as none [m/s]: more than a closed contact drifts in a flow.
  double rest(int contact) const { return kRest * scale[contact] + drift; }

  StatePoint now;  // where the step stands
  std::vector<ContactState> states;
  ContactMotion motion;
  Flow flow;
  bool goes_on = false;  // nothing has changed since the flow stopped
  Flow::End end = Flow::End::reached;
  std::vector<char> use;        // how the problem takes a contact
  std::vector<char> took_part;  // contacts that were closed at some time of the step
  Vector scale;                 // size of the terms in a contact's velocity [m/s]
  Vector bias;                  // rows, dH'/dt v + dw/dt
  Vector multipliers;           // rows, of the problem on accelerations
  Vector v_before;              // before an impact
  bool jammed = false;          // the next impact is one without collision
  bool problem_failed = false;  // on accelerations
  bool failed = false;
  int events = 0, at_once = 0, stalls = 0;
  double drift;  // [m/s]
  double jam_time = -HUGE_VAL;
  double projected = 0;  // energy that projections have added [J]
};

namespace {

EventData& data_of(Step& step) { return static_cast<EventData&>(*step.data); }
const EventData& data_of(const Step& step) { return static_cast<const EventData&>(*step.data); }

double length(const double* x, int n) { return n == 2 ? std::hypot(x[0], x[1]) : std::abs(x[0]); }

// The size of what adds up in the velocities of a contact.
double velocity_scale(const Detection& detection, const Contact& contact, int begin,
                      const Vector& v) {
  double worst = 0;
  for (int row = begin; row < begin + contact.dim(); ++row) {
    worst = std::max(
        worst, detection.H.col(row).cwiseAbs().dot(v.cwiseAbs()) + std::abs(detection.w[row]));
  }
  return worst;
}

}  // namespace

void EventDriven::check(const System& system) const {
  if (system.nq() == system.nv()) return;
  throw InputError(
      fmt::format("scheme 'event-driven' needs velocities that are the rates of the coordinates; "
                  "this system has {} coordinates and {} velocities",
                  system.nq(), system.nv()));
}

void EventDriven::initialise(Step& step) const {
  const int contacts = static_cast<int>(step.system.contacts().size());
  step.memory.add("closed", Vector::Zero(contacts));
  step.memory.add("last_impact", Vector::Constant(contacts, -HUGE_VAL));
  step.data = std::make_unique<EventData>(step, options());
}

void EventDriven::begin(Step& step) const {
  EventData& data = data_of(step);
  data.now.t = step.start.t;
  data.now.q = step.start.q;
  data.now.v = step.start.v;
  data.events = data.at_once = data.stalls = 0;
  data.failed = false;
  data.projected = 0;
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
  update_contact_map(step.system, data.now.t, data.now.q, detection);
  if (detection.map_changed) step.matrix.forget_columns();
  if (step.system.has_constant_contact_map()) detection.map_changed = false;
  step.system.gaps(data.now.t, data.now.q, detection.gap);
  update_velocities(data.now.v, detection);
  for (int c = 0; c < detection.gap.size(); ++c) {
    const double scale =
        velocity_scale(detection, step.system.contacts()[c], detection.row_begin[c], data.now.v);
    data.scale[c] = std::max(data.scale[c], scale);
  }
  if (step.system.is_linear() && step.matrix.is_factorised()) return;
  step.system.mass(data.now.t, data.now.q, step.M);
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
  return step.system.contacts()[c].bilateral ? std::abs(u) > rest : u < -rest;
}

bool is_closed(const Step& step, int c, double tolerance) {
  return step.system.contacts()[c].bilateral || step.memory[0][c] > 0 ||
         step.detection.gap[c] <= tolerance;
}

}  // namespace

void EventDriven::detect_impact(Step& step) const {
  EventData& data = data_of(step);
  std::vector<int>& active = step.detection.active;
  active.clear();
  bool needed = data.jammed;
  for (int c = 0; c < step.detection.gap.size(); ++c) {
    if (!is_closed(step, c, options().activation_tolerance)) continue;
    active.push_back(c);
    needed = needed || approaches(step, c);
  }
  if (!needed) active.clear();
  int hits = 0, captured = 0;
  for (int c : active) {
    if (step.system.contacts()[c].bilateral) continue;
    const bool hit = approaches(step, c);
    captured += capture(step, c) && hit;
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
bool EventDriven::capture(Step& step, int c) const {
  EventData& data = data_of(step);
  double& u = step.detection.u[step.detection.row_begin[c]];
  double& last = step.memory[kLastImpact][c];
  const double flight = data.now.t - last, size = 1 + data.now.q.cwiseAbs().maxCoeff();
  const double lowest =
      std::max(options().activation_tolerance, kLowFlight * options().flow_tolerance * size);
  bool captured = data.jammed || data.events > options().max_events || data.at_once > kMostAtOnce ||
                  step.detection.gap[c] < -lowest;
  if (approaches(step, c) && flight > 0) {
    const bool is_low = 0.25 * std::abs(u) * flight <= lowest || flight <= options().capture_time;
    captured = captured || is_low;
    last = data.now.t;
  }
  if (captured) u = 0;
  return captured;
}

// Whether friction acts on accelerations: no slip yet.
bool EventDriven::starts_from_rest(const Step& step, int c) const {
  const EventData& data = data_of(step);
  const Contact& contact = step.system.contacts()[c];
  const ContactState& state = data.states[c];
  const double slip =
      length(step.detection.u.data() + step.detection.row_begin[c] + 1, contact.tangents);
  const bool stopped = data.end == Flow::End::event && state.mode == ContactMode::sliding &&
                       data.flow.fired(c, Flow::Root::tangential);
  const bool sticks = data.goes_on && state.mode == ContactMode::sticking;
  const double rest = kSlipRest * data.scale[c] + 4 * options().flow_tolerance;
  return stopped || sticks || slip <= std::max(rest, 2 * state.slip_slack);
}

void EventDriven::detect_flow(Step& step) const {
  EventData& data = data_of(step);
  std::vector<int>& active = step.detection.active;
  active.clear();
  for (int c = 0; c < step.detection.gap.size(); ++c) {
    const Contact& contact = step.system.contacts()[c];
    const double u = step.detection.u[step.detection.row_begin[c]];
    const bool leaves = !contact.bilateral && u > data.rest(c);
    if (leaves || !is_closed(step, c, options().activation_tolerance)) continue;
    active.push_back(c);
    const bool law = contact.bilateral || (has_friction(contact) && starts_from_rest(step, c));
    data.use[c] = law ? kByLaw : kNormalOnly;
  }
}

void EventDriven::predict(Step& step) const {
  EventData& data = data_of(step);
  evaluate_forces(step.system, data.now);
  step.system.contact_bias(data.now.t, data.now.q, data.now.v, data.bias);
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

// The force of a sliding contact acts along H_N - mu H_T d.
void EventDriven::set_sliding_columns(Step& step) const {
  EventData& data = data_of(step);
  step.matrix.forget_columns();
  for (int c : step.detection.active) {
    const Contact& contact = step.system.contacts()[c];
    if (data.use[c] == kByLaw || !has_friction(contact)) continue;
    const int row = step.detection.row_begin[c];
    const double* u = step.detection.u.data() + row + 1;
    const double slip = length(u, contact.tangents), mu = contact.law.mu.at(slip);
    step.work = step.detection.H.col(row);
    for (int k = 0; k < contact.tangents; ++k) {
      data.states[c].direction[k] = u[k] / slip;
      step.work -= mu * u[k] / slip * step.detection.H.col(row + 1 + k);
    }
    step.matrix.set_column(row, step.work);
  }
}

void EventDriven::assemble(Step& step) const {
  if (step.phase == kImpact) {
    step.matrix.forget_columns();
    step.problem.build(step.system, step.detection, step.matrix, step.v_free, step.w_next, {},
                       data_of(step).use);
  } else {
    step.problem.build(step.system, step.detection, step.matrix, step.v_free, step.w_next,
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

void EventDriven::correct_impact(Step& step) const {
  EventData& data = data_of(step);
  if (step.detection.active.empty()) return;
  Vector& v = data.now.v;
  data.v_before = v;
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
  for (int c : step.detection.active) {
    const int row = step.detection.row_begin[c];
    if (step.system.contacts()[c].bilateral) continue;
    data.took_part[c] = 1;
    step.memory[kClosed][c] = 1;  // until its velocity or its acceleration says otherwise
    const auto normal = step.detection.H.col(row);
    const double w = step.detection.w[row], before = normal.dot(data.v_before) + w;
    if (r[row] > 0) step.impacts.push_back({data.now.t, c, before, normal.dot(v) + w});
  }
}

namespace {

// The sizes of the terms that add up in the acceleration of a row.
double acceleration_scale(const Step& step, int row) {
  return step.detection.H.col(row).cwiseAbs().dot(step.v_free.cwiseAbs()) +
         std::abs(step.w_next[row]);
}

}  // namespace

// Opens, slides or sticks: by the solution of the problem on accelerations.
void EventDriven::decide_state(Step& step, int i) const {
  EventData& data = data_of(step);
  const int c = step.detection.active[i], row = step.detection.row_begin[c];
  const Contact& contact = step.system.contacts()[c];
  ContactState& state = data.states[c];
  const ReducedProblem problem = step.problem.view();
  const int begin = problem.offset[i], dim = problem.cones[i].dim();
  const double *r = step.problem.r.data() + begin, *a = step.problem.u.data() + begin;
  double block[Cone::kMaxDim * Cone::kMaxDim];
  problem.W->diagonal_block(begin, dim, block);
  const double none = std::max(kSwitch, 10 * step.solve.residual_scaled);
  double scale = acceleration_scale(step, row);
  for (int k = 1; k < dim; ++k) scale = std::max(scale, acceleration_scale(step, row + k));
  state.force_slack = 10 * none * scale / std::abs(block[0]) + 1e-30;
  const double speed = data.scale[c];
  state.slip_slack = contact.tangents == 2 ? 0.5 * kSlipRest * speed + options().flow_tolerance
                                           : options().flow_tolerance * std::max(1.0, speed);
  if (!(r[0] > 0) && a[0] > none * scale) {
    state.mode = ContactMode::open;
    return;
  }
  state.mode = ContactMode::sticking;
  if (!has_friction(contact)) return;
  if (data.use[c] == kNormalOnly) {
    state.mode = ContactMode::sliding;
    return;
  }
  // By the law the slip that begins is opposite to friction, which is known more sharply.
  const double friction = length(r + 1, dim - 1), slip = length(a + 1, dim - 1);
  const bool at_limit = friction >= problem.cones[i].mu() * r[0] * (1 - 1e-8);
  if (!at_limit || !(slip > none * scale)) return;
  state.mode = ContactMode::sliding;
  for (int k = 0; k < dim - 1; ++k) {
    state.direction[k] = friction > 0 ? -r[1 + k] / friction : a[1 + k] / slip;
  }
}

// The states of all contacts; whether any has changed.
bool EventDriven::decide_states(Step& step) const {
  EventData& data = data_of(step);
  const std::vector<ContactState> before = data.states;
  std::vector<char> active(before.size(), 0);
  for (int i = 0; i < step.problem.contacts(); ++i) {
    const int c = step.detection.active[i];
    active[c] = 1;
    if (!step.system.contacts()[c].bilateral) decide_state(step, i);
  }
  bool changed = false;
  for (std::size_t c = 0; c < before.size(); ++c) {
    ContactState& state = data.states[c];
    if (!active[c]) state.mode = ContactMode::open;
    step.memory[kClosed][static_cast<int>(c)] = state.mode != ContactMode::open;
    if (state.mode != ContactMode::open) data.took_part[c] = 1;
    changed = changed || state.mode != before[c].mode;
  }
  return changed;
}

// Constraints and closed contacts exactly where they belong, if they are not.
void EventDriven::settle(Step& step) const {
  EventData& data = data_of(step);
  StatePoint& now = data.now;
  if (!(data.motion.violation(now.t, now.q, now.v) > 0.5 * options().flow_tolerance)) return;
  const Energies before = step.system.energies(now.t, now.q, now.v);
  data.motion.project(now.t, now.q, now.v);
  const Energies after = step.system.energies(now.t, now.q, now.v);
  data.projected += after.kinetic + after.potential - before.kinetic - before.potential;
  data.goes_on = false;
}

void EventDriven::correct_flow(Step& step) const {
  EventData& data = data_of(step);
  data.problem_failed = step.solve.status != Status::converged;
  if (data.problem_failed) return;
  if (decide_states(step)) data.goes_on = false;
  if (!data.goes_on) {
    data.multipliers.setZero();
    for (int i = 0; i < step.problem.size(); ++i) {
      data.multipliers[step.problem.rows()[i]] = step.problem.r[i];
    }
    data.motion.fix(data.states, data.multipliers);
  }
  settle(step);
  flow(step);
}

// An open contact starts from a value > 0, so that its next change of sign is seen.
void EventDriven::restart(Step& step) const {
  EventData& data = data_of(step);
  StatePoint& now = data.now;
  step.system.gaps(now.t, now.q, now.gap);
  const double round_off = 1e-15 * (1 + now.q.cwiseAbs().maxCoeff());
  for (int c = 0; c < now.gap.size(); ++c) {
    data.states[c].gap_slack = round_off + std::max(0.0, -now.gap[c]);
  }
  data.motion.fix(data.states, data.multipliers);
  data.flow.restart(data.motion, now.t, now.q, now.v);
}

void EventDriven::flow(Step& step) const {
  EventData& data = data_of(step);
  const double begin = data.now.t;
  data.scale.setZero();
  if (step.end.t - begin <= 1e-14 * std::max(1.0, std::abs(begin))) {  // an event at the very end
    data.end = Flow::End::reached;
    return;
  }
  if (!data.goes_on) restart(step);
  data.end = data.flow.advance(step.end.t, data.now.t, data.now.q, data.now.v);
  data.goes_on = data.end == Flow::End::reached;
  const FlowWorks& works = data.flow.works();
  step.energy.work_external += works.external;
  step.energy.work_damping += works.damping;
  step.energy.work_contact += works.contact;
  step.energy.work_impact += works.normal;
  step.energy.work_friction += works.friction;
  step.r += data.flow.impulses();
  if (data.now.t > begin) data.at_once = 0;
  data.stalls = data.now.t > begin ? 0 : data.stalls + 1;
  if (data.end == Flow::End::reached) settle(step);
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

bool EventDriven::after_flow(Step& step) const {
  EventData& data = data_of(step);
  if (data.problem_failed) return jam(step, "no acceleration satisfies the contact law");
  if (data.end == Flow::End::failed) return jam(step, data.flow.failure());
  if (data.end == Flow::End::reached) return false;
  if (++data.events > 2 * options().max_events || data.stalls > kMostStalls) {
    return fail(step, fmt::format("{} events within a step", data.events));
  }
  for (int c = 0; c < step.detection.gap.size(); ++c) {
    if (data.flow.fired(c, Flow::Root::normal)) step.memory[kClosed][c] = 1;
  }
  step.phase = kImpact;
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
  step.earlier_residual = step.earlier_residual_scaled = 0;
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
  energy.error = energy.kinetic + energy.potential - step.start.energies.kinetic -
                 step.start.energies.potential - energy.work_external - energy.work_damping -
                 energy.work_contact - energy.work_impact - energy.work_friction - energy.numerical;
  // For whoever reads the step: velocities at its ends, contacts that were closed in between.
  Detection& detection = step.detection;
  update_contact_map(step.system, step.end.t, step.end.q, detection);
  update_velocities(step.end.v, detection);
  step.u_end = detection.u;
  update_contact_map(step.system, step.start.t, step.start.q, detection);
  update_velocities(step.start.v, detection);
  detection.active.clear();
  for (int c = 0; c < detection.gap.size(); ++c) {
    if (step.system.contacts()[c].bilateral || data.took_part[c]) detection.active.push_back(c);
  }
}

}  // namespace clack
