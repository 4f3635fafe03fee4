// Matrices and a system with contacts whose every number is known, for comparison with dense formulas.
#pragma once

#include <algorithm>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "clack/collide/detection.hpp"
#include "clack/model/system.hpp"

namespace clack::test {

inline Matrix random_matrix(std::mt19937& random, int rows, int columns) {
  std::normal_distribution<double> normal;
  Matrix A(rows, columns);
  for (int i = 0; i < A.size(); ++i) A.data()[i] = normal(random);
  return A;
}

inline Matrix random_mass(std::mt19937& random, int n) {
  const Matrix A = random_matrix(random, n, n);
  return A * A.transpose() / n + Matrix::Identity(n, n);
}

// Blocks on the diagonal of these sizes and nothing else, in an order that mixes their rows.
inline Matrix block_mass(std::mt19937& random, const std::vector<int>& sizes) {
  int n = 0;
  for (const int size : sizes) n += size;
  Matrix M = Matrix::Zero(n, n);
  int at = 0;
  for (const int size : sizes) {
    M.block(at, at, size, size) = random_mass(random, size);
    at += size;
  }
  Eigen::PermutationMatrix<Eigen::Dynamic> order(n);
  order.setIdentity();
  std::shuffle(order.indices().data(), order.indices().data() + n, random);
  return order * M * order.transpose();
}

// A chain of masses and springs: each coupled to the next, so that no blocks fall apart.
inline Matrix chain_matrix(int n) {
  Matrix K = Matrix::Zero(n, n);
  for (int i = 0; i < n; ++i) {
    K(i, i) = 3 + 0.1 * i;
    if (i + 1 < n) K(i, i + 1) = -1, K(i + 1, i) = -1.5;  // M_hat need not be symmetric
  }
  return K;
}

inline SystemMatrix as_matrix(const Matrix& A, bool sparse) {
  SystemMatrix result(static_cast<int>(A.rows()), sparse);
  if (sparse)
    result.set(SparseMatrix(A.sparseView(0.0, 0.0)));
  else
    result.dense() = A;
  return result;
}

inline ContactMap as_map(const Matrix& H, bool sparse) {
  ContactMap result(static_cast<int>(H.rows()), static_cast<int>(H.cols()), sparse);
  if (!sparse) {
    result.dense() = H;
    return result;
  }
  result.clear();
  for (int j = 0; j < H.cols(); ++j) {
    for (int i = 0; i < H.rows(); ++i) result.add(i, H(i, j));
    result.end_row();
  }
  return result;
}

// Constant M, H and w; no forces.
class KnownSystem final : public System {
 public:
  KnownSystem(Matrix M, Matrix H, Vector w, std::vector<Contact> contacts)
      : M_(std::move(M)), H_(std::move(H)), w_(std::move(w)) {
    contacts_ = std::move(contacts);
  }
  int nv() const override { return static_cast<int>(M_.rows()); }
  void mass(double, ConstVectorRef, MatrixRef M) const override { M = M_; }
  void forces(double, ConstVectorRef, ConstVectorRef, Forces& out) const override {
    for (Vector* x : {&out.potential, &out.inertial, &out.damping, &out.external}) x->setZero();
  }
  void contact_map(double, ConstVectorRef, MatrixRef H, VectorRef w) const override {
    H = H_;
    w = w_;
  }
  const Matrix& M() const { return M_; }
  const Matrix& H() const { return H_; }
  const Vector& w() const { return w_; }

 private:
  Matrix M_, H_;
  Vector w_;
};

inline Contact contact(int tangents, double e_n = 0, double e_t = 0, FrictionCoefficient mu = 0.0) {
  Contact result;
  result.name = "contact";
  result.tangents = tangents;
  result.law.e_n = e_n;
  result.law.e_t = e_t;
  result.law.mu = std::move(mu);
  return result;
}

inline Contact constraint() {
  Contact result;
  result.name = "constraint";
  result.bilateral = true;
  return result;
}

// H, w and u at the start of a step with velocity v.
inline Detection detect(ContactSet& contacts, ConstVectorRef v) {
  Detection detection(contacts);
  update_contact_map(contacts, 0, Vector::Zero(contacts.system().nq()), detection);
  update_velocities(v, detection);
  return detection;
}

}  // namespace clack::test
