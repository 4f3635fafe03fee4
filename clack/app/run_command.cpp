// clack run: scene in, results.h5 and summary.json out.
#include <fmt/format.h>

#include <array>
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
#include "clack/integrate/adaptive.hpp"

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
  double time = 0;  // [s]
  long steps = 0;
  std::array<double, 6> seconds_by_stage{};
  std::optional<AdaptiveFigures> adaptive;
  double seconds = 0;  // of computing
};

Json adaptive_json(const AdaptiveFigures& figures) {
  return {{"accepted", figures.accepted},
          {"rejected", figures.rejected},
          {"forced", figures.forced},
          {"h_smallest", figures.h_smallest},
          {"h_largest", figures.h_largest}};
}

Json make_summary(const Scene& scene, const Ending& ending, const Recorder& recorder) {
  const RunFigures& figures = recorder.figures();
  const EnergyAudit& energy = recorder.ledger().totals();
  Json stages = Json::object();
  for (std::size_t i = 0; i < kStageNames.size(); ++i) {
    stages[std::string(kStageNames[i])] = ending.seconds_by_stage[i];
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
                  {"steps", ending.steps},
                  {"time", ending.time},
                  {"status", std::string(to_string(ending.status))},
                  {"failed_steps", figures.failed_steps},
                  {"max_residual", figures.max_residual},
                  {"max_residual_scaled", figures.max_residual_scaled},
                  {"contacts_max", figures.contacts_max},
                  {"energy_error", number(recorder.ledger().relative_error())},
                  {"min_gap", number(figures.min_gap)},
                  {"impacts", figures.impacts},
                  {"measures", measures},
                  {"energy",
                   {{"kinetic", energy.kinetic},
                    {"potential", energy.potential},
                    {"work_external", energy.work_external},
                    {"work_damping", energy.work_damping},
                    {"work_contact", energy.work_contact},
                    {"work_impact", energy.work_impact},
                    {"work_friction", energy.work_friction},
                    {"numerical", energy.numerical}}},
                  {"seconds", ending.seconds},
                  {"seconds_by_stage", stages}};
  if (ending.adaptive) summary["adaptive"] = adaptive_json(*ending.adaptive);
  return summary;
}

std::string plural(long count, const char* word) {
  return fmt::format("{} {}{}", count, word, count == 1 ? "" : "s");
}

void print_steps(const Scene& scene, const Ending& ending) {
  const std::string cost =
      fmt::format("in {:.3g} s of computing ({:.3g} us a step)", ending.seconds,
                  1e6 * ending.seconds / static_cast<double>(std::max(1L, ending.steps)));
  if (!ending.adaptive) {
    fmt::print("  {} of {:g} s by {} to t = {:g} s, {}\n", plural(ending.steps, "step"),
               scene.options.h, scene.options.scheme, ending.time, cost);
    return;
  }
  const AdaptiveFigures& figures = *ending.adaptive;
  fmt::print("  {} of {:.3g} to {:.3g} s by {} to t = {:g} s, {}\n", plural(ending.steps, "step"),
             figures.h_smallest, figures.h_largest, scene.options.scheme, ending.time, cost);
  fmt::print("  {} of steps redone with a shorter step\n", plural(figures.rejected, "pair"));
  if (figures.forced > 0) {
    fmt::print("  {} kept at the shortest step though not within the tolerances\n",
               plural(figures.forced, "pair"));
  }
}

