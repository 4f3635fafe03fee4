#include "clack/app/converge_study.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cmath>
#include <exception>
#include <limits>
#include <mutex>
#include <thread>

#include "clack/analyse/errors.hpp"
#include "clack/app/converge_runner.hpp"
#include "clack/core/error.hpp"

namespace clack::app {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr long kReferenceRatio = 16;  // of `self`: its step over the smallest one

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
    throw InputError(
        fmt::format("--steps: '{}' is no step; give numbers > 0 [s] as in 1e-2,1e-3, or "
                    "LARGEST:SMALLEST:COUNT",
                    word));
  }
  return *h;
}

constexpr double kMostSteps = 1e9;

// The number of steps, which must be a whole one for all runs to end at the same time.
long count_steps(const Scene& scene, double h) {
  const double length = scene.end - scene.initial.t, steps = length / h, whole = std::round(steps);
  if (steps > kMostSteps)
    throw InputError(fmt::format("--steps: {:g} s needs more than {:g} steps", h, kMostSteps));
  if (whole >= 1 && std::abs(steps - whole) <= 1e-9 * whole) return static_cast<long>(whole);
  throw InputError(fmt::format("--steps: {:g} s does not divide the {:g} s of the scene; {} s does",
                               h, length, length / std::max(1.0, whole)));
}

// Largest first, each once.
std::vector<long> read_steps(const std::string& text, const Scene& scene) {
  const double length = scene.end - scene.initial.t;
  if (!(length > 0)) throw InputError("the scene ends where it starts: nothing to compare");
  std::vector<long> counts;
  for (const std::string& word : split(text, ',')) {
    const std::vector<std::string> range = split(word, ':');
    if (range.size() == 1) {
      counts.push_back(count_steps(scene, step_number(word)));
      continue;
    }
    const auto count = range.size() == 3 ? to_number(range[2]) : std::nullopt;
    if (!count || *count < 2 || *count > 1000 || *count != std::floor(*count)) {
      throw InputError(
          fmt::format("--steps: '{}' is no range; give LARGEST:SMALLEST:COUNT as in "
                      "1e-2:1e-4:9",
                      word));
    }
    const double from = step_number(range[0]), to = step_number(range[1]);
    for (int i = 0; i < *count; ++i) {  // the nearest steps that divide the time
      const double h = from * std::pow(to / from, i / (*count - 1));
      if (length / h > kMostSteps) count_steps(scene, h);
      counts.push_back(std::max(1L, std::lround(length / h)));
    }
  }
  if (counts.empty()) throw InputError("--steps: names no step");
  std::sort(counts.begin(), counts.end());
  counts.erase(std::unique(counts.begin(), counts.end()), counts.end());
  return counts;
}

// Largest first.
std::vector<double> read_tolerances(const std::string& text) {
  std::vector<double> tolerances;
  for (const std::string& word : split(text, ',')) {
    const std::optional<double> tolerance = to_number(word);
    if (!tolerance || !(*tolerance > 0)) {
      throw InputError(fmt::format(
          "--tolerances: '{}' is no tolerance; give numbers > 0 as in 1e-3,1e-4", word));
    }
    tolerances.push_back(*tolerance);
  }
  std::sort(tolerances.rbegin(), tolerances.rend());
  return tolerances;
}

std::vector<std::string> read_schemes(const std::string& text, const char* option) {
  std::vector<std::string> names, known;
  for (const SchemeInfo& info : scheme_list()) known.emplace_back(info.name);
  for (const std::string& name : split(text, ',')) {
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      throw InputError(
          fmt::format("{}: unknown scheme '{}'; known: {}", option, name, fmt::join(known, ", ")));
    }
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  if (names.empty()) throw InputError(fmt::format("{}: names no scheme", option));
  return names;
}

Observed observe_all(const Scene& scene, bool exact) {
  Observed result;
  for (std::size_t i = 0; i < scene.q_names.size(); ++i) {
    if (!exact || scene.exact.knows_q[i]) result.q.push_back(static_cast<int>(i));
  }
  for (std::size_t i = 0; i < scene.v_names.size(); ++i) {
    if (!exact || scene.exact.knows_v[i]) result.v.push_back(static_cast<int>(i));
  }
  return result;
}

