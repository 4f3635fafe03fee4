// The passes of BatchKernels over the batches of one block, for both kinds of contacts.
#if defined(CLACK_SOLVE_BODIES_BATCH_PASSES_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef CLACK_SOLVE_BODIES_BATCH_PASSES_INL
#undef CLACK_SOLVE_BODIES_BATCH_PASSES_INL
#else
#define CLACK_SOLVE_BODIES_BATCH_PASSES_INL
#endif

#include <hwy/highway.h>

#include <algorithm>

#include "clack/solve/bodies/batch_laws-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace clack {
namespace HWY_NAMESPACE {

// GCC hands the vector instructions of a function on to its lambdas only when told so.
#undef CLACK_INLINE_LAMBDA
#define CLACK_INLINE_LAMBDA HWY_ATTR __attribute__((always_inline))

// A sum for each of the eight lanes of a batch, however many vectors they take, added up in pairs:
// the same bits with vectors of any width.
class LaneSums {
 public:
  HWY_INLINE LaneSums() {
    for (BatchVec& part : parts_) part = hn::Zero(BatchTag());
  }
  // Of the vector that starts at this lane.
  HWY_INLINE BatchVec& at(int lane) { return parts_[lane / kWidth]; }
  HWY_INLINE void add(int lane, BatchVec x) { at(lane) = hn::Add(at(lane), x); }

  HWY_INLINE double total() const {
    HWY_ALIGN double x[kBatchLanes];
    for (int lane = 0; lane < kBatchLanes; lane += kWidth)
      hn::Store(parts_[lane / kWidth], BatchTag(), x + lane);
    return ((x[0] + x[1]) + (x[2] + x[3])) + ((x[4] + x[5]) + (x[6] + x[7]));
  }

 private:
  BatchVec parts_[kBatchLanes / kWidth];
};

// Records are asked for so many batches before they are needed, into the second cache (hint 2):
// the first one has too few misses under way at a time to keep the memory busy.
inline constexpr int kAhead = 16;

// The lines of the next chunk, a few with each batch: from memory they take longer than a block.
class LinesOfNextChunk {
 public:
  HWY_INLINE LinesOfNextChunk(const BatchView& view, const BatchBlock& block)
      : view_(view),
        at_(block.ahead_begin),
        first_end_(block.ahead_first_end),
        end_(block.ahead_end) {
    const int batches = std::max(block.end - block.begin, 1);
    step_ = (end_ - at_ + batches - 1) / batches;
  }
  HWY_INLINE void prefetch() {
    const int stop = std::min(at_ + step_, end_), first_stop = std::min(stop, first_end_);
    for (int i = at_; i < first_stop; ++i)
      __builtin_prefetch(view_.previous_lines + view_.visits[i], 0, 2);
    for (; at_ < stop; ++at_) __builtin_prefetch(view_.lines + view_.visits[at_], 1, 2);
  }

 private:
  const BatchView& view_;
  int at_, first_end_, end_, step_;
};

// Calls act(record, ids a, ids b, batch over all kinds, lane) for each group of lanes of a block.
template <class Contacts, class Act>
HWY_INLINE void for_each_group(const BatchView& view, const BatchBlock& block, Act&& act) {
  constexpr auto kind = static_cast<std::size_t>(Contacts::kKind);
  constexpr int rows = record_rows(Contacts::kKind);
  LinesOfNextChunk next_chunk(view, block);
  for (int batch = block.begin; batch < block.end; ++batch) {
    const BatchIds& ids = view.ids[kind][batch];
    double* record = view.rows[kind][std::ptrdiff_t{batch} * rows].lane;
    for (int k = 0; k < rows; ++k)
      __builtin_prefetch(record + (kAhead * rows + k) * kBatchLanes, 0, 2);
    next_chunk.prefetch();
    for (int lane = 0; lane < kBatchLanes; lane += kWidth) {
      act(record + lane, ids.a + lane, ids.b + lane, block.first + batch - block.begin, lane);
    }
  }
}

template <class Contacts>
struct GroupBodies {
  LineVectors a, b;

