#include "clack/record/section_sampler.hpp"

#include <algorithm>
#include <cmath>

#include "clack/integrate/event_data.hpp"
#include "clack/record/contact_events.hpp"

namespace clack {
namespace {

double largest(std::span<const double> values) {
  double result = 0;
  for (double x : values) result = std::max(result, std::abs(x));
  return result;
}

Vector copy(std::span<const double> values) {
  return ConstVectorMap(values.data(), static_cast<Eigen::Index>(values.size()));
}

}  // namespace

SectionSampler::SectionSampler(const Scene& scene, Plan plan)
    : scene_(scene),
      plan_(std::move(plan)),
      located_(scene.options.scheme == "event-driven" && !scene.world) {
  const std::vector<Contact>& contacts = scene.system->contacts();
  for (const Contact& contact : contacts)
    friction_.push_back(has_friction(contact) || contact.law.own != nullptr);
}

void SectionSampler::cover(const Run& run) { size_.cover({largest(run.q()), largest(run.v())}); }

void SectionSampler::start(const Run& run) {
  before_ = run.time();
  cover(run);
  ResultsHeader header;  // has the names that ids of events stand for
  run.describe(header);
  const std::vector<Contact>& contacts = scene_.system->contacts();
  for (const std::string& name : header.contact_names) {
    const auto found = std::find_if(contacts.begin(), contacts.end(),
                                    [&](const Contact& contact) { return contact.name == name; });
    contact_of_.push_back(found == contacts.end() ? -1
                                                  : static_cast<int>(found - contacts.begin()));
  }
}

void SectionSampler::add(Run& run) {
  cover(run);
  const double before = std::exchange(before_, run.time());
  if (located_) {
    add_located(run, before);
  } else {
    add_step(run, before);
  }
  if (plan_.section != SweepSection::period || full()) return;
  const bool transient = run.time() - plan_.from < 0.5 * (run.time() - before);
  if (transient || run.steps() % plan_.steps_per_period != 0) return;
  SectionPoint point;
  point.t = run.time();
  point.q = copy(run.q());
  point.v = copy(run.v());
  point.impacts = impacts_;
  point.sticks = sticks_;
  points_.push_back(std::move(point));
}

void SectionSampler::add_time(double duration, bool closed, bool sticks, bool slides) {
  time_ += duration;
  if (closed) closed_ += duration;
  if (sticks) stick_time_ += duration;
  if (slides) slide_time_ += duration;
}

void SectionSampler::add_impact(double t, const Vector& q, const Vector& v, const EventRow& event) {
  if (t < plan_.from) return;
  ++impacts_;
  if (plan_.section != SweepSection::impact || full()) return;
  const bool named = event.id >= 0 && event.id < static_cast<int>(contact_of_.size());
  const int contact = named ? contact_of_[static_cast<std::size_t>(event.id)] : -1;
  const std::vector<Contact>& contacts = scene_.system->contacts();
  const bool asked =
      plan_.contact.empty() ||
      (contact >= 0 && contacts[static_cast<std::size_t>(contact)].name == plan_.contact);
  if (!asked) return;
  SectionPoint point{t, q, v, contact, event.u_before[0], event.u_after[0], impacts_, sticks_};
  points_.push_back(std::move(point));
}

// In the order in which the scheme went through them.
void SectionSampler::add_located(Run& run, double before) {
  if (run.simulation() == nullptr) return;
  const Step& step = run.simulation()->last_step();
  const std::span<const EventRow> events = run.events();
  const int first = first_stated(step);
  sticking_.resize(friction_.size(), 0);
  std::size_t next = 0;  // impact among the events
  for (const EventRecord& record : data_of(step).history) {
    if (record.is_impact) {
      const ImpactRecord& impact = record.impact;
      for (; next < events.size() && events[next].kind == EventKind::impact &&
             events[next].time <= impact.t;
           ++next)
        add_impact(impact.t, impact.q, impact.v_after, events[next]);
      continue;
    }
    const FlowRecord& flow = record.flow;
    const double duration = flow.end - std::max({flow.begin, before, plan_.from});
    if (!(flow.end > flow.begin)) continue;  // a state that lasts for no time
    bool closed = false, sticks = false, slides = false;
    for (std::size_t c = 0; c < friction_.size(); ++c) {
      if (scene_.system->contacts()[c].bilateral) continue;
      const ContactMode mode = flow.states[static_cast<std::size_t>(first) + c].mode;
      const bool stuck = friction_[c] && mode == ContactMode::sticking;
      closed = closed || mode != ContactMode::open;
      sticks = sticks || stuck;
      slides = slides || (friction_[c] && mode == ContactMode::sliding);
      if (stuck && begun_ && !sticking_[c] && flow.end > plan_.from) ++sticks_;
      sticking_[c] = stuck;
    }
    begun_ = true;
    if (duration > 0) add_time(duration, closed, sticks, slides);
  }
}

void SectionSampler::add_step(const Run& run, double before) {
  if (run.time() <= plan_.from) return;
  for (const EventRow& event : run.events()) {
    if (event.kind == EventKind::stick) ++sticks_;
    if (event.kind == EventKind::impact)
      add_impact(run.time(), copy(run.q()), copy(run.v()), event);
  }
  run.collect(rows_);
  bool closed = false, sticks = false, slides = false;
  for (const ContactRow& row : rows_) {
    const auto status = static_cast<ContactStatus>(row.status);
    const bool rubs = scene_.world || row.id < 0 || row.id >= static_cast<int>(friction_.size()) ||
                      friction_[static_cast<std::size_t>(row.id)];
    closed = closed || is_loaded(status);
    sticks = sticks || (rubs && status == ContactStatus::sticking);
    slides = slides || (rubs && status == ContactStatus::sliding);
  }
  add_time(run.time() - before, closed, sticks, slides);
}

void SectionSampler::finish(SweepRow& row) const {
  row.impacts = impacts_;
  row.sticks = sticks_;
  if (time_ > 0) {
    row.closed = closed_ / time_;
    row.sticking = stick_time_ / time_;
    row.sliding = slide_time_ / time_;
  }
  row.size = size_;
  row.section = points_;
}

}  // namespace clack
