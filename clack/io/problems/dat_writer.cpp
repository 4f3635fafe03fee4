#include "clack/io/problems/dat_writer.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "clack/core/error.hpp"
#include "clack/io/problems/fclib_layout.hpp"
#include "clack/io/text_buffer.hpp"

namespace clack {
namespace {

void put_vector(TextBuffer& out, const Vector& values) {
  for (const double value : values) put(out, "{:.16e} ", value);
  put(out, "\n");
}

void put_integers(TextBuffer& out, std::span<const int> values) {
  for (const int value : values) put(out, "{} ", value);
  put(out, "\n");
}

// Storage 0.
void put_dense(TextBuffer& out, const BlockSparse& W) {
  const int n = W.size();
  put(out, "0\n{0}\n{0}\n{0} {0}\n", n);
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < n; ++i) put(out, "{:.16e} ", W.coefficient(i, j));
    put(out, "\n");
  }
}

// Storage 1.
void put_blocks(TextBuffer& out, const BlockSparse& W) {
  const int n = W.block_rows();
  put(out, "1\n{0}\n{0}\n{1}\n{2}\n{2}\n", W.size(), W.block_count(), n);
  put_integers(out, W.offset().subspan(1));
  put_integers(out, W.offset().subspan(1));
  put(out, "{}\n{}\n", n + 1, W.block_count());
  put_integers(out, W.row_pointer());
  put_integers(out, W.columns());
  for (int k = 0; k < W.block_count(); ++k) {
    put(out, "{}\n", k);
    const std::ptrdiff_t size = std::ptrdiff_t{W.uniform_dim()} * W.uniform_dim();
    for (std::ptrdiff_t i = 0; i < size; ++i) put(out, "{:.16e}\n", W.block(k)[i]);
  }
}

// Storage 2, as triplets. The first line is what CSparse prints and Siconos skips.
void put_triplets(TextBuffer& out, const SparseMatrix& matrix) {
  put(out, "2\n{}\n{}\n1\n", matrix.rows(), matrix.cols());
  put(out, "CSparse Version 3.2.0, Sept 12, 2017.  Copyright (c) Timothy A. Davis, 2006-2016\n");
  put(out, "triplet: {}-by-{}, nzmax: {} nnz: {}\n", matrix.rows(), matrix.cols(),
      matrix.nonZeros(), matrix.nonZeros());
  for (int j = 0; j < matrix.outerSize(); ++j) {
    for (SparseMatrix::InnerIterator entry(matrix, j); entry; ++entry) {
      put(out, "    {} {} : {:.16e}\n", entry.row(), j, entry.value());
    }
  }
}

void put_coefficients(TextBuffer& out, const ProblemData& problem, int disc) {
  for (const Cone& cone : problem.cones) put(out, "{:.16e} ", cone.disc(disc).radius);
  put(out, "\n");
}

void put_friction(TextBuffer& out, const ProblemData& problem, int dim, DatStorage storage) {
  put(out, "{}\n{}\n", dim, problem.contacts());
  if (problem.form == ProblemForm::reduced) {
    storage == DatStorage::dense ? put_dense(out, problem.W) : put_blocks(out, problem.W);
    put_vector(out, problem.u_free);
  } else {
    put_triplets(out, problem.M);
    put_triplets(out, problem.H);
    put_vector(out, problem.f);
    put_vector(out, problem.w);
  }
  put_coefficients(out, problem, 0);
  if (dim == 5) put_coefficients(out, problem, 1);
}

void put_lcp(TextBuffer& out, const ProblemData& problem) {
  put(out, "{}\n", problem.dimension());
  put_dense(out, problem.W);
  put_vector(out, problem.u_free);
}

// M and q only, with runs of equalities and complementarities as blocks.
void put_mlcp(TextBuffer& out, const ProblemData& problem) {
  const auto& cones = problem.cones;
  const auto n = std::ranges::count_if(cones, [](const Cone& cone) { return cone.is_free(); });
  put(out, "1\n0\n{}\n{}\n0 ", n, problem.contacts() - n);
  std::string kinds;
  for (std::size_t i = 0; i < cones.size(); ++i) {
    const bool last_of_run = i + 1 == cones.size() || cones[i].is_free() != cones[i + 1].is_free();
    if (!last_of_run) continue;
    put(out, "{} ", i + 1);
    kinds += cones[i].is_free() ? "0 " : "1 ";
  }
  put(out, "\n{}\n", kinds);
  put_dense(out, problem.W);
  put_vector(out, problem.u_free);
}

int common_dim(const ProblemData& problem) {
  return problem.cones.empty() ? 3 : problem.cones.front().dim();
}

bool is_friction_problem(const ProblemData& problem) {
  const int dim = common_dim(problem);
  return std::ranges::all_of(problem.cones, [&](const Cone& cone) {
    return is_contact_cone(cone) && dim > 1 && cone.dim() == dim;
  });
}

bool is_complementarity_problem(const ProblemData& problem) {
  return problem.form == ProblemForm::reduced &&
         std::ranges::all_of(problem.cones, [](const Cone& cone) { return cone.dim() == 1; });
}

}  // namespace

bool fits_dat(const ProblemData& problem) {
  return is_friction_problem(problem) || is_complementarity_problem(problem);
}

std::string format_dat(const ProblemData& problem, DatStorage storage) {
  TextBuffer out;
  if (is_friction_problem(problem)) {
    put_friction(out, problem, common_dim(problem), storage);
  } else if (is_complementarity_problem(problem)) {
    const bool any_free =
        std::ranges::any_of(problem.cones, [](const Cone& cone) { return cone.is_free(); });
    any_free ? put_mlcp(out, problem) : put_lcp(out, problem);
  } else {
    throw InputError(
        "a .dat file holds contacts of one dimension with Coulomb's or rolling friction, or a "
        "complementarity problem in reduced form; write these cones to an .hdf5 file");
  }
  return fmt::to_string(out);
}

}  // namespace clack