Observed read_observed(const std::string& text, const Scene& scene, bool exact) {
  Observed all = observe_all(scene, exact), result;
  for (const std::string& name : split(text, ',')) {
    const auto pick = [&](const std::vector<std::string>& names, const std::vector<int>& from,
                          std::vector<int>& into) {
      for (const int i : from) {
        if (names[i] != name) continue;
        if (std::find(into.begin(), into.end(), i) == into.end()) into.push_back(i);
        return true;
      }
      return false;
    };
    if (pick(scene.q_names, all.q, result.q) || pick(scene.v_names, all.v, result.v)) continue;
    throw InputError(fmt::format("--observe: '{}' is no coordinate or velocity that the {} knows",
                                 name, exact ? "closed form" : "scene"));
  }
  if (text.empty()) result = std::move(all);
  if (result.q.empty() && result.v.empty()) throw InputError("--observe: names nothing to compare");
  for (const int i : result.q) result.names.push_back(scene.q_names[i]);
  for (const int i : result.v) result.names.push_back(scene.v_names[i]);
  return result;
}

double error_of(const Norm& norm, const Curve& run, const CurveFunction& function,
                const Curve& curve) {
  if (run.dimension() == 0) return 0;
  switch (norm.kind) {
    case Norm::Kind::lp:
      return lp_error(run, function, norm.p);
    case Norm::Kind::max:
      return max_error(run, function);
    case Norm::Kind::hausdorff:
      return hausdorff_distance(run, curve, norm.time_scale);
  }
  return kNan;
}

void compare(const Norm& norm, const Motion& motion, const Reference& reference,
             RunRecord& record) {
  if (motion.q.size() == 0) return;
  const CurveFunction q = reference.q_function(), v = reference.v_function();
  record.error_q = error_of(norm, motion.q, q, reference.q());
  record.error_v = error_of(norm, motion.v, v, reference.v());
  record.error = record.error_q + record.error_v;
  record.error_l1 = lp_error(motion.q, q, 1) + lp_error(motion.v, v, 1);
}

// Calls work(0) to work(count - 1) from some threads; says on a terminal how far it is. What a call
// throws is thrown here, after the others.
void for_all(std::size_t count, int jobs, const std::function<void(std::size_t)>& work) {
  const bool terminal = isatty(STDERR_FILENO) == 1;
  std::atomic<std::size_t> next = 0;
  std::size_t done = 0;
  std::mutex mutex;
  std::exception_ptr thrown;
  const auto loop = [&] {
    for (std::size_t i = next++; i < count; i = next++) {
      std::exception_ptr caught;
      try {
        work(i);
      } catch (...) {
        caught = std::current_exception();
      }
      const std::lock_guard lock(mutex);
      if (caught) thrown = caught;
      if (terminal) fmt::print(stderr, "\r\x1b[K{} of {} runs done", ++done, count);
    }
  };
  std::vector<std::thread> threads;
  for (std::size_t j = 1; j < std::min<std::size_t>(jobs, count); ++j) threads.emplace_back(loop);
  loop();
  for (std::thread& thread : threads) thread.join();
  if (terminal) fmt::print(stderr, "\r\x1b[K");
  if (thrown) std::rethrow_exception(thrown);
}

// The whole, in the order that it is done.
class StudyRunner {
 public:
  explicit StudyRunner(const StudyArguments& arguments) : arguments_(arguments) {}

  Study run(const std::function<void()>& before_runs) {
    prepare();
    if (kind_ != "self") take_reference();
    before_runs();
    if (kind_ == "self") run_references();
    run_all();
    for (SchemeRecord& record : study_.schemes) finish(record);
    return std::move(study_);
  }

 private:
  Scene load(const std::string& scheme) const {
    std::vector<std::string> set = arguments_.set;
    set.push_back("simulation.scheme=" + scheme);
    Scene scene = load_scene(arguments_.scene, set);
    if (scene.world) {
      throw InputError(fmt::format(
          "{}: rigid bodies are moved by one scheme; converge compares schemes of linear and "
          "lagrangian systems",
          arguments_.scene));
    }
    return scene;
  }

