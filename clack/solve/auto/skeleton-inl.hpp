// Newton's system on a skeleton of W^, for islands where several contacts join the same two bodies.
//
// The rows of W^ of a group of contacts between two rigid bodies span a space of dimension 6
// (plane: 3), however many contacts there are. Where the two points of a contact are apart by its
// gap, its tangents also feel the rotation of one body across the gap: 8 (plane: 4) where the
// normals agree. With rows I and columns J that span them,
//
//     W^ = E W^_IJ F',      E and F block diagonal by groups                          (eq:skeleton)
//
// and for y = F' dr Newton's system (T W^ + S) dr = b becomes, C = F' S^-1 T E,
//
//     (C W^_IJ + I) y = F' S^-1 b,      dr = S^-1 (b - T E W^_IJ y),
//
// again of the form that FrontSolver factorises, with K rows a group instead of D a contact.
#if defined(CLACK_SOLVE_AUTO_SKELETON_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef CLACK_SOLVE_AUTO_SKELETON_INL
#undef CLACK_SOLVE_AUTO_SKELETON_INL
#else
#define CLACK_SOLVE_AUTO_SKELETON_INL
#endif

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <vector>

#include "clack/solve/auto/front_solver-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace clack {
namespace HWY_NAMESPACE {

template <int D, int K>
class Skeleton {
 public:
  // Finds the groups and orders their elimination; false where it would not pay or where W^ does
  // not have the structure.
  bool plan(const BlockRows<D>& W) {
    if (planned_ && W.column == planned_for_.column && W.value == planned_for_.value) return true;
    planned_ = make_plan(W);
    if (planned_) planned_for_ = W;
    return planned_;
  }
  double flops() const { return fronts_.flops(); }

  // As FrontSolver::solve, contacts in the order of plan().
  bool solve(const double* T, const double* S, const std::vector<char>& active, const double* rhs,
             double* x) {
    const int groups = compressed_.rows();
    C_.assign(groups * K * K, 0.0);
    identity_.assign(groups * K * K, 0.0);
    rhs_.assign(groups * K, 0.0);
    y_.assign(groups * K, 0.0);
    state_.assign(groups, kOpen);
    for (int g = 0; g < groups; ++g) {
      for (int k = 0; k < K; ++k) identity_[(g * K + k) * K + k] = 1;
      for (int m = begin_[g]; m < begin_[g + 1]; ++m) {
        const int i = member_[m];
        if (active[i] != kOpen) add_contact(g, i, T, S, rhs);
      }
    }
    if (!fronts_.solve(C_.data(), identity_.data(), state_, rhs_.data(), y_.data())) return false;
    recover(T, active, rhs, x);
    return true;
  }

 private:
  using Matrix = Eigen::MatrixXd;
  using Block = Eigen::Matrix<double, D, D, Eigen::RowMajor>;
  using Tall = Eigen::Matrix<double, D, K, Eigen::RowMajor>;
  using Wide = Eigen::Matrix<double, K, K, Eigen::RowMajor>;
  using Local = Eigen::Matrix<double, D, 1>;
  using Reduced = Eigen::Matrix<double, K, 1>;

  static constexpr bool kWide = K > 6 || (D == 2 && K > 3);
  static constexpr int kSketch = 16;  // columns

  bool make_plan(const BlockRows<D>& W) {
    const int n = W.rows();
    group_ = find_twins(W.begin, W.column);
    const int groups = *std::max_element(group_.begin(), group_.end()) + 1;
    if (groups * K > 0.6 * n * D) return false;
    gather_members(groups);
    rows_.assign(groups * K, -1);
    columns_.assign(groups * K, -1);
    E_.assign(static_cast<std::size_t>(n) * D * K, 0.0);
    F_.assign(static_cast<std::size_t>(n) * D * K, 0.0);
    for (int g = 0; g < groups; ++g) {
      if (!(kWide ? span_wide_group(W, g) : span_group(W, g))) return false;
    }
    gather_blocks(W);
    if (!reproduces(W)) return false;
    const std::vector<int> order = fronts_.plan(compressed_).order;
    compressed_ = compressed_.permuted(order);
    fronts_.bind(compressed_);
    reorder(order);
    return true;
  }

