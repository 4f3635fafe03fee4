// Ties and links of one point.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "one_contact.hpp"

namespace clack::test {
namespace {

LawPtr link(const std::string& name, const std::map<std::string, double>& numbers) {
  return make_law(LawKind::link, name, numbers);
}

// The tie of a point: no motion, any force, until it breaks.
TEST(Links, GlueAndHingeHoldAndBreak) {
  for (const char* name : {"glue", "hinge"}) {
    for (int tangents : {0, 1, 2}) {
      for (double factor : {0.999, 1.001}) {
        for (bool shear : {false, true}) {
          if (shear && tangents == 0) continue;
          PointSetup setup{.tangents = tangents, .mass = 2};
          setup.law = link(name, {{"strength_n", 30}, {"strength_t", 10}});
          setup.force = Vector::Zero(1 + tangents);
          if (shear && tangents == 2) {
            setup.force << -50, 6 * factor, -8 * factor;
          } else {
            setup.force[shear ? 1 : 0] = (shear ? 10 : 30) * factor;
          }
          PointRun run(setup);
          run.steps(100);
          EXPECT_EQ(run.value("broken"), factor < 1 ? 0 : 1) << name << tangents << shear;
          EXPECT_EQ(run.failed(), 0);
          if (factor < 1) {
            EXPECT_LT(run.simulation().q().norm(), 1e-15);
            for (int k = 0; k <= tangents; ++k) EXPECT_NEAR(run.force(k), -setup.force[k], 1e-9);
          } else {
            EXPECT_GT(run.simulation().q().norm(), 0.01);
            EXPECT_EQ(run.force(), 0);
          }
        }
      }
    }
  }
}

// Rows that turn: glue holds them, a hinge does not.
TEST(Links, AHingeTurns) {
  for (const char* name : {"glue", "hinge"}) {
    const LawPtr law = link(name, {});
    const std::vector<double> memory = {0};
    ContactSituation contact;
    contact.tangents = 2;
    contact.turns = 3;
    contact.memory = memory;
    LawStatement statement;
    law->prepare(contact, statement);
    ASSERT_EQ(statement.count, 1);
    EXPECT_TRUE(statement.blocks[0].free);
    EXPECT_EQ(statement.blocks[0].dim, name == std::string("glue") ? 6 : 3);
  }
}

// A rod is an oscillator: energy kept to the last digits, the trapezoidal rule's own period.
TEST(Links, ARodKeepsEnergy) {
  const double k = 500, m = 2, h = 0.01, omega = std::sqrt(k / m);
  for (int tangents : {0, 1, 2}) {
    PointSetup setup{.tangents = tangents, .mass = m, .h = h};
    setup.q = Vector::Zero(1 + tangents);
    setup.q[0] = 0.3;
    setup.law = link("rod", {{"k", k}, {"rest", 0.2}});
    PointRun run(setup);
    const double phase = 2 * std::atan(0.5 * omega * h);  // of a step
    for (int i = 1; i <= 500; ++i) {
      run.step();
      ASSERT_NEAR(run.q() - 0.2, 0.1 * std::cos(i * phase), 1e-11);
      ASSERT_NEAR(run.totals().kinetic + run.value("bond_stored"), 0.5 * k * 0.01, 1e-12);
      ASSERT_NEAR(run.totals().work_bond, run.totals().kinetic, 1e-12);
    }
    EXPECT_EQ(run.failed(), 0);
  }
}

TEST(Links, ADampedRodLosesWhatItSays) {
  PointSetup setup{.mass = 2, .law = link("rod", {{"k", 500}, {"damping", 3}})};
  setup.q = values({0.1});
  PointRun run(setup);
  for (int i = 0; i < 3000; ++i) {
    run.step();
    ASSERT_NEAR(run.totals().kinetic + run.value("bond_stored") + run.value("bond_dissipated"), 2.5,
                1e-12);
  }
  const double t = 3, rate = 3.0 / 4, omega = std::sqrt(250 - rate * rate);
  const double exact =
      0.1 * std::exp(-rate * t) * (std::cos(omega * t) + rate / omega * std::sin(omega * t));
  EXPECT_NEAR(run.q(), exact, 1e-5);
}

// Force against elongation: k e at the middle of a step, until the strength.
TEST(Links, ABrittleRodFollowsItsLine) {
  for (bool both : {false, true}) {
    for (double way : {1e-3, -1e-3}) {
      PointSetup setup{.tangents = 1, .mass = 1e15, .v = values({way, 0}), .h = 1};
      setup.law = link("rod", {{"k", 1e4}, {"strength", 99}, {"both_ways", both}});
      PointRun run(setup);
      const bool breaks = way > 0 || both;
      for (int i = 0; i < 20; ++i) {
        run.step();
        const double force = breaks && i > 10 ? 0 : -1e4 * way * (i + 0.5);
        ASSERT_NEAR(run.force(), force, 2e-7) << i;  // breaks in the step of 105 N > 99 N
      }
      EXPECT_EQ(run.value("broken"), breaks ? 1 : 0);
      if (breaks) {
        EXPECT_NEAR(run.value("bond_dissipated"), 0.5 * 1e4 * 1.1e-2 * 1.1e-2, 1e-6);
      }
    }
  }
}

// Tension only; slack and taut again without a gain or a loss.
TEST(Links, AWireBouncesWithoutGain) {
  for (double h : {1e-3, 0.013, 0.1, 0.7}) {
    PointSetup setup{.tangents = 1, .mass = 2, .force = values({0, 0}), .h = h};
    setup.law = link("wire", {{"k", 500}, {"rest", 0.2}});
    setup.q = values({0.1, 0});
    setup.v = values({1, 0.3});
    PointRun run(setup);
    double largest = 0;
    for (int i = 0; i < 400; ++i) {
      run.step();
      ASSERT_LE(run.force(), 0);
      ASSERT_EQ(run.force(1), 0);
      ASSERT_NEAR(run.totals().kinetic + run.value("bond_stored") + run.value("bond_dissipated"),
                  1.09, 1e-11)
          << h << " " << i;
      largest = std::max(largest, run.q());
    }
    EXPECT_LT(run.value("bond_dissipated"), 1e-10);
    EXPECT_EQ(run.failed(), 0) << h;
    EXPECT_NEAR(run.v(), -1, 1e-9);  // thrown back with its speed
    if (h == 1e-3) {
      EXPECT_NEAR(largest, 0.2 + std::sqrt(2.0 / 500), 1e-5);
    }
  }
}

TEST(Links, ADampedWireNeverPushesNorGains) {
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  PointSetup setup{.mass = 2, .law = link("wire", {{"k", 500}, {"damping", 20}}), .h = 0.02};
  PointRun run(setup);
  for (int i = 0; i < 500; ++i) {
    const double before = run.value("bond_dissipated"), stored = run.value("bond_stored");
    run.set_velocity(values({normal(random) - 2 * run.q()}));
    const double start = run.v() * run.v();
    run.step();
    ASSERT_LE(run.force(), 0);
    ASSERT_GE(run.value("bond_dissipated"), before);
    ASSERT_NEAR(run.v() * run.v() + run.value("bond_stored") + run.value("bond_dissipated"),
                start + stored + before, 1e-11);
  }
  EXPECT_EQ(run.failed(), 0);
  EXPECT_GT(run.value("bond_dissipated"), 1);
}

// A weight falls into a rigid wire and hangs.
TEST(Links, ARigidWireStopsTheFall) {
  PointSetup setup{.mass = 2, .force = values({20}), .law = link("wire", {{"rest", 0.5}})};
  PointRun run(setup);
  run.steps(1000);
  EXPECT_NEAR(run.q(), 0.5, 2e-3);  // v h/2
  EXPECT_NEAR(run.v(), 0, 1e-12);
  EXPECT_NEAR(run.force(), -20, 1e-9);
  EXPECT_NEAR(run.totals().kinetic, 0, 1e-12);
  // A stronger pull parts it.
  setup.law = link("wire", {{"rest", 0.5}, {"strength", 19}});
  PointRun parts(setup);
  parts.steps(1000);
  EXPECT_EQ(parts.value("broken"), 1);
  EXPECT_GT(parts.q(), 1);
}

TEST(Links, RefuseWhatCannotBe) {
  EXPECT_THROW(link("rod", {{"k", 0}}), std::exception);
  EXPECT_THROW(link("wire", {{"k", 0}}), std::exception);
  EXPECT_THROW(link("glue", {{"strength_n", -1}}), std::exception);
}

}  // namespace
}  // namespace clack::test
