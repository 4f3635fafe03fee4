// What a scheme does to the energy: the oscillator of two masses, whose energy is to be kept, and
// the impacting bar, whose high frequencies are those of the mesh and not of the bar.
//
// Sample run:   ./do bench orders         (leaves out/bench/energies.svg)
#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <filesystem>
#include <fstream>
#include <vector>

#include "clack/core/error.hpp"
#include "clack/io/plots/svg_plot.hpp"
#include "clack/io/scene/scene.hpp"
#include "clack/model/linear_system.hpp"

namespace clack {
namespace {

struct Choice {
  const char* name;
  const char* scheme;
  double theta, rho_inf;
};
constexpr Choice kChoices[] = {{"generalized-alpha, rho_inf = 0.5", "generalized-alpha", 0.5, 0.5},
                               {"moreau-jean, theta = 1/2", "moreau-jean", 0.5, 1},
                               {"moreau-jean, theta = 1", "moreau-jean", 1, 1}};

Scene load(const char* name, const Choice& choice, double h, double end) {
  Scene scene = load_scene(fmt::format("{}/examples/{}.yaml", CLACK_SOURCE_DIR, name));
  scene.options.scheme = choice.scheme;
  scene.options.scheme_options.theta = choice.theta;
  scene.options.scheme_options.rho_inf = choice.rho_inf;
  scene.options.h = h;
  scene.end = end;
  return scene;
}

// A curve of measure(simulation) over time, every `every` steps; throws where a step fails.
template <class Measure>
PlotSeries make_series(const Scene& scene, const char* name, double time_unit, long every,
                       Measure measure) {
  Simulation simulation(scene.system, scene.initial, scene.options);
  PlotSeries series{name, {}, {}, PlotStyle::line};
  for (long k = 0; k <= scene.step_count(); ++k) {
    if (k > 0 && simulation.step() != Status::converged) {
      throw InputError(fmt::format("{}: the step to {:g} s failed", scene.path, simulation.time()));
    }
    if (k % every != 0) continue;
    series.x.push_back(simulation.time() / time_unit);
    series.y.push_back(measure(simulation));
  }
  return series;
}

// With that of the loads, which are constant here.
double energy_of(const Simulation& simulation) {
  const StatePoint& state = simulation.last_step().end;
  const Energies e = simulation.system().energies(state.t, state.q, state.v);
  return e.kinetic + e.potential - state.forces.external.dot(state.q);
}

// The energy over that of the start.
PlotSeries energy_series(const Scene& scene, const char* name, double time_unit, long every) {
  double start = 0;
  return make_series(scene, name, time_unit, every, [&](const Simulation& simulation) {
    if (simulation.steps() == 0) start = energy_of(simulation);
    return energy_of(simulation) / start;
  });
}

SvgPlot plot_two_masses() {
  SvgPlot plot{.title = "Two masses and a spring that bounce, e = 1, h = 1 ms",
               .x = {.label = "time [s]"},
               .y = {.label = "energy, start = 1", .low = 0, .high = 1.05}};
  plot.height = 200;
  for (const Choice& choice : kChoices) {
    const Scene scene = load("two_mass_oscillator", choice, 1e-3, 10);
    plot.series.push_back(energy_series(scene, choice.name, 1, 10));
  }
  return plot;
}

constexpr double kBarStep = 2e-6, kBarEnd = 4e-3;  // [s]

SvgPlot plot_bar() {
  SvgPlot plot{.title = "Elastic bar against a wall, 99 elements, e = 0, h = 2 µs",
               .x = {.label = "time [ms]"},
               .y = {.label = "energy, start = 1", .low = 0.75, .high = 1.02}};
  plot.height = 200;
  for (const Choice& choice : kChoices) {
    const Scene scene = load("impacting_bar", choice, kBarStep, kBarEnd);
    plot.series.push_back(energy_series(scene, choice.name, 1e-3, 5));
  }
  return plot;
}

// The bar's energy in the upper half of its modes, over the whole energy at the start.
SvgPlot plot_high_modes() {
  SvgPlot plot{.title = "The same bar: energy in the upper half of its modes",
               .x = {.label = "time [ms]"},
               .y = {.label = "energy, whole at start = 1",
                     .scale = AxisScale::log10,
                     .low = 1e-12,
                     .high = 1}};
  plot.height = 200;
  for (const Choice& choice : kChoices) {
    const Scene scene = load("impacting_bar", choice, kBarStep, kBarEnd);
    const LinearSystemData& data = dynamic_cast<const LinearSystem&>(*scene.system).data();
    const Eigen::GeneralizedSelfAdjointEigenSolver<Matrix> modes(data.K, data.M);
    const int n = static_cast<int>(data.M.rows()), half = n / 2;
    const Matrix upper = modes.eigenvectors().rightCols(n - half).transpose() * data.M;
    const Vector omega2 = modes.eigenvalues().tail(n - half);
    const Simulation start(scene.system, scene.initial, scene.options);
    const double all = energy_of(start);
    plot.series.push_back(make_series(scene, choice.name, 1e-3, 5, [&](const Simulation& s) {
      const Vector rate = upper * s.v(), amplitude = upper * s.q();
      return 0.5 * (rate.squaredNorm() + amplitude.cwiseAbs2().dot(omega2)) / all;
    }));
  }
  return plot;
}

}  // namespace
}  // namespace clack

int main(int argc, char** argv) {
  const std::filesystem::path folder = argc > 1 ? argv[1] : "out/bench";
  std::filesystem::create_directories(folder);
  const std::vector<clack::SvgPlot> plots = {clack::plot_two_masses(), clack::plot_bar(),
                                             clack::plot_high_modes()};
  std::ofstream(folder / "energies.svg") << clack::format_svg(plots);
  for (const clack::SvgPlot& plot : plots) {
    fmt::print("{}\n", plot.title);
    for (const clack::PlotSeries& series : plot.series) {
      fmt::print("  {:<34} {:.3g} at the end\n", series.name, series.y.back());
    }
  }
  fmt::print("Picture in {}\n", (folder / "energies.svg").string());
}
