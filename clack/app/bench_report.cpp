#include "clack/app/bench_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>

#include "clack/analyse/performance_profile.hpp"
#include "clack/core/error.hpp"
#include "clack/io/plots/svg_plot.hpp"

namespace clack::app {
namespace {

constexpr std::size_t kLineWidth = 118;  // wider tables are cut into several

void write_file(const std::filesystem::path& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  if (!file.flush())
    throw IoError(fmt::format("{}: cannot be written: {}", path.string(), std::strerror(errno)));
}

// --- terminal ---

// Three digits, without an exponent.
std::string milliseconds(double seconds) {
  const double value = 1e3 * seconds;
  if (value >= 99.95) return fmt::format("{:.0f}", value);
  return value >= 9.995 ? fmt::format("{:.1f}", value)
                        : fmt::format("{:.{}f}", value, value >= 0.9995 ? 2 : 3);
}

std::string cell(const CaseResult& result) {
  if (!result.solved) return result.status == "not_run" ? "" : "-";
  return fmt::format("{}/{}{}", milliseconds(result.seconds), result.iterations,
                     result.status == "infeasible" ? "*" : "");
}

using Column = std::vector<std::string>;  // heading, then a cell a problem

std::size_t width_of(const Column& column) {
  std::size_t width = 0;
  for (const std::string& text : column) width = std::max(width, text.size());
  return width;
}

Column problem_column(const BenchTable& table) {
  Column column{"problem"};
  for (const BenchProblem& problem : table.problems) column.push_back(problem.name);
  return column;
}

Column contact_column(const BenchTable& table) {
  Column column{"contacts"};
  for (const BenchProblem& problem : table.problems)
    column.push_back(fmt::format("{}", problem.contacts));
  return column;
}

Column solver_column(const BenchTable& table, std::size_t tolerance, std::size_t solver) {
  Column column{table.solvers[solver].label()};
  for (std::size_t p = 0; p < table.problems.size(); ++p)
    column.push_back(cell(table.at(p, tolerance, solver)));
  return column;
}

// The first column to the left, the others to the right.
void print_columns(const std::vector<Column>& columns) {
  for (std::size_t row = 0; row < columns.front().size(); ++row) {
    std::string line;
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const std::size_t width = width_of(columns[c]);
      line += c == 0 ? fmt::format("{:<{}}", columns[c][row], width)
                     : fmt::format("  {:>{}}", columns[c][row], width);
    }
    fmt::print("{}\n", line);
  }
}

void print_table(const BenchTable& table, std::size_t tolerance) {
  fmt::print("\ntolerance {}: milliseconds of processor time / iterations\n",
             tolerance_text(table.tolerances[tolerance]));
  const std::vector<Column> fixed = {problem_column(table), contact_column(table)};
  const std::size_t fixed_width = width_of(fixed[0]) + 2 + width_of(fixed[1]);
  std::vector<Column> columns = fixed;
  std::size_t width = fixed_width;
  for (std::size_t s = 0; s < table.solvers.size(); ++s) {
    Column next = solver_column(table, tolerance, s);
    width += 2 + width_of(next);
    if (width > kLineWidth && columns.size() > fixed.size()) {
      print_columns(columns);
      fmt::print("\n");
      columns = fixed;
      width = fixed_width + 2 + width_of(next);
    }
    columns.push_back(std::move(next));
  }
  print_columns(columns);
}

// --- profile ---

std::vector<std::vector<double>> times_of(const BenchTable& table, std::size_t tolerance) {
  std::vector<std::vector<double>> times(table.solvers.size());
  for (std::size_t s = 0; s < table.solvers.size(); ++s) {
    for (std::size_t p = 0; p < table.problems.size(); ++p) {
      const CaseResult& result = table.at(p, tolerance, s);
      times[s].push_back(result.solved ? result.seconds : kNotKnown);
    }
  }
  return times;
}

SvgPlot make_profile(const BenchTable& table, std::size_t tolerance) {
  const std::vector<ProfileCurve> curves = compute_performance_profile(times_of(table, tolerance));
  double right = 2;
  for (const ProfileCurve& curve : curves) right = std::max(right, 1.1 * curve.ratio.back());
  SvgPlot plot;
  plot.title = fmt::format("Performance profile: {} problem{}, tolerance {}", table.problems.size(),
                           table.problems.size() == 1 ? "" : "s",
                           tolerance_text(table.tolerances[tolerance]));
  plot.x = {"processor time / that of the fastest solver, \xcf\x84", AxisScale::log2, 1, right};
  plot.y = {"share of problems solved within \xcf\x84", AxisScale::linear, 0, 1.02};
  for (std::size_t s = 0; s < curves.size(); ++s) {
    PlotSeries series{table.solvers[s].label(), curves[s].ratio, curves[s].fraction,
                      PlotStyle::step};
    series.x.push_back(right);
    series.y.push_back(series.y.back());
    plot.series.push_back(std::move(series));
  }
  return plot;
}

// --- CSV ---

std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string out = "\"";
  for (const char letter : text)
    out += letter == '"' ? std::string("\"\"") : std::string(1, letter);
  return out + '"';
}

