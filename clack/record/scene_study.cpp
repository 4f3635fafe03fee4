#include "clack/record/scene_study.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "clack/integrate/scheme.hpp"
#include "clack/record/reference_file.hpp"

namespace clack {
namespace {

// Each once. The reader of scenes says which of them a scene takes.
std::vector<std::string> check_schemes(const std::vector<std::string>& schemes,
                                       const char* option) {
  std::vector<std::string> names, known;
  for (const SchemeInfo& info : scheme_list()) known.emplace_back(info.name);
  known.emplace_back(kWorldScheme);
  for (const std::string& name : schemes) {
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      throw OptionError(
          option, fmt::format("unknown scheme '{}'; known: {}", name, fmt::join(known, ", ")));
    }
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  if (names.empty()) throw OptionError(option, "names no scheme");
  return names;
}

StudyCase make_case(const Scene& scene) {
  return {scene.system, scene.initial, scene.options, scene.end};
}

// Those that the reference knows.
ObservedCoordinates observe_all(const Scene& scene, bool exact) {
  ObservedCoordinates result;
  for (std::size_t i = 0; i < scene.q_names.size(); ++i) {
    if (!exact || scene.exact.knows_q[i]) result.q.push_back(static_cast<int>(i));
  }
  for (std::size_t i = 0; i < scene.v_names.size(); ++i) {
    if (!exact || scene.exact.knows_v[i]) result.v.push_back(static_cast<int>(i));
  }
  return result;
}

// Moves the index of the name, where it is one of `from`, to the end of `into`.
bool pick(const std::string& name, const std::vector<std::string>& names,
          const std::vector<int>& from, std::vector<int>& into) {
  for (const int i : from) {
    if (names[static_cast<std::size_t>(i)] != name) continue;
    if (std::find(into.begin(), into.end(), i) == into.end()) into.push_back(i);
    return true;
  }
  return false;
}

}  // namespace

SceneStudy::SceneStudy(const SceneLoader& load, SceneStudyOptions options)
    : options_(std::move(options)) {
  study_options_.norm = ErrorNorm::parse(options_.norm);
  study_options_.tolerances = options_.tolerances;
  study_options_.jobs = options_.jobs;
  study_options_.progress = options_.progress;
  const std::vector<std::string> schemes = check_schemes(options_.schemes, "schemes");
  const Scene scene = load(schemes.front());
  cases_.push_back(make_case(scene));
  for (std::size_t i = 1; i < schemes.size(); ++i) cases_.push_back(make_case(load(schemes[i])));
  scene_ = scene.path;
  title_ = scene.title.empty() ? scene.path : scene.title;
  read_steps(scene);
  choose_reference(scene);
  read_observed(scene);
  read_reference_motion(load, scene);
  check_study(cases_, study_options_, reference_);
}

void SceneStudy::read_steps(const Scene& scene) {
  const double length = scene.end - scene.initial.t;
  if (!(length > 0)) throw InputError("the scene ends where it starts: nothing to compare");
  for (const StepRange& range : options_.steps) {
    if (range.count <= 1) study_options_.steps.push_back(range.largest);
    for (int i = 0; i < range.count && range.count > 1; ++i) {
      const double h =
          range.largest * std::pow(range.smallest / range.largest, i / (range.count - 1.0));
      if (!(h > 0) || length / h > kMostStudySteps) count_steps(length, h);  // says what is wrong
      study_options_.steps.push_back(length / std::max(1.0, std::round(length / h)));
    }
  }
}

void SceneStudy::choose_reference(const Scene& scene) {
  std::string& kind = options_.reference;
  if (kind.empty()) kind = scene.exact ? "exact" : "self";
  if (kind == "exact" && !scene.exact) {
    throw InputError(
        fmt::format("{}: has no `exact:` part to compare with; write one, or take `self` or a file "
                    "for the reference",
                    scene.path));
  }
  if (!options_.reference_scheme.empty() && kind != "self")
    throw OptionError("reference_scheme", "only goes with the reference `self`");
}

void SceneStudy::read_observed(const Scene& scene) {
  const bool exact = options_.reference == "exact";
  const ObservedCoordinates all = observe_all(scene, exact);
  ObservedCoordinates& result = study_options_.observed;
  for (const std::string& name : options_.observe) {
    if (pick(name, scene.q_names, all.q, result.q) || pick(name, scene.v_names, all.v, result.v))
      continue;
    throw OptionError("observe", fmt::format("'{}' is no coordinate or velocity that the {} knows",
                                             name, exact ? "closed form" : "scene"));
  }
  if (options_.observe.empty()) result = all;
  for (const int i : result.q) observed_.push_back(scene.q_names[static_cast<std::size_t>(i)]);
  for (const int i : result.v) observed_.push_back(scene.v_names[static_cast<std::size_t>(i)]);
}

void SceneStudy::read_reference_motion(const SceneLoader& load, const Scene& scene) {
  const std::string& kind = options_.reference;
  const StudyCase& first = cases_.front();
  const long most = study_options_.step_counts(first.length()).back();
  if (kind == "exact") {
    reference_words_ = "the closed form of the scene";
    reference_.motion = ReferenceMotion::of_exact(scene.exact, first, study_options_.observed,
                                                  study_options_.norm, std::max(1024L, most));
    return;
  }
  if (kind != "self") {
    reference_words_ = kind;
    reference_.motion =
        ReferenceMotion::of_motion(read_reference(kind, scene, study_options_.observed));
    return;
  }
  if (!options_.reference_scheme.empty()) {
    check_schemes({options_.reference_scheme}, "reference_scheme");
    reference_.by = make_case(load(options_.reference_scheme));
  }
  const double h = first.length() / static_cast<double>(most * StudyReference::kReferenceRatio);
  reference_words_ =
      fmt::format("a run of {} with {:.6g} s",
                  reference_.by ? reference_.by->options.scheme : "each scheme itself", h);
}

ConvergenceStudy SceneStudy::run() const {
  ConvergenceStudy study = run_study(cases_, study_options_, reference_);
  study.scene = scene_;
  study.title = title_;
  study.reference = reference_words_;
  study.observed = observed_;
  return study;
}

}  // namespace clack
