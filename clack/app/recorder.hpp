// Turns the steps of a simulation into rows of results.h5 and the figures of the summary.
#pragma once

#include <limits>
#include <map>
#include <string>
#include <vector>

#include "clack/analyse/ledger.hpp"
#include "clack/analyse/measures.hpp"
#include "clack/io/results/results_writer.hpp"
#include "clack/io/scene/scene.hpp"

namespace clack::app {

// What happened over a whole run.
struct RunFigures {
  double max_residual = 0;          // of the yardstick
  double max_residual_scaled = 0;
  int contacts_max = 0;             // contacts in one step's problem
  double min_gap = std::numeric_limits<double>::infinity();  // [m]
  long failed_steps = 0;            // steps that missed a tolerance
  Status first_failure = Status::converged;
  double first_failure_time = 0;    // [s]
  std::map<std::string, long> impacts;  // contacts by name: closings with an impulse
};

class Recorder {
 public:
  Recorder(const Scene& scene, const Simulation& simulation, const std::string& file);

  void add(const Simulation& simulation, Status status);  // after each step
  void finish();

  const RunFigures& figures() const { return figures_; }
  const Ledger& ledger() const { return ledger_; }
  const Measures& measures() const { return measures_; }

 private:
  void update_figures(const Simulation& simulation, Status status);
  void update_smallest_gap(const Step& step);
  void write_row(const Simulation& simulation, Status status);
  void collect_contacts(const Step& step);

  const Scene& scene_;
  ResultsWriter writer_;
  Ledger ledger_;
  Measures measures_;
  RunFigures figures_;
  std::vector<ContactRow> rows_;
  std::vector<char> loaded_;        // contacts that carried an impulse in the last step
  std::vector<long> impact_count_;  // per contact
};

}  // namespace clack::app
