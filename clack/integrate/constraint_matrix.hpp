// The constraints of a system at a state: G (nv x n) by columns, their velocities G'v + w, and
//
//     S = G' M^-1 G                                                        (eq:closed_start)
//
// from which closing at the start and the rank of constraints follow.
#pragma once

#include <Eigen/SparseCholesky>
#include <memory>
#include <vector>

#include "clack/collide/contact_set.hpp"
#include "clack/model/system.hpp"

namespace clack {

class ConstraintMatrix {
 public:
  // Of joints and of what formulas state; bodies that are driven move as at the start.
  ConstraintMatrix(const System& system, const State& start);

  int count() const { return static_cast<int>(list_.size()); }
  const Contact& constraint(int row) const { return list_[static_cast<std::size_t>(row)]; }
  // phi(t, q).
  void gaps(double t, ConstVectorRef q, VectorRef values);
  // All matrices at (t, q). False where M has no factor or a row moves nothing.
  bool linearise(double t, ConstVectorRef q);

  const SparseMatrix& G() const { return G_; }
  const SparseMatrix& S() const { return S_; }
  const SparseMatrix& moved() const { return moved_; }  // M^-1 G
  const SparseMatrix& mass() const { return mass_; }
  const Vector& w() const { return w_; }

 private:
  const System& system_;
  std::vector<std::unique_ptr<ContactSource>> sources_;
  std::vector<int> contact_begin_, row_begin_;  // of each source, then their numbers
  std::vector<Contact> list_;                   // constraints
  std::vector<int> contacts_, columns_;         // of these among all contacts, and their rows
  Vector gap_, all_w_, w_;
  ContactMap H_;
  SystemMatrix M_;
  SparseMatrix G_, mass_, moved_, S_;
  Eigen::SimplicialLDLT<SparseMatrix> factor_;
};

}  // namespace clack
