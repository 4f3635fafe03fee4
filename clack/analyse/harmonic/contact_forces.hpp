// Contact forces of a periodic motion in time, from series of forces and motion that are to agree
// with the laws (dynamic Lagrangian, Nacivet 2003):
//
//     lambda_N = max(0, lambda~_N - eps y_N)
//     lambda_T = proj of lambda~_T - eps y_T'/omega on the disc of radius mu lambda_N
//                                                                       (eq:dynamic_lagrangian)
//
// sample by sample. Constraints: lambda = lambda~ - eps y. At a solution lambda = lambda~, so that
// eps drops out as harmonics and samples grow: it is no stiffness of the contact.
#pragma once

#include <vector>

#include "clack/analyse/harmonic/linear_structure.hpp"

namespace clack {

// Samples by row of H and their derivatives by the unknowns.
struct ForceSamples {
  Matrix value;                    // samples x rows
  std::vector<Matrix> derivative;  // by row: samples x unknowns; empty where not asked for
};

// `trial`: what is projected.
ForceSamples compute_contact_forces(const LinearStructure& structure, const ForceSamples& trial);

}  // namespace clack
