// Exact derivatives of formulas: forward, reverse and along a direction.
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <stdexcept>

#include "tests/core/formulas.hpp"

namespace clack::formula {
namespace {

std::vector<double> evaluate_all(const Graph& g, const Exprs& inputs, const Exprs& outputs,
                                 const std::vector<double>& at) {
  return run(Tape(g, inputs, outputs), at);
}

double evaluate_at(const Graph& g, const Exprs& inputs, Expr e, const std::vector<double>& at) {
  return evaluate_all(g, inputs, {e}, at)[0];
}

// Central difference of fourth order in input k.
double difference(const Graph& g, const Exprs& inputs, Expr e, std::vector<double> at,
                  std::size_t k, double h) {
  const double x = at[k];
  const auto f = [&](double shift) {
    at[k] = x + shift;
    return evaluate_at(g, inputs, e, at);
  };
  return (8.0 * (f(h) - f(-h)) - (f(2.0 * h) - f(-2.0 * h))) / (12.0 * h);
}

TEST(Formula, DerivativeOfEveryFunctionAgreesWithCentralDifferences) {
  const char* texts[] = {"sin(x)",
                         "cos(x)",
                         "tan(x)",
                         "asin(x)",
                         "acos(x)",
                         "atan(x)",
                         "sinh(x)",
                         "cosh(x)",
                         "tanh(x)",
                         "exp(x)",
                         "log(x + 1)",
                         "log10(x + 1)",
                         "sqrt(x + 1)",
                         "abs(x)",
                         "sign(x)",
                         "floor(x)",
                         "ceil(x)",
                         "heaviside(x)",
                         "atan2(x, y)",
                         "atan2(y, x)",
                         "min(x, y)",
                         "max(x, y)",
                         "mod(x, y)",
                         "mod(y, x)",
                         "hypot(x, y)",
                         "x + y",
                         "x - y",
                         "x*y",
                         "x*x",
                         "x/(y + 2)",
                         "y/(x + 2)",
                         "-x",
                         "x^3",
                         "x^-2",
                         "(x + 1)^2.5",
                         "y^x",
                         "(x + 1)^x",
                         "2^x",
                         "if(x > y, x*x, sin(x))",
                         "not x",
                         "x < y",
                         "x <= y",
                         "x == y",
                         "x != y",
                         "x and y",
                         "x or y",
                         "exp(sin(x*y) + x/y)",
                         "if(x, x^3, 0)*y",
                         "sqrt(hypot(x, y) + 1)"};
  for (const char* text : texts) {
    Formulas f;
    const Expr e = f(text);
    for (const double x : {-0.83, -0.31, 0.17, 0.42, 0.9}) {
      const std::vector<double> at{x, 0.57, 0.0};
      const double exact = evaluate_at(f.g, f.inputs, f.g.derivative(e, f.x), at);
      EXPECT_NEAR(exact, difference(f.g, f.inputs, e, at, 0, 1e-3), 2e-8 * (1.0 + std::fabs(exact)))
          << text << " at " << x << ": " << f.g.to_string(f.g.derivative(e, f.x));
    }
  }
}

TEST(Formula, DerivativesAtKinksFollowTheConvention) {
  Formulas f;
  const auto slope = [&](const char* text, double x) {
    return evaluate_at(f.g, f.inputs, f.g.derivative(f(text), f.x), {x, 0.0, 0.0});
  };
  EXPECT_EQ(slope("abs(x)", 0.0), 0.0);
  EXPECT_EQ(slope("sign(x)", 0.0), 0.0);
  EXPECT_EQ(slope("floor(x)", 1.0), 0.0);
  EXPECT_EQ(slope("max(x, 0)", 0.0), 1.0);  // on a tie the first argument
  EXPECT_EQ(slope("max(0, x)", 0.0), 0.0);
  EXPECT_EQ(slope("min(0, x)", -1.0), 1.0);
}

TEST(Formula, PowersOfZeroHaveFiniteDerivatives) {
  Formulas f;
  for (const char* text : {"x^3", "x^2", "x^2.5", "x^4 - x"}) {
    const Expr d = f.g.derivative(f(text), f.x);
    EXPECT_TRUE(std::isfinite(evaluate_at(f.g, f.inputs, d, {0.0, 0.0, 0.0}))) << text;
  }
}

TEST(Formula, BranchesNotTakenDoNotSpoilTheGradient) {
  const char* texts[] = {
      "if(x > 0, sqrt(x), 0)*y",  // infinite slope at 0
      "if(x > 0, sqrt(x)*log(x), 0) + y",
      "if(x > 0, sqrt(x), 0) + if(y > 5, sqrt(x)*y, 0)",  // shared, two conditions
      "max(0, -1 - y*if(x > 0, 1/x, 2))",
      "if(x > 0, if(y > 0, y/x, y), z)^2",
      "min(if(x <= 0, y, sqrt(x)), z + 7)"};
  for (const char* text : texts) {
    Formulas f;
    const Expr e = f(text);
    const std::vector<double> at{0.0, 0.4, 0.3};
    const Exprs gradient = f.g.gradient(e, f.inputs);
    for (std::size_t k = 0; k < 3; ++k) {
      const double reverse = evaluate_at(f.g, f.inputs, gradient[k], at);
      const double forward = evaluate_at(f.g, f.inputs, f.g.derivative(e, f.inputs[k]), at);
      EXPECT_TRUE(std::isfinite(reverse))
          << text << " in " << k << ": " << f.g.to_string(gradient[k]);
      EXPECT_DOUBLE_EQ(reverse, forward) << text << " in " << k;
    }
  }
}

// Smooth random expressions over the inputs, of moderate size and value.
Expr random_smooth(Graph& g, const Exprs& inputs, std::mt19937& random) {
  Exprs pool = inputs;
  const auto pick = [&] { return pool[random() % pool.size()]; };
  for (int i = 0; i < 14; ++i) {
    const Expr a = pick(), b = pick();
    const Expr two = g.constant(2.0);
    switch (random() % 12) {
      case 0:
        pool.push_back(g.add(a, b));
        break;
      case 1:
        pool.push_back(g.subtract(a, b));
        break;
      case 2:
        pool.push_back(g.multiply(a, g.apply(Function::kSin, b)));
        break;
      case 3:
        pool.push_back(g.divide(a, g.add(two, g.apply(Function::kCos, b))));
        break;
      case 4:
        pool.push_back(g.apply(Function::kTanh, a));
        break;
      case 5:
        pool.push_back(g.apply(Function::kSqrt, g.add(two, g.multiply(a, a))));
        break;
      case 6:
        pool.push_back(g.power(g.apply(Function::kAtan, a), g.constant(3.0)));
        break;
      case 7:
        pool.push_back(g.apply2(Function2::kHypot, g.add(two, g.multiply(a, a)), b));
        break;
      case 8:
        pool.push_back(g.apply(Function::kExp, g.apply(Function::kSin, a)));
        break;
      case 9:
        pool.push_back(g.apply2(Function2::kMax, a, b));
        break;
      case 10:
        pool.push_back(g.select(g.apply2(Function2::kLess, a, b), g.multiply(a, b), b));
        break;
      default:
        pool.push_back(g.multiply(g.constant(0.3), g.subtract(b, a)));
        break;
    }
  }
  return pool.back();
}

TEST(Formula, GradientDerivativeAndDirectionalAgreeOnRandomExpressions) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  for (int trial = 0; trial < 300; ++trial) {
    Formulas f;
    const Expr e = random_smooth(f.g, f.inputs, random);
    const std::vector<double> at{uniform(random), uniform(random), uniform(random)};
    const std::vector<double> direction{uniform(random), uniform(random), uniform(random)};
    Exprs directions, outputs = f.g.gradient(e, f.inputs);
    for (const double d : direction) directions.push_back(f.g.constant(d));
    for (const Expr v : f.inputs) outputs.push_back(f.g.derivative(e, v));
    outputs.push_back(f.g.directional(e, f.inputs, directions));
    const auto values = evaluate_all(f.g, f.inputs, outputs, at);
    double along = 0.0, scale = 1.0;
    for (std::size_t k = 0; k < 3; ++k) {
      scale += std::fabs(values[k]);
      EXPECT_NEAR(values[k], values[3 + k], 1e-11 * scale) << f.g.to_string(e);
      along += values[k] * direction[k];
    }
    EXPECT_NEAR(values[6], along, 1e-11 * scale) << f.g.to_string(e);
  }
}

TEST(Formula, DerivativesOfRandomExpressionsAgreeWithDifferences) {
  std::mt19937 random(11);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  int compared = 0;
  for (int trial = 0; trial < 200; ++trial) {
    Formulas f;
    const Expr e = random_smooth(f.g, f.inputs, random);
    const std::vector<double> at{uniform(random), uniform(random), uniform(random)};
    const auto exact = evaluate_all(f.g, f.inputs, f.g.gradient(e, f.inputs), at);
    for (std::size_t k = 0; k < 3; ++k) {
      const double coarse = difference(f.g, f.inputs, e, at, k, 1e-3);
      const double fine = difference(f.g, f.inputs, e, at, k, 5e-4);
      const double scale = 1.0 + std::fabs(exact[k]);
      if (std::fabs(coarse - fine) > 1e-8 * scale) continue;  // a kink or a jump lies within reach
      ++compared;
      EXPECT_NEAR(exact[k], fine, 1e-7 * scale) << f.g.to_string(e);
    }
  }
  EXPECT_GT(compared, 500);
}

TEST(Formula, GradientIsASmallMultipleOfTheExpression) {
  Graph g;
  Exprs x;
  Expr product = g.constant(1.0);
  for (int i = 0; i < 200; ++i) {
    x.push_back(g.variable("x" + std::to_string(i)));
    product = g.multiply(product, g.apply(Function::kSin, x.back()));
  }
  const int size = g.size();
  (void)g.gradient(product, x);
  EXPECT_LT(g.size(), 4 * size);
}

TEST(Formula, DifferentiationRefusesWhatIsNoVariable) {
  Formulas f;
  const Expr e = f("x*y");
  EXPECT_THROW((void)f.g.derivative(e, e), std::logic_error);
  EXPECT_THROW((void)f.g.gradient(e, Exprs{f("2")}), std::logic_error);
  EXPECT_THROW((void)f.g.directional(e, Exprs{f.x}, Exprs{}), std::logic_error);
  EXPECT_THROW((void)f.g.substitute(e, Exprs{f.x}, Exprs{f.x, f.y}), std::logic_error);
}

TEST(Formula, DerivativesSeeNodesMadeAfterAnEarlierCall) {
  Formulas f;
  const Expr e = f("x*sin(x)");
  (void)f.g.derivative(e, f.x);
  EXPECT_EQ(f.g.derivative(f("x*sin(x) + x"), f.x), f.g.add(f.g.derivative(e, f.x), f("1")));
  EXPECT_EQ(f.g.derivative(f("y"), f.x), f("0"));
  EXPECT_EQ(f.g.derivative(f.x, f.x), f("1"));
}

}  // namespace
}  // namespace clack::formula
