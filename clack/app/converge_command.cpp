// clack converge: a scene, schemes and steps in; orders, costs, converge.csv and converge.svg out.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "clack/app/commands.hpp"
#include "clack/io/plots/svg_plot.hpp"
#include "clack/record/files.hpp"
#include "clack/record/scene_study.hpp"

namespace clack::app {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kTargets[] = {1e-3, 1e-4, 1e-5};  // L1 errors of the cost table

std::string order_text(double order) {
  return std::isfinite(order) ? fmt::format("{:.2f}", order) : "-";
}

std::string fit_text(const OrderFit& fit) {
  if (!std::isfinite(fit.order)) return "no order: fewer than two errors to go by";
  if (!std::isfinite(fit.half_width)) {
    return fmt::format("order {:.2f} from {} runs, too few for a confidence", fit.order,
                       fit.points);
  }
  return fmt::format("order {:.2f} +- {:.2f} (95 % confidence, {} runs)", fit.order, fit.half_width,
                     fit.points);
}

int name_width(const ConvergenceStudy& study) {
  std::size_t width = 6;
  for (const SchemeStudy& record : study.schemes) width = std::max(width, record.scheme.size());
  return static_cast<int>(width);
}

std::string observed_text(const ConvergenceStudy& study) {
  constexpr std::size_t kMost = 6;
  const std::vector<std::string>& names = study.observed;
  const std::size_t shown = std::min(names.size(), kMost);
  std::string text = fmt::format("{}", fmt::join(names.begin(), names.begin() + shown, ", "));
  if (shown < names.size()) text += fmt::format(", ... ({} in all)", names.size());
  return text;
}

void print_runs(const ConvergenceStudy& study) {
  const int width = name_width(study);
  fmt::print("{}\n  {} error of {} over {:g} s, against {}\n\n", study.title, study.norm.name(),
             observed_text(study), study.end - study.begin, study.reference);
  fmt::print("  {:<{}}  {:>10}  {:>9}  {:>9}  {:>5}  {:>9}  {:>10}\n", "scheme", width, "step [s]",
             "steps", "error", "order", "CPU [s]", "iterations");
  for (const SchemeStudy& record : study.schemes) {
    for (std::size_t k = 0; k < record.runs.size(); ++k) {
      const StudyRun& run = record.runs[k];
      fmt::print("  {:<{}}  {:>10.4g}  {:>9}  {:>9}  {:>5}  {:>9.3g}  {:>10}{}\n", run.scheme,
                 width, run.h, run.steps,
                 std::isfinite(run.error) ? fmt::format("{:.3e}", run.error) : "-",
                 order_text(record.orders[k]), run.cpu_seconds, run.solver_iterations,
                 run.good() ? "" : "  FAILED: " + run.failure);
    }
  }
  fmt::print("\n");
  for (const SchemeStudy& record : study.schemes) {
    fmt::print("  {:<{}}  {}\n", record.scheme, width, fit_text(record.fit));
  }
}

std::string cost_text(const SchemeStudy& record, double target) {
  const double seconds = record.cpu_seconds_for(target), steps = record.steps_for(target);
  if (!std::isfinite(steps)) return "n/a";
  return fmt::format("{:.2g} s, {:.0f} steps", seconds, steps);
}

void print_costs(const ConvergenceStudy& study) {
  const int width = name_width(study);
  fmt::print("\n  Work to reach an L1 error, between the runs above (n/a: beyond them)\n");
  fmt::print("  {:<{}}", "scheme", width);
  for (const double target : kTargets) fmt::print("  {:>24}", fmt::format("{:g}", target));
  for (const SchemeStudy& record : study.schemes) {
    fmt::print("\n  {:<{}}", record.scheme, width);
    for (const double target : kTargets) fmt::print("  {:>24}", cost_text(record, target));
  }
  fmt::print("\n");
}

// A text that a comma, a quote or a line break must not tear apart.
std::string csv_text(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

std::string csv_number(double value) {
  return std::isfinite(value) ? fmt::format("{}", value) : "";
}

std::string make_csv(const ConvergenceStudy& study) {
  std::string text =
      "scheme,step,steps,norm,error,error_q,error_v,order,fitted_order,fitted_order_half_width,"
      "error_l1,cpu_seconds,solver_iterations,tolerance,failure\n";
  for (const SchemeStudy& record : study.schemes) {
    for (std::size_t k = 0; k < record.runs.size(); ++k) {
      const StudyRun& run = record.runs[k];
      text += fmt::format(
          "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", csv_text(run.scheme), run.h, run.steps,
          csv_text(study.norm.name()), csv_number(run.error), csv_number(run.error_q),
          csv_number(run.error_v), csv_number(record.orders[k]), csv_number(record.fit.order),
          csv_number(record.fit.half_width), csv_number(run.error_l1), run.cpu_seconds,
          run.solver_iterations, csv_number(run.tolerance > 0 ? run.tolerance : NAN),
          csv_text(run.failure));
    }
  }
  return text;
}

Json json_number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json make_json(const ConvergenceStudy& study) {
  Json schemes = Json::array();
  for (const SchemeStudy& record : study.schemes) {
    Json runs = Json::array(), costs = Json::array();
    for (std::size_t k = 0; k < record.runs.size(); ++k) {
      const StudyRun& run = record.runs[k];
      runs.push_back({{"step", run.h},
                      {"steps", run.steps},
                      {"error", json_number(run.error)},
                      {"error_q", json_number(run.error_q)},
                      {"error_v", json_number(run.error_v)},
                      {"order", json_number(record.orders[k])},
                      {"error_l1", json_number(run.error_l1)},
                      {"cpu_seconds", run.cpu_seconds},
                      {"solver_iterations", run.solver_iterations},
                      {"tolerance", json_number(run.tolerance > 0 ? run.tolerance : NAN)},
                      {"failure", run.failure}});
    }
    for (const double target : kTargets) {
      costs.push_back({{"error_l1", target},
                       {"cpu_seconds", json_number(record.cpu_seconds_for(target))},
                       {"steps", json_number(record.steps_for(target))}});
    }
    schemes.push_back({{"scheme", record.scheme},
                       {"order", json_number(record.fit.order)},
                       {"order_half_width", json_number(record.fit.half_width)},
                       {"runs", runs},
                       {"costs", costs}});
  }
  return {
      {"scene", study.scene},       {"title", study.title},
      {"norm", study.norm.name()},  {"reference", study.reference},
      {"observed", study.observed}, {"status", study.good() ? "converged" : "numerical_failure"},
      {"schemes", schemes}};
}

// Lines of slope 1 and 2 that meet above the largest error at the largest step.
void add_guides(const ConvergenceStudy& study, SvgPlot& plot) {
  double h_low = HUGE_VAL, h_high = 0, error_high = 0, error_low = HUGE_VAL;
  for (const SchemeStudy& record : study.schemes) {
    for (std::size_t k = 0; k < record.steps.size(); ++k) {
      if (!(record.errors[k] > 0)) continue;
      h_low = std::min(h_low, record.steps[k]);
      h_high = std::max(h_high, record.steps[k]);
      error_high = std::max(error_high, record.errors[k]);
      error_low = std::min(error_low, record.errors[k]);
    }
  }
  if (!(h_low < h_high)) return;
  for (const int order : {1, 2}) {
    // Not below the data, where a steep line would stretch the axis.
    const double top = 2 * error_high, bottom = std::min(error_low, top / 10);
    const double h_end = std::max(h_low, h_high * std::pow(bottom / top, 1.0 / order));
    plot.series.push_back({fmt::format("order {}", order),
                           {h_end, h_high},
                           {top * std::pow(h_end / h_high, order), top},
                           PlotStyle::guide});
  }
}

// A path may be too long for a plot; its end says more than its beginning.
std::string end_of(const std::string& text) {
  constexpr std::size_t kMost = 50;
  if (text.size() <= kMost) return text;
  return fmt::format("...{}", std::string_view(text).substr(text.size() - kMost));
}

std::string make_svg(const ConvergenceStudy& study) {
  SvgPlot plot;
  plot.title = study.title;
  plot.x = {.label = fmt::format("step [s]; reference: {}", end_of(study.reference)),
            .scale = AxisScale::log10};
  plot.y = {.label = fmt::format("{} error of {}", study.norm.name(), observed_text(study)),
            .scale = AxisScale::log10};
  for (const SchemeStudy& record : study.schemes) {
    const std::string order = std::isfinite(record.fit.order)
                                  ? fmt::format(": order {:.2f}", record.fit.order)
                                  : std::string();
    plot.series.push_back(
        {record.scheme + order, record.steps, record.errors, PlotStyle::line_markers});
  }
  add_guides(study, plot);
  return format_svg(plot);
}

// Words between separators, without the spaces around them.
std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> words;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    std::string word = text.substr(begin, end - begin);
    word.erase(0, word.find_first_not_of(" \t"));
    word.erase(word.find_last_not_of(" \t") + 1);
    if (!word.empty()) words.push_back(word);
    begin = end + 1;
  }
  return words;
}