void print_words(const Scene& scene, const Ending& ending, const Recorder& recorder,
                 const std::filesystem::path& folder) {
  const RunFigures& figures = recorder.figures();
  const EnergyAudit& energy = recorder.ledger().totals();
  fmt::print("{}\n", scene.title.empty() ? scene.path : scene.title);
  print_steps(scene, ending);
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
  for (const auto& [name, count] : figures.impacts) {
    fmt::print("  contact '{}': closed {}\n", name,
               count == 1 ? "once" : fmt::format("{} times", count));
  }
  if (std::isfinite(figures.min_gap)) fmt::print("  smallest gap: {:.3g} m\n", figures.min_gap);
  fmt::print(
      "  energy: kinetic {:.6g} J, potential {:.6g} J; work of loads {:.6g} J, damping {:.6g} J,\n"
      "          moving contacts {:.6g} J, impacts {:.6g} J, friction {:.6g} J; added by the "
      "scheme {:.3g} J\n",
      energy.kinetic, energy.potential, energy.work_external, energy.work_damping,
      energy.work_contact, energy.work_impact, energy.work_friction, energy.numerical);
  fmt::print(
      "  the balance closes within {:.1e} a step; worst residual of the contact problems {:.1e}\n",
      recorder.ledger().relative_error(), figures.max_residual);
  if (ending.status == Status::numerical_failure) {
    fmt::print(
        "  FAILED: the step to t = {:g} s has no finite result (numerical_failure); the run ended "
        "there\n",
        ending.time);
  } else if (ending.status != Status::converged) {
    fmt::print("  FAILED: {} missed the tolerance, the first at t = {:g} s ({})\n",
               plural(figures.failed_steps, "step"), figures.first_failure_time,
               to_string(figures.first_failure));
  }
  fmt::print("  files: {} and {}\n", (folder / "results.h5").string(),
             (folder / "summary.json").string());
}

// Runs to the end or to a state that is not finite; what was computed is kept either way.
void simulate_constant(const Scene& scene, Simulation& simulation, Recorder& recorder,
                       Ending& ending) {
  const long steps = scene.step_count();
  Progress progress(steps);
  for (long k = 1; k <= steps && ending.status != Status::numerical_failure; ++k) {
    ending.status = simulation.step();
    recorder.add(simulation, ending.status);
    progress.update(k);
  }
  ending.time = simulation.time();
  ending.steps = simulation.steps();
  ending.seconds_by_stage = simulation.seconds_by_stage();
}

void simulate_adaptive(const Scene& scene, Recorder& recorder, Ending& ending) {
  AdaptiveSimulation simulation(scene.system, scene.initial, scene.options, scene.end);
  while (!simulation.done() && ending.status != Status::numerical_failure) {
    simulation.step();
    recorder.add(simulation.first(), simulation.first_status());
    ending.status = simulation.first_status();
    if (ending.status == Status::numerical_failure) break;
    recorder.add(simulation.second(), simulation.second_status());
    ending.status = simulation.second_status();
  }
  ending.time = simulation.state().end.t;
  ending.steps = simulation.state().count;
  ending.seconds_by_stage = simulation.seconds_by_stage();
  ending.adaptive = simulation.figures();
}

Ending simulate(const Scene& scene, Simulation& simulation, Recorder& recorder) {
  Ending ending;
  const auto start = std::chrono::steady_clock::now();
  if (scene.options.adaptive) {
    simulate_adaptive(scene, recorder, ending);
  } else {
    simulate_constant(scene, simulation, recorder, ending);
  }
  ending.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (ending.status != Status::numerical_failure) ending.status = recorder.figures().first_failure;
  return ending;
}

}  // namespace

int run(const RunArguments& arguments) {
  const Scene scene = load_scene(arguments.scene, arguments.set);
  const std::filesystem::path folder = make_folder(arguments.folder, arguments.scene);
  remove_old_summary(folder);
  Simulation simulation(scene.system, scene.initial, scene.options);
  Recorder recorder(scene, simulation, (folder / "results.h5").string());
  const Ending ending = simulate(scene, simulation, recorder);
  recorder.finish();
  const Json summary = make_summary(scene, ending, recorder);
  write_file(folder / "summary.json", json_text(summary, 2) + "\n");
  if (arguments.json) {
    fmt::print("{}\n", json_text(summary, -1));
  } else {
    print_words(scene, ending, recorder, folder);
  }
  return ending.status == Status::converged ? kDone : kNumericalFailure;
}

}  // namespace clack::app
