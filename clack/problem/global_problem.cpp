#include "clack/problem/global_problem.hpp"

#include <fmt/format.h>

#include <Eigen/SparseCholesky>
#include <Eigen/SparseLU>
#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>
#include <variant>

#include "clack/core/components.hpp"
#include "clack/core/error.hpp"
#include "clack/problem/residual.hpp"

namespace clack {
namespace {

constexpr std::size_t kDenseLimit = 128;  // components up to this size are factorised densely
constexpr int kSolveColumns = 64;         // right-hand sides solved at once with a sparse factor
constexpr double kSymmetry = 1e-14;       // relative; looser would hide a gyroscopic part

std::size_t at(Eigen::Index i) { return static_cast<std::size_t>(i); }

// The degrees of freedom of each component of M.
std::vector<std::vector<int>> find_components(const SparseMatrix& M) {
  Components components;
  components.reset(at(M.rows()));
  for (int j = 0; j < M.cols(); ++j) {
    for (SparseMatrix::InnerIterator entry(M, j); entry; ++entry) {
      if (entry.value() != 0) components.join(static_cast<int>(entry.row()), j);
    }
  }
  return components.lists();
}

// The rows and columns of one component, with local indices. Stored zeros may lead out of it.
template <class Put>
void extract(const SparseMatrix& M, const std::vector<int>& dof, const std::vector<int>& local,
             const Put& put) {
  for (std::size_t j = 0; j < dof.size(); ++j) {
    for (SparseMatrix::InnerIterator entry(M, dof[j]); entry; ++entry) {
      if (entry.value() != 0) put(local[at(entry.row())], static_cast<int>(j), entry.value());
    }
  }
}

Matrix extract_dense(const SparseMatrix& M, const std::vector<int>& dof,
                     const std::vector<int>& local) {
  const auto n = static_cast<Eigen::Index>(dof.size());
  Matrix part = Matrix::Zero(n, n);
  extract(M, dof, local, [&](int i, int j, double value) { part(i, j) = value; });
  return part;
}

SparseMatrix extract_sparse(const SparseMatrix& M, const std::vector<int>& dof,
                            const std::vector<int>& local) {
  std::vector<Triplet> triplets;
  extract(M, dof, local, [&](int i, int j, double v) { triplets.emplace_back(i, j, v); });
  const auto n = static_cast<Eigen::Index>(dof.size());
  SparseMatrix part(n, n);
  part.setFromTriplets(triplets.begin(), triplets.end());
  return part;
}

bool is_symmetric(const SparseMatrix& M) {
  const SparseMatrix transposed = M.transpose();
  const SparseMatrix difference = M - transposed;
  const auto largest = [](const SparseMatrix& A) {
    return A.nonZeros() > 0 ? A.coeffs().abs().maxCoeff() : 0.0;
  };
  return largest(difference) <= kSymmetry * largest(M);
}

using RowSparse = Eigen::SparseMatrix<double, Eigen::RowMajor>;

// The columns in which these rows have an entry, ascending.
std::vector<int> touched_columns(const RowSparse& H, const std::vector<int>& rows) {
  std::vector<int> columns;
  for (const int i : rows) {
    for (RowSparse::InnerIterator entry(H, i); entry; ++entry) {
      if (entry.value() != 0) columns.push_back(static_cast<int>(entry.col()));
    }
  }
  std::ranges::sort(columns);
  columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
  return columns;
}

// A pivot that is rounding noise beside the largest entry of its own column means a singular
// block; entries of different columns have different units (mass and inertia) and do not compare.
bool is_singular(const Eigen::PartialPivLU<Matrix>& lu, const Matrix& M) {
  for (Eigen::Index i = 0; i < M.cols(); ++i) {
    if (!(std::abs(lu.matrixLU()(i, i)) > 1e-14 * M.col(i).cwiseAbs().maxCoeff())) return true;
  }
  return false;
}

}  // namespace

struct MassInverse::Part {
  using SparseCholesky = Eigen::SimplicialLDLT<SparseMatrix>;
  using SparseLu = Eigen::SparseLU<SparseMatrix>;
  std::vector<int> dof;
  std::variant<Eigen::LLT<Matrix>, Eigen::PartialPivLU<Matrix>, std::unique_ptr<SparseCholesky>,
               std::unique_ptr<SparseLu>>
      factor;

