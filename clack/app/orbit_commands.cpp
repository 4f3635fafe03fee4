// clack orbit and continue: periodic orbits and their branches.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "clack/app/commands.hpp"
#include "clack/app/page_template.hpp"
#include "clack/core/error.hpp"
#include "clack/record/files.hpp"
#include "clack/record/orbit_page.hpp"
#include "clack/record/orbit_states.hpp"
#include "clack/record/orbit_study.hpp"

namespace clack::app {
namespace {

using Json = nlohmann::ordered_json;

Json json_number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

double read_number(const std::string& option, const std::string& word) {
  try {
    std::size_t used = 0;
    const double value = std::stod(word, &used);
    if (used == word.size() && std::isfinite(value)) return value;
  } catch (const std::exception&) {
  }
  throw InputError(fmt::format("{}: '{}' is no number", option, word));
}

struct NamedRange {
  std::string name;
  double low, high;
};

// NAME=LOW:HIGH.
NamedRange read_range(const std::string& text) {
  const auto equal = text.find('='), colon = text.find(':', equal == std::string::npos ? 0 : equal);
  if (equal == std::string::npos || colon == std::string::npos) {
    throw InputError(
        fmt::format("--over: '{}'; give parameters.NAME=LOW:HIGH, period=LOW:HIGH or "
                    "energy=LOW:HIGH",
                    text));
  }
  return {text.substr(0, equal), read_number("--over", text.substr(equal + 1, colon - equal - 1)),
          read_number("--over", text.substr(colon + 1))};
}

void print_json(const Json& json) {
  fmt::print("{}\n", json.dump(-1, ' ', false, Json::error_handler_t::replace));
}

SceneWith loader(const std::string& path, const std::vector<std::string>& set) {
  return [path, set](const std::vector<std::string>& more) {
    std::vector<std::string> all = set;
    all.insert(all.end(), more.begin(), more.end());
    return load_scene(path, all);
  };
}

SceneOrbitOptions orbit_options(const OrbitArguments& arguments, const std::string& over) {
  return {.orbit = arguments.lyapunov == 0,
          .kind = arguments.kind,
          .method = arguments.method,
          .period = arguments.period,
          .settle = arguments.settle,
          .drift = arguments.drift,
          .over = over,
          .from = arguments.from,
          .mode = arguments.mode,
          .harmonic = {.harmonics = arguments.harmonics}};
}

// ---- orbits

Json orbit_json(const Orbit& orbit) {
  Json multipliers = Json::array();
  for (const auto& value : orbit.multipliers.values)
    multipliers.push_back({value.real(), value.imag()});
  return {{"status", to_string(orbit.status)},
          {"note", orbit.note},
          {"parameter", orbit.parameter},
          {"period", orbit.period},
          {"energy", json_number(orbit.energy)},
          {"closing", orbit.closing},
          {"damping", orbit.damping},
          {"impacts", orbit.impacts},
          {"phases", orbit.phases.size()},
          {"slowest_impact", json_number(orbit.slowest_approach)},
          {"admissible", orbit.admissible},
          {"inadmissible", orbit.inadmissible},
          {"stable", orbit.multipliers.stable},
          {"multipliers", multipliers},
          {"q", std::vector<double>(orbit.start.q.begin(), orbit.start.q.end())},
          {"v", std::vector<double>(orbit.start.v.begin(), orbit.start.v.end())}};
}

void print_orbit(const Orbit& orbit, const Scene& scene, const OrbitProblem& problem) {
  if (orbit.method == OrbitMethod::harmonic_balance) {
    fmt::print("{}\n  period {:.12g} s, {} closings, mean energy {:.10g} J\n", scene.title,
               orbit.period, orbit.impacts, orbit.energy);
  } else {
    fmt::print("{}\n  period {:.12g} s, {} contact phases, {} impacts, energy {:.10g} J\n",
               scene.title, orbit.period, orbit.phases.size(), orbit.impacts, orbit.energy);
  }
  fmt::print("  closes to {:.2g} of its size after {} iterations\n", orbit.closing,
             orbit.history.size() - 1);
  for (int i : problem.drifting)
    fmt::print("  {} drifts by {:.10g} in a period\n", scene.q_names[static_cast<std::size_t>(i)],
               orbit.drift[i]);
  if (!orbit.admissible) fmt::print("  NOT ADMISSIBLE: {}\n", orbit.inadmissible);
  if (orbit.multipliers.values.empty()) return;
  fmt::print("  {}; multipliers:\n", orbit.multipliers.stable ? "stable" : "unstable");
  for (const auto& value : orbit.multipliers.values)
    fmt::print("    {:+.10f} {:+.10f}i   |.| = {:.10f}\n", value.real(), value.imag(),
               std::abs(value));
  if (orbit.multipliers.trivial > 0)
    fmt::print("  {} of them {} +1 whatever the orbit, here to {:.1e}\n", orbit.multipliers.trivial,
               orbit.multipliers.trivial > 1 ? "are" : "is", orbit.multipliers.trivial_error);
}

int lyapunov(const OrbitArguments& arguments, const SceneOrbits& orbits,
             const std::filesystem::path& folder) {
  const LyapunovExponents found = orbits.exponents(arguments.lyapunov, arguments.interval);
  if (found.good()) write_file(folder / "lyapunov.csv", make_lyapunov_csv(found));
  if (arguments.json) {
    Json exponents = Json::array();
    for (double x : found.exponents) exponents.push_back(json_number(x));
    print_json({{"scene", orbits.scene().path},
                {"status", to_string(found.status)},
                {"note", found.note},
                {"exponents", exponents},
                {"error", json_number(found.error)},
                {"time", found.time}});
    return found.good() ? kDone : kNumericalFailure;
  }
  if (!found.good()) {
    fmt::print("no exponents were found: {}\n", found.note);
    return kNumericalFailure;
  }
  fmt::print("{}\n  Lyapunov exponents over {:.6g} s [1/s]:\n", orbits.scene().title, found.time);
  for (double x : found.exponents) fmt::print("    {:+.8f}\n", x);
  fmt::print("  standard error of the first: {:.2g}\n", found.error);
  fmt::print("\n  file: {}\n", (folder / "lyapunov.csv").string());
  return kDone;
}

}  // namespace

int orbit(const OrbitArguments& arguments) {
  const SceneOrbits orbits(loader(arguments.scene, arguments.set), orbit_options(arguments, ""));
  const std::filesystem::path folder = make_folder(arguments.folder, arguments.scene);
  if (arguments.lyapunov > 0) return lyapunov(arguments, orbits, folder);
  const Orbit found = orbits.find();
  if (found.good()) {
    write_file(folder / "orbit.csv", make_orbit_csv(orbits.problem(), found, orbits.scene()));
    if (has_page_template()) {
      const OrbitPage page = make_single_orbit_page(orbits.problem(), found, orbits.scene());
      write_file(folder / "report.html", format_orbit_page(page, page_template()));
    }
  }
  if (arguments.json) {
    Json json = orbit_json(found);
    json["scene"] = orbits.scene().path;
    print_json(json);
  } else if (found.good()) {
    print_orbit(found, orbits.scene(), orbits.problem());
    fmt::print("\n  files: orbit.csv{} in {}\n", has_page_template() ? " and report.html" : "",
               folder.string());
  } else {
    fmt::print("no orbit was found: {}\n", found.note);
  }
  return found.good() && found.admissible ? kDone : kNumericalFailure;
}

namespace {

std::vector<std::string> methods_of(const ContinueArguments& arguments) {
  if (arguments.method == "both") return {"multiple", "harmonic"};
  return {arguments.method == "harmonic" ? "harmonic" : "multiple"};
}

// Where shooting starts on a mode of impacts, harmonic balance starts on a linear one.
std::string harmonic_start(const SceneOrbitOptions& asked) {
  return asked.kind == "conservative" ? "linear-mode" : "scene";
}

// One branch, and with --double those of twice the period that leave it. False where there is none.
bool follow_all(const ContinueArguments& arguments, const SceneOrbits& orbits,
                const ContinuationOptions& options, std::vector<Branch>& branches) {
  const Orbit first = orbits.find();
  if (!first.good() || !first.admissible) {
    fmt::print("no orbit to start from was found: {}\n",
               first.good() ? first.inadmissible : first.note);
    return false;
  }
  branches.push_back(orbits.follow(first, options));
  if (!arguments.doubling) return true;
  const Branch& branch = branches.back();
  std::vector<Branch> more;
  for (const BranchPoint& point : branch.points) {
    if (point.kind != PointKind::period_doubling) continue;
    const DoubledOrbit doubled = switch_at_doubling(orbits.problem(), point.orbit);
    if (!doubled.orbit.good() || !doubled.orbit.admissible) {
      fmt::print("  the branch of twice the period was not found: {}\n",
                 doubled.orbit.good() ? doubled.orbit.inadmissible : doubled.orbit.note);
      continue;
    }
    more.push_back(continue_orbit(doubled.problem, doubled.orbit, options));
  }
  branches.insert(branches.end(), more.begin(), more.end());
  return true;
}

// With the problem whose orbits the branches have.
SceneOrbits orbits_of_first_method(const ContinueArguments& arguments, const SceneWith& load,
                                   const SceneOrbitOptions& asked) {
  SceneOrbitOptions by = asked;
  by.method = methods_of(arguments).front();
  if (by.method == "harmonic") by.settle = 0;
  return SceneOrbits(load, by);
}

// The states of all orbits that were found.
void write_branch_manifold(const ContinueArguments& arguments, const SceneOrbits& orbits,
                           const std::vector<Branch>& branches,
                           const std::filesystem::path& folder) {
  const std::vector<int> axes = manifold_axes(orbits.scene(), arguments.manifold_axes);
  std::vector<OrbitStates> states;
  for (const Branch& branch : branches) {
    for (const BranchPoint& point : branch.points)
      states.push_back(sample_orbit(orbits.problem(), point.orbit));
  }
  write_manifold_files(folder, states, orbits.scene(), axes);
}

}  // namespace

int continue_branch(const ContinueArguments& arguments) {
  const NamedRange range = read_range(arguments.over);
  if (arguments.equilibrium) {
    const double at = !arguments.at.empty() ? read_number("--at", arguments.at)
                      : arguments.down      ? range.high
                                            : range.low;
    return continue_equilibria(arguments, range.name, range.low, range.high, at);
  }
  ContinuationOptions options{.low = range.low,
                              .high = range.high,
                              .direction = arguments.down ? -1 : 1,
                              .step = arguments.step,
                              .max_step = std::max(0.1, arguments.step),
                              .max_points = arguments.max_points};
  options.validate();
  if (range.name == "period") options.over = BranchCoordinate::period;
  if (range.name == "energy") options.over = BranchCoordinate::energy;
  const bool parameter = options.over == BranchCoordinate::parameter;
  SceneOrbitOptions asked = orbit_options(arguments.orbit, parameter ? range.name : "");
  asked.at = arguments.at.empty() ? (arguments.down ? range.high : range.low)
                                  : read_number("--at", arguments.at);
  const std::filesystem::path folder = make_folder(arguments.orbit.folder, arguments.orbit.scene);
  const SceneWith load = loader(arguments.orbit.scene, arguments.orbit.set);
  std::vector<Branch> branches;
  bool found = true;
  for (const std::string& method : methods_of(arguments)) {
    SceneOrbitOptions by = asked;
    by.method = method;
    if (method == "harmonic") by.settle = 0;
    if (method == "harmonic" && arguments.method == "both") by.from = harmonic_start(asked);
    const SceneOrbits orbits(load, by);
    found = follow_all(arguments, orbits, options, branches) && found;
  }
  if (branches.empty()) return kNumericalFailure;
  const Scene scene = load({});
  write_file(folder / "branch.csv", make_branch_csv(branches, scene));
  write_file(folder / "branch.svg", make_branch_svg(branches, scene, options.over, range.name));
  write_branches((folder / "branch.h5").string(), branches, scene);
  const SceneOrbits orbits = orbits_of_first_method(arguments, load, asked);
  if (has_page_template()) {
    const OrbitPage page =
        make_branch_page(orbits.problem(), branches, scene, options.over, range.name);
    write_file(folder / "report.html", format_orbit_page(page, page_template()));
  }
  if (arguments.manifold) write_branch_manifold(arguments, orbits, branches, folder);
  bool good = found;
  Json list = Json::array();
  for (const Branch& branch : branches) {
    good = good && branch.status == Status::converged;
    Json special = Json::array();
    if (!arguments.orbit.json) {
      const OrbitMethod method = branch.points.front().orbit.method;
      fmt::print("  {} orbits by {}; {}\n", branch.points.size(),
                 orbit_method_names()[static_cast<std::size_t>(method)], branch.stop);
    }
    for (const BranchPoint& point : branch.points) {
      if (point.kind == PointKind::regular) continue;
      const std::string& kind = point_kind_names()[static_cast<std::size_t>(point.kind)];
      const double at = branch.coordinate(point, options.over);
      special.push_back({{"kind", kind}, {"at", at}, {"period", point.orbit.period}});
      if (!arguments.orbit.json) fmt::print("    {} at {} = {:.10g}\n", kind, range.name, at);
    }
    const OrbitMethod method = branch.points.front().orbit.method;
    list.push_back({{"method", orbit_method_names()[static_cast<std::size_t>(method)]},
                    {"status", to_string(branch.status)},
                    {"stop", branch.stop},
                    {"points", branch.points.size()},
                    {"special", special}});
  }
  if (arguments.orbit.json) {
    print_json({{"scene", scene.path}, {"branches", list}});
  } else {
    fmt::print("\n  files: branch.csv, branch.svg{}{} and branch.h5 in {}\n",
               has_page_template() ? ", report.html" : "",
               arguments.manifold ? ", manifold.csv, manifold.svg, manifold.h5" : "",
               folder.string());
  }
  return good ? kDone : kNumericalFailure;
}

}  // namespace clack::app
