#include "clack/record/orbit_page.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "clack/io/report/page.hpp"

namespace clack {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

OrbitPage start_page(const Scene& scene) {
  OrbitPage page;
  page.title = scene.title;
  page.scene = scene.text;
  page.q_names = scene.q_names;
  page.v_names = scene.v_names;
  return page;
}

// What an event between two phases of motion is for the contact that fired it.
std::string event_kind(const ContactPhase& before, const ContactPhase& after) {
  if (!before.impacts.empty()) return "impact";
  const auto at = static_cast<std::size_t>(before.event.contact);
  if (at >= before.states.size() || at >= after.states.size()) return "slip";
  const ContactMode from = before.states[at].mode, to = after.states[at].mode;
  if (to == ContactMode::open) return "open";
  if (from == ContactMode::open) return "close";
  return to == ContactMode::sticking ? "stick" : "slip";
}

std::string contact_name(const System& system, int contact) {
  const auto at = static_cast<std::size_t>(contact);
  const auto& contacts = system.contacts();
  if (at < contacts.size() && !contacts[at].name.empty()) return contacts[at].name;
  return fmt::format("contact {}", contact + 1);
}

std::vector<OrbitPageEvent> events_of(const Orbit& orbit, const System& system) {
  std::vector<OrbitPageEvent> events;
  for (std::size_t k = 0; k < orbit.phases.size(); ++k) {
    const ContactPhase& phase = orbit.phases[k];
    if (!phase.has_event) continue;
    const ContactPhase& next = orbit.phases[(k + 1) % orbit.phases.size()];
    events.push_back({phase.end - orbit.phases.front().begin, event_kind(phase, next),
                      contact_name(system, phase.event.contact)});
  }
  return events;
}

OrbitPagePoint point_of(const OrbitProblem& problem, const Orbit& orbit, const Scene& scene) {
  OrbitPagePoint point{.parameter = orbit.parameter,
                       .period = orbit.period,
                       .energy = orbit.energy,
                       .closing = orbit.closing,
                       .impacts = orbit.impacts,
                       .slowest_impact = orbit.slowest_approach,
                       .stable = orbit.has_multipliers() ? orbit.multipliers.stable : -1,
                       .multipliers = orbit.multipliers.values,
                       .trivial = orbit.multipliers.trivial,
                       .smallest = orbit.smallest,
                       .largest = orbit.largest};
  if (orbit.method == OrbitMethod::harmonic_balance) point.slowest_impact = kNone;
  point.events = events_of(orbit, *scene.system);
  point.system = [&problem, &orbit] { return problem.system(orbit.parameter); };
  point.motion = [&problem, &orbit](const std::shared_ptr<const System>& system) {
    OrbitProblem own = problem;  // a continued scene is not loaded once more
    own.system = [&system](double) { return system; };
    return sample_orbit(own, orbit);
  };
  return point;
}

std::string kind_of(const Branch& branch, const BranchPoint& point) {
  if (point.kind == PointKind::regular) return "";
  if (point.kind == PointKind::end && branch.stop.find("grazing") != std::string::npos)
    return "grazing";
  return point_kind_names()[static_cast<std::size_t>(point.kind)];
}

std::string branch_name(const std::vector<Branch>& branches, std::size_t b) {
  const Branch& branch = branches[b];
  const std::string& method =
      orbit_method_names()[static_cast<std::size_t>(branch.points.front().orbit.method)];
  return branches.size() == 1 ? method : fmt::format("{}, {}", b + 1, method);
}

}  // namespace

OrbitPage make_branch_page(const OrbitProblem& problem, const std::vector<Branch>& branches,
                           const Scene& scene, BranchCoordinate over, const std::string& label) {
  OrbitPage page = start_page(scene);
  page.is_family = over != BranchCoordinate::parameter;
  if (!page.is_family) page.parameter = label;
  for (std::size_t b = 0; b < branches.size(); ++b) {
    const Branch& branch = branches[b];
    if (branch.points.empty()) continue;
    bool joined = false;
    const int number = static_cast<int>(page.branches.size());
    page.branches.push_back(
        {branch_name(branches, b), branch.stop, branch.status == Status::converged});
    for (const BranchPoint& at : branch.points) {
      if (!at.orbit.admissible) {
        ++page.inadmissible;
        joined = false;
        continue;
      }
      OrbitPagePoint point = point_of(problem, at.orbit, scene);
      if (page.is_family) point.parameter = kNone;
      point.branch = number;
      point.kind = kind_of(branch, at);
      point.joined = joined;
      joined = true;
      page.points.push_back(std::move(point));
    }
  }
  return page;
}

OrbitPage make_single_orbit_page(const OrbitProblem& problem, const Orbit& orbit,
                                 const Scene& scene) {
  OrbitPage page = start_page(scene);
  page.branches.push_back({orbit_method_names()[static_cast<std::size_t>(orbit.method)], "", true});
  page.points.push_back(point_of(problem, orbit, scene));
  page.points.back().parameter = kNone;
  if (!orbit.admissible) page.points.back().inadmissible = orbit.inadmissible;
  return page;
}

FamilyPage::FamilyPage(const Scene& scene, const std::string& name, bool joined)
    : page_(start_page(scene)),
      system_(scene.system),
      contact_(contact_name(*scene.system, 0)),
      joined_(joined) {
  page_.is_family = true;
  page_.branches.push_back({name, "", true});
}

bool FamilyPage::accept(bool admissible) {
  page_.inadmissible += !admissible;
  broken_ = broken_ || !admissible;
  return admissible;
}

OrbitPagePoint& FamilyPage::append(double period, double energy) {
  page_.points.push_back({.joined = joined_ && !broken_,
                          .parameter = kNone,
                          .period = period,
                          .energy = energy,
                          .closing = kNone,
                          .slowest_impact = kNone,
                          .system = [system = system_] { return system; }});
  broken_ = false;
  return page_.points.back();
}

void FamilyPage::add(const ImpactModes& modes, const ImpactMode& mode) {
  if (!accept(mode.admissible)) return;
  OrbitPagePoint& point = append(mode.period, mode.energy);
  point.impacts = static_cast<int>(mode.times.size());
  for (const double t : mode.times) point.events.push_back({t, "impact", contact_});
  point.motion = [&modes, mode](const auto&) { return sample_orbit(modes, mode); };
}

void FamilyPage::add(const LastingContactModes& modes, const LastingContactMode& mode) {
  if (!accept(mode.admissible)) return;
  OrbitPagePoint& point = append(mode.period, mode.energy);
  point.events = {{0.5 * mode.contact, "open", contact_},
                  {mode.period - 0.5 * mode.contact, "close", contact_}};
  point.motion = [&modes, mode](const auto&) { return sample_orbit(modes, mode); };
}

std::string format_orbit_page(const OrbitPage& page, std::string_view page_template) {
  const OrbitPageData data = pack_orbit_page(page);
  return make_block_page(data.head, {{"points", &data.points}, {"motions", &data.motions}},
                         page_template);
}

}  // namespace clack
