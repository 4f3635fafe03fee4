// clack bench: problems x solvers x tolerances, judged by one residual.
#include <fmt/format.h>
#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <thread>

#include "clack/app/bench_problems.hpp"
#include "clack/app/bench_report.hpp"
#include "clack/app/bench_runner.hpp"
#include "clack/app/commands.hpp"
#include "clack/core/error.hpp"
#include "clack/solve/solver.hpp"

namespace clack::app {
namespace {

namespace fs = std::filesystem;

class ScratchFolder {
 public:
  ScratchFolder() {
    const fs::path root = fs::temp_directory_path();
    std::string name = (root / "clack_bench_XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw IoError("no folder can be made in " + root.string());
    path_ = name;
  }
  ~ScratchFolder() {
    std::error_code code;
    fs::remove_all(path_, code);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// Names and numbers, before anything is read.
void validate(const BenchArguments& arguments) {
  for (const double tolerance : arguments.tolerances) {
    SolverOptions options;
    options.tolerance = tolerance;
    options.time_limit = arguments.time_limit;
    for (const std::string& name : arguments.solvers) (void)make_solver(name, options);
  }
  if (arguments.repeat < 1)
    throw InputError(fmt::format("--repeat {}: must be >= 1", arguments.repeat));
  if (arguments.jobs < 0) throw InputError(fmt::format("--jobs {}: must be >= 1", arguments.jobs));
  if (!arguments.peer_solvers.empty() && arguments.peer.empty()) {
    throw InputError("--peer-solvers: needs --peer siconos");
  }
}

void make_folder(const std::string& folder) {
  std::error_code code;
  fs::create_directories(folder, code);
  if (code) throw IoError(fmt::format("{}: cannot be made: {}", folder, code.message()));
}

template <class Value>
std::vector<Value> each_once(const std::vector<Value>& values) {
  std::vector<Value> once;
  for (const Value& value : values) {
    if (std::find(once.begin(), once.end(), value) == once.end()) once.push_back(value);
  }
  return once;
}

std::vector<BenchSolver> choose_solvers(const BenchArguments& arguments, const SiconosPeer* peer) {
  std::vector<BenchSolver> solvers;
  for (const std::string& name : each_once(arguments.solvers)) solvers.push_back({name, false});
  if (peer == nullptr) return solvers;
  for (const std::string& name : each_once(peer->choose(arguments.peer_solvers)))
    solvers.push_back({name, true});
  return solvers;
}

int core_count() { return std::max(1, static_cast<int>(std::thread::hardware_concurrency())); }

void print_files(const BenchTable& table, const fs::path& folder) {
  fmt::print("\nfiles: {}", (folder / "bench.csv").string());
  for (const double tolerance : table.tolerances) {
    fmt::print(", {}",
               (folder / fmt::format("profile_{}.svg", tolerance_text(tolerance))).string());
  }
  fmt::print("\n");
}

}  // namespace

int bench(const BenchArguments& arguments) {
  validate(arguments);
  const ScratchFolder scratch;
  const std::optional<SiconosPeer> peer =
      arguments.peer.empty() ? std::nullopt : std::optional<SiconosPeer>(scratch.path());
  const SiconosPeer* siconos = peer ? &*peer : nullptr;
  BenchTable table;
  table.solvers = choose_solvers(arguments, siconos);
  table.tolerances = each_once(arguments.tolerances);
  table.problems = find_problems(arguments.problems);
  make_folder(arguments.folder);
  const int jobs = arguments.jobs > 0 ? arguments.jobs : core_count();
  const bool complete =
      run_cases(table, siconos, {arguments.time_limit, arguments.repeat, jobs, scratch.path()});
  write_csv(table, arguments.folder);
  write_profiles(table, arguments.folder);
  print_tables(table);
  print_counts(table);
  if (peer) print_peer_summary(table);
  print_files(table, arguments.folder);
  if (!complete) fmt::print("interrupted: what had not ended is missing above\n");
  return complete ? kDone : kNumericalFailure;
}

}  // namespace clack::app
