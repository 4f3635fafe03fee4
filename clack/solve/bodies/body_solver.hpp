// `bodies`: large systems of rigid bodies, matrix free.
//
// Coloured Gauss-Seidel sweeps on body velocities with capped Nesterov momentum (eq:body_momentum);
// where they stagnate, plain sweeps with Anderson's acceleration (eq:anderson), which settle where
// momentum swings between sliding directions; then a higher cap, then Barzilai-Borwein steps with
// the exact local law (eq:body_step), then again as long as a round gains 20 %; small islands that
// are still open go to `auto`. Small problems are solved to round-off where no contact slides
// (eq:stick_polish): what a tolerance leaves would add up over a million steps at rest. The best
// iterate is kept and judged: what was not reached is said in the report. Any number of threads
// gives the same bits.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "clack/problem/body_problem.hpp"
#include "clack/solve/anderson.hpp"
#include "clack/solve/bodies/batch_kernels.hpp"
#include "clack/solve/solver.hpp"

namespace clack {

struct BodySolverOptions : SolverOptions {
  double max_momentum = 0.8;    // cap of beta; 0: plain Gauss-Seidel
  double late_momentum = 0.98;  // cap once sweeps with the first one stagnate; 0: none
  int threads = 1;              // 0: as many as the machine has
  bool check_problem = true;    // false: the caller knows that it is valid
  int patience = 300;           // sweeps without a gain of 20 % before the method changes
  int polish_contacts = 300;    // problems of at most so many are solved to round-off where no
                                // contact slides; 0: none
  int island_contacts = 400;    // islands of at most so many contacts may go to `auto`; 0: none
  int planar_island_contacts = 5000;  // the same in the plane, where factors stay sparse

  static const OptionTable<BodySolverOptions>& table();
  void validate() const;  // throws InputError
};

class BodySolver {
 public:
  explicit BodySolver(const BodySolverOptions& options = {});
  ~BodySolver();

  // On entry r (problem.size() values) is the warm start, on return the impulses; u, unless it is
  // null, receives W r + u_free. Throws InputError where the problem is not valid.
  SolveReport solve(const BodyProblem& problem, double* r, double* u);
  // The same held to another tolerance than that of the options.
  SolveReport solve(const BodyProblem& problem, double* r, double* u, double tolerance);
  // The same with impulses as world vectors, one a contact: as they are used inside.
  SolveReport solve(const BodyProblem& problem, Eigen::Vector3d* impulses);
  // v = v_free + M^-1 H r of the last solve, six values a body.
  void store_body_velocities(const BodyProblem& problem, double* v) const;

  const BodySolverOptions& options() const { return options_; }
  int colours() const { return batches_.colours(); }
  double lane_fill() const { return batches_.lane_fill(); }

  // For measurements: packs the problem, then runs sweeps without tests.
  void prepare(const BodyProblem& problem, const Eigen::Vector3d* impulses);
  SweepSums sweep(double beta);
  Residual measure(Verdict verdict = Verdict::all);

 private:
  void bind();
  void rebuild_lines();  // from the impulses, without the round-off of many sweeps
  bool may_have_drifted(const Residual& residual) const;
  Residual measure_finely();
  Residual measure_exactly();
  bool holds(const Residual& residual) const {
    return residual.holds(options_.tolerance, options_.verdict);
  }
  bool judge(int iteration, SolveReport& report);
  void keep_best();
  void gather_impulses(LargeArray<BatchRow>& to);
  void scatter_impulses(const LargeArray<BatchRow>& from);  // lines follow
  template <class Act>
  void for_impulse_rows(Act&& act);
  void restore_best();
  void iterate(SolveReport& report);
  void begin_stage(int patience, const SolveReport& report);
  void run_sweeps(double max_momentum, int patience, SolveReport& report);
  void run_anderson(int patience, SolveReport& report);
  void run_steps(SolveReport& report);
  BatchSums observe();
  bool is_late(int iteration) const;
  void solve_small(const BodyProblem& problem, SolveReport& report);
  bool polish(const BodyProblem& problem, SolveReport& report);
  void solve_islands(const BodyProblem& problem, SolveReport& report);
  void store_local(const BodyProblem& problem);
  void load_local(const BodyProblem& problem, SolveReport& report);
  void finish(Eigen::Vector3d* impulses, SolveReport& report);
  double elapsed() const;

  // Runs pass(chunk), or pass(block, index), for all of them, phase by phase.
  void for_chunks(const std::function<void(std::size_t)>& pass);
  void for_blocks(const std::function<void(const BatchBlock&, std::size_t)>& pass);

  BodySolverOptions options_;
  std::unique_ptr<Team> team_;
  const BatchKernels* kernels_ = nullptr;
  ContactBatches batches_;
  BatchView view_;
  LargeArray<BatchRow> velocity_;
  std::vector<BatchSums> sums_;         // by block
  std::vector<SweepSums> sweep_sums_;   // by block
  LargeArray<BatchRow> best_;           // impulses
  LargeArray<BatchRow> point_, image_;  // of Anderson's acceleration
  Anderson anderson_{10, 1.0};
  LargeArray<Eigen::Vector3d> impulses_;             // of a solve in local values
  std::vector<double> local_;                        // for the polish and for islands
  const BodyProblem* problem_ = nullptr;             // the one being solved
  const Eigen::Vector3d* start_impulses_ = nullptr;  // the caller's, as they are until the end
  bool at_start_ = false, best_is_start_ = false;
  Residual best_residual_;
  bool best_is_current_ = false;       // it holds, and nothing has been done since
  double error_ = 0, best_error_ = 0;  // the last measured, the best
  int since_rebuild_ = 0;              // sweeps and steps
  double marked_error_ = 0;            // at the last gain of 20 %
  int marked_iteration_ = 0;
  int sweeps_ = 0, steps_ = 0, patience_ = 0;
  int sweep_limit_ = 0;  // of a stage
  double start_ = 0;
};

}  // namespace clack
