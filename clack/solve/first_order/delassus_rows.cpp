#include "clack/solve/first_order/delassus_rows.hpp"

#include <algorithm>
#include <cassert>
#include <typeinfo>

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#define CLACK_WIDE_ROWS 1
#else
#define CLACK_WIDE_ROWS 0
#endif

namespace clack {
namespace {

bool has_wide_registers() {
#if CLACK_WIDE_ROWS
  static const bool has = __builtin_cpu_supports("avx");
  return has;
#else
  return false;
#endif
}

}  // namespace

void DelassusRows::bind(const ReducedProblem& problem) {
  assert(problem.is_consistent());
  problem_ = problem;
  uniform_ = 0;
  dense_ = nullptr;
  // Both classes are final: comparing types is enough, and cheaper than a dynamic cast.
  const std::type_info& type = typeid(*problem.W);
  if (type == typeid(DenseDelassus)) {
    dense_ = static_cast<const DenseDelassus&>(*problem.W).matrix().data();
  } else if (type == typeid(BlockSparse)) {
    bind_sparse(static_cast<const BlockSparse&>(*problem.W));
  }
  if (uniform_ == 0) copy_blocks();
}

void DelassusRows::bind_sparse(const BlockSparse& W) {
  const int dim = W.uniform_dim();
  const bool has_kernel = dim >= 1 && dim <= Cone::kMaxDim;
  if (!has_kernel || !std::ranges::equal(W.offset(), problem_.offset)) return;
  sparse_ = &W;
  columns_ = W.columns().data();
  row_pointer_ = W.row_pointer().data();
  wide_ = has_wide_registers();
  uniform_ = dim;
}

#if CLACK_WIDE_ROWS
__attribute__((target("avx"))) void DelassusRows::sparse_row_wide(int contact, const double* r,
                                                                  double* b) const {
  const int first = row_pointer_[contact], diagonal = sparse_->diagonal_index(contact);
  const double* block = sparse_->values().data() + static_cast<std::ptrdiff_t>(first) * 9;
  __m256d s0 = _mm256_setzero_pd(), s1 = s0, s2 = s0;
  const int end = row_pointer_[contact + 1];
  int stop = diagonal;
  for (int k = first;; ++k, block += 9) {
    if (k == stop) {
      if (stop == end || ++k == end) break;  // skips the diagonal
      block += 9;
      stop = end;
    }
    const double* rj = r + static_cast<std::ptrdiff_t>(columns_[k]) * 3;
    const __m256d p0 = _mm256_mul_pd(_mm256_loadu_pd(block), _mm256_broadcast_sd(rj));
    const __m256d p1 = _mm256_mul_pd(_mm256_loadu_pd(block + 3), _mm256_broadcast_sd(rj + 1));
    // The third column sits in the upper lanes, so that nothing behind the block is read.
    const __m256d p2 = _mm256_mul_pd(_mm256_loadu_pd(block + 5), _mm256_broadcast_sd(rj + 2));
    s0 = _mm256_add_pd(s0, p0);
    s1 = _mm256_add_pd(s1, p1);
    s2 = _mm256_add_pd(s2, p2);
  }
  // Extracted lane by lane: through memory the compiler would keep a sum there during the loop.
  const double* u_free = problem_.u_free + static_cast<std::ptrdiff_t>(contact) * 3;
  const __m128d low2 = _mm256_castpd256_pd128(s2), high2 = _mm256_extractf128_pd(s2, 1);
  __m128d pair = _mm_add_pd(_mm_loadu_pd(u_free), _mm256_castpd256_pd128(s0));
  pair = _mm_add_pd(_mm_add_pd(pair, _mm256_castpd256_pd128(s1)), _mm_shuffle_pd(low2, high2, 1));
  __m128d last = _mm_add_sd(_mm_load_sd(u_free + 2), _mm256_extractf128_pd(s0, 1));
  last = _mm_add_sd(_mm_add_sd(last, _mm256_extractf128_pd(s1, 1)), _mm_unpackhi_pd(high2, high2));
  _mm_storeu_pd(b, pair);
  _mm_store_sd(b + 2, last);
}
#else
void DelassusRows::sparse_row_wide(int contact, const double* r, double* b) const {
  sparse_row<3>(contact, r, b);
}
#endif

void DelassusRows::copy_blocks() {
  begin_.clear();
  int total = 0;
  for (const Cone& cone : problem_.cones) {
    begin_.push_back(total);
    total += cone.dim() * cone.dim();
  }
  copied_.resize(static_cast<std::size_t>(total));
  for (int c = 0; c < problem_.contacts(); ++c) {
    const auto i = static_cast<std::size_t>(c);
    problem_.W->diagonal_block(problem_.offset[i], problem_.cones[i].dim(),
                               copied_.data() + begin_[i]);
  }
}

void DelassusRows::dense_row(int contact, const double* r, double* b) const {
  const auto c = static_cast<std::size_t>(contact);
  const int begin = problem_.offset[c], end = problem_.offset[c + 1], dim = end - begin;
  const int m = problem_.offset.back();
  std::copy_n(problem_.u_free + begin, dim, b);
  const auto add_columns = [&](int from, int to) {
    const double* column = dense_ + static_cast<std::ptrdiff_t>(from) * m + begin;
    for (int j = from; j < to; ++j, column += m) {
      for (int i = 0; i < dim; ++i) b[i] += column[i] * r[j];
    }
  };
  add_columns(0, begin);
  add_columns(end, m);
}

void DelassusRows::general_row(int contact, const double* r, double* b) const {
  const auto c = static_cast<std::size_t>(contact);
  const int begin = problem_.offset[c], dim = problem_.offset[c + 1] - begin;
  const double* own = block(contact);
  problem_.W->multiply_rows(begin, dim, r, b);
  for (int i = 0; i < dim; ++i) {
    b[i] += problem_.u_free[begin + i];
    for (int j = 0; j < dim; ++j) b[i] -= own[i + j * dim] * r[begin + j];
  }
}

}  // namespace clack
