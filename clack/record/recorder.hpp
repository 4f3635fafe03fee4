// Turns the steps of a simulation into rows of results.h5 and the figures of the summary.
#pragma once

#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "clack/analyse/ledger.hpp"
#include "clack/analyse/measures.hpp"
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
};

// The options of a run as JSON, as results.h5 carries them.
std::string options_text(const Scene& scene);

class Recorder {
 public:
  Recorder(const Scene& scene, const Run& run, const std::string& file);
  // Takes up the run of the file that is there: `run` is restored to its last row.
  Recorder(const Scene& scene, Run& run, const std::string& file, const ResultsReader& old);

  void add(const Run& run, Status status);  // after each step
  void finish();

  const RunFigures& figures() const { return figures_; }
  const Ledger& ledger() const { return ledger_; }
  const Measures& measures() const { return measures_; }

 private:
  ResultsHeader make_header(const Run& run);
  void update_figures(const Run& run, Status status);
  void write_row(const Run& run, Status status);
  void collect_extra(const Run& run);
  void save(std::vector<double>& numbers) const;
  void restore(std::span<const double>& numbers);

  const Scene& scene_;
  Ledger ledger_;
  Measures measures_;
  RunFigures figures_;
  ContactRowList rows_;
  std::vector<double> extra_, sample_, law_;
  std::unique_ptr<ResultsWriter> writer_;
};

}  // namespace clack
