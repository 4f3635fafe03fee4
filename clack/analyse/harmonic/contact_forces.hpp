// Contact forces of a periodic motion in time, from series of forces and motion that are to agree
// with the laws (dynamic Lagrangian, Nacivet 2003):
//
//     lambda_N = max(0, lambda~_N - eps y_N)
//     lambda_T,j = proj_D(mu lambda_N) (lambda_T,j-1 + (lambda~_T - eps y_T)_j - (..)_j-1)
//                                                                       (eq:dynamic_lagrangian)
//
// at samples j of the period, the tangential ones marched over two periods. Constraints: lambda =
// lambda~ - eps y. At a solution lambda = lambda~, so that eps drops out as the samples and
// harmonics grow: no stiffness of the contact.
#pragma once

#include <vector>

#include "clack/analyse/harmonic/linear_structure.hpp"

namespace clack {

// Samples by row of H and their derivatives by the unknowns.
struct ForceSamples {
  Matrix value;                    // samples x rows
  std::vector<Matrix> derivative;  // by row: samples x unknowns; empty where not asked for
};

// `trial`: lambda~ - eps y. `drift`: by which y moves on in a period, times eps, by row.
ForceSamples compute_contact_forces(const LinearStructure& structure, const ForceSamples& trial,
                                    const Vector& drift);

}  // namespace clack
