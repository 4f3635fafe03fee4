#include "clack/analyse/modes/sparse_modes.hpp"

#include <Spectra/MatOp/SparseSymMatProd.h>
#include <Spectra/SymGEigsShiftSolver.h>
#include <Eigen/SparseLU>
#include <algorithm>
#include <cmath>

namespace clack {
namespace {

// y = (K - sigma M)^-1 x on the displacements that E leaves, as Spectra asks for it.
class ConstrainedInverse {
 public:
  using Scalar = double;

  ConstrainedInverse(const SparseMatrix& M, const SparseMatrix& K, const SparseMatrix& E)
      : M_(M), K_(K), E_(E) {}

  Eigen::Index rows() const { return K_.rows(); }
  Eigen::Index cols() const { return K_.cols(); }
  bool good() const { return factors_.info() == Eigen::Success; }

  void set_shift(const double& sigma) {
    const auto n = K_.rows(), m = E_.cols();
    const SparseMatrix A = K_ - sigma * M_;
    MatrixEntries entries;
    for (int j = 0; j < n; ++j) {
      for (SparseMatrix::InnerIterator it(A, j); it; ++it)
        entries.emplace_back(static_cast<int>(it.row()), j, it.value());
    }
    for (int j = 0; j < m; ++j) {
      for (SparseMatrix::InnerIterator it(E_, j); it; ++it) {
        entries.emplace_back(static_cast<int>(it.row()), static_cast<int>(n) + j, it.value());
        entries.emplace_back(static_cast<int>(n) + j, static_cast<int>(it.row()), it.value());
      }
    }
    SparseMatrix saddle(n + m, n + m);
    saddle.setFromTriplets(entries.begin(), entries.end());
    factors_.compute(saddle);
    right_ = Vector::Zero(n + m);
  }

  void perform_op(const double* in, double* out) const {
    right_.head(K_.rows()) = ConstVectorMap(in, K_.rows());
    VectorMap(out, K_.rows()) = factors_.solve(right_).head(K_.rows());
  }

 private:
  const SparseMatrix& M_;
  const SparseMatrix& K_;
  const SparseMatrix& E_;
  Eigen::SparseLU<SparseMatrix> factors_;
  mutable Vector right_;
};

}  // namespace

SparseModes compute_sparse_modes(const SparseMatrix& M, const SparseMatrix& K,
                                 const SparseMatrix& E, int count) {
  SparseModes result;
  ConstrainedInverse inverse(M, K, E);
  // Below zero by little of what one element has: free motions of the whole have a place too.
  const double unit = K.diagonal().cwiseAbs().maxCoeff() / M.diagonal().cwiseAbs().maxCoeff();
  const double sigma = -1e-9 * unit;
  inverse.set_shift(sigma);
  if (!inverse.good()) {
    result.note =
        "the stiffness cannot be factorised for the linear modes: constraints repeat "
        "each other, or a coordinate has neither mass nor stiffness";
    return result;
  }
  using Product = Spectra::SparseSymMatProd<double>;
  Product product(M);
  const int n = static_cast<int>(K.rows());
  const int basis = std::min(n, std::max(2 * count + 10, 30));
  Spectra::SymGEigsShiftSolver<ConstrainedInverse, Product, Spectra::GEigsMode::ShiftInvert> solver(
      inverse, product, count, basis, sigma);
  // A start among the allowed displacements, the same at each call.
  Vector start(n), allowed(n);
  for (int i = 0; i < n; ++i) start[i] = std::cos(1.0 + 0.7 * i) + 1.1;
  inverse.perform_op(Vector(M * start).data(), allowed.data());
  solver.init(allowed.data());
  solver.compute(Spectra::SortRule::LargestMagn, 1000, 1e-12, Spectra::SortRule::SmallestAlge);
  result.converged = solver.info() == Spectra::CompInfo::Successful;
  result.omega_squared = solver.eigenvalues();
  result.shapes = solver.eigenvectors();
  for (long j = 0; j < result.shapes.cols(); ++j) {
    Vector shape = result.shapes.col(j);
    const double size = std::sqrt(shape.dot(M * shape));
    Eigen::Index at = 0;
    shape.cwiseAbs().maxCoeff(&at);
    result.shapes.col(j) = shape * ((shape[at] < 0 ? -1 : 1) / size);
  }
  return result;
}

}  // namespace clack
