// Multifrontal LU of the Newton matrix J = T (W^ + alpha I) + Q of one island (eq:newton_matrix).
//
// T and S = alpha T + Q are block diagonal, so a block of J is T_i W^_ij, plus S_i on the diagonal.
// Contacts that left the problem (t <= 0) are skipped: the fronts shrink with the active set. The
// right side is carried as one more column, so that nothing is stored below the diagonal. Rows are
// exchanged within a contact.
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
          by_rows_[k * kRowBlock + r * kRowStride + c] =
              W.block(static_cast<int>(k))[c * BlockRows<D>::kStride + r];
        }
      }
    }
  }
  double flops() const { return plan_.flops; }

  // Solves for the active contacts (not kOpen): T and S have D x D values by rows a contact, rhs
  // and x D values. False if a pivot vanishes.
  bool solve(const double* T, const double* S, const std::vector<char>& active, const double* rhs,
             double* x) {
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
  // A front that was eliminated: its rows [I U y] for the substitution, and those of its border,
  // [. S z], which hold its Schur complement S until the parent has taken it.
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
  static constexpr int kSmallFront = 48;  // rows
  static constexpr int kPanel = D * (D >= 5 ? 4 : 12 / D);

  bool eliminate(const double* T, const double* S, const std::vector<char>& active,
                 const double* rhs, const Front& front) {
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
    const std::size_t lower =
        level.values.push(static_cast<std::size_t>(rows_ - top_rows_) * stride_);
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

  void add_contact(const double* T, const double* S, const std::vector<char>& active,
                   const double* rhs, int first, int a) {
    const BlockRows<D>& W = *W_;
    const int i = list_[a];
    double* own = top(a * D);
    for (int k = W.begin[i]; k < W.begin[i + 1]; ++k) {
      const int j = W.column[k];
      if (j < first || !active[j]) continue;
      const int b = position_[j];
      add_product(T + i * D * D, active[i], block(k), own + b * D);
      if (b >= pivots_)
        add_product(T + j * D * D, active[j], block(W.transposed[k]), bottom(b * D) + a * D);
    }
    for (int r = 0; r < D; ++r) {
      for (int c = 0; c < D; ++c) own[r * stride_ + a * D + c] += S[i * D * D + r * D + c];
      own[r * stride_ + rows_] += rhs[i * D + r];
    }
  }

  const double* block(int k) const {
    return by_rows_.data() + static_cast<std::ptrdiff_t>(k) * kRowBlock;
  }

  // target += T B, all by rows. The padding of B is zero: what stands behind the block is not
  // changed.
  void add_product(const double* T, char state, const double* B, double* target) const {
    const hn::CappedTag<double, kRowStride> d;
    const int lanes = static_cast<int>(hn::Lanes(d));
    for (int r = 0; r < D; ++r) {
      for (int c = 0; c < kRowStride; c += lanes) {
        auto sum = hn::LoadU(d, target + r * stride_ + c);
        if (state == kSticking) {
          sum = hn::Add(sum, hn::LoadU(d, B + r * kRowStride + c));
        } else {
          for (int l = 0; l < D; ++l)
            sum = hn::MulAdd(hn::Set(d, T[r * D + l]), hn::LoadU(d, B + l * kRowStride + c), sum);
        }
        hn::StoreU(sum, d, target + r * stride_ + c);
      }
    }
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

  // Eliminates the pivots panel by panel: the rows of a panel are multiplied by the inverse of its
  // diagonal block, which becomes the identity, and taken from those below as one matrix product.
  bool factorise() {
    const int panel = panel_rows(rows_);
    for (int first = 0; first < top_rows_; first += panel) {
      const int last = std::min(first + panel, top_rows_);
      const int width = last - first, right = rows_ + 1 - last;
      if (!invert_block(first, width)) return false;
      multiply_panel(first, last);
      subtract_product(top(last) + last, stride_, top(last) + first, stride_, top(first) + last,
                       stride_, top_rows_ - last, right, width);
      subtract_product(bottom_ + last, stride_, bottom_ + first, stride_, top(first) + last,
                       stride_, rows_ - top_rows_, right, width);
    }
    return true;
  }
  // Small fronts go contact by contact: larger panels would not pay for their inverses.
  static int panel_rows(int rows) { return rows <= kSmallFront ? D : kPanel; }

  // The rows of a panel right of its diagonal block, times the inverse of that block.
  void multiply_panel(int first, int last) {
    const int width = last - first, right = rows_ + 1 - last;
    if (width <= 3 && width == D) return multiply_contact(first, right);
    const int copied = right + kVectorSlack - 1;  // the slack of a row is zero
    if (panel_.size() < static_cast<std::size_t>(width * copied)) panel_.resize(width * copied);
    for (int i = 0; i < width; ++i) {
      std::copy_n(top(first + i) + last, copied,
                  panel_.data() + static_cast<std::ptrdiff_t>(i) * copied);
      std::fill_n(top(first + i) + last, right, 0.0);
    }
    subtract_product(top(first) + last, stride_, inverse_, kPanel, panel_.data(), copied, width,
                     right, width);
  }

  // The same for a panel of one contact, in place; the slack of a row is zero and stays so.
  void multiply_contact(int first, int right) {
    const hn::CappedTag<double, 8> d;
    const int lanes = static_cast<int>(hn::Lanes(d));
    for (int j = 0; j < right; j += lanes) {
      double* column = top(first) + first + D + j;
      hn::Vec<decltype(d)> x[D];
      for (int k = 0; k < D; ++k) x[k] = hn::LoadU(d, column + k * stride_);
      for (int i = 0; i < D; ++i) {
        auto sum = hn::Zero(d);
        for (int k = 0; k < D; ++k)
          sum = hn::NegMulAdd(hn::Set(d, inverse_[i * kPanel + k]), x[k], sum);
        hn::StoreU(sum, d, column + i * stride_);
      }
    }
  }

  // inverse_ = - the inverse of the diagonal block of a panel.
  bool invert_block(int first, int width) {
    if (width == 1) return invert_value(first);
    if (width == 2) return invert_pair(first);
    if (width == 3) return invert_triple(first);
    return invert_any(first, width);
  }
  bool invert_value(int first) {
    const double pivot = top(first)[first];
    inverse_[0] = -1 / pivot;
    return std::abs(pivot) > 1e-200;
  }
  bool invert_pair(int first) {
    const double *a = top(first) + first, *b = top(first + 1) + first;
    const double determinant = a[0] * b[1] - a[1] * b[0];
    const double factor = -1 / determinant;
    inverse_[0] = factor * b[1];
    inverse_[1] = -factor * a[1];
    inverse_[kPanel] = -factor * b[0];
    inverse_[kPanel + 1] = factor * a[0];
    return std::abs(determinant) > 1e-200;
  }
  bool invert_triple(int first) {
    const double *a = top(first) + first, *b = top(first + 1) + first, *c = top(first + 2) + first;
    const double x = b[1] * c[2] - b[2] * c[1], y = b[2] * c[0] - b[0] * c[2],
                 z = b[0] * c[1] - b[1] * c[0];
    const double determinant = a[0] * x + a[1] * y + a[2] * z;
    const double factor = -1 / determinant;
    double *p = inverse_, *q = inverse_ + kPanel, *r = inverse_ + 2 * kPanel;
    p[0] = factor * x, q[0] = factor * y, r[0] = factor * z;
    p[1] = factor * (a[2] * c[1] - a[1] * c[2]);
    q[1] = factor * (a[0] * c[2] - a[2] * c[0]);
    r[1] = factor * (a[1] * c[0] - a[0] * c[1]);
    p[2] = factor * (a[1] * b[2] - a[2] * b[1]);
    q[2] = factor * (a[2] * b[0] - a[0] * b[2]);
    r[2] = factor * (a[0] * b[1] - a[1] * b[0]);
    return std::abs(determinant) > 1e-200;
  }

  // Gauss and Jordan's method; rows are exchanged within a contact.
  bool invert_any(int first, int width) {
    for (int i = 0; i < width; ++i) {
      double* row = jordan_ + i * 2 * kPanel;
      std::fill_n(row, 2 * kPanel, 0.0);
      std::copy_n(top(first + i) + first, width, row);
      row[kPanel + i] = -1;
    }
    for (int k = 0; k < width; ++k) {
      double* pivot_row = jordan_ + k * 2 * kPanel;
      for (int i = k + 1; i < std::min((k / D + 1) * D, width); ++i) {
        double* other = jordan_ + i * 2 * kPanel;
        if (std::abs(other[k]) > std::abs(pivot_row[k]))
          std::swap_ranges(pivot_row, pivot_row + 2 * kPanel, other);
      }
      if (!(std::abs(pivot_row[k]) > 1e-200)) return false;
      const double factor = 1 / pivot_row[k];
      for (int j = 0; j < 2 * kPanel; ++j) pivot_row[j] *= factor;
      for (int i = 0; i < width; ++i) {
        double* other = jordan_ + i * 2 * kPanel;
        const double multiple = other[k];
        if (i == k || multiple == 0) continue;
        for (int j = 0; j < 2 * kPanel; ++j) other[j] -= multiple * pivot_row[j];
      }
    }
    for (int i = 0; i < width; ++i)
      std::copy_n(jordan_ + i * 2 * kPanel + kPanel, kPanel, inverse_ + i * kPanel);
    return true;
  }

  void substitute(double* x) {
    for (auto front = eliminated_.rbegin(); front != eliminated_.rend(); ++front) {
      const int* contacts = lists_.data() + front->list;
      const int p = front->pivots * D, n = front->contacts * D;
      if (static_cast<int>(local_.size()) < n) local_.resize(n);
      for (int a = front->pivots; a < front->contacts; ++a)
        std::copy_n(x + contacts[a] * D, D, local_.data() + a * D);
      const int panel = panel_rows(n);
      for (int i = p - 1; i >= 0; --i) {
        const double* u = upper_.at(front->upper) + static_cast<std::ptrdiff_t>(i) * front->stride;
        const int next = std::min((i / panel + 1) * panel, p);
        local_[i] = u[n] - dot(u + next, local_.data() + next, n - next);
      }
      for (int a = 0; a < front->pivots; ++a)
        std::copy_n(local_.data() + a * D, D, x + contacts[a] * D);
    }
  }

  Elimination plan_;
  const BlockRows<D>* W_ = nullptr;  // its pattern is read
  std::vector<double> by_rows_;      // its blocks
  std::vector<int> position_;        // of contacts in the current front
  std::vector<int> lists_;           // active contacts of all fronts
  const int* list_ = nullptr;        // of the current front, pivots first
  int pivots_ = 0, rows_ = 0, top_rows_ = 0, stride_ = 0;
  double* top_ = nullptr;     // rows of the pivots
  double* bottom_ = nullptr;  // rows of the border
  std::vector<double> panel_, local_;
  GrowingStack upper_;
  Level levels_[2];
  double inverse_[kPanel * kPanel] = {};
  double jordan_[2 * kPanel * kPanel] = {};  // a panel's block beside the identity
  std::vector<Run> runs_;
  std::vector<Eliminated> eliminated_;
};

}  // namespace HWY_NAMESPACE
}  // namespace clack
HWY_AFTER_NAMESPACE();
#endif
