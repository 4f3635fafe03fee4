#include "clack/record/orbit_states.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "clack/analyse/harmonic/harmonic_orbit.hpp"
#include "clack/core/error.hpp"
#include "clack/io/plots/svg_plot.hpp"
#include "clack/io/results/container.hpp"
#include "clack/record/files.hpp"

namespace clack {
namespace {

std::vector<std::string> state_names(const Scene& scene) {
  std::vector<std::string> names = scene.q_names;
  names.insert(names.end(), scene.v_names.begin(), scene.v_names.end());
  return names;
}

void add(OrbitStates& states, double t, const Vector& z) {
  states.t.push_back(t);
  const auto n = static_cast<long>(states.t.size());
  if (states.z.cols() < n) states.z.conservativeResize(z.size(), 2 * n);
  states.z.col(n - 1) = z;
}

Vector stacked(const State& state) {
  Vector z(state.q.size() + state.v.size());
  z << state.q, state.v;
  return z;
}

// At `samples` equal distances and the end.
template <class At>
OrbitStates sample(double period, double energy, int samples, At at) {
  OrbitStates states{period, energy, {}, {}};
  for (int k = 0; k <= samples; ++k) {
    const double t = period * k / samples;
    add(states, t, stacked(at(t)));
  }
  states.z.conservativeResize(Eigen::NoChange, static_cast<long>(states.t.size()));
  return states;
}

// The kinds of the phases' events: "impact stop, release stop".
std::string event_words(const Orbit& orbit, const Scene& scene) {
  std::vector<std::string> words;
  const auto& contacts = scene.system->contacts();
  for (const ContactPhase& phase : orbit.phases) {
    if (!phase.has_event) continue;
    const auto c = static_cast<std::size_t>(phase.event.contact);
    words.push_back(fmt::format("{} {}", phase.impacts.empty() ? "change" : "impact",
                                c < contacts.size() ? contacts[c].name : fmt::format("{}", c)));
  }
  return fmt::format("{}", fmt::join(words, ", "));
}

}  // namespace

OrbitStates sample_orbit(const OrbitProblem& problem, const Orbit& orbit, int samples) {
  if (orbit.method == OrbitMethod::harmonic_balance) {
    return sample(orbit.period, orbit.energy, samples,
                  [&](double t) { return harmonic_state(orbit, t); });
  }
  OrbitStates states{orbit.period, orbit.energy, {}, {}};
  PhaseMotion motion(problem.system(orbit.parameter),
                     sequence_scale(orbit.phases, orbit.phases.front().z),
                     problem.flow.simulation.scheme_options.flow_tolerance);
  for (const ContactPhase& phase : orbit.phases) {
    motion.enter(phase);
    const int parts =
        1 + static_cast<int>(samples * (phase.end - phase.begin) / std::max(1e-300, orbit.period));
    (void)motion.sample(phase.begin, phase.end, parts, phase.z,
                        [&](double t, const Vector& z) { add(states, t, z); });
  }
  states.z.conservativeResize(Eigen::NoChange, static_cast<long>(states.t.size()));
  return states;
}

OrbitStates sample_orbit(const ImpactModes& modes, const ImpactMode& mode, int samples) {
  // From one impact to just before the next.
  OrbitStates states{mode.period, mode.energy, {}, {}};
  for (std::size_t k = 0; k < mode.times.size(); ++k) {
    const double begin = mode.times[k];
    const double end = k + 1 < mode.times.size() ? mode.times[k + 1] : mode.period;
    const int parts =
        std::max(1, static_cast<int>(std::lround(samples * (end - begin) / mode.period)));
    for (int j = 0; j <= parts; ++j) {
      const double t = begin + (end - begin) * j / parts;
      add(states, t, stacked(modes.state(mode, j < parts ? t : end * (1 - 1e-12))));
    }
  }
  states.z.conservativeResize(Eigen::NoChange, static_cast<long>(states.t.size()));
  return states;
}

OrbitStates sample_orbit(const LastingContactModes& modes, const LastingContactMode& mode,
                         int samples) {
  return sample(mode.period, mode.energy, samples, [&](double t) { return modes.state(mode, t); });
}

std::vector<int> manifold_axes(const Scene& scene, const std::vector<std::string>& names) {
  const std::vector<std::string> all = state_names(scene);
  const int n = static_cast<int>(scene.q_names.size());
  if (names.empty()) return {0, n, n - 1};
  if (names.size() != 3) {
    throw InputError(fmt::format("manifold: {} names; give three coordinates or velocities of {}",
                                 names.size(), fmt::join(all, ", ")));
  }
  std::vector<int> axes;
  for (const std::string& name : names) {
    const auto found = std::find(all.begin(), all.end(), name);
    if (found == all.end()) {
      throw InputError(
          fmt::format("manifold: the scene has no '{}'; it has {}", name, fmt::join(all, ", ")));
    }
    axes.push_back(static_cast<int>(found - all.begin()));
  }
  return axes;
}

std::string make_manifold_csv(const std::vector<OrbitStates>& orbits, const Scene& scene) {
  std::string text = fmt::format("orbit,period,energy,t,{}\n", fmt::join(state_names(scene), ","));
  for (std::size_t i = 0; i < orbits.size(); ++i) {
    for (std::size_t k = 0; k < orbits[i].t.size(); ++k) {
      text += fmt::format("{},{},{},{},{}\n", i, orbits[i].period, orbits[i].energy, orbits[i].t[k],
                          fmt::join(orbits[i].z.col(static_cast<long>(k)), ","));
    }
  }
  return text;
}

std::string make_manifold_svg(const std::vector<OrbitStates>& orbits, const Scene& scene,
                              const std::vector<int>& axes, int most) {
  // An oblique view: the third axis goes up, the first to the right and down, the second to the
  // right and up; each over its largest value.
  // Energies without bound belong to a family: far larger orbits would hide all others.
  constexpr double kLargest = 25;  // times the median energy
  std::vector<double> energies;
  for (const OrbitStates& orbit : orbits) energies.push_back(orbit.energy);
  std::sort(energies.begin(), energies.end());
  const double limit = energies.empty() ? 0 : kLargest * energies[energies.size() / 2];
  std::vector<const OrbitStates*> shown;
  double size[3] = {1e-300, 1e-300, 1e-300};
  for (const OrbitStates& orbit : orbits) {
    if (orbit.energy > limit) continue;
    shown.push_back(&orbit);
    for (int i = 0; i < 3; ++i) {
      const auto row = orbit.z.row(axes[static_cast<std::size_t>(i)]);
      size[i] = std::max(size[i], row.cwiseAbs().maxCoeff());
    }
  }
  const auto put = [&](double a, double b, double c, PlotSeries& series) {
    series.x.push_back(0.86 * a + 0.5 * b);
    series.y.push_back(-0.3 * a + 0.42 * b + c);
  };
  const std::vector<std::string> names = state_names(scene);
  const auto name = [&](int i) {
    return names[static_cast<std::size_t>(axes[static_cast<std::size_t>(i)])];
  };
  SvgPlot plot{
      .title = scene.title + ": states of a family",
      .x = {fmt::format("{0}/{1:.3g} to the right and down, {2}/{3:.3g} to the right and up",
                        name(0), size[0], name(1), size[1])},
      .y = {fmt::format("{}/{:.3g} upwards", name(2), size[2])},
      .series = {}};
  for (int i = 0; i < 3; ++i) {
    PlotSeries axis{"", {}, {}, PlotStyle::guide};
    put(-(i == 0), -(i == 1), -(i == 2), axis);
    put(i == 0, i == 1, i == 2, axis);
    plot.series.push_back(std::move(axis));
  }
  const std::size_t every = 1 + shown.size() / static_cast<std::size_t>(most);
  const std::size_t left_out = orbits.size() - shown.size();
  PlotSeries curves{
      left_out == 0 ? "orbits" : fmt::format("orbits ({} larger ones left out)", left_out), {}, {}};
  for (std::size_t i = 0; i < shown.size(); i += every) {
    const Matrix& z = shown[i]->z;
    for (long k = 0; k < z.cols(); ++k)
      put(z(axes[0], k) / size[0], z(axes[1], k) / size[1], z(axes[2], k) / size[2], curves);
    curves.x.push_back(NAN), curves.y.push_back(NAN);
  }
  plot.series.push_back(std::move(curves));
  return format_svg(plot);
}

void write_manifold(const std::string& path, const std::vector<OrbitStates>& orbits,
                    const Scene& scene) {
  std::vector<double> period, energy, t, z;
  std::vector<std::int64_t> offset = {0};
  for (const OrbitStates& orbit : orbits) {
    period.push_back(orbit.period);
    energy.push_back(orbit.energy);
    t.insert(t.end(), orbit.t.begin(), orbit.t.end());
    z.insert(z.end(), orbit.z.data(), orbit.z.data() + orbit.z.size());
    offset.push_back(static_cast<std::int64_t>(t.size()));
  }
  const int width = static_cast<int>(2 * scene.v_names.size()), rows = static_cast<int>(t.size());
  StaticContent content{{{"scene", scene.path}, {"title", scene.title}},
                        {{"/period", period},
                         {"/energy", energy},
                         {"/t", t},
                         {"/z", z, {rows, width}},
                         {"/offset", offset},
                         {"/name", state_names(scene)}}};
  (void)make_container(path, {}, content);
}

void write_manifold_files(const std::filesystem::path& folder,
                          const std::vector<OrbitStates>& orbits, const Scene& scene,
                          const std::vector<int>& axes) {
  write_file(folder / "manifold.csv", make_manifold_csv(orbits, scene));
  write_file(folder / "manifold.svg", make_manifold_svg(orbits, scene, axes));
  write_manifold((folder / "manifold.h5").string(), orbits, scene);
}

void write_branches(const std::string& path, const std::vector<Branch>& branches,
                    const Scene& scene) {
  const int width = static_cast<int>(2 * scene.v_names.size());
  std::vector<double> z0, t0, period, parameter, energy, slowest, residual, damping, multipliers;
  std::vector<std::int32_t> stable, impacts, branch_of, admissible;
  std::vector<std::string> kind, method, events;
  for (std::size_t b = 0; b < branches.size(); ++b) {
    for (const BranchPoint& point : branches[b].points) {
      const Orbit& orbit = point.orbit;
      const Vector z = stacked(orbit.start);
      z0.insert(z0.end(), z.begin(), z.end());
      t0.push_back(orbit.start.t);
      period.push_back(orbit.period);
      parameter.push_back(orbit.parameter);
      energy.push_back(orbit.energy);
      slowest.push_back(orbit.slowest_approach);
      residual.push_back(orbit.closing);
      damping.push_back(orbit.damping);
      stable.push_back(orbit.has_multipliers() ? orbit.multipliers.stable : -1);
      impacts.push_back(orbit.impacts);
      branch_of.push_back(static_cast<std::int32_t>(b));
      admissible.push_back(orbit.admissible);
      kind.push_back(point_kind_names()[static_cast<std::size_t>(point.kind)]);
      method.push_back(orbit_method_names()[static_cast<std::size_t>(orbit.method)]);
      events.push_back(event_words(orbit, scene));
      for (int i = 0; i < width; ++i) {
        const auto& values = orbit.multipliers.values;
        const auto at = static_cast<std::size_t>(i);
        multipliers.push_back(at < values.size() ? values[at].real() : NAN);
        multipliers.push_back(at < values.size() ? values[at].imag() : NAN);
      }
    }
  }
  const int rows = static_cast<int>(period.size());
  StaticContent content{{{"scene", scene.path}, {"title", scene.title}},
                        {{"/z0", z0, {rows, width}},
                         {"/t0", t0},
                         {"/period", period},
                         {"/parameter", parameter},
                         {"/energy", energy},
                         {"/slowest_impact", slowest},
                         {"/residual", residual},
                         {"/damping", damping},
                         {"/stable", stable},
                         {"/impacts", impacts},
                         {"/branch", branch_of},
                         {"/admissible", admissible},
                         {"/kind", kind},
                         {"/method", method},
                         {"/events", events},
                         {"/multipliers", multipliers, {rows, width, 2}},
                         {"/name", state_names(scene)}}};
  (void)make_container(path, {}, content);
}

}  // namespace clack
