#include "clack/app/recorder.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "clack/core/version.hpp"

namespace clack::app {
namespace {

// Null where the option was left to the scheme.
nlohmann::json given(const std::optional<double>& x) {
  return x ? nlohmann::json(*x) : nlohmann::json();
}

nlohmann::json adaptive_json(const std::optional<AdaptiveOptions>& options) {
  if (!options) return {};
  return {{"tolerance", options->tolerance},
          {"h_min", given(options->h_min)},
          {"h_max", given(options->h_max)},
          {"max_penetration", given(options->max_penetration)},
          {"scale", std::vector<double>(options->scale.begin(), options->scale.end())}};
}

nlohmann::json options_json(const Scene& scene) {
  const SimulationOptions& options = scene.options;
  const SchemeOptions& scheme = options.scheme_options;
  return {{"scheme", options.scheme},
          {"xi", scheme.xi},
          {"rho_inf", given(scheme.rho_inf)},
          {"alpha_m", given(scheme.alpha_m)},
          {"alpha_f", given(scheme.alpha_f)},
          {"beta", given(scheme.beta)},
          {"newmark_gamma", given(scheme.newmark_gamma)},
          {"constraints", constraint_level_names()[static_cast<std::size_t>(scheme.constraints)]},
          {"step", options.h},
          {"adaptive", adaptive_json(options.adaptive)},
          {"start", scene.initial.t},
          {"end", scene.end},
          {"theta", scheme.theta},
          {"gamma", scheme.gamma},
          {"activation_tolerance", scheme.activation_tolerance},
          {"flow_tolerance", scheme.flow_tolerance},
          {"capture_time", scheme.capture_time},
          {"max_events", scheme.max_events},
          {"newton_tolerance", scheme.newton_tolerance},
          {"newton_max_iterations", scheme.newton_max_iterations},
          {"solver", options.solver},
          {"solver_tolerance", options.solver_options.tolerance},
          {"solver_max_iterations", options.solver_options.max_iterations},
          {"output_every", scene.output_every},
          {"set", scene.overrides}};
}

ResultsHeader make_header(const Scene& scene) {
  ResultsHeader header;
  header.nq = scene.system->nq();
  header.nv = scene.system->nv();
  header.local_dim = 3;
  header.expected_rows = scene.step_count() / scene.output_every + 2;
  header.expected_contacts = header.expected_rows;
  header.attributes = {{"version", kVersion},
                       {"title", scene.title},
                       {"scene", scene.text},
                       {"options", options_json(scene).dump(
                                       -1, ' ', false, nlohmann::json::error_handler_t::replace)},
                       {"units", "SI: m, kg, s, rad; r in N s, u in m/s, energies in J"}};
  header.q_names = scene.q_names;
  header.v_names = scene.v_names;
  for (const Contact& contact : scene.system->contacts())
    header.contact_names.push_back(contact.name);
  header.bodies = {{"system", "none", {0, header.nq}, {0, header.nv}}};
  return header;
}

}  // namespace

Recorder::Recorder(const Scene& scene, const Simulation& simulation, const std::string& file)
    : scene_(scene),
      writer_(file, make_header(scene)),
      ledger_(simulation.last_step().energy),
      measures_(scene.measures),
      loaded_(scene.system->contacts().size(), 0),
      impact_count_(scene.system->contacts().size(), 0) {
  measures_.add(simulation.time(), simulation.q(), simulation.v());
  update_smallest_gap(simulation.last_step());
  write_row(simulation, Status::converged);
}

void Recorder::update_smallest_gap(const Step& step) {
  const std::vector<Contact>& contacts = scene_.system->contacts();
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    if (contacts[c].bilateral) continue;
    figures_.min_gap = std::min(figures_.min_gap, step.end.gap[static_cast<int>(c)]);
  }
}

void Recorder::add(const Simulation& simulation, Status status) {
  ledger_.add(simulation.last_step().energy);
  measures_.add(simulation.time(), simulation.q(), simulation.v());
  update_figures(simulation, status);
  const bool at_end = scene_.options.adaptive ? simulation.time() >= scene_.end
                                              : simulation.steps() == scene_.step_count();
  const bool last = at_end || status == Status::numerical_failure;
  if (simulation.steps() % scene_.output_every == 0 || last) write_row(simulation, status);
}

void Recorder::update_figures(const Simulation& simulation, Status status) {
  const Step& step = simulation.last_step();
  figures_.max_residual = std::max(figures_.max_residual, step.solve.residual);
  figures_.max_residual_scaled = std::max(figures_.max_residual_scaled, step.solve.residual_scaled);
  figures_.contacts_max = std::max(figures_.contacts_max, step.problem.contacts());
  update_smallest_gap(step);
  const std::vector<Contact>& contacts = scene_.system->contacts();
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    if (contacts[c].bilateral) continue;
    const bool loaded = step.r[step.detection.row_begin[c]] > 0;
    if (loaded && !loaded_[c]) ++impact_count_[c];
    loaded_[c] = loaded;
  }
  if (status == Status::converged) return;
  if (figures_.failed_steps++ == 0) {
    figures_.first_failure = status;
    figures_.first_failure_time = simulation.time();
  }
}

void Recorder::collect_contacts(const Step& step) {
  rows_.clear();
  for (int c : step.detection.active) {
    const Contact& contact = scene_.system->contacts()[c];
    ContactRow row;
    row.id = c;
    row.body_a = -1;  // the surroundings
    row.body_b = 0;
    row.gap = step.end.gap[c];
    row.point.fill(std::numeric_limits<double>::quiet_NaN());
    row.normal.fill(std::numeric_limits<double>::quiet_NaN());
    const int begin = step.detection.row_begin[c];
    for (int k = 0; k < contact.dim(); ++k) {
      row.r[k] = step.r[begin + k];
      row.u[k] = step.u_end[begin + k];
    }
    row.status = static_cast<int>(contact_status(step, c));
    rows_.push_back(row);
  }
}

void Recorder::write_row(const Simulation& simulation, Status status) {
  const Step& step = simulation.last_step();
  const EnergyAudit& energy = ledger_.totals();
  ResultRow row;
  row.time = simulation.time();
  row.q = {simulation.q().data(), static_cast<std::size_t>(simulation.q().size())};
  row.v = {simulation.v().data(), static_cast<std::size_t>(simulation.v().size())};
  row.energy = {energy.kinetic,      energy.potential,   energy.work_external, energy.work_damping,
                energy.work_contact, energy.work_impact, energy.work_friction, energy.numerical};
  const bool started = simulation.steps() > 0;
  row.solver.iterations = step.solve.iterations;
  row.solver.residual = started ? step.solve.residual : 0.0;
  row.solver.residual_scaled = started ? step.solve.residual_scaled : 0.0;
  row.solver.status = static_cast<int>(status);
  row.solver.seconds = step.solve.seconds;
  if (started) collect_contacts(step);
  row.contacts = rows_;
  writer_.append(row);
}

void Recorder::finish() {
  const std::vector<Contact>& contacts = scene_.system->contacts();
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    if (!contacts[c].bilateral) figures_.impacts[contacts[c].name] = impact_count_[c];
  }
  writer_.finish();
}

}  // namespace clack::app
