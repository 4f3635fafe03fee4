#include "clack/solve/auto/dense_kernels.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "clack/solve/auto/dense_kernels.cpp"
#include <hwy/foreach_target.h>
// foreach_target must come first
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace clack {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// A tile of C, Rows x (Vectors vectors), in registers, running over k.
template <int Rows, int Vectors>
HWY_INLINE void update_tile(double* C, std::ptrdiff_t ldc, const double* A, std::ptrdiff_t lda,
                            const double* B, std::ptrdiff_t ldb, int k) {
  const hn::CappedTag<double, kVectorSlack> d;
  const auto lanes = static_cast<std::ptrdiff_t>(hn::Lanes(d));
  hn::Vec<decltype(d)> sum[Rows][Vectors];
  for (int i = 0; i < Rows; ++i) {
    for (int v = 0; v < Vectors; ++v) sum[i][v] = hn::LoadU(d, C + i * ldc + v * lanes);
  }
  for (int l = 0; l < k; ++l) {
    hn::Vec<decltype(d)> b[Vectors];
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
  const hn::CappedTag<double, kVectorSlack> d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  int j = 0;
  for (; j + lanes < n; j += 2 * lanes) update_tile<Rows, 2>(C + j, ldc, A, lda, B + j, ldb, k);
  if (j < n) update_tile<Rows, 1>(C + j, ldc, A, lda, B + j, ldb, k);
}

void SubtractProduct(double* C, std::ptrdiff_t ldc, const double* A, std::ptrdiff_t lda,
                     const double* B, std::ptrdiff_t ldb, int m, int n, int k) {
  int i = 0;
  for (; i + 4 <= m; i += 4) update_rows<4>(C + i * ldc, ldc, A + i * lda, lda, B, ldb, n, k);
  for (; i + 2 <= m; i += 2) update_rows<2>(C + i * ldc, ldc, A + i * lda, lda, B, ldb, n, k);
  if (i < m) update_rows<1>(C + i * ldc, ldc, A + i * lda, lda, B, ldb, n, k);
}

const char* VectorTarget() { return hwy::TargetName(HWY_TARGET); }

}  // namespace HWY_NAMESPACE
}  // namespace clack
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace clack {

HWY_EXPORT(SubtractProduct);
HWY_EXPORT(VectorTarget);

void subtract_product(double* C, std::ptrdiff_t ldc, const double* A, std::ptrdiff_t lda,
                      const double* B, std::ptrdiff_t ldb, int m, int n, int k) {
  HWY_DYNAMIC_DISPATCH(SubtractProduct)(C, ldc, A, lda, B, ldb, m, n, k);
}

const char* vector_target() { return HWY_DYNAMIC_DISPATCH(VectorTarget)(); }

}  // namespace clack
#endif
