// Periodic orbits of a scene and their branches: what options name, found in the scene.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "clack/analyse/harmonic/harmonic_orbit.hpp"
#include "clack/analyse/orbits/continuation.hpp"
#include "clack/analyse/orbits/lyapunov.hpp"
#include "clack/record/scene_values.hpp"

namespace clack {

struct SceneOrbitOptions {
  bool orbit = true;                // else only exponents: no period is needed
  std::string kind = "forced";      // a name of orbit_kind_names()
  std::string method = "multiple";  // single, or harmonic: by harmonic balance
  // The period: a formula, of the continued parameter at most. May be left out for autonomous
  // orbits: then the motion is followed until it comes back.
  std::string period;
  double settle = 0;               // time to run before the orbit is closed [s]
  std::vector<std::string> drift;  // names of coordinates that may drift
  std::string over;                // KEY of the scene that is continued; empty: none
  double at = 0;                   // its value at the first orbit
  // scene: from the initial state; impact-mode: on the mode of one impact in closed form that has
  // the given period.
  // linear-mode: on linear mode `mode`, below the energy at which a contact is touched (harmonic).
  std::string from = "scene";
  int mode = 1;  // the first
  HarmonicOptions harmonic;
};

class SceneOrbits {
 public:
  // Throws InputError where the scene has another scheme than event-driven, the system has no
  // orbits here, or an option does not fit.
  SceneOrbits(SceneWith load, SceneOrbitOptions options);

  const OrbitProblem& problem() const { return problem_; }
  const Scene& scene() const { return scene_; }
  // Runs until it settles, then closes the orbit at the parameter of problem(). By harmonic balance
  // from the linear response, or from the linear mode.
  Orbit find() const;
  Branch follow(const Orbit& start, const ContinuationOptions& options) const;
  // Exponents over `time` after the settling; `interval` 0: the period, or 16 steps.
  LyapunovExponents exponents(double time, double interval) const;

 private:
  bool is_harmonic() const { return options_.method == "harmonic"; }
  void check_method() const;
  Orbit find_harmonic() const;
  MappedFlow settle() const;
  void read_period();
  void read_parameter();

  SceneWith load_;
  SceneOrbitOptions options_;
  Scene scene_;
  OrbitProblem problem_;
};

// Tables and plots. One row per orbit; names are those of the scene's coordinates.
std::string make_branch_csv(const std::vector<Branch>& branches, const Scene& scene);
// Extremes of each coordinate over the coordinate of the branch, or energy over frequency of
// conservative families; stable orbits solid, unstable ones dashed, special points marked.
std::string make_branch_svg(const std::vector<Branch>& branches, const Scene& scene,
                            BranchCoordinate over, const std::string& label);
// The motion of an orbit over its period: t, q, v.
std::string make_orbit_csv(const OrbitProblem& problem, const Orbit& orbit, const Scene& scene,
                           int rows = 400);
// The largest exponent after each interval.
std::string make_lyapunov_csv(const LyapunovExponents& found);

}  // namespace clack