std::string figure(double value) {
  return std::isfinite(value) ? fmt::format("{:.9g}", value) : "";
}

std::string row(const BenchProblem& problem, const BenchSolver& solver, double tolerance,
                const CaseResult& result) {
  return fmt::format("{},{},{},{},{},{},{},{},{},{},{},{}\n", quoted(problem.name),
                     problem.contacts, problem.unknowns, solver.label(), tolerance_text(tolerance),
                     result.status, figure(result.seconds), result.iterations,
                     figure(result.residual), figure(result.residual_scaled),
                     figure(result.velocity_error), quoted(result.note));
}

}  // namespace

std::string tolerance_text(double tolerance) {
  const int exponent = static_cast<int>(std::floor(std::log10(tolerance) + 1e-12));
  return fmt::format("{:.3g}e{}", tolerance * std::pow(10.0, -exponent), exponent);
}

void print_tables(const BenchTable& table) {
  for (std::size_t t = 0; t < table.tolerances.size(); ++t) print_table(table, t);
  const auto proved = [](const CaseResult& result) {
    return result.status == "infeasible" && result.solved;
  };
  if (std::ranges::any_of(table.results, proved)) fmt::print("*: proved to have no solution\n");
}

void print_counts(const BenchTable& table) {
  std::vector<Column> columns = {{"solver"}};
  for (const BenchSolver& solver : table.solvers) columns[0].push_back(solver.label());
  for (std::size_t t = 0; t < table.tolerances.size(); ++t) {
    columns.push_back({"solved at " + tolerance_text(table.tolerances[t])});
    for (std::size_t s = 0; s < table.solvers.size(); ++s) {
      int solved = 0, tried = 0;
      for (std::size_t p = 0; p < table.problems.size(); ++p) {
        solved += table.at(p, t, s).solved;
        tried += table.at(p, t, s).status != "not_run";
      }
      columns.back().push_back(fmt::format("{} of {}", solved, tried));
    }
  }
  fmt::print("\n");
  print_columns(columns);
}

void write_csv(const BenchTable& table, const std::filesystem::path& folder) {
  std::string text =
      "problem,contacts,unknowns,solver,tolerance,status,seconds,iterations,residual,residual_"
      "scaled,velocity_error,note\n";
  for (std::size_t p = 0; p < table.problems.size(); ++p) {
    for (std::size_t t = 0; t < table.tolerances.size(); ++t) {
      for (std::size_t s = 0; s < table.solvers.size(); ++s) {
        const CaseResult& result = table.at(p, t, s);
        if (result.status == "not_run") continue;
        text += row(table.problems[p], table.solvers[s], table.tolerances[t], result);
      }
    }
  }
  write_file(folder / "bench.csv", text);
}

void write_profiles(const BenchTable& table, const std::filesystem::path& folder) {
  for (std::size_t t = 0; t < table.tolerances.size(); ++t) {
    const std::string name = fmt::format("profile_{}.svg", tolerance_text(table.tolerances[t]));
    write_file(folder / name, format_svg(make_profile(table, t)));
  }
}

}  // namespace clack::app