std::optional<double> to_number(const std::string& word) {
  double value = 0;
  const char* end = word.data() + word.size();
  const auto [last, error] = std::from_chars(word.data(), end, value);
  if (error != std::errc{} || last != end || !std::isfinite(value)) return std::nullopt;
  return value;
}

double step_number(const std::string& word) {
  const std::optional<double> h = to_number(word);
  if (!h || !(*h > 0)) {
    throw OptionError("steps",
                      fmt::format("'{}' is no step; give numbers > 0 [s] as in 1e-2,1e-3, or "
                                  "LARGEST:SMALLEST:COUNT",
                                  word));
  }
  return *h;
}

StepRange read_step(const std::string& word) {
  const std::vector<std::string> range = split(word, ':');
  if (range.size() == 1) return {.largest = step_number(word), .smallest = step_number(word)};
  const auto count = range.size() == 3 ? to_number(range[2]) : std::nullopt;
  if (!count || *count < 2 || *count > 1000 || *count != std::floor(*count)) {
    throw OptionError(
        "steps",
        fmt::format("'{}' is no range; give LARGEST:SMALLEST:COUNT as in 1e-2:1e-4:9", word));
  }
  return {step_number(range[0]), step_number(range[1]), static_cast<int>(*count)};
}

double read_tolerance(const std::string& word) {
  const std::optional<double> tolerance = to_number(word);
  if (!tolerance || !(*tolerance > 0)) {
    throw OptionError("tolerances",
                      fmt::format("'{}' is no tolerance; give numbers > 0 as in 1e-3,1e-4", word));
  }
  return *tolerance;
}

