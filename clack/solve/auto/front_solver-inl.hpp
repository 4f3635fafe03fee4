// Multifrontal LU of the Newton matrix J = T (W^ + alpha I) + Q of one island (eq:newton_matrix).
//
// T and S = alpha T + Q are block diagonal, so a block of J is T_i W^_ij, plus S_i on the diagonal.
// Contacts that left the problem (t <= 0) are skipped: the fronts shrink with the active set. The
// right side is carried as one more column, so L is never stored. Rows are exchanged within a contact.
#if defined(CLACK_SOLVE_AUTO_FRONT_SOLVER_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef CLACK_SOLVE_AUTO_FRONT_SOLVER_INL
#undef CLACK_SOLVE_AUTO_FRONT_SOLVER_INL
#else
#define CLACK_SOLVE_AUTO_FRONT_SOLVER_INL
#endif

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "clack/solve/auto/block_rows-inl.hpp"
#include "clack/solve/auto/dense_kernels-inl.hpp"
#include "clack/solve/auto/elimination.hpp"
#include "clack/solve/auto/growing_stack.hpp"

HWY_BEFORE_NAMESPACE();
namespace clack {
namespace HWY_NAMESPACE {

// States of a contact in the Newton system; where it sticks, T is the identity.
inline constexpr char kOpen = 0, kSliding = 1, kSticking = 2;

template <int D>
class FrontSolver {
 public:
  const Elimination& plan(const BlockRows<D>& W) {
    plan_ = plan_elimination(W.begin, W.column, D);
    position_.assign(W.rows(), 0);
    return plan_;
  }
  // Takes W in the order of the plan. Blocks are kept by rows, as the fronts are.
  void bind(const BlockRows<D>& W) {
    W_ = &W;
    by_rows_.assign(W.column.size() * kRowBlock, 0.0);
    for (std::size_t k = 0; k < W.column.size(); ++k) {
      for (int r = 0; r < D; ++r) {
        for (int c = 0; c < D; ++c) {
          by_rows_[k * kRowBlock + r * kRowStride + c] = W.block(static_cast<int>(k))[c * BlockRows<D>::kStride + r];
        }
      }
    }
  }
  double flops() const { return plan_.flops; }

  // Solves for the active contacts (not kOpen): T and S have D x D values by rows a contact, rhs and x
  // D values. False if a pivot vanishes.
  bool solve(const double* T, const double* S, const std::vector<char>& active, const double* rhs, double* x) {
    eliminated_.clear();
    lists_.clear();
    upper_.cut(0);
    for (Level& level : levels_) level.clear();
    for (const Front& front : plan_.fronts) {
      if (!eliminate(T, S, active, rhs, front)) return false;
    }
    substitute(x);
    return true;
  }

 private:
  // A front that was eliminated: its rows [U11 U12 y] for the substitution, and those of its border,
  // [L21 S z], which hold its Schur complement S until the parent has taken it.
  struct Eliminated {
    std::size_t upper, lower;
    std::size_t list;  // first of its contacts in lists_, pivots first
    int pivots, contacts, stride;
  };
  // Complements wait on a stack for every other level of the tree, so that a front can grow on one
  // while those of its children are taken from the other.
  struct Level {
    GrowingStack values;
    std::vector<int> waiting;  // indices in eliminated_
    void clear() {
      values.cut(0);
      waiting.clear();
    }
  };
  struct Run {
    int from, to, length;
  };
  static constexpr int kRowStride = D == 3 ? 4 : D >= 5 ? 8 : D;
  static constexpr int kRowBlock = D * kRowStride;
  static constexpr int kSmallFront = 40;  // rows
  static constexpr int kPanel = D * (D >= 5 ? 4 : 12 / D);
  static constexpr int kInverse = (kPanel + 7) / 8 * 8 + kVectorSlack;  // row stride of inverse_

