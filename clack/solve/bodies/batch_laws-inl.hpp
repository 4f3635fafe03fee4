// The contacts of a batch: velocity from bodies, exact local law, reaction on bodies.
//
// Both classes have the same interface. r and u are three vectors in the axes of the class; `solve`
// gives the exact solution of u + (W_ii / step)(r+ - r) under Coulomb's law (eq:body_local).
#if defined(CLACK_SOLVE_BODIES_BATCH_LAWS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef CLACK_SOLVE_BODIES_BATCH_LAWS_INL
#undef CLACK_SOLVE_BODIES_BATCH_LAWS_INL
#else
#define CLACK_SOLVE_BODIES_BATCH_LAWS_INL
#endif

#include <hwy/highway.h>

#include "clack/solve/bodies/batch_kernels.hpp"
#include "clack/solve/bodies/body_lines-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace clack {
namespace HWY_NAMESPACE {

HWY_INLINE BatchVec read(const double* record, int row) {
  return hn::Load(BatchTag(), record + row * kBatchLanes);
}
HWY_INLINE void read3(const double* record, int row, BatchVec* x) {
  for (int k = 0; k < 3; ++k) x[k] = read(record, row + k);
}
HWY_INLINE void write(BatchVec x, double* record, int row) {
  hn::Store(x, BatchTag(), record + row * kBatchLanes);
}
HWY_INLINE void write3(const BatchVec* x, double* record, int row) {
  for (int k = 0; k < 3; ++k) write(x[k], record, row + k);
}
HWY_INLINE BatchVec dot3(const BatchVec* x, const BatchVec* y) {
  return hn::MulAdd(x[2], y[2], hn::MulAdd(x[1], y[1], hn::Mul(x[0], y[0])));
}
HWY_INLINE void cross3(const BatchVec* x, const BatchVec* y, BatchVec* z) {
  z[0] = hn::MulSub(x[1], y[2], hn::Mul(x[2], y[1]));
  z[1] = hn::MulSub(x[2], y[0], hn::Mul(x[0], y[2]));
  z[2] = hn::MulSub(x[0], y[1], hn::Mul(x[1], y[0]));
}

// Isotropic bodies with arms along n: world vectors, W_ii = w_n n n' + w_t (1 - n n').
template <bool Pair>
class SphereContacts {
 public:
  static constexpr bool kPair = Pair;
  static constexpr BatchKind kKind = Pair ? BatchKind::sphere_pair : BatchKind::sphere_wall;
  static constexpr int kTangents = 3;  // components of a tangential vector
  static constexpr bool kIsSphere = true;

  // From the arms along n and the rest of u to the levers and u.
  static HWY_INLINE void complete(double* record, const LineVectors& a, const LineVectors& b,
                                  BatchVec* u) {
    BatchVec n[3], spin[3], turn[3];
    read3(record, batch_row::kNormal, n);
    read3(record, batch_row::kOffset, u);
    const BatchVec arm_b = read(record, batch_row::kLeverB);
    const BatchVec arm_a = Pair ? read(record, batch_row::kLeverA) : hn::Zero(BatchTag());
    for (int k = 0; k < 3; ++k) {
      u[k] = hn::Add(u[k], b.v(k));
      spin[k] = hn::Mul(arm_b, b.s(k));
      if constexpr (Pair) {
        u[k] = hn::Sub(u[k], a.v(k));
        spin[k] = hn::NegMulAdd(arm_a, a.s(k), spin[k]);
      }
    }
    cross3(spin, n, turn);
    for (int k = 0; k < 3; ++k) u[k] = hn::Add(u[k], turn[k]);
    write3(u, record, batch_row::kOffset);
    write(hn::Neg(hn::Mul(arm_b, b.root())), record, batch_row::kLeverB);
    if constexpr (Pair) write(hn::Mul(arm_a, a.root()), record, batch_row::kLeverA);
  }

  HWY_INLINE SphereContacts(const double* record, const LineVectors& a, const LineVectors& b)
      : record_(record) {
    read3(record, batch_row::kNormal, n_);
    mu_ = read(record, batch_row::kMu);
    lever_b_ = read(record, batch_row::kLeverB);
    BatchVec w_n = b.inverse_mass(), w_t = hn::Mul(lever_b_, lever_b_);
    if constexpr (Pair) {
      lever_a_ = read(record, batch_row::kLeverA);
      w_n = hn::Add(w_n, a.inverse_mass());
      w_t = hn::MulAdd(lever_a_, lever_a_, w_t);
    }
    // Padding lanes: 0.
    w_t = hn::Add(w_t, w_n);
    const BatchVec inverse =
        hn::Div(hn::Set(BatchTag(), 1.0), hn::Max(hn::Mul(w_n, w_t), hn::Set(BatchTag(), 1e-300)));
    mobility_ = hn::Mul(w_t, inverse);
    rho_ = hn::Mul(w_n, inverse);
  }

