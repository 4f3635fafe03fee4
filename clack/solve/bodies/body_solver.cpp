#include "clack/solve/bodies/body_solver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <chrono>
#include <cmath>
#include <utility>

#include "clack/core/error.hpp"
#include "clack/solve/auto/auto_solver.hpp"
#include "clack/solve/bodies/body_islands.hpp"
#include "clack/solve/bodies/stick_polish.hpp"

namespace clack {
namespace {

constexpr double kFirstStep = 0.3;  // Barzilai-Borwein, over the Jacobi step
constexpr double kShortestStep = 1e-2, kLongestStep = 1e2;
constexpr int kLatePatience = 3;  // much momentum swings before it gains
constexpr int kSweepsInMap = 3;   // of Anderson's acceleration
constexpr double kGain = 0.8;     // of the error, counts as progress
constexpr double kExact = 1e-13;  // the round-off of a small problem
constexpr int kSweepsBeforePolish[] = {30, 300};
constexpr double kDriftOfSweep = 1e-14, kDriftAllowed = 1e-6;

double now() {
  using Clock = std::chrono::steady_clock;
  return std::chrono::duration<double>(Clock::now().time_since_epoch()).count();
}

// When to measure the residual, which costs as much as a sweep. The length of what a sweep changes
// falls as the error does: their ratio at one test foretells when the next one is worth its time.
class TestTimes {
 public:
  explicit TestTimes(double tolerance) : tolerance_(tolerance) {}

  bool is_due(int sweep, double change) const {
    return sweep >= latest_ || (sweep >= earliest_ && ratio_ * change <= tolerance_);
  }
  void tested(int sweep, double change, double error) {
    ratio_ = error / change;  // no change, no test before the latest
    earliest_ = sweep + std::max(2, sweep / 25);
    latest_ = sweep + std::max(32, sweep / 12);
  }