  bool eliminate(const double* T, const double* S, const std::vector<char>& active, const double* rhs,
                 const Front& front) {
    open(front, active);
    for (int a = 0; a < pivots_; ++a) add_contact(T, S, active, rhs, front.first, a);
    Level& below = levels_[(front.depth + 1) % 2];
    for (int c = 0; c < front.children; ++c) add_complement(below);
    return factorise();
  }

  // Makes room for a front and clears it.
  void open(const Front& front, const std::vector<char>& active) {
    const std::size_t list = lists_.size();
    for (int c = front.first; c < front.last; ++c) {
      if (active[c]) lists_.push_back(c);
    }
    pivots_ = static_cast<int>(lists_.size() - list);
    for (int c : plan_.border_of(front)) {
      if (active[c]) lists_.push_back(c);
    }
    const int contacts = static_cast<int>(lists_.size() - list);
    list_ = lists_.data() + list;
    for (int a = 0; a < contacts; ++a) position_[list_[a]] = a;
    rows_ = contacts * D;
    top_rows_ = pivots_ * D;
    stride_ = (rows_ + kVectorSlack + 7) / 8 * 8;  // the right side, then at least seven zeros
    Level& level = levels_[front.depth % 2];
    const std::size_t upper = upper_.push(static_cast<std::size_t>(top_rows_) * stride_);
    const std::size_t lower = level.values.push(static_cast<std::size_t>(rows_ - top_rows_) * stride_);
    top_ = upper_.at(upper);
    bottom_ = level.values.at(lower);
    std::fill_n(top_, static_cast<std::size_t>(top_rows_) * stride_, 0.0);
    std::fill_n(bottom_, static_cast<std::size_t>(rows_ - top_rows_) * stride_, 0.0);
    if (front.parent >= 0) level.waiting.push_back(static_cast<int>(eliminated_.size()));
    eliminated_.push_back({upper, lower, list, pivots_, contacts, stride_});
  }

  double* top(int i) { return top_ + static_cast<std::ptrdiff_t>(i) * stride_; }
  double* bottom(int i) { return bottom_ + static_cast<std::ptrdiff_t>(i - top_rows_) * stride_; }
  double* row(int i) { return i < top_rows_ ? top(i) : bottom(i); }

  void add_contact(const double* T, const double* S, const std::vector<char>& active, const double* rhs,
                   int first, int a) {
    const BlockRows<D>& W = *W_;
    const int i = list_[a];
    double* own = top(a * D);
    for (int k = W.begin[i]; k < W.begin[i + 1]; ++k) {
      const int j = W.column[k];
      if (j < first || !active[j]) continue;
      const int b = position_[j];
      add_product(T + i * D * D, active[i], block(k), own + b * D);
      if (b >= pivots_) add_product(T + j * D * D, active[j], block(W.transposed[k]), bottom(b * D) + a * D);
    }
    for (int r = 0; r < D; ++r) {
      for (int c = 0; c < D; ++c) own[r * stride_ + a * D + c] += S[i * D * D + r * D + c];
      own[r * stride_ + rows_] += rhs[i * D + r];
    }
  }

  const double* block(int k) const { return by_rows_.data() + static_cast<std::ptrdiff_t>(k) * kRowBlock; }

  // target += T B, all by rows. The padding of B is zero: what stands behind the block is not changed.
  void add_product(const double* T, char state, const double* B, double* target) const {
    if (state == kSticking) {
      for (int r = 0; r < D; ++r) add_row(1.0, B + r * kRowStride, target + r * stride_);
      return;
    }
    for (int r = 0; r < D; ++r) {
      double sum[kRowStride] = {};
      for (int l = 0; l < D; ++l) add_row(T[r * D + l], B + l * kRowStride, sum);
      add_row(1.0, sum, target + r * stride_);
    }
  }
  static HWY_INLINE void add_row(double factor, const double* HWY_RESTRICT x, double* HWY_RESTRICT y) {
    for (int c = 0; c < kRowStride; ++c) y[c] += factor * x[c];
  }

