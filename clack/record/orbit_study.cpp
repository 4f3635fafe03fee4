#include "clack/record/orbit_study.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "clack/analyse/modes/impact_modes.hpp"
#include "clack/core/error.hpp"
#include "clack/core/formula/parser.hpp"
#include "clack/core/formula/tape.hpp"
#include "clack/io/plots/svg_plot.hpp"

namespace clack {
namespace {

OrbitKind kind_of(const std::string& name) {
  const auto& names = orbit_kind_names();
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) {
    throw InputError(fmt::format("kind of orbit: '{}'; allowed: {}", name, fmt::join(names, ", ")));
  }
  return static_cast<OrbitKind>(found - names.begin());
}

std::string last_part(const std::string& key) {
  const auto dot = key.rfind('.');
  return dot == std::string::npos ? key : key.substr(dot + 1);
}

std::string assignment(const std::string& key, double value) {
  return fmt::format("{}={:.17g}", key, value);
}

}  // namespace

SceneOrbits::SceneOrbits(SceneWith load, SceneOrbitOptions options)
    : load_(std::move(load)), options_(std::move(options)), scene_(load_({})) {
  check_method();
  problem_.kind = kind_of(options_.kind);
  problem_.flow.simulation = scene_.options;
  problem_.drifting = coordinates_of(scene_, options_.drift);
  if (is_harmonic()) {
    (void)LinearStructure(scene_.system);
  } else {
    (void)FlowMap(scene_.system, problem_.flow);  // refuses what has no orbits here
  }
  problem_.system = [system = scene_.system](double) { return system; };
  if (!options_.over.empty()) read_parameter();
  read_period();
}

void SceneOrbits::check_method() const {
  const auto one_of = [](const std::string& word, const std::vector<std::string>& allowed,
                         const char* what) {
    if (std::find(allowed.begin(), allowed.end(), word) != allowed.end()) return;
    throw InputError(fmt::format("{}: '{}'; allowed: {}", what, word, fmt::join(allowed, ", ")));
  };
  one_of(options_.method, {"single", "multiple", "harmonic"}, "method of orbits");
  one_of(options_.from, {"scene", "impact-mode", "linear-mode"}, "start of an orbit");
  if (!is_harmonic() && options_.from == "linear-mode")
    throw InputError("start: an orbit starts on a linear mode with --method harmonic only");
  if (is_harmonic() && options_.from == "impact-mode")
    throw InputError("start: harmonic balance starts from scene or linear-mode");
  if (is_harmonic() && (options_.settle > 0 || !options_.drift.empty()))
    throw InputError("harmonic balance takes neither settle nor drift: it runs no motion");
  if (!is_harmonic() && scene_.options.scheme != "event-driven") {
    throw InputError(
        fmt::format("{}: orbits need the scheme event-driven; the scene has '{}'. Add --set "
                    "simulation.scheme=event-driven",
                    scene_.path, scene_.options.scheme));
  }
}

void SceneOrbits::read_parameter() {
  const std::string name = last_part(options_.over);
  if (options_.over != "parameters." + name) {
    throw InputError(
        fmt::format("over: '{}'; a branch is continued over a number of the scene's "
                    "parameters, as in parameters.W",
                    options_.over));
  }
  if (!has_parameter(scene_, options_.over, 0))
    throw InputError(fmt::format("over: the scene has no '{}'", options_.over));
  problem_.parameter = options_.at;
  problem_.system = [load = load_, key = options_.over](double value) {
    return load({assignment(key, value)}).system;
  };
}

void SceneOrbits::read_period() {
  if (options_.period.empty()) {
    const bool free = problem_.kind == OrbitKind::autonomous || !options_.orbit;
    if (free || options_.from == "linear-mode") return;
    throw InputError(fmt::format("period: a {} orbit needs one, as in 2*pi/1.6", options_.kind));
  }
  problem_.period = [load = load_, over = options_.over, formula = options_.period](double value) {
    const std::vector<std::string> set = over.empty()
                                             ? std::vector<std::string>{}
                                             : std::vector<std::string>{assignment(over, value)};
    return evaluate_time(load, set, formula, "period");
  };
  (void)problem_.period(problem_.parameter);
}

Orbit SceneOrbits::find_harmonic() const {
  const HarmonicProblem problem{problem_, options_.harmonic};
  if (problem_.kind == OrbitKind::forced) return harmonic_orbit(problem);
  if (problem_.kind == OrbitKind::conservative && options_.from == "linear-mode")
    return harmonic_linear_mode(problem, options_.mode - 1);
  throw InputError(
      fmt::format("harmonic balance from the command line finds forced orbits, and conservative "
                  "families with --start linear-mode; {} is asked for",
                  options_.kind));
}

Branch SceneOrbits::follow(const Orbit& start, const ContinuationOptions& options) const {
  if (is_harmonic()) return continue_harmonic({problem_, options_.harmonic}, start, options);
  return continue_orbit(problem_, start, options);
}

