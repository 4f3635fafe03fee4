// What every solver of the one-step problem shares: options, report, interface.
#pragma once

#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "clack/core/status.hpp"
#include "clack/problem/residual.hpp"
#include "clack/solve/bilateral.hpp"
#include "clack/solve/options.hpp"

namespace clack {

struct SolverOptions {
  double tolerance = 1e-10;        // for the measures of the yardstick that decide
  Verdict verdict = Verdict::all;  // which ones: in a run those that are free of units
  int max_iterations = 10000;      // sweeps or Newton steps
  double time_limit = std::numeric_limits<double>::infinity();  // [s]
  bool record_history = false;

  // What users set of all solvers.
  static const OptionTable<SolverOptions>& table();
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
  // The yardstick, recomputed after the solve: (eq:residual), (eq:residual_scaled),
  // (eq:velocity_error).
  double residual = std::numeric_limits<double>::quiet_NaN();
  double residual_scaled = std::numeric_limits<double>::quiet_NaN();
  double velocity_error = std::numeric_limits<double>::quiet_NaN();
  int worst_contact = -1;  // the contact with that error, if it is known
  double seconds = 0;
  std::vector<HistoryEntry> history;
  std::string note;                 // in words: what was found or done
  std::vector<double> certificate;  // proof of infeasibility, where the status says so

  void set(const Residual& measured) {
    residual = measured.plain;
    residual_scaled = measured.scaled;
    velocity_error = measured.velocity;
    worst_contact = measured.contact;
  }
  Residual measured() const { return {residual, residual_scaled, velocity_error, worst_contact}; }
};

// The verdict on a solve that ended as the report says, by the residual recomputed after it.
void judge_solve(const Residual& final, const SolverOptions& options, SolveReport& report);

// A solver keeps its workspace between calls; nsgs solves a sequence of problems of bounded size
// without allocation. Not for use by two threads at once.
class Solver {
 public:
  explicit Solver(const SolverOptions& options) : options_(options) { options_.validate(); }
  virtual ~Solver() = default;

  virtual std::string_view name() const = 0;
  const SolverOptions& options() const { return options_; }

  // On entry r (m values) is the warm start, on return the impulses; u receives W r + u_free.
  SolveReport solve(const ReducedProblem& problem, double* r, double* u);
  // The same held to another tolerance than that of the options.
  SolveReport solve(const ReducedProblem& problem, double* r, double* u, double tolerance);

 protected:
  // Iterates on r until the tolerance holds or a limit is met; returns status, iterations, history.
  virtual void iterate(const ReducedProblem& problem, double* r, double* u,
                       SolveReport& report) = 0;

  // Called after the verdict where r is not good enough: goes on from r and returns true to be
  // judged again, or false to leave it at that. `residual` is that of r at u = W r + u_free.
  virtual bool refine(const ReducedProblem& problem, const Residual& residual, double* r, double* u,
                      SolveReport& report);

  // The worst of the measures that decide, of the problem that is being solved; writes u.
  double measure(const double* r, double* u) {
    return yardstick_.measure(r, u).of(options_.verdict);
  }

  // Bookkeeping at the end of an iteration; true when the solver must stop.
  bool stop_here(int iteration, double measure, SolveReport& report) const;
  double elapsed() const;  // [s] since the solve began

 private:
  SolveReport solve_all_rows(const ReducedProblem& problem, double* r, double* u);
  bool solve_without_bilateral(const ReducedProblem& problem, double* r, double* u,
                               SolveReport& report);

  SolverOptions options_;
  Yardstick yardstick_;
  BilateralElimination bilateral_;
  std::vector<double> rest_r_, rest_u_;
  double start_ = 0;
};

// One solver of the family, as `clack list solvers` shows it.
struct SolverEntry {
  std::string_view name;     // the name used in files
  std::string_view summary;  // one line
  std::string_view reference;
  std::unique_ptr<Solver> (*make)(std::string_view name, const SolverOptions& common,
                                  const OptionSet& own);
  // Its own options with their values, given or by default.
  std::vector<OptionState> (*own_options)(std::string_view name, const OptionSet& given);
};

// An entry of a solver `Method` whose own options stand in `Options::table()`.
template <class Method, class Options>
std::unique_ptr<Solver> make_configured(std::string_view name, const SolverOptions& common,
                                        const OptionSet& own) {
  Options options;
  static_cast<SolverOptions&>(options) = common;
  set_options(name, Options::table(), own, options);
  return std::make_unique<Method>(options);
}
template <class Options>
std::vector<OptionState> describe_options(std::string_view name, const OptionSet& given) {
  Options options;
  set_options(name, Options::table(), given, options);
  return option_states(Options::table(), options);
}
template <class Method, class Options>
constexpr SolverEntry make_entry(std::string_view name, std::string_view summary,
                                 std::string_view reference) {
  return {name, summary, reference, make_configured<Method, Options>, describe_options<Options>};
}
// The families; each lives with its solvers. registry.cpp gathers them.
const std::vector<SolverEntry>& solver_list();

// Makes a solver by its name; throws InputError that lists the names or the solver's own options.
std::unique_ptr<Solver> make_solver(std::string_view name, const SolverOptions& options,
                                    const OptionSet& own = {});
// The own options of a solver, or of `bodies`, with their values where `given` is set. Throws
// InputError as make_solver does, except for values that do not go together.
std::vector<OptionState> own_options(std::string_view solver, const OptionSet& given = {});
// The solvers that have an own option of this name, `bodies` included.
std::vector<std::string_view> solvers_with_option(std::string_view name);

}  // namespace clack
