#include "clack/solve/lcp/lemke.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "clack/core/error.hpp"
#include "clack/core/split_mix.hpp"
#include "clack/problem/residual.hpp"
#include "clack/solve/lcp/infeasibility.hpp"

namespace clack {

const OptionTable<LemkeOptions>& LemkeOptions::table() {
  static const OptionTable<LemkeOptions> table = {make_option<LemkeOptions>(
      {"paths", OptionRange::from(1), "-",
       "paths that are tried: from u = u_free with d = (1, ..., 1), then from drawn bases and d"},
      &LemkeOptions::paths)};
  return table;
}

void LemkeOptions::validate() const {
  SolverOptions::validate();
  validate_options("lemke", table(), *this);
}

Lemke::Lemke(const LemkeOptions& options) : Solver(options), options_(options) {
  options.validate();
}

// Variables of the tableau: u_i is i, r_i is n + i, z0 is 2 n.
void Lemke::start_path(int path) {
  const int n = pure_.size();
  Vector d = Vector::Ones(n);
  SplitMix random(static_cast<std::uint64_t>(path));
  for (int i = 0; i < n && path > 0; ++i) d[i] = random.uniform(0.1, 1.0);
  Matrix A(n, n + 1);
  A.leftCols(n) = -pure_.W();
  A.col(n) = -d;
  tableau_.load(A, pure_.u_free());
  const int row = tableau_.least_row(d);
  tableau_.pivot(row, 2 * n);
  entering_ = n + row;
}

Lemke::End Lemke::follow_path(int path, SolveReport& report) {
  const int n = pure_.size();
  if (n == 0 || pure_.u_free().minCoeff() >= 0) {
    tableau_.load(Matrix::Zero(n, n + 1), pure_.u_free());
    return End::solution;
  }
  start_path(path);
  ++report.iterations;
  for (;;) {
    const int row = tableau_.leaving_row(entering_, 2 * n);
    if (row < 0) return End::ray;
    const int leaving = tableau_.basic(row);
    tableau_.pivot(row, entering_);
    if (leaving == 2 * n) {
      ++report.iterations;
      return End::solution;
    }
    entering_ = leaving < n ? leaving + n : leaving - n;
    // z0 is the measure of progress, never a verdict: the path ends when it leaves, not before.
    const double z0 = tableau_.solution()[2 * n];
    if (stop_here(report.iterations + 1, std::max(z0, 2 * options().tolerance), report)) {
      return End::limit;
    }
  }
}

bool Lemke::accept(const ReducedProblem& problem, double* r, double* u, SolveReport& report) {
  const Vector z = tableau_.solution().segment(pure_.size(), pure_.size()).cwiseMax(0.0);
  system_.unscale(pure_.expand(z), r);
  const double residual = polish(system_, problem, r, u);
  report.status = residual <= options().tolerance ? Status::converged : Status::stagnated;
  return report.status == Status::converged;
}

// Along the ray r grows by the entries of its column; that direction is the certificate where W
// is copositive-plus. Otherwise linear programming decides, also for a basis spoilt by round-off.
bool Lemke::certify(const ReducedProblem& problem, bool ray, SolveReport& report) const {
  const int n = pure_.size();
  std::optional<Infeasibility> proof;
  if (ray) {
    Vector direction = Vector::Zero(2 * n + 1);
    direction[entering_] = 1;
    for (int i = 0; i < n; ++i) direction[tableau_.basic(i)] = -tableau_.entry(i, entering_);
    const Vector weights = pure_.expand_weights(direction.segment(n, n).cwiseMax(0.0));
    proof = check_infeasibility(problem, system_.unscale_weights(weights));
  }
  const bool from_ray = proof.has_value();
  if (!from_ray) proof = find_infeasibility(problem);
  if (!proof) return false;
  report_infeasible(*proof,
                    from_ray ? "complementary pivoting ended on a ray, the certificate"
                             : "complementary pivoting ended without a solution",
                    report);
  return true;
}

void Lemke::give_up(int rays, SolveReport& report) const {
  report.status = Status::stagnated;
  report.note = rays == 0
                    ? "complementary pivoting ended with bases that round-off has spoilt"
                    : fmt::format(
                          "complementary pivoting ended on a ray for {} of {} paths "
                          "although some r >= 0 has W r + u_free >= 0: W is not copositive-plus "
                          "and the problem may or may not have a solution (lcp-enum decides)",
                          rays, options_.paths);
}

void Lemke::iterate(const ReducedProblem& problem, double* r, double* u, SolveReport& report) {
  system_.load(name(), problem);
  if (stop_here(0, measure(r, u), report)) return;
  int rays = 0;
  for (int path = 0; path < options_.paths; ++path) {
    pure_.apply(system_, path);
    const End end = follow_path(path, report);
    if (end == End::limit) return;
    if (end == End::solution && accept(problem, r, u, report)) return;
    if (end == End::ray) ++rays;
    if (path == 0 && certify(problem, end == End::ray, report)) return;
  }
  give_up(rays, report);
}

}  // namespace clack
