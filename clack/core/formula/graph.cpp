#include "clack/core/formula/graph.hpp"

#include <bit>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "clack/core/formula/subgraph.hpp"

namespace clack::formula {
namespace {

std::size_t hash(const Node& n) {
  std::uint64_t h = std::bit_cast<std::uint64_t>(n.value) + static_cast<std::uint64_t>(n.op);
  for (const Expr e : {n.a, n.b, n.c}) {
    h = (h ^ static_cast<std::uint32_t>(e)) * 0x9e3779b97f4a7c15ULL;
    h ^= h >> 29;
  }
  return static_cast<std::size_t>(h);
}

// Constants are compared by their bits: 0 and -0 differ, and a NaN equals itself.
bool same(const Node& x, const Node& y) {
  return x.op == y.op && x.a == y.a && x.b == y.b && x.c == y.c &&
         std::bit_cast<std::uint64_t>(x.value) == std::bit_cast<std::uint64_t>(y.value);
}

// Multiplication by such a factor is exact, short of overflow and underflow.
bool is_power_of_two(double x) {
  int exponent = 0;
  return std::fabs(std::frexp(x, &exponent)) == 0.5 && std::abs(exponent) < 64;
}

bool is_odd(Op op) {
  return op == Op::kSin || op == Op::kTan || op == Op::kAsin || op == Op::kAtan ||
         op == Op::kSinh || op == Op::kTanh || op == Op::kSign;
}

bool is_even(Op op) { return op == Op::kCos || op == Op::kCosh || op == Op::kAbs; }

}  // namespace

Expr Graph::constant(double value) { return intern({.op = Op::kConstant, .value = value}); }

Expr Graph::variable(std::string_view name) {
  if (const auto found = variables_.find(name); found != variables_.end()) return found->second;
  const Expr e = size();
  nodes_.push_back({.op = Op::kVariable});  // told apart by its index: never in the table
  variables_.emplace(name, e);
  names_.emplace(e, name);
  return e;
}

double Graph::constant_value(Expr e) const {
  if (!is_constant(e)) throw std::logic_error("formula: not a constant: " + to_string(e));
  return value(e);
}

const std::string& Graph::variable_name(Expr e) const {
  if (!is_variable(e)) throw std::logic_error("formula: not a variable: " + to_string(e));
  return names_.at(e);
}

bool Graph::depends_on(Expr e, Expr variable) const {
  bool found = false;
  for (Descent walk(*this, e); !walk.done() && walk.top() >= variable; walk.pop_and_expand()) {
    found = found || walk.top() == variable;
  }
  return found;
}

std::vector<Expr> Graph::variables(Expr e) const {
  std::vector<Expr> result;
  const Subgraph sub(*this, e);
  for (const Expr n : sub.nodes()) {
    if (is_variable(n)) result.push_back(n);
  }
  return result;
}

// --- construction ------------------------------------------------------------------------------
// Signs travel outwards (products and quotients hold no negated factor) until a sum absorbs them,
// which makes x*y and -x*y share the product.

void Graph::order(Expr& a, Expr& b) const {
  const bool wrong = is_constant(a) == is_constant(b) ? a > b : is_constant(b);
  if (wrong) std::swap(a, b);
}

Expr Graph::add(Expr a, Expr b) {
  order(a, b);
  if (is_constant(b)) return constant(value(a) + value(b));
  if (is_value(a, 0.0)) return b;
  if (a == b) return multiply(constant(2.0), a);
  if (node(b).op == Op::kNegate) return subtract(a, node(b).a);
  if (node(a).op == Op::kNegate) return subtract(b, node(a).a);
  return intern({.op = Op::kAdd, .a = a, .b = b});
}

Expr Graph::subtract(Expr a, Expr b) {
  if (is_constant(a) && is_constant(b)) return constant(value(a) - value(b));
  if (is_value(a, 0.0)) return negate(b);
  if (a == b) return constant(0.0);
  if (is_constant(b)) return add(constant(-value(b)), a);
  if (node(b).op == Op::kNegate) return add(a, node(b).a);
  if (node(a).op == Op::kNegate) return negate(add(node(a).a, b));
  return intern({.op = Op::kSubtract, .a = a, .b = b});
}

Expr Graph::multiply(Expr a, Expr b) {
  order(a, b);
  if (is_constant(b)) return constant(value(a) * value(b));
  if (node(a).op == Op::kNegate) return negate(multiply(node(a).a, b));
  if (node(b).op == Op::kNegate) return negate(multiply(a, node(b).a));
  if (is_constant(a)) return multiply_by_constant(a, b);
  // By 0*x = 0 the product may enter the branch; an infinite factor then cannot spoil the other.
  if (is_gate(a)) return gate(node(a).a, multiply(node(a).b, b));
  if (is_gate(b)) return gate(node(b).a, multiply(a, node(b).b));
  return intern({.op = Op::kMultiply, .a = a, .b = b});
}

Expr Graph::multiply_by_constant(Expr factor, Expr b) {
  const double f = value(factor);
  if (f == 0.0) return constant(0.0);
  if (f == 1.0) return b;
  if (f < 0.0) return negate(multiply(constant(-f), b));
  if (is_gate(b)) return gate(node(b).a, multiply(factor, node(b).b));
  const Node n = node(b);
  if (n.op == Op::kMultiply && is_constant(n.a) &&
      (is_power_of_two(f) || is_power_of_two(value(n.a)))) {
    return multiply(constant(f * value(n.a)), n.b);
  }
  return intern({.op = Op::kMultiply, .a = factor, .b = b});
}

Expr Graph::divide(Expr a, Expr b) {
  if (is_constant(a) && is_constant(b)) return constant(value(a) / value(b));
  if (is_value(a, 0.0)) return constant(0.0);
  if (is_constant(b) && is_power_of_two(value(b))) return multiply(constant(1.0 / value(b)), a);
  if (node(a).op == Op::kNegate) return negate(divide(node(a).a, b));
  if (node(b).op == Op::kNegate) return negate(divide(a, node(b).a));
  if (is_constant(a) && value(a) < 0.0) return negate(divide(constant(-value(a)), b));
  if (is_constant(b) && value(b) < 0.0) return negate(divide(a, constant(-value(b))));
  if (is_gate(a)) return gate(node(a).a, divide(node(a).b, b));
  return intern({.op = Op::kDivide, .a = a, .b = b});
}

Expr Graph::power(Expr a, Expr b) {
  if (is_constant(a) && is_constant(b)) return constant(std::pow(value(a), value(b)));
  if (is_value(a, 1.0) || is_value(b, 0.0)) return constant(1.0);
  if (is_value(b, 1.0)) return a;
  if (is_value(b, 2.0)) return multiply(a, a);
  if (is_value(b, -1.0)) return divide(constant(1.0), a);
  if (is_value(b, 0.5)) return build_unary(Op::kSqrt, a);
  return intern({.op = Op::kPower, .a = a, .b = b});
}

Expr Graph::negate(Expr a) {
  const Node n = node(a);
  if (n.op == Op::kConstant) return constant(-n.value);
  if (n.op == Op::kNegate) return n.a;
  if (n.op == Op::kSubtract) return subtract(n.b, n.a);
  if (is_gate(a)) return gate(n.a, negate(n.b));
  return intern({.op = Op::kNegate, .a = a});
}

Expr Graph::apply(Function function, Expr a) {
  if (function == Function::kHeaviside) return build_binary(Op::kLess, constant(0.0), a);
  return build_unary(to_op(function), a);
}

Expr Graph::apply2(Function2 function, Expr a, Expr b) {
  if (function == Function2::kGreater) return build_binary(Op::kLess, b, a);
  if (function == Function2::kGreaterEqual) return build_binary(Op::kLessEqual, b, a);
  return build_binary(to_op(function), a, b);
}

Expr Graph::build_unary(Op op, Expr a) {
  if (is_constant(a)) return constant(evaluate(op, value(a)));
  if (node(a).op == Op::kNegate) {
    if (is_odd(op)) return negate(build_unary(op, node(a).a));
    if (is_even(op)) return build_unary(op, node(a).a);
  }
  if (op == Op::kAbs && node(a).op == Op::kAbs) return a;
  if (op == Op::kNot && node(a).op == Op::kNot && node(node(a).a).op == Op::kNot) return node(a).a;
  return intern({.op = op, .a = a});
}

Expr Graph::build_binary(Op op, Expr a, Expr b) {
  if (is_constant(a) && is_constant(b)) return constant(evaluate(op, value(a), value(b)));
  if (is_commutative(op)) order(a, b);
  if (a == b) {
    if (op == Op::kMin || op == Op::kMax) return a;
    if (op == Op::kLess || op == Op::kNotEqual) return constant(0.0);
    if (op == Op::kLessEqual || op == Op::kEqual) return constant(1.0);
  }
  return intern({.op = op, .a = a, .b = b});
}

bool Graph::is_gate(Expr e) const { return node(e).op == Op::kSelect && is_value(node(e).c, 0.0); }

// A zero branch is always the last one, and gates are not nested: select(p, select(q, a, 0), 0) is
// select(p and q, a, 0). Rules that look for gates thus need to look one level deep only.
Expr Graph::select(Expr condition, Expr a, Expr b) {
  if (a == b) return a;
  if (is_constant(condition)) return is_true(value(condition)) ? a : b;
  if (is_value(b, 0.0)) return gate(condition, a);
  if (is_value(a, 0.0)) return gate(opposite(condition), b);
  if (node(condition).op == Op::kNot) return select(node(condition).a, b, a);
  return intern({.op = Op::kSelect, .a = condition, .b = a, .c = b});
}

Expr Graph::gate(Expr condition, Expr a) {
  if (is_value(a, 0.0)) return constant(0.0);
  if (is_gate(a)) {
    const Expr inner = node(a).a;
    if (inner != condition) condition = build_binary(Op::kAnd, condition, inner);
    a = node(a).b;
  }
  return intern({.op = Op::kSelect, .a = condition, .b = a, .c = constant(0.0)});
}

Expr Graph::opposite(Expr condition) {
  if (node(condition).op == Op::kNot) return node(condition).a;
  return build_unary(Op::kNot, condition);
}

Expr Graph::build(Op op, Expr a, Expr b, Expr c) {
  switch (op) {
    case Op::kAdd:
      return add(a, b);
    case Op::kSubtract:
      return subtract(a, b);
    case Op::kMultiply:
      return multiply(a, b);
    case Op::kDivide:
      return divide(a, b);
    case Op::kPower:
      return power(a, b);
    case Op::kNegate:
      return negate(a);
    case Op::kSelect:
      return select(a, b, c);
    case Op::kConstant:
    case Op::kVariable:
      throw std::logic_error("formula: a leaf has no operands to build from");
    default:
      return arity(op) == 1 ? build_unary(op, a) : build_binary(op, a, b);
  }
}

// --- storage -----------------------------------------------------------------------------------

Expr Graph::intern(const Node& n) {
  if (2 * nodes_.size() >= table_.size()) grow_table();
  const std::size_t mask = table_.size() - 1;
  std::size_t slot = hash(n) & mask;
  while (table_[slot] != kNone) {
    if (same(node(table_[slot]), n)) return table_[slot];
    slot = (slot + 1) & mask;
  }
  table_[slot] = size();
  nodes_.push_back(n);
  return table_[slot];
}

void Graph::grow_table() {
  table_.assign(table_.empty() ? 256 : 2 * table_.size(), kNone);
  const std::size_t mask = table_.size() - 1;
  for (Expr e = 0; e < size(); ++e) {
    if (is_variable(e)) continue;
    std::size_t slot = hash(node(e)) & mask;
    while (table_[slot] != kNone) slot = (slot + 1) & mask;
    table_[slot] = e;
  }
}

}  // namespace clack::formula
