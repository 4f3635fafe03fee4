// Equilibria and steady sliding with unilateral contacts: v = 0, and
//
//     a(q) = 0,   gap_E(q) = 0,   lambda_N >= 0 of closed contacts,   gap >= 0 of open ones
//                                                                                (eq:equilibrium)
//
// a and lambda are those of the motion with fixed contacts (eq:fixed_contacts) at rest, so that
// constraints hold and a closed contact whose surface moves (a belt) slides with its friction
// mu lambda_N against the slip. Small motions about it obey dz' = A dz on the changes that closed
// contacts allow; the eigenvalues s of A there tell whether they grow: s = 0 at a limit load,
// a complex pair with Re s > 0 is flutter (mode coupling, brake squeal).
// Contacts with friction that do not slide are refused: equilibria under stick are not isolated.
#pragma once

#include <complex>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "clack/core/status.hpp"
#include "clack/model/system.hpp"

namespace clack {

struct EquilibriumProblem {
  std::function<std::shared_ptr<const System>(double parameter)> system;
  double t = 0;              // at which forces and gaps are taken [s]
  double tolerance = 1e-11;  // of the last step of Newton's method, over the size of q
  int max_iterations = 40;
};

struct Equilibrium {
  Status status = Status::not_run;
  std::string note;  // why there is none, in words
  double parameter = 0;
  Vector q;
  std::vector<char> closed;                       // by contact; constraints are always closed
  Vector gap;                                     // by contact [m]
  Vector force;                                   // normal, by contact [N]
  std::vector<std::complex<double>> eigenvalues;  // largest real part first [1/s]
  double growth = 0;                              // that part [1/s]
  double frequency = 0;                           // |Im s| of the same one [rad/s]
  bool stable = false;                            // growth is zero but for round-off, or negative

  bool good() const { return status == Status::converged; }
};

// The equations at one value of the parameter, with a given set of closed contacts.
class EquilibriumEquations {
 public:
  // Throws InputError for a system whose equilibria are not defined here.
  EquilibriumEquations(const EquilibriumProblem& problem, double parameter);
  ~EquilibriumEquations();

  int contacts() const;
  // a(q), then gaps of closed contacts and constraints; false where they have no value.
  [[nodiscard]] bool residual(const Vector& q, const std::vector<char>& closed, Vector& F);
  // Gaps and normal forces of all contacts at q, as residual has left them.
  [[nodiscard]] bool read(const Vector& q, const std::vector<char>& closed, Vector& gap,
                          Vector& force);
  // Sets the eigenvalues, growth and stability of an equilibrium with q, closed and force.
  [[nodiscard]] bool judge(Equilibrium& found);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

// Newton's method from a guess; closed contacts are those with gap <= 0 there, then what pulls is
// opened and what penetrates is closed until neither is left.
Equilibrium find_equilibrium(const EquilibriumProblem& problem, double parameter,
                             const Vector& guess);

// The size that changes of q are compared with.
double equilibrium_scale(const Vector& q);

}  // namespace clack
