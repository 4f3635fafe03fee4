// Turns the steps of a simulation into rows of results.h5 and the figures of the summary.
#pragma once

#include <array>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "clack/analyse/ledger.hpp"
#include "clack/analyse/measures.hpp"
#include "clack/integrate/constraint_rank.hpp"
#include "clack/io/results/results_writer.hpp"
#include "clack/record/run.hpp"

namespace clack {

// What happened over a whole run.
struct RunFigures {
  // Of the yardstick: the published residual, and the two that decide.
  double max_residual = 0, max_residual_scaled = 0, max_velocity_error = 0;
  int contacts_max = 0;                                      // contacts in one step's problem
  double min_gap = std::numeric_limits<double>::infinity();  // [m]
  long failed_steps = 0;                                     // steps that missed a tolerance
  Status first_failure = Status::converged;
  double first_failure_time = 0;  // [s]
  WorstPlace first_failure_at;
  std::string first_failure_place;  // the same in words
  long near_misses = 0;             // steps that missed a tolerance by little: no failure
  double near_miss_worst = 0;       // error over tolerance of the worst of them
  std::string failure;              // what is not finite, after a numerical failure
  LinkDrift drift;                  // the largest relative one
  double drift_time = 0;            // [s]
  long gain_steps = 0;              // in which friction or impacts added energy
  double gain_work = 0;             // that energy [J]
  double kinetic_max = 0;           // [J]
  double potential_low = 0, potential_high = 0;  // [J]
  double excess_work = 0;  // of the impacts of a step, far beyond the energy in the scene [J]
  double excess_time = 0;  // [s]
  std::array<long, kEventKinds> events{};  // by EventKind, in all
};

// The options of a run as JSON, as results.h5 carries them.
std::string options_text(const Scene& scene);

// Whether a step that stopped short of a tolerance came so near that it counts as a warning: each
// error below 100 times its tolerance and below 1e-4, or 10 times a tolerance above 1e-5.
bool is_near_miss(const std::vector<StepError>& errors, Status status);

// Whether a contact has a law of its own beside Newton and Coulomb.
bool has_own_laws(const Scene& scene);

class Recorder {
 public:
  Recorder(const Scene& scene, const Run& run, const std::string& file);
  // Figures and measures alone: nothing is written.
  Recorder(const Scene& scene, const Run& run);
  // Takes up the run of the file that is there: `run` is restored to its last row.
  Recorder(const Scene& scene, Run& run, const std::string& file, const ResultsReader& old);

  void add(const Run& run, Status status);  // after each step
  void finish();

  const RunFigures& figures() const { return figures_; }
  const Ledger& ledger() const { return ledger_; }
  const Measures& measures() const { return measures_; }
  // Of the constraints of a system with loops; null for others.
  const ConstraintRank* rank() const { return rank_.get(); }

 private:
  ResultsHeader make_header(const Run& run);
  void update_figures(const Run& run, Status status);
  void add_events(const Run& run);
  void judge_step(const Run& run, Status status);
  void judge_energy(const Run& run);
  void judge_drift(const Run& run);
  void write_row(const Run& run, Status status);
  void collect_extra(const Run& run);
  void save(std::vector<double>& numbers) const;
  void restore(std::span<const double>& numbers);

  const Scene& scene_;
  EventOutput events_ = scene_.events();
  bool stores_energy_ = has_own_laws(scene_);  // contacts may give back what they took
  Ledger ledger_;
  Measures measures_;
  RunFigures figures_;
  std::unique_ptr<ConstraintRank> rank_;
  ContactRowList rows_;
  std::vector<double> extra_, sample_, drift_, law_, restart_;
  std::unique_ptr<ResultsWriter> writer_;  // none where nothing is written
};

}  // namespace clack
