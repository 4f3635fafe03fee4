// Formulas as a directed acyclic graph with exact derivatives.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "clack/core/formula/op.hpp"

namespace clack::formula {

using Expr = std::int32_t;  // index of a node of one Graph
inline constexpr Expr kNone = -1;

struct Node {
  Op op = Op::kConstant;
  Expr a = kNone, b = kNone, c = kNone;  // operands, always smaller indices than the node's own
  double value = 0.0;                    // of a constant
};

// Hash-consed: structurally equal expressions have equal indices (a + b and b + a included), so a
// subexpression that occurs many times is stored, differentiated and evaluated once.
//
// Expressions are simplified as they are built. A simplification never changes the finite value at
// finite arguments, except 0*x = 0, 0/x = 0 and x - x = 0; sums and products are therefore not
// reassociated, save for factors that are powers of two. All walks over the graph follow the node
// indices, so that the depth of an expression is not limited by the stack.
//
// Derivatives where a function has a kink: abs' = sign, sign' = floor' = ceil' = 0, and on a tie of
// min or max the derivative of the first argument.
//
// Const member functions may be called by several threads at once; the others may not.
class Graph {
 public:
  Expr constant(double value);
  Expr variable(std::string_view name);  // found or created

  Expr add(Expr a, Expr b);
  Expr subtract(Expr a, Expr b);
  Expr multiply(Expr a, Expr b);
  Expr divide(Expr a, Expr b);
  Expr power(Expr base, Expr exponent);
  Expr negate(Expr a);
  Expr apply(Function function, Expr a);
  Expr apply2(Function2 function, Expr a, Expr b);
  Expr select(Expr condition, Expr a, Expr b);                // condition > 0 ? a : b
  Expr build(Op op, Expr a, Expr b = kNone, Expr c = kNone);  // any operation of arity >= 1

  [[nodiscard]] bool is_constant(Expr e) const { return node(e).op == Op::kConstant; }
  [[nodiscard]] bool is_variable(Expr e) const { return node(e).op == Op::kVariable; }
  // Of a leaf; std::logic_error if it is none of that kind.
  [[nodiscard]] double constant_value(Expr e) const;
  [[nodiscard]] const std::string& variable_name(Expr e) const;
  [[nodiscard]] bool depends_on(Expr e, Expr variable) const;
  [[nodiscard]] std::vector<Expr> variables(Expr e) const;  // in the order of their creation
  // Text that parses back to the same expression; cut with "..." after about max_length characters.
  [[nodiscard]] std::string to_string(Expr e, std::size_t max_length = 2000) const;

  // de/dvariable, remembered for each (node, variable).
  Expr derivative(Expr e, Expr variable);
  // de/dvariables[i] by reverse accumulation: the size is a small multiple of that of e.
  std::vector<Expr> gradient(Expr e, std::span<const Expr> variables);
  // sum_i de/dvariables[i] * directions[i] by forward accumulation.
  Expr directional(Expr e, std::span<const Expr> variables, std::span<const Expr> directions);
  // e with every variables[i] replaced by values[i], all at once.
  Expr substitute(Expr e, std::span<const Expr> variables, std::span<const Expr> values);

  [[nodiscard]] const Node& node(Expr e) const { return nodes_[static_cast<std::size_t>(e)]; }
  [[nodiscard]] int size() const { return static_cast<int>(nodes_.size()); }

 private:
  [[nodiscard]] bool is_value(Expr e, double value) const {
    return is_constant(e) && node(e).value == value;
  }
  [[nodiscard]] bool is_gate(Expr e) const;  // select(condition, a, 0)
  [[nodiscard]] double value(Expr e) const { return node(e).value; }
  void order(Expr& a, Expr& b) const;
  Expr build_unary(Op op, Expr a);
  Expr build_binary(Op op, Expr a, Expr b);
  Expr multiply_by_constant(Expr constant, Expr b);
  Expr gate(Expr condition, Expr a);
  Expr opposite(Expr condition);
  Expr intern(const Node& node);
  void grow_table();

  std::vector<Node> nodes_;
  std::vector<Expr> table_;  // open addressing, size a power of two, kNone where free
  std::map<std::string, Expr, std::less<>> variables_;
  std::unordered_map<Expr, std::string> names_;
  std::unordered_map<Expr, std::unordered_map<Expr, Expr>> derivatives_;  // [variable][node]
};

}  // namespace clack::formula
