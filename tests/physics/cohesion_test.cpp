// Bonds in simulations of one contact: debonding, wet contacts, bonds by Mohr and Coulomb.
#include <gtest/gtest.h>

#include <cmath>

#include "one_contact.hpp"

namespace clack::test {
namespace {

const std::vector<std::string> kZones = {"raous-cangemi-cocou", "exponential", "trapezoidal",
                                         "bilinear"};

LawPtr zone(const std::string& law, double friction = 0, double b = 0) {
  std::map<std::string, double> numbers = {{"c_n", 2e6}, {"c_t", 5e5}};
  if (law == "raous-cangemi-cocou") {
    numbers.insert({{"w", 30}, {"b", b}});
  } else {
    numbers.insert({{"s_1", 4e3}, {"s_2", 3e3}, {"G_1", 30}, {"G_2", 70}});
  }
  return with_contact(make_law(LawKind::cohesion, law, numbers), friction);
}

// In mode 1, in mode 2, in between with d = u_T/u_N: what the scene's law takes [J/m^2].
double fracture_energy(const std::string& law, double normal, double shear) {
  if (law == "raous-cangemi-cocou") return 30;
  const double n = 2e6 * normal * normal, t = 5e5 * shear * shear;
  return (n + t) / (n / 30 + t / 70);
}

// A heavy body tears the bond at a speed that the bond cannot change: the ledger's work of bonds is
// the fracture energy, with steps of a hundredth and of ten times the elastic limit.
TEST(Debonding, TakesTheFractureEnergyInAllModes) {
  for (const std::string& law : kZones) {
    for (const Vector& way : {values({1}), values({1, 0}), values({0, 1}), values({0.6, -0.8}),
                              values({0.48, 0.64, -0.6}), values({0, 0.6, 0.8})}) {
      for (double step : {2e-5, 2e-4, 2e-3, 2e-2}) {  // [m]
        const int tangents = static_cast<int>(way.size()) - 1;
        PointSetup setup{
            .tangents = tangents, .mass = 1e9, .v = way, .law = zone(law), .area = 0.3};
        setup.h = step;
        PointRun run(setup);
        double far = law == "raous-cangemi-cocou" ? 6 : 1;
        for (double at = 0; at < far && run.value("intact") > 0; at += step) {
          run.step();
          if (law == "raous-cangemi-cocou" && at > 0.05) break;
        }
        const double shear = tangents == 0 ? 0 : way.tail(tangents).norm();
        const double expected = 0.3 * fracture_energy(law, way[0], shear);
        // The adhesion has a tail without end: what it still holds is to come.
        const double rest = law == "raous-cangemi-cocou" ? 0.3 * 30 * run.value("intact") / 2 : 0;
        EXPECT_NEAR((-run.totals().work_bond + rest) / expected, 1, 1e-6)
            << law << " step " << step;
        EXPECT_NEAR(run.value("bond_work") / -run.totals().work_bond, 1, 1e-9);
        EXPECT_EQ(run.failed(), 0) << law << " step " << step;
        EXPECT_NEAR(run.totals().work_impact, 0, 1e-12);
        EXPECT_NEAR(run.totals().work_friction, 0, 1e-12);
      }
    }
  }
}

// A light body that hits a bond from below is thrown off, is held, or swings on it: energy is kept
// or lost, never gained, and each step settles, with steps far beyond the period of the bond.
TEST(Debonding, KeepsItsBalanceInFreeMotion) {
  for (const std::string& law : kZones) {
    for (int tangents : {0, 1, 2}) {
      for (double omega_h : {0.05, 0.5, 3.0, 30.0}) {
        for (double speed : {1.0, 20.0}) {
          PointSetup setup{.tangents = tangents, .mass = 0.1, .law = zone(law, 0.3), .area = 0.3};
          setup.h = omega_h / std::sqrt(0.3 * 2e6 / 0.1);
          setup.v = tangents == 0   ? values({speed})
                    : tangents == 1 ? values({0.8 * speed, -0.6 * speed})
                                    : values({0.6 * speed, 0.64 * speed, 0.48 * speed});
          PointRun run(setup);
          const double start = run.totals().kinetic;
          double dissipated = 0;
          for (int i = 0; i < 200; ++i) {
            run.step();
            const EnergyAudit& now = run.totals();
            ASSERT_NEAR(now.kinetic + run.value("bond_stored") + run.value("bond_dissipated") -
                            now.work_impact - now.work_friction,
                        start, 1e-9 * start)
                << law << " " << tangents << " omega h = " << omega_h << " step " << i;
            ASSERT_GE(run.value("bond_dissipated"), dissipated);
            dissipated = run.value("bond_dissipated");
          }
          EXPECT_EQ(run.failed(), 0)
              << law << " " << tangents << " omega h = " << omega_h << " v = " << speed;
          EXPECT_LT(run.balance(), 1e-10);
        }
      }
    }
  }
}

// A body that moves towards its face while a force draws it off. Unrelaxed passes oscillate for
// ever: pressed, where the bond states that it is slack, and far beyond the peak, where it states a
// force that presses the body back. The bond that holds it in its elastic range lies in between.
TEST(Debonding, SettlesBetweenPressedAndTorn) {
  struct Case {
    double mass, force, speed, energy;
  };
  constexpr double h = 3;
  for (const Case& c : {Case{0.0771, 0.091, -1.07, 2.43}, Case{0.0821, 0.23, -1.88, 2.16},
                        Case{0.369, 0.211, -0.0683, 1.85}, Case{0.0261, 0.0397, -1.04, 0.945}}) {
    PointSetup setup{.mass = c.mass, .force = values({c.force}), .v = values({c.speed}), .h = h};
    setup.law = with_contact(make_law(
        LawKind::cohesion, "exponential",
        {{"c_n", 1}, {"c_t", 1}, {"s_1", 1}, {"s_2", 1}, {"G_1", c.energy}, {"G_2", c.energy}}));
    PointRun run(setup);
    run.step();
    EXPECT_EQ(run.failed(), 0) << c.mass;
    const double free = h * c.speed + 0.5 * h * h * c.force / c.mass;
    EXPECT_NEAR(run.q(), free / (1 + 0.25 * h * h / c.mass), 1e-8) << c.mass;
    EXPECT_EQ(run.value("intact"), 1) << c.mass;
  }
}

// A string of masses, each glued to the ground, torn off from one end: every joint takes its
// energy.
TEST(Debonding, PeelsJointAfterJoint) {
  constexpr int n = 9;
  Matrix K = Matrix::Zero(n, n);
  for (int i = 0; i < n; ++i) {
    K(i, i) = i + 1 < n ? 4e6 : 2e6;
    if (i > 0) K(i, i - 1) = K(i - 1, i) = -2e6;
  }
  const LawPtr joint = with_contact(make_law(
      LawKind::cohesion, "exponential",
      {{"c_n", 1e10}, {"c_t", 1e10}, {"s_1", 1e6}, {"s_2", 1e6}, {"G_1", 100}, {"G_2", 100}}));
  std::vector<LinearContact> contacts;
  for (int i = 0; i + 1 < n; ++i) {
    contacts.push_back(make_contact(Vector::Unit(n, i), 0));
    contacts.back().contact.law.own = joint;
    contacts.back().contact.area = 1e-4;
  }
  const auto system =
      make_linear(0.01 * Matrix::Identity(n, n), 1e-5 * K, K, 4000 * Vector::Unit(n, n - 1),
                  contacts, std::vector<double>(contacts.size(), 0));
  for (double h : {1e-5, 1e-4, 5e-4}) {
    SimulationOptions options;
    options.h = h;
    Simulation simulation(system, {0, Vector::Zero(n), Vector::Zero(n)}, options);
    Ledger ledger(simulation.last_step().energy);
    int failed = 0;
    while (simulation.time() < 0.02) {
      failed += simulation.step() != Status::converged;
      ledger.add(simulation.last_step().energy);
    }
    EXPECT_EQ(failed, 0) << h;
    EXPECT_NEAR(ledger.totals().work_bond / (-8 * 100 * 1e-4), 1, 1e-6) << h;
  }
}

// Viscosity in a simulation: a faster tearing takes more.
TEST(Debonding, ViscosityCostsMoreAtAHigherRate) {
  double last = 0;
  for (double speed : {0.01, 0.1, 1.0, 10.0}) {
    PointSetup setup{.tangents = 1,
                     .mass = 1e9,
                     .v = values({speed, 0}),
                     .law = zone("raous-cangemi-cocou", 0, 0.1)};
    setup.h = 2e-4 / speed;
    PointRun run(setup);
    run.steps(2000);
    EXPECT_EQ(run.failed(), 0);
    EXPECT_GT(-run.totals().work_bond, last);
    last = -run.totals().work_bond;
  }
  EXPECT_GT(last, 31);
}

// Pressed together the faces carry what they must, whole or half torn.
TEST(Debonding, CompressionIsSignorinis) {
  for (const std::string& law : kZones) {
    PointSetup setup{.tangents = 1, .mass = 2, .force = values({-50, 0}), .law = zone(law)};
    PointRun run(setup);
    run.steps(20);
    EXPECT_NEAR(run.force(), 50, 1e-9) << law;
    EXPECT_NEAR(run.q(), 0, 1e-15);
    EXPECT_EQ(run.value("intact"), 1);
    EXPECT_EQ(run.failed(), 0);
  }
}

// After failure contact and friction are those of a contact that never had a bond.
TEST(Debonding, LeavesAPlainContact) {
  for (const std::string& law : kZones) {
    PointSetup setup{
        .tangents = 2, .mass = 2, .force = values({-20, 3, 1}), .v = values({12, 4, -3})};
    setup.law = zone(law, 0.4);
    PointRun torn(setup);
    for (int i = 0; i < 20000 && torn.value("intact") > 0; ++i) torn.step();
    ASSERT_EQ(torn.value("intact"), 0) << law;
    setup.q = torn.simulation().q();
    setup.v = torn.simulation().v();
    setup.law = with_contact(nullptr, 0.4);
    PointRun plain(setup);
    double worst = 0, hit = 0;
    for (int i = 0; i < 4000; ++i) {
      torn.step();
      plain.step();
      for (int k = 0; k < 3; ++k) worst = std::max(worst, std::abs(torn.force(k) - plain.force(k)));
      hit = std::max(hit, plain.force());
    }
    EXPECT_GT(hit, 100);
    EXPECT_LT(worst, 1e-7 * hit) << law;
    EXPECT_NEAR(plain.force(), 20, 1e-9);
  }
}

// A step after restore() gives the same bits, in the midst of debonding.
TEST(Debonding, SurvivesACheckpoint) {
  for (const std::string& law : kZones) {
    PointSetup setup{.tangents = 2,
                     .mass = 0.1,
                     .spring = 50,
                     .v = values({20, 10, 5}),
                     .law = zone(law, 0.3),
                     .area = 0.1};
    PointRun run(setup);
    for (int i = 0; i < 1000 && run.value("intact") == 1; ++i) run.step();
    ASSERT_LT(run.value("intact"), 1);
    const Checkpoint point = run.simulation().checkpoint();
    std::vector<double> first;
    const auto record = [&](std::vector<double>& into) {
      for (int i = 0; i < 20; ++i) {
        run.step();
        for (int k = 0; k < 3; ++k) into.push_back(run.q(k));
        for (double x : run.simulation().last_step().problem.laws.memory()) into.push_back(x);
      }
    };
    record(first);
    run.simulation().restore(point);
    std::vector<double> second;
    record(second);
    EXPECT_EQ(first, second) << law;
  }
}

LawPtr wet(double c_n, double thickness, bool irreversible, double mu = 0) {
  return with_contact(
      make_law(LawKind::cohesion, "wet",
               {{"c_n", c_n}, {"thickness", thickness}, {"irreversible", irreversible}}),
      mu);
}

TEST(WetContact, HoldsUpToItsAttraction) {
  for (double pull : {9.99, 10.01}) {
    PointRun run({.mass = 1, .force = values({pull}), .law = wet(10, 1e-3, false)});
    run.steps(100);
    EXPECT_EQ(run.failed(), 0);
    if (pull < 10) {
      EXPECT_EQ(run.q(), 0);
      EXPECT_NEAR(run.force(), -pull, 1e-9);
    } else {
      EXPECT_GT(run.q(), 1e-5);
    }
  }
}

TEST(WetContact, FrictionSeesTheAttraction) {
  for (double push : {0.5 * (3 + 10) - 0.01, 0.5 * (3 + 10) + 0.01}) {
    for (int tangents : {1, 2}) {
      PointSetup setup{.tangents = tangents, .mass = 1, .law = wet(10, 1e-3, false, 0.5)};
      setup.force = tangents == 1 ? values({-3, push}) : values({-3, 0.6 * push, 0.8 * push});
      PointRun run(setup);
      run.steps(100);
      EXPECT_NEAR(run.force(), 3, 1e-9);
      const double slip = tangents == 1 ? run.v(1) : std::hypot(run.v(1), run.v(2));
      EXPECT_NEAR(slip, push > 6.5 ? 0.01 * 0.1 : 0, 1e-9);
    }
  }
}

// The rupture energy is c_n times the thickness whatever the step, also where one step tears the
// film.
TEST(WetContact, TakesItsRuptureEnergy) {
  for (double step : {1e-5, 3.3e-5, 7e-4, 5e-3, 1.0}) {
    PointSetup setup{.mass = 1e9, .v = values({1}), .law = wet(10, 1e-3, true)};
    setup.h = step;
    PointRun run(setup);
    for (int i = 0; i < 1000 && run.value("intact") > 0; ++i) run.step();
    ASSERT_EQ(run.value("intact"), 0);
    EXPECT_NEAR(-run.totals().work_bond / (10 * 1e-3), 1, 1e-6) << step;
    EXPECT_EQ(run.failed(), 0);
    run.step();
    EXPECT_EQ(run.force(), 0);
  }
}

TEST(WetContact, ComesBackUnlessIrreversible) {
  for (bool irreversible : {false, true}) {
    PointSetup setup{
        .mass = 1, .force = values({-10}), .v = values({1}), .law = wet(10, 1e-3, irreversible)};
    PointRun run(setup);
    run.steps(400);  // up and down again in 0.2 s
    EXPECT_NEAR(run.q(), 0, 2e-3);
    EXPECT_EQ(run.value("intact"), irreversible ? 0 : 1);
    EXPECT_NEAR(run.force(), 10, 1e-9);
    EXPECT_EQ(run.failed(), 0);
  }
}

LawPtr mohr_coulomb(double mu) {
  return with_contact(make_law(LawKind::cohesion, "mohr-coulomb", {{"c_n", 1000}, {"c_t", 600}}),
                      mu);
}

// The bond of area 0.01: 10 N in tension, 6 N in shear, friction 0.6 on top of it.
TEST(MohrCoulombBond, BreaksAtItsCone) {
  for (double normal : {9.0, 0.0, -5.0, -40.0}) {
    for (int tangents : {1, 2}) {
      for (double factor : {0.999, 1.001}) {
        const double shear = 0.6 * (10 - normal) * factor;
        PointSetup setup{.tangents = tangents, .mass = 1, .law = mohr_coulomb(0.2), .area = 0.01};
        setup.force =
            tangents == 1 ? values({normal, -shear}) : values({normal, 0.8 * shear, -0.6 * shear});
        PointRun run(setup);
        run.steps(50);
        EXPECT_EQ(run.value("intact"), factor < 1 ? 1 : 0) << normal << " " << factor;
        EXPECT_EQ(run.failed(), 0);
        if (factor < 1) {
          EXPECT_NEAR(run.force(), -normal, 1e-9);
          EXPECT_LT(run.simulation().v().norm(), 1e-9);
        } else if (normal < 0) {  // slides with plain friction
          const double slip = tangents == 1 ? std::abs(run.v(1)) : std::hypot(run.v(1), run.v(2));
          const double first =
              (shear - 0.6 * (10 - normal)) * 1e-3;  // in the step in which it broke
          EXPECT_NEAR(slip, first + (shear + 0.2 * normal) * 49e-3, 1e-9);
        }
      }
    }
  }
}

// Contact and friction beside a whole bond would carry a part of its load: they are not asked.
TEST(MohrCoulombBond, IsAllThereIsWhileItHolds) {
  const LawPtr law = mohr_coulomb(2);
  for (double intact : {1.0, 0.0}) {
    const std::vector<double> memory = {intact};
    ContactSituation contact;
    contact.tangents = 2;
    contact.h = 1e-3;
    contact.closed = true;
    contact.memory = memory;
    LawStatement statement;
    law->prepare(contact, statement);
    ASSERT_EQ(statement.count, 1);
    EXPECT_EQ(statement.blocks[0].radius[0], intact > 0 ? 0.6 : 2);
    EXPECT_EQ(statement.shift[0], intact > 0 ? -1.0 : 0.0);
  }
}

TEST(MohrCoulombBond, BreaksInTension) {
  for (double pull : {9.99, 10.01}) {
    for (int tangents : {0, 1}) {
      PointSetup setup{.tangents = tangents, .mass = 1, .law = mohr_coulomb(0.2), .area = 0.01};
      setup.force = tangents == 0 ? values({pull}) : values({pull, 0});
      PointRun run(setup);
      run.steps(10);
      EXPECT_EQ(run.value("intact"), pull < 10 ? 1 : 0);
      EXPECT_NEAR(run.force(), pull < 10 ? -pull : 0, 1e-9);
    }
  }
}

}  // namespace
}  // namespace clack::test
