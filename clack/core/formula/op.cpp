#include "clack/core/formula/op.hpp"

namespace clack::formula {
namespace {

double evaluate_unary(Op op, double a) {
  switch (op) {
    case Op::kNegate:
      return -a;
    case Op::kSin:
      return std::sin(a);
    case Op::kCos:
      return std::cos(a);
    case Op::kTan:
      return std::tan(a);
    case Op::kAsin:
      return std::asin(a);
    case Op::kAcos:
      return std::acos(a);
    case Op::kAtan:
      return std::atan(a);
    case Op::kSinh:
      return std::sinh(a);
    case Op::kCosh:
      return std::cosh(a);
    case Op::kTanh:
      return std::tanh(a);
    case Op::kExp:
      return std::exp(a);
    case Op::kLog:
      return std::log(a);
    case Op::kLog10:
      return std::log10(a);
    case Op::kSqrt:
      return std::sqrt(a);
    case Op::kAbs:
      return std::fabs(a);
    case Op::kSign:
      return sign(a);
    case Op::kFloor:
      return std::floor(a);
    case Op::kCeil:
      return std::ceil(a);
    case Op::kNot:
      return is_true(a) ? 0.0 : 1.0;
    default:
      return NAN;
  }
}

double evaluate_binary(Op op, double a, double b) {
  switch (op) {
    case Op::kAdd:
      return a + b;
    case Op::kSubtract:
      return a - b;
    case Op::kMultiply:
      return a * b;
    case Op::kDivide:
      return a / b;
    case Op::kPower:
      return std::pow(a, b);
    case Op::kAtan2:
      return std::atan2(a, b);
    case Op::kMin:
      return minimum(a, b);
    case Op::kMax:
      return maximum(a, b);
    case Op::kMod:
      return modulo(a, b);
    case Op::kHypot:
      return std::hypot(a, b);
    case Op::kLess:
      return a < b ? 1.0 : 0.0;
    case Op::kLessEqual:
      return a <= b ? 1.0 : 0.0;
    case Op::kEqual:
      return a == b ? 1.0 : 0.0;
    case Op::kNotEqual:
      return a != b ? 1.0 : 0.0;
    case Op::kAnd:
      return is_true(a) && is_true(b) ? 1.0 : 0.0;
    case Op::kOr:
      return is_true(a) || is_true(b) ? 1.0 : 0.0;
    default:
      return NAN;
  }
}

}  // namespace

double evaluate(Op op, double a, double b, double c) {
  if (op == Op::kSelect) return is_true(a) ? b : c;
  return arity(op) == 1 ? evaluate_unary(op, a) : evaluate_binary(op, a, b);
}

}  // namespace clack::formula
