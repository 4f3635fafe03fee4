// Formulas from text: grammar, values and errors.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "clack/core/formula/parser.hpp"

namespace clack::formula {
namespace {

struct Context {
  Graph g;
  Names names;
  Context() {
    for (const char* name : {"x", "y", "m", "g", "gravity", "θ", "q'", "_a1"}) {
      names.emplace(name, g.variable(name));
    }
  }
  Expr operator()(std::string_view text) { return parse(g, text, names); }
};

double number(std::string_view text) {
  Context c;
  return c.g.constant_value(c(text));
}

TEST(FormulaParser, NumbersAreReadInEveryNotation) {
  EXPECT_EQ(number("1"), 1.0);
  EXPECT_EQ(number(".5"), 0.5);
  EXPECT_EQ(number("3."), 3.0);
  EXPECT_EQ(number("1e-3"), 1e-3);
  EXPECT_EQ(number("2.5E+4"), 2.5e4);
  EXPECT_EQ(number(" \t\n 0.1\r "), 0.1);
  EXPECT_EQ(number("pi"), std::numbers::pi);
}

TEST(FormulaParser, PrecedenceFollowsTheGrammar) {
  EXPECT_EQ(number("2 + 3*4"), 14.0);
  EXPECT_EQ(number("2 - 3 - 4"), -5.0);
  EXPECT_EQ(number("16/4/2"), 2.0);
  EXPECT_EQ(number("-2^2"), -4.0);
  EXPECT_EQ(number("(-2)^2"), 4.0);
  EXPECT_EQ(number("2^-3"), 0.125);
  EXPECT_EQ(number("2^3^2"), 512.0);
  EXPECT_EQ(number("2**3**2"), 512.0);
  EXPECT_EQ(number("2^-2^2"), 0.0625);
  EXPECT_EQ(number("2*-3"), -6.0);
  EXPECT_EQ(number("--+-2"), -2.0);
  EXPECT_EQ(number("1 + 1 < 3"), 1.0);
  EXPECT_EQ(number("not 1 < 0"), 1.0);
  EXPECT_EQ(number("not not 3"), 1.0);
  EXPECT_EQ(number("1 or 0 and 0"), 1.0);
  EXPECT_EQ(number("(1 or 0) and 0"), 0.0);
  EXPECT_EQ(number("not 0 and 0"), 0.0);
  EXPECT_EQ(number("2 >= 2 and 3 <= 2 or 1 != 1"), 0.0);
}

TEST(FormulaParser, EveryFunctionIsKnown) {
  const std::vector<std::pair<const char*, double>> cases = {{"sin(.3)", std::sin(.3)},
                                                             {"cos(.3)", std::cos(.3)},
                                                             {"tan(.3)", std::tan(.3)},
                                                             {"asin(.3)", std::asin(.3)},
                                                             {"acos(.3)", std::acos(.3)},
                                                             {"atan(.3)", std::atan(.3)},
                                                             {"sinh(.3)", std::sinh(.3)},
                                                             {"cosh(.3)", std::cosh(.3)},
                                                             {"tanh(.3)", std::tanh(.3)},
                                                             {"exp(.3)", std::exp(.3)},
                                                             {"log(.3)", std::log(.3)},
                                                             {"log10(.3)", std::log10(.3)},
                                                             {"sqrt(.3)", std::sqrt(.3)},
                                                             {"abs(-.3)", .3},
                                                             {"sign(-.3)", -1.0},
                                                             {"floor(.3)", 0.0},
                                                             {"ceil(.3)", 1.0},
                                                             {"heaviside(.3)", 1.0},
                                                             {"atan2(1, 2)", std::atan2(1.0, 2.0)},
                                                             {"min(1, 2)", 1.0},
                                                             {"max(1, 2)", 2.0},
                                                             {"mod(5, 3)", 2.0},
                                                             {"hypot(1, 2)", std::hypot(1.0, 2.0)},
                                                             {"if(0, 1, 2)", 2.0}};
  for (const auto& [text, value] : cases) EXPECT_EQ(number(text), value) << text;
}

TEST(FormulaParser, NamesMayHoldPrimesUnderscoresAndGreekLetters) {
  Context c;
  EXPECT_EQ(c("θ"), c.names.at("θ"));
  EXPECT_EQ(c("q'*_a1"), c.g.multiply(c.names.at("q'"), c.names.at("_a1")));
  EXPECT_EQ(c("cos(θ)"), c.g.apply(Function::kCos, c.names.at("θ")));
}

TEST(FormulaParser, NamesMayStandForExpressions) {
  Context c;
  c.names["weight"] = c("m*gravity");
  EXPECT_EQ(c("weight + 1"), c("m*gravity + 1"));
  c.names["sign"] = c("x");  // a name may be that of a function, told apart by the parenthesis
  EXPECT_EQ(c("sign*sign(sign)"), c("x*sign(x)"));
}

struct Malformed {
  const char* text;
  int position;
  const char* says;
};

TEST(FormulaParser, MalformedFormulasNameTheFaultAndItsPlace) {
  const Malformed cases[] = {
      {"", 0, "empty formula"},
      {"   ", 0, "empty formula"},
      {"m*(g)) ", 5, "unexpected ')' at character 6 of 'm*(g)) '"},
      {"(x", 0, "unclosed '('"},
      {"sin(x", 3, "unclosed '('"},
      {"x +", 3, "unexpected end"},
      {"x + * y", 4, "unexpected '*'"},
      {"* x", 0, "unexpected '*'"},
      {"()", 1, "unexpected ')'"},
      {"x y", 2, "unexpected 'y' at character 3 of 'x y'; is an operator"},
      {"2x", 1, "unexpected 'x'"},
      {"2(x)", 1, "unexpected '('"},
      {"x(2)", 0, "'x' is not a function"},
      {"pi(2)", 0, "'pi' is not a function"},
      {"grvity*m", 0, "did you mean 'gravity'? known names: "},
      {"m*gravtiy", 2, "did you mean 'gravity'?"},
      {"1 + unheardof", 4, "unknown name 'unheardof'"},
      {"sni(x)", 0, "unknown function 'sni' at character 1 of 'sni(x)'; did you mean 'sin'?"},
      {"frobnicate(x)", 0, "known functions: sin, cos"},
      {"sin()", 0, "takes 1 argument, not 0"},
      {"sin(x, y)", 0, "takes 1 argument, not 2"},
      {"1 + atan2(x)", 4, "takes 2 arguments, not 1"},
      {"if(x, y)", 0, "takes 3 arguments, not 2"},
      {"if(x, y, m, g)", 0, "takes 3 arguments, not 4"},
      {"min(x,)", 6, "unexpected ')'"},
      {"min(,x)", 4, "unexpected ','"},
      {"sin x", 0, "function 'sin' without its arguments"},
      {"1e999", 0, "number '1e999' out of range"},
      {"x + 1e", 4, "malformed number '1e'"},
      {"1.2.3", 0, "malformed number '1.2.3'"},
      {".", 0, "unexpected '.'"},
      {"x = y", 2, "write '=='"},
      {"x && y", 2, "write 'and'"},
      {"x || y", 2, "write 'or'"},
      {"!x", 0, "write 'not'"},
      {"x < y < 1", 6, "comparisons do not chain"},
      {"x + not y", 4, "unexpected 'not'"},
      {"and x", 0, "unexpected 'and'"},
      {"x @ y", 2, "unexpected '@'"},
      {"x, y", 1, "unexpected ','"},
      {"θ + θθ", 4, "unknown name 'θθ' at character 5"},
      {"x^", 2, "unexpected end"},
      {"x # comment", 2, "unexpected '#'"},
  };
  Context c;
  for (const Malformed& bad : cases) {
    try {
      (void)c(bad.text);
      ADD_FAILURE() << "accepted: " << bad.text;
    } catch (const ParseError& error) {
      EXPECT_EQ(error.position(), bad.position) << bad.text << ": " << error.what();
      EXPECT_NE(std::string(error.what()).find(bad.says), std::string::npos)
          << bad.text << ": " << error.what();
    }
  }
}

TEST(FormulaParser, ErrorsAreInputErrors) {
  Context c;
  EXPECT_THROW((void)c("x +"), InputError);
}

TEST(FormulaParser, UnknownNamesListAtMostTwentyNames) {
  Context c;
  for (int i = 0; i < 50; ++i) c.names.emplace("z" + std::to_string(100 + i), c.names.at("x"));
  try {
    (void)c("unheardof");
    FAIL();
  } catch (const ParseError& error) {
    const std::string text = error.what();
    EXPECT_TRUE(text.ends_with(", ..."));
    EXPECT_EQ(std::count(text.begin(), text.end(), ','), 20);
  }
}

TEST(FormulaParser, NestingIsLimited) {
  const auto nested = [](int n) { return std::string(n, '(') + "x" + std::string(n, ')'); };
  Context c;
  EXPECT_EQ(c(nested(200)), c("x"));
  EXPECT_THROW((void)c(nested(201)), ParseError);
  EXPECT_THROW((void)c(nested(40000)), ParseError);
  std::string tower = "x", calls = "x";
  for (int i = 0; i < 300; ++i) tower += "^x";
  for (int i = 0; i < 300; ++i) calls = "sin(" + calls + ")";
  EXPECT_THROW((void)c(tower), ParseError);
  EXPECT_THROW((void)c(calls), ParseError);
  EXPECT_EQ(c(std::string(50000, '-') + "x"), c("x"));  // signs are no nesting
  std::string siblings = "0";
  for (int i = 0; i < 300; ++i) siblings += "+(x)*sin(y)^2";  // nor are neighbours
  EXPECT_NO_THROW((void)c(siblings));
}

TEST(FormulaParser, LengthIsLimitedAndTheMessageStaysShort) {
  Context c;
  std::string text = "x";
  while (text.size() + 2 <= 100000) text += "+x";
  EXPECT_NO_THROW((void)c(text));
  try {
    (void)c(text + "+x");
    FAIL();
  } catch (const ParseError& error) {
    EXPECT_EQ(error.position(), 100000);
    EXPECT_LT(std::string(error.what()).size(), 300u);
  }
}

TEST(FormulaParser, IdentifiersAreListedOnceInOrder) {
  EXPECT_EQ(identifiers("l*sin(θ) + pi*m/l - if(b > a, 1, m)"),
            (std::vector<std::string>{"l", "θ", "m", "b", "a"}));
  EXPECT_TRUE(identifiers("2*pi").empty());
  EXPECT_EQ(identifiers("0*x + (y - y)"), (std::vector<std::string>{"x", "y"}));
  EXPECT_THROW((void)identifiers("a + "), ParseError);
  EXPECT_THROW((void)identifiers("foo(a)"), ParseError);
}

}  // namespace
}  // namespace clack::formula
