// Contact forces and the motion of contacts as functions of one unknown per harmonic. Where
// k omega is an eigenvalue S_k has no bound, where the contact stands still its inverse has none;
// so the unknowns are
//
//     s_k = a_k lambda_k + b_k (y_k - y_free,k),   a = cos theta, b = kappa sin theta,
//     lambda_k = (a_k + b_k S_k)^-1 s_k,   y_k = y_free,k + S_k lambda_k        (eq:scaled_force)
//
// with theta = atan(kappa S_k) (of its symmetric part) at the frequency about which the equations
// are built: both remain bounded beside it.
#pragma once

#include "clack/analyse/harmonic/linear_structure.hpp"

namespace clack {

struct ResponseChart {
  std::vector<Matrix> a, b;  // by harmonic, rows x rows
};

// Forces lambda = A_force s, motion y = A_motion s + y_free, all coefficients row by row of H.
struct ContactResponse {
  Matrix A_force, A_motion;
  Vector y_free, drift;
};

class ResponseMaker {
 public:
  ResponseMaker(const LinearStructure& structure, const FourierBasis& basis)
      : structure_(structure), basis_(basis) {}

  ResponseChart chart(double omega) const;
  ContactResponse response(double omega, const ResponseChart& chart) const;
  // Coefficients of s from those of forces and motion.
  Vector unknowns(const ResponseChart& chart, const ContactResponse& response, const Vector& force,
                  const Vector& motion) const;
  // Coefficients of q (nv x full size) under these forces.
  Matrix coordinates(double omega, const Vector& force) const;

 private:
  int at(int row, int b) const { return row * basis_.size() + b; }
  ComplexMatrix amplitudes(const Matrix& coefficients) const;  // as complex columns by harmonic
  void put(int k, const ComplexMatrix& part, Matrix& A) const;
  HarmonicDrive drive(double omega) const;

  const LinearStructure& structure_;
  const FourierBasis& basis_;
};

}  // namespace clack
