// A linear system as its contacts see it, harmonic by harmonic:
//
//     Z_k = K - (k omega)^2 M + i k omega C,   y_k = y_free,k + S_k lambda_k,
//     S_k = H'Z_k^-1 H,   y_free,k = H'Z_k^-1 f_k + g_k                        (eq:contact_response)
//
// y by row of H: gaps and tangential displacements [m]; g what contacts have of their own.
#pragma once

#include <complex>
#include <memory>
#include <vector>

#include "clack/analyse/harmonic/fourier_basis.hpp"
#include "clack/model/system.hpp"

namespace clack {

using ComplexMatrix = Eigen::MatrixXcd;
using ComplexVector = Eigen::VectorXcd;

// What drives a system, as Fourier coefficients over a period.
struct HarmonicDrive {
  Matrix f;      // nv x size [N]
  Matrix g;      // rows x size: gaps of q = 0, tangential displacements less their drift [m]
  Vector drift;  // rows: by which tangents move on in a period [m]
};

class LinearStructure {
 public:
  // Throws InputError, in words of mechanics, where the system has no harmonic balance.
  explicit LinearStructure(std::shared_ptr<const System> system);

  const System& system() const { return *system_; }
  const std::vector<Contact>& contacts() const { return contacts_; }
  int row(int contact) const { return row_begin_[static_cast<std::size_t>(contact)]; }
  bool is_tangent(int row) const { return tangent_[static_cast<std::size_t>(row)]; }
  int nv() const { return system_->nv(); }
  int rows() const { return static_cast<int>(H_.cols()); }
  bool is_damped() const { return damped_; }
  bool has_friction() const;
  // Whether forces, gaps and drives are the same after `time`; with some 20 times looked at.
  bool comes_back_after(double time) const;
  bool is_constant() const { return constant_; }           // as above, after any time
  double contact_stiffness() const { return stiffness_; }  // kappa, of the static response [N/m]
  // Whether mass moves with the normal of a contact: its closing is an impact.
  bool has_mass(int contact) const;

  HarmonicDrive drive(double period, const FourierBasis& basis) const;
  // V = Z^-1 (H, f) at an angular frequency (k omega) [rad/s].
  ComplexMatrix solve(double frequency, const ComplexVector& f) const;
  ComplexMatrix project(const ComplexMatrix& V) const { return H_.transpose() * V; }

 private:
  void check_contacts() const;
  Vector motion_at(double t) const;  // gaps and tangential drives, by row
  Vector forces_at(double t) const;
  template <class Scalar>
  ComplexMatrix solve_as(double frequency, const ComplexMatrix& B) const;

  std::shared_ptr<const System> system_;
  std::vector<Contact> contacts_;
  std::vector<int> row_begin_;
  std::vector<bool> tangent_;
  SparseMatrix M_, C_, K_;
  Matrix H_;
  bool damped_ = false, constant_ = false;
  double stiffness_ = 1;
};

}  // namespace clack
