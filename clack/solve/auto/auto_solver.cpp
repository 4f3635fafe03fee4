#include "clack/solve/auto/auto_solver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "clack/core/error.hpp"
#include "clack/problem/problem_data.hpp"
#include "clack/problem/residual.hpp"
#include "clack/solve/families.hpp"
#include "clack/solve/lcp/infeasibility.hpp"
#include "clack/solve/lcp/lemke.hpp"
#include "clack/solve/local_solver.hpp"

namespace clack {

namespace {

// W and u_free of some contacts.
void fill_part(const ReducedProblem& problem, const BlockSparse& W, std::span<const int> contacts,
               ProblemData& part) {
  std::vector<int> place(problem.cones.size(), -1);
  for (std::size_t a = 0; a < contacts.size(); ++a) place[contacts[a]] = static_cast<int>(a);
  std::vector<Triplet> entries;
  part.u_free.resize(part.dimension());
  for (std::size_t a = 0; a < contacts.size(); ++a) {
    const int i = contacts[a], rows = problem.cones[i].dim();
    for (int r = 0; r < rows; ++r)
      part.u_free[part.offset[a] + r] = problem.u_free[problem.offset[i] + r];
    for (int k = W.row_pointer()[i]; k < W.row_pointer()[i + 1]; ++k) {
      const int b = place[W.columns()[k]];
      for (int c = 0; c < part.cones[b].dim(); ++c) {
        for (int r = 0; r < rows; ++r) {
          entries.emplace_back(part.offset[a] + r, part.offset[b] + c, W.block(k)[c * rows + r]);
        }
      }
    }
  }
  part.W = BlockSparse(entries, part.offset);
}

}  // namespace

const OptionTable<AutoOptions>& AutoOptions::table() {
  using Self = AutoOptions;
  static const OptionTable<Self> table = {
      make_option<Self>(
          {"max_flops", OptionRange::from(0), "-",
           "operations of one factorisation of an island; islands that need more are only swept"},
          &Self::max_flops),
      make_option<Self>(
          {"max_sweeps", OptionRange::from(1), "-", "at most, for islands that are only swept"},
          &Self::max_sweeps),
  };
  return table;
}

void AutoOptions::validate() const {
  SolverOptions::validate();
  validate_options("auto", table(), *this);
}

AutoSolver::AutoSolver(const AutoOptions& options) : Solver(options), options_(options) {
  options.validate();
}

const BlockSparse& AutoSolver::block_sparse(const ReducedProblem& problem) {
  if (const auto* W = dynamic_cast<const BlockSparse*>(problem.W)) {
    if (std::equal(W->offset().begin(), W->offset().end(), problem.offset.begin(),
                   problem.offset.end()))
      return *W;
  }
  if (const auto* dense = dynamic_cast<const DenseDelassus*>(problem.W)) {
    converted_ = BlockSparse(SparseMatrix(dense->matrix().sparseView(0.0, 0.0)), problem.offset);
    return converted_;
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

// Islands, their errors at r, and |u_free|^2 and |D^-1 u_free|^2, what the measures are at least
// divided by.
void AutoSolver::prepare_islands(const ReducedProblem& problem, const BlockSparse& W,
                                 const double* r, const double* u) {
  split(W);
  const int islands = static_cast<int>(island_begin_.size()) - 1;
  errors_.assign(islands, {});
  island_dim_.assign(islands, 1);
  island_free_.assign(islands, 0.0);
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
      const VelocityMetric metric =
          lambda > 0 ? VelocityMetric(problem.cones[i], W.block(W.diagonal_index(i)))
                     : VelocityMetric();
      error.velocity =
          std::max(error.velocity, metric.error_square(problem.cones[i], r + begin, u + begin));
      double free = 0;
      for (int k = begin; k < begin + dim; ++k) {
        error.r += r[k] * r[k];
        error.u += u[k] * u[k];
        free += problem.u_free[k] * problem.u_free[k];
      }
      reference_.plain += free;
      if (lambda > 0) reference_.scaled += free * step * step;
      island_free_[island] = std::max(
          island_free_[island], std::sqrt(metric.square(problem.cones[i], problem.u_free + begin)));
    }
  }
}

IslandWorker& AutoSolver::worker_for(int island) {
  std::unique_ptr<IslandWorker>& worker = workers_[island_dim_[island]];
  if (!worker) worker = make_island_worker(island_dim_[island]);
  return *worker;
}

void AutoSolver::solve_island(const ReducedProblem& problem, const BlockSparse& W, int island,
                              double* r, const IslandTarget& target, SolveReport& report) {
  IslandWorker& worker = worker_for(island);
  worker.load(W, problem.cones, problem.u_free, r, members(island), local_);
  IslandLimits limits;
  limits.max_flops = options_.max_flops;
  limits.max_sweeps = options_.max_sweeps;
  limits.warm = warm_;
  limits.expired = [this] {
    return std::isfinite(options().time_limit) && elapsed() > options().time_limit;
  };
  const IslandEffort done = worker.solve(target, limits);
  worker.store(W, r);
  effort_.by_newton += done.newton_steps > 0;
  effort_.by_interior += done.interior;
  effort_.too_large += done.too_large;
  add_effort(done);
  if (done.error > 1 && !done.too_large && !limits.expired()) {
    last_resorts(problem, W, island, r, target, limits, report);
  }
  errors_[island] = worker.error();
  effort_.failed += target.excess(errors_[island]) > 1;
}

// For an island that resists: a proof that it has no solution, other starts, another map. The
// number of Newton steps to a solution has a long tail and changes with the start, so other starts
// come first: a step of theirs costs a tenth of one on the other map, whose sparse LU knows no
// blocks.
void AutoSolver::last_resorts(const ReducedProblem& problem, const BlockSparse& W, int island,
                              double* r, const IslandTarget& target, const IslandLimits& limits,
                              SolveReport& report) {
  constexpr int kLargestProof = 240,
                kLargestMap = 1500;  // rows: the first is dense, the second slow
  IslandWorker& worker = worker_for(island);
  const ProblemData part = extract(problem, W, island);
  const int rows = part.dimension();
  if (rows <= kLargestProof && prove_infeasible(problem, part, island, report)) return;
  if (limits.expired()) return;
  ++effort_.restarted;
  const IslandEffort done = worker.restart(target, limits);
  add_effort(done);
  worker.store(W, r);
  if (done.error <= 1 || rows > kLargestMap || limits.expired()) return;
  fischer_burmeister(problem, W, part, island, r, target);
}

void AutoSolver::add_effort(const IslandEffort& done) {
  effort_.sweeps += done.sweeps;
  effort_.newton_steps += done.newton_steps;
}

// One island as a problem of its own.
ProblemData AutoSolver::extract(const ReducedProblem& problem, const BlockSparse& W,
                                int island) const {
  std::vector<Cone> cones;
  for (int i : members(island)) cones.push_back(problem.cones[i]);
  ProblemData part;
  part.set_cones(std::move(cones));
  fill_part(problem, W, members(island), part);
  return part;
}

// Where an island has no solution the whole has none: its proof, with zeros elsewhere, is one.
bool AutoSolver::prove_infeasible(const ReducedProblem& problem, const ProblemData& part,
                                  int island, SolveReport& report) const {
  const std::optional<Infeasibility> proof = find_infeasibility(part.view());
  if (!proof) return false;
  Infeasibility whole = *proof;
  whole.y.assign(problem.size(), 0.0);
  for (std::size_t a = 0; a < part.cones.size(); ++a) {
    std::copy_n(proof->y.data() + part.offset[a], part.cones[a].dim(),
                whole.y.data() + problem.offset[members(island)[a]]);
  }
  report_infeasible(whole, fmt::format("an island of {} contacts has no solution", part.contacts()),
                    report);
  return true;
}

// Newton on Fischer and Burmeister's map where that on Alart and Curnier's fails: it is slower, but
// fails elsewhere. Leaves the island loaded at the better of both points.
void AutoSolver::fischer_burmeister(const ReducedProblem& problem, const BlockSparse& W,
                                    const ProblemData& part, int island, double* r,
                                    const IslandTarget& target) {
  SolverOptions common = options();
  common.tolerance = 0.1 * options().tolerance;
  common.max_iterations = 500;
  if (std::isfinite(common.time_limit))
    common.time_limit = std::max(1e-3, common.time_limit - elapsed());
  Vector part_r = Vector::Zero(part.dimension()), part_u = part_r;
  effort_.newton_steps +=
      make_solver("newton-fb", common)->solve(part.view(), part_r.data(), part_u.data()).iterations;
  std::vector<double> other(r, r + problem.size());
  const std::span<const int> contacts = members(island);
  for (std::size_t a = 0; a < contacts.size(); ++a) {
    std::copy_n(part_r.data() + part.offset[a], part.cones[a].dim(),
                other.data() + problem.offset[contacts[a]]);
  }
  IslandWorker& worker = worker_for(island);
  const double before = target.excess(worker.error());
  worker.load(W, problem.cones, problem.u_free, other.data(), contacts, local_);
  const double after = target.excess(worker.error());
  if (!(after < before)) {
    worker.load(W, problem.cones, problem.u_free, r, contacts, local_);
    return;
  }
  std::copy(other.begin(), other.end(), r);
  ++effort_.by_fischer;
}

// Every island to its share of the error that is allowed in all.
void AutoSolver::pass(const ReducedProblem& problem, const BlockSparse& W, double* r,
                      SolveReport& report) {
  IslandError total;
  for (const IslandError& e : errors_) {
    total.r += e.r;
    total.u += e.u;
  }
  const double tolerance = 0.7 * options().tolerance / tighten_;
  const double plain =
      options().verdict == Verdict::all
          ? tolerance * tolerance * std::max({reference_.plain, total.r, total.u, 1e-290})
          : HUGE_VAL;
  const double scaled = tolerance * tolerance * std::max({reference_.scaled, total.r, 1e-290});
  const double fastest = *std::max_element(island_free_.begin(), island_free_.end());
  effort_.failed = 0;
  for (int island = 0; island < static_cast<int>(errors_.size()); ++island) {
    const double share = static_cast<double>(members(island).size()) / problem.contacts();
    const double free = velocity_scale(island_free_[island], fastest);
    const IslandTarget target{share * plain, share * scaled, tolerance * free, free};
    if (target.excess(errors_[island]) <= 1) continue;
    solve_island(problem, W, island, r, target, report);
  }
}

void AutoSolver::iterate(const ReducedProblem& problem, double* r, double*, SolveReport& report) {
  effort_ = {};
  attempt_ = 0;
  tighten_ = 1;
  pivoted_ = false;
  warm_ = std::any_of(r, r + problem.size(), [](double x) { return x != 0; });
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

// The norms that the measures are divided by are known only at the end: there is a second pass, and
// a third, where the first estimate was too generous.
bool AutoSolver::refine(const ReducedProblem& problem, const Residual& residual, double* r,
                        double* u, SolveReport& report) {
  if (pivoted_ || report.status == Status::infeasible) return false;
  const BlockSparse& W = block_sparse(problem);
  if (attempt_ == 0) prepare_islands(problem, W, r, u);
  const double error = residual.of(options().verdict);
  if (attempt_ > 0) tighten_ *= std::max(2.0, error / options().tolerance);
  if (stop_here(report.iterations, error, report) || effort_.failed > 0 || attempt_ == 3) {
    pivoted_ = true;
    return pivot_instead(problem, r, u, report);
  }
  ++attempt_;
  pass(problem, W, r, report);
  report.iterations = effort_.sweeps + effort_.newton_steps;
  report.note = describe() + (report.status == Status::infeasible ? "; " + report.note : "");
  return true;
}

std::string AutoSolver::describe() const {
  const int islands = static_cast<int>(errors_.size());
  return fmt::format(
      "{} island{} (largest {}): {} by sweeps, {} by Newton; {} sweeps, {} Newton steps{}{}{}{}{}",
      islands, islands == 1 ? "" : "s", effort_.largest, islands - effort_.by_newton,
      effort_.by_newton, effort_.sweeps, effort_.newton_steps,
      effort_.by_interior ? fmt::format("; {} through interior points", effort_.by_interior) : "",
      effort_.by_fischer ? fmt::format("; {} helped by Fischer-Burmeister", effort_.by_fischer)
                         : "",
      effort_.restarted ? fmt::format("; {} restarted", effort_.restarted) : "",
      effort_.too_large ? fmt::format("; {} too large to factorise", effort_.too_large) : "",
      effort_.failed ? fmt::format("; {} above the share of error set for it", effort_.failed)
                     : "");
}

// Without friction the problem is a mixed LCP: pivoting solves those that are not monotone, or
// proves that there is no solution. Dense, hence for small problems only.
bool AutoSolver::pivot_instead(const ReducedProblem& problem, double* r, double* u,
                               SolveReport& report) {
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

constexpr SolverEntry kEntries[] = {
    make_entry<AutoSolver, AutoOptions>(
        "auto",
        "islands, scaling, accelerated sweeps, proximal Newton with a sparse LU; chooses and "
        "escalates",
        "this project"),
};

}  // namespace

std::span<const SolverEntry> auto_family() { return kEntries; }

}  // namespace clack
