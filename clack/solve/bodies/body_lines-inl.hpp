// Body lines to vectors and back: full-line loads and transposition in registers, no gathers.
#if defined(CLACK_SOLVE_BODIES_BODY_LINES_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef CLACK_SOLVE_BODIES_BODY_LINES_INL
#undef CLACK_SOLVE_BODIES_BODY_LINES_INL
#else
#define CLACK_SOLVE_BODIES_BODY_LINES_INL
#endif

#include <hwy/highway.h>

#include "clack/solve/bodies/contact_batches.hpp"

HWY_BEFORE_NAMESPACE();
namespace clack {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using BatchTag = hn::CappedTag<double, kBatchLanes>;
using BatchVec = hn::Vec<BatchTag>;
inline constexpr int kWidth = static_cast<int>(hn::MaxLanes(BatchTag()));
static_assert(kBatchLanes % kWidth == 0);

// m[i] = line i on entry, component i on return; its own inverse.
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
HWY_INLINE void transpose_blocks(BatchVec& a, BatchVec& b, BatchVec& c, BatchVec& d) {
  const auto x = _mm512_shuffle_f64x2(a.raw, b.raw, 0x88),
             y = _mm512_shuffle_f64x2(a.raw, b.raw, 0xdd);
  const auto z = _mm512_shuffle_f64x2(c.raw, d.raw, 0x88),
             w = _mm512_shuffle_f64x2(c.raw, d.raw, 0xdd);
  a.raw = _mm512_shuffle_f64x2(x, z, 0x88);
  b.raw = _mm512_shuffle_f64x2(y, w, 0x88);
  c.raw = _mm512_shuffle_f64x2(x, z, 0xdd);
  d.raw = _mm512_shuffle_f64x2(y, w, 0xdd);
}

HWY_INLINE void transpose(BatchVec* m) {
  const BatchTag d;
  for (int i = 0; i < 8; i += 2) {
    const BatchVec even = m[i], odd = m[i + 1];
    m[i] = hn::InterleaveLower(d, even, odd);
    m[i + 1] = hn::InterleaveUpper(d, even, odd);
  }
  transpose_blocks(m[0], m[2], m[4], m[6]);
  transpose_blocks(m[1], m[3], m[5], m[7]);
}
#elif HWY_TARGET == HWY_SCALAR
HWY_INLINE void transpose(BatchVec*) {}
#else
// kWidth x kWidth.
HWY_INLINE void transpose(BatchVec* m) {
  const BatchTag d;
  if constexpr (kWidth == 2) {
    const BatchVec first = m[0];
    m[0] = hn::InterleaveLower(d, first, m[1]);
    m[1] = hn::InterleaveUpper(d, first, m[1]);
  } else if constexpr (kWidth == 4) {
    const BatchVec a = hn::InterleaveLower(d, m[0], m[1]), b = hn::InterleaveUpper(d, m[0], m[1]);
    const BatchVec c = hn::InterleaveLower(d, m[2], m[3]), e = hn::InterleaveUpper(d, m[2], m[3]);
    m[0] = hn::ConcatLowerLower(d, c, a);
    m[1] = hn::ConcatLowerLower(d, e, b);
    m[2] = hn::ConcatUpperUpper(d, c, a);
    m[3] = hn::ConcatUpperUpper(d, e, b);
  }
}
#endif

// A line as its eight numbers.
HWY_INLINE double* values(BodyLine* line) { return reinterpret_cast<double*>(line); }
HWY_INLINE const double* values(const BodyLine* line) {
  return reinterpret_cast<const double*>(line);
}

// The lines of kWidth bodies by component: v in 0 to 2, s in 3 to 5, inverse mass.
struct LineVectors {
  BatchVec x[8];

  HWY_INLINE void load(const BodyLine* lines, const std::int32_t* ids) {
    const BatchTag d;
    for (int part = 0; part < 8; part += kWidth) {
      for (int i = 0; i < kWidth; ++i) x[part + i] = hn::Load(d, values(lines + ids[i]) + part);
      transpose(x + part);
    }
  }

  HWY_INLINE void store(BodyLine* lines, const std::int32_t* ids) {
    const BatchTag d;
    for (int part = 0; part < 8; part += kWidth) {
      transpose(x + part);
      for (int i = 0; i < kWidth; ++i) hn::Store(x[part + i], d, values(lines + ids[i]) + part);
    }
  }

  HWY_INLINE BatchVec& v(int k) { return x[k]; }
  HWY_INLINE BatchVec& s(int k) { return x[3 + k]; }
  HWY_INLINE const BatchVec& v(int k) const { return x[k]; }
  HWY_INLINE const BatchVec& s(int k) const { return x[3 + k]; }
  HWY_INLINE const BatchVec& inverse_mass() const { return x[6]; }
  HWY_INLINE const BatchVec& root() const { return x[7]; }
};

}  // namespace HWY_NAMESPACE
}  // namespace clack
HWY_AFTER_NAMESPACE();
#endif
