// clack run: scene in, results.h5 and summary.json out.
#include <fmt/format.h>

#include <charconv>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "clack/app/commands.hpp"
#include "clack/app/files.hpp"
#include "clack/app/progress.hpp"
#include "clack/app/recorder.hpp"
#include "clack/core/error.hpp"
#include "clack/core/version.hpp"
#include "clack/io/problems/problem_file.hpp"

namespace clack::app {
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

// How a run came to its end.
struct Ending {
  Status status = Status::converged;
  double seconds = 0;  // of computing, since it was started or taken up
  long steps = 0;      // in that time
  long problems = 0;   // files of --dump-problems
};

Json adaptive_json(const AdaptiveFigures& figures) {
  return {{"accepted", figures.accepted},
          {"rejected", figures.rejected},
          {"forced", figures.forced},
          {"h_smallest", figures.h_smallest},
          {"h_largest", figures.h_largest}};
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
                  {"steps", run.steps()},
                  {"time", run.time()},
                  {"status", std::string(to_string(ending.status))},
                  {"failed_steps", figures.failed_steps},
                  {"max_residual", figures.max_residual},
                  {"max_residual_scaled", figures.max_residual_scaled},
                  {"contacts_max", figures.contacts_max},
                  {"energy_error", number(recorder.ledger().relative_error())},
                  {"min_gap", number(figures.min_gap)},
                  {"impacts", run.impacts()},
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
  if (scene.world) {
    summary["bodies"] = scene.world->bodies.size();
    summary["sample"] = sample_json(run);
  }
  return summary;
}

std::string plural(long count, const std::string& word) {
  if (count == 1) return "1 " + word;
  if (word.ends_with('y')) return fmt::format("{} {}ies", count, word.substr(0, word.size() - 1));
  return fmt::format("{} {}s", count, word);
}

void print_steps(const Scene& scene, const Run& run, const Ending& ending) {
  const std::string cost =
      fmt::format("in {:.3g} s of computing ({:.3g} us a step)", ending.seconds,
                  1e6 * ending.seconds / static_cast<double>(std::max(1L, ending.steps)));
  const std::optional<AdaptiveFigures> figures = run.adaptive_figures();
  if (!figures) {
    fmt::print("  {} of {:g} s by {} to t = {:g} s, {}\n", plural(run.steps(), "step"),
               scene.options.h, scene.options.scheme, run.time(), cost);
    return;
  }
  fmt::print("  {} of {:.3g} to {:.3g} s by {} to t = {:g} s, {}\n", plural(run.steps(), "step"),
             figures->h_smallest, figures->h_largest, scene.options.scheme, run.time(), cost);
  fmt::print("  {} of steps redone with a shorter step\n", plural(figures->rejected, "pair"));
  if (figures->forced > 0) {
    fmt::print("  {} kept at the shortest step though not within the tolerances\n",
               plural(figures->forced, "pair"));
  }
}

void print_sample(const Scene& scene, const Run& run, const RunFigures& figures) {
  fmt::print("  {}, at most {}\n", plural(static_cast<long>(scene.world->bodies.size()), "body"),
             plural(figures.contacts_max, "contact"));
  const Json sample = sample_json(run);
  auto value = [&](const char* name) {
    return sample.value(name, Json(nullptr)).is_number() ? sample[name].get<double>() : 0.0;
  };
  fmt::print("  at the end: {:.0f} sticking, {:.0f} sliding; coordination {:.3g}\n",
             value("sticking"), value("sliding"), value("coordination"));
}

void print_words(const Scene& scene, const Run& run, const Ending& ending, const Recorder& recorder,
                 const std::filesystem::path& folder) {
  const RunFigures& figures = recorder.figures();
  const EnergyAudit& energy = recorder.ledger().totals();
  fmt::print("{}\n", scene.title.empty() ? scene.path : scene.title);
  print_steps(scene, run, ending);
  if (scene.world) print_sample(scene, run, figures);
  for (std::size_t i = 0; i < recorder.measures().size(); ++i) {
    const Observable& observable = recorder.measures().observable(i);
    const MeasureResult result = recorder.measures().result(i);
    if (std::isfinite(result.value)) {
      fmt::print("  {}: {:.6g}{}{}\n", observable.name, result.value,
                 observable.unit.empty() ? "" : " ", observable.unit);
    } else {
      fmt::print("  {}: not to be had from this run ({} samples)\n", observable.name,
                 result.samples);
    }
  }
  for (const auto& [name, count] : run.impacts()) {
    fmt::print("  contact '{}': closed {}\n", name,
               count == 1 ? "once" : fmt::format("{} times", count));
  }
  if (std::isfinite(figures.min_gap)) fmt::print("  smallest gap: {:.3g} m\n", figures.min_gap);
  fmt::print(
      "  energy: kinetic {:.6g} J, potential {:.6g} J; work of loads {:.6g} J, damping {:.6g} J,\n"
      "          moving contacts {:.6g} J, impacts {:.6g} J, friction {:.6g} J, bonds {:.6g} J; "
      "added by "
      "the scheme {:.3g} J\n",
      energy.kinetic, energy.potential, energy.work_external, energy.work_damping,
      energy.work_contact, energy.work_impact, energy.work_friction, energy.work_bond,
      energy.numerical);
  fmt::print(
      "  the balance closes within {:.1e} a step; worst residual of the contact problems {:.1e}\n",
      recorder.ledger().relative_error(), figures.max_residual);
  if (ending.status == Status::numerical_failure) {
    fmt::print(
        "  FAILED: the step to t = {:g} s has no finite result (numerical_failure); the run ended "
        "there\n",
        run.time());
  } else if (ending.status != Status::converged) {
    fmt::print("  FAILED: {} missed the tolerance, the first at t = {:g} s ({})\n",
               plural(figures.failed_steps, "step"), figures.first_failure_time,
               to_string(figures.first_failure));
  }
  if (ending.problems > 0) {
    fmt::print("  one-step problems: {} in {}\n", ending.problems, (folder / "problems").string());
  }
  fmt::print("  files: {} and {}\n", (folder / "results.h5").string(),
             (folder / "summary.json").string());
}

// Writes the problem of every Nth step: FCLIB with the solution, and Siconos text.
class ProblemDump {
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
    write_problem((folder_ / (problem->name + ".dat")).string(), *problem);
    ++count_;
  }
  long count() const { return count_; }

