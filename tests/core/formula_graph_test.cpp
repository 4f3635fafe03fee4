// The formula graph: sharing, simplification, printing, substitution.
#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "tests/core/formulas.hpp"

namespace clack::formula {
namespace {

// Processor time, so that a busy machine does not fail a test.
TEST(Formula, StructurallyEqualExpressionsAreOneNode) {
  Formulas f;
  EXPECT_EQ(f("x + y"), f("y + x"));
  EXPECT_EQ(f("x*y*z"), f("z*(y*x)"));
  EXPECT_EQ(f("sin(x + 2)"), f("sin(2 + x)"));
  EXPECT_EQ(f("hypot(x, y)"), f("hypot(y, x)"));
  EXPECT_NE(f("x - y"), f("y - x"));
  EXPECT_NE(f("atan2(x, y)"), f("atan2(y, x)"));
  EXPECT_EQ(f("x > y"), f("y < x"));
}

TEST(Formula, RepeatedSubexpressionsDoNotGrowTheGraph) {
  Formulas f;
  (void)f("sin(x + y)*exp(z)");
  const int size = f.g.size();
  (void)f("exp(z)*sin(y + x)");
  EXPECT_EQ(f.g.size(), size);
  (void)f("sin(x + y)*exp(z) + sin(x + y)");  // one sum more
  EXPECT_EQ(f.g.size(), size + 1);
}

TEST(Formula, VariablesAreFoundByName) {
  Graph g;
  EXPECT_EQ(g.variable("q1"), g.variable("q1"));
  EXPECT_NE(g.variable("q1"), g.variable("q2"));
  EXPECT_EQ(g.variable_name(g.variable("q2")), "q2");
  EXPECT_THROW((void)g.variable_name(g.constant(1.0)), std::logic_error);
  EXPECT_THROW((void)g.constant_value(g.variable("q1")), std::logic_error);
}

TEST(Formula, SimplificationsGiveTheExpectedNode) {
  const char* rules[] = {"0 + x -> x",
                         "x + 0 -> x",
                         "1*x -> x",
                         "0*x -> 0",
                         "x - x -> 0",
                         "x/1 -> x",
                         "x^0 -> 1",
                         "x^1 -> x",
                         "x^2 -> x*x",
                         "--x -> x",
                         "x - 0 -> x",
                         "0 - x -> -x",
                         "0/x -> 0",
                         "-1*x -> -x",
                         "x*(-y) -> -(x*y)",
                         "(-x)/(-y) -> x/y",
                         "x + -y -> x - y",
                         "x - -y -> x + y",
                         "-(x - y) -> y - x",
                         "x + x -> 2*x",
                         "0.5*(2*x) -> x",
                         "x/4 -> 0.25*x",
                         "x^-1 -> 1/x",
                         "x^0.5 -> sqrt(x)",
                         "1^x -> 1",
                         "sin(-x) -> -sin(x)",
                         "cos(-x) -> cos(x)",
                         "abs(-x) -> abs(x)",
                         "min(x, x) -> x",
                         "if(1, x, y) -> x",
                         "if(0, x, y) -> y",
                         "if(x, y, y) -> y",
                         "x < x -> 0",
                         "x <= x -> 1",
                         "2 + 3*4 -> 14",
                         "if(not x, y, z) -> if(x, z, y)",
                         "x - 3 -> -3 + x",
                         "(-3)*x -> -(3*x)",
                         "heaviside(x) -> x > 0",
                         "if(x, if(y, z, 0), 0) -> if(x and y, z, 0)",
                         "z*if(x, y, 0) -> if(x, z*y, 0)"};
  for (const std::string rule : rules) {
    Formulas f;
    const auto arrow = rule.find(" -> ");
    const Expr from = f(rule.substr(0, arrow).c_str());
    EXPECT_EQ(from, f(rule.substr(arrow + 4).c_str())) << rule << ": " << f.g.to_string(from);
  }
}

TEST(Formula, SumsAndProductsAreNotReassociatedWhereRoundingWouldChange) {
  Formulas f;
  EXPECT_NE(f("3*(0.7*x)"), f("(3*0.7)*x"));
  EXPECT_NE(f("0.1 + (0.2 + x)"), f("(0.1 + 0.2) + x"));
  EXPECT_NE(f("x/3"), f("(1/3)*x"));
  EXPECT_NE(f("x/x"), f("1"));  // not a number at 0
}

TEST(Formula, ConstantsAreFolded) {
  Formulas f;
  const std::vector<std::pair<const char*, double>> cases = {
      {"sin(1)", std::sin(1.0)},
      {"2^10", 1024.0},
      {"atan2(1, -1)", std::atan2(1.0, -1.0)},
      {"mod(-1, 3)", 2.0},
      {"mod(1, -3)", -2.0},
      {"mod(7.5, 2)", 1.5},
      {"min(2, 3) + max(2, 3)", 5},
      {"sign(-2)", -1.0},
      {"sign(0)", 0.0},
      {"heaviside(0)", 0.0},
      {"heaviside(2)", 1.0},
      {"floor(-1.5)", -2.0},
      {"ceil(-1.5)", -1.0},
      {"3 < 4 and not 4 < 3", 1.0},
      {"1 == 2 or 1 != 2", 1.0},
      {"if(2 > 1, 7, 8)", 7.0},
      {"log10(1000)", std::log10(1000.0)},
      {"hypot(3, 4)", 5.0}};
  for (const auto& [text, value] : cases) {
    const Expr e = f(text);
    ASSERT_TRUE(f.g.is_constant(e)) << text;
    EXPECT_EQ(f.g.constant_value(e), value) << text;
  }
}

TEST(Formula, DependencyIsFoundThroughTheGraph) {
  Formulas f;
  const Expr e = f("sin(x)*z + 0*y");
  EXPECT_TRUE(f.g.depends_on(e, f.x));
  EXPECT_FALSE(f.g.depends_on(e, f.y));
  EXPECT_TRUE(f.g.depends_on(f.x, f.x));
  EXPECT_FALSE(f.g.depends_on(f.x, f.z));
  EXPECT_EQ(f.g.variables(e), (Exprs{f.x, f.z}));
  EXPECT_TRUE(f.g.variables(f("2")).empty());
}

TEST(Formula, PrintedTextParsesBackToTheSameNode) {
  const char* texts[] = {"x + y*z",
                         "(x + y)*z",
                         "x - (y - z)",
                         "x/(y*z)",
                         "(x/y)*z",
                         "-x^2",
                         "(-x)^3",
                         "x^y^z",
                         "(x^y)^z",
                         "2^-x",
                         "-(x*y)",
                         "x*y - -3.5",
                         "1e-7*x + 1e30",
                         "(x + 1)^(y - 1)",
                         "if(x < y and not (y <= z or x == z), x, -y)",
                         "(x < y) + (y != z)",
                         "atan2(-x, hypot(y, z))",
                         "mod(x, 2) - floor(y)*(-z)",
                         "(-2)^x",
                         "not x and y"};
  for (const char* text : texts) {
    Formulas f;
    const Expr e = f(text);
    EXPECT_EQ(f(f.g.to_string(e).c_str()), e) << text << " printed as " << f.g.to_string(e);
  }
}

TEST(Formula, HugeExpressionsArePrintedInPart) {
  Formulas f;
  Expr e = f.x;
  for (int i = 0; i < 200; ++i) e = f.g.add(f.g.apply(Function::kSin, e), e);  // 2^200 leaves
  const std::string text = f.g.to_string(e, 500);
  EXPECT_LT(text.size(), 600u);
  EXPECT_TRUE(text.ends_with("..."));
}

TEST(Formula, SubstitutionReplacesAllVariablesAtOnce) {
  Formulas f;
  const Expr e = f("x*y + sin(x) - z");
  const Expr swapped = f.g.substitute(e, Exprs{f.x, f.y}, Exprs{f.y, f.x});
  EXPECT_EQ(swapped, f("y*x + sin(y) - z"));
  EXPECT_EQ(f.g.substitute(e, Exprs{f.x}, Exprs{f("0")}), f("-z"));
  EXPECT_EQ(f.g.substitute(e, Exprs{f.z}, Exprs{f("x*y")}), f("x*y + sin(x) - x*y"));
}

TEST(Formula, DeepSumsDoNotOverflowTheStack) {
  Formulas f;
  Expr sum = f.y;
  for (int i = 0; i < 100000; ++i) {
    sum = f.g.add(sum, f.g.multiply(f.g.constant(1.0 + i), i % 2 ? f.x : sum));
  }
  const Expr d = f.g.derivative(sum, f.x);
  const Exprs gradient = f.g.gradient(sum, f.inputs);
  const Expr along = f.g.directional(sum, f.inputs, Exprs{f.y, f.z, f.x});
  const Expr other = f.g.substitute(sum, Exprs{f.x}, Exprs{f.z});
  EXPECT_TRUE(f.g.depends_on(sum, f.x));
  EXPECT_TRUE(f.g.depends_on(along, f.z) && f.g.depends_on(other, f.z));
  EXPECT_FALSE(f.g.depends_on(gradient[0], f.y));
  EXPECT_EQ(f.g.variables(sum), (Exprs{f.x, f.y}));
  EXPECT_LE(f.g.to_string(sum).size(), 3000u);
  const Tape tape(f.g, f.inputs, Exprs{sum, d, along});
  EXPECT_GT(tape.instruction_count(), 150000);
}

TEST(Formula, DerivativesOfSubexpressionsAreRemembered) {
  Formulas f;
  Expr sum = f.y;
  for (int i = 0; i < 30000; ++i) {
    sum = f.g.add(f.g.apply(Function::kSin, sum), f.x);
    (void)f.g.derivative(sum, f.x);
  }
  EXPECT_LT(f.g.size(), 6 * 30000 + 100);
}

TEST(Formula, SharedTowersAreNotExpanded) {
  Formulas f;
  Expr e = f.x;
  for (int i = 0; i < 500; ++i) e = f.g.multiply(f.g.add(e, f.y), f.g.apply(Function::kCos, e));
  EXPECT_FALSE(f.g.depends_on(e, f.z));
  EXPECT_EQ(f.g.variables(e).size(), 2u);
  EXPECT_NE(f.g.substitute(e, Exprs{f.y}, Exprs{f.z}), e);
  (void)f.g.gradient(f.g.derivative(e, f.x), f.inputs);
  EXPECT_LT(f.g.size(), 60000);
}

TEST(Formula, TheSameCallsGiveTheSameNodes) {
  const auto text_of = [] {
    Formulas f;
    const Expr e = f("exp(x*y)/hypot(x, z) + if(x > z, x^3, y)");
    return f.g.to_string(f.g.gradient(f.g.derivative(e, f.x), f.inputs)[2], 100000);
  };
  EXPECT_EQ(text_of(), text_of());
}

}  // namespace
}  // namespace clack::formula
