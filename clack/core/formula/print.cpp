// Text of an expression, in the syntax of the parser.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <deque>

#include "clack/core/formula/graph.hpp"

namespace clack::formula {
namespace {

// How tightly an expression holds together, in the order of the grammar.
enum Precedence {
  kLoose,
  kDisjunction,
  kConjunction,
  kNegation,
  kComparison,
  kSum,
  kProduct,
  kSigned,
  kRaised,
  kAtom
};

struct Infix {
  Op op;
  const char* text;
  Precedence own, left, right;  // own, and what the operands must have to stand without parentheses
};

constexpr std::array kInfix = {
    Infix{Op::kAdd, " + ", kSum, kSum, kProduct},
    Infix{Op::kSubtract, " - ", kSum, kSum, kProduct},
    Infix{Op::kMultiply, "*", kProduct, kProduct, kSigned},
    Infix{Op::kDivide, "/", kProduct, kProduct, kSigned},
    Infix{Op::kPower, "^", kRaised, kAtom, kSigned},
    Infix{Op::kLess, " < ", kComparison, kSum, kSum},
    Infix{Op::kLessEqual, " <= ", kComparison, kSum, kSum},
    Infix{Op::kEqual, " == ", kComparison, kSum, kSum},
    Infix{Op::kNotEqual, " != ", kComparison, kSum, kSum},
    Infix{Op::kAnd, " and ", kConjunction, kConjunction, kNegation},
    Infix{Op::kOr, " or ", kDisjunction, kDisjunction, kConjunction},
};

constexpr std::array kPrefix = {"sin",  "cos", "tan",   "asin",  "acos", "atan", "sinh", "cosh",
                                "tanh", "exp", "log",   "log10", "sqrt", "abs",  "sign", "floor",
                                "ceil", "not", "atan2", "min",   "max",  "mod",  "hypot"};

const Infix* find_infix(Op op) {
  for (const Infix& infix : kInfix) {
    if (infix.op == op) return &infix;
  }
  return nullptr;
}

Precedence precedence(const Node& n) {
  if (const Infix* infix = find_infix(n.op)) return infix->own;
  if (n.op == Op::kNegate) return kSigned;
  if (n.op == Op::kNot) return kNegation;
  return n.op == Op::kConstant && std::signbit(n.value) ? kSigned : kAtom;
}

const char* function_name(Op op) {
  return op == Op::kSelect
             ? "if"
             : kPrefix[static_cast<std::size_t>(op) - static_cast<std::size_t>(Op::kSin)];
}

// A piece of text still to be written: an expression with the precedence its place demands, or a
// literal. A stack of pieces stands for the recursion.
struct Piece {
  Expr e = kNone;
  Precedence demanded = kLoose;
  const char* text = nullptr;
};

class Printer {
 public:
  explicit Printer(const Graph& graph) : graph_(graph) {}

  std::string print(Expr e, std::size_t max_length) {
    stack_.push_back({.e = e});
    while (!stack_.empty()) {
      if (text_.size() > max_length) return text_ + "...";
      const Piece piece = stack_.back();
      stack_.pop_back();
      if (piece.text)
        text_ += piece.text;
      else
        expand(piece);
    }
    return text_;
  }

 private:
  // Pieces are pushed last first.
  void literal(const char* text) { stack_.push_back({.text = text}); }
  void operand(Expr e, Precedence demanded) { stack_.push_back({e, demanded, nullptr}); }

  void expand(const Piece& piece) {
    const Node& n = graph_.node(piece.e);
    const bool parentheses = precedence(n) < piece.demanded;
    if (parentheses) literal(")");
    expand_bare(piece.e, n);
    if (parentheses) literal("(");
  }

  void expand_bare(Expr e, const Node& n) {
    if (const Infix* infix = find_infix(n.op)) {
      operand(n.b, infix->right);
      literal(infix->text);
      operand(n.a, infix->left);
    } else if (n.op == Op::kConstant) {
      numbers_.push_back(fmt::format("{}", n.value));
      literal(numbers_.back().c_str());
    } else if (n.op == Op::kVariable) {
      literal(graph_.variable_name(e).c_str());
    } else if (n.op == Op::kNegate || n.op == Op::kNot) {
      operand(n.a, n.op == Op::kNegate ? kRaised : kNegation);
      literal(n.op == Op::kNegate ? "-" : "not ");
    } else {
      expand_call(n);
    }
  }

  void expand_call(const Node& n) {
    literal(")");
    if (n.c != kNone) operand(n.c, kLoose);
    if (n.c != kNone) literal(", ");
    if (n.b != kNone) operand(n.b, kLoose);
    if (n.b != kNone) literal(", ");
    operand(n.a, kLoose);
    literal("(");
    literal(function_name(n.op));
  }

  const Graph& graph_;
  std::vector<Piece> stack_;
  std::deque<std::string> numbers_;  // a deque, so that the literals stay where they are
  std::string text_;
};

}  // namespace

std::string Graph::to_string(Expr e, std::size_t max_length) const {
  return Printer(*this).print(e, max_length);
}

}  // namespace clack::formula
