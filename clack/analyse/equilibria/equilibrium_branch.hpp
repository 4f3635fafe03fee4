// Branches of equilibria over a parameter, by pseudo-arclength through limit points and changes of
// contact:
//
//     a(q; p) = 0,   gap_E(q; p) = 0,   t . (X - X_predicted) = 0,   X = (q, p)
//                                                                         (eq:equilibrium_branch)
//
// A contact closes where its gap becomes zero and opens where its force does; both are located, and
// the branch goes on in the direction in which the force, or the gap, grows from there: at a stop a
// path that came down may go up again.
#pragma once

#include "clack/analyse/equilibria/equilibrium.hpp"

namespace clack {

enum class EquilibriumKind {
  regular,
  fold,        // limit point: the branch turns back in its parameter
  closes,      // a contact begins to carry
  opens,       // a contact carries no more
  divergence,  // a real eigenvalue passes zero, and it is no fold
  flutter,     // a complex pair begins, or ends, to grow
  end
};
const std::vector<std::string>& equilibrium_kind_names();

struct EquilibriumBranchOptions {
  double low = 0, high = 0;  // of the parameter
  int direction = 1;         // of the parameter at the start
  double step = 0.02;        // first one, over the scale of q and the range of the parameter
  double min_step = 1e-9, max_step = 0.05;
  int max_points = 2000;

  void validate() const;  // throws InputError
};

struct EquilibriumPoint {
  Equilibrium equilibrium;
  double arclength = 0;
  EquilibriumKind kind = EquilibriumKind::regular;
  int contact = -1;  // that closes or opens
};

struct EquilibriumBranch {
  Status status = Status::not_run;
  std::string stop;  // why it ended, in words
  std::vector<EquilibriumPoint> points;
};

EquilibriumBranch continue_equilibrium(const EquilibriumProblem& problem, const Equilibrium& start,
                                       const EquilibriumBranchOptions& options);

}  // namespace clack
