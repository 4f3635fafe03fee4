#include "clack/analyse/convergence.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cmath>
#include <exception>
#include <functional>
#include <limits>
#include <mutex>
#include <thread>

#include "clack/analyse/convergence_run.hpp"
#include "clack/analyse/errors.hpp"

namespace clack {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

std::optional<double> to_number(const std::string& word) {
  double value = 0;
  const char* end = word.data() + word.size();
  const auto [last, error] = std::from_chars(word.data(), end, value);
  if (error != std::errc{} || last != end || !std::isfinite(value)) return std::nullopt;
  return value;
}

double error_of(const ErrorNorm& norm, const Curve& run, const CurveFunction& function,
                const Curve& curve) {
  if (run.dimension() == 0) return 0;
  switch (norm.kind) {
    case ErrorNorm::Kind::lp:
      return lp_error(run, function, norm.p);
    case ErrorNorm::Kind::max:
      return max_error(run, function);
    case ErrorNorm::Kind::hausdorff:
      return hausdorff_distance(run, curve, norm.time_scale);
  }
  return kNan;
}

void compare(const ErrorNorm& norm, const ObservedMotion& motion, const ReferenceMotion& reference,
             StudyRun& record) {
  if (motion.q.size() == 0) return;
  const CurveFunction q = reference.q_function(), v = reference.v_function();
  record.error_q = error_of(norm, motion.q, q, reference.q());
  record.error_v = error_of(norm, motion.v, v, reference.v());
  record.error = record.error_q + record.error_v;
  record.error_l1 = lp_error(motion.q, q, 1) + lp_error(motion.v, v, 1);
}

// Calls work(0) to work(count - 1) from some threads, and says how far it is. What a call throws is
// thrown here, once the others that have begun are done.
void for_all(std::size_t count, const StudyOptions& options,
             const std::function<void(std::size_t)>& work) {
  const std::size_t jobs = options.jobs > 0
                               ? static_cast<std::size_t>(options.jobs)
                               : std::max<std::size_t>(1, std::thread::hardware_concurrency());
  std::atomic<std::size_t> next = 0;
  std::size_t done = 0;
  std::mutex mutex;
  std::exception_ptr thrown;
  const auto call = [&](std::size_t i) {
    work(i);
    const std::lock_guard lock(mutex);
    if (++done; options.progress) options.progress(done, count);
  };
  const auto loop = [&] {
    for (std::size_t i = next++; i < count; i = next++) {
      try {
        call(i);
      } catch (...) {
        const std::lock_guard lock(mutex);
        thrown = std::current_exception();
        next = count;
      }
    }
  };
  std::vector<std::thread> threads;
  for (std::size_t j = 1; j < std::min(jobs, count); ++j) threads.emplace_back(loop);
  loop();
  for (std::thread& thread : threads) thread.join();
  if (thrown) std::rethrow_exception(thrown);
}

// The whole, in the order that it is done.
class StudyRunner {
 public:
  StudyRunner(const std::vector<StudyCase>& cases, const StudyOptions& options,
              const StudyReference& reference)
      : cases_(cases),
        options_(options),
        reference_(reference),
        counts_(options.step_counts(cases.front().length())),
        tolerances_(options.tolerances) {
    std::sort(tolerances_.rbegin(), tolerances_.rend());
    study_.norm = options.norm;
    study_.begin = cases.front().initial.t;
    study_.end = cases.front().end;
  }

  ConvergenceStudy run() {
    if (reference_.motion) {
      references_.push_back(reference_.motion);
    } else {
      run_references();
    }
    run_all();
    for (SchemeStudy& record : study_.schemes) finish(record);
    return std::move(study_);
  }

 private:
  // One for each scheme or one for all; nothing where the reference run itself failed.
  void run_references() {
    std::vector<const StudyCase*> sources;
    if (reference_.by) {
      sources.push_back(&*reference_.by);
    } else {
      for (const StudyCase& study_case : cases_) sources.push_back(&study_case);
    }
    references_.resize(sources.size());
    failures_.resize(sources.size());
    const long steps = counts_.back() * StudyReference::kReferenceRatio;
    for_all(sources.size(), options_, [&](std::size_t i) {
      ObservedMotion motion;
      const StudyRun record = run_case(*sources[i], {.steps = steps}, options_.observed, motion);
      failures_[i] = record.failure;
      if (record.good()) references_[i] = ReferenceMotion::of_motion(std::move(motion));
    });
  }

  // A line of the study: a scheme with constant steps, or with steps that adapt themselves.
  struct Line {
    std::size_t index;  // of its case
    std::vector<StudyRunSize> sizes;
  };

  std::vector<Line> make_lines() const {
    std::vector<Line> lines;
    for (std::size_t i = 0; i < cases_.size(); ++i) {
      Line& line = lines.emplace_back(Line{i, {}});
      for (const long steps : counts_) line.sizes.push_back({.steps = steps});
    }
    for (std::size_t i = 0; i < cases_.size() && !tolerances_.empty(); ++i) {
      const SimulationOptions& options = cases_[i].options;
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
      const std::string& scheme = cases_[lines[i].index].options.scheme;
      study_.schemes.push_back({.scheme = adaptive ? scheme + ", adaptive" : scheme});
      study_.schemes.back().runs.resize(lines[i].sizes.size());
      for (std::size_t k = 0; k < lines[i].sizes.size(); ++k) jobs.emplace_back(i, k);
    }
    std::stable_sort(jobs.begin(), jobs.end(), [&](const auto& a, const auto& b) {
      return lines[a.first].sizes.size() - a.second < lines[b.first].sizes.size() - b.second;
    });
    for_all(jobs.size(), options_, [&](std::size_t job) {
      const auto [i, k] = jobs[job];
      run_one(lines[i].index, lines[i].sizes[k], study_.schemes[i].runs[k]);
      study_.schemes[i].runs[k].scheme = study_.schemes[i].scheme;
    });
  }

