// Floquet multipliers: the eigenvalues of the derivative of a motion over its period (eq:monodromy),
// on those changes of the start that constraints and closed contacts allow.
#pragma once

#include <complex>
#include <vector>

#include "clack/core/types.hpp"

namespace clack {

struct Multipliers {
  std::vector<std::complex<double>> values;  // largest modulus first
  int trivial = 0;                           // how many of them are +1 whatever the orbit
  double trivial_error = 0;                  // how far those are from +1
  double largest = 0;                        // modulus of the others
  bool stable = false;                       // no other lies outside the unit circle
};

// `basis` (2 nv x m, orthonormal): allowed changes. `trivial`: 1 for autonomous motions (shift in
// time), 2 for conservative ones (also the energy).
Multipliers compute_multipliers(const Matrix& monodromy, const Matrix& basis, int trivial);

// The part of span(basis) without the directions of some coordinates.
Matrix without_coordinates(const Matrix& basis, const std::vector<int>& coordinates);

}  // namespace clack
