#include "clack/problem/problem_data.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <limits>

#include "clack/core/error.hpp"

namespace clack {
namespace {

void require_size(const char* name, Eigen::Index actual, Eigen::Index expected) {
  if (actual == expected) return;
  throw InputError(fmt::format("{} has {} entries; {} are needed", name, actual, expected));
}

void require_shape(const char* name, const SparseMatrix& matrix, Eigen::Index rows,
                   Eigen::Index cols) {
  if (matrix.rows() == rows && matrix.cols() == cols) return;
  throw InputError(fmt::format("{} is {} x {}; it must be {} x {}", name, matrix.rows(),
                               matrix.cols(), rows, cols));
}

void require_finite(const char* name, double value) {
  if (std::isfinite(value)) return;
  throw InputError(fmt::format("{} has the value {}; only finite ones are allowed", name, value));
}

void require_finite(const char* name, std::span<const double> values) {
  for (const double value : values) require_finite(name, value);
}

void require_finite(const char* name, const SparseMatrix& matrix) {
  for (int j = 0; j < matrix.outerSize(); ++j) {
    for (SparseMatrix::InnerIterator entry(matrix, j); entry; ++entry) {
      require_finite(name, entry.value());
    }
  }
}

std::span<const double> values(const Vector& vector) {
  return {vector.data(), static_cast<std::size_t>(vector.size())};
}

}  // namespace

void ProblemData::set_cones(std::vector<Cone> all) {
  cones = std::move(all);
  offset.assign(1, 0);
  offset.reserve(cones.size() + 1);
  std::int64_t rows = 0;
  for (const Cone& cone : cones) {
    rows += cone.dim();
    if (rows > std::numeric_limits<int>::max()) throw InputError("the problem has too many rows");
    offset.push_back(static_cast<int>(rows));
  }
}

ReducedProblem ProblemData::view() const {
  if (form != ProblemForm::reduced) {
    throw InputError(fmt::format("problem '{}' is in global form; reduce it first", name));
  }
  return {&W, u_free.data(), cones, offset};
}

void ProblemData::validate() const {
  require_size("offset", static_cast<Eigen::Index>(offset.size()), contacts() + 1);
  if (form == ProblemForm::reduced) {
    require_size("W", W.size(), dimension());
    require_size("u_free", u_free.size(), dimension());
    require_finite("W", W.values());
    require_finite("u_free", values(u_free));
    return;
  }
  require_shape("M", M, dof(), dof());
  require_shape("H", H, dof(), dimension());
  require_size("f", f.size(), dof());
  require_size("w", w.size(), dimension());
  require_finite("M", M);
  require_finite("H", H);
  require_finite("f", values(f));
  require_finite("w", values(w));
}

ProblemData make_reduced_problem(std::vector<Cone> cones, const SparseMatrix& W, Vector u_free) {
  ProblemData data;
  data.form = ProblemForm::reduced;
  data.set_cones(std::move(cones));
  data.W = BlockSparse(W, data.offset);
  data.u_free = std::move(u_free);
  data.validate();
  return data;
}

ProblemData make_global_problem(std::vector<Cone> cones, SparseMatrix M, SparseMatrix H, Vector f,
                                Vector w) {
  ProblemData data;
  data.form = ProblemForm::global;
  data.set_cones(std::move(cones));
  data.M = std::move(M);
  data.H = std::move(H);
  data.f = std::move(f);
  data.w = std::move(w);
  data.validate();
  return data;
}

}  // namespace clack
