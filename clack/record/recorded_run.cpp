#include "clack/record/recorded_run.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "clack/core/error.hpp"
#include "clack/core/version.hpp"
#include "clack/integrate/body_reading.hpp"
#include "clack/io/problems/dat_writer.hpp"
#include "clack/io/problems/problem_file.hpp"
#include "clack/model/bodies/rigid_bodies.hpp"
#include "clack/record/files.hpp"
#include "clack/record/remarks.hpp"

namespace clack {
namespace {

using Json = nlohmann::ordered_json;

// An old one must not describe the new run.
void remove_old_summary(const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / "summary.json";
  std::error_code code;
  std::filesystem::remove(file, code);
  if (code) throw IoError(fmt::format("{}: cannot be removed: {}", file.string(), code.message()));
}

// A file name may hold bytes that are no UTF-8; JSON may not.
std::string json_text(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json adaptive_json(const AdaptiveFigures& figures) {
  return {{"accepted", figures.accepted},
          {"rejected", figures.rejected},
          {"forced", figures.forced},
          {"h_smallest", figures.h_smallest},
          {"h_largest", figures.h_largest}};
}

Json events_json(const Scene& scene, const RunFigures& figures) {
  Json result = {{"recorded", event_output_names()[static_cast<std::size_t>(scene.events())]}};
  if (scene.world && scene.events() == EventOutput::none) return result;  // not even counted
  for (int kind = 0; kind < kEventKinds; ++kind) {
    result[std::string(to_string(static_cast<EventKind>(kind)))] =
        figures.events[static_cast<std::size_t>(kind)];
  }
  return result;
}

Json drift_json(const Scene& scene, const RunFigures& figures) {
  const LinkDrift& drift = figures.drift;
  if (drift.link < 0) return nullptr;
  return {{"largest", number(drift.distance)},
          {"relative", number(drift.relative)},
          {"link", holding_name(*scene.world, static_cast<std::size_t>(drift.link))},
          {"time", figures.drift_time},
          {"flagged", !(drift.relative <= kDriftLimit)}};
}

// Of mechanisms with loops: rows, how many of them are independent, and where that has changed.
Json constraints_json(const ConstraintRank& rank) {
  Json json = {{"rows", rank.rows()},
               {"rank", rank.rank()},
               {"rank_least", rank.least()},
               {"rank_losses", rank.changes()}};
  json["first_loss"] = rank.changes() > 0 ? number(rank.first().t) : Json(nullptr);
  return json;
}

// Joints whose reactions are not unique, and those of them whose friction depends on them.
Json shared_loads_json(const Scene& scene) {
  Json joints = Json::array(), frictions = Json::array();
  const std::vector<Joint>& all = scene.system->bodies()->joints().joints();
  for (const int j : scene.shared_loads) {
    const Joint& joint = all[static_cast<std::size_t>(j)];
    joints.push_back(joint.name);
    for (const JointFriction& x : joint.frictions) {
      if (!x.depends_on_load()) continue;
      frictions.push_back(joint.name);
      break;
    }
  }
  return {{"reactions", joints}, {"frictions", frictions}};
}

Json energy_gain_json(const RunFigures& figures) {
  return {{"steps", figures.gain_steps}, {"work", number(figures.gain_work)}};
}

Json sample_json(const Run& run) {
  Json result = Json::object();
  std::vector<double> values;
  run.compute_sample(values);
  const std::vector<std::string> names = run.sample_names();
  for (std::size_t i = 0; i < names.size(); ++i) result[names[i]] = number(values[i]);
  return result;
}

Json make_summary(const Scene& scene, const Run& run, const Ending& ending,
                  const Recorder& recorder) {
  const RunFigures& figures = recorder.figures();
  const EnergyAudit& energy = recorder.ledger().totals();
  Json stages = Json::object();
  for (std::size_t i = 0; i < kStageNames.size(); ++i) {
    stages[std::string(kStageNames[i])] = run.seconds_by_stage()[i];
  }
  Json measures = Json::object();
  for (std::size_t i = 0; i < recorder.measures().size(); ++i) {
    measures[recorder.measures().observable(i).name] = number(recorder.measures().result(i).value);
  }
  Json summary = {{"scene", scene.path},
                  {"title", scene.title},
                  {"version", kVersion},
                  {"scheme", scene.options.scheme},
                  {"solver", scene.options.solver},
                  {"options", Json::parse(options_text(scene))},
                  {"steps", run.steps()},
                  {"time", run.time()},
                  {"status", std::string(to_string(ending.status))},
                  {"failed_steps", figures.failed_steps},
                  {"near_misses", figures.near_misses},
                  {"max_residual", figures.max_residual},
                  {"max_residual_scaled", figures.max_residual_scaled},
                  {"max_velocity_error", figures.max_velocity_error},
                  {"contacts_max", figures.contacts_max},
                  {"energy_error", number(recorder.ledger().relative_error())},
                  {"min_gap", number(figures.min_gap)},
                  {"impacts", run.impacts()},
                  {"events", events_json(scene, figures)},
                  {"measures", measures},
                  {"energy",
                   {{"kinetic", energy.kinetic},
                    {"potential", energy.potential},
                    {"work_external", energy.work_external},
                    {"work_damping", energy.work_damping},
                    {"work_contact", energy.work_contact},
                    {"work_impact", energy.work_impact},
                    {"work_friction", energy.work_friction},
                    {"work_bond", energy.work_bond},
                    {"numerical", energy.numerical}}},
                  {"seconds", ending.seconds},
                  {"seconds_by_stage", stages}};
  if (const auto adaptive = run.adaptive_figures()) summary["adaptive"] = adaptive_json(*adaptive);
  summary["energy_gain"] = energy_gain_json(figures);
  if (recorder.rank()) summary["constraints"] = constraints_json(*recorder.rank());
  if (!figures.failure.empty()) summary["failure"] = figures.failure;
  if (!figures.first_failure_place.empty())
    summary["first_failure"] = {{"time", figures.first_failure_time},
                                {"status", std::string(to_string(figures.first_failure))},
                                {"worst_at", figures.first_failure_place}};
  if (scene.world) {
    if (holding_count(*scene.world) > 0) summary["drift"] = drift_json(scene, figures);
    if (!scene.shared_loads.empty()) summary["not_unique"] = shared_loads_json(scene);
    summary["bodies"] = scene.world->bodies.size();
    summary["sample"] = sample_json(run);
  }
  return summary;
}

// What must be the same in a run that is taken up: all but the time to stop at.
nlohmann::json fixed_options(const std::string& text) {
  nlohmann::json options = nlohmann::json::parse(text, nullptr, false);
  if (!options.is_object()) return {};
  options.erase("end");
  nlohmann::json kept = nlohmann::json::array();
  for (const auto& assignment : options["set"]) {
    if (!assignment.get<std::string>().starts_with("simulation.end=")) kept.push_back(assignment);
  }
  options["set"] = kept;
  return options;
}

// An option that the program of then did not write follows from the scene, which is the same.
bool same_settings(const std::string& then, const std::string& now) {
  const nlohmann::json old = fixed_options(then), all = fixed_options(now);
  nlohmann::json known = nlohmann::json::object();
  for (const auto& [key, value] : all.items())
    if (old.contains(key)) known[key] = value;
  return !old.empty() && old == known;
}

// The file to go on with, where there is one with at least one row of the same scene.
std::optional<ResultsReader> open_old(const RecordOptions& options, const Scene& scene) {
  const std::filesystem::path file = options.folder / "results.h5";
  if (!options.resume || !std::filesystem::exists(file)) return std::nullopt;
  ResultsReader old(file.string());
  if (old.rows() == 0) return std::nullopt;
  const std::map<std::string, std::string> attributes = old.attributes();
  const auto text = attributes.find("scene");
  const auto settings = attributes.find("options");
  if (text == attributes.end() || text->second != scene.text || settings == attributes.end() ||
      !same_settings(settings->second, options_text(scene))) {
    throw InputError(
        fmt::format("{}: was made by another scene or with other settings; --resume needs the same",
                    file.string()));
  }
  return old;
}

// The recorder of a run that starts, or goes on where the file in the folder ends.
Recorder make_recorder(const RecordOptions& options, const Scene& scene, Run& run) {
  const std::string file = (options.folder / "results.h5").string();
  const std::optional<ResultsReader> old = open_old(options, scene);
  remove_old_summary(options.folder);
  return old ? Recorder(scene, run, file, *old) : Recorder(scene, run, file);
}

}  // namespace

// Writes the problem of every Nth step: FCLIB with the solution, and Siconos text where that format
// has a place for its cones (not for ties beside contacts).
class RecordedRun::ProblemDump {
 public:
  ProblemDump(long every, std::filesystem::path folder)
      : every_(every), folder_(std::move(folder)) {
    if (every_ > 0) make_folder(folder_.string(), "");
  }

