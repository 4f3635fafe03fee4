// clack solve and clack convert: solvers alone, on problem files.
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "clack/app/commands.hpp"
#include "clack/core/error.hpp"
#include "clack/io/problems/problem_file.hpp"
#include "clack/problem/global_problem.hpp"
#include "clack/record/options_json.hpp"
#include "clack/solve/solver.hpp"

namespace clack::app {
namespace {

OptionSet parse_options(const std::vector<std::string>& assignments) {
  OptionSet options;
  for (const std::string& text : assignments) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0) {
      throw InputError(fmt::format("--option {}: expected key=value", text));
    }
    options[text.substr(0, equals)] = text.substr(equals + 1);
  }
  return options;
}

nlohmann::ordered_json number(double value) {
  return std::isfinite(value) ? nlohmann::ordered_json(value) : nlohmann::ordered_json(nullptr);
}

SolverOptions common_options(const SolveArguments& arguments) {
  SolverOptions options;
  options.tolerance = arguments.tolerance;
  options.max_iterations = arguments.max_iterations;
  if (arguments.time_limit > 0) options.time_limit = arguments.time_limit;
  return options;
}

nlohmann::json options_of(const SolveArguments& arguments) {
  nlohmann::json json =
      options_json(option_states(SolverOptions::table(), common_options(arguments)));
  json.update(options_json(own_options(arguments.solver, parse_options(arguments.options))));
  return json;
}

void print_json(const SolveArguments& arguments, const ProblemData& problem,
                const SolveReport& report) {
  const nlohmann::ordered_json json = {{"problem", arguments.problem},
                                       {"dimension", problem.dimension()},
                                       {"contacts", problem.contacts()},
                                       {"solver", arguments.solver},
                                       {"options", options_of(arguments)},
                                       {"status", std::string(to_string(report.status))},
                                       {"iterations", report.iterations},
                                       {"residual", number(report.residual)},
                                       {"residual_scaled", number(report.residual_scaled)},
                                       {"velocity_error", number(report.velocity_error)},
                                       {"seconds", report.seconds},
                                       {"note", report.note}};
  fmt::print("{}\n", json.dump());
}

void print_words(const SolveArguments& arguments, const ProblemData& problem,
                 const SolveReport& report) {
  fmt::print(
      "{}: {} contacts, {} unknowns\n  {}: {} after {} iterations in {:.3g} ms\n"
      "  residual {:.2e}, scaled {:.2e}, of velocities {:.2e}\n",
      arguments.problem, problem.contacts(), problem.dimension(), arguments.solver,
      to_string(report.status), report.iterations, 1e3 * report.seconds, report.residual,
      report.residual_scaled, report.velocity_error);
  if (!report.note.empty()) fmt::print("  {}\n", report.note);
}

}  // namespace

int solve(const SolveArguments& arguments) {
  const std::unique_ptr<Solver> solver =
      make_solver(arguments.solver, common_options(arguments), parse_options(arguments.options));
  const ProblemData problem = read_problem(arguments.problem);
  const bool global = problem.form == ProblemForm::global;
  const ProblemData reduced = global ? reduce(problem) : ProblemData{};
  ProblemSolution solution;
  solution.r = Vector::Zero(problem.dimension());
  solution.u = solution.r;
  const SolveReport report =
      solver->solve((global ? reduced : problem).view(), solution.r.data(), solution.u.data());
  if (!arguments.output.empty()) write_problem(arguments.output, problem, &solution);
  if (arguments.json) {
    print_json(arguments, problem, report);
  } else {
    print_words(arguments, problem, report);
  }
  // A proof that there is no solution is an answer.
  return report.status == Status::converged || report.status == Status::infeasible
             ? kDone
             : kNumericalFailure;
}

}  // namespace clack::app
