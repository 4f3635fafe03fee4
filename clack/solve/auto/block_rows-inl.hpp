// The scaled operator of one island: square blocks of one size D, by rows, columns ascending.
#if defined(CLACK_SOLVE_AUTO_BLOCK_ROWS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef CLACK_SOLVE_AUTO_BLOCK_ROWS_INL
#undef CLACK_SOLVE_AUTO_BLOCK_ROWS_INL
#else
#define CLACK_SOLVE_AUTO_BLOCK_ROWS_INL
#endif

#include <hwy/highway.h>

#include <cstddef>
#include <vector>

HWY_BEFORE_NAMESPACE();
namespace clack {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// W^_ij = D_i W_ij D_j with one scalar a contact. Cones of fewer rows are padded: the extra rows
// carry the identity on the diagonal and a zero right side, so their impulses stay zero.
template <int D>
struct BlockRows {
  static constexpr int kStride = D == 3   ? 4
                                 : D >= 5 ? 8
                                          : D;  // a column of a block, padded for vector loads
  static constexpr int kBlock = kStride * D;

  int rows() const { return static_cast<int>(begin.size()) - 1; }
  const double* block(int k) const {
    return value.data() + static_cast<std::ptrdiff_t>(k) * kBlock;
  }
  double* block(int k) { return value.data() + static_cast<std::ptrdiff_t>(k) * kBlock; }

  std::vector<int> begin, column;  // the pattern is symmetric
  std::vector<int> transposed;     // index of block (j, i) for block (i, j)
  std::vector<int> diagonal;       // index of the block (i, i)
  std::vector<double> value;

  // y (kStride values) += rows of contact i of W^ x, x with D values a contact.
  void add_row_product(int i, const double* x, double* y) const {
    const hn::CappedTag<double, kStride> d;
    constexpr int kVectors =
        (kStride + static_cast<int>(hn::MaxLanes(d)) - 1) / static_cast<int>(hn::MaxLanes(d));
    constexpr int kLanes = static_cast<int>(hn::MaxLanes(d));
    hn::Vec<decltype(d)> total[kVectors];
    for (int v = 0; v < kVectors; ++v) total[v] = hn::Zero(d);
    for (int k = begin[i]; k < begin[i + 1]; ++k) {
      const double* b = block(k);
      const double* xj = x + static_cast<std::ptrdiff_t>(column[k]) * D;
      for (int c = 0; c < D; ++c) {
        const auto factor = hn::Set(d, xj[c]);
        for (int v = 0; v < kVectors; ++v) {
          total[v] = hn::MulAdd(factor, hn::LoadU(d, b + c * kStride + v * kLanes), total[v]);
        }
      }
    }
    double sum[kVectors * kLanes];
    for (int v = 0; v < kVectors; ++v) hn::StoreU(total[v], d, sum + v * kLanes);
    for (int r = 0; r < D; ++r) y[r] += sum[r];
  }

  // The same blocks with the contacts in another order: the new contact a is the old order[a].
  BlockRows permuted(const std::vector<int>& order) const {
    BlockRows other;
    std::vector<int> place(order.size()), moved(column.size());
    for (std::size_t a = 0; a < order.size(); ++a) place[order[a]] = static_cast<int>(a);
    other.begin.push_back(0);
    other.value.reserve(value.size());
    for (int i : order) {
      for (int k = begin[i]; k < begin[i + 1]; ++k) {
        moved[k] = static_cast<int>(other.column.size());
        if (column[k] == i) other.diagonal.push_back(moved[k]);
        other.column.push_back(place[column[k]]);
      }
      other.value.insert(other.value.end(), block(begin[i]), block(begin[i + 1]));
      other.begin.push_back(static_cast<int>(other.column.size()));
    }
    other.transposed.resize(column.size());
    for (std::size_t k = 0; k < column.size(); ++k)
      other.transposed[moved[k]] = moved[transposed[k]];
    return other;
  }
};

}  // namespace HWY_NAMESPACE
}  // namespace clack
HWY_AFTER_NAMESPACE();
#endif