  // Takes the Schur complement of the last child. Neighbours in its list are mostly neighbours here
  // too, so whole runs are added at once.
  void add_complement(Level& level) {
    const Eliminated child = eliminated_[level.waiting.back()];
    level.waiting.pop_back();
    const int* contacts = lists_.data() + child.list + child.pivots;
    const int n = child.contacts - child.pivots;
    runs_.clear();
    for (int b = 0; b < n; ++b) {
      const int to = position_[contacts[b]] * D;
      if (!runs_.empty() && runs_.back().to + runs_.back().length == to) {
        runs_.back().length += D;
      } else {
        runs_.push_back({b * D, to, D});
      }
    }
    const double* source = level.values.at(child.lower) + child.pivots * D;
    for (int a = 0; a < n; ++a) {
      double* target = row(position_[contacts[a]] * D);
      for (int r = 0; r < D; ++r, source += child.stride, target += stride_) {
        for (const Run& run : runs_) add_run(source + run.from, target + run.to, run.length);
        target[rows_] += source[n * D];
      }
    }
    level.values.cut(child.lower);
  }

  static void add_run(const double* HWY_RESTRICT source, double* HWY_RESTRICT target, int length) {
    for (int c = 0; c < length; c += D) {
      for (int k = 0; k < D; ++k) target[c + k] += source[c + k];
    }
  }

  bool factorise() { return rows_ <= kSmallFront || top_rows_ <= D ? factorise_small() : factorise_blocked(); }

  // Row by row: what blocks would cost to prepare does not pay here.
  bool factorise_small() {
    for (int k = 0; k < top_rows_; ++k) {
      exchange(k, k);
      const double* pivot_row = top(k);
      if (!(std::abs(pivot_row[k]) > 1e-200)) return false;
      const double inverse = 1 / pivot_row[k];
      for (int i = k + 1; i < top_rows_; ++i) subtract_row(top(i), pivot_row, k, inverse);
      for (int i = top_rows_; i < rows_; ++i) subtract_row(bottom(i), pivot_row, k, inverse);
    }
    return true;
  }
  void subtract_row(double* target, const double* pivot_row, int k, double inverse) const {
    const double factor = target[k] * inverse;
    if (factor != 0) subtract_multiple(target + k + 1, pivot_row + k + 1, factor, rows_ - k);
  }

  // Brings the largest of a contact's rows to place k, from column `first` on.
  void exchange(int k, int first) {
    const int end = (k / D + 1) * D;
    int best = k;
    for (int i = k + 1; i < end; ++i) {
      if (std::abs(top(i)[k]) > std::abs(top(best)[k])) best = i;
    }
    if (best != k) std::swap_ranges(top(k) + first, top(k) + rows_ + 1, top(best) + first);
  }

  // Eliminates the pivots, panel by panel: with the panel's L11 and U11 inverted, U12 = L11^-1 A12,
  // L21 = A21 U11^-1 and the Schur complement are matrix products.
  bool factorise_blocked() {
    for (int first = 0; first < top_rows_; first += kPanel) {
      const int last = std::min(first + kPanel, top_rows_);
      const int width = last - first, right = rows_ + 1 - last;
      if (!factorise_panel(first, last)) return false;
      invert_lower(first, width);
      const int copied = right + kVectorSlack - 1;  // the slack of a row is zero
      reserve_panel(static_cast<std::size_t>(std::max(width * copied, rows_ * width)));
      for (int i = 0; i < width; ++i) {
        std::copy_n(top(first + i) + last, copied, panel_.data() + static_cast<std::ptrdiff_t>(i) * copied);
      }
      // The unit diagonal stays in place; what is subtracted is the rest of -L11^-1 A12.
      subtract_product(top(first) + last, stride_, inverse_, kInverse, panel_.data(), copied, width, right, width);
      invert_upper(first, width);
      eliminate_below(top(last), top_rows_ - last, first, last);
      eliminate_below(bottom_, rows_ - top_rows_, first, last);
    }
    return true;
  }

