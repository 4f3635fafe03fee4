// Differentiation and substitution on the graph.
#include <numbers>
#include <stdexcept>
#include <unordered_map>
#include <utility>

#include "clack/core/formula/graph.hpp"
#include "clack/core/formula/subgraph.hpp"

namespace clack::formula {
namespace {

struct Operands {
  Expr a = kNone, b = kNone, c = kNone;
};

bool is_zero(const Graph& g, Expr e) { return g.is_constant(e) && g.node(e).value == 0.0; }
Expr square(Graph& g, Expr x) { return g.multiply(x, x); }

// 1 - x^2
Expr complement(Graph& g, Expr x) { return g.subtract(g.constant(1.0), square(g, x)); }

// dy/dx of y = op(x); zero for the piecewise constant functions.
Expr unary_partial(Graph& g, Op op, Expr x, Expr y) {
  const auto one = [&] { return g.constant(1.0); };
  switch (op) {
    case Op::kNegate:
      return g.constant(-1.0);
    case Op::kSin:
      return g.apply(Function::kCos, x);
    case Op::kCos:
      return g.negate(g.apply(Function::kSin, x));
    case Op::kTan:
      return g.add(one(), square(g, y));
    case Op::kAsin:
      return g.divide(one(), g.apply(Function::kSqrt, complement(g, x)));
    case Op::kAcos:
      return g.negate(unary_partial(g, Op::kAsin, x, y));
    case Op::kAtan:
      return g.divide(one(), g.add(one(), square(g, x)));
    case Op::kSinh:
      return g.apply(Function::kCosh, x);
    case Op::kCosh:
      return g.apply(Function::kSinh, x);
    case Op::kTanh:
      return complement(g, y);
    case Op::kExp:
      return y;
    case Op::kLog:
      return g.divide(one(), x);
    case Op::kLog10:
      return g.divide(g.constant(std::numbers::log10e), x);
    case Op::kSqrt:
      return g.divide(g.constant(0.5), y);
    case Op::kAbs:
      return g.apply(Function::kSign, x);
    default:
      return g.constant(0.0);
  }
}

// d(x^n)/dx = n x^(n-1)
Expr power_base_partial(Graph& g, Expr x, Expr n) {
  return g.multiply(n, g.power(x, g.subtract(n, g.constant(1.0))));
}

// Derivative of y = op(a, b) in its first or second argument.
Expr binary_partial(Graph& g, const Node& n, Expr y, bool first) {
  switch (n.op) {
    case Op::kPower:
      if (first) return power_base_partial(g, n.a, n.b);
      if (g.is_constant(n.b)) return g.constant(0.0);
      return g.multiply(y, g.apply(Function::kLog, n.a));
    case Op::kHypot:
      return g.divide(first ? n.a : n.b, y);
    case Op::kAtan2: {
      const Expr radius2 = g.add(square(g, n.a), square(g, n.b));
      return first ? g.divide(n.b, radius2) : g.negate(g.divide(n.a, radius2));
    }
    case Op::kMod:
      if (first) return g.constant(1.0);
      return g.negate(g.apply(Function::kFloor, g.divide(n.a, n.b)));
    default:
      return g.constant(0.0);
  }
}

// True where the first argument of min or max is the one returned.
Expr first_wins(Graph& g, const Node& n) {
  const auto order = n.op == Op::kMin ? Function2::kLessEqual : Function2::kGreaterEqual;
  return g.apply2(order, n.a, n.b);
}

// d(a/b) = (da - y db)/b
Expr quotient_tangent(Graph& g, const Node& n, Expr y, Operands d) {
  return g.divide(g.subtract(d.a, g.multiply(y, d.b)), n.b);
}

// Forward rule: the tangent of node y from the tangents of its operands.
Expr tangent(Graph& g, Expr y, Operands d) {
  const Node n = g.node(y);  // a copy, for the rules append nodes
  switch (n.op) {
    case Op::kConstant:
    case Op::kVariable:
      return g.constant(0.0);
    case Op::kAdd:
      return g.add(d.a, d.b);
    case Op::kSubtract:
      return g.subtract(d.a, d.b);
    case Op::kNegate:
      return g.negate(d.a);
    case Op::kMultiply:
      return g.add(g.multiply(d.a, n.b), g.multiply(n.a, d.b));
    case Op::kDivide:
      return quotient_tangent(g, n, y, d);
    case Op::kMin:
    case Op::kMax:
      return g.select(first_wins(g, n), d.a, d.b);
    case Op::kSelect:
      return g.select(n.a, d.b, d.c);
    default:
      break;
  }
  Expr sum = g.constant(0.0);
  if (arity(n.op) == 1 && !is_zero(g, d.a)) return g.multiply(unary_partial(g, n.op, n.a, y), d.a);
  if (arity(n.op) == 1) return sum;
  if (!is_zero(g, d.a)) sum = g.multiply(binary_partial(g, n, y, true), d.a);
  if (!is_zero(g, d.b)) sum = g.add(sum, g.multiply(binary_partial(g, n, y, false), d.b));
  return sum;
}

// Reverse rule: what each operand of y gains when y has the given adjoint; kNone for no gain.
Operands pull_back(Graph& g, Expr y, Expr adjoint) {
  const Node n = g.node(y);
  const Expr zero = g.constant(0.0);
  switch (n.op) {
    case Op::kAdd:
      return {adjoint, adjoint};
    case Op::kSubtract:
      return {adjoint, g.negate(adjoint)};
    case Op::kMultiply:
      return {g.multiply(adjoint, n.b), g.multiply(adjoint, n.a)};
    case Op::kDivide: {
      const Expr t = g.divide(adjoint, n.b);
      return {t, g.negate(g.multiply(t, y))};
    }
    case Op::kMin:
    case Op::kMax: {
      const Expr first = first_wins(g, n);
      return {g.select(first, adjoint, zero), g.select(first, zero, adjoint)};
    }
    case Op::kSelect:
      return {kNone, g.select(n.a, adjoint, zero), g.select(n.a, zero, adjoint)};
    default:
      break;
  }
  if (arity(n.op) == 1) return {g.multiply(adjoint, unary_partial(g, n.op, n.a, y))};
  return {g.multiply(adjoint, binary_partial(g, n, y, true)),
          g.multiply(adjoint, binary_partial(g, n, y, false))};
}

// The sum of two adjoints. If both are zero outside their own branches, so is the sum, and saying
// so keeps an infinite factor further down from turning that zero into a NaN.
Expr accumulate(Graph& g, Expr x, Expr y) {
  const Node p = g.node(x), q = g.node(y);
  const bool gates =
      p.op == Op::kSelect && is_zero(g, p.c) && q.op == Op::kSelect && is_zero(g, q.c);
  if (!gates) return g.add(x, y);
  if (p.a == q.a) return g.select(p.a, g.add(p.b, q.b), g.constant(0.0));
  return g.select(g.apply2(Function2::kOr, p.a, q.a), g.add(x, y), g.constant(0.0));
}

void require_variables(const Graph& g, std::span<const Expr> variables) {
  for (const Expr v : variables) (void)g.variable_name(v);
}

void require_same_size(std::span<const Expr> x, std::span<const Expr> y) {
  if (x.size() != y.size()) throw std::logic_error("formula: lists of different lengths");
}

// The nodes of the subgraph that depend on one of the variables: the others have no adjoint.
std::vector<char> find_active(const Graph& g, const Subgraph& sub,
                              std::span<const Expr> variables) {
  std::vector<char> active(sub.size(), 0);
  for (const Expr v : variables) {
    if (sub.contains(v)) active[sub.position(v)] = 1;
  }
  for (std::size_t i = 0; i < sub.size(); ++i) {
    const Node& n = g.node(sub.nodes()[i]);
    for (const Expr operand : {n.a, n.b, n.c}) {
      if (operand != kNone && active[sub.position(operand)]) active[i] = 1;
    }
  }
  return active;
}

// Nodes under e that the memory lacks, ascending. Those older than the variable cannot depend on
// it.
std::vector<Expr> find_missing(const Graph& g, Expr e, Expr variable,
                               const std::unordered_map<Expr, Expr>& known) {
  std::vector<Expr> missing;
  for (Descent walk(g, e); !walk.done() && walk.top() >= variable;) {
    const Expr n = walk.pop();
    if (known.contains(n)) continue;
    missing.push_back(n);
    walk.push_operands(n);
  }
  return {missing.rbegin(), missing.rend()};
}

}  // namespace

Expr Graph::derivative(Expr e, Expr variable) {
  require_variables(*this, {&variable, 1});
  auto& known = derivatives_[variable];
  known.try_emplace(variable, constant(1.0));
  const Expr zero = constant(0.0);
  const auto lookup = [&](Expr operand) {
    return operand < variable ? zero : known.at(operand);  // kNone included
  };
  for (const Expr y : find_missing(*this, e, variable, known)) {
    const Node n = node(y);
    known.emplace(y, tangent(*this, y, {lookup(n.a), lookup(n.b), lookup(n.c)}));
  }
  return lookup(e);
}

std::vector<Expr> Graph::gradient(Expr e, std::span<const Expr> variables) {
  require_variables(*this, variables);
  const Subgraph sub(*this, e);
  const std::vector<char> active = find_active(*this, sub, variables);
  const Expr zero = constant(0.0);
  std::vector<Expr> adjoint(sub.size(), zero);
  adjoint.back() = constant(1.0);
  for (std::size_t i = sub.size(); i-- > 0;) {
    if (!active[i] || is_zero(*this, adjoint[i]) || is_variable(sub.nodes()[i])) continue;
    const Node n = node(sub.nodes()[i]);
    const Operands gain = pull_back(*this, sub.nodes()[i], adjoint[i]);
    for (const auto& [operand, term] : {std::pair{n.a, gain.a}, {n.b, gain.b}, {n.c, gain.c}}) {
      if (operand == kNone || term == kNone) continue;
      const std::size_t k = sub.position(operand);
      if (active[k]) adjoint[k] = accumulate(*this, adjoint[k], term);
    }
  }
  std::vector<Expr> result;
  for (const Expr v : variables) {
    result.push_back(sub.contains(v) ? adjoint[sub.position(v)] : zero);
  }
  return result;
}

Expr Graph::directional(Expr e, std::span<const Expr> variables, std::span<const Expr> directions) {
  require_variables(*this, variables);
  require_same_size(variables, directions);
  const Subgraph sub(*this, e);
  const Expr zero = constant(0.0);
  std::vector<Expr> tangents(sub.size(), zero);
  for (std::size_t k = 0; k < variables.size(); ++k) {
    if (!sub.contains(variables[k])) continue;
    Expr& t = tangents[sub.position(variables[k])];
    t = add(t, directions[k]);
  }
  const auto lookup = [&](Expr operand) {
    return operand == kNone ? zero : tangents[sub.position(operand)];
  };
  for (std::size_t i = 0; i < sub.size(); ++i) {
    const Node n = node(sub.nodes()[i]);
    if (arity(n.op) == 0) continue;
    tangents[i] = tangent(*this, sub.nodes()[i], {lookup(n.a), lookup(n.b), lookup(n.c)});
  }
  return tangents.back();
}

Expr Graph::substitute(Expr e, std::span<const Expr> variables, std::span<const Expr> values) {
  require_variables(*this, variables);
  require_same_size(variables, values);
  const Subgraph sub(*this, e);
  std::vector<Expr> image = sub.nodes();
  for (std::size_t k = 0; k < variables.size(); ++k) {
    if (sub.contains(variables[k])) image[sub.position(variables[k])] = values[k];
  }
  const auto lookup = [&](Expr operand) {
    return operand == kNone ? kNone : image[sub.position(operand)];
  };
  for (std::size_t i = 0; i < sub.size(); ++i) {
    const Node n = node(sub.nodes()[i]);
    if (arity(n.op) > 0) image[i] = build(n.op, lookup(n.a), lookup(n.b), lookup(n.c));
  }
  return image.back();
}

}  // namespace clack::formula
