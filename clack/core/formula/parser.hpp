// Formulas from text.
//
//   or          := and ("or" and)*
//   and         := not ("and" not)*
//   not         := "not"* comparison
//   comparison  := sum [("<" | "<=" | ">" | ">=" | "==" | "!=") sum]
//   sum         := product (("+" | "-") product)*
//   product     := signed (("*" | "/") signed)*
//   signed      := ("+" | "-")* raised
//   raised      := primary [("^" | "**") signed]            -x^2 = -(x^2), 2^-3, a^b^c = a^(b^c)
//   primary     := number | "pi" | name | function "(" or ("," or)* ")" | "(" or ")"
//
// Names are [A-Za-z_][A-Za-z0-9_']*, where every byte of a UTF-8 letter counts as a letter.
// Functions: sin cos tan asin acos atan sinh cosh tanh exp log log10 sqrt abs sign floor ceil
// heaviside, atan2 min max mod hypot, and if(condition, a, b), which is a where condition > 0.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "clack/core/error.hpp"
#include "clack/core/formula/graph.hpp"

namespace clack::formula {

inline constexpr int kMaxFormulaLength = 100'000;  // bytes
inline constexpr int kMaxFormulaDepth = 200;       // nested parentheses, calls and exponents

// A formula that cannot be read. The message quotes the place and counts characters from 1.
class ParseError : public InputError {
 public:
  ParseError(const std::string& message, int position) : InputError(message), position_(position) {}
  [[nodiscard]] int position() const { return position_; }  // of the offending character, from 0

 private:
  int position_;
};

using Names = std::map<std::string, Expr, std::less<>>;  // what an identifier stands for

// The expression that the text denotes; its identifiers must be among the names.
Expr parse(Graph& graph, std::string_view text, const Names& names);

// The identifiers of the text, functions and pi left out, each once in the order of appearance.
std::vector<std::string> identifiers(std::string_view text);

}  // namespace clack::formula
