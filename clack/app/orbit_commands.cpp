// clack modes, orbit and continue: linear and nonlinear modes, periodic orbits, branches.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "clack/analyse/modes/impact_modes.hpp"
#include "clack/app/commands.hpp"
#include "clack/core/error.hpp"
#include "clack/io/plots/svg_plot.hpp"
#include "clack/record/files.hpp"
#include "clack/record/orbit_study.hpp"

namespace clack::app {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kTwoPi = 6.283185307179586;
constexpr int kShapesShown = 8;  // coordinates

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
          .from = arguments.from};
}

// ---- modes

std::string linear_csv(const LinearModes& modes, const Scene& scene) {
  std::string text = "mode,omega_squared,omega,frequency";
  for (const std::string& name : scene.v_names) text += "," + name;
  text += '\n';
  for (int j = 0; j < modes.omega.size(); ++j) {
    text += fmt::format("{},{},{},{},{}\n", j + 1, modes.omega_squared[j], modes.omega[j],
                        modes.omega[j] / kTwoPi, fmt::join(modes.shapes.col(j), ","));
  }
  return text;
}

void print_linear(const LinearModes& modes, const Scene& scene) {
  fmt::print("{}\n  linear modes about the initial state, {} contacts closed\n\n", scene.title,
             modes.closed.size());
  fmt::print("  {:>4}  {:>16}  {:>14}  shape\n", "mode", "omega [rad/s]", "f [Hz]");
  for (int j = 0; j < modes.omega.size(); ++j) {
    std::string shape;
    for (int i = 0; i < std::min<int>(kShapesShown, static_cast<int>(modes.shapes.rows())); ++i)
      shape += fmt::format(" {:9.4f}", modes.shapes(i, j));
    if (std::isnan(modes.omega[j])) {
      fmt::print("  {:>4}  {:>16}  {:>14} {}\n", j + 1, "unstable",
                 fmt::format("s = {:.6g}", std::sqrt(-modes.omega_squared[j])), shape);
    } else {
      fmt::print("  {:>4}  {:>16.10g}  {:>14.8g} {}\n", j + 1, modes.omega[j],
                 modes.omega[j] / kTwoPi, shape);
    }
  }
  if (!modes.symmetric) fmt::print("\n  the stiffness is not symmetric: see the eigenvalues\n");
  if (modes.eigenvalues.empty()) return;
  fmt::print("\n  largest real part of the eigenvalues: {:.6g} 1/s\n",
             modes.eigenvalues.front().real());
}

Json linear_json(const LinearModes& modes) {
  Json omega = Json::array(), eigenvalues = Json::array();
  for (double x : modes.omega) omega.push_back(json_number(x));
  for (const auto& s : modes.eigenvalues) eigenvalues.push_back({s.real(), s.imag()});
  return {{"omega", omega},
          {"omega_squared",
           std::vector<double>(modes.omega_squared.begin(), modes.omega_squared.end())},
          {"eigenvalues", eigenvalues},
          {"closed_contacts", modes.closed}};
}

