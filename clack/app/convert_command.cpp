// clack convert: problems, results and robots from one format to another.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <optional>

#include "clack/app/commands.hpp"
#include "clack/core/error.hpp"
#include "clack/io/exports/csv_export.hpp"
#include "clack/io/exports/vtk_export.hpp"
#include "clack/io/problems/problem_file.hpp"
#include "clack/io/report/run_data.hpp"
#include "clack/io/robots/robot_file.hpp"
#include "clack/io/robots/robot_writer.hpp"
#include "clack/record/files.hpp"

namespace clack::app {
namespace {

int convert_problem(const ConvertArguments& arguments) {
  const ProblemData problem = read_problem(arguments.from);
  const std::optional<ProblemSolution> solution = read_solution(arguments.from, problem);
  const bool text = arguments.to.ends_with(".dat");  // which cannot hold a solution
  write_problem(arguments.to, problem, solution && !text ? &*solution : nullptr);
  return kDone;
}

std::pair<std::string, std::string> split(const std::string& option, const std::string& text) {
  const std::size_t cut = text.find('=');
  if (cut == 0 || cut == std::string::npos)
    throw InputError(fmt::format("{} {}: expected NAME=VALUE", option, text));
  return {text.substr(0, cut), text.substr(cut + 1)};
}

RobotOptions robot_options(const ConvertArguments& arguments) {
  RobotOptions options;
  options.floating = arguments.floating;
  options.keep_fixed = arguments.keep_fixed;
  for (const std::string& text : arguments.packages) {
    const auto [name, folder] = split("--package", text);
    options.packages[name] = folder;
  }
  for (const std::string& text : arguments.start) {
    const auto [name, value] = split("--start", text);
    double number = 0;
    const char* end = value.data() + value.size();
    if (std::from_chars(value.data(), end, number).ptr != end || value.empty())
      throw InputError(fmt::format("--start {}: '{}' is no number", text, value));
    options.start[name] = number;
  }
  return options;
}

int convert_robot(const ConvertArguments& arguments) {
  if (!arguments.to.ends_with(".yaml") && !arguments.to.ends_with(".yml"))
    throw InputError(fmt::format("{}: a robot is written as a scene, .yaml", arguments.to));
  const Robot robot = load_robot(arguments.from, robot_options(arguments));
  RobotSceneOptions writing;
  writing.folder = std::filesystem::absolute(arguments.to).parent_path().string();
  writing.exact_meshes = arguments.exact_meshes;
  writing.self_collision = !arguments.no_self_collision;
  write_file(arguments.to, write_robot_scene(robot, writing));
  const auto bodies = std::count_if(robot.bodies.begin(), robot.bodies.end(),
                                    [](const RobotBody& body) { return body.is_written(); });
  fmt::print("{}: {} bodies, {} joints, {} couplers\n", arguments.to, bodies, robot.joints.size(),
             robot.couplers.size());
  for (const std::string& remark : robot.remarks) fmt::print("  {}\n", remark);
  return kDone;
}

}  // namespace

int convert(const ConvertArguments& arguments) {
  if (is_robot_file(arguments.from)) return convert_robot(arguments);
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
