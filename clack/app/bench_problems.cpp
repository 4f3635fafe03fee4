#include "clack/app/bench_problems.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "clack/core/error.hpp"
#include "clack/io/problems/fclib_layout.hpp"
#include "clack/io/problems/problem_file.hpp"
#include "clack/problem/global_problem.hpp"

namespace clack::app {
namespace {

namespace fs = std::filesystem;

bool is_problem_name(const fs::path& path) {
  const std::string extension = path.extension().string();
  return extension == ".dat" || extension == ".hdf5" || extension == ".h5";
}

std::vector<std::string> files_below(const std::string& folder) {
  std::vector<std::string> files;
  const auto options = fs::directory_options::follow_directory_symlink;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder, options)) {
    if (entry.is_regular_file() && is_problem_name(entry.path()))
      files.push_back(entry.path().string());
  }
  std::ranges::sort(files);
  return files;
}

// Each file once, in the order of the command line.
std::vector<std::string> expand(const std::vector<std::string>& paths, std::string& complaints) {
  std::vector<std::string> files;
  std::set<fs::path> seen;
  for (const std::string& path : paths) {
    std::error_code code;
    const bool folder = fs::is_directory(path, code);
    const std::vector<std::string> found = folder ? files_below(path) : std::vector{path};
    if (found.empty())
      complaints += fmt::format("\n  {}: a folder without .dat, .hdf5 or .h5 files", path);
    for (const std::string& file : found) {
      if (seen.insert(fs::weakly_canonical(file, code)).second) files.push_back(file);
    }
  }
  return files;
}

int common_dimension(const ProblemData& problem) {
  if (problem.cones.empty()) return 0;
  const int dim = problem.cones.front().dim();
  const bool alike = std::ranges::all_of(
      problem.cones, [&](const Cone& cone) { return is_contact_cone(cone) && cone.dim() == dim; });
  return alike && dim > 1 ? dim : 0;
}

BenchProblem describe(const std::string& path) {
  const ProblemData problem = load_reduced(path);
  return {path, problem.name, problem.contacts(), problem.dimension(), common_dimension(problem)};
}

void make_names_unique(std::vector<BenchProblem>& problems) {
  std::map<std::string, int> count;
  for (const BenchProblem& problem : problems) ++count[problem.name];
  for (BenchProblem& problem : problems) {
    if (count[problem.name] > 1) problem.name = problem.path;
  }
}

}  // namespace

ProblemData load_reduced(const std::string& path) {
  ProblemData problem = read_problem(path);
  if (problem.form == ProblemForm::reduced) return problem;
  ProblemData reduced = reduce(problem);
  reduced.name = problem.name;
  return reduced;
}

std::vector<BenchProblem> find_problems(const std::vector<std::string>& paths) {
  std::string complaints;
  std::vector<BenchProblem> problems;
  for (const std::string& file : expand(paths, complaints)) {
    try {
      problems.push_back(describe(file));
    } catch (const std::exception& error) {  // also bad_alloc, for sizes that no machine holds
      complaints += fmt::format("\n  {}: {}", file, error.what());
    }
  }
  if (!complaints.empty())
    throw InputError("nothing was run, since not all problems can be read:" + complaints);
  make_names_unique(problems);
  return problems;
}

}  // namespace clack::app
