// Multifrontal LU of the Newton matrix J = T (W^ + alpha I) + Q of one island (eq:newton_matrix).
//
// T and S = alpha T + Q are block diagonal, so a block of J is T_i W^_ij, plus S_i on the diagonal.
// Contacts that left the problem (t <= 0) are skipped: the fronts shrink with the active set. The
// right side is carried as one more column, so L is never stored. Rows are exchanged within a contact.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "clack/solve/auto/block_rows.hpp"
#include "clack/solve/auto/dense_kernels.hpp"
#include "clack/solve/auto/elimination.hpp"

namespace clack {

// Memory that grows and is handed out from the end; never cleared, never given back.
class GrowingStack {
 public:
  std::size_t size() const { return size_; }
  double* at(std::size_t begin) { return data_.data() + begin; }
  std::size_t push(std::size_t count) {
    const std::size_t begin = size_;
    size_ += count;
    if (data_.size() < size_) data_.resize(std::max(size_, 2 * data_.size()));
    return begin;
  }
  void cut(std::size_t size) { size_ = size; }

 private:
  std::vector<double> data_;
  std::size_t size_ = 0;
};

template <int D>
class FrontSolver {
 public:
  void plan(const BlockRows<D>& W) {
    plan_ = plan_elimination(W.begin, W.column, D);
    stamp_.assign(W.rows(), -1);
    position_.assign(W.rows(), 0);
    children_.assign(plan_.fronts.size(), 0);
    for (const Front& front : plan_.fronts) {
      if (front.parent >= 0) ++children_[front.parent];
    }
  }
  double flops() const { return plan_.flops; }

  // States of a contact in the Newton system; where it sticks, T is the identity.
  static constexpr char kOpen = 0, kSliding = 1, kSticking = 2;

  // Solves for the active contacts (not kOpen): T and S have D x D values by rows a contact, rhs and x D values.
  // False if a pivot vanishes.
  bool solve(const BlockRows<D>& W, const double* T, const double* S, const std::vector<char>& active,
             const double* rhs, double* x) {
    kept_.clear();
    upper_.cut(0);
    update_.cut(0);
    update_lists_.clear();
    update_contacts_.clear();
    kept_contacts_size_ = 0;
    for (int f = 0; f < static_cast<int>(plan_.fronts.size()); ++f) {
      if (!eliminate(W, T, S, active, rhs, f)) return false;
    }
    substitute(x);
    return true;
  }

 private:
  // What back substitution needs of a front.
  struct Kept {
    std::size_t upper;  // first value of [U11 U12 y]
    std::size_t list;   // first contact
    int pivots, contacts;
  };
  // The Schur complement of a front, waiting for its parent.
  struct Update {
    std::size_t values;
    std::size_t list;
    int contacts;
  };

  struct AddRun {
    int from, to, length;
  };
  static constexpr int kPanel = D * (D >= 5 ? 4 : 12 / D);
  static constexpr int kInverse = (kPanel + 7) / 8 * 8 + kVectorSlack;  // row stride of inverse_

  bool eliminate(const BlockRows<D>& W, const double* T, const double* S, const std::vector<char>& active,
                 const double* rhs, int f) {
    const Front& front = plan_.fronts[f];
    gather(front, active, f);
    rows_ = static_cast<int>(list_.size()) * D;
    stride_ = (rows_ + 1 + 7) / 8 * 8 + kVectorSlack;
    const std::size_t size = static_cast<std::size_t>(rows_) * stride_;
    if (front_.size() < size) front_.resize(size);
    std::fill_n(front_.data(), size, 0.0);
    for (int a = 0; a < pivots_; ++a) add_contact(W, T, S, active, rhs, f, a);
    for (int c = 0; c < children_[f]; ++c) add_update();
    if (!factorise(pivots_ * D)) return false;
    keep();
    if (front.parent >= 0) push_update();
    return true;
  }

  void gather(const Front& front, const std::vector<char>& active, int f) {
    list_.clear();
    for (int c : front.pivots) {
      if (active[c]) list_.push_back(c);
    }
    pivots_ = static_cast<int>(list_.size());
    for (int c : front.border) {
      if (active[c]) list_.push_back(c);
    }
    for (int a = 0; a < static_cast<int>(list_.size()); ++a) {
      stamp_[list_[a]] = f;
      position_[list_[a]] = a;
    }
  }

  double* cell(int row_contact, int column_contact) {
    return front_.data() + static_cast<std::size_t>(row_contact) * D * stride_ + column_contact * D;
  }

