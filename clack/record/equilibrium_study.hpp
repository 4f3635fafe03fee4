// Equilibria of a scene, their branches and small motions: what options name, found in the scene.
#pragma once

#include <string>
#include <vector>

#include "clack/analyse/equilibria/equilibrium_branch.hpp"
#include "clack/io/scene/scene.hpp"
#include "clack/record/orbit_study.hpp"

namespace clack {

class SceneEquilibria {
 public:
  // `over`: parameters.NAME that is continued; empty: none. Throws InputError for another key.
  SceneEquilibria(SceneWith load, const std::string& over);

  const EquilibriumProblem& problem() const { return problem_; }
  const Scene& scene() const { return scene_; }
  // From the initial coordinates of the scene.
  Equilibrium find(double parameter) const;
  std::string contact_name(int contact) const;

 private:
  Scene scene_;
  EquilibriumProblem problem_;
};

// One row per point: parameter, kind, stability, coordinates, gaps and normal forces.
std::string make_equilibrium_csv(const EquilibriumBranch& branch, const Scene& scene);
// Coordinates over the parameter; stable ones solid, special points marked.
std::string make_equilibrium_svg(const EquilibriumBranch& branch, const Scene& scene,
                                 const std::string& label);
// Eigenvalues of the small motions about it.
std::string make_eigenvalue_csv(const Equilibrium& found);

}  // namespace clack