  void gather_members(int groups) {
    begin_.assign(groups + 1, 0);
    for (int g : group_) ++begin_[g + 1];
    for (int g = 0; g < groups; ++g) begin_[g + 1] += begin_[g];
    member_.resize(group_.size());
    std::vector<int> next(begin_.begin(), begin_.end() - 1);
    for (int i = 0; i < static_cast<int>(group_.size()); ++i) member_[next[group_[i]]++] = i;
  }

  // The diagonal block of a group.
  void gather_group(const BlockRows<D>& W, int g, Matrix& A) const {
    const int first = begin_[g], size = (begin_[g + 1] - first) * D;
    A.setZero(size, size);
    for (int a = 0; a < size / D; ++a) {
      const int i = member_[first + a];
      for (int k = W.begin[i]; k < W.begin[i + 1]; ++k) {
        if (group_[W.column[k]] != g) continue;
        const int b = index_in_group(W.column[k], first);
        for (int c = 0; c < D; ++c) {
          for (int r = 0; r < D; ++r)
            A(a * D + r, b * D + c) = W.block(k)[c * BlockRows<D>::kStride + r];
        }
      }
    }
  }

  // Chooses the rows and columns that span a group by elimination with complete pivoting.
  bool span_group(const BlockRows<D>& W, int g) {
    const int first = begin_[g], size = (begin_[g + 1] - first) * D;
    Matrix A;
    gather_group(W, g, A);
    Eigen::FullPivLU<Matrix> lu(A);
    lu.setThreshold(1e-11);
    const int rank = static_cast<int>(lu.rank());
    if (rank > K) return false;
    // A = P^-1 L U Q^-1: the first `rank` rows of P A and columns of A Q span the rest.
    const Matrix L = lu.matrixLU().leftCols(rank).template triangularView<Eigen::UnitLower>();
    const Matrix U = lu.matrixLU().topRows(rank).template triangularView<Eigen::Upper>();
    const Matrix rows = L.topRows(rank)
                            .template triangularView<Eigen::UnitLower>()
                            .template solve<Eigen::OnTheRight>(L);
    const Matrix columns = U.leftCols(rank).template triangularView<Eigen::Upper>().solve(U);
    const auto& p = lu.permutationP().indices();
    const auto& q = lu.permutationQ().indices();
    for (int i = 0; i < size;
         ++i) {  // row i of A is row p[i] of L, column q[i] of A is column i of U
      const int from_row = p[i], from_column = i;
      const int row = member_[first + i / D] * D + i % D;
      const int column = member_[first + q[from_column] / D] * D + q[from_column] % D;
      for (int k = 0; k < rank; ++k) {
        E_[static_cast<std::size_t>(row) * K + k] = rows(from_row, k);
        F_[static_cast<std::size_t>(column) * K + k] = columns(k, from_column);
      }
      if (from_row < rank) rows_[g * K + from_row] = row;
      if (from_column < rank) columns_[g * K + from_column] = column;
    }
    return true;
  }

  // The same where the diagonal block does not show all: the gap enters it squared, at 1e-9 and
  // below, and the blocks beside it once. Sums of those, with weights that have no structure, stand
  // beside the diagonal block.
  bool span_wide_group(const BlockRows<D>& W, int g) {
    const int first = begin_[g], size = (begin_[g + 1] - first) * D;
    Matrix A, rows(size, size + kSketch), columns(size, size + kSketch);
    gather_group(W, g, A);
    rows << A, Matrix::Zero(size, kSketch);
    columns << A.transpose(), Matrix::Zero(size, kSketch);
    for (int a = 0; a < size / D; ++a) {
      const int i = member_[first + a];
      for (int k = W.begin[i]; k < W.begin[i + 1]; ++k) {
        const int j = W.column[k];
        if (group_[j] == g) continue;
        const double *block = W.block(k), *mirror = W.block(W.transposed[k]);
        for (int c = 0; c < D; ++c) {
          const int sum = size + sketch_column(j * D + c);
          const double weight = sketch_weight(j * D + c);
          for (int r = 0; r < D; ++r) {
            rows(a * D + r, sum) += weight * block[c * BlockRows<D>::kStride + r];
            columns(a * D + r, sum) += weight * mirror[r * BlockRows<D>::kStride + c];
          }
        }
      }
    }
    return span_rows(rows, g, E_, rows_) && span_rows(columns, g, F_, columns_);
  }
  static int sketch_column(int k) { return static_cast<int>((k * 2654435761u) >> 28); }
  static double sketch_weight(int k) { return std::sin(1.0 + 1.7 * k); }