// Its end is where the orbit is sought.
MappedFlow SceneOrbits::settle() const {
  MappedFlow flow;
  flow.status = Status::converged;
  flow.end = scene_.initial;
  if (!(options_.settle > 0)) return flow;
  FlowMapOptions longer = problem_.flow;
  longer.steps = 1 + static_cast<int>(std::min(1e5, options_.settle / scene_.options.h));
  return FlowMap(problem_.system(problem_.parameter), longer)
      .compute(scene_.initial, options_.settle, false);
}

LyapunovExponents SceneOrbits::exponents(double time, double interval) const {
  const MappedFlow flow = settle();
  LyapunovExponents failed;
  failed.status = flow.status;
  failed.note = flow.note;
  if (!flow.good()) return failed;
  if (interval == 0) {
    interval = problem_.period ? problem_.period(problem_.parameter) : 16 * scene_.options.h;
    interval = std::min(interval, time);
  }
  return compute_lyapunov(FlowMap(problem_.system(problem_.parameter), problem_.flow), flow.end,
                          {.time = time, .interval = interval});
}

Orbit SceneOrbits::find() const {
  if (is_harmonic()) return find_harmonic();
  const FlowMap map(problem_.system(problem_.parameter), problem_.flow);
  const MappedFlow settled = settle();
  if (!settled.good()) return {.status = settled.status, .note = settled.note};
  State start = settled.end;
  double period = problem_.period ? problem_.period(problem_.parameter) : 0.0;
  if (!problem_.period) {
    const double horizon = std::max(scene_.end - scene_.initial.t, 10 * scene_.options.h);
    period = guess_period(problem_, start, horizon);
    if (period == 0)
      return {.status = Status::stagnated,
              .note = fmt::format("the motion does not come back to its start within {:g} s; give "
                                  "a period, or settle longer",
                                  horizon)};
  }
  if (!(period > 0) || !std::isfinite(period))
    throw InputError(fmt::format("the period is {} s; it must be > 0", period));
  // The forcing is periodic: back to its first period, so that its phase at the start hardly
  // depends on a frequency that is continued.
  if (problem_.kind == OrbitKind::forced)
    start.t -= period * std::floor((start.t - scene_.initial.t) / period);
  if (options_.from == "impact-mode") {
    const ImpactModes modes(*map.shared_system());
    const ImpactMode mode = modes.one_impact(period);
    if (!mode.admissible) return {.status = Status::infeasible, .note = mode.inadmissible};
    start = modes.state(mode, 0.4 * period);
    start.t = scene_.initial.t;
  }
  return options_.method == "single" ? single_shooting(problem_, start, period)
                                     : multiple_shooting(problem_, start, period);
}

// 1 or 0; empty where it is not known.
static std::string stability(const Orbit& orbit) {
  if (!orbit.has_multipliers()) return "";
  return orbit.multipliers.stable ? "1" : "0";
}

std::string make_branch_csv(const std::vector<Branch>& branches, const Scene& scene) {
  std::string text =
      "branch,point,method,parameter,period,frequency,energy,kind,stable,largest_multiplier,"
      "impacts,"
      "slowest_impact,closing,damping";
  for (const std::string& name : scene.q_names) text += fmt::format(",{0}_min,{0}_max", name);
  for (const std::string& name : scene.q_names) text += "," + name;
  for (const std::string& name : scene.v_names) text += "," + name;
  for (std::size_t i = 0; i < 2 * scene.v_names.size(); ++i)
    text += fmt::format(",multiplier_{0}_re,multiplier_{0}_im", i + 1);
  text += '\n';
  for (std::size_t b = 0; b < branches.size(); ++b) {
    for (std::size_t k = 0; k < branches[b].points.size(); ++k) {
      const BranchPoint& point = branches[b].points[k];
      const Orbit& orbit = point.orbit;
      text += fmt::format(
          "{},{},{},{},{},{},{},{},{},{},{},{},{},{}", b, k,
          orbit_method_names()[static_cast<std::size_t>(orbit.method)], orbit.parameter,
          orbit.period, 1 / orbit.period, orbit.energy,
          point_kind_names()[static_cast<std::size_t>(point.kind)], stability(orbit),
          orbit.has_multipliers() ? fmt::format("{}", orbit.multipliers.largest) : "",
          orbit.impacts,
          std::isfinite(orbit.slowest_approach) ? fmt::format("{}", orbit.slowest_approach) : "",
          orbit.closing, orbit.damping);
      for (int i = 0; i < orbit.largest.size(); ++i)
        text += fmt::format(",{},{}", orbit.smallest[i], orbit.largest[i]);
      text += fmt::format(",{},{}", fmt::join(orbit.start.q, ","), fmt::join(orbit.start.v, ","));
      for (std::size_t i = 0; i < 2 * scene.v_names.size(); ++i) {
        if (i < orbit.multipliers.values.size()) {
          text += fmt::format(",{},{}", orbit.multipliers.values[i].real(),
                              orbit.multipliers.values[i].imag());
        } else {
          text += ",,";
        }
      }
      text += '\n';
    }
  }
  return text;
}

