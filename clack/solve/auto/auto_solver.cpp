#include "clack/solve/auto/auto_solver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "clack/core/error.hpp"
#include "clack/problem/residual.hpp"
#include "clack/solve/families.hpp"
#include "clack/solve/lcp/lemke.hpp"
#include "clack/solve/local_solver.hpp"

namespace clack {

void AutoOptions::validate() const {
  SolverOptions::validate();
  if (!(max_flops >= 0)) throw InputError("auto: max_flops must be >= 0");
  if (max_sweeps < 1) throw InputError("auto: max_sweeps must be >= 1");
}

AutoSolver::AutoSolver(const AutoOptions& options)
    : Solver(options), options_(options) {
  options.validate();
}

const BlockSparse& AutoSolver::block_sparse(const ReducedProblem& problem) {
  if (const auto* W = dynamic_cast<const BlockSparse*>(problem.W)) {
    if (std::equal(W->offset().begin(), W->offset().end(), problem.offset.begin(), problem.offset.end())) return *W;
  }
  const int m = problem.size();
  std::vector<Triplet> entries;
  std::vector<double> unit(m, 0.0), column(m);
  for (int j = 0; j < m; ++j) {
    unit[j] = 1;
    problem.W->multiply(unit.data(), column.data());
    unit[j] = 0;
    for (int i = 0; i < m; ++i) {
      if (column[i] != 0) entries.emplace_back(i, j, column[i]);
    }
  }
  converted_ = BlockSparse(entries, problem.offset);
  return converted_;
}

std::span<const int> AutoSolver::members(int island) const {
  return {island_members_.data() + island_begin_[island],
          static_cast<std::size_t>(island_begin_[island + 1] - island_begin_[island])};
}

// Connected components of the graph of W. An unsymmetric pattern is walked both ways through marks:
// a row that reaches a contact of an earlier island would be a one-way link, so links are mirrored.
void AutoSolver::split(const BlockSparse& W) {
  const int n = W.block_rows();
  std::vector<int>& parent = local_;
  parent.resize(n);
  for (int i = 0; i < n; ++i) parent[i] = i;
  auto find = [&](int i) {
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
  };
  for (int i = 0; i < n; ++i) {
    for (int k = W.row_pointer()[i]; k < W.row_pointer()[i + 1]; ++k) {
      const int a = find(i), b = find(W.columns()[k]);
      if (a != b) parent[std::max(a, b)] = std::min(a, b);
    }
  }
  queue_.assign(n, -1);  // island of each root
  island_begin_.assign(1, 0);
  std::vector<int> count;
  for (int i = 0; i < n; ++i) {
    const int root = find(i);
    if (queue_[root] < 0) {
      queue_[root] = static_cast<int>(count.size());
      count.push_back(0);
    }
    ++count[queue_[root]];
  }
  for (int c : count) island_begin_.push_back(island_begin_.back() + c);
  island_members_.resize(n);
  std::vector<int> next(island_begin_.begin(), island_begin_.end() - 1);
  for (int i = 0; i < n; ++i) island_members_[next[queue_[find(i)]]++] = i;
}

// Islands, their errors at r, and |u_free|^2 and |D^-1 u_free|^2, what the measures are at least divided by.
void AutoSolver::prepare_islands(const ReducedProblem& problem, const BlockSparse& W, const double* r,
                                 const double* u) {
  split(W);
  const int islands = static_cast<int>(island_begin_.size()) - 1;
  errors_.assign(islands, {});
  island_dim_.assign(islands, 1);
  reference_ = {};
  for (int island = 0; island < islands; ++island) {
    effort_.largest = std::max(effort_.largest, static_cast<int>(members(island).size()));
    for (int i : members(island)) {
      const int begin = problem.offset[i], dim = problem.cones[i].dim();
      island_dim_[island] = std::max(island_dim_[island], dim);
      const double lambda = largest_eigenvalue(W.block(W.diagonal_index(i)), dim);
      const double step = lambda > 0 ? 1 / lambda : 1;
      IslandError& error = errors_[island];
      error.plain += natural_map_square(problem.cones[i], r + begin, u + begin, 1);
      error.scaled += natural_map_square(problem.cones[i], r + begin, u + begin, step);
      for (int k = begin; k < begin + dim; ++k) {
        error.r += r[k] * r[k];
        error.u += u[k] * u[k];
        reference_.plain += problem.u_free[k] * problem.u_free[k];
        if (lambda > 0) reference_.scaled += problem.u_free[k] * problem.u_free[k] * step * step;
      }
    }
  }
}

IslandWorker& AutoSolver::worker_for(int island) {
  std::unique_ptr<IslandWorker>& worker = workers_[island_dim_[island]];
  if (!worker) worker = make_island_worker(island_dim_[island]);
  return *worker;
}

void AutoSolver::solve_island(const ReducedProblem& problem, const BlockSparse& W, int island, double* r,
                              const IslandError& target) {
  IslandWorker& worker = worker_for(island);
  worker.load(W, problem.cones, problem.u_free, r, members(island), local_);
  IslandLimits limits;
  limits.max_flops = options_.max_flops;
  limits.max_sweeps = options_.max_sweeps;
  limits.expired = [this] { return std::isfinite(options().time_limit) && elapsed() > options().time_limit; };
  const IslandEffort done = worker.solve(target, limits);
  worker.store(W, r);
  errors_[island] = worker.error();
  effort_.sweeps += done.sweeps;
  effort_.newton_steps += done.newton_steps;
  effort_.by_newton += done.newton_steps > 0;
  effort_.restarted += done.restarts > 0;
  effort_.too_large += done.too_large;
  effort_.failed += done.error > 1;
}

// Every island to its share of the error that is allowed in all.
void AutoSolver::pass(const ReducedProblem& problem, const BlockSparse& W, double* r) {
  IslandError total;
  for (const IslandError& e : errors_) {
    total.r += e.r;
    total.u += e.u;
  }
  const double tolerance = 0.7 * options().tolerance / tighten_;
  const double plain = tolerance * tolerance * std::max({reference_.plain, total.r, total.u, 1e-290});
  const double scaled = tolerance * tolerance * std::max({reference_.scaled, total.r, 1e-290});
  effort_.failed = 0;
  for (int island = 0; island < static_cast<int>(errors_.size()); ++island) {
    const double share = static_cast<double>(members(island).size()) / problem.contacts();
    const IslandError target{share * plain, share * scaled, 0, 0};
    if (errors_[island].over(target) <= 1) continue;
    solve_island(problem, W, island, r, target);
  }
}

void AutoSolver::iterate(const ReducedProblem& problem, double* r, double*, SolveReport& report) {
  effort_ = {};
  attempt_ = 0;
  tighten_ = 1;
  pivoted_ = false;
  rows_.bind(problem);
  sweep(problem, r);
  report.iterations = effort_.sweeps;
  report.status = Status::stagnated;
  report.note = "1 sweep over all contacts";
}

void AutoSolver::sweep(const ReducedProblem& problem, double* r) {
  std::array<double, Cone::kMaxDim> b, local;
  for (int c = 0; c < problem.contacts(); ++c) {
    const Cone& cone = problem.cones[c];
    rows_.off_diagonal(c, r, b.data());
    std::copy_n(r + problem.offset[c], cone.dim(), local.data());
    if (solve_local(cone, rows_.block(c), b.data(), local.data())) {
      std::copy_n(local.data(), cone.dim(), r + problem.offset[c]);
    }
  }
  ++effort_.sweeps;
}

// The norms that the measures are divided by are known only at the end: there is a second pass, and a
// third, where the first estimate was too generous.
bool AutoSolver::refine(const ReducedProblem& problem, double residual, double* r, double* u, SolveReport& report) {
  if (pivoted_) return false;
  const BlockSparse& W = block_sparse(problem);
  if (attempt_ == 0) prepare_islands(problem, W, r, u);
  if (attempt_ > 0) tighten_ *= std::max(2.0, residual / options().tolerance);
  if (stop_here(report.iterations, residual, report) || effort_.failed > 0 || attempt_ == 3) {
    pivoted_ = true;
    return pivot_instead(problem, r, u, report);
  }
  ++attempt_;
  pass(problem, W, r);
  report.iterations = effort_.sweeps + effort_.newton_steps;
  report.note = describe();
  return true;
}

std::string AutoSolver::describe() const {
  const int islands = static_cast<int>(errors_.size());
  return fmt::format(
      "{} island{} (largest {}): {} by sweeps, {} by Newton; {} sweeps, {} Newton steps{}{}{}", islands,
      islands == 1 ? "" : "s", effort_.largest, islands - effort_.by_newton, effort_.by_newton, effort_.sweeps,
      effort_.newton_steps, effort_.restarted ? fmt::format("; {} restarted", effort_.restarted) : "",
      effort_.too_large ? fmt::format("; {} too large to factorise", effort_.too_large) : "",
      effort_.failed ? fmt::format("; {} above the share of error set for it", effort_.failed) : "");
}

// Without friction the problem is a mixed LCP: pivoting solves those that are not monotone, or proves
// that there is no solution. Dense, hence for small problems only.
bool AutoSolver::pivot_instead(const ReducedProblem& problem, double* r, double* u, SolveReport& report) {
  constexpr int kLargest = 400;
  const bool frictionless = std::all_of(problem.cones.begin(), problem.cones.end(),
                                        [](const Cone& cone) { return cone.disc_count() == 0; });
  if (!frictionless || problem.size() > kLargest) return false;
  LemkeOptions options;
  static_cast<SolverOptions&>(options) = this->options();
  std::vector<double> other_r(problem.size(), 0.0), other_u(problem.size(), 0.0);
  SolveReport other = Lemke(options).solve(problem, other_r.data(), other_u.data());
  if (other.status != Status::converged && other.status != Status::infeasible) return false;
  std::copy(other_r.begin(), other_r.end(), r);
  std::copy(other_u.begin(), other_u.end(), u);
  other.note = report.note + "; then pivoting" + (other.note.empty() ? "" : ": " + other.note);
  other.history = std::move(report.history);
  report = std::move(other);
  return true;
}

namespace {

std::unique_ptr<Solver> make_auto(const SolverOptions& common, const OptionSet& own) {
  AutoOptions options;
  static_cast<SolverOptions&>(options) = common;
  OptionReader reader("auto", own);
  reader.read("max_flops", options.max_flops);
  reader.read("max_sweeps", options.max_sweeps);
  reader.finish();
  return std::make_unique<AutoSolver>(options);
}

constexpr SolverEntry kEntries[] = {
    {"auto", "islands, scaling, accelerated sweeps, proximal Newton with a sparse LU; chooses and escalates",
     "this project", make_auto},
};

}  // namespace

std::span<const SolverEntry> auto_family() { return kEntries; }

}  // namespace clack