  // Rows of A that span the others, and how.
  bool span_rows(const Matrix& A, int g, std::vector<double>& combination,
                 std::vector<int>& chosen) const {
    Eigen::FullPivLU<Matrix> lu(A);
    lu.setThreshold(1e-11);
    const int rank = static_cast<int>(lu.rank());
    if (rank > K) return false;
    const Matrix L = lu.matrixLU().leftCols(rank).template triangularView<Eigen::UnitLower>();
    const Matrix all = L.topRows(rank)
                           .template triangularView<Eigen::UnitLower>()
                           .template solve<Eigen::OnTheRight>(L);
    const auto& p = lu.permutationP().indices();
    for (int i = 0; i < A.rows(); ++i) {
      const int row = member_[begin_[g] + i / D] * D + i % D;
      for (int k = 0; k < rank; ++k)
        combination[static_cast<std::size_t>(row) * K + k] = all(p[i], k);
      if (p[i] < rank) chosen[g * K + p[i]] = row;
    }
    return true;
  }

  int index_in_group(int contact, int first) const {
    int b = 0;
    while (member_[first + b] != contact) ++b;
    return b;
  }

  // W^_IJ as blocks of K x K between groups, by the rows of the first member of each.
  void gather_blocks(const BlockRows<D>& W) {
    const int groups = static_cast<int>(begin_.size()) - 1;
    compressed_ = {};
    compressed_.begin.assign(1, 0);
    std::vector<int> place(groups, -1);
    for (int g = 0; g < groups; ++g) {
      const int head = member_[begin_[g]];
      const int start = static_cast<int>(compressed_.column.size());
      for (int k = W.begin[head]; k < W.begin[head + 1]; ++k) {
        const int h = group_[W.column[k]];
        if (place[h] >= start) continue;
        place[h] = static_cast<int>(compressed_.column.size());
        compressed_.column.push_back(h);
      }
      std::sort(compressed_.column.begin() + start, compressed_.column.end());
      compressed_.begin.push_back(static_cast<int>(compressed_.column.size()));
    }
    link_blocks();
    fill_blocks(W);
  }

  void link_blocks() {
    const int groups = compressed_.rows();
    std::vector<int> next(compressed_.begin.begin(), compressed_.begin.end() - 1);
    compressed_.transposed.resize(compressed_.column.size());
    compressed_.diagonal.resize(groups);
    for (int g = 0; g < groups; ++g) {
      for (int k = compressed_.begin[g]; k < compressed_.begin[g + 1]; ++k) {
        if (compressed_.column[k] == g) compressed_.diagonal[g] = k;
        compressed_.transposed[k] = next[compressed_.column[k]]++;  // rows come in ascending order
      }
    }
  }

  void fill_blocks(const BlockRows<D>& W) {
    constexpr int block = BlockRows<K>::kBlock, stride = BlockRows<K>::kStride;
    compressed_.value.assign(compressed_.column.size() * block, 0.0);
    const int groups = compressed_.rows();
    std::vector<int> place(groups, -1), slot(W.rows() * D, -1);  // of columns in their groups
    for (int c = 0; c < groups * K; ++c) {
      if (columns_[c] >= 0) slot[columns_[c]] = c % K;
    }
    for (int g = 0; g < groups; ++g) {
      for (int k = compressed_.begin[g]; k < compressed_.begin[g + 1]; ++k)
        place[compressed_.column[k]] = k;
      for (int a = 0; a < K; ++a) {
        const int row = rows_[g * K + a];
        if (row < 0) continue;
        const int i = row / D;
        for (int k = W.begin[i]; k < W.begin[i + 1]; ++k) {
          const int j = W.column[k];
          double* target =
              compressed_.value.data() + static_cast<std::ptrdiff_t>(place[group_[j]]) * block;
          for (int c = 0; c < D; ++c) {
            const int b = slot[j * D + c];
            if (b >= 0) target[b * stride + a] = W.block(k)[c * BlockRows<D>::kStride + row % D];
          }
        }
      }
    }
  }

