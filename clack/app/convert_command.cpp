// clack convert: problems and results from one format to another.
#include <fmt/format.h>

#include <optional>

#include "clack/app/commands.hpp"
#include "clack/core/error.hpp"
#include "clack/io/exports/csv_export.hpp"
#include "clack/io/exports/vtk_export.hpp"
#include "clack/io/problems/problem_file.hpp"
#include "clack/io/report/run_data.hpp"

namespace clack::app {
namespace {

int convert_problem(const ConvertArguments& arguments) {
  const ProblemData problem = read_problem(arguments.from);
  const std::optional<ProblemSolution> solution = read_solution(arguments.from, problem);
  const bool text = arguments.to.ends_with(".dat");  // which cannot hold a solution
  write_problem(arguments.to, problem, solution && !text ? &*solution : nullptr);
  return kDone;
}

}  // namespace

int convert(const ConvertArguments& arguments) {
  const bool vtk = arguments.to.ends_with(".pvd"), csv = arguments.to.ends_with(".csv");
  if (!vtk && !csv && !std::filesystem::is_directory(arguments.from))
    return convert_problem(arguments);
  if (!vtk && !csv) {
    throw InputError(fmt::format(
        "{}: results are written as .pvd (VTK) or .csv; the name says which", arguments.to));
  }
  const std::string results = find_results(arguments.from).string();
  const std::int64_t rows = vtk ? export_vtk(results, arguments.to, arguments.every)
                                : export_csv(results, arguments.to, arguments.every);
  fmt::print("{}: {} row{}\n", arguments.to, rows, rows == 1 ? "" : "s");
  return kDone;
}

}  // namespace clack::app
