#include "clack/io/scene/linear_matrices.hpp"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <Eigen/SparseCholesky>
#include <cmath>
#include <filesystem>

#include "clack/io/tables/matrix_market.hpp"

namespace clack {
namespace {

constexpr double kSymmetric = 1e-12;  // relative to the largest entry
constexpr const char* kNegative =
    "is not positive definite; no motion may have a negative kinetic energy";

SparseMatrix load_matrix(const Field& field, const Vocabulary& vocabulary,
                         const std::string& name) {
  const auto& own = vocabulary.objects.tables;
  if (const auto given = own.find(name); given != own.end())
    return to_sparse_matrix(given->second, name);
  return read_matrix_market((std::filesystem::path(field.folder()) / name).string());
}

std::string count(int n) { return n < 0 ? std::string("any number of") : fmt::format("{}", n); }

}  // namespace

bool is_matrix_file(const Field& field) {
  return field.is_map() && field.find("file") && field.entries().size() == 1;
}

std::optional<SparseMatrix> read_matrix_file(const Field& field, const Vocabulary& vocabulary,
                                             int rows, int columns) {
  const auto file = field.require("file", "a Matrix Market file");
  const auto name = file ? file->text("the name of a Matrix Market file") : std::nullopt;
  if (!name) return std::nullopt;
  try {
    SparseMatrix matrix = load_matrix(field, vocabulary, *name);
    const bool fits =
        (rows < 0 || matrix.rows() == rows) && (columns < 0 || matrix.cols() == columns);
    if (fits) return matrix;
    file->complain(fmt::format("'{}' is {} x {}; expected {} rows and {} columns", *name,
                               matrix.rows(), matrix.cols(), count(rows), count(columns)));
  } catch (const InputError& error) {
    file->complain(error.what());
  } catch (const IoError& error) {
    file->complain(error.what());
  }
  return std::nullopt;
}

std::optional<SparseMatrix> read_sparse_matrix(const Field& field, Vocabulary& vocabulary, int rows,
                                               int columns) {
  if (is_matrix_file(field)) return read_matrix_file(field, vocabulary, rows, columns);
  const std::optional<Matrix> matrix = vocabulary.matrix(field, rows, columns);
  if (!matrix) return std::nullopt;
  return SparseMatrix(matrix->sparseView(0.0, 0.0));
}

bool check_mass_matrix(const Field& field, const Matrix& M) {
  const double scale = M.cwiseAbs().maxCoeff();
  if ((M - M.transpose()).cwiseAbs().maxCoeff() > kSymmetric * scale) {
    field.complain("is not symmetric; a mass matrix must be");
    return false;
  }
  const Vector pivots = Eigen::LDLT<Matrix>(M).vectorD();
  if (pivots.minCoeff() >= -kSymmetric * scale) return true;
  field.complain(kNegative);
  return false;
}

bool check_mass_matrix(const Field& field, const SparseMatrix& M) {
  double scale = 0;
  for (int k = 0; k < M.nonZeros(); ++k) scale = std::max(scale, std::abs(M.valuePtr()[k]));
  const SparseMatrix difference = M - SparseMatrix(M.transpose());
  for (int j = 0; j < difference.outerSize(); ++j) {
    for (SparseMatrix::InnerIterator it(difference, j); it; ++it) {
      if (std::abs(it.value()) <= kSymmetric * scale) continue;
      field.complain(fmt::format(
          "is not symmetric, ({0}, {1}) is {2} and ({1}, {0}) is {3}; a mass matrix must be",
          it.row() + 1, j + 1, M.coeff(it.row(), j), M.coeff(j, it.row())));
      return false;
    }
  }
  Eigen::SimplicialLDLT<SparseMatrix> factor;
  factor.setShift(kSymmetric * (scale > 0 ? scale : 1));  // a singular matrix is factorised too
  factor.compute(M);
  if (factor.info() == Eigen::Success && factor.vectorD().minCoeff() >= 0) return true;
  field.complain(kNegative);
  return false;
}

}  // namespace clack
