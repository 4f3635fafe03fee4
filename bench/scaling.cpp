// How `auto` grows with the size of the problem: generated piles of 100 to 100,000 contacts to
// 1e-6.
//
// Sample run:   ./do bench scaling        (leaves out/bench/scaling.csv and scaling.svg)
#include <fmt/format.h>

#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <vector>

#include "clack/io/plots/svg_plot.hpp"
#include "clack/problem/global_problem.hpp"
#include "clack/solve/auto/auto_solver.hpp"
#include "tests/support/generate.hpp"

namespace clack {
namespace {

using namespace test;

struct Pile {
  const char* name;
  Packing packing;
  double mass_ratio;
  int most;  // contacts
};
constexpr Pile kPiles[] = {
    {"random spheres", Packing::random, 1, 100000},
    {"random spheres, mass ratio 1000", Packing::random, 1000, 100000},
    {"spheres on a lattice", Packing::fcc, 1, 100000},
    {"tower of boxes", Packing::tower, 1, 10000},
    {"wall of bricks", Packing::wall, 1, 10000},
};
constexpr double kTolerance = 1e-6;

double cpu_seconds() {
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

ProblemData make_pile(const Pile& pile, int contacts) {
  GenerateOptions options;
  options.packing = pile.packing;
  options.walls = pile.packing == Packing::fcc;
  options.mass_ratio = pile.mass_ratio;
  options.contacts = contacts;
  return reduce(generate_problem(options));
}

// The time of one solve in seconds, NaN where it is not solved; a row for the table and for the
// file.
double measure(const Pile& pile, int contacts, std::ofstream& csv) {
  const ProblemData problem = make_pile(pile, contacts);
  AutoOptions options;
  options.tolerance = kTolerance;
  options.time_limit = 60;
  Vector r = Vector::Zero(problem.dimension()), u = r;
  const double start = cpu_seconds();
  const SolveReport report = AutoSolver(options).solve(problem.view(), r.data(), u.data());
  const double seconds = cpu_seconds() - start;
  fmt::print("{:<32} {:>7} {:>10.4f} s  residual {:.1e} scaled {:.1e}  {:<11} {}\n", pile.name,
             contacts, seconds, report.residual, report.residual_scaled, to_string(report.status),
             report.note);
  std::fflush(stdout);
  csv << fmt::format("{},{},{},{},{},{}\n", pile.name, contacts, seconds, report.residual,
                     report.residual_scaled, to_string(report.status));
  return report.status == Status::converged ? seconds : NAN;
}

int run(const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  std::ofstream csv(folder / "scaling.csv");
  csv << "pile,contacts,seconds,residual,residual_scaled,status\n";
  SvgPlot plot{.title = "Time of auto to 1e-6, one thread",
               .x = {"contacts", AxisScale::log10},
               .y = {"processor time [s]", AxisScale::log10}};
  for (const Pile& pile : kPiles) {
    PlotSeries series{pile.name, {}, {}, PlotStyle::line_markers};
    for (int contacts : {100, 300, 1000, 3000, 10000, 30000, 100000}) {
      if (contacts > pile.most) break;
      series.x.push_back(contacts);
      series.y.push_back(measure(pile, contacts, csv));
    }
    plot.series.push_back(series);
  }
  plot.series.push_back({"linear", {100, 100000}, {1e-3, 1}, PlotStyle::guide});
  std::ofstream(folder / "scaling.svg") << format_svg(plot);
  return csv ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace
}  // namespace clack

int main(int argc, char** argv) { return clack::run(argc > 1 ? argv[1] : "out/bench"); }
