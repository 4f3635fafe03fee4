#include "clack/analyse/convergence_run.hpp"

#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <exception>
#include <limits>

#include "clack/analyse/dense_output.hpp"
#include "clack/integrate/adaptive.hpp"
#include "clack/model/bodies/articulated_bodies.hpp"

namespace clack {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// Steps a case to its end; keeps what is observed.
class Runner {
 public:
  Runner(const StudyCase& study_case, const StudyRunSize& size, const ObservedCoordinates& observed)
      : case_(study_case), steps_(size.steps), observed_(observed), options_(study_case.options) {
    if (size.tolerance > 0) {
      if (!options_.adaptive) options_.adaptive.emplace();
      options_.adaptive->tolerance = size.tolerance;
    } else {
      options_.adaptive.reset();
      options_.h = case_.length() / static_cast<double>(steps_);
    }
    options_.record_timings = false;
  }

  StudyRun run(ObservedMotion& motion) {
    StudyRun record;
    record.error_q = record.error_v = record.error = record.error_l1 = kNan;
    record.scheme = options_.scheme;
    record.h = options_.h;
    record.steps = steps_;
    record.tolerance = options_.adaptive ? options_.adaptive->tolerance : 0;
    try {
      record.cpu_seconds = simulate(motion, record);
      // One short run says little about its cost: the best of some.
      constexpr double kLongEnough = 0.02;
      double total = record.cpu_seconds;
      for (int again = 0; again < 4 && total < kLongEnough && record.good(); ++again) {
        ObservedMotion same;
        StudyRun other;
        const double seconds = simulate(same, other);
        total += seconds;
        record.cpu_seconds = std::min(record.cpu_seconds, seconds);
      }
    } catch (const std::exception& error) {
      record.failure = error.what();
    }
    return record;
  }

 private:
  double simulate(ObservedMotion& motion, StudyRun& record) {
    Simulation simulation(case_.system, case_.initial, options_);
    motion = {Curve(static_cast<int>(observed_.q.size())),
              Curve(static_cast<int>(observed_.v.size()))};
    motion.q.reserve(steps_ + 1);
    motion.v.reserve(steps_ + 1);
    keep(simulation, motion);
    missed_ = 0;
    states_.clear();
    const double start = thread_seconds();
    if (options_.adaptive) {
      simulate_adaptive(motion, record);
    } else {
      for (long k = 0; k < steps_ && take(simulation, simulation.step(), motion, record); ++k) {
      }
    }
    const double seconds = thread_seconds() - start;
    if (missed_ > 0) record.failure = fmt::format("{} steps missed the tolerance", missed_);
    keep_between(motion);
    return seconds;
  }

  void simulate_adaptive(ObservedMotion& motion, StudyRun& record) {
    AdaptiveSimulation simulation(case_.system, case_.initial, options_, case_.end);
    while (!simulation.done()) {
      simulation.step();
      if (!take(simulation.first(), simulation.first_status(), motion, record)) return;
      if (!take(simulation.second(), simulation.second_status(), motion, record)) return;
    }
    const AdaptiveFigures& figures = simulation.figures();
    record.h = case_.length() / static_cast<double>(figures.accepted);
    // A pair is compared with a step of twice the length.
    record.steps = 3 * (figures.accepted / 2 + figures.rejected);
  }

  // False where the run ends here.
  bool take(const Simulation& simulation, Status status, ObservedMotion& motion, StudyRun& record) {
    record.solver_iterations += simulation.last_step().solve.iterations;
    if (status == Status::numerical_failure) {
      motion = {Curve(), Curve()};
      states_.clear();
      record.failure = fmt::format("no finite state at t = {:g} s", simulation.time());
      return false;
    }
    missed_ += status != Status::converged;
    if (options_.adaptive) {
      states_.push_back({simulation.time(), simulation.q(), simulation.v()});
    } else {
      keep(simulation, motion);
    }
    return true;
  }

  // Of an adaptive run, after the clock has stopped.
  void keep_between(ObservedMotion& motion) {
    const State* before = &case_.initial;
    for (const State& state : states_) {
      for (const State& between : dense_between(*before, state)) keep(between, motion);
      before = &state;
    }
  }

  void keep(const Simulation& simulation, ObservedMotion& motion) {
    keep(simulation.time(), simulation.q(), simulation.v(), motion);
  }
  void keep(const State& state, ObservedMotion& motion) { keep(state.t, state.q, state.v, motion); }
  void keep(double t, const Vector& q, const Vector& v, ObservedMotion& motion) {
    values_.clear();
    for (const int i : observed_.q) values_.push_back(q[i]);
    motion.q.add(t, values_.data());
    values_.clear();
    to_shown_velocities(*case_.system, q, v, shown_v_);
    for (const int i : observed_.v) values_.push_back(shown_v_[i]);
    motion.v.add(t, values_.data());
  }

  const StudyCase& case_;
  long steps_;
  const ObservedCoordinates& observed_;
  SimulationOptions options_;
  long missed_ = 0;  // steps
  Vector shown_v_;
  std::vector<State> states_;  // of an adaptive run
  std::vector<double> values_;
};

}  // namespace

StudyRun run_case(const StudyCase& study_case, const StudyRunSize& size,
                  const ObservedCoordinates& observed, ObservedMotion& motion) {
  return Runner(study_case, size, observed).run(motion);
}

}  // namespace clack
