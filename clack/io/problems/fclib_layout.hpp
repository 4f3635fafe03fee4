// How a problem's cones map to the groups of an FCLIB file.
//
//   /fclib_local, /fclib_global                   Coulomb's cones of dimension `spacedim` (2, 3),
//                                                 or R+ (spacedim 1), then equalities
//   /fclib_local_rolling, /fclib_global_rolling   rolling friction, spacedim 5, with mu_r
//   /clack_local, /clack_global                   any mixture: the same, spacedim 0, with one row
//                                                 of cones/{dim, free, mu, mu_r} per cone; where
//                                                 some cone is none of the above,
//                                                 cones/{disc_dim, radius} (3 values per cone, 0
//                                                 for no disc) take the place of mu and mu_r
#pragma once

#include <string>
#include <vector>

#include "clack/problem/problem_data.hpp"

namespace clack {

struct FclibLayout {
  ProblemForm form = ProblemForm::reduced;
  int spacedim = 0;    // 0: a mixture, described by cones/
  int contacts = 0;    // cones before the equalities
  int equalities = 0;  // free cones of dimension 1 behind the contacts

  bool mixed() const { return spacedim == 0; }
  bool rolling() const { return spacedim == 5; }
  std::string group() const;
};

// The layout that holds these cones without loss.
FclibLayout choose_layout(const ProblemData& problem);

// The cone of one contact; dim 1, 2, 3 or 5.
Cone make_contact_cone(int dim, double mu, double mu_r);

// R+, Coulomb's cone or the rolling cone: those that `dim`, mu and mu_r describe.
bool is_contact_cone(const Cone& cone);

}  // namespace clack