// On a terminal only.
void show_progress(std::size_t done, std::size_t count) {
  if (isatty(STDERR_FILENO) != 1) return;
  fmt::print(stderr, "\r\x1b[K");
  if (done < count) fmt::print(stderr, "{} of {} runs done", done, count);
}

SceneStudyOptions read_options(const ConvergeArguments& arguments) {
  SceneStudyOptions options{.schemes = split(arguments.schemes, ','),
                            .reference = arguments.reference,
                            .reference_scheme = arguments.reference_scheme,
                            .norm = arguments.norm,
                            .observe = split(arguments.observe, ','),
                            .jobs = arguments.jobs,
                            .progress = show_progress};
  for (const std::string& word : split(arguments.steps, ','))
    options.steps.push_back(read_step(word));
  for (const std::string& word : split(arguments.tolerances, ','))
    options.tolerances.push_back(read_tolerance(word));
  return options;
}

SceneStudy read_study(const ConvergeArguments& arguments) {
  const auto load = [&](const std::string& scheme) {
    std::vector<std::string> set = arguments.set;
    set.push_back("simulation.scheme=" + scheme);
    return load_scene(arguments.scene, set);
  };
  try {
    return SceneStudy(load, read_options(arguments));
  } catch (const OptionError& error) {  // options of the library have their names on this line
    std::string message = error.what();
    std::replace(message.begin(), message.begin() + message.find(':'), '_', '-');
    throw InputError("--" + message);
  }
}

}  // namespace

int converge(const ConvergeArguments& arguments) {
  const SceneStudy what = read_study(arguments);
  const std::filesystem::path folder = make_folder(arguments.folder, arguments.scene);
  const ConvergenceStudy study = what.run();
  write_file(folder / "converge.csv", make_csv(study));
  write_file(folder / "converge.svg", make_svg(study));
  if (arguments.json) {
    fmt::print("{}\n", make_json(study).dump(-1, ' ', false, Json::error_handler_t::replace));
  } else {
    print_runs(study);
    print_costs(study);
    fmt::print("\n  files: {} and {}\n", (folder / "converge.csv").string(),
               (folder / "converge.svg").string());
  }
  return study.good() ? kDone : kNumericalFailure;
}

}  // namespace clack::app