namespace {

using Value = std::function<double(const Orbit&)>;

// All branches in a few curves, then the marked points.
void add_curves(const std::vector<Branch>& branches, const Value& x, const std::vector<Value>& ys,
                SvgPlot& plot) {
  // Stable, unstable, and by harmonic balance, which does not tell them apart.
  PlotSeries curves[3] = {{"stable", {}, {}}, {"unstable", {}, {}}, {"harmonic balance", {}, {}}};
  const auto curve_of = [](const Orbit& orbit) {
    if (orbit.method == OrbitMethod::harmonic_balance) return 2;
    return orbit.multipliers.stable ? 0 : 1;
  };
  std::vector<PlotSeries> marked;
  for (std::size_t kind = 1; kind < point_kind_names().size(); ++kind)
    marked.push_back({point_kind_names()[kind], {}, {}, PlotStyle::markers});
  const auto put = [](PlotSeries& series, double at, double value) {
    series.x.push_back(at);
    series.y.push_back(value);
  };
  for (const Value& y : ys) {
    for (const Branch& branch : branches) {
      for (std::size_t k = 0; k < branch.points.size(); ++k) {
        const Orbit& orbit = branch.points[k].orbit;
        const int now = curve_of(orbit);
        const bool last = k + 1 == branch.points.size();
        const int next = last ? -1 : curve_of(branch.points[k + 1].orbit);
        const double at = x(orbit), value = y(orbit);
        put(curves[now], at, value);
        if (next != now) {  // joined where they meet
          put(curves[now], NAN, NAN);
          if (!last) put(curves[next], at, value);
        }
        const auto kind = static_cast<std::size_t>(branch.points[k].kind);
        if (kind > 0) put(marked[kind - 1], at, value);
      }
    }
  }
  for (PlotSeries& series : curves) {
    if (!series.x.empty()) plot.series.push_back(std::move(series));
  }
  for (PlotSeries& series : marked) {
    if (!series.x.empty()) plot.series.push_back(std::move(series));
  }
}

}  // namespace

std::string make_branch_svg(const std::vector<Branch>& branches, const Scene& scene,
                            BranchCoordinate over, const std::string& label) {
  if (over != BranchCoordinate::parameter) {
    SvgPlot plot{.title = scene.title + ": energy and frequency",
                 .x = {"frequency [Hz]"},
                 .y = {"energy [J]", AxisScale::log10},
                 .series = {}};
    add_curves(
        branches, [](const Orbit& orbit) { return 1 / orbit.period; },
        {[](const Orbit& orbit) { return orbit.energy; }}, plot);
    return format_svg(plot);
  }
  std::vector<SvgPlot> plots;
  constexpr std::size_t kMost = 6;
  for (std::size_t i = 0; i < std::min(kMost, scene.q_names.size()); ++i) {
    const int at = static_cast<int>(i);
    SvgPlot plot{.title = scene.title + ": largest and smallest " + scene.q_names[i],
                 .x = {label},
                 .y = {scene.q_names[i]},
                 .series = {}};
    add_curves(
        branches, [](const Orbit& orbit) { return orbit.parameter; },
        {[at](const Orbit& orbit) { return orbit.largest[at]; },
         [at](const Orbit& orbit) { return orbit.smallest[at]; }},
        plot);
    plots.push_back(std::move(plot));
  }
  return format_svg(plots);
}

std::string make_orbit_csv(const OrbitProblem& problem, const Orbit& orbit, const Scene& scene,
                           int rows) {
  std::string text =
      fmt::format("t,{},{}\n", fmt::join(scene.q_names, ","), fmt::join(scene.v_names, ","));
  if (orbit.method == OrbitMethod::harmonic_balance) {
    for (int k = 0; k <= rows; ++k) {
      const State state = harmonic_state(orbit, orbit.period * k / rows);
      text += fmt::format("{},{},{}\n", state.t, fmt::join(state.q, ","), fmt::join(state.v, ","));
    }
    return text;
  }
  const auto system = problem.system(orbit.parameter);
  PhaseMotion motion(system, sequence_scale(orbit.phases, orbit.phases.front().z),
                     problem.flow.simulation.scheme_options.flow_tolerance);
  for (const ContactPhase& phase : orbit.phases) {
    motion.enter(phase);
    const int parts = 1 + static_cast<int>(rows * (phase.end - phase.begin) / orbit.period);
    (void)motion.sample(phase.begin, phase.end, parts, phase.z, [&](double t, const Vector& z) {
      text += fmt::format("{},{}\n", t, fmt::join(z, ","));
    });
  }
  return text;
}

std::string make_lyapunov_csv(const LyapunovExponents& found) {
  std::string text = "interval,largest_exponent\n";
  for (std::size_t k = 0; k < found.history.size(); ++k)
    text += fmt::format("{},{}\n", k + 1, found.history[k]);
  return text;
}

}  // namespace clack
