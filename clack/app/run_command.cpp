// clack run: scene in, results.h5 and summary.json out.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <optional>

#include "clack/app/commands.hpp"
#include "clack/app/progress.hpp"
#include "clack/core/error.hpp"
#include "clack/integrate/body_reading.hpp"
#include "clack/record/files.hpp"
#include "clack/record/recorded_run.hpp"

namespace clack::app {
namespace {

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
  const std::vector<std::string> names = run.sample_names();
  std::vector<double> values;
  run.compute_sample(values);
  auto value = [&](const char* name) {
    const auto at =
        static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
    return at < values.size() && std::isfinite(values[at]) ? values[at] : 0.0;
  };
  fmt::print("  at the end: {:.0f} sticking, {:.0f} sliding; coordination {:.3g}\n",
             value("sticking"), value("sliding"), value("coordination"));
}

// The first of many contacts stand for all.
void print_closings(const std::map<std::string, long>& closings) {
  constexpr std::size_t kMost = 20;
  std::size_t printed = 0;
  for (const auto& [name, count] : closings) {
    if (printed++ == kMost) break;
    fmt::print("  contact '{}': closed {}\n", name,
               count == 1 ? "once" : fmt::format("{} times", count));
  }
  if (closings.size() > kMost)
    fmt::print("  and {} more contacts (summary.json has all)\n", closings.size() - kMost);
}

void print_events(const Scene& scene, const RunFigures& figures) {
  if (scene.events() == EventOutput::none) {
    fmt::print("  events: not recorded{}\n",
               scene.output_events ? ""
                                   : fmt::format(" of more than {} free bodies; output.events: "
                                                 "impacts or all records them",
                                                 Scene::kFewBodies));
    return;
  }
  std::string text;
  for (int kind = 0; kind < kEventKinds; ++kind) {
    const long count = figures.events[static_cast<std::size_t>(kind)];
    if (count == 0) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count,
                        to_string(static_cast<EventKind>(kind)));
  }
  if (!text.empty()) fmt::print("  events: {}\n", text);
}

void print_words(const Scene& scene, const RecordedRun& recorded,
                 const std::filesystem::path& folder) {
  const Run& run = recorded.run();
  const Ending& ending = recorded.ending();
  const Recorder& recorder = recorded.recorder();
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
  print_closings(run.impacts());
  print_events(scene, figures);
  if (figures.drift.link >= 0) {
    fmt::print("  largest drift of a link: {:.3g} m, {:.2g} of the smaller body's size ('{}')\n",
               figures.drift.distance, figures.drift.relative,
               holding_name(*scene.world, static_cast<std::size_t>(figures.drift.link)));
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
      "  the balance closes within {:.1e} a step; worst error of the contact problems {:.1e}\n",
      recorder.ledger().relative_error(),
      std::max(figures.max_residual_scaled, figures.max_velocity_error));
  for (const std::string& remark : recorded.remarks()) fmt::print("  REMARK: {}\n", remark);
  if (ending.status == Status::numerical_failure) {
    fmt::print(
        "  FAILED: the step to t = {:g} s has no finite result (numerical_failure): {}; the run "
        "ended there\n",
        run.time(), figures.failure);
  } else if (ending.status != Status::converged) {
    const std::string& place = figures.first_failure_place;
    fmt::print("  FAILED: {} missed the tolerance, the first at t = {:g} s ({}{})\n",
               plural(figures.failed_steps, "step"), figures.first_failure_time,
               to_string(figures.first_failure),
               place.empty() ? "" : fmt::format("; worst at {}", place));
  }
  if (ending.problems > 0) {
    fmt::print("  one-step problems: {} in {}\n", ending.problems, (folder / "problems").string());
  }
  fmt::print("  files: {} and {}\n", (folder / "results.h5").string(),
             (folder / "summary.json").string());
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

}  // namespace

int run(const RunArguments& arguments) {
  RecordOptions options;
  options.dump_every = dump_interval(arguments.dump_problems);
  const Scene scene = load_scene(arguments.scene, arguments.set);
  options.folder = make_folder(arguments.folder, arguments.scene);
  options.threads = arguments.threads;
  options.resume = arguments.resume;
  RecordedRun recorded(scene, options);
  Progress progress(scene.step_count());
  recorded.simulate([&] {
    progress.update(recorded.run().steps());
    return true;
  });
  if (arguments.json) {
    fmt::print("{}\n", recorded.summary());
  } else {
    print_words(scene, recorded, options.folder);
  }
  return recorded.ending().status == Status::converged ? kDone : kNumericalFailure;
}

}  // namespace clack::app
