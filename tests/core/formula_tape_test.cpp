// Compiled formulas: the same values as direct evaluation, bit for bit, and small tapes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <random>
#include <stdexcept>
#include <thread>

#include "tests/core/formulas.hpp"

namespace clack::formula {
namespace {

// An expression kept as it was written, for a value that no simplification has touched.
struct Tree {
  Op op = Op::kConstant;
  double value = 0.0;
  int input = 0;
  std::shared_ptr<Tree> a, b, c;
};
using TreePtr = std::shared_ptr<Tree>;

double direct_value(const Tree& t, const std::vector<double>& at, bool& finite) {
  double result = t.value;
  const auto operand = [&](const TreePtr& p) { return p ? direct_value(*p, at, finite) : 0.0; };
  if (t.op == Op::kVariable) result = at[static_cast<std::size_t>(t.input)];
  if (arity(t.op) > 0) {
    const double a = operand(t.a), b = operand(t.b), c = operand(t.c);
    result = evaluate(t.op, a, b, c);
  }
  finite = finite && std::isfinite(result);
  return result;
}

Expr to_graph(Graph& g, const Exprs& inputs, const Tree& t) {
  if (t.op == Op::kConstant) return g.constant(t.value);
  if (t.op == Op::kVariable) return inputs[static_cast<std::size_t>(t.input)];
  const auto operand = [&](const TreePtr& p) { return p ? to_graph(g, inputs, *p) : kNone; };
  const Expr a = operand(t.a), b = operand(t.b), c = operand(t.c);
  return g.build(t.op, a, b, c);
}

class TreeMaker {
 public:
  TreeMaker(unsigned seed, bool powers) : random_(seed), powers_(powers) {}

  TreePtr make(int depth) {
    if (depth == 0 || random_() % 8 == 0) return leaf();
    auto t = std::make_shared<Tree>();
    do {
      const int first = static_cast<int>(Op::kAdd), last = static_cast<int>(Op::kSelect);
      const bool arithmetic = random_() % 2 == 0;
      t->op = static_cast<Op>(first +
                              static_cast<int>(random_() % (arithmetic ? 6 : last - first + 1)));
    } while (t->op == Op::kPower && !powers_);
    t->a = make(depth - 1);
    if (arity(t->op) > 1) t->b = t->op == Op::kPower ? exponent() : make(depth - 1);
    if (arity(t->op) > 2) t->c = make(depth - 1);
    return t;
  }

  std::vector<double> point() {
    std::uniform_real_distribution<double> uniform(-2.0, 2.0);
    return {uniform(random_), uniform(random_), uniform(random_)};
  }

 private:
  TreePtr leaf() {
    constexpr double kConstants[] = {0.0, 1.0, -1.0, 2.0, 0.5, -3.0, 0.7, 4.0};
    auto t = std::make_shared<Tree>();
    if (random_() % 3 == 0)
      t->value = kConstants[random_() % 8];
    else
      *t = {.op = Op::kVariable, .input = static_cast<int>(random_() % 3)};
    return t;
  }

  TreePtr exponent() {
    auto t = std::make_shared<Tree>();
    t->value = static_cast<double>(static_cast<int>(random_() % 13) - 4);
    return t;
  }

