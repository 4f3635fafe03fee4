// A one-step problem that owns its data: what a file holds, what a time step can be dumped to.
//
//   reduced:   u = W r + u_free                          (W m x m, u_free m)
//   global:    M v = H r + f,   u = H' v + w             (M nv x nv, H nv x m, f nv, w m)
//
// with K* containing u + g(u), orthogonal to r in K, K the product of `cones`. A linear
// complementarity problem is a reduced problem of cones R+, a mixed one has R (free) as well.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "clack/core/cone.hpp"
#include "clack/core/types.hpp"
#include "clack/problem/block_sparse.hpp"
#include "clack/problem/reduced_problem.hpp"

namespace clack {

enum class ProblemForm { reduced, global };

struct ProblemData {
  std::string name;  // short, for tables: the stem of the file it came from
  std::string title;
  std::string description;
  std::string math_info;  // known properties, as FCLIB files carry them
  ProblemForm form = ProblemForm::reduced;

  std::vector<Cone> cones;
  std::vector<int> offset{0};  // first row of each cone; offset[cones] = m

  // Reduced form; empty otherwise.
  BlockSparse W;  // m x m, by cones [1/kg]
  Vector u_free;  // m [m/s]

  // Global form; empty otherwise.
  SparseMatrix M;  // nv x nv [kg]
  SparseMatrix H;  // nv x m
  Vector f;        // nv [N s]
  Vector w;        // m [m/s]

  int dimension() const { return offset.back(); }
  int contacts() const { return static_cast<int>(cones.size()); }
  int dof() const { return static_cast<int>(M.rows()); }

  // The cones and the offsets that follow from them. Throws InputError above 2^31 - 1 rows.
  void set_cones(std::vector<Cone> all);
  // The reduced form as solvers take it: valid while this object stays where it is, unchanged.
  // Throws InputError for a global problem.
  ReducedProblem view() const;
  // Sizes that fit each other and finite values; throws InputError that names what does not.
  void validate() const;
};

// Assembles the two forms; both validate.
ProblemData make_reduced_problem(std::vector<Cone> cones, const SparseMatrix& W, Vector u_free);
ProblemData make_global_problem(std::vector<Cone> cones, SparseMatrix M, SparseMatrix H, Vector f,
                                Vector w);

}  // namespace clack