  HWY_INLINE GroupBodies(const BodyLine* lines, const std::int32_t* ids_a,
                         const std::int32_t* ids_b) {
    if constexpr (Contacts::kPair) a.load(lines, ids_a);
    b.load(lines, ids_b);
  }
  HWY_INLINE void store(BodyLine* lines, const std::int32_t* ids_a, const std::int32_t* ids_b) {
    if constexpr (Contacts::kPair) a.store(lines, ids_a);
    b.store(lines, ids_b);
  }
};

template <class Contacts>
BatchSums complete_block(const BatchView& view, const BatchBlock& block) {
  LaneSums plain, scaled;
  if constexpr (Contacts::kIsSphere) {
    for_each_group<Contacts>(
        view, block,
        [&](double* record, const auto* a, const auto* b, int batch, int lane) CLACK_INLINE_LAMBDA {
          const GroupBodies<Contacts> bodies(view.lines, a, b);
          BatchVec u[3];
          Contacts::complete(record, bodies.a, bodies.b, u);
          const Contacts contacts(record, bodies.a, bodies.b);
          const BatchVec square = dot3(u, u);
          double* const scales = view.scales[kScaleRows * std::ptrdiff_t{batch}].lane + lane;
          write(contacts.mean_eigenvalue(view.dim), scales, kMeanEigenvalue);
          write(square, scales, kFreeSquare);
          plain.add(lane, square);
          scaled.add(lane, contacts.scaled_square(u));
        });
  }
  return {.free_velocity = plain.total(), .free_scaled = scaled.total()};
}

template <class Contacts>
SweepSums sweep_block(const BatchView& view, const BatchBlock& block, double beta) {
  const BatchTag d;
  const BatchVec factor = hn::Set(d, beta), one = hn::Set(d, 1.0);
  LaneSums turn, square;
  for_each_group<Contacts>(
      view, block,
      [&](double* record, const auto* a, const auto* b, int, int lane) CLACK_INLINE_LAMBDA {
        GroupBodies<Contacts> bodies(view.lines, a, b);
        const Contacts contacts(record, bodies.a, bodies.b);
        BatchVec r[3], y[3], u[3], next[3];
        read3(record, view.impulse, r);
        for (int k = 0; k < 3; ++k) {
          y[k] = hn::MulAdd(factor, hn::Sub(r[k], read(record, view.previous + k)), r[k]);
        }
        contacts.velocity(bodies.a, bodies.b, u);
        contacts.solve(y, u, one, next);
        write3(next, record, view.previous);
        BatchVec change[3];
        for (int k = 0; k < 3; ++k) {
          change[k] = hn::Sub(next[k], y[k]);
          turn.at(lane) = hn::NegMulAdd(change[k], hn::Sub(next[k], r[k]), turn.at(lane));
          square.at(lane) = hn::MulAdd(change[k], change[k], square.at(lane));
        }
        contacts.apply(change, bodies.a, bodies.b);
        bodies.store(view.lines, a, b);
      });
  return {turn.total(), square.total()};
}

// |r - proj_K(r - rho (u + g(u)))|^2 of each lane.
template <int Tangents>
HWY_INLINE BatchVec natural_square(BatchVec mu, BatchVec rho, BatchVec r_n, const BatchVec* r_t,
                                   BatchVec u_n, const BatchVec* u_t, BatchVec slip) {
  const BatchTag d;
  const BatchVec zero = hn::Zero(d), one = hn::Set(d, 1.0);
  BatchVec x[Tangents], length = zero;
  for (int k = 0; k < Tangents; ++k) {
    x[k] = hn::NegMulAdd(rho, u_t[k], r_t[k]);
    length = hn::MulAdd(x[k], x[k], length);
  }
  length = hn::Sqrt(length);
  const BatchVec normal = hn::NegMulAdd(rho, hn::MulAdd(mu, slip, u_n), r_n);
  // The second for mu = 0 without slip.
  const auto outside = hn::Or(hn::Gt(length, hn::Mul(mu, normal)), hn::Lt(normal, zero));
  const BatchVec edge =
      hn::Max(zero, hn::Div(hn::MulAdd(mu, length, normal), hn::MulAdd(mu, mu, one)));
  const BatchVec p = hn::IfThenElse(outside, edge, normal);
  const BatchVec shrink = hn::Div(hn::Mul(mu, edge), hn::Max(length, hn::Set(d, 1e-300)));
  const BatchVec scale = hn::IfThenElse(outside, shrink, one);
  BatchVec sum = hn::Mul(hn::Sub(p, r_n), hn::Sub(p, r_n));
  for (int k = 0; k < Tangents; ++k) {
    const BatchVec error = hn::MulSub(scale, x[k], r_t[k]);
    sum = hn::MulAdd(error, error, sum);
  }
  return sum;
}

template <class Contacts>
BatchSums measure_block(const BatchView& view, const BatchBlock& block, Verdict verdict) {
  const BatchTag d;
  const bool published = verdict == Verdict::all;
  LaneSums plain, scaled, r_square, u_square;
  BatchVec velocity = hn::Zero(d);
  for_each_group<Contacts>(
      view, block,
      [&](double* record, const auto* a, const auto* b, int batch, int lane) CLACK_INLINE_LAMBDA {
        const GroupBodies<Contacts> bodies(view.lines, a, b);
        const Contacts contacts(record, bodies.a, bodies.b);
        const double* const scales = view.scales[kScaleRows * std::ptrdiff_t{batch}].lane + lane;
        BatchVec r[3], u[3], r_t[3], u_t[3];
        read3(record, view.impulse, r);
        contacts.velocity(bodies.a, bodies.b, u);
        const BatchVec r_n = contacts.split(r, r_t), u_n = contacts.split(u, u_t),
                       mu = contacts.mu();
        BatchVec slip = hn::Zero(d);
        for (int k = 0; k < Contacts::kTangents; ++k) slip = hn::MulAdd(u_t[k], u_t[k], slip);
        slip = hn::Sqrt(slip);
        constexpr int tangents = Contacts::kTangents;
        const auto natural = [&](BatchVec rho) CLACK_INLINE_LAMBDA {
          return natural_square<tangents>(mu, rho, r_n, r_t, u_n, u_t, slip);
        };
        scaled.add(lane, natural(contacts.rho()));
        const BatchVec own =
            hn::Mul(read(scales, kVelocityWeight), natural(read(scales, kVelocityStep)));
        velocity = hn::IfThenElse(hn::Le(own, velocity), velocity, own);  // not for a NaN
        r_square.add(lane, dot3(r, r));
        if (!published) return;
        plain.add(lane, natural(hn::Set(d, 1.0)));
        u_square.add(lane, dot3(u, u));
      });
  return {.natural = plain.total(),
          .natural_scaled = scaled.total(),
          .r = r_square.total(),
          .u = u_square.total(),
          .velocity = hn::GetLane(hn::MaxOfLanes(d, velocity))};
}

template <class Contacts>
void push_block(const BatchView& view, const BatchBlock& block) {
  for_each_group<Contacts>(
      view, block, [&](double* record, const auto* a, const auto* b, int, int) CLACK_INLINE_LAMBDA {
        GroupBodies<Contacts> bodies(view.lines, a, b);
        BatchVec r[3];
        read3(record, view.impulse, r);
        write3(r, record, view.previous);
        Contacts(record, bodies.a, bodies.b).apply(r, bodies.a, bodies.b);
        bodies.store(view.lines, a, b);
      });
}

template <class Contacts>
BatchSums observe_block(const BatchView& view, const BatchBlock& block) {
  LaneSums change, product, answer;
  for_each_group<Contacts>(
      view, block,
      [&](double* record, const auto* a, const auto* b, int batch, int lane) CLACK_INLINE_LAMBDA {
        const GroupBodies<Contacts> bodies(view.lines, a, b);
        const Contacts contacts(record, bodies.a, bodies.b);
        double* memory = view.velocity[3 * std::ptrdiff_t{batch}].lane + lane;
        BatchVec r[3], before[3], u[3], s[3], y[3];
        read3(record, view.impulse, r);
        read3(record, view.previous, before);
        read3(memory, 0, y);
        contacts.velocity(bodies.a, bodies.b, u);
        write3(u, memory, 0);
        for (int k = 0; k < 3; ++k) {
          s[k] = hn::Sub(r[k], before[k]);
          y[k] = hn::Sub(u[k], y[k]);
        }
        change.add(lane, contacts.square(s));
        product.add(lane, dot3(s, y));
        answer.add(lane, contacts.inverse_square(y));
      });
  return {.change = change.total(), .product = product.total(), .answer = answer.total()};
}

template <class Contacts>
void step_block(const BatchView& view, const BatchBlock& block, double length) {
  const BatchVec step = hn::Set(BatchTag(), length);
  for_each_group<Contacts>(view, block,
                           [&](double* record, const auto* a, const auto* b, int batch, int lane)
                               CLACK_INLINE_LAMBDA {
                                 GroupBodies<Contacts> bodies(view.lines, a, b);
                                 const Contacts contacts(record, bodies.a, bodies.b);
                                 BatchVec r[3], u[3], next[3], d[3];
                                 read3(record, view.impulse, r);
                                 read3(view.velocity[3 * std::ptrdiff_t{batch}].lane + lane, 0, u);
                                 contacts.solve(r, u, step, next);
                                 write3(next, record, view.previous);
                                 for (int k = 0; k < 3; ++k) d[k] = hn::Sub(next[k], r[k]);
                                 contacts.apply(d, bodies.a, bodies.b);
                                 bodies.store(view.lines, a, b);
                               });
}

inline void extrapolate_lines(const BatchView& view, int begin, int end, double beta) {
  const BatchTag d;
  const BatchVec factor = hn::Set(d, beta);
  for (int i = begin; i < end; ++i) {
    const std::int32_t line = view.visits[i];
    double* to = values(view.lines + line);
    const double* from = values(view.previous_lines + line);
    for (int k = 0; k < 8; k += kWidth) {
      const BatchVec x = hn::Load(d, from + k);
      if (beta == 0)  // there may be nothing before, not even numbers
        hn::Store(x, d, to + k);
      else
        hn::Store(hn::MulAdd(factor, hn::Sub(x, hn::Load(d, to + k)), x), d, to + k);
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace clack
HWY_AFTER_NAMESPACE();
#endif
