#include "clack/core/formula/tape.hpp"

#include <algorithm>
#include <cmath>

// A compiler that contracts a*b + c by itself would make values depend on the machine.
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#elif defined(__GNUC__)
#pragma GCC optimize("fp-contract=off")
#endif

namespace clack::formula {
namespace {

// One run: the same operation on every instruction.
template <class Operation>
void each1(const Instruction* i, const Instruction* end, double* r, Operation f) {
  for (; i != end; ++i) r[i->destination] = f(r[i->a]);
}

template <class Operation>
void each2(const Instruction* i, const Instruction* end, double* r, Operation f) {
  for (; i != end; ++i) r[i->destination] = f(r[i->a], r[i->b]);
}

template <class Operation>
void each3(const Instruction* i, const Instruction* end, double* r, Operation f) {
  for (; i != end; ++i) r[i->destination] = f(r[i->a], r[i->b], r[i->c]);
}

void each_sin_cos(const Instruction* i, const Instruction* end, double* r) {
  for (; i != end; ++i) {
    const double angle = r[i->a];  // its register may be the destination
    r[i->destination] = std::sin(angle);
    r[i->b] = std::cos(angle);
  }
}

// The rare operations, one by one through the common definition.
void each_other(Op op, const Instruction* i, const Instruction* end, double* r) {
  for (; i != end; ++i) {
    const double a = r[i->a], b = r[i->b], c = r[i->c];
    r[i->destination] = evaluate(op, a, b, c);
  }
}

Op to_op(Code code) { return static_cast<Op>(static_cast<int>(code) + static_cast<int>(Op::kAdd)); }

void execute(Code code, const Instruction* i, const Instruction* end, double* r) {
  switch (code) {
    case Code::kAdd:
      return each2(i, end, r, [](double a, double b) { return a + b; });
    case Code::kSubtract:
      return each2(i, end, r, [](double a, double b) { return a - b; });
    case Code::kMultiply:
      return each2(i, end, r, [](double a, double b) { return a * b; });
    case Code::kDivide:
      return each2(i, end, r, [](double a, double b) { return a / b; });
    case Code::kNegate:
      return each1(i, end, r, [](double a) { return -a; });
    case Code::kSqrt:
      return each1(i, end, r, [](double a) { return std::sqrt(a); });
    case Code::kAbs:
      return each1(i, end, r, [](double a) { return std::fabs(a); });
    case Code::kMin:
      return each2(i, end, r, [](double a, double b) { return minimum(a, b); });
    case Code::kMax:
      return each2(i, end, r, [](double a, double b) { return maximum(a, b); });
    case Code::kSelect:
      return each3(i, end, r, [](double a, double b, double c) { return is_true(a) ? b : c; });
    case Code::kMultiplyAdd:
      return each3(i, end, r, [](double a, double b, double c) { return a * b + c; });
    case Code::kMultiplySubtract:
      return each3(i, end, r, [](double a, double b, double c) { return a * b - c; });
    case Code::kSubtractMultiply:
      return each3(i, end, r, [](double a, double b, double c) { return c - a * b; });
    case Code::kSinCos:
      return each_sin_cos(i, end, r);
    default:
      return each_other(to_op(code), i, end, r);
  }
}

}  // namespace

void Tape::prepare(double* registers) const {
  std::copy(constants_.begin(), constants_.end(), registers + input_count_);
}

void Tape::evaluate(const double* inputs, double* outputs, double* registers) const {
  std::copy(inputs, inputs + input_count_, registers);
  const Instruction* const first = instructions_.data();
  const Instruction* next = first;
  for (const Run& run : runs_) {
    const Instruction* const end = first + run.end;
    execute(run.code, next, end, registers);
    next = end;
  }
  for (std::size_t k = 0; k < outputs_.size(); ++k) outputs[k] = registers[outputs_[k]];
}

}  // namespace clack::formula
