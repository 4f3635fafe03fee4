// Equations with one unknown more than equations, F(X) = 0, whose solutions form curves, and Newton's
// method on them with further equations ("pins") that pick one solution.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "clack/core/types.hpp"

namespace clack {

class PathEquations {
 public:
  virtual ~PathEquations() = default;

  virtual const Vector& scale() const = 0;  // of the unknowns
  virtual const Vector& start() const = 0;  // X that the equations were built about
  // F(X), and J = dF/dX by X over its scale; rows are without dimension. Returns why they have no
  // value, in words.
  [[nodiscard]] virtual std::string residual(const Vector& X, Vector& F) = 0;
  [[nodiscard]] virtual std::string jacobian(const Vector& X, Vector& F, Matrix& J) = 0;
  // Puts the reference of a phase condition to X, where there is one.
  virtual void set_reference(const Vector& /*X*/) {}
  // Whether `tangent` (over the scale) goes on as that of other equations did, X and their tangent:
  // the sign of what is returned.
  virtual double orientation(PathEquations& before, const Vector& /*X*/, const Vector& last_tangent,
                             const Vector& tangent) {
    return tangent.dot(last_tangent.cwiseProduct(before.scale()).cwiseQuotient(scale()));
  }
};

// One more equation: its value at X and its gradient by X over its scale.
using PathPin = std::function<double(const Vector& X, Vector& gradient)>;

struct NewtonResult {
  bool converged = false;
  std::string note;
  int iterations = 0;
  std::vector<double> history;  // largest scaled residual
};

// Newton's method with a line search on F(X) = 0 and the pins.
NewtonResult solve_path(PathEquations& equations, const std::vector<PathPin>& pins,
                        double tolerance, int max_iterations, Vector& X);

}  // namespace clack