  // local: the index of each degree of freedom within its component.
  Part(const SparseMatrix& M, std::vector<int> all_dof, const std::vector<int>& local);
  void factorise_dense(const Matrix& M);
  void factorise_sparse(const SparseMatrix& M);
  Matrix solve(const Matrix& b) const;
  // B' M^-1 B for the rows of this component of k columns, exactly symmetric if M is.
  Matrix congruence(Matrix B) const;
  [[noreturn]] void fail() const {
    throw InputError(fmt::format("M is singular: the component of degree of freedom {} ({} in all)",
                                 dof.front(), dof.size()));
  }
};

MassInverse::Part::Part(const SparseMatrix& M, std::vector<int> all_dof,
                        const std::vector<int>& local)
    : dof(std::move(all_dof)) {
  if (dof.size() <= kDenseLimit) {
    factorise_dense(extract_dense(M, dof, local));
  } else {
    factorise_sparse(extract_sparse(M, dof, local));
  }
}

void MassInverse::Part::factorise_dense(const Matrix& M) {
  const double asymmetry = (M - M.transpose()).cwiseAbs().maxCoeff();
  if (asymmetry <= kSymmetry * M.cwiseAbs().maxCoeff()) {
    const auto& cholesky = factor.emplace<Eigen::LLT<Matrix>>(M);
    if (cholesky.info() == Eigen::Success) return;
  }
  if (is_singular(factor.emplace<Eigen::PartialPivLU<Matrix>>(M), M)) fail();
}

void MassInverse::Part::factorise_sparse(const SparseMatrix& M) {
  if (is_symmetric(M)) {
    auto cholesky = std::make_unique<SparseCholesky>(M);
    const bool positive = cholesky->info() == Eigen::Success && cholesky->vectorD().minCoeff() > 0;
    if (positive) {
      factor = std::move(cholesky);
      return;
    }
  }
  auto lu = std::make_unique<SparseLu>(M);
  if (lu->info() != Eigen::Success) fail();
  factor = std::move(lu);
}

Matrix MassInverse::Part::solve(const Matrix& b) const {
  if (const auto* cholesky = std::get_if<0>(&factor)) return cholesky->solve(b);
  if (const auto* lu = std::get_if<1>(&factor)) return lu->solve(b);
  if (const auto* cholesky = std::get_if<2>(&factor)) return (*cholesky)->solve(b);
  return std::get<3>(factor)->solve(b);
}

Matrix MassInverse::Part::congruence(Matrix B) const {
  Matrix W = Matrix::Zero(B.cols(), B.cols());
  if (const auto* cholesky = std::get_if<0>(&factor)) {
    cholesky->matrixL().solveInPlace(B);
    W.selfadjointView<Eigen::Lower>().rankUpdate(B.transpose());
    W.triangularView<Eigen::StrictlyUpper>() = W.transpose();
    return W;
  }
  for (Eigen::Index begin = 0; begin < B.cols(); begin += kSolveColumns) {
    const Eigen::Index count = std::min<Eigen::Index>(kSolveColumns, B.cols() - begin);
    W.middleCols(begin, count).noalias() = B.transpose() * solve(B.middleCols(begin, count));
  }
  if (factor.index() == 2) W = (0.5 * (W + W.transpose())).eval();
  return W;
}

MassInverse::~MassInverse() = default;
MassInverse::MassInverse(MassInverse&&) noexcept = default;
MassInverse& MassInverse::operator=(MassInverse&&) noexcept = default;

MassInverse::MassInverse(const SparseMatrix& M) : size_(static_cast<int>(M.rows())) {
  if (M.rows() != M.cols()) {
    throw InputError(fmt::format("M is {} x {}; it must be square", M.rows(), M.cols()));
  }
  std::vector<std::vector<int>> components = find_components(M);
  std::vector<int> local(at(size_));
  for (const auto& dof : components) {
    for (std::size_t k = 0; k < dof.size(); ++k) local[at(dof[k])] = static_cast<int>(k);
  }
  parts_.reserve(components.size());
  for (auto& dof : components) {
    parts_.push_back(std::make_unique<Part>(M, std::move(dof), local));
  }
}

Vector MassInverse::solve(const Vector& b) const {
  if (b.size() != size_) {
    throw InputError(
        fmt::format("the right-hand side has {} entries; {} are needed", b.size(), size_));
  }
  Vector x(size_);
  for (const auto& part : parts_) x(part->dof) = part->solve(b(part->dof)).col(0);
  return x;
}

SparseMatrix MassInverse::congruence(const SparseMatrix& H) const {
  if (H.rows() != size_) {
    throw InputError(fmt::format("H has {} rows; {} are needed", H.rows(), size_));
  }
  const RowSparse rows(H);
  std::vector<Triplet> triplets;
  std::vector<int> local(at(H.cols()));
  for (const auto& part : parts_) {
    const std::vector<int> columns = touched_columns(rows, part->dof);
    if (columns.empty()) continue;
    for (std::size_t k = 0; k < columns.size(); ++k) local[at(columns[k])] = static_cast<int>(k);
    const auto height = static_cast<Eigen::Index>(part->dof.size());
    Matrix B = Matrix::Zero(height, static_cast<Eigen::Index>(columns.size()));
    for (Eigen::Index i = 0; i < height; ++i) {
      for (RowSparse::InnerIterator entry(rows, part->dof[at(i)]); entry; ++entry) {
        if (entry.value() != 0) B(i, local[at(entry.col())]) = entry.value();
      }
    }
    const Matrix W = part->congruence(std::move(B));
    for (Eigen::Index j = 0; j < W.cols(); ++j) {
      for (Eigen::Index i = 0; i < W.rows(); ++i) {
        if (W(i, j) != 0) triplets.emplace_back(columns[at(i)], columns[at(j)], W(i, j));
      }
    }
  }
  SparseMatrix W(H.cols(), H.cols());
  W.setFromTriplets(triplets.begin(), triplets.end());
  W.prune([](Eigen::Index, Eigen::Index, double value) { return value != 0; });
  return W;
}

ProblemData reduce(const ProblemData& global) {
  if (global.form != ProblemForm::global) {
    throw InputError(fmt::format("problem '{}' is in reduced form already", global.name));
  }
  global.validate();
  const MassInverse inverse(global.M);
  const SparseMatrix W = inverse.congruence(global.H);
  Vector u_free = global.H.transpose() * inverse.solve(global.f) + global.w;
  ProblemData reduced = make_reduced_problem(global.cones, W, std::move(u_free));
  reduced.name = global.name;
  reduced.title = global.title;
  reduced.description = global.description;
  reduced.math_info = global.math_info;
  return reduced;
}

Vector recover_velocity(const ProblemData& global, const double* r) {
  assert(global.form == ProblemForm::global && (r != nullptr || global.dimension() == 0));
  const ConstVectorMap impulse(r, global.dimension());
  return MassInverse(global.M).solve(global.H * impulse + global.f);
}

GlobalResidual compute_global_residual(const ProblemData& problem, const double* r,
                                       const double* v) {
  constexpr double kTiny = 1.5e-8;  // below it a vector counts as zero and nothing is divided
  assert(problem.form == ProblemForm::global && v != nullptr);
  assert(r != nullptr || problem.dimension() == 0);
  const ConstVectorMap impulse(r, problem.dimension());
  const ConstVectorMap velocity(v, problem.dof());
  const Vector Hr = problem.H * impulse;
  const Vector Mv = problem.M * velocity;
  const Vector u = problem.H.transpose() * velocity + problem.w;

  GlobalResidual result;
  result.dynamics = (Hr + problem.f - Mv).norm();
  const double force = std::max({problem.f.norm(), Mv.norm(), Hr.norm()});
  if (force > kTiny) result.dynamics /= force;

  double sum = 0;
  for (int c = 0; c < problem.contacts(); ++c) {
    const int begin = problem.offset[at(c)];
    const double natural = natural_map_norm(problem.cones[at(c)], r + begin, u.data() + begin, 1.0);
    sum += natural * natural;
  }
  result.contact = std::sqrt(sum);
  const double scale = std::max(u.norm(), impulse.norm());
  if (scale > kTiny) result.contact /= scale;
  return result;
}

}  // namespace clack