  std::mt19937 random_;
  bool powers_;
};

struct Inputs {
  Graph g;
  Exprs inputs{g.variable("x"), g.variable("y"), g.variable("z")};
  Names names{{"x", inputs[0]}, {"y", inputs[1]}, {"z", inputs[2]}};
  Expr operator()(const char* text) { return parse(g, text, names); }
};

TEST(FormulaTape, RandomExpressionsHaveBitwiseTheDirectValue) {
  TreeMaker maker(3, false);
  int compared = 0;
  for (int trial = 0; trial < 4000; ++trial) {
    const TreePtr tree = maker.make(5);
    Inputs in;
    const Expr e = to_graph(in.g, in.inputs, *tree);
    const Tape tape(in.g, in.inputs, Exprs{e});
    for (int k = 0; k < 3; ++k) {
      const auto at = maker.point();
      bool finite = true;
      const double expected = direct_value(*tree, at, finite);
      if (!finite) continue;
      ++compared;
      ASSERT_EQ(run(tape, at)[0], expected) << in.g.to_string(e);
    }
  }
  EXPECT_GT(compared, 6000);
}

TEST(FormulaTape, RandomExpressionsWithPowersHaveTheDirectValueToRounding) {
  TreeMaker maker(5, true);
  int compared = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    const TreePtr tree = maker.make(3);
    Inputs in;
    const Expr e = to_graph(in.g, in.inputs, *tree);
    const auto at = maker.point();
    bool finite = true;
    const double expected = direct_value(*tree, at, finite);
    // Far from 0 and from the jumps of floor, mod and comparisons, where rounding may not matter.
    auto near = at;
    for (double& x : near) x *= 1.0 + 1e-12;
    const double moved = direct_value(*tree, near, finite);
    if (!finite || std::fabs(moved - expected) > 1e-9 * (1.0 + std::fabs(expected))) continue;
    ++compared;
    EXPECT_NEAR(run(Tape(in.g, in.inputs, Exprs{e}), at)[0], expected,
                1e-9 * (1.0 + std::fabs(expected)))
        << in.g.to_string(e);
  }
  EXPECT_GT(compared, 1000);
}

TEST(FormulaTape, SmallPowersBecomeProducts) {
  Inputs in;
  const Tape cube(in.g, in.inputs, Exprs{in("x^3")});
  EXPECT_EQ(cube.instruction_count(), 2);
  const Tape both(in.g, in.inputs, Exprs{in("x^4"), in("x*x"), in("x^5")});
  EXPECT_EQ(both.instruction_count(), 3);
  const Tape inverse(in.g, in.inputs, Exprs{in("x^-3")});
  EXPECT_EQ(inverse.instruction_count(), 3);
  for (int n = -16; n <= 16; ++n) {
    const Expr e = in.g.power(in.inputs[0], in.g.constant(n));
    EXPECT_NEAR(run(Tape(in.g, in.inputs, Exprs{e}), {1.37, 0, 0})[0] / std::pow(1.37, n), 1.0,
                2e-15);
  }
  EXPECT_EQ(run(Tape(in.g, in.inputs, Exprs{in("x^17")}), {1.37, 0, 0})[0], std::pow(1.37, 17));
}

TEST(FormulaTape, ProductsFuseWithSumsWithoutChangingTheRounding) {
  Inputs in;
  const Tape tape(in.g, in.inputs, Exprs{in("x*y + z"), in("x*z - y"), in("x - y*z")});
  EXPECT_EQ(tape.instruction_count(), 3);
  const double x = 1.0 + 0x1p-30, y = 1.0 - 0x1p-30, z = -1.0;
  const auto values = run(tape, {x, y, z});
  const volatile double xy = x * y, xz = x * z, yz = y * z;
  EXPECT_EQ(values[0], xy + z);
  EXPECT_NE(values[0], std::fma(x, y, z));
  EXPECT_EQ(values[1], xz - y);
  EXPECT_EQ(values[2], x - yz);
  const Tape shared(in.g, in.inputs, Exprs{in("x*y + z"), in("x*y")});
  EXPECT_EQ(shared.instruction_count(), 2);
}

TEST(FormulaTape, SineAndCosineOfOneAngleAreOneInstruction) {
  Inputs in;
  const Tape tape(in.g, in.inputs, Exprs{in("sin(x)"), in("cos(x)"), in("cos(y)")});
  EXPECT_EQ(tape.instruction_count(), 2);
  std::mt19937 random(1);
  std::uniform_real_distribution<double> uniform(-100.0, 100.0);
  for (int k = 0; k < 20000; ++k) {
    const volatile double x = uniform(random);
    const auto values = run(tape, {x, x, 0.0});
    ASSERT_EQ(values[0], std::sin(x));
    ASSERT_EQ(values[1], std::cos(x));
    ASSERT_EQ(values[2], values[1]);
  }
}

TEST(FormulaTape, ConstantsAndInputsAreCopiedToTheOutputs) {
  Inputs in;
  const Tape tape(in.g, in.inputs,
                  Exprs{in("3"), in("z"), in("x"), in("3"), in("x + 1"), in("x + 1")});
  EXPECT_EQ(tape.instruction_count(), 1);
  EXPECT_EQ(run(tape, {5.0, 6.0, 7.0}), (std::vector<double>{3.0, 7.0, 5.0, 3.0, 6.0, 6.0}));
  EXPECT_TRUE(run(Tape(in.g, in.inputs, Exprs{}), {1, 2, 3}).empty());
}

TEST(FormulaTape, WhatNoOutputNeedsIsNotComputed) {
  Inputs in;
  (void)in("exp(x)*sin(y)");
  EXPECT_EQ(Tape(in.g, in.inputs, Exprs{in("x + y")}).instruction_count(), 1);
}

TEST(FormulaTape, RegistersAreUsedAgain) {
  Inputs in;
  Expr e = in("x");
  for (int i = 0; i < 1000; ++i) e = in.g.apply(Function::kSin, in.g.add(e, in("y")));
  const Tape tape(in.g, in.inputs, Exprs{e});
  EXPECT_EQ(tape.instruction_count(), 2000);
  EXPECT_LE(tape.register_count(), 5);
}

TEST(FormulaTape, EveryNeededVariableMustBeAnInput) {
  Inputs in;
  const Exprs outputs{in("x*z")};
  EXPECT_THROW(Tape(in.g, Exprs{in("x"), in("y")}, outputs), std::logic_error);
  EXPECT_THROW(Tape(in.g, Exprs{in("x"), in("z"), in("x")}, outputs), std::logic_error);
  EXPECT_THROW(Tape(in.g, Exprs{in("x"), in("z"), in("2")}, outputs), std::logic_error);
  EXPECT_NO_THROW(Tape(in.g, Exprs{in("z"), in("x")}, outputs));
}

TEST(FormulaTape, InfinitiesAndNansAreValuesNotErrors) {
  Inputs in;
  const Tape tape(in.g, in.inputs,
                  Exprs{in("1/x"), in("log(y)"), in("max(y, sqrt(y))"), in("1/0")});
  const auto values = run(tape, {0.0, -1.0, 0.0});
  EXPECT_EQ(values[0], INFINITY);
  EXPECT_TRUE(std::isnan(values[1]));
  EXPECT_TRUE(std::isnan(values[2]));
  EXPECT_EQ(values[3], INFINITY);
}

// --- a planar pendulum of n links: the derivatives that mechanics asks for ----------------------

struct Pendulum {
  Graph g;
  Exprs q, v, qv, mass, force, jacobian;  // M(q), F = dT/dq - (dp/dq) v, dF/d(q, v)