  HWY_INLINE void velocity(const LineVectors& a, const LineVectors& b, BatchVec* u) const {
    BatchVec spin[3], turn[3];
    for (int k = 0; k < 3; ++k) {
      u[k] = hn::Add(read(record_, batch_row::kOffset + k), b.v(k));
      spin[k] = hn::Mul(lever_b_, b.s(k));
      if constexpr (Pair) {
        u[k] = hn::Sub(u[k], a.v(k));
        spin[k] = hn::MulAdd(lever_a_, a.s(k), spin[k]);
      }
    }
    cross3(spin, n_, turn);
    for (int k = 0; k < 3; ++k) u[k] = hn::Sub(u[k], turn[k]);
  }

  HWY_INLINE void solve(const BatchVec* r, const BatchVec* u, BatchVec step, BatchVec* out) const {
    const BatchVec zero = hn::Zero(BatchTag()), one = hn::Set(BatchTag(), 1.0);
    const BatchVec u_n = dot3(u, n_), r_n = dot3(r, n_);
    const BatchVec normal = hn::Max(zero, hn::NegMulAdd(hn::Mul(step, mobility_), u_n, r_n));
    const BatchVec rate = hn::Mul(step, rho_), drop = hn::NegMulAdd(rate, u_n, r_n);
    BatchVec x[3];
    for (int k = 0; k < 3; ++k) {
      x[k] = hn::NegMulAdd(drop, n_[k], hn::NegMulAdd(rate, u[k], r[k]));
    }
    const BatchVec limit = hn::Mul(mu_, normal), square = dot3(x, x);
    const auto slides = hn::Gt(square, hn::Mul(limit, limit));
    const BatchVec scale = hn::IfThenElse(slides, hn::Div(limit, hn::Sqrt(square)), one);
    for (int k = 0; k < 3; ++k) out[k] = hn::MulAdd(scale, x[k], hn::Mul(normal, n_[k]));
  }

  HWY_INLINE void apply(const BatchVec* d, LineVectors& a, LineVectors& b) const {
    BatchVec turn[3];
    cross3(n_, d, turn);
    for (int k = 0; k < 3; ++k) {
      b.v(k) = hn::MulAdd(b.inverse_mass(), d[k], b.v(k));
      b.s(k) = hn::NegMulAdd(lever_b_, turn[k], b.s(k));
      if constexpr (Pair) {
        a.v(k) = hn::NegMulAdd(a.inverse_mass(), d[k], a.v(k));
        a.s(k) = hn::NegMulAdd(lever_a_, turn[k], a.s(k));
      }
    }
  }

  // Normal and tangential part.
  HWY_INLINE BatchVec split(const BatchVec* x, BatchVec* tangent) const {
    const BatchVec normal = dot3(x, n_);
    for (int k = 0; k < 3; ++k) tangent[k] = hn::NegMulAdd(normal, n_[k], x[k]);
    return normal;
  }

  // x' D^-1 x and x' D x; padding lanes give 0.
  HWY_INLINE BatchVec inverse_square(const BatchVec* x) const {
    BatchVec t[3];
    const BatchVec normal = split(x, t);
    return hn::MulAdd(hn::Mul(normal, normal), mobility_, hn::Mul(dot3(t, t), rho_));
  }
  // |D^-1 x|^2.
  HWY_INLINE BatchVec scaled_square(const BatchVec* x) const {
    BatchVec t[3];
    const BatchVec normal = hn::Mul(mobility_, split(x, t));
    return hn::MulAdd(normal, normal, hn::Mul(dot3(t, t), hn::Mul(rho_, rho_)));
  }
  HWY_INLINE BatchVec square(const BatchVec* x) const {
    BatchVec t[3];
    const BatchVec normal = split(x, t), tiny = hn::Set(BatchTag(), 1e-300);
    const BatchVec first = hn::Div(hn::Mul(normal, normal), hn::Max(mobility_, tiny));
    return hn::Add(first, hn::Div(dot3(t, t), hn::Max(rho_, tiny)));
  }