  void prepare() {
    study_.norm = Norm::parse(arguments_.norm);
    const std::vector<std::string> schemes = read_schemes(arguments_.schemes, "--schemes");
    for (const std::string& scheme : schemes) scenes_.push_back(load(scheme));
    const Scene& scene = scenes_.front();
    counts_ = read_steps(arguments_.steps, scene);
    tolerances_ = read_tolerances(arguments_.tolerances);
    study_.scene = scene.path;
    study_.title = scene.title.empty() ? scene.path : scene.title;
    study_.begin = scene.initial.t;
    study_.end = scene.end;
    jobs_ = arguments_.jobs > 0
                ? arguments_.jobs
                : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
    choose_reference(scene);
    observed_ = read_observed(arguments_.observe, scene, kind_ == "exact");
    study_.observed = observed_.names;
  }

  void choose_reference(const Scene& scene) {
    kind_ = arguments_.reference;
    if (kind_.empty()) kind_ = scene.exact ? "exact" : "self";
    if (kind_ == "exact" && !scene.exact) {
      throw InputError(
          fmt::format("{}: has no `exact:` part to compare with; write one, or give "
                      "--reference self or a file",
                      scene.path));
    }
    if (!arguments_.reference_scheme.empty() && kind_ != "self") {
      throw InputError("--reference-scheme: only goes with --reference self");
    }
    if (kind_ == "self" && static_cast<double>(counts_.back() * kReferenceRatio) > kMostSteps) {
      throw InputError("--steps: the reference run would need too many steps");
    }
  }

  void take_reference() {
    const Scene& scene = scenes_.front();
    references_.push_back(kind_ == "exact" ? Reference::of_exact(scene, observed_, study_.norm,
                                                                 std::max(1024L, counts_.back()))
                                           : Reference::of_file(kind_, scene, observed_));
    study_.reference = kind_ == "exact" ? "the closed form of the scene" : kind_;
  }

  // One for each scheme or one for all; nothing where the reference run itself failed.
  void run_references() {
    std::vector<const Scene*> sources;
    std::optional<Scene> other;
    if (arguments_.reference_scheme.empty()) {
      for (const Scene& scene : scenes_) sources.push_back(&scene);
    } else {
      other = load(read_schemes(arguments_.reference_scheme, "--reference-scheme").front());
      sources.push_back(&*other);
    }
    references_.resize(sources.size());
    failures_.resize(sources.size());
    const long steps = counts_.back() * kReferenceRatio;
    for_all(sources.size(), jobs_, [&](std::size_t i) {
      Motion motion;
      const RunRecord record = run_scene(*sources[i], {.steps = steps}, observed_, motion);
      failures_[i] = record.failure;
      if (record.good()) references_[i] = Reference::of_motion(std::move(motion));
    });
    study_.reference = fmt::format("a run of {} with {:.6g} s",
                                   other ? other->options.scheme : "each scheme itself",
                                   (study_.end - study_.begin) / static_cast<double>(steps));
  }

  // A line of the study: a scheme with constant steps, or with steps that adapt themselves.
  struct Line {
    std::size_t scene;
    std::vector<RunSize> sizes;
  };

  std::vector<Line> make_lines() const {
    std::vector<Line> lines;
    for (std::size_t i = 0; i < scenes_.size(); ++i) {
      Line& line = lines.emplace_back(Line{i, {}});
      for (const long steps : counts_) line.sizes.push_back({.steps = steps});
    }
    for (std::size_t i = 0; i < scenes_.size() && !tolerances_.empty(); ++i) {
      const SimulationOptions& options = scenes_[i].options;
      if (!make_scheme(options.scheme, options.scheme_options)->step_may_vary()) continue;
      Line& line = lines.emplace_back(Line{i, {}});
      for (const double tolerance : tolerances_) line.sizes.push_back({.tolerance = tolerance});
    }
    return lines;
  }