  Pendulum(int n, bool relative) {
    for (int i = 0; i < n; ++i) q.push_back(g.variable("q" + std::to_string(i)));
    for (int i = 0; i < n; ++i) v.push_back(g.variable("v" + std::to_string(i)));
    qv = q;
    qv.insert(qv.end(), v.begin(), v.end());
    derive(kinetic_energy(relative));
  }

  static double bob(std::size_t i) { return 1.3 + 0.2 * static_cast<double>(i); }
  static double length(std::size_t i) { return 0.7 + 0.1 * static_cast<double>(i); }

  // T = sum_i m_i/2 (xdot_i^2 + ydot_i^2)
  Expr kinetic_energy(bool relative) {
    Expr energy = g.constant(0.0), xdot = energy, ydot = energy, angle = energy, rate = energy;
    for (std::size_t i = 0; i < q.size(); ++i) {
      angle = relative ? g.add(angle, q[i]) : q[i];
      rate = relative ? g.add(rate, v[i]) : v[i];
      const Expr l = g.constant(length(i));
      xdot = g.add(xdot, g.multiply(g.multiply(l, g.apply(Function::kCos, angle)), rate));
      ydot = g.add(ydot, g.multiply(g.multiply(l, g.apply(Function::kSin, angle)), rate));
      const Expr speed2 = g.add(g.multiply(xdot, xdot), g.multiply(ydot, ydot));
      energy = g.add(energy, g.multiply(g.constant(0.5 * bob(i)), speed2));
    }
    return energy;
  }