  HWY_INLINE BatchVec mu() const { return mu_; }
  HWY_INLINE BatchVec rho() const { return rho_; }
  // tr(W_ii) / dim [1/kg]; padding lanes: a large number.
  HWY_INLINE BatchVec mean_eigenvalue(int dim) const {
    const BatchTag d;
    const BatchVec one = hn::Set(d, 1.0), tiny = hn::Set(d, 1e-300);
    const BatchVec w_n = hn::Div(one, hn::Max(mobility_, tiny)),
                   w_t = hn::Div(one, hn::Max(rho_, tiny));
    return hn::Div(hn::MulAdd(hn::Set(d, dim - 1.0), w_t, w_n), hn::Set(d, 1.0 * dim));
  }

 private:
  const double* record_;
  BatchVec n_[3], mu_, lever_a_, lever_b_;
  BatchVec mobility_, rho_;  // 1 / w_n, 1 / w_t: cheaper to compute than to read
};

// Any shapes: axes N, P1, P2 in which S is diagonal.
template <bool Pair>
class GeneralContacts {
 public:
  static constexpr bool kPair = Pair;
  static constexpr BatchKind kKind = Pair ? BatchKind::general_pair : BatchKind::general_wall;
  static constexpr int kTangents = 2;
  static constexpr bool kIsSphere = false;

  HWY_INLINE GeneralContacts(const double* record, const LineVectors&, const LineVectors&)
      : record_(record) {
    read3(record, batch_row::kNormal, axis_[0]);
    read3(record, batch_row::kTangent, axis_[1]);
    cross3(axis_[0], axis_[1], axis_[2]);
  }

  HWY_INLINE void velocity(const LineVectors& a, const LineVectors& b, BatchVec* u) const {
    BatchVec v[3];
    for (int k = 0; k < 3; ++k) v[k] = Pair ? hn::Sub(b.v(k), a.v(k)) : b.v(k);
    for (int k = 0; k < 3; ++k) {
      u[k] = hn::Add(read(record_, batch_row::kOffset + k), dot3(axis_[k], v));
      for (int l = 0; l < 3; ++l) {
        u[k] = hn::MulAdd(read(record_, batch_row::kRowsB + 3 * k + l), b.s(l), u[k]);
        if constexpr (Pair)
          u[k] = hn::MulAdd(read(record_, batch_row::kRowsA + 3 * k + l), a.s(l), u[k]);
      }
    }
  }

  HWY_INLINE void solve(const BatchVec* r, const BatchVec* u, BatchVec step, BatchVec* out) const {
    const BatchTag d;
    const BatchVec zero = hn::Zero(d), inverse = hn::Div(hn::Set(d, 1.0), step), mu = this->mu();
    const BatchVec e[2] = {skew(0), skew(1)};
    Slide problem;
    problem.normal = hn::MulSub(hn::Mul(step, mobility()), u[0],
                                hn::MulAdd(e[0], r[1], hn::MulAdd(e[1], r[2], r[0])));
    BatchVec slip[2], stick[2];
    for (int k = 0; k < 2; ++k) {
      problem.s[k] = hn::Mul(inverse, schur(k));
      slip[k] = hn::NegMulAdd(e[k], u[0], u[1 + k]);
      problem.c[k] = hn::NegMulAdd(problem.s[k], r[1 + k], slip[k]);
      stick[k] = hn::Neg(hn::Mul(problem.c[k], hn::Mul(step, schur_inverse(k))));
    }
    out[0] = hn::Neg(hn::MulAdd(e[0], stick[0], hn::MulAdd(e[1], stick[1], problem.normal)));
    out[1] = stick[0];
    out[2] = stick[1];
    const auto closed = hn::Lt(problem.normal, zero);
    const BatchVec limit = hn::Max(hn::Mul(mu, out[0]), zero);
    const auto outside =
        hn::Or(hn::Lt(out[0], zero), hn::Gt(square2(stick), hn::Mul(limit, limit)));
    const auto slides = hn::And(hn::And(closed, outside), hn::Gt(mu, zero));
    if (!hn::AllFalse(d, slides)) slide(problem, r, slip, slides, out);
    const auto smooth = hn::Eq(mu, zero);
    out[0] = hn::IfThenElseZero(closed, hn::IfThenElse(smooth, hn::Neg(problem.normal), out[0]));
    for (int k = 1; k < 3; ++k) out[k] = hn::IfThenElseZero(hn::AndNot(smooth, closed), out[k]);
  }