  // Compares E W_IJ F' x with W x for one vector without structure.
  bool reproduces(const BlockRows<D>& W) const {
    const int n = W.rows(), groups = compressed_.rows();
    std::vector<double> x(n * D), y(groups * K, 0.0);
    for (int i = 0; i < n * D; ++i) x[i] = std::sin(1.0 + 1.7 * i) / (1 + i % 3);
    for (int i = 0; i < n; ++i) {
      Eigen::Map<Reduced>(y.data() + group_[i] * K) +=
          Eigen::Map<const Tall>(F_.data() + i * D * K).transpose() *
          Eigen::Map<const Local>(x.data() + i * D);
    }
    double error = 0, size = 0;
    for (int g = 0; g < groups; ++g) {
      double z[BlockRows<K>::kStride] = {};
      compressed_.add_row_product(g, y.data(), z);
      for (int m = begin_[g]; m < begin_[g + 1]; ++m) {
        const int i = member_[m];
        double exact[BlockRows<D>::kStride] = {};
        W.add_row_product(i, x.data(), exact);
        const Local found =
            Eigen::Map<const Tall>(E_.data() + i * D * K) * Eigen::Map<const Reduced>(z);
        for (int k = 0; k < D; ++k) {
          error += (found[k] - exact[k]) * (found[k] - exact[k]);
          size += exact[k] * exact[k];
        }
      }
    }
    return error <= 1e-18 * size;
  }

  // Groups in the order of elimination; the contacts keep theirs.
  void reorder(const std::vector<int>& order) {
    std::vector<int> begin(1, 0), member;
    for (std::size_t g = 0; g < order.size(); ++g) {
      for (int m = begin_[order[g]]; m < begin_[order[g] + 1]; ++m) {
        member.push_back(member_[m]);
        group_[member_[m]] = static_cast<int>(g);
      }
      begin.push_back(static_cast<int>(member.size()));
    }
    begin_ = std::move(begin);
    member_ = std::move(member);
  }

  void add_contact(int g, int i, const double* T, const double* S, const double* rhs) {
    state_[g] = kSliding;
    const Eigen::Map<const Tall> E(E_.data() + i * D * K), F(F_.data() + i * D * K);
    inverse_.resize(group_.size());
    inverse_[i] = Eigen::Map<const Block>(S + i * D * D).inverse();
    const Eigen::Matrix<double, K, D> left = F.transpose() * inverse_[i];
    Eigen::Map<Wide>(C_.data() + g * K * K).noalias() +=
        left * (Eigen::Map<const Block>(T + i * D * D) * E);
    Eigen::Map<Reduced>(rhs_.data() + g * K).noalias() +=
        left * Eigen::Map<const Local>(rhs + i * D);
  }

  void recover(const double* T, const std::vector<char>& active, const double* rhs,
               double* x) const {
    for (int g = 0; g < compressed_.rows(); ++g) {
      if (state_[g] == kOpen) continue;
      double z[BlockRows<K>::kStride] = {};
      compressed_.add_row_product(g, y_.data(), z);
      for (int m = begin_[g]; m < begin_[g + 1]; ++m) {
        const int i = member_[m];
        if (active[i] == kOpen) continue;
        const Local change =
            Eigen::Map<const Tall>(E_.data() + i * D * K) * Eigen::Map<const Reduced>(z);
        Eigen::Map<Local>(x + i * D) =
            inverse_[i] * (Eigen::Map<const Local>(rhs + i * D) -
                           Eigen::Map<const Block>(T + i * D * D) * change);
      }
    }
  }

  bool planned_ = false;
  BlockRows<D>
      planned_for_;  // a problem that comes again, with another right side, needs no new plan
  FrontSolver<K> fronts_;
  BlockRows<K> compressed_;          // W^_IJ
  std::vector<int> group_;           // of each contact
  std::vector<int> begin_, member_;  // contacts of each group
  std::vector<int> rows_, columns_;  // I and J: K a group, -1 where the rank is smaller
  std::vector<double> E_, F_;        // D x K by rows a contact
  std::vector<double> C_, identity_, rhs_, y_;
  std::vector<Block> inverse_;  // S^-1 of each active contact
  std::vector<char> state_;
};

}  // namespace HWY_NAMESPACE
}  // namespace clack
HWY_AFTER_NAMESPACE();
#endif
