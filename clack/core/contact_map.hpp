// The contact map H (nv x rows), u = H'v + w: dense, or by columns with the few entries that a
// contact has.
#pragma once

#include <cmath>
#include <vector>

#include "clack/core/system_matrix.hpp"
#include "clack/core/types.hpp"

namespace clack {

class ContactMap {
 public:
  explicit ContactMap(int nv = 0, int rows = 0, bool sparse = false);

  int nv() const { return nv_; }
  int rows() const { return rows_; }
  bool is_sparse() const { return is_sparse_; }
  void resize(int rows);
  Matrix& dense() { return dense_; }
  const Matrix& dense() const { return dense_; }

  // A sparse map is written from its first row to its last one.
  void clear() {
    index_.clear();
    value_.clear();
    begin_.assign(1, 0);
  }
  void add(int dof, double value) {
    if (value == 0) return;
    index_.push_back(dof);
    value_.push_back(value);
  }
  void end_row() { begin_.push_back(static_cast<int>(index_.size())); }
  // All rows of a dense map, whose first degree of freedom is `dof`.
  void add_rows(ConstMatrixRef H, int dof);

  // All rows of a sparse map, whose first degree of freedom is `dof`.
  void add_rows(const ContactMap& H, int dof);
  // From `first_row` on the velocities v of these degrees of freedom, in rising order, are known: H'v
  // goes over to w.
  void fix(const std::vector<int>& dofs, ConstVectorRef v, int first_row, VectorRef w);

  // Column `row` of H on a vector.
  double dot(int row, ConstVectorRef v) const {
    if (!is_sparse_) return dense_.col(row).dot(v);
    double sum = 0;
    for (int k = begin_[row]; k < begin_[row + 1]; ++k) sum += value_[k] * v[index_[k]];
    return sum;
  }
  // Of a row of a sparse map: act(dof, value).
  template <class Act>
  void for_entries(int row, Act&& act) const {
    for (int k = begin_[row]; k < begin_[row + 1]; ++k) act(index_[k], value_[k]);
  }
  // The same of absolute values.
  double abs_dot(int row, ConstVectorRef v) const {
    if (!is_sparse_) return dense_.col(row).cwiseAbs().dot(v.cwiseAbs());
    double sum = 0;
    for (int k = begin_[row]; k < begin_[row + 1]; ++k) sum += std::abs(value_[k] * v[index_[k]]);
    return sum;
  }
  // out += s H_row.
  template <class Out>
  void add_to(int row, double s, Out&& out) const {
    if (!is_sparse_) {
      out += s * dense_.col(row);
      return;
    }
    for (int k = begin_[row]; k < begin_[row + 1]; ++k) out[index_[k]] += s * value_[k];
  }
  double norm(int row) const;
  double largest(int row) const;  // |H_ij|
  void column(int row, VectorRef out) const;
  // The columns of these rows.
  SparseMatrix columns(const std::vector<int>& rows) const;
  // One of an entry that is not finite, (dof, row); (-1, -1) where all are.
  std::pair<int, int> bad_entry() const;

 private:
  int nv_, rows_;
  bool is_sparse_;
  Matrix dense_;
  std::vector<int> begin_{0}, index_;
  std::vector<double> value_;
};

}  // namespace clack
