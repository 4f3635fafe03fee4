// The states of all orbits of a family: an invariant surface in phase space, as a picture and as
// numbers.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "clack/analyse/modes/impact_modes.hpp"
#include "clack/analyse/modes/lasting_contact.hpp"
#include "clack/analyse/orbits/continuation.hpp"
#include "clack/io/scene/scene.hpp"

namespace clack {

// One orbit, sampled over its period.
struct OrbitStates {
  double period = 0;  // [s]
  double energy = 0;  // [J]
  std::vector<double> t;
  Matrix z;  // 2 nv x samples: q, then v
};

OrbitStates sample_orbit(const OrbitProblem& problem, const Orbit& orbit, int samples = 200);
OrbitStates sample_orbit(const ImpactModes& modes, const ImpactMode& mode, int samples = 200);
OrbitStates sample_orbit(const LastingContactModes& modes, const LastingContactMode& mode,
                         int samples = 200);

// Which three of q and v span the picture; by names of the scene, as x2, x2', x1. Throws InputError
// where a name is none.
std::vector<int> manifold_axes(const Scene& scene, const std::vector<std::string>& names);

// One row per state: orbit, period, energy, t, q, v.
std::string make_manifold_csv(const std::vector<OrbitStates>& orbits, const Scene& scene);
// Each orbit a closed curve in an oblique view of three axes; at most some `most` of them are drawn,
// and none of 25 times the median energy.
std::string make_manifold_svg(const std::vector<OrbitStates>& orbits, const Scene& scene,
                              const std::vector<int>& axes, int most = 40);
// /period, /energy [k], /t [N], /z [N, 2 nv], /offset [k + 1] (rows of orbit i), /name.
void write_manifold(const std::string& path, const std::vector<OrbitStates>& orbits,
                    const Scene& scene);

// manifold.csv, manifold.svg and manifold.h5.
void write_manifold_files(const std::filesystem::path& folder,
                          const std::vector<OrbitStates>& orbits, const Scene& scene,
                          const std::vector<int>& axes);

// All points of all branches: /z0 [k, 2 nv], /t0, /period, /parameter, /energy, /slowest_impact,
// /residual, /damping, /stable, /impacts, /branch, /kind, /method, /events (words), /admissible [k],
// /multipliers [k, 2 nv, 2] (NaN where there are none). Throws IoError.
void write_branches(const std::string& path, const std::vector<Branch>& branches,
                    const Scene& scene);

}  // namespace clack
