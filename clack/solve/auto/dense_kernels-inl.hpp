// Dense kernels of the factorisation. Compiled once for each instruction set: see
// island_worker.cpp.
#if defined(CLACK_SOLVE_AUTO_DENSE_KERNELS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef CLACK_SOLVE_AUTO_DENSE_KERNELS_INL
#undef CLACK_SOLVE_AUTO_DENSE_KERNELS_INL
#else
#define CLACK_SOLVE_AUTO_DENSE_KERNELS_INL
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>

HWY_BEFORE_NAMESPACE();
namespace clack {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

inline constexpr int kVectorSlack =
    8;  // values behind the end of a row that whole vectors may touch
using Tag = hn::CappedTag<double, kVectorSlack>;

// A tile of C, Rows x (Vectors vectors), in registers, running over k.
template <int Rows, int Vectors>
HWY_INLINE void update_tile(double* C, std::ptrdiff_t ldc, const double* A, std::ptrdiff_t lda,
                            const double* B, std::ptrdiff_t ldb, int k) {
  const Tag d;
  const auto lanes = static_cast<std::ptrdiff_t>(hn::Lanes(d));
  hn::Vec<Tag> sum[Rows][Vectors];
  for (int i = 0; i < Rows; ++i) {
    for (int v = 0; v < Vectors; ++v) sum[i][v] = hn::LoadU(d, C + i * ldc + v * lanes);
  }
  for (int l = 0; l < k; ++l) {
    hn::Vec<Tag> b[Vectors];
    for (int v = 0; v < Vectors; ++v) b[v] = hn::LoadU(d, B + l * ldb + v * lanes);
    for (int i = 0; i < Rows; ++i) {
      const auto a = hn::Set(d, A[i * lda + l]);
      for (int v = 0; v < Vectors; ++v) sum[i][v] = hn::NegMulAdd(a, b[v], sum[i][v]);
    }
  }
  for (int i = 0; i < Rows; ++i) {
    for (int v = 0; v < Vectors; ++v) hn::StoreU(sum[i][v], d, C + i * ldc + v * lanes);
  }
}

template <int Rows>
HWY_INLINE void update_rows(double* C, std::ptrdiff_t ldc, const double* A, std::ptrdiff_t lda,
                            const double* B, std::ptrdiff_t ldb, int n, int k) {
  const int lanes = static_cast<int>(hn::Lanes(Tag()));
  int j = 0;
  for (; j + lanes < n; j += 2 * lanes) update_tile<Rows, 2>(C + j, ldc, A, lda, B + j, ldb, k);
  if (j < n) update_tile<Rows, 1>(C + j, ldc, A, lda, B + j, ldb, k);
}

// C -= A B, all by rows: C m x n with rows ldc apart, A m x k (lda), B k x n (ldb). Works in whole
// vectors: rows of B and C must have kVectorSlack - 1 more values than n, those of B zero.
inline void subtract_product(double* C, std::ptrdiff_t ldc, const double* A, std::ptrdiff_t lda,
                             const double* B, std::ptrdiff_t ldb, int m, int n, int k) {
  int i = 0;
  for (; i + 4 <= m; i += 4) update_rows<4>(C + i * ldc, ldc, A + i * lda, lda, B, ldb, n, k);
  for (; i + 2 <= m; i += 2) update_rows<2>(C + i * ldc, ldc, A + i * lda, lda, B, ldb, n, k);
  if (i < m) update_rows<1>(C + i * ldc, ldc, A + i * lda, lda, B, ldb, n, k);
}

// Eight sums, however many vectors they take, added up in pairs, then the rest one by one: the same
// bits with vectors of any width.
inline double dot(const double* x, const double* y, int n) {
  const Tag d;
  constexpr int lanes = static_cast<int>(hn::MaxLanes(d)), vectors = kVectorSlack / lanes;
  hn::Vec<Tag> sum[vectors];
  for (int v = 0; v < vectors; ++v) sum[v] = hn::Zero(d);
  int i = 0;
  for (; i + kVectorSlack <= n; i += kVectorSlack) {
    for (int v = 0; v < vectors; ++v)
      sum[v] = hn::MulAdd(hn::LoadU(d, x + i + v * lanes), hn::LoadU(d, y + i + v * lanes), sum[v]);
  }
  double s[kVectorSlack];
  for (int v = 0; v < vectors; ++v) hn::StoreU(sum[v], d, s + v * lanes);
  double total = ((s[0] + s[1]) + (s[2] + s[3])) + ((s[4] + s[5]) + (s[6] + s[7]));
  for (; i < n; ++i) total += x[i] * y[i];
  return total;
}

}  // namespace HWY_NAMESPACE
}  // namespace clack
HWY_AFTER_NAMESPACE();
#endif
