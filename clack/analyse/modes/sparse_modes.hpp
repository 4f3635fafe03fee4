// The lowest modes of large sparse systems with constraints,
//
//     K x = omega^2 M x + E mu,   E'x = 0,   x'M x = 1
//
// by Lanczos' method on x -> P (K - sigma M)^-1 M x with sigma below the lowest eigenvalue; one
// factorisation of [K - sigma M, E; E', 0]. M may be singular: coordinates without mass follow.
#pragma once

#include <string>

#include "clack/core/system_matrix.hpp"

namespace clack {

struct SparseModes {
  Vector omega_squared;  // ascending [rad^2/s^2]
  Matrix shapes;         // nv x modes, mass-normalised
  bool converged = false;
  std::string note;  // why there are none
};

// `E`: nv x constraints, may have no columns.
SparseModes compute_sparse_modes(const SparseMatrix& M, const SparseMatrix& K,
                                 const SparseMatrix& E, int count);

}  // namespace clack