// The family of one impact per period over its periods, in closed form.
int impact_family(const ModesArguments& arguments, const Scene& scene,
                  const std::filesystem::path& folder) {
  const auto first = arguments.impacts.find(':'), second = arguments.impacts.rfind(':');
  if (first == std::string::npos || first == second)
    throw InputError(
        fmt::format("--impacts: '{}'; give periods LOW:HIGH:COUNT [s]", arguments.impacts));
  const double low = read_number("--impacts", arguments.impacts.substr(0, first));
  const double high =
      read_number("--impacts", arguments.impacts.substr(first + 1, second - first - 1));
  const double count = read_number("--impacts", arguments.impacts.substr(second + 1));
  if (!(low > 0 && high > low && count >= 2 && count <= 1e6))
    throw InputError("--impacts: periods must rise from above zero, in 2 to 1000000 of them");
  const ImpactModes modes(*scene.system);
  std::string csv = "period,frequency,energy,impulse,lowest_gap,admissible,why_not\n";
  PlotSeries curve{"one impact per period", {}, {}};
  int admissible = 0;
  for (int k = 0; k < static_cast<int>(count); ++k) {
    const double T = low + (high - low) * k / (count - 1);
    const ImpactMode mode = modes.one_impact(T);
    admissible += mode.admissible;
    curve.x.push_back(1 / T);
    curve.y.push_back(mode.admissible ? mode.energy : NAN);
    csv += fmt::format("{},{},{},{},{},{},{}\n", T, 1 / T, mode.energy, mode.impulses[0],
                       std::isfinite(mode.lowest_gap) ? fmt::format("{}", mode.lowest_gap) : "",
                       mode.admissible ? 1 : 0,
                       mode.inadmissible.empty() ? "" : '"' + mode.inadmissible + '"');
  }
  write_file(folder / "modes.csv", csv);
  SvgPlot plot{.title = scene.title + ": energy and frequency",
               .x = {"frequency [Hz]"},
               .y = {"energy [J]", AxisScale::log10},
               .series = {curve}};
  write_file(folder / "modes.svg", format_svg(plot));
  const std::vector<PeriodWindow> windows =
      modes.one_impact_windows(low, high, static_cast<int>(count));
  if (arguments.json) {
    Json list = Json::array();
    for (const PeriodWindow& window : windows) list.push_back({window.begin, window.end});
    print_json(
        {{"scene", scene.path}, {"orbits", count}, {"admissible", admissible}, {"windows", list}});
    return kDone;
  }
  fmt::print("{}\n  one impact per period: {} of {} periods are admissible\n", scene.title,
             admissible, count);
  for (const PeriodWindow& window : windows)
    fmt::print("  from {:.9g} to {:.9g} s\n", window.begin, window.end);
  fmt::print("\n  files: {} and {}\n", (folder / "modes.csv").string(),
             (folder / "modes.svg").string());
  return kDone;
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
  fmt::print("{}\n  period {:.12g} s, {} contact phases, {} impacts, energy {:.10g} J\n",
             scene.title, orbit.period, orbit.phases.size(), orbit.impacts, orbit.energy);
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

int modes(const ModesArguments& arguments) {
  if (arguments.contacts == "sliding" && arguments.impacts.empty()) return sliding_modes(arguments);
  const Scene scene = load_scene(arguments.scene, arguments.set);
  const std::filesystem::path folder = make_folder(arguments.folder, arguments.scene);
  if (!arguments.impacts.empty()) return impact_family(arguments, scene, folder);
  LinearModeOptions options;
  options.contacts = arguments.contacts == "closed" ? ModeContacts::closed : ModeContacts::open;
  const LinearModes found = compute_linear_modes(*scene.system, scene.initial, options);
  write_file(folder / "modes.csv", linear_csv(found, scene));
  if (arguments.json) {
    Json json = linear_json(found);
    json["scene"] = scene.path;
    print_json(json);
  } else {
    print_linear(found, scene);
    fmt::print("\n  file: {}\n", (folder / "modes.csv").string());
  }
  return kDone;
}

int orbit(const OrbitArguments& arguments) {
  const SceneOrbits orbits(loader(arguments.scene, arguments.set), orbit_options(arguments, ""));
  const std::filesystem::path folder = make_folder(arguments.folder, arguments.scene);
  if (arguments.lyapunov > 0) return lyapunov(arguments, orbits, folder);
  const Orbit found = orbits.find();
  if (found.good()) {
    write_file(folder / "orbit.csv", make_orbit_csv(orbits.problem(), found, orbits.scene()));
  }
  if (arguments.json) {
    Json json = orbit_json(found);
    json["scene"] = orbits.scene().path;
    print_json(json);
  } else if (found.good()) {
    print_orbit(found, orbits.scene(), orbits.problem());
    fmt::print("\n  file: {}\n", (folder / "orbit.csv").string());
  } else {
    fmt::print("no orbit was found: {}\n", found.note);
  }
  return found.good() && found.admissible ? kDone : kNumericalFailure;
}

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
  const SceneOrbits orbits(loader(arguments.orbit.scene, arguments.orbit.set), asked);
  const std::filesystem::path folder = make_folder(arguments.orbit.folder, arguments.orbit.scene);
  const Orbit first = orbits.find();
  if (!first.good() || !first.admissible) {
    fmt::print("no orbit to start from was found: {}\n",
               first.good() ? first.inadmissible : first.note);
    return kNumericalFailure;
  }
  std::vector<Branch> branches = {continue_orbit(orbits.problem(), first, options)};
  if (arguments.doubling) {
    for (std::size_t k = 0; k < branches.front().points.size(); ++k) {
      if (branches.front().points[k].kind != PointKind::period_doubling) continue;
      const DoubledOrbit doubled =
          switch_at_doubling(orbits.problem(), branches.front().points[k].orbit);
      if (!doubled.orbit.good() || !doubled.orbit.admissible) {
        fmt::print("  the branch of twice the period was not found: {}\n",
                   doubled.orbit.good() ? doubled.orbit.inadmissible : doubled.orbit.note);
        continue;
      }
      branches.push_back(continue_orbit(doubled.problem, doubled.orbit, options));
    }
  }
  write_file(folder / "branch.csv", make_branch_csv(branches, orbits.scene()));
  write_file(folder / "branch.svg",
             make_branch_svg(branches, orbits.scene(), options.over, range.name));
  bool good = true;
  Json list = Json::array();
  for (const Branch& branch : branches) {
    good = good && branch.status == Status::converged;
    Json special = Json::array();
    if (!arguments.orbit.json) fmt::print("  {} orbits; {}\n", branch.points.size(), branch.stop);
    for (const BranchPoint& point : branch.points) {
      if (point.kind == PointKind::regular) continue;
      const std::string& kind = point_kind_names()[static_cast<std::size_t>(point.kind)];
      const double at = branch.coordinate(point, options.over);
      special.push_back({{"kind", kind}, {"at", at}, {"period", point.orbit.period}});
      if (!arguments.orbit.json) fmt::print("    {} at {} = {:.10g}\n", kind, range.name, at);
    }
    list.push_back({{"status", to_string(branch.status)},
                    {"stop", branch.stop},
                    {"points", branch.points.size()},
                    {"special", special}});
  }
  if (arguments.orbit.json) {
    print_json({{"scene", orbits.scene().path}, {"branches", list}});
  } else {
    fmt::print("\n  files: {} and {}\n", (folder / "branch.csv").string(),
               (folder / "branch.svg").string());
  }
  return good ? kDone : kNumericalFailure;
}

}  // namespace clack::app
