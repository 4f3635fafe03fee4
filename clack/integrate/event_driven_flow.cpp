// The flow phase of the event-driven scheme: states from accelerations, then the smooth motion.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "clack/integrate/event_data.hpp"
#include "clack/integrate/event_driven.hpp"

namespace clack {
namespace {

constexpr double kSlipRest = 1e-10;  // relative slip that counts as none
constexpr double kSwitch = 1e-10;    // relative acceleration that counts as none
constexpr int kMostStalls = 50;      // decisions at one instant

// The sizes of the terms that add up in the acceleration of a row.
double acceleration_scale(const Step& step, int row) {
  return step.detection.H.abs_dot(row, step.v_free) + std::abs(step.w_next[row]);
}

}  // namespace

// Whether friction acts on accelerations: no slip yet.
bool EventDriven::starts_from_rest(const Step& step, int c) const {
  const EventData& data = data_of(step);
  const Contact& contact = step.contacts.list()[c];
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
    const Contact& contact = step.contacts.list()[c];
    const double u = step.detection.u[step.detection.row_begin[c]];
    const bool leaves = !contact.bilateral && u > data.rest(c);
    if (leaves || !is_closed(step, c)) continue;
    active.push_back(c);
    const bool law = contact.bilateral || (has_friction(contact) && starts_from_rest(step, c));
    data.use[c] = law ? kByLaw : kNormalOnly;
  }
}

// The force of a sliding contact acts along H_N - mu H_T d.
void EventDriven::set_sliding_columns(Step& step) const {
  EventData& data = data_of(step);
  step.matrix.forget_columns();
  for (int c : step.detection.active) {
    const Contact& contact = step.contacts.list()[c];
    if (data.use[c] == kByLaw || !has_friction(contact)) continue;
    const int row = step.detection.row_begin[c];
    const double* u = step.detection.u.data() + row + 1;
    const double slip = length(u, contact.tangents), mu = contact.law.mu.at(slip);
    step.detection.H.column(row, step.work);
    for (int k = 0; k < contact.tangents; ++k) {
      data.states[c].direction[k] = u[k] / slip;
      step.detection.H.add_to(row + 1 + k, -mu * u[k] / slip, step.work);
    }
    step.matrix.set_column(row, step.work);
  }
}

// How far multipliers and slip may go beyond their limits; `none` is an acceleration [m/s^2].
void EventDriven::set_slacks(Step& step, int i, double none) const {
  EventData& data = data_of(step);
  const int c = step.detection.active[i];
  ContactState& state = data.states[c];
  const ReducedProblem problem = step.problem.view();
  double block[Cone::kMaxDim * Cone::kMaxDim];
  problem.W->diagonal_block(problem.offset[i], problem.cones[i].dim(), block);
  state.force_slack = 10 * none / std::abs(block[0]) + 1e-30;
  const double tolerance = options().flow_tolerance, speed = data.scale[c];
  state.slip_slack = step.contacts.list()[c].tangents == 2 ? 0.5 * kSlipRest * speed + tolerance
                                                           : tolerance * std::max(1.0, speed);
}

// Opens, slides or sticks: by the solution of the problem on accelerations.
void EventDriven::decide_state(Step& step, int i) const {
  EventData& data = data_of(step);
  const int c = step.detection.active[i], row = step.detection.row_begin[c];
  const ReducedProblem problem = step.problem.view();
  const int begin = problem.offset[i], dim = problem.cones[i].dim();
  double scale = 0;
  for (int k = 0; k < dim; ++k) scale = std::max(scale, acceleration_scale(step, row + k));
  const double none = std::max(kSwitch, 10 * step.solve.residual_scaled) * scale;
  set_slacks(step, i, none);
  const bool opens = !(step.problem.r[begin] > 0) && step.problem.u[begin] > none;
  const bool slides = data.use[c] == kNormalOnly && has_friction(step.contacts.list()[c]);
  data.states[c].mode = opens    ? ContactMode::open
                        : slides ? ContactMode::sliding
                                 : ContactMode::sticking;
  if (!opens && dim > 1) begin_to_slide(step, i, none);
}

