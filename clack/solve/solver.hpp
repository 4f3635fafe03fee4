// What every solver of the one-step problem shares: options, report, interface.
#pragma once

#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "clack/core/status.hpp"
#include "clack/problem/reduced_problem.hpp"

namespace clack {

struct SolverOptions {
  double tolerance = 1e-10;    // for both measures of the yardstick
  int max_iterations = 10000;  // sweeps or Newton steps
  double time_limit = std::numeric_limits<double>::infinity();  // [s]
  bool record_history = false;

  void validate() const;  // throws InputError
};

struct HistoryEntry {
  int iteration;
  double seconds;
  double residual;  // the solver's own current measure: history, never a verdict
};

struct [[nodiscard]] SolveReport {
  Status status = Status::not_run;
  int iterations = 0;
  double residual = std::numeric_limits<double>::quiet_NaN();         // recomputed after the solve
  double residual_scaled = std::numeric_limits<double>::quiet_NaN();  // recomputed after the solve
  double seconds = 0;
  std::vector<HistoryEntry> history;
};

// A solver keeps its workspace between calls, so a sequence of problems of bounded size is solved
// without allocation. Not for use by two threads at once.
class Solver {
 public:
  explicit Solver(const SolverOptions& options) : options_(options) { options_.validate(); }
  virtual ~Solver() = default;

  virtual std::string_view name() const = 0;
  const SolverOptions& options() const { return options_; }

  // On entry r (m values) is the warm start, on return the impulses; u receives W r + u_free.
  SolveReport solve(const ReducedProblem& problem, double* r, double* u);

 protected:
  // Iterates on r until the tolerance holds or a limit is met; returns status, iterations, history.
  virtual void iterate(const ReducedProblem& problem, double* r, double* u, SolveReport& report) = 0;

  // Bookkeeping at the end of an iteration; true when the solver must stop.
  bool stop_here(int iteration, double measure, SolveReport& report) const;
  double elapsed() const;  // [s] since the solve began

 private:
  SolverOptions options_;
  double start_ = 0;
};

// Makes a solver by the name used in files; throws InputError that lists the names.
std::unique_ptr<Solver> make_solver(std::string_view name, const SolverOptions& options);

struct SolverInfo {
  std::string_view name;
  std::string_view summary;
};
const std::vector<SolverInfo>& solver_list();

}  // namespace clack
