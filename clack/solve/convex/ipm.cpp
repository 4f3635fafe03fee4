#include "clack/solve/convex/ipm.hpp"

#include <algorithm>
#include <array>

#include "clack/core/error.hpp"
#include "clack/solve/newton/judged_iterate.hpp"

namespace clack {

const OptionTable<IpmOptions>& IpmOptions::table() {
  using Self = IpmOptions;
  static const OptionTable<Self> table = {
      make_option<Self>({"steps_each_start", OptionRange::from(1), "-",
                         "Newton steps before another start is tried"},
                        &Self::steps_each_start),
      make_option<Self>({"starts", {1, 7}, "-", "starting points that are tried"}, &Self::starts),
  };
  return table;
}

void IpmOptions::validate() const {
  SolverOptions::validate();
  validate_options("ipm", table(), *this);
}

Ipm::Ipm(const IpmOptions& options) : Solver(options), options_(options) { options.validate(); }

void Ipm::iterate(const ReducedProblem& problem, double* r, double* u, SolveReport& report) {
  constexpr std::array<double, 7> kSizes = {1, 10, 0.1, 100, 0.01, 1000, 1e-3};
  JudgedIterate best(problem, options().verdict, r, u);
  if (stop_here(0, best.measure(), report)) return;
  scaled_.load(problem);
  method_.load(scaled_.W(), scaled_.cones(), true);
  const ConeSet set(scaled_.cones(), scaled_.offset());
  const double size = std::max(scaled_.u_free().cwiseAbs().maxCoeff(), 1e-100);
  int iteration = 0;
  bool stop = false;
  for (int start = 0; start < options_.starts && !stop; ++start) {
    method_.start(scaled_.u_free(), kSizes[start] * size);
    bool moved = true;
    for (int k = 0; k < options_.steps_each_start && moved && !stop; ++k) {
      moved = method_.step(scaled_.u_free());
      Vector p = method_.r();
      if (!p.allFinite()) break;
      set.project(p);
      scaled_.from_scaled(p, r);
      stop = stop_here(++iteration, best.judge(r, u), report);
    }
  }
  if (!stop) report.status = Status::stagnated;
  best.restore(r);
}

}  // namespace clack