  void add_contact(const BlockRows<D>& W, const double* T, const double* S, const std::vector<char>& active,
                   const double* rhs, int f, int a) {
    const int i = list_[a];
    for (int k = W.begin[i]; k < W.begin[i + 1]; ++k) {
      const int j = W.column[k];
      if (!active[j] || stamp_[j] != f) continue;
      const int b = position_[j];
      add_product(T + i * D * D, active[i], W.block(k), cell(a, b));
      if (b >= pivots_) add_product(T + j * D * D, active[j], W.block(W.transposed[k]), cell(b, a));
    }
    double* diagonal = cell(a, a);
    for (int r = 0; r < D; ++r) {
      for (int c = 0; c < D; ++c) diagonal[r * stride_ + c] += S[i * D * D + r * D + c];
      front_[static_cast<std::size_t>(a * D + r) * stride_ + rows_] += rhs[i * D + r];
    }
  }

  // target += T B, T by rows, B by columns.
  void add_product(const double* T, char state, const double* B, double* target) const {
    constexpr int stride = BlockRows<D>::kStride;
    if (state == kSticking) {
      for (int r = 0; r < D; ++r) {
        for (int c = 0; c < D; ++c) target[r * stride_ + c] += B[c * stride + r];
      }
      return;
    }
    for (int r = 0; r < D; ++r) {
      for (int c = 0; c < D; ++c) {
        double sum = 0;
        for (int l = 0; l < D; ++l) sum += T[r * D + l] * B[c * stride + l];
        target[r * stride_ + c] += sum;
      }
    }
  }

  // Adds the Schur complement of a child. Neighbours in its list are mostly neighbours here too, so
  // whole runs are added at once.
  void add_update() {
    const Update update = update_lists_.back();
    update_lists_.pop_back();
    const int* contacts = update_contacts_.data() + update.list;
    const int n = update.contacts;
    runs_.clear();
    for (int b = 0; b < n; ++b) {
      const int to = position_[contacts[b]] * D;
      if (!runs_.empty() && runs_.back().to + runs_.back().length == to) {
        runs_.back().length += D;
      } else {
        runs_.push_back({b * D, to, D});
      }
    }
    const int width = n * D + 1;
    const double* source = update_.at(update.values);
    for (int a = 0; a < n; ++a) {
      double* target = row(position_[contacts[a]] * D);
      for (int r = 0; r < D; ++r, source += width, target += stride_) {
        for (const AddRun& run : runs_) {
          for (int c = 0; c < run.length; ++c) target[run.to + c] += source[run.from + c];
        }
        target[rows_] += source[n * D];
      }
    }
    update_.cut(update.values);
    update_contacts_.resize(update.list);
  }

  // Eliminates the first p rows of the front, panel by panel: with the panel's L11 and U11 inverted,
  // U12 = L11^-1 A12, L21 = A21 U11^-1 and the Schur complement are matrix products.
  bool factorise(int p) {
    for (int first = 0; first < p; first += kPanel) {
      const int last = std::min(first + kPanel, p);
      const int width = last - first, below = rows_ - last, right = rows_ + 1 - last;
      if (!factorise_panel(first, last)) return false;
      invert_lower(first, width);
      const int copied = right + kVectorSlack;  // the slack of a row is zero
      const auto needed = static_cast<std::size_t>(std::max(width * copied, below * width));
      if (panel_.size() < needed) panel_.resize(needed);
      for (int i = 0; i < width; ++i) {
        std::copy_n(row(first + i) + last, copied, panel_.data() + static_cast<std::size_t>(i) * copied);
      }
      // The unit diagonal stays in place; what is subtracted is the rest of -L11^-1 A12.
      subtract_product(row(first) + last, stride_, inverse_, kInverse, panel_.data(), copied, width, right, width);
      if (below == 0) continue;
      invert_upper(first, width);
      for (int i = 0; i < below; ++i) {
        double* target = row(last + i) + first;
        std::copy_n(target, width, panel_.data() + static_cast<std::size_t>(i) * width);
        std::fill_n(target, width, 0.0);
      }
      subtract_product(row(last) + first, stride_, panel_.data(), width, inverse_, kInverse, below, width, width);
      subtract_product(row(last) + last, stride_, row(last) + first, stride_, row(first) + last, stride_,
                       below, right, width);
    }
    return true;
  }

  // inverse_ = I - L11^-1, strictly lower.
  void invert_lower(int first, int width) {
    std::fill_n(inverse_, kInverse * width, 0.0);
    for (int i = 1; i < width; ++i) {
      const double* l = row(first + i) + first;
      double* x = inverse_ + i * kInverse;
      for (int k = 0; k < i; ++k) {
        x[k] += l[k];
        const double* y = inverse_ + k * kInverse;
        for (int j = 0; j < k; ++j) x[j] -= l[k] * y[j];
      }
    }
  }