  // L21 and the Schur complement in `count` rows.
  void eliminate_below(double* rows, int count, int first, int last) {
    if (count == 0) return;
    const int width = last - first;
    for (int i = 0; i < count; ++i) {
      double* target = rows + static_cast<std::ptrdiff_t>(i) * stride_ + first;
      std::copy_n(target, width, panel_.data() + static_cast<std::ptrdiff_t>(i) * width);
      std::fill_n(target, width, 0.0);
    }
    subtract_product(rows + first, stride_, panel_.data(), width, inverse_, kInverse, count, width, width);
    subtract_product(rows + last, stride_, rows + first, stride_, top(first) + last, stride_, count,
                     rows_ + 1 - last, width);
  }

  void reserve_panel(std::size_t size) {
    if (panel_.size() < size) panel_.resize(size);
  }

  // inverse_ = I - L11^-1, strictly lower.
  void invert_lower(int first, int width) {
    std::fill_n(inverse_, kInverse * width, 0.0);
    for (int i = 1; i < width; ++i) {
      const double* l = top(first + i) + first;
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
      const double* u = top(first + i) + first;
      double* x = inverse_ + i * kInverse;
      for (int k = i + 1; k < width; ++k) {
        const double* y = inverse_ + k * kInverse;
        for (int j = k; j < width; ++j) x[j] -= u[k] * y[j];
      }
      for (int j = i + 1; j < width; ++j) x[j] *= inverse_pivot_[i];
      x[i] = -inverse_pivot_[i];
    }
  }

  bool factorise_panel(int first, int last) {
    for (int k = first; k < last; ++k) {
      exchange(k, first);
      const double pivot = top(k)[k];
      if (!(std::abs(pivot) > 1e-200)) return false;
      inverse_pivot_[k - first] = 1 / pivot;
      for (int i = k + 1; i < last; ++i) {
        const double factor = top(i)[k] * inverse_pivot_[k - first];
        top(i)[k] = factor;
        for (int j = k + 1; j < last; ++j) top(i)[j] -= factor * top(k)[j];
      }
    }
    return true;
  }

  void substitute(double* x) {
    for (auto front = eliminated_.rbegin(); front != eliminated_.rend(); ++front) {
      const int* contacts = lists_.data() + front->list;
      const int p = front->pivots * D, n = front->contacts * D;
      if (static_cast<int>(local_.size()) < n) local_.resize(n);
      for (int a = front->pivots; a < front->contacts; ++a) std::copy_n(x + contacts[a] * D, D, local_.data() + a * D);
      for (int i = p - 1; i >= 0; --i) {
        const double* u = upper_.at(front->upper) + static_cast<std::ptrdiff_t>(i) * front->stride;
        local_[i] = (u[n] - dot(u + i + 1, local_.data() + i + 1, n - i - 1)) / u[i];
      }
      for (int a = 0; a < front->pivots; ++a) std::copy_n(local_.data() + a * D, D, x + contacts[a] * D);
    }
  }

  Elimination plan_;
  const BlockRows<D>* W_ = nullptr;  // its pattern is read
  std::vector<double> by_rows_;      // its blocks
  std::vector<int> position_;  // of contacts in the current front
  std::vector<int> lists_;     // active contacts of all fronts
  const int* list_ = nullptr;  // of the current front, pivots first
  int pivots_ = 0, rows_ = 0, top_rows_ = 0, stride_ = 0;
  double* top_ = nullptr;      // rows of the pivots
  double* bottom_ = nullptr;   // rows of the border
  std::vector<double> panel_, local_;
  GrowingStack upper_;
  Level levels_[2];
  double inverse_pivot_[kPanel] = {};
  double inverse_[kPanel * kInverse] = {};
  std::vector<Run> runs_;
  std::vector<Eliminated> eliminated_;
};

}  // namespace HWY_NAMESPACE
}  // namespace clack
HWY_AFTER_NAMESPACE();
#endif
