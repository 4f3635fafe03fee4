// Small problems of every kind that a file can hold, and comparisons to the last bit.
#pragma once

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "clack/io/problems/problem_file.hpp"
#include "tests/folder.hpp"

namespace clack::test {

inline std::string shared_problems() { return CLACK_SHARED_DIR "/problems"; }

inline Vector test_values(std::mt19937& random, Eigen::Index size) {
  std::uniform_real_distribution<double> value(-1, 1);
  return Vector::NullaryExpr(size, [&] { return value(random) / 3; });
}

inline SparseMatrix test_matrix(std::mt19937& random, Eigen::Index rows, Eigen::Index cols) {
  std::uniform_real_distribution<double> value(-1, 1);
  const Matrix dense =
      Matrix::NullaryExpr(rows, cols, [&] { return value(random) > 0 ? value(random) / 3 : 0.0; });
  return dense.sparseView();
}

inline ProblemData reduced_problem(unsigned seed, const std::vector<Cone>& cones,
                                   bool symmetric = false) {
  std::mt19937 random(seed);
  Eigen::Index rows = 0;
  for (const Cone& cone : cones) rows += cone.dim();
  SparseMatrix W = test_matrix(random, rows, rows);
  if (symmetric) W = (W + SparseMatrix(W.transpose())).eval();
  ProblemData problem = make_reduced_problem(cones, W, test_values(random, rows));
  problem.title = "title";
  problem.description = "made for a test";
  problem.math_info = "none";
  return problem;
}

inline ProblemData global_problem(unsigned seed, const std::vector<Cone>& cones) {
  std::mt19937 random(seed);
  Eigen::Index rows = 0;
  for (const Cone& cone : cones) rows += cone.dim();
  constexpr Eigen::Index kDof = 7;
  SparseMatrix M = test_matrix(random, kDof, kDof);
  for (int i = 0; i < kDof; ++i) M.coeffRef(i, i) += 5;
  return make_global_problem(cones, M, test_matrix(random, kDof, rows), test_values(random, kDof),
                             test_values(random, rows));
}

inline std::vector<Cone> coulomb_cones(int dim) {
  return {Cone::coulomb(dim, 0.1), Cone::coulomb(dim, 0.0), Cone::coulomb(dim, 1.0 / 3)};
}
inline std::vector<Cone> rolling_cones() {
  return {Cone::rolling(0.1, 0.02), Cone::rolling(0.7, 0.0)};
}
inline std::vector<Cone> lcp_cones() { return std::vector<Cone>(4, Cone::nonnegative()); }
inline std::vector<Cone> mlcp_cones() {
  return {Cone::free(1), Cone::free(1), Cone::nonnegative(), Cone::nonnegative(), Cone::free(1)};
}
inline std::vector<Cone> all_cones() {
  return {Cone::free(6),           Cone::coulomb(3, 0.5), Cone::nonnegative(),
          Cone::rolling(0.2, 0.1), Cone::coulomb(2, 0.4), Cone::free(1)};
}

// Cones that neither FCLIB nor Siconos has.
inline std::vector<Cone> rich_cones() {
  return {Cone::discs({{3, 0.5}}), Cone::discs({{2, 0.5}, {1, 0.1}, {2, 0.0}}),
          Cone::free(4),           Cone::discs({{1, 0.5}, {1, 0.1}}),
          Cone::coulomb(3, 0.5),   Cone::nonnegative()};
}

struct NamedProblem {
  std::string name;
  ProblemData problem;
};

// What both formats hold.
inline std::vector<NamedProblem> common_problems() {
  return {{"local2", reduced_problem(1, coulomb_cones(2))},
          {"local3", reduced_problem(2, coulomb_cones(3))},
          {"rolling", reduced_problem(3, rolling_cones())},
          {"lcp", reduced_problem(4, lcp_cones())},
          {"mlcp", reduced_problem(5, mlcp_cones())},
          {"global2", global_problem(6, coulomb_cones(2))},
          {"global3", global_problem(7, coulomb_cones(3))},
          {"global_rolling", global_problem(8, rolling_cones())},
          {"global_no_contact", global_problem(9, {})}};
}

inline std::uint64_t bits(double value) { return std::bit_cast<std::uint64_t>(value); }

template <class Values>
void expect_same_bits(const char* name, const Values& a, const Values& b) {
  ASSERT_EQ(a.size(), b.size()) << name;
  for (decltype(a.size()) i = 0; i < a.size(); ++i) {
    ASSERT_EQ(bits(a[i]), bits(b[i])) << name << "[" << i << "]";
  }
}

inline void expect_same_matrix(const char* name, const SparseMatrix& a, const SparseMatrix& b) {
  ASSERT_EQ(a.rows(), b.rows()) << name;
  ASSERT_EQ(a.cols(), b.cols()) << name;
  ASSERT_EQ(a.nonZeros(), b.nonZeros()) << name;
  for (int j = 0; j < a.outerSize(); ++j) {
    SparseMatrix::InnerIterator other(b, j);
    for (SparseMatrix::InnerIterator entry(a, j); entry; ++entry, ++other) {
      ASSERT_EQ(entry.row(), other.row()) << name;
      ASSERT_EQ(bits(entry.value()), bits(other.value())) << name;
    }
  }
}

inline void expect_same_cones(const std::vector<Cone>& a, const std::vector<Cone>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    ASSERT_EQ(a[i].dim(), b[i].dim()) << i;
    ASSERT_EQ(a[i].is_free(), b[i].is_free()) << i;
    ASSERT_TRUE(a[i] == b[i]) << i;
    for (int k = 0; k < a[i].disc_count(); ++k) {
      ASSERT_EQ(bits(a[i].disc(k).radius), bits(b[i].disc(k).radius)) << i;
    }
  }
}

// Everything but the texts. `same_blocks`: also which blocks are stored.
inline void expect_same_problem(const ProblemData& a, const ProblemData& b,
                                bool same_blocks = true) {
  ASSERT_EQ(a.form, b.form);
  expect_same_cones(a.cones, b.cones);
  ASSERT_EQ(a.offset, b.offset);
  if (a.form == ProblemForm::reduced) {
    if (same_blocks) expect_same_matrix("W", a.W.to_sparse(), b.W.to_sparse());
    ASSERT_EQ(Matrix(a.W.to_sparse()), Matrix(b.W.to_sparse()));
    expect_same_bits("u_free", a.u_free, b.u_free);
    return;
  }
  expect_same_matrix("M", a.M, b.M);
  expect_same_matrix("H", a.H, b.H);
  expect_same_bits("f", a.f, b.f);
  expect_same_bits("w", a.w, b.w);
}

}  // namespace clack::test