// A contact without slip slides off where friction is at its limit and does not hold it. By the law
// the slip is opposite to friction, which is known more sharply.
void EventDriven::begin_to_slide(Step& step, int i, double none) const {
  ContactState& state = data_of(step).states[step.detection.active[i]];
  const ReducedProblem problem = step.problem.view();
  const int begin = problem.offset[i], tangents = problem.cones[i].dim() - 1;
  const double *r = step.problem.r.data() + begin, *a = step.problem.u.data() + begin;
  const double friction = length(r + 1, tangents), slip = length(a + 1, tangents);
  const bool at_limit = friction >= problem.cones[i].mu() * r[0] * (1 - 1e-8);
  if (!at_limit || !(slip > none)) return;
  state.mode = ContactMode::sliding;
  for (int k = 0; k < tangents; ++k) {
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
    if (!step.contacts.list()[c].bilateral) decide_state(step, i);
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
  step.contacts.gaps(now.t, now.q, now.gap);
  const double round_off = 1e-15 * (1 + now.q.cwiseAbs().maxCoeff());
  for (int c = 0; c < now.gap.size(); ++c) {
    data.states[c].gap_slack = round_off + std::max(0.0, -now.gap[c]);
  }
  data.motion.fix(data.states, data.multipliers);
  data.flow.restart(data.motion, now.t, now.q, now.v);
}

namespace {

FlowRecord open_record(const EventData& data) {
  FlowRecord record;
  record.begin = data.now.t;
  record.q = data.now.q;
  record.v = data.now.v;
  record.states = data.motion.states();
  record.multipliers = data.multipliers;
  return record;
}

void close_record(EventData& data, FlowRecord record) {
  record.end = data.now.t;
  record.q_end = data.now.q;
  record.v_end = data.now.v;
  for (int c = 0; c < static_cast<int>(record.states.size()); ++c) {
    for (Flow::Root root : {Flow::Root::normal, Flow::Root::tangential}) {
      if (data.end == Flow::End::event && data.flow.fired(c, root))
        record.fired.push_back({c, root});
    }
  }
  data.history.push_back({.is_impact = false, .flow = std::move(record), .impact = {}});
}

}  // namespace

void EventDriven::flow(Step& step) const {
  EventData& data = data_of(step);
  const double begin = data.now.t;
  data.scale.setZero();
  if (step.end.t - begin <= 1e-14 * std::max(1.0, std::abs(begin))) {  // an event at the very end
    data.end = Flow::End::reached;
    return;
  }
  if (!data.goes_on) restart(step);
  FlowRecord record = open_record(data);
  data.end = data.flow.advance(step.end.t, data.now.t, data.now.q, data.now.v);
  data.goes_on = data.end == Flow::End::reached;
  const FlowWorks& works = data.flow.works();
  step.energy.work_external += works.external;
  step.energy.work_damping += works.damping;
  step.energy.work_contact += works.contact;
  step.energy.work_impact += works.normal;
  step.energy.work_friction += works.friction;
  step.drive_work += data.flow.drive_works();
  step.r += data.flow.impulses();
  if (data.now.t > begin) data.at_once = 0;
  data.stalls = data.now.t > begin ? 0 : data.stalls + 1;
  close_record(data, std::move(record));
  if (data.end == Flow::End::reached) settle(step);
}

bool EventDriven::after_flow(Step& step) const {
  EventData& data = data_of(step);
  if (data.problem_failed) return jam(step, "no acceleration satisfies the contact law");
  if (data.end == Flow::End::failed && data.flow.lost_a_gap()) {
    return fail(step, data.flow.failure());
  }
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

}  // namespace clack
