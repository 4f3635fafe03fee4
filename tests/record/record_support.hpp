// A run whose steps are written down beforehand, and runs of scenes into a folder.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "clack/record/recorded_run.hpp"
#include "clack/record/run.hpp"
#include "clack/record/saved_checkpoint.hpp"
#include "tests/folder.hpp"
#include "tests/values.hpp"

namespace clack::test {

// A ball that falls on a floor, slides and bounces.
constexpr const char* kSlidingBall = R"(clack: 1
system:
  type: linear
  coordinates: [x, y]
  M: [[2, 0], [0, 2]]
  f: [0, -20]
  contacts: [{name: floor, G: [0, 1], T: [[1, 0]], mu: 0.3, e_n: 0.5}]
initial: {q: [0, 0.2], v: [3, 0]}
simulation: {step: 1.0e-2, end: 1}
measures: [{name: highest, of: y, take: max}]
)";

// What a step of a ScriptedRun leaves.
struct ScriptedStep {
  Status status = Status::converged;
  SolveReport report = {};
  std::vector<StepError> errors = {};
  EnergyAudit energy = {};
  int contacts = 0;
  double gap = std::numeric_limits<double>::infinity();
  std::vector<EventRow> events = {};
  LinkDrift drift = {};
  WorstPlace place = {};
};

// One coordinate that counts the steps.
class ScriptedRun final : public Run {
 public:
  explicit ScriptedRun(std::vector<ScriptedStep> steps) : script_(std::move(steps)) {}

  Status step() override {
    now_ = script_[static_cast<std::size_t>(count_++)];
    q_[0] = static_cast<double>(count_);
    return now_.status;
  }
  bool done() const override { return count_ == static_cast<long>(script_.size()); }
  double time() const override { return 0.5 * static_cast<double>(count_); }
  long steps() const override { return count_; }
  std::span<const double> q() const override { return {q_.data(), 1}; }
  std::span<const double> v() const override { return {v_.data(), 1}; }
  const Vector& measured_q() const override { return q_; }
  const Vector& measured_v() const override { return v_; }
  const EnergyAudit& energy() const override { return now_.energy; }
  const SolveReport& report() const override { return now_.report; }
  std::vector<StepError> errors() const override { return now_.errors; }
  std::string failure() const override { return "the script says so"; }
  WorstPlace worst_place() const override { return now_.place; }
  std::string place_name(const WorstPlace& place) const override {
    return place.first < 0 ? "" : "place " + std::to_string(place.first);
  }
  int contact_count() const override { return now_.contacts; }
  double smallest_gap() const override { return now_.gap; }
  void collect(ContactRowList& rows) const override { rows.clear(); }
  std::span<const EventRow> events() const override { return now_.events; }
  LinkDrift drift() const override { return now_.drift; }
  std::vector<std::string> lost_bodies() const override { return lost; }
  std::optional<ProblemData> problem() const override { return std::nullopt; }
  std::array<double, 6> seconds_by_stage() const override { return {}; }
  void describe(ResultsHeader& header) const override {
    header.nq = header.nv = 1;
    header.q_names = header.v_names = {"count"};
  }
  void save(std::vector<double>& numbers) const override {
    numbers.push_back(static_cast<double>(count_));
  }
  void restore(const ResultsReader& file, std::span<const double>& numbers) override {
    count_ = static_cast<long>(take(numbers));
    q_[0] = file.q()(file.rows() - 1, 0);
  }

  std::vector<std::string> lost;

 private:
  std::vector<ScriptedStep> script_;
  ScriptedStep now_;
  long count_ = 0;
  Vector q_ = Vector::Zero(1), v_ = Vector::Zero(1);
};

// Any scene with these settings; what it says of the system is not looked at by a ScriptedRun.
inline Scene scene_with(const std::vector<std::string>& overrides = {}) {
  return parse_scene("scene", kSlidingBall, overrides);
}

inline ScriptedStep with_status(Status status, std::vector<StepError> errors = {}) {
  ScriptedStep step;
  step.status = status;
  step.errors = std::move(errors);
  return step;
}

// Steps to the end, or to a numerical failure, as RecordedRun does.
inline void record_all(Run& run, Recorder& recorder) {
  Status status = Status::converged;
  while (!run.done() && status != Status::numerical_failure) {
    status = run.step();
    recorder.add(run, status);
  }
  recorder.finish();
}

// The summary of a run of a scene; `steps` >= 0: broken off after so many.
inline nlohmann::json run_scene(const Scene& scene, const std::filesystem::path& folder,
                                long steps = -1, bool resume = false) {
  std::filesystem::create_directories(folder);
  RecordedRun run(scene, {.folder = folder, .resume = resume});
  run.simulate([&] { return steps < 0 || --steps > 0; });
  return nlohmann::json::parse(run.summary());
}

}  // namespace clack::test