  void derive(Expr energy) {
    const Exprs p = g.gradient(energy, v);
    const Exprs slope = g.gradient(energy, q);
    for (std::size_t i = 0; i < q.size(); ++i) {
      for (const Expr x : v) mass.push_back(g.derivative(p[i], x));
      force.push_back(g.subtract(slope[i], g.directional(p[i], q, v)));
      const Exprs row = g.gradient(force[i], qv);
      jacobian.insert(jacobian.end(), row.begin(), row.end());
    }
  }
};

// With absolute angles M_ij = a_ij cos(q_i - q_j) and F_i = -sum_j a_ij sin(q_i - q_j) v_j^2, where
// a_ij = l_i l_j sum_{k >= max(i, j)} m_k.
double coupling(std::size_t n, std::size_t i, std::size_t j) {
  double carried = 0.0;
  for (std::size_t k = std::max(i, j); k < n; ++k) carried += Pendulum::bob(k);
  return carried * Pendulum::length(i) * Pendulum::length(j);
}

const std::vector<double> kState = {0.3, -0.4, 1.1, 2.0, -1.3, 0.5, 1.5, -0.7, 0.2, 1.9};

TEST(FormulaTape, PendulumWithAbsoluteAnglesHasTheTextbookMassAndForce) {
  const std::size_t n = 5;
  Pendulum pendulum(n, false);
  const auto mass = run(Tape(pendulum.g, pendulum.qv, pendulum.mass), kState);
  const auto force = run(Tape(pendulum.g, pendulum.qv, pendulum.force), kState);
  for (std::size_t i = 0; i < n; ++i) {
    double expected = 0.0;
    for (std::size_t j = 0; j < n; ++j) {
      const double angle = kState[i] - kState[j], rate = kState[n + j];
      EXPECT_NEAR(mass[n * i + j], coupling(n, i, j) * std::cos(angle), 1e-13);
      expected -= coupling(n, i, j) * std::sin(angle) * rate * rate;
    }
    EXPECT_NEAR(force[i], expected, 1e-12);
  }
}

// With q_rel = D q_abs the force and mass obey the same equations in other coordinates: with the
// constant matrix S (q_abs = S q_rel, lower triangle of ones) M_rel = S^T M S and F_rel = S^T F.
TEST(FormulaTape, RelativeAnglesGiveTheTransformedMassAndForce) {
  const std::size_t n = 5;
  Pendulum absolute(n, false), relative(n, true);
  std::vector<double> state(2 * n);
  for (std::size_t i = 0; i < 2 * n; ++i) {
    state[i] = i % n == 0 ? kState[i] : state[i - 1] + kState[i];
  }
  const auto mass = run(Tape(absolute.g, absolute.qv, absolute.mass), state);
  const auto force = run(Tape(absolute.g, absolute.qv, absolute.force), state);
  const auto relative_mass = run(Tape(relative.g, relative.qv, relative.mass), kState);
  const auto relative_force = run(Tape(relative.g, relative.qv, relative.force), kState);
  for (std::size_t i = 0; i < n; ++i) {
    double expected = 0.0;
    for (std::size_t k = i; k < n; ++k) expected += force[k];
    EXPECT_NEAR(relative_force[i], expected, 1e-11);
    for (std::size_t j = 0; j < n; ++j) {
      double entry = 0.0;
      for (std::size_t k = i; k < n; ++k) {
        for (std::size_t l = j; l < n; ++l) entry += mass[n * k + l];
      }
      EXPECT_NEAR(relative_mass[n * i + j], entry, 1e-12);
    }
  }
}

TEST(FormulaTape, JacobianOfThePendulumForceAgreesWithDifferences) {
  for (const bool relative : {false, true}) {
    Pendulum pendulum(5, relative);
    const Tape force(pendulum.g, pendulum.qv, pendulum.force);
    const auto jacobian = run(Tape(pendulum.g, pendulum.qv, pendulum.jacobian), kState);
    const double h = 1e-5;
    for (std::size_t k = 0; k < 10; ++k) {
      auto ahead = kState, behind = kState;
      ahead[k] += h;
      behind[k] -= h;
      const auto f = run(force, ahead), b = run(force, behind);
      for (std::size_t i = 0; i < 5; ++i) {
        EXPECT_NEAR(jacobian[10 * i + k], (f[i] - b[i]) / (2.0 * h), 1e-6);
      }
    }
  }
}

TEST(FormulaTape, PendulumDerivativesTakeFewInstructions) {
  for (const bool relative : {false, true}) {
    Pendulum pendulum(5, relative);
    Exprs outputs = pendulum.force;
    outputs.insert(outputs.end(), pendulum.jacobian.begin(), pendulum.jacobian.end());
    const Tape tape(pendulum.g, pendulum.qv, outputs);
    std::printf("five links, %s angles: F and its Jacobians take %d instructions in %d runs\n",
                relative ? "relative" : "absolute", tape.instruction_count(), tape.run_count());
    EXPECT_LT(tape.instruction_count(), 1000);
  }
}

TEST(FormulaTape, TheSameFormulasGiveTheSameTapeAndBitwiseTheSameValues) {
  Pendulum first(5, true), second(5, true);
  const Tape a(first.g, first.qv, first.jacobian), b(second.g, second.qv, second.jacobian);
  EXPECT_EQ(a.instruction_count(), b.instruction_count());
  EXPECT_EQ(a.register_count(), b.register_count());
  EXPECT_EQ(run(a, kState), run(b, kState));
}

TEST(FormulaTape, OneTapeServesManyThreads) {
  Pendulum pendulum(5, true);
  const Tape tape(pendulum.g, pendulum.qv, pendulum.jacobian);
  const auto expected = run(tape, kState);
  std::vector<int> equal(4, 0);
  std::vector<std::thread> threads;
  for (int& count : equal) {
    threads.emplace_back([&] {
      for (int k = 0; k < 200; ++k) count += run(tape, kState) == expected;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(equal, std::vector<int>(4, 200));
}

}  // namespace
}  // namespace clack::formula
