// A convergence study: one motion by several schemes and steps, compared with a reference.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "clack/analyse/curve.hpp"
#include "clack/analyse/order_fit.hpp"
#include "clack/core/error.hpp"
#include "clack/integrate/simulation.hpp"
#include "clack/model/exact_motion.hpp"

namespace clack {

// An option that cannot be accepted; the message begins with its name.
class OptionError : public InputError {
 public:
  OptionError(const std::string& option, const std::string& complaint)
      : InputError(option + ": " + complaint) {}
};

// How two curves are compared.
struct ErrorNorm {
  enum class Kind { lp, max, hausdorff };
  Kind kind = Kind::lp;
  double p = 1;           // of lp
  double time_scale = 1;  // of hausdorff

  // L1, Lp:P, max, Hausdorff or Hausdorff:SCALE. Throws OptionError.
  static ErrorNorm parse(const std::string& text);
  std::string name() const;
};

// Indices of the coordinates and velocities that are compared.
struct ObservedCoordinates {
  std::vector<int> q, v;
};

// What was observed of q and of v, over time.
struct ObservedMotion {
  Curve q, v;
};

// What is simulated, by one scheme.
struct StudyCase {
  std::shared_ptr<const System> system;
  State initial;
  SimulationOptions options;
  double end = 0;  // [s]

  double length() const { return end - initial.t; }  // [s]
};

// What the runs are compared with: curves, or a closed form.
class ReferenceMotion {
 public:
  static ReferenceMotion of_motion(ObservedMotion motion);
  // `intervals` at least for the curve that Hausdorff's distance needs.
  static ReferenceMotion of_exact(const ExactMotion& exact, const StudyCase& study_case,
                                  const ObservedCoordinates& observed, const ErrorNorm& norm,
                                  long intervals);

  const Curve& q() const { return motion_.q; }
  const Curve& v() const { return motion_.v; }
  // Values over time; one for each thread.
  CurveFunction q_function() const;
  CurveFunction v_function() const;

 private:
  CurveFunction exact_function(bool velocities) const;

  ObservedMotion motion_;
  ExactMotion exact_;  // in place of the motion where it is not empty
  State initial_;
  ObservedCoordinates observed_;
};

struct StudyRun {
  std::string scheme;
  double h = 0;             // [s]; the mean one of an adaptive run
  long steps = 0;           // computed, also those that were not kept
  double tolerance = 0;     // of an adaptive run
  std::string failure;      // empty: every step was solved
  double error_q, error_v;  // in the norm; NaN where the run has no finite end
  double error;             // their sum
  double error_l1;          // the sum in L1, whatever the norm
  double cpu_seconds = 0;
  long solver_iterations = 0;

  bool good() const { return failure.empty(); }
};

// The runs of one scheme, from the largest step to the smallest.
struct SchemeStudy {
  std::string scheme;
  std::vector<StudyRun> runs;
  std::vector<double> steps, errors;  // errors NaN where a run failed
  std::vector<double> orders;         // between neighbours
  OrderFit fit{};

  // Work to reach an L1 error, between the measured points; NaN outside.
  double cpu_seconds_for(double l1_error) const;
  double steps_for(double l1_error) const;
};

struct ConvergenceStudy {
  std::string scene, title, reference;  // in words
  ErrorNorm norm;
  double begin = 0, end = 0;          // [s]
  std::vector<std::string> observed;  // names
  std::vector<SchemeStudy> schemes;   // with constant steps, then with steps that adapt themselves

  bool good() const;  // no run failed
};

struct StudyOptions {
  std::vector<double> steps;       // [s], each a whole part of the time
  std::vector<double> tolerances;  // > 0, of steps that adapt themselves; empty: none
  ErrorNorm norm;
  ObservedCoordinates observed;
  int jobs = 0;  // threads; 0: as many as processors
  // Called after each run, by one thread at a time. What it throws ends the study.
  std::function<void(std::size_t done, std::size_t count)> progress;

  // Numbers of steps of the runs, rising, each once. Throws OptionError.
  std::vector<long> step_counts(double length) const;
};

// A given motion; or runs with steps kReferenceRatio times smaller than the smallest of the study,
// by one scheme for all or by each scheme for itself.
struct StudyReference {
  static constexpr long kReferenceRatio = 16;

  std::optional<ReferenceMotion> motion;
  std::optional<StudyCase> by;  // without a motion
};

// The number of steps, which must be a whole one for all runs to end at the same time. Throws
// OptionError.
long count_steps(double length, double h);
constexpr double kMostStudySteps = 1e9;  // of a run

// Throws OptionError where the options cannot be accepted.
void check_study(const std::vector<StudyCase>& cases, const StudyOptions& options,
                 const StudyReference& reference);

// All cases have the same times. Throws as check_study does; a run that fails is only marked.
[[nodiscard]] ConvergenceStudy run_study(const std::vector<StudyCase>& cases,
                                         const StudyOptions& options,
                                         const StudyReference& reference);

}  // namespace clack