  HWY_INLINE void apply(const BatchVec* d, LineVectors& a, LineVectors& b) const {
    for (int k = 0; k < 3; ++k) {
      const BatchVec world =
          hn::MulAdd(axis_[2][k], d[2], hn::MulAdd(axis_[1][k], d[1], hn::Mul(axis_[0][k], d[0])));
      b.v(k) = hn::MulAdd(b.inverse_mass(), world, b.v(k));
      if constexpr (Pair) a.v(k) = hn::NegMulAdd(a.inverse_mass(), world, a.v(k));
      for (int l = 0; l < 3; ++l) {
        b.s(k) = hn::MulAdd(read(record_, batch_row::kRowsB + 3 * l + k), d[l], b.s(k));
        if constexpr (Pair)
          a.s(k) = hn::MulAdd(read(record_, batch_row::kRowsA + 3 * l + k), d[l], a.s(k));
      }
    }
  }

  HWY_INLINE BatchVec split(const BatchVec* x, BatchVec* tangent) const {
    tangent[0] = x[1];
    tangent[1] = x[2];
    return x[0];
  }

  HWY_INLINE BatchVec inverse_square(const BatchVec* x) const {
    BatchVec sum = hn::Mul(hn::Mul(x[0], x[0]), mobility());
    for (int k = 0; k < 2; ++k) {
      const BatchVec t = hn::NegMulAdd(skew(k), x[0], x[1 + k]);
      sum = hn::MulAdd(hn::Mul(t, t), schur_inverse(k), sum);
    }
    return sum;
  }
  HWY_INLINE BatchVec square(const BatchVec* x) const {
    const BatchVec normal = hn::MulAdd(skew(0), x[1], hn::MulAdd(skew(1), x[2], x[0]));
    BatchVec sum =
        hn::Div(hn::Mul(normal, normal), hn::Max(mobility(), hn::Set(BatchTag(), 1e-300)));
    for (int k = 0; k < 2; ++k) sum = hn::MulAdd(hn::Mul(x[1 + k], x[1 + k]), schur(k), sum);
    return sum;
  }

  HWY_INLINE BatchVec mu() const { return read(record_, batch_row::kMu); }
  HWY_INLINE BatchVec rho() const { return read(record_, batch_row::kRho); }

 private:
  using Mask = hn::Mask<BatchTag>;

  // r_T(l) = -(S + l)^-1 c, r_N(l) = -normal - e'r_T; sliding is |r_T| = mu r_N with l > 0.
  struct Slide {
    BatchVec c[2], s[2], normal;
  };

  static constexpr int kMaxNewton = 40;

  HWY_INLINE BatchVec mobility() const { return read(record_, batch_row::kMobility); }
  HWY_INLINE BatchVec skew(int k) const { return read(record_, batch_row::kSkew + k); }
  HWY_INLINE BatchVec schur(int k) const { return read(record_, batch_row::kSchur + k); }
  HWY_INLINE BatchVec schur_inverse(int k) const {
    return read(record_, batch_row::kSchurInverse + k);
  }
  static HWY_INLINE BatchVec square2(const BatchVec* x) {
    return hn::MulAdd(x[1], x[1], hn::Mul(x[0], x[0]));
  }

  // |u_T| / |r_T| where the start slides; a fair guess elsewhere.
  HWY_INLINE BatchVec first_multiplier(const Slide& p, const BatchVec* r,
                                       const BatchVec* slip) const {
    const BatchTag d;
    const BatchVec guess = hn::Mul(hn::Set(d, 0.5), hn::Add(p.s[0], p.s[1]));
    const BatchVec length = square2(r + 1), tiny = hn::Set(d, 1e-300);
    const BatchVec l = hn::Sqrt(hn::Div(square2(slip), hn::Max(length, tiny)));
    const auto good = hn::And(hn::Gt(l, hn::Mul(guess, hn::Set(d, 1e-12))),
                              hn::Lt(l, hn::Mul(guess, hn::Set(d, 1e12))));
    return hn::IfThenElse(hn::And(good, hn::Gt(length, tiny)), l, guess);
  }