  void run_one(std::size_t index, const StudyRunSize& size, StudyRun& record) {
    const std::size_t r = references_.size() == 1 ? 0 : index;
    ObservedMotion motion;
    record = run_case(cases_[index], size, options_.observed, motion);
    if (r < failures_.size() && !failures_[r].empty()) {
      record.failure = "its reference run failed: " + failures_[r];
    } else {
      compare(study_.norm, motion, *references_[r], record);
    }
  }

  static void finish(SchemeStudy& record) {
    for (const StudyRun& run : record.runs) {
      record.steps.push_back(run.h);
      record.errors.push_back(run.good() ? run.error : kNan);
    }
    record.orders = pairwise_orders(record.steps, record.errors);
    record.fit = fit_order(record.steps, record.errors);
  }

  const std::vector<StudyCase>& cases_;  // one per scheme
  const StudyOptions& options_;
  const StudyReference& reference_;
  std::vector<long> counts_;        // steps of a run, rising
  std::vector<double> tolerances_;  // of adaptive runs, falling
  ConvergenceStudy study_;
  std::vector<std::optional<ReferenceMotion>> references_;
  std::vector<std::string> failures_;  // of the references
};

// A column of the good runs at an L1 error.
double value_for(const SchemeStudy& record, double l1_error, double (*value)(const StudyRun&)) {
  std::vector<double> errors, values;
  for (const StudyRun& run : record.runs) {
    if (!run.good()) continue;
    errors.push_back(run.error_l1);
    values.push_back(value(run));
  }
  return value_at_error(errors, values, l1_error);
}

}  // namespace

ErrorNorm ErrorNorm::parse(const std::string& text) {
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
  throw OptionError("norm", fmt::format("'{}' is not known; allowed: L1, Lp:P with P >= 1, max, "
                                        "Hausdorff, Hausdorff:SCALE with SCALE > 0",
                                        text));
}

std::string ErrorNorm::name() const {
  if (kind == Kind::max) return "max";
  if (kind == Kind::lp) return p == 1 ? "L1" : fmt::format("L{:g}", p);
  return time_scale == 1 ? "Hausdorff" : fmt::format("Hausdorff, time scaled by {:g}", time_scale);
}

double SchemeStudy::cpu_seconds_for(double l1_error) const {
  return value_for(*this, l1_error, [](const StudyRun& run) { return run.cpu_seconds; });
}

double SchemeStudy::steps_for(double l1_error) const {
  return value_for(*this, l1_error,
                   [](const StudyRun& run) { return static_cast<double>(run.steps); });
}

bool ConvergenceStudy::good() const {
  return std::all_of(schemes.begin(), schemes.end(), [](const SchemeStudy& record) {
    return std::all_of(record.runs.begin(), record.runs.end(), std::mem_fn(&StudyRun::good));
  });
}

long count_steps(double length, double h) {
  if (!(h > 0)) throw OptionError("steps", fmt::format("{:g} s is no step", h));
  const double steps = length / h, whole = std::round(steps);
  if (steps > kMostStudySteps) {
    throw OptionError("steps",
                      fmt::format("{:g} s needs more than {:g} steps", h, kMostStudySteps));
  }
  if (whole >= 1 && std::abs(steps - whole) <= 1e-9 * whole) return static_cast<long>(whole);
  throw OptionError(
      "steps", fmt::format("{:g} s does not divide the {:g} s of the scene; {} s does", h, length,
                           length / std::max(1.0, whole)));
}

std::vector<long> StudyOptions::step_counts(double length) const {
  if (!(length > 0)) throw InputError("the scene ends where it starts: nothing to compare");
  if (steps.empty()) throw OptionError("steps", "names no step");
  std::vector<long> counts;
  for (const double h : steps) counts.push_back(count_steps(length, h));
  std::sort(counts.begin(), counts.end());
  counts.erase(std::unique(counts.begin(), counts.end()), counts.end());
  return counts;
}

void check_study(const std::vector<StudyCase>& cases, const StudyOptions& options,
                 const StudyReference& reference) {
  if (cases.empty()) throw OptionError("schemes", "names no scheme");
  if (options.observed.q.empty() && options.observed.v.empty())
    throw OptionError("observe", "names nothing to compare");
  for (const double tolerance : options.tolerances) {
    if (!(tolerance > 0) || !std::isfinite(tolerance))
      throw OptionError("tolerances", fmt::format("{:g} is no tolerance > 0", tolerance));
  }
  const long most = options.step_counts(cases.front().length()).back();
  if (!reference.motion &&
      static_cast<double>(most * StudyReference::kReferenceRatio) > kMostStudySteps)
    throw OptionError("steps", "the reference run would need too many steps");
}

ConvergenceStudy run_study(const std::vector<StudyCase>& cases, const StudyOptions& options,
                           const StudyReference& reference) {
  check_study(cases, options, reference);
  return StudyRunner(cases, options, reference).run();
}

}  // namespace clack
