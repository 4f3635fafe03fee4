#include "clack/app/bench_runner.hpp"

#include <fmt/format.h>
#include <time.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>

#include "clack/app/bench_problems.hpp"
#include "clack/app/child_processes.hpp"
#include "clack/problem/residual.hpp"
#include "clack/solve/solver.hpp"

namespace clack::app {
namespace {

using Json = nlohmann::json;

constexpr double kEnoughSeconds = 1;        // of solving, in all: no further repeat
constexpr double kGrace = 5;                // beyond twice the limit a child is killed [s]
constexpr double kPeerGrace = 30;           // it starts a Python and reads text first [s]
constexpr int kMaxIterations = 10'000'000;  // the clock ends a solve, not their number

double processor_seconds() {
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

struct Case {
  std::size_t problem, tolerance, solver;
};

// A problem in memory, and as Siconos text where the peer needs it; the text goes with it.
struct LoadedProblem {
  ProblemData data;
  std::string dat;

  LoadedProblem() = default;
  LoadedProblem(const LoadedProblem&) = delete;
  LoadedProblem& operator=(const LoadedProblem&) = delete;
  ~LoadedProblem() {
    std::error_code code;
    if (!dat.empty()) std::filesystem::remove(dat, code);
  }
};

// --- in the child ---

// A verdict from r alone; a proof that there is no solution is an answer.
void judge(const ProblemData& problem, const Vector& r, const SolveReport& report,
           const CaseLimits& limits, CaseResult& result) {
  Vector u(problem.dimension());
  const Residual residual = compute_residual(problem.view(), r.data(), u.data());
  result.residual = residual.plain;
  result.residual_scaled = residual.scaled;
  result.velocity_error = residual.velocity;
  result.iterations = report.iterations;
  result.note = report.note;
  result.status = to_string(report.status);
  const bool proved = report.status == Status::infeasible && !report.certificate.empty();
  result.solved = proved || residual.worst() <= limits.tolerance;
  if (result.solved && result.seconds > limits.time_limit) {
    result.solved = false;
    result.status = to_string(Status::time_limit);
  }
}

CaseResult solve_own(const ProblemData& problem, const std::string& name,
                     const CaseLimits& limits) {
  SolverOptions options;
  options.tolerance = limits.tolerance;
  options.max_iterations = kMaxIterations;
  options.time_limit = limits.time_limit;
  CaseResult result;
  Vector r(problem.dimension()), u(problem.dimension());
  SolveReport report;
  double spent = 0;
  for (int k = 0; k < limits.repeat && spent < kEnoughSeconds; ++k) {
    const std::unique_ptr<Solver> solver = make_solver(name, options);  // no workspace from before
    r.setZero();
    const double begin = processor_seconds();
    report = solver->solve(problem.view(), r.data(), u.data());
    const double seconds = processor_seconds() - begin;
    spent += seconds;
    if (!(seconds >= result.seconds)) result.seconds = seconds;
  }
  judge(problem, r, report, limits, result);
  return result;
}

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

void write_result(const std::string& path, const CaseResult& result) {
  const Json json = {{"status", result.status},
                     {"solved", result.solved},
                     {"seconds", number(result.seconds)},
                     {"iterations", result.iterations},
                     {"residual", number(result.residual)},
                     {"residual_scaled", number(result.residual_scaled)},
                     {"velocity_error", number(result.velocity_error)},
                     {"note", result.note}};
  std::ofstream(path) << json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// --- in the parent ---

double number_or_nan(const Json& json) { return json.is_number() ? json.get<double>() : kNotKnown; }

CaseResult read_result(const std::string& path) {
  const Json json = Json::parse(std::ifstream(path));
  CaseResult result;
  result.status = json.at("status");
  result.solved = json.at("solved");
  result.seconds = number_or_nan(json.at("seconds"));
  result.iterations = json.at("iterations");
  result.residual = number_or_nan(json.at("residual"));
  result.residual_scaled = number_or_nan(json.at("residual_scaled"));
  result.velocity_error = number_or_nan(json.at("velocity_error"));
  result.note = json.at("note");
  return result;
}

std::string last_line(const std::string& path) {
  std::ifstream in(path);
  std::string last;
  for (std::string line; std::getline(in, line);) {
    if (!line.empty()) last = line.substr(0, 300);
  }
  return last;
}

// One line on a terminal, nothing in a pipe.
void show_progress(std::size_t done, std::size_t total) {
  if (isatty(STDERR_FILENO) != 1) return;
  fmt::print(stderr, "\r\x1b[K{}", done < total ? fmt::format("{} of {} cases", done, total) : "");
  std::fflush(stderr);
}

class Runner {
 public:
  Runner(BenchTable& table, const SiconosPeer* peer, const RunnerOptions& options)
      : table_(table), peer_(peer), options_(options) {
    for (std::size_t p = 0; p < table.problems.size(); ++p) {
      for (std::size_t t = 0; t < table.tolerances.size(); ++t) {
        for (std::size_t s = 0; s < table.solvers.size(); ++s) {
          if (applies(table.problems[p], table.solvers[s])) cases_.push_back({p, t, s});
        }
      }
    }
  }

  bool run() {
    return run_children(
        static_cast<int>(cases_.size()), options_.jobs, [this](int k) { return make_job(k); },
        [this](int k, const ChildEnd& end) { finish(k, end); });
  }

 private:
  bool applies(const BenchProblem& problem, const BenchSolver& solver) const {
    return !solver.peer || peer_->has(solver.name, problem.dim);
  }

  std::string scratch(int k, const char* suffix) const {
    return fmt::format("{}/case_{}{}", options_.scratch, k, suffix);
  }

  // The cases of a problem follow each other: it is read once, and dropped with the last of them.
  std::shared_ptr<const LoadedProblem> load(std::size_t problem) {
    if (loaded_ && loaded_index_ == problem) return loaded_;
    auto fresh = std::make_shared<LoadedProblem>();
    fresh->data = load_reduced(table_.problems[problem].path);
    if (peer_ != nullptr && !peer_->solvers(table_.problems[problem].dim).empty()) {
      const std::string dat = fmt::format("{}/problem_{}.dat", options_.scratch, problem);
      peer_->write(fresh->data, dat);
      fresh->dat = dat;
    }
    loaded_ = fresh;
    loaded_index_ = problem;
    return loaded_;
  }

  ChildJob make_job(int k) {
    const Case which = cases_[static_cast<std::size_t>(k)];
    const BenchSolver& solver = table_.solvers[which.solver];
    const CaseLimits limits{table_.tolerances[which.tolerance], options_.time_limit,
                            options_.repeat};
    const std::string out = scratch(k, "");
    auto work = [problem = load(which.problem), peer = peer_, solver, limits, out] {
      const CaseResult result =
          solver.peer ? peer->solve(problem->data, problem->dat, solver.name, limits, out)
                      : solve_own(problem->data, solver.name, limits);
      write_result(out + ".result", result);
    };
    return {work, 2 * options_.time_limit + (solver.peer ? kPeerGrace : kGrace),
            scratch(k, ".errors")};
  }

  void finish(int k, const ChildEnd& end) {
    const Case which = cases_[static_cast<std::size_t>(k)];
    CaseResult& result = table_.at(which.problem, which.tolerance, which.solver);
    if (end.good()) {
      result = read_result(scratch(k, ".result"));
    } else {
      result.status = end.timed_out ? "timed_out" : "crashed";
      result.note = end.words();
    }
    const std::string said = result.status == "crashed" ? last_line(scratch(k, ".errors")) : "";
    if (!said.empty()) result.note += ": " + said;
    std::error_code code;
    for (const char* suffix : {".result", ".errors", ".r", ".json"})
      std::filesystem::remove(scratch(k, suffix), code);
    show_progress(++done_, cases_.size());
  }

  BenchTable& table_;
  const SiconosPeer* peer_;
  const RunnerOptions& options_;
  std::vector<Case> cases_;
  std::shared_ptr<const LoadedProblem> loaded_;
  std::size_t loaded_index_ = 0;
  std::size_t done_ = 0;
};

}  // namespace

bool run_cases(BenchTable& table, const SiconosPeer* peer, const RunnerOptions& options) {
  table.allocate();
  return Runner(table, peer, options).run();
}

}  // namespace clack::app