 private:
  double tolerance_, ratio_ = HUGE_VAL;
  int earliest_ = 0, latest_ = 2;
};

// Of steps: 2, 4, 8, 12, ..., from 50 on every 8 %.
int next_test(int iteration) {
  return iteration < 4 ? std::max(2, 2 * iteration)
                       : std::max(iteration + 4, iteration * 108 / 100);
}

}  // namespace

// Threads and check_problem are the caller's.
const OptionTable<BodySolverOptions>& BodySolverOptions::table() {
  using Self = BodySolverOptions;
  constexpr OptionRange kMomentum{.low = 0, .high = 1, .high_open = true};
  static const OptionTable<Self> table = {
      make_option<Self>(
          {"max_momentum", kMomentum, "-", "largest momentum of the sweeps; 0: plain Gauss-Seidel"},
          &Self::max_momentum),
      make_option<Self>({"late_momentum", kMomentum, "-",
                         "the same once sweeps with the first one stagnate; 0: none"},
                        &Self::late_momentum),
      make_option<Self>({"patience", OptionRange::from(1), "-",
                         "sweeps without a gain of 20 % before the method changes"},
                        &Self::patience),
      make_option<Self>({"polish_contacts", OptionRange::from(0), "-",
                         "problems of at most so many contacts are solved to round-off where no "
                         "contact slides; 0: none"},
                        &Self::polish_contacts),
      make_option<Self>({"island_contacts", OptionRange::from(0), "-",
                         "islands of at most so many contacts may go to `auto`; 0: none"},
                        &Self::island_contacts),
      make_option<Self>({"planar_island_contacts", OptionRange::from(0), "-",
                         "the same in the plane, where factors stay sparse"},
                        &Self::planar_island_contacts),
  };
  return table;
}

void BodySolverOptions::validate() const {
  SolverOptions::validate();
  validate_options("bodies", table(), *this);
  if (threads < 0) throw InputError(fmt::format("bodies: threads is {}; it must be >= 0", threads));
}

BodySolver::BodySolver(const BodySolverOptions& options) : options_(options) {
  options_.validate();
  team_ = std::make_unique<Team>(options_.threads);
}

BodySolver::~BodySolver() = default;

double BodySolver::elapsed() const { return now() - start_; }

void BodySolver::for_chunks(const std::function<void(std::size_t)>& pass) {
  const std::vector<int>& phases = batches_.phase_begin();
  team_->enter([&] {
    for (std::size_t phase = 0; phase + 1 < phases.size(); ++phase) {
      const int begin = phases[phase];
      team_->run(phases[phase + 1] - begin,
                 [&](int i) { pass(static_cast<std::size_t>(begin + i)); });
    }
  });
}

void BodySolver::for_blocks(const std::function<void(const BatchBlock&, std::size_t)>& pass) {
  const std::vector<int>& chunks = batches_.chunk_begin();
  for_chunks([&](std::size_t chunk) {
    const auto end = static_cast<std::size_t>(chunks[chunk + 1]);
    for (auto i = static_cast<std::size_t>(chunks[chunk]); i < end; ++i)
      pass(batches_.blocks()[i], i);
  });
}

void BodySolver::prepare(const BodyProblem& problem, const Eigen::Vector3d* impulses) {
  kernels_ = &batch_kernels();
  batches_.build(problem, impulses, *team_);
  velocity_.resize(3 * static_cast<std::size_t>(batches_.batches()));
  sums_.resize(batches_.blocks().size());
  sweep_sums_.resize(batches_.blocks().size());
  bind();
  rebuild_lines();
}

// Again after each exchange of lines or impulses.
void BodySolver::bind() {
  view_ = batches_.view();
  view_.velocity = velocity_.data();
}

void BodySolver::rebuild_lines() {
  batches_.clear_lines();
  for_blocks([&](const BatchBlock& block, std::size_t) { kernels_->push(view_, block); });
  since_rebuild_ = 0;
}

// The velocities of a body are carried on by the first chunk that needs them, while they are at
// hand; bodies without contacts have none that change. After a rebuild there is nothing before.
SweepSums BodySolver::sweep(double beta) {
  if (since_rebuild_++ == 0) beta = 0;
  batches_.swap_lines();
  bind();
  const std::vector<int>& chunks = batches_.chunk_begin();
  for_chunks([&](std::size_t chunk) {
    const auto [first, last] = batches_.first_visits(chunk);
    kernels_->extrapolate(view_, first, last, beta);
    const auto end = static_cast<std::size_t>(chunks[chunk + 1]);
    for (auto i = static_cast<std::size_t>(chunks[chunk]); i < end; ++i)
      sweep_sums_[i] = kernels_->sweep(view_, batches_.blocks()[i], beta);
  });
  batches_.swap_impulses();
  bind();
  SweepSums total;
  for (const SweepSums& sums : sweep_sums_) {
    total.turn += sums.turn;
    total.change += sums.change;
  }
  return total;
}

Residual BodySolver::measure(Verdict verdict) {
  for_blocks([&](const BatchBlock& block, std::size_t i) {
    sums_[i] = kernels_->measure(view_, block, verdict);
  });
  ResidualSums total = batches_.constants();
  for (const BatchSums& sums : sums_) {
    total.natural += sums.natural;
    total.natural_scaled += sums.natural_scaled;
    total.r += sums.r;
    total.u += sums.u;
    if (!(sums.velocity <= total.velocity)) total.velocity = sums.velocity;
  }
  return make_residual(total);
}

// The measures that decide; close to round-off those of the yardstick itself, which knows the floor
// that round-off sets to velocities.
Residual BodySolver::measure_finely() {
  constexpr double kFloorsCount = 2e-9;
  const Residual residual = measure(options_.verdict);
  const bool near = !holds(residual) && residual.scaled <= options_.tolerance &&
                    residual.velocity <= kFloorsCount;
  if (!near) return residual;
  return measure_exactly();
}

// By the yardstick of the problem, contact by contact.
Residual BodySolver::measure_exactly() {
  store_local(*problem_);
  std::vector<double> u(local_.size());
  return compute_residual(*problem_, local_.data(), u.data());
}

// Three rows per batch, over all kinds.
void BodySolver::gather_impulses(LargeArray<BatchRow>& to) {
  to.resize(3 * static_cast<std::size_t>(batches_.batches()));
  BatchRow* next = to.data();
  for_impulse_rows([&](BatchRow* rows) { next = std::copy_n(rows, 3, next); });
}

void BodySolver::scatter_impulses(const LargeArray<BatchRow>& from) {
  const BatchRow* next = from.data();
  for_impulse_rows([&](BatchRow* rows) {
    std::copy_n(next, 3, rows);
    next += 3;
  });
  rebuild_lines();
}

template <class Act>
void BodySolver::for_impulse_rows(Act&& act) {
  for (int k = 0; k < kBatchKinds; ++k) {
    const auto kind = static_cast<BatchKind>(k);
    BatchRow* rows = batches_.rows(kind) + batches_.impulse_row();
    for (std::size_t i = 0; i < batches_.records(kind); ++i, rows += record_rows(kind)) act(rows);
  }
}

void BodySolver::keep_best() {
  best_is_start_ = at_start_;
  if (!at_start_) gather_impulses(best_);  // else the caller still has it
}

void BodySolver::restore_best() {
  if (!best_is_start_) {
    scatter_impulses(best_);
    return;
  }
  batches_.load_impulses(start_impulses_);
  rebuild_lines();
}

// Velocities of the lines follow the sweeps with their round-off, some 1e-16 a sweep.
bool BodySolver::may_have_drifted(const Residual& residual) const {
  return kDriftOfSweep * since_rebuild_ > kDriftAllowed * residual.of(options_.verdict);
}

// Verdict the iterate, keeps it where it is the best. True: stop, and the status says why; a
// status that is still not_run means that this method makes no progress any more.
bool BodySolver::judge(int iteration, SolveReport& report) {
  Residual residual = measure_finely();
  if (holds(residual) && may_have_drifted(residual)) {
    rebuild_lines();
    residual = measure_finely();
  }
  const double error = error_ = residual.of(options_.verdict);
  report.iterations = iteration;
  if (options_.record_history) report.history.push_back({iteration, elapsed(), error});
  // What no impulse changes leaves the error as it is: the rest decides.
  const bool better =
      error < best_error_ || (error == best_error_ && residual.scaled < best_residual_.scaled);
  if (better || iteration == 0) {
    best_error_ = error;
    best_residual_ = residual;
    best_is_current_ = holds(residual);
    if (!best_is_current_) keep_best();  // else this iterate is what is returned
  }
  if (error < kGain * marked_error_) {
    marked_error_ = error;
    marked_iteration_ = iteration;
  }
  if (holds(residual)) {
    report.status = Status::converged;
  } else if (iteration >= options_.max_iterations) {
    report.status = Status::iteration_limit;
  } else if (elapsed() > options_.time_limit) {
    report.status = Status::time_limit;
  } else {
    return !std::isfinite(error) || iteration - marked_iteration_ >= patience_ ||
           iteration >= sweep_limit_;
  }
  return true;
}

// From the best iterate; its gains are counted from here.
void BodySolver::begin_stage(int patience, const SolveReport& report) {
  patience_ = patience;
  if (report.iterations > 0) restore_best();
  marked_error_ = best_error_;
  marked_iteration_ = report.iterations;
}

void BodySolver::run_sweeps(double max_momentum, int patience, SolveReport& report) {
  begin_stage(patience, report);
  const int before = report.iterations;
  double beta = 0, t = 1;
  TestTimes tests(options_.tolerance);
  for (int k = 1;; ++k) {
    const SweepSums sums = sweep(beta);
    if (sums.turn > 0) t = 1;
    const double next = 0.5 * (1 + std::sqrt(1 + 4 * t * t));
    beta = std::min(max_momentum, (t - 1) / next);
    t = next;
    const double change = std::sqrt(sums.change);
    if (!tests.is_due(k, change) && !is_late(before + k)) continue;
    if (judge(before + k, report)) break;
    tests.tested(k, change, error_);
  }
  sweeps_ += report.iterations - before;
}

// The map that is accelerated is some sweeps without momentum, from any impulses to such within
// their cones.
void BodySolver::run_anderson(int patience, SolveReport& report) {
  begin_stage(patience, report);
  const int before = report.iterations;
  anderson_.clear();
  gather_impulses(point_);
  TestTimes tests(options_.tolerance);
  for (int k = kSweepsInMap;; k += kSweepsInMap) {
    SweepSums sums;
    for (int i = 0; i < kSweepsInMap; ++i) sums = sweep(0);
    const double change = std::sqrt(sums.change);
    if (tests.is_due(k, change) || is_late(before + k)) {
      if (judge(before + k, report)) break;
      tests.tested(k, change, error_);
    }
    gather_impulses(image_);
    const auto values = [](LargeArray<BatchRow>& rows) {
      return VectorMap(rows.data()->lane, kBatchLanes * static_cast<Eigen::Index>(rows.size()));
    };
    values(point_) = anderson_.next(values(point_), values(image_));
    scatter_impulses(point_);
  }
  sweeps_ += report.iterations - before;
}

// The sums of a Barzilai-Borwein step, in the order of the blocks.
BatchSums BodySolver::observe() {
  for_blocks(
      [&](const BatchBlock& block, std::size_t i) { sums_[i] = kernels_->observe(view_, block); });
  BatchSums total;
  for (const BatchSums& sums : sums_) {
    total.change += sums.change;
    total.product += sums.product;
    total.answer += sums.answer;
  }
  return total;
}

void BodySolver::run_steps(SolveReport& report) {
  begin_stage(options_.patience, report);
  const int before = report.iterations;
  double step = kFirstStep;
  int test = next_test(0);
  for (int k = 1;; ++k) {
    const BatchSums sums = observe();
    if (k > 1 && sums.product > 0) {  // both lengths in turn
      step = k % 2 == 0 ? sums.change / sums.product : sums.product / sums.answer;
      step = std::clamp(step, kShortestStep, kLongestStep);
    }
    for_blocks([&](const BatchBlock& block, std::size_t) { kernels_->step(view_, block, step); });
    batches_.swap_impulses();
    bind();
    ++since_rebuild_;
    if (k < test && !is_late(before + k)) continue;
    test = next_test(k);
    if (judge(before + k, report)) break;
  }
  steps_ += report.iterations - before;
}

bool BodySolver::is_late(int iteration) const {
  return iteration >= options_.max_iterations || elapsed() > options_.time_limit;
}

// Little momentum is safe where contacts slide, much is fast where they stick, and steps get out of
// where both wander: in turn, as long as a round gains something.
void BodySolver::iterate(SolveReport& report) {
  for (double before = HUGE_VAL; !(best_error_ > kGain * before);) {
    before = best_error_;
    run_sweeps(options_.max_momentum, options_.patience, report);
    if (report.status == Status::not_run) run_anderson(kLatePatience * options_.patience, report);
    if (report.status == Status::not_run && options_.late_momentum > options_.max_momentum) {
      run_sweeps(options_.late_momentum, kLatePatience * options_.patience, report);
    }
    if (report.status == Status::not_run) run_steps(report);
    if (report.status != Status::not_run) return;
  }
}

// Some sweeps to find out what sticks, then to round-off at once; the long way only where this does
// not reach the tolerance.
void BodySolver::solve_small(const BodyProblem& problem, SolveReport& report) {
  for (const int sweeps : kSweepsBeforePolish) {
    if (report.status == Status::not_run) {
      sweep_limit_ = report.iterations + sweeps;
      run_sweeps(options_.max_momentum, options_.patience, report);
    }
    sweep_limit_ = std::numeric_limits<int>::max();
    const bool goes_on = report.status == Status::not_run || report.status == Status::converged;
    if (!goes_on || best_error_ <= kExact || polish(problem, report)) return;
  }
  iterate(report);
  if (report.status == Status::converged && best_error_ > kExact) polish(problem, report);
}

void BodySolver::store_local(const BodyProblem& problem) {
  impulses_.resize(problem.contacts.size());
  local_.resize(static_cast<std::size_t>(problem.size()));
  batches_.store_impulses(impulses_.data(), *team_);
  to_local(problem, impulses_.data(), local_.data());
}

void BodySolver::load_local(const BodyProblem& problem, SolveReport& report) {
  to_world(problem, local_.data(), impulses_.data());
  batches_.load_impulses(impulses_.data());
  rebuild_lines();
  judge(report.iterations, report);
}

// True where the tolerance holds afterwards.
bool BodySolver::polish(const BodyProblem& problem, SolveReport& report) {
  if (!best_is_current_) restore_best();
  store_local(problem);
  if (polish_sticking(problem, local_.data())) load_local(problem, report);
  return report.status == Status::converged;
}

void BodySolver::solve_islands(const BodyProblem& problem, SolveReport& report) {
  AutoOptions options;
  options.tolerance = 0.5 * options_.tolerance;
  options.verdict = options_.verdict;
  options.time_limit = std::max(options_.time_limit - elapsed(), 1e-3);
  AutoSolver solver(options);
  store_local(problem);
  const int most = problem.dim == 2 ? options_.planar_island_contacts : options_.island_contacts;
  int solved = 0;
  for (const std::vector<int>& island : find_islands(problem)) {
    if (static_cast<int>(island.size()) > most) continue;
    if (elapsed() > options_.time_limit) break;
    const ProblemData part = assemble_reduced(problem, island);
    Vector x(part.dimension()), u(part.dimension());
    const auto each = [&](auto&& act) {
      for (std::size_t k = 0; k < island.size(); ++k) {
        for (int i = 0; i < problem.dim; ++i) {
          act(x[problem.dim * static_cast<int>(k) + i],
              local_[static_cast<std::size_t>(problem.dim * island[k] + i)]);
        }
      }
    };
    each([](double& to, double& from) { to = from; });
    const double before = compute_residual(part.view(), x.data(), u.data()).of(options.verdict);
    if (before <= options.tolerance) continue;
    const SolveReport done = solver.solve(part.view(), x.data(), u.data());
    if (!(done.measured().of(options.verdict) < before)) continue;
    each([](double& from, double& to) { to = from; });
    ++solved;
  }
  if (solved == 0) return;
  report.note += fmt::format("; {} islands by auto", solved);
  load_local(problem, report);
}

void BodySolver::finish(Eigen::Vector3d* impulses, SolveReport& report) {
  if (!best_is_current_) {
    restore_best();
    best_residual_ = measure_finely();
  }
  if (options_.verdict == Verdict::unit_free) best_residual_.plain = measure().plain;
  batches_.store_impulses(impulses, *team_);
  if (!holds(best_residual_)) best_residual_.contact = measure_exactly().contact;
  judge_solve(best_residual_, options_, report);
  report.seconds = elapsed();
}

SolveReport BodySolver::solve(const BodyProblem& problem, double* r, double* u, double tolerance) {
  const double usual = std::exchange(options_.tolerance, tolerance);
  const SolveReport report = solve(problem, r, u);
  options_.tolerance = usual;
  return report;
}

SolveReport BodySolver::solve(const BodyProblem& problem, double* r, double* u) {
  if (options_.check_problem) problem.validate();  // before its frames are used
  LargeArray<Eigen::Vector3d> impulses(problem.contacts.size());
  to_world(problem, r, impulses.data());
  const SolveReport report = solve(problem, impulses.data());
  to_local(problem, impulses.data(), r);
  if (u != nullptr) {
    observe();
    batches_.store_velocities(problem, velocity_.data(), u, *team_);
  }
  return report;
}

SolveReport BodySolver::solve(const BodyProblem& problem, Eigen::Vector3d* impulses) {
  assert(problem.contacts.empty() || impulses != nullptr);
  start_ = now();
  if (options_.check_problem) problem.validate();
  for (std::size_t k = 0; k < problem.contacts.size(); ++k) {
    if (!impulses[k].allFinite()) impulses[k].setZero();  // a poisoned warm start is no start
  }
  SolveReport report;
  problem_ = &problem;
  prepare(problem, impulses);
  best_error_ = marked_error_ = std::numeric_limits<double>::infinity();
  marked_iteration_ = 0;
  best_is_current_ = false;
  sweeps_ = steps_ = 0;
  start_impulses_ = impulses;
  at_start_ = true;
  judge(0, report);
  at_start_ = false;
  sweep_limit_ = std::numeric_limits<int>::max();
  if (static_cast<int>(problem.contacts.size()) <= options_.polish_contacts)
    solve_small(problem, report);
  else if (report.status == Status::not_run)
    iterate(report);
  report.note = fmt::format("{} sweeps, {} Barzilai-Borwein steps, {} colours, {}", sweeps_, steps_,
                            colours(), kernels_->target);
  const int most = problem.dim == 2 ? options_.planar_island_contacts : options_.island_contacts;
  if (report.status != Status::converged && most > 0) {
    restore_best();
    solve_islands(problem, report);
  }
  finish(impulses, report);
  return report;
}

void BodySolver::store_body_velocities(const BodyProblem& problem, double* v) const {
  batches_.store_body_velocities(problem, v, *team_);
}

}  // namespace clack
