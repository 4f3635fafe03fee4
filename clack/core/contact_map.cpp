#include "clack/core/contact_map.hpp"

#include <algorithm>

namespace clack {

ContactMap::ContactMap(int nv, int rows, bool sparse) : nv_(nv), rows_(rows), is_sparse_(sparse) {
  resize(rows);
}

void ContactMap::resize(int rows) {
  rows_ = rows;
  if (is_sparse_) {
    clear();
    begin_.assign(static_cast<std::size_t>(rows) + 1, 0);
  } else {
    dense_ = Matrix::Zero(nv_, rows);
  }
}

void ContactMap::add_rows(ConstMatrixRef H, int dof) {
  for (int row = 0; row < H.cols(); ++row) {
    for (int i = 0; i < H.rows(); ++i) add(dof + i, H(i, row));
    end_row();
  }
}

void ContactMap::add_rows(const ContactMap& H, int dof) {
  for (std::size_t row = 0; row + 1 < H.begin_.size(); ++row) {
    for (int k = H.begin_[row]; k < H.begin_[row + 1]; ++k) add(dof + H.index_[k], H.value_[k]);
    end_row();
  }
}

void ContactMap::fix(const std::vector<int>& dofs, ConstVectorRef v, int first_row, VectorRef w) {
  for (int row = 0; row < w.size(); ++row) {
    const int at = first_row + row;
    if (!is_sparse_) {
      for (const int i : dofs) {
        w[row] += dense_(i, at) * v[i];
        dense_(i, at) = 0;
      }
      continue;
    }
    for (int k = begin_[at]; k < begin_[at + 1]; ++k) {
      if (!std::binary_search(dofs.begin(), dofs.end(), index_[k])) continue;
      w[row] += value_[k] * v[index_[k]];
      value_[k] = 0;
    }
  }
}

double ContactMap::norm(int row) const {
  if (!is_sparse_) return dense_.col(row).norm();
  double sum = 0;
  for (int k = begin_[row]; k < begin_[row + 1]; ++k) sum += value_[k] * value_[k];
  return std::sqrt(sum);
}

double ContactMap::largest(int row) const {
  if (!is_sparse_) return dense_.col(row).cwiseAbs().maxCoeff();
  double worst = 0;
  for (int k = begin_[row]; k < begin_[row + 1]; ++k) worst = std::max(worst, std::abs(value_[k]));
  return worst;
}

void ContactMap::column(int row, VectorRef out) const {
  if (!is_sparse_) {
    out = dense_.col(row);
    return;
  }
  out.setZero();
  add_to(row, 1, out);
}

SparseMatrix ContactMap::columns(const std::vector<int>& rows) const {
  MatrixEntries entries;
  for (std::size_t j = 0; j < rows.size(); ++j) {
    for (int k = begin_[rows[j]]; k < begin_[rows[j] + 1]; ++k)
      entries.emplace_back(index_[k], static_cast<int>(j), value_[k]);
  }
  SparseMatrix result(nv_, static_cast<int>(rows.size()));
  result.setFromTriplets(entries.begin(), entries.end());
  return result;
}

std::pair<int, int> ContactMap::bad_entry() const {
  for (int row = 0; row < rows_; ++row) {
    if (is_sparse_) {
      for (int k = begin_[row]; k < begin_[row + 1]; ++k) {
        if (!std::isfinite(value_[k])) return {index_[k], row};
      }
      continue;
    }
    for (int i = 0; i < nv_; ++i) {
      if (!std::isfinite(dense_(i, row))) return {i, row};
    }
  }
  return {-1, -1};
}

}  // namespace clack
