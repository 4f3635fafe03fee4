// A convergence study: one scene by several schemes and steps, compared with a reference.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "clack/analyse/curve.hpp"
#include "clack/analyse/order_fit.hpp"
#include "clack/io/scene/scene.hpp"

namespace clack::app {

// How two curves are compared.
struct Norm {
  enum class Kind { lp, max, hausdorff };
  Kind kind = Kind::lp;
  double p = 1;           // of lp
  double time_scale = 1;  // of hausdorff

  // L1, Lp:P, max, Hausdorff or Hausdorff:SCALE. Throws InputError.
  static Norm parse(const std::string& text);
  std::string name() const;
};

// The coordinates and velocities that are compared.
struct Observed {
  std::vector<int> q, v;
  std::vector<std::string> names;  // of both
};

// A motion: what was observed of q and of v, over time.
struct Motion {
  Curve q, v;
};

// What the runs are compared with: curves, or the scene's closed form.
class Reference {
 public:
  static Reference of_file(const std::string& path, const Scene& scene, const Observed& observed);
  static Reference of_motion(Motion motion);
  // `intervals` at least for the curve that Hausdorff's distance needs.
  static Reference of_exact(const Scene& scene, const Observed& observed, const Norm& norm,
                            long intervals);

  const Curve& q() const { return motion_.q; }
  const Curve& v() const { return motion_.v; }
  // Values over time; one for each thread.
  CurveFunction q_function() const;
  CurveFunction v_function() const;

 private:
  CurveFunction exact_function(bool velocities) const;

  Motion motion_;
  ExactMotion exact_;  // in place of the motion where it is not empty
  State initial_;
  Observed observed_;
};

struct RunRecord {
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
struct SchemeRecord {
  std::string scheme;
  std::vector<RunRecord> runs;
  std::vector<double> steps, errors;  // errors NaN where a run failed
  std::vector<double> orders;         // between neighbours
  OrderFit fit{};

  // Work to reach an L1 error, between the measured points; NaN outside.
  double cpu_seconds_for(double l1_error) const;
  double steps_for(double l1_error) const;
};

struct StudyArguments {
  std::string scene;
  std::vector<std::string> set;
  std::string schemes, steps;    // as on the command line
  std::string tolerances;        // the same for adaptive steps; empty: none
  std::string reference;         // exact, self, a file; empty: exact where the scene has it
  std::string reference_scheme;  // of `self`; empty: each its own
  std::string norm = "L1";
  std::string observe;
  int jobs = 0;  // 0: as many as processors
};

struct Study {
  std::string scene, title, reference;  // in words
  Norm norm;
  double begin = 0, end = 0;  // [s]
  std::vector<std::string> observed;
  std::vector<SchemeRecord> schemes;

  bool good() const;  // no run failed
};

// Throws InputError, SceneError or IoError before the first run; a run that fails is only marked.
// Calls before_runs once all input is found good.
Study run_study(const StudyArguments& arguments, const std::function<void()>& before_runs);

}  // namespace clack::app