  // Newton's method on 1/|r_T| - 1/(mu r_N), nearly linear in l, inside a bracket; all lanes go on
  // until the last one is done.
  HWY_NOINLINE void slide(const Slide& p, const BatchVec* r, const BatchVec* slip, Mask slides,
                          BatchVec* out) const {
    const BatchTag d;
    const BatchVec mu = this->mu(), e[2] = {skew(0), skew(1)}, infinite = hn::Set(d, 1e300);
    BatchVec l = first_multiplier(p, r, slip), low = hn::Zero(d), high = infinite;
    BatchVec t[2], normal, limit, length;
    Mask done = hn::Not(slides);
    for (int iteration = 0;; ++iteration) {
      BatchVec inverse[2];
      for (int k = 0; k < 2; ++k) {
        inverse[k] = hn::Div(hn::Set(d, 1.0), hn::Add(p.s[k], l));
        t[k] = hn::Neg(hn::Mul(p.c[k], inverse[k]));
      }
      normal = hn::Neg(hn::MulAdd(e[0], t[0], hn::MulAdd(e[1], t[1], p.normal)));
      limit = hn::Mul(mu, normal);
      const BatchVec square = square2(t);
      length = hn::Sqrt(square);
      if (hn::AllTrue(d, done) || iteration == kMaxNewton) break;
      const BatchVec excess = hn::Sub(length, limit);
      const Mask above = hn::Gt(excess, hn::Zero(d));
      low = hn::IfThenElse(above, l, low);
      high = hn::IfThenElse(above, high, l);
      const BatchVec a = hn::Mul(hn::Mul(t[0], t[0]), inverse[0]),
                     b = hn::Mul(hn::Mul(t[1], t[1]), inverse[1]);
      const BatchVec rate = hn::Mul(mu, hn::MulAdd(hn::Mul(e[0], t[0]), inverse[0],
                                                   hn::Mul(hn::Mul(e[1], t[1]), inverse[1])));
      const BatchVec slope =
          hn::MulAdd(hn::Add(a, b), hn::Mul(limit, limit), hn::Mul(rate, hn::Mul(square, length)));
      const BatchVec newton = hn::Add(l, hn::Div(hn::Mul(excess, hn::Mul(square, limit)), slope));
      const Mask fine = hn::Le(hn::Abs(excess), hn::Mul(hn::Set(d, 4e-16), length));
      const Mask inside =
          hn::And(hn::And(hn::Gt(newton, low), hn::Lt(newton, high)), hn::Gt(limit, hn::Zero(d)));
      const Mask close =
          hn::And(inside, hn::Le(hn::Abs(hn::Sub(newton, l)), hn::Mul(hn::Set(d, 1e-8), l)));
      const Mask open_end = hn::Ge(high, infinite);
      const BatchVec far = hn::Mul(hn::Set(d, 64.0), l);
      const BatchVec other = hn::IfThenElse(open_end, hn::Mul(hn::Set(d, 8.0), l),
                                            hn::Mul(hn::Set(d, 0.5), hn::Add(low, high)));
      BatchVec next = hn::IfThenElse(inside, newton, other);
      next = hn::IfThenElse(open_end, hn::Min(next, far), next);
      l = hn::IfThenElse(hn::Or(done, fine), l, next);
      done = hn::Or(done, hn::Or(fine, close));
    }
    const BatchVec scale = hn::Div(limit, hn::Max(length, hn::Set(d, 1e-300)));
    out[0] = hn::IfThenElse(slides, normal, out[0]);
    for (int k = 0; k < 2; ++k)
      out[1 + k] = hn::IfThenElse(slides, hn::Mul(scale, t[k]), out[1 + k]);
    if (!hn::AllTrue(d, done)) slide_one_by_one(p, done, out);
  }

  HWY_NOINLINE void slide_one_by_one(const Slide& p, Mask done, BatchVec* out) const {
    const BatchTag d;
    HWY_ALIGN double c[2][8], s[2][8], e[2][8], x[3][8], normal[8], mu[8], left[8];
    for (int k = 0; k < 2; ++k) {
      hn::Store(p.c[k], d, c[k]);
      hn::Store(p.s[k], d, s[k]);
      hn::Store(skew(k), d, e[k]);
    }
    for (int k = 0; k < 3; ++k) hn::Store(out[k], d, x[k]);
    hn::Store(p.normal, d, normal);
    hn::Store(this->mu(), d, mu);
    hn::Store(hn::IfThenZeroElse(done, hn::Set(d, 1.0)), d, left);
    for (int i = 0; i < kWidth; ++i) {
      if (left[i] == 0) continue;
      const double c_i[2] = {c[0][i], c[1][i]}, s_i[2] = {s[0][i], s[1][i]},
                   e_i[2] = {e[0][i], e[1][i]};
      double r_i[3] = {x[0][i], x[1][i], x[2][i]};
      slide_exactly(mu[i], c_i, s_i, e_i, normal[i], r_i);
      for (int k = 0; k < 3; ++k) x[k][i] = r_i[k];
    }
    for (int k = 0; k < 3; ++k) out[k] = hn::Load(d, x[k]);
  }

  const double* record_;
  BatchVec axis_[3][3];
};

}  // namespace HWY_NAMESPACE
}  // namespace clack
HWY_AFTER_NAMESPACE();
#endif