  void add(const Run& run) {
    if (every_ <= 0 || run.steps() % every_ != 0) return;
    std::optional<ProblemData> problem = run.problem();
    if (!problem) return;
    problem->name = fmt::format("step_{:08}", run.steps());
    problem->title = fmt::format("step {} to t = {:g} s", run.steps(), run.time());
    write_problem((folder_ / (problem->name + ".hdf5")).string(), *problem);
    if (fits_dat(*problem)) write_problem((folder_ / (problem->name + ".dat")).string(), *problem);
    ++count_;
  }
  long count() const { return count_; }

 private:
  long every_;
  std::filesystem::path folder_;
  long count_ = 0;
};

RecordedRun::RecordedRun(const Scene& scene, RecordOptions options)
    : scene_(scene),
      options_(std::move(options)),
      run_(make_run(scene, options_.threads)),
      recorder_(make_recorder(options_, scene, *run_)),
      dump_(std::make_unique<ProblemDump>(options_.dump_every, options_.folder / "problems")) {}

RecordedRun::~RecordedRun() = default;

void RecordedRun::step_to_the_end(const std::function<bool()>& go_on) {
  bool wanted = true;
  while (wanted && !run_->done() && ending_.status != Status::numerical_failure) {
    ending_.status = run_->step();
    recorder_.add(*run_, ending_.status);
    dump_->add(*run_);
    wanted = go_on();
  }
}

void RecordedRun::finish() {
  ending_.problems = dump_->count();
  if (ending_.status != Status::numerical_failure)
    ending_.status = recorder_.figures().first_failure;
  recorder_.finish();
  remarks_ = run_remarks(scene_, *run_, recorder_);
  write_file(options_.folder / "summary.json", summary(2) + "\n");
}

void RecordedRun::simulate(const std::function<bool()>& go_on) {
  const auto start = std::chrono::steady_clock::now();
  const long first = run_->steps();
  const auto take_time = [&] {
    ending_.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    ending_.steps = run_->steps() - first;
  };
  try {
    step_to_the_end(go_on);
  } catch (...) {
    take_time();
    finish();
    throw;
  }
  take_time();
  finish();
}

std::string RecordedRun::summary(int indent) const {
  Json summary = make_summary(scene_, *run_, ending_, recorder_);
  summary["remarks"] = remarks_;
  return json_text(summary, indent);
}

}  // namespace clack