  // inverse_ = -U11^-1.
  void invert_upper(int first, int width) {
    std::fill_n(inverse_, kInverse * width, 0.0);
    for (int i = width - 1; i >= 0; --i) {
      const double* u = row(first + i) + first;
      double* x = inverse_ + i * kInverse;
      for (int k = i + 1; k < width; ++k) {
        const double* y = inverse_ + k * kInverse;
        for (int j = k; j < width; ++j) x[j] -= u[k] * y[j];
      }
      for (int j = i + 1; j < width; ++j) x[j] *= inverse_pivot_[i];
      x[i] = -inverse_pivot_[i];
    }
  }

  double* row(int i) { return front_.data() + static_cast<std::size_t>(i) * stride_; }

  bool factorise_panel(int first, int last) {
    for (int k = first; k < last; ++k) {
      const int end = (k / D + 1) * D;
      int best = k;
      for (int i = k + 1; i < end; ++i) {
        if (std::abs(row(i)[k]) > std::abs(row(best)[k])) best = i;
      }
      if (best != k) std::swap_ranges(row(k) + first, row(k) + rows_ + 1, row(best) + first);
      const double pivot = row(k)[k];
      if (!(std::abs(pivot) > 1e-200)) return false;
      inverse_pivot_[k - first] = 1 / pivot;
      for (int i = k + 1; i < last; ++i) {
        const double factor = row(i)[k] * inverse_pivot_[k - first];
        row(i)[k] = factor;
        for (int j = k + 1; j < last; ++j) row(i)[j] -= factor * row(k)[j];
      }
    }
    return true;
  }

  void keep() {
    const int width = rows_ + 1;
    const Kept kept{upper_.push(static_cast<std::size_t>(pivots_ * D) * width), kept_contacts_size_, pivots_,
                    static_cast<int>(list_.size())};
    for (int i = 0; i < pivots_ * D; ++i) {
      std::copy_n(row(i), width, upper_.at(kept.upper + static_cast<std::size_t>(i) * width));
    }
    if (kept_contacts_.size() < kept_contacts_size_ + list_.size()) {
      kept_contacts_.resize(kept_contacts_size_ + list_.size());
    }
    std::copy(list_.begin(), list_.end(), kept_contacts_.begin() + kept_contacts_size_);
    kept_contacts_size_ += list_.size();
    kept_.push_back(kept);
  }

  void push_update() {
    const int n = static_cast<int>(list_.size()) - pivots_;
    const int p = pivots_ * D;
    const int width = n * D + 1;
    const std::size_t begin = update_.push(static_cast<std::size_t>(n * D) * width);
    update_lists_.push_back({begin, update_contacts_.size(), n});
    update_contacts_.insert(update_contacts_.end(), list_.begin() + pivots_, list_.end());
    for (int i = 0; i < n * D; ++i) {
      std::copy_n(row(p + i) + p, width, update_.at(begin + static_cast<std::size_t>(i) * width));
    }
  }

  void substitute(double* x) {
    for (auto it = kept_.rbegin(); it != kept_.rend(); ++it) {
      const int* contacts = kept_contacts_.data() + it->list;
      const int p = it->pivots * D, n = it->contacts * D;
      local_.resize(n);
      for (int a = it->pivots; a < it->contacts; ++a) std::copy_n(x + contacts[a] * D, D, local_.data() + a * D);
      for (int i = p - 1; i >= 0; --i) {
        const double* u = upper_.at(it->upper + static_cast<std::size_t>(i) * (n + 1));
        double sum = u[n];
        for (int j = i + 1; j < n; ++j) sum -= u[j] * local_[j];
        local_[i] = sum / u[i];
      }
      for (int a = 0; a < it->pivots; ++a) std::copy_n(local_.data() + a * D, D, x + contacts[a] * D);
    }
  }

  Elimination plan_;
  std::vector<int> children_;
  std::vector<int> stamp_, position_;  // of contacts in the current front
  std::vector<int> list_;              // contacts of the current front, pivots first
  int pivots_ = 0, rows_ = 0, stride_ = 0;
  std::vector<double> front_, panel_, local_;
  GrowingStack upper_, update_;
  double inverse_pivot_[kPanel] = {};
  double inverse_[kPanel * kInverse] = {};
  std::vector<AddRun> runs_;
  std::vector<Kept> kept_;
  std::vector<int> kept_contacts_, update_contacts_;
  std::size_t kept_contacts_size_ = 0;
  std::vector<Update> update_lists_;
};

}  // namespace clack
