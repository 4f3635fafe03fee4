// What `clack bench` knows: problems x solvers x tolerances, and how each case ended.
#pragma once

#include <limits>
#include <string>
#include <vector>

namespace clack::app {

inline constexpr double kNotKnown = std::numeric_limits<double>::quiet_NaN();

struct BenchProblem {
  std::string path;
  std::string name;  // unique: the stem of the file, or the path where stems repeat
  int contacts = 0;
  int unknowns = 0;
  int dim = 0;  // of all contacts, which have friction; 0: a mixture or without friction
};

struct BenchSolver {
  std::string name;  // of `clack list solvers`, or of the peer
  bool peer = false;

  std::string label() const { return peer ? "siconos:" + name : name; }
};

// The name of a status in the CSV: those of clack::Status, and
//   missed_tolerance   the peer came back with a residual above the tolerance
//   timed_out          killed by the parent, since it ignored its time limit
//   crashed            a signal or an exception
//   not_run            not for this kind of problem, or the bench was interrupted
struct CaseResult {
  std::string status = "not_run";
  bool solved = false;         // by the yardstick, or proved infeasible
  double seconds = kNotKnown;  // processor time of the solve, best of the repeats [s]
  int iterations = 0;
  // Recomputed from r.
  double residual = kNotKnown, residual_scaled = kNotKnown, velocity_error = kNotKnown;
  std::string note;
};

struct BenchTable {
  std::vector<BenchProblem> problems;
  std::vector<BenchSolver> solvers;
  std::vector<double> tolerances;
  std::vector<CaseResult> results;  // by problem, tolerance, solver

  void allocate() { results.assign(problems.size() * tolerances.size() * solvers.size(), {}); }
  CaseResult& at(std::size_t problem, std::size_t tolerance, std::size_t solver) {
    return results[(problem * tolerances.size() + tolerance) * solvers.size() + solver];
  }
  const CaseResult& at(std::size_t problem, std::size_t tolerance, std::size_t solver) const {
    return const_cast<BenchTable*>(this)->at(problem, tolerance, solver);
  }
};

// "1e-8": as short as it gets, for tables and file names.
std::string tolerance_text(double tolerance);

}  // namespace clack::app
