#include "clack/analyse/orbits/flow_map.hpp"

#include <fmt/format.h>

#include <cmath>

#include "clack/core/error.hpp"
#include "clack/integrate/event_data.hpp"

namespace clack {
namespace {

Vector stacked(const Vector& q, const Vector& v) {
  Vector z(q.size() + v.size());
  z << q, v;
  return z;
}

bool same_modes(const std::vector<ContactState>& a, const std::vector<ContactState>& b) {
  for (std::size_t c = 0; c < a.size(); ++c) {
    if (a[c].mode != b[c].mode) return false;
    const bool sliding = a[c].mode == ContactMode::sliding;
    if (sliding &&
        a[c].direction[0] * b[c].direction[0] + a[c].direction[1] * b[c].direction[1] < 0)
      return false;
  }
  return true;
}

// Puts the records of steps together to phases.
class SequenceBuilder {
 public:
  SequenceBuilder(const std::vector<Contact>& contacts, MappedFlow& flow)
      : contacts_(contacts), flow_(flow) {}

  void add(const EventRecord& record) {
    if (record.is_impact) {
      add_impact(record.impact);
    } else {
      add_flow(record.flow);
    }
  }

 private:
  void add_impact(const ImpactRecord& impact) {
    if (impact.r.size() == 0 || impact.r.cwiseAbs().maxCoeff() == 0) return;
    ++flow_.impacts;
    if (impact.jam) complain("an impact without collision has no derivative here", impact.t);
    if (flow_.phases.empty()) {
      complain("the motion starts with an impact; start between two events", impact.t);
      return;
    }
    find_event(impact);
    flow_.phases.back().impacts.push_back(impact);
  }

  // An impact just at the end of a step has no event: the contact closed without a root of its gap.
  void find_event(const ImpactRecord& impact) {
    ContactPhase& phase = flow_.phases.back();
    if (phase.has_event) return;
    int closed = 0;
    for (std::size_t i = 0; i < impact.active.size(); ++i) {
      const int c = impact.active[i];
      if (phase.states[static_cast<std::size_t>(c)].mode != ContactMode::open || is_constraint(c))
        continue;
      phase.has_event = true;
      phase.event = {c, Flow::Root::normal};
      phase.end = impact.t;
      ++closed;
    }
    if (closed > 1)
      complain("two contacts change at the same instant: their order is not defined", impact.t);
  }
  bool is_constraint(int c) const { return contacts_[static_cast<std::size_t>(c)].bilateral; }

  void add_flow(const FlowRecord& record) {
    const double short_time = 1e-13 * std::max(1.0, std::abs(record.begin));
    if (record.end - record.begin > short_time) {
      const bool goes_on = !flow_.phases.empty() && flow_.phases.back().impacts.empty() &&
                           same_modes(flow_.phases.back().states, record.states);
      if (!goes_on) begin_phase(record);
      flow_.phases.back().end = record.end;
      flow_.phases.back().has_event = false;
    } else if (flow_.phases.empty() || !flow_.phases.back().impacts.empty()) {
      return;  // a state that lasts for no time
    }
    if (!record.fired.empty() && !flow_.phases.empty()) end_phase(record);
  }

  void begin_phase(const FlowRecord& record) {
    if (!flow_.phases.empty() && !flow_.phases.back().has_event)
      complain("contacts change their states without an event", record.begin);
    ContactPhase phase;
    phase.begin = record.begin;
    phase.z = stacked(record.q, record.v);
    phase.states = record.states;
    phase.multipliers = record.multipliers;
    flow_.phases.push_back(std::move(phase));
  }

  void end_phase(const FlowRecord& record) {
    ContactPhase& phase = flow_.phases.back();
    if (phase.has_event) return;  // the first event counts
    phase.has_event = true;
    phase.event = record.fired.front();
    phase.end = record.end;
    if (record.fired.size() > 1)
      complain("two contacts change at the same instant: their order is not defined", record.end);
  }

  void complain(const char* what, double t) {
    if (flow_.not_smooth.empty()) flow_.not_smooth = fmt::format("at t = {:.9g} s {}", t, what);
  }