  void run_all() {
    const std::vector<Line> lines = make_lines();
    std::vector<std::pair<std::size_t, std::size_t>> jobs;  // line and size, long ones first
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const bool adaptive = lines[i].sizes.front().tolerance > 0;
      const std::string& scheme = scenes_[lines[i].scene].options.scheme;
      study_.schemes.push_back({.scheme = adaptive ? scheme + ", adaptive" : scheme});
      study_.schemes.back().runs.resize(lines[i].sizes.size());
      for (std::size_t k = 0; k < lines[i].sizes.size(); ++k) jobs.emplace_back(i, k);
    }
    std::stable_sort(jobs.begin(), jobs.end(), [&](const auto& a, const auto& b) {
      return lines[a.first].sizes.size() - a.second < lines[b.first].sizes.size() - b.second;
    });
    for_all(jobs.size(), jobs_, [&](std::size_t job) {
      const auto [i, k] = jobs[job];
      run_one(lines[i].scene, lines[i].sizes[k], study_.schemes[i].runs[k]);
      study_.schemes[i].runs[k].scheme = study_.schemes[i].scheme;
    });
  }

  void run_one(std::size_t scene, const RunSize& size, RunRecord& record) {
    const std::size_t r = references_.size() == 1 ? 0 : scene;
    Motion motion;
    record = run_scene(scenes_[scene], size, observed_, motion);
    if (r < failures_.size() && !failures_[r].empty()) {
      record.failure = "its reference run failed: " + failures_[r];
    } else {
      compare(study_.norm, motion, *references_[r], record);
    }
  }

  static void finish(SchemeRecord& record) {
    for (const RunRecord& run : record.runs) {
      record.steps.push_back(run.h);
      record.errors.push_back(run.good() ? run.error : kNan);
    }
    record.orders = pairwise_orders(record.steps, record.errors);
    record.fit = fit_order(record.steps, record.errors);
  }

  const StudyArguments& arguments_;
  Study study_;
  std::string kind_;  // exact, self or a file
  int jobs_ = 1;
  std::vector<Scene> scenes_;       // one a scheme
  std::vector<long> counts_;        // steps of a run, rising
  std::vector<double> tolerances_;  // of adaptive runs, falling
  Observed observed_;
  std::vector<std::optional<Reference>> references_;
  std::vector<std::string> failures_;  // of the references
};

// A column of the good runs at an L1 error.
double value_for(const SchemeRecord& record, double l1_error, double (*value)(const RunRecord&)) {
  std::vector<double> errors, values;
  for (const RunRecord& run : record.runs) {
    if (!run.good()) continue;
    errors.push_back(run.error_l1);
    values.push_back(value(run));
  }
  return value_at_error(errors, values, l1_error);
}

}  // namespace

Norm Norm::parse(const std::string& text) {
  const std::size_t colon = text.find(':');
  const std::string word = text.substr(0, colon);
  const auto number = colon == std::string::npos ? std::nullopt : to_number(text.substr(colon + 1));
  const bool plain = colon == std::string::npos;
  if (word == "L1" && plain) return {};
  if (word == "max" && plain) return {.kind = Kind::max};
  if (word == "Lp" && number && *number >= 1) return {.kind = Kind::lp, .p = *number};
  if (word == "Hausdorff" && plain) return {.kind = Kind::hausdorff};
  if (word == "Hausdorff" && number && *number > 0) {
    return {.kind = Kind::hausdorff, .time_scale = *number};
  }
  throw InputError(
      fmt::format("--norm: '{}' is not known; allowed: L1, Lp:P with P >= 1, max, "
                  "Hausdorff, Hausdorff:SCALE with SCALE > 0",
                  text));
}

std::string Norm::name() const {
  if (kind == Kind::max) return "max";
  if (kind == Kind::lp) return p == 1 ? "L1" : fmt::format("L{:g}", p);
  return time_scale == 1 ? "Hausdorff" : fmt::format("Hausdorff, time scaled by {:g}", time_scale);
}

double SchemeRecord::cpu_seconds_for(double l1_error) const {
  return value_for(*this, l1_error, [](const RunRecord& run) { return run.cpu_seconds; });
}

double SchemeRecord::steps_for(double l1_error) const {
  return value_for(*this, l1_error,
                   [](const RunRecord& run) { return static_cast<double>(run.steps); });
}

bool Study::good() const {
  return std::all_of(schemes.begin(), schemes.end(), [](const SchemeRecord& record) {
    return std::all_of(record.runs.begin(), record.runs.end(), std::mem_fn(&RunRecord::good));
  });
}

Study run_study(const StudyArguments& arguments, const std::function<void()>& before_runs) {
  return StudyRunner(arguments).run(before_runs);
}

}  // namespace clack::app
