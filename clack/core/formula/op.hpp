// The operations of a formula and their meaning on doubles: the one definition that constant
// folding, the tape and the tests share.
#pragma once

#include <cmath>
#include <cstdint>

namespace clack::formula {

// The names of the operations, each once: functions of one and of two arguments and, with the
// arithmetic, all that a node or an instruction can do. log is natural; sign(0) = 0; not(x) = 0 if
// x > 0, else 1; mod(a, b) = a - b floor(a/b) has the sign of b. Comparisons give 0 or 1; a value
// counts as true when it is > 0.
#define CLACK_FUNCTIONS                                                                        \
  kSin, kCos, kTan, kAsin, kAcos, kAtan, kSinh, kCosh, kTanh, kExp, kLog, kLog10, kSqrt, kAbs, \
      kSign, kFloor, kCeil, kNot
#define CLACK_FUNCTIONS2 \
  kAtan2, kMin, kMax, kMod, kHypot, kLess, kLessEqual, kEqual, kNotEqual, kAnd, kOr
#define CLACK_OPERATIONS \
  kAdd, kSubtract, kMultiply, kDivide, kPower, kNegate, CLACK_FUNCTIONS, CLACK_FUNCTIONS2, kSelect

// heaviside(x) = 1 if x > 0, else 0; it and the last two of Function2 the graph writes with `less`
// and `less_equal`.
enum class Function : std::uint8_t { CLACK_FUNCTIONS, kHeaviside };
enum class Function2 : std::uint8_t { CLACK_FUNCTIONS2, kGreater, kGreaterEqual };

// What a node of the graph holds.
enum class Op : std::uint8_t { kConstant, kVariable, CLACK_OPERATIONS };

constexpr Op to_op(Function f) {
  return static_cast<Op>(static_cast<int>(Op::kSin) + static_cast<int>(f));
}
constexpr Op to_op(Function2 f) {
  return static_cast<Op>(static_cast<int>(Op::kAtan2) + static_cast<int>(f));
}

// Number of operands: 0 for leaves, 3 for select.
constexpr int arity(Op op) {
  if (op <= Op::kVariable) return 0;
  if (op == Op::kSelect) return 3;
  return op >= Op::kNegate && op <= Op::kNot ? 1 : 2;
}

constexpr bool is_commutative(Op op) {
  return op == Op::kAdd || op == Op::kMultiply || op == Op::kHypot || op == Op::kEqual ||
         op == Op::kNotEqual || op == Op::kAnd || op == Op::kOr;
}

inline bool is_true(double x) { return x > 0.0; }
inline double sign(double x) { return x > 0.0 ? 1.0 : (x < 0.0 ? -1.0 : x); }

// The first argument wins a tie, and a NaN on either side is passed on.
inline double minimum(double a, double b) { return a <= b || a != a ? a : b; }
inline double maximum(double a, double b) { return a >= b || a != a ? a : b; }

inline double modulo(double a, double b) {
  const double r = std::fmod(a, b);
  return r != 0.0 && (r < 0.0) != (b < 0.0) ? r + b : r;
}

// Value of one operation; operands beyond the arity are ignored.
double evaluate(Op op, double a, double b = 0.0, double c = 0.0);

}  // namespace clack::formula
