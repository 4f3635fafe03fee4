#include "clack/record/recorder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "clack/core/error.hpp"
#include "clack/core/version.hpp"
#include "clack/io/results/resume.hpp"
#include "clack/record/options_json.hpp"
#include "clack/record/saved_checkpoint.hpp"

namespace clack {
namespace {

nlohmann::json adaptive_json(const std::optional<AdaptiveOptions>& options) {
  if (!options) return {};
  return options_json(option_states(AdaptiveOptions::table(), *options));
}

nlohmann::json scene_options_json(const Scene& scene) {
  const SimulationOptions& options = scene.options;
  nlohmann::json json = {
      {"scheme", options.scheme},
      {"step", options.h},
      {"adaptive", adaptive_json(options.adaptive)},
      {"start", scene.initial.t},
      {"end", scene.end},
      {"solver", options.solver},
      {"solver_options", options_json(own_options(options.solver, options.solver_own))},
      {"recovery", options.scheme_options.recovery},
      {"output_every", scene.output_every},
      {"output_events", event_output_names()[static_cast<std::size_t>(scene.events())]},
      {"set", scene.overrides}};
  json.update(options_json(option_states(SchemeOptions::table(), options.scheme_options)));
  json.update(
      options_json(option_states(SolverOptions::table(), options.solver_options), "solver_"));
  return json;
}

// HDF5 takes a slash for a folder.
std::string dataset_name(std::string name) {
  std::replace(name.begin(), name.end(), '/', '_');
  return name;
}

std::unique_ptr<ConstraintRank> make_rank(const Scene& scene) {
  if (!ConstraintRank::may_change(*scene.system)) return nullptr;
  auto rank = std::make_unique<ConstraintRank>(*scene.system, scene.initial);
  return rank->rows() == 0 || rank->rows() > ConstraintRank::kMostRows ? nullptr : std::move(rank);
}

}  // namespace

bool is_near_miss(const std::vector<StepError>& errors, Status status) {
  if (status != Status::stagnated && status != Status::iteration_limit) return false;
  bool missed = false;
  for (const StepError& x : errors) {
    const double limit = std::min(100 * x.tolerance, std::max(1e-4, 10 * x.tolerance));
    if (!(x.error <= limit)) return false;
    missed = missed || x.error > x.tolerance;
  }
  return missed;  // else something else is wrong than these errors tell
}

bool has_own_laws(const Scene& scene) {
  if (scene.world && std::any_of(scene.world->pairs.begin(), scene.world->pairs.end(),
                                 [](const MaterialPair& pair) { return pair.law != nullptr; }))
    return true;
  const std::vector<Contact>& contacts = scene.system->contacts();
  return std::any_of(contacts.begin(), contacts.end(),
                     [](const Contact& contact) { return contact.law.own != nullptr; });
}

std::string options_text(const Scene& scene) {
  return scene_options_json(scene).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

ResultsHeader Recorder::make_header(const Run& run) {
  ResultsHeader header;
  header.local_dim = 3;
  header.expected_rows = scene_.step_count() / scene_.output_every + 2;
  header.expected_contacts = header.expected_rows;
  header.attributes = {{"version", kVersion},
                       {"title", scene_.title},
                       {"scene", scene_.text},
                       {"options", options_text(scene_)},
                       {"units", "SI: m, kg, s, rad; r in N s, u in m/s, energies in J"}};
  for (std::size_t i = 0; i < measures_.size(); ++i) {
    header.extra_columns.push_back({"/measures/" + dataset_name(measures_.observable(i).name)});
  }
  for (const std::string& name : run.sample_names())
    header.extra_columns.push_back({"/sample/" + name});
  run.collect_drift(drift_);
  const int links = static_cast<int>(drift_.size());
  if (links > 0) {
    header.extra_columns.push_back({"/joints/drift", links});
    header.extra_columns.push_back({"/joints/reaction", 6 * links});
  }
  run.collect_drive_powers(drift_);
  if (!drift_.empty()) {
    header.extra_columns.push_back({"/joints/power", links});
    header.extra_columns.push_back({"/joints/work", links});
  }
  run.describe(header);
  return header;
}

Recorder::Recorder(const Scene& scene, const Run& run)
    : scene_(scene), ledger_(run.energy()), measures_(scene.measures) {
  measures_.add(run.time(), run.measured_q(), run.measured_v());
  rank_ = make_rank(scene);
  figures_.min_gap = run.smallest_gap();
  figures_.kinetic_max = run.energy().kinetic;
  figures_.potential_low = figures_.potential_high = run.energy().potential;
}

Recorder::Recorder(const Scene& scene, const Run& run, const std::string& file)
    : Recorder(scene, run) {
  writer_ = std::make_unique<ResultsWriter>(file, make_header(run));
  write_row(run, Status::converged);
}

Recorder::Recorder(const Scene& scene, Run& run, const std::string& file, const ResultsReader& old)
    : scene_(scene), ledger_(run.energy()), measures_(scene.measures) {
  const ResultsHeader header = make_header(run);
  const std::vector<double> saved = old.restart(old.rows() - 1);
  std::span<const double> numbers(saved);
  rank_ = make_rank(scene);
  restore(numbers);
  figures_.first_failure_place = run.place_name(figures_.first_failure_at);
  run.restore(old, numbers);
  if (!numbers.empty())
    throw InputError(fmt::format("{}: was made by another scene; start the run anew", file));
  writer_ = resume_results(file, header, old);
}

void Recorder::add(const Run& run, Status status) {
  judge_energy(run);
  ledger_.add(run.energy());
  measures_.add(run.time(), run.measured_q(), run.measured_v());
  update_figures(run, status);
  if (rank_ && status != Status::numerical_failure)
    rank_->add(run.time(), ConstVectorMap(run.q().data(), static_cast<int>(run.q().size())));
  add_events(run);
  const bool last = run.done() || status == Status::numerical_failure;
  if (writer_ && (run.steps() % scene_.output_every == 0 || last)) write_row(run, status);
}

void Recorder::add_events(const Run& run) {
  for (const EventRow& event : run.events()) {
    ++figures_.events[static_cast<std::size_t>(event.kind)];
    const bool kept = events_ == EventOutput::all ||
                      (events_ == EventOutput::impacts && event.kind == EventKind::impact);
    if (kept && writer_) writer_->append_event(event);
  }
}

void Recorder::update_figures(const Run& run, Status status) {
  const SolveReport& solve = run.report();
  figures_.max_residual = std::max(figures_.max_residual, solve.residual);
  figures_.max_residual_scaled = std::max(figures_.max_residual_scaled, solve.residual_scaled);
  figures_.max_velocity_error = std::max(figures_.max_velocity_error, solve.velocity_error);
  figures_.contacts_max = std::max(figures_.contacts_max, run.contact_count());
  // In this order a gap that is not a number, which ends the run, stays.
  figures_.min_gap = std::min(run.smallest_gap(), figures_.min_gap);
  judge_drift(run);
  judge_step(run, status);
}

void Recorder::judge_step(const Run& run, Status status) {
  if (status == Status::converged) return;
  if (is_near_miss(run.errors(), status)) {
    ++figures_.near_misses;
    for (const StepError& x : run.errors())
      figures_.near_miss_worst = std::max(figures_.near_miss_worst, x.error / x.tolerance);
    return;
  }
  if (status == Status::numerical_failure) figures_.failure = run.failure();
  if (figures_.failed_steps++ == 0) {
    figures_.first_failure = status;
    figures_.first_failure_time = run.time();
    figures_.first_failure_at = run.worst_place();
    figures_.first_failure_place = run.place_name(figures_.first_failure_at);
  }
}

// Before the step enters the ledger, which holds the energies of its start.
void Recorder::judge_energy(const Run& run) {
  // Last bounces before rest, with h g near e_n u_N, add some 1e-7 of the energy by themselves.
  constexpr double kNoticed = 1e-6, kFarBeyond = 10;
  const EnergyAudit& step = run.energy();
  // Together: where the slip turns round in an impact the work of friction alone may be positive.
  const double gain = step.work_impact + step.work_friction;
  const double range = figures_.potential_high - figures_.potential_low;
  if (!stores_energy_ && gain > kNoticed * ledger_.scale()) {
    ++figures_.gain_steps;
    figures_.gain_work += gain;
  }
  const double present =
      std::max({figures_.kinetic_max, range, ledger_.totals().kinetic + step.kinetic});
  const double work = std::abs(step.work_impact);
  if (work > kFarBeyond * present && work > kNoticed * ledger_.scale() &&
      work > figures_.excess_work) {
    figures_.excess_work = work;
    figures_.excess_time = run.time();
  }
  figures_.kinetic_max = std::max(figures_.kinetic_max, step.kinetic);
  figures_.potential_low = std::min(figures_.potential_low, step.potential);
  figures_.potential_high = std::max(figures_.potential_high, step.potential);
}

void Recorder::judge_drift(const Run& run) {
  const LinkDrift drift = run.drift();
  if (drift.link < 0 || (figures_.drift.link >= 0 && drift.relative <= figures_.drift.relative))
    return;
  figures_.drift = drift;
  figures_.drift_time = run.time();
}

void Recorder::collect_extra(const Run& run) {
  extra_.clear();
  for (std::size_t i = 0; i < measures_.size(); ++i) extra_.push_back(measures_.last(i));
  run.compute_sample(sample_);
  extra_.insert(extra_.end(), sample_.begin(), sample_.end());
  run.collect_drift(drift_);
  extra_.insert(extra_.end(), drift_.begin(), drift_.end());
  run.collect_reactions(drift_);
  extra_.insert(extra_.end(), drift_.begin(), drift_.end());
  run.collect_drive_powers(drift_);
  extra_.insert(extra_.end(), drift_.begin(), drift_.end());
}

void Recorder::save(std::vector<double>& numbers) const {
  ledger_.save(numbers);
  measures_.save(numbers);
  for (double x : {figures_.max_residual,
                   figures_.max_residual_scaled,
                   figures_.max_velocity_error,
                   figures_.min_gap,
                   static_cast<double>(figures_.contacts_max),
                   static_cast<double>(figures_.failed_steps),
                   static_cast<double>(figures_.first_failure),
                   figures_.first_failure_time,
                   static_cast<double>(figures_.first_failure_at.first),
                   static_cast<double>(figures_.first_failure_at.second),
                   static_cast<double>(figures_.near_misses),
                   figures_.near_miss_worst,
                   figures_.drift.distance,
                   figures_.drift.relative,
                   static_cast<double>(figures_.drift.link),
                   figures_.drift_time,
                   static_cast<double>(figures_.gain_steps),
                   figures_.gain_work,
                   figures_.kinetic_max,
                   figures_.potential_low,
                   figures_.potential_high,
                   figures_.excess_work,
                   figures_.excess_time}) {
    numbers.push_back(x);
  }
  for (long count : figures_.events) numbers.push_back(static_cast<double>(count));
  if (rank_) rank_->save(numbers);
}

void Recorder::restore(std::span<const double>& numbers) {
  ledger_.restore(numbers);
  measures_.restore(numbers);
  figures_.max_residual = take(numbers);
  figures_.max_residual_scaled = take(numbers);
  figures_.max_velocity_error = take(numbers);
  figures_.min_gap = take(numbers);
  figures_.contacts_max = static_cast<int>(take(numbers));
  figures_.failed_steps = static_cast<long>(take(numbers));
  figures_.first_failure = static_cast<Status>(static_cast<int>(take(numbers)));
  figures_.first_failure_time = take(numbers);
  figures_.first_failure_at = {static_cast<int>(take(numbers)), static_cast<int>(take(numbers))};
  figures_.near_misses = static_cast<long>(take(numbers));
  figures_.near_miss_worst = take(numbers);
  figures_.drift = {take(numbers), take(numbers), static_cast<int>(take(numbers))};
  figures_.drift_time = take(numbers);
  figures_.gain_steps = static_cast<long>(take(numbers));
  for (double* x : {&figures_.gain_work, &figures_.kinetic_max, &figures_.potential_low,
                    &figures_.potential_high, &figures_.excess_work, &figures_.excess_time})
    *x = take(numbers);
  for (long& count : figures_.events) count = static_cast<long>(take(numbers));
  if (rank_) rank_->restore(numbers);
}

void Recorder::write_row(const Run& run, Status status) {
  const EnergyAudit& energy = ledger_.totals();
  const SolveReport& solve = run.report();
  ResultRow row;
  row.time = run.time();
  row.q = run.q();
  row.v = run.v();
  row.energy = {energy.kinetic,       energy.potential,    energy.work_external,
                energy.work_damping,  energy.work_contact, energy.work_impact,
                energy.work_friction, energy.work_bond,    energy.numerical};
  const bool started = run.steps() > 0;
  row.solver.iterations = solve.iterations;
  row.solver.residual = started ? solve.residual : 0.0;
  row.solver.residual_scaled = started ? solve.residual_scaled : 0.0;
  row.solver.velocity_error = started ? solve.velocity_error : 0.0;
  row.solver.status = static_cast<int>(status);
  row.solver.seconds = solve.seconds;
  rows_.clear();
  law_.clear();
  if (started) {
    run.collect(rows_);
    run.collect_law(law_);
  }
  row.contacts = rows_;
  row.law = law_;
  collect_extra(run);
  row.extra = extra_;
  restart_.clear();
  save(restart_);
  run.save(restart_);
  row.restart = restart_;
  writer_->append(row);
}

void Recorder::finish() {
  if (writer_) writer_->finish();
}

}  // namespace clack