  const std::vector<Contact>& contacts_;
  MappedFlow& flow_;
};

// Integrates (eq:variational) along the phases and multiplies by (eq:saltation) between them.
std::string differentiate(PhaseMotion& motion, MappedFlow& flow, double end) {
  const int n = motion.size();
  flow.Phi = Matrix::Identity(n, n);
  for (std::size_t i = 0; i < flow.phases.size(); ++i) {
    const ContactPhase& phase = flow.phases[i];
    const bool last = i + 1 == flow.phases.size();
    Vector z = phase.z;
    Matrix Phi, S;
    motion.enter(phase);
    std::string fault = motion.flow(phase.begin, last ? end : phase.end, z, &Phi);
    if (!fault.empty()) return fault;
    flow.Phi = Phi * flow.Phi;
    if (last) break;
    const ContactPhase& next = flow.phases[i + 1];
    fault = compute_saltation(motion, phase, next, phase.end, z, next.z, S);
    if (!fault.empty()) return fault;
    flow.Phi = S * flow.Phi;
  }
  return {};
}

void set_approach(PhaseMotion& motion, MappedFlow& flow) {
  for (std::size_t i = 0; i + 1 < flow.phases.size(); ++i) {
    const ContactPhase& phase = flow.phases[i];
    if (phase.impacts.empty()) continue;
    motion.enter(phase);
    const ImpactRecord& first = phase.impacts.front();
    const double approach = motion.approach(phase.end, stacked(first.q, first.v));
    flow.slowest_approach = std::min(flow.slowest_approach, std::abs(approach));
  }
}

}  // namespace

Vector sequence_scale(const std::vector<ContactPhase>& phases, const Vector& end) {
  Vector scale = end.cwiseAbs();
  const int n = static_cast<int>(end.size()) / 2;
  for (const ContactPhase& phase : phases) {
    scale = scale.cwiseMax(phase.z.cwiseAbs());
    const double duration = std::abs(phase.end - phase.begin);
    scale.head(n) = scale.head(n).cwiseMax(0.1 * duration * phase.z.tail(n).cwiseAbs());
  }
  for (int half = 0; half < 2; ++half) {  // what rests is measured by the others
    const double largest = scale.segment(half * n, n).maxCoeff();
    const double least = largest > 0 ? 1e-3 * largest : 1.0;
    scale.segment(half * n, n) = scale.segment(half * n, n).cwiseMax(least);
  }
  return scale;
}

void FlowMapOptions::validate() const {
  if (steps < 1)
    throw InputError(fmt::format("steps of a flow map: {}; there must be one or more", steps));
}

FlowMap::FlowMap(std::shared_ptr<const System> system, FlowMapOptions options)
    : system_(std::move(system)), options_(std::move(options)) {
  options_.validate();
  options_.simulation.scheme = "event-driven";
  options_.simulation.record_timings = false;
  options_.simulation.adaptive.reset();
  if (system_->nq() != system_->nv()) {
    throw InputError(fmt::format(
        "orbits need as many coordinates as velocities; the system has {} and {} (bodies in space "
        "have quaternions)",
        system_->nq(), system_->nv()));
  }
  const ContactSet contacts(*system_);
  if (contacts.is_dynamic())
    throw InputError("orbits need a fixed list of contacts; those of rigid bodies come and go");
  if (contacts.has_laws())
    throw InputError("orbits know contacts with e_n, e_t and mu; one has a law of its own");
}

MappedFlow FlowMap::compute(const State& start, double duration, bool derivative) const {
  MappedFlow flow;
  SimulationOptions options = options_.simulation;
  options.h = duration / options_.steps;
  Simulation simulation(system_, start, options);
  SequenceBuilder builder(simulation.last_step().contacts.list(), flow);
  for (int k = 1; k <= options_.steps; ++k) {
    flow.status = simulation.step_to(start.t + duration * k / options_.steps, options.h);
    for (const EventRecord& record : data_of(simulation.last_step()).history) builder.add(record);
    const Vector& gap = simulation.last_step().end.gap;
    if (gap.size() > 0) flow.lowest_gap = std::min(flow.lowest_gap, gap.minCoeff());
    if (flow.status == Status::converged) continue;
    flow.note =
        fmt::format("the event-driven motion stopped: {}", simulation.last_step().solve.note);
    return flow;
  }
  flow.end = {simulation.time(), simulation.q(), simulation.v()};
  if (flow.phases.empty()) {
    flow.not_smooth = "nothing moved";
    return flow;
  }
  const ContactPhase& last = flow.phases.back();
  if (last.has_event && flow.not_smooth.empty()) flow.not_smooth = "the motion ends with an event";
  const Vector z_end = stacked(flow.end.q, flow.end.v);
  PhaseMotion motion(system_, sequence_scale(flow.phases, z_end), tolerance());
  set_approach(motion, flow);
  motion.enter(flow.phases.front());
  (void)motion.rate(start.t, stacked(start.q, start.v), flow.begin_rate);
  motion.enter(flow.phases.back());
  (void)motion.rate(flow.end.t, z_end, flow.end_rate);
  if (!derivative || !flow.not_smooth.empty()) return flow;
  flow.not_smooth = differentiate(motion, flow, flow.end.t);
  if (!flow.not_smooth.empty()) flow.Phi.resize(0, 0);
  return flow;
}

}  // namespace clack