 private:
  long every_;
  std::filesystem::path folder_;
  long count_ = 0;
};

// Runs to the end or to a state that is not finite; what was computed is kept either way.
Ending simulate(const Scene& scene, Run& run, Recorder& recorder, ProblemDump& dump) {
  Ending ending;
  const auto start = std::chrono::steady_clock::now();
  const long first = run.steps();
  Progress progress(scene.step_count());
  while (!run.done() && ending.status != Status::numerical_failure) {
    ending.status = run.step();
    recorder.add(run, ending.status);
    dump.add(run);
    progress.update(run.steps());
  }
  ending.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  ending.steps = run.steps() - first;
  ending.problems = dump.count();
  if (ending.status != Status::numerical_failure) ending.status = recorder.figures().first_failure;
  return ending;
}

// `every=N`; 0 where nothing is asked for.
long dump_interval(const std::string& text) {
  if (text.empty()) return 0;
  long every = 0;
  const char* digits = text.data() + text.find('=') + 1;
  const auto end = text.data() + text.size();
  const bool named = text.starts_with("every=");
  if (!named || std::from_chars(digits, end, every).ptr != end || every < 1) {
    throw InputError(
        fmt::format("--dump-problems {}: expected every=N with a whole number N >= 1", text));
  }
  return every;
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

// The file to go on with, where there is one with at least one row of the same scene.
std::optional<ResultsReader> open_old(const RunArguments& arguments, const Scene& scene,
                                      const std::filesystem::path& file) {
  if (!arguments.resume || !std::filesystem::exists(file)) return std::nullopt;
  ResultsReader old(file.string());
  if (old.rows() == 0) return std::nullopt;
  const std::map<std::string, std::string> attributes = old.attributes();
  const auto text = attributes.find("scene");
  const auto options = attributes.find("options");
  if (text == attributes.end() || text->second != scene.text || options == attributes.end() ||
      fixed_options(options->second) != fixed_options(options_text(scene))) {
    throw InputError(
        fmt::format("{}: was made by another scene or with other settings; --resume needs the same",
                    file.string()));
  }
  return old;
}

}  // namespace

int run(const RunArguments& arguments) {
  const long every = dump_interval(arguments.dump_problems);
  const Scene scene = load_scene(arguments.scene, arguments.set);
  const std::filesystem::path folder = make_folder(arguments.folder, arguments.scene);
  const std::filesystem::path file = folder / "results.h5";
  const std::unique_ptr<Run> run = make_run(scene, arguments.threads);
  const std::optional<ResultsReader> old = open_old(arguments, scene, file);
  remove_old_summary(folder);
  Recorder recorder =
      old ? Recorder(scene, *run, file.string(), *old) : Recorder(scene, *run, file.string());
  ProblemDump dump(every, folder / "problems");
  const Ending ending = simulate(scene, *run, recorder, dump);
  recorder.finish();
  const Json summary = make_summary(scene, *run, ending, recorder);
  write_file(folder / "summary.json", json_text(summary, 2) + "\n");
  if (arguments.json) {
    fmt::print("{}\n", json_text(summary, -1));
  } else {
    print_words(scene, *run, ending, recorder, folder);
  }
  return ending.status == Status::converged ? kDone : kNumericalFailure;
}

}  // namespace clack::app
