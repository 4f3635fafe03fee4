// The clock's limit cycle, from several starts.
#include <gtest/gtest.h>

#include "support.hpp"

namespace clack {
namespace {

constexpr double kDegree = M_PI / 180;

struct Swing {
  double highest = 0, lowest = 0;                // of the balance in the last two periods [deg]
  double period = 0, turn = 0;                   // [s], [deg] a period, over the last ten
  double winding = 0, damping = 0, contact = 0;  // works of these ten, a period [J]
};

Swing swing(double start, double end, double h, const std::vector<std::string>& more = {}) {
  std::vector<std::string> changes = more;
  changes.push_back("parameters.start=" + std::to_string(start));
  changes.push_back("simulation.end=" + std::to_string(end));
  changes.push_back(test::step_of(h));
  struct Mark {
    double t, wheel;
    EnergyAudit energy;
  };
  std::vector<Mark> marks;
  Ledger ledger(EnergyAudit{});
  Swing result;
  double before = 0;
  const test::Outcome outcome =
      test::run_world(test::example("escapement", changes), [&](const test::BodySimulation& s) {
        ledger.add(s.energy());
        const double balance = s.state().coordinates[1];
        if (before < 0 && balance >= 0) {
          const double rate = s.state().bodies[1].omega.z();
          marks.push_back({s.time() - balance / rate, s.state().coordinates[0], ledger.totals()});
        }
        before = balance;
        if (s.time() < end - 2.1) return;
        result.highest = std::max(result.highest, balance / kDegree);
        result.lowest = std::min(result.lowest, balance / kDegree);
      });
  EXPECT_EQ(outcome.failed_steps, 0);
  EXPECT_LT(outcome.balance, 1e-12);
  if (marks.size() < 12) return result;
  const Mark &a = marks[marks.size() - 11], &b = marks.back();
  result.period = (b.t - a.t) / 10;
  result.turn = (a.wheel - b.wheel) / kDegree / 10;
  result.winding = (b.energy.work_external - a.energy.work_external) / 10;
  result.damping = (b.energy.work_damping - a.energy.work_damping) / 10;
  result.contact = (b.energy.work_impact - a.energy.work_impact + b.energy.work_friction -
                    a.energy.work_friction) /
                   10;
  return result;
}

TEST(Escapement, SettlesToOneSwingFromBothSidesAndLosesInAPeriodWhatTheWeightGives) {
  for (const double start : {7.86, 7.8}) {
    const Swing s = swing(start, 60, 2e-5);
    EXPECT_NEAR(s.highest, 7.829, 0.025) << start;
    EXPECT_NEAR(s.lowest, -7.831, 0.025) << start;
    EXPECT_NEAR(s.period, 1.001314, 2e-5) << start;
    EXPECT_NEAR(s.turn, 12, 1e-3) << start;
    EXPECT_NEAR(s.winding, 8.3776e-6, 1e-9);
    EXPECT_NEAR(s.damping, -2.311e-6, 0.02e-6);
    EXPECT_NEAR(s.contact, -6.066e-6, 0.04e-6);
  }
}

TEST(Escapement, StartsFromTwoAndAHalfDegreesButNotFromOneAndAHalf) {
  EXPECT_NEAR(swing(2.5, 25, 4e-5).turn, 12, 0.1);
  EXPECT_EQ(swing(1.5, 25, 4e-5).turn, 0);
}

TEST(Escapement, WithoutFrictionTakesHalfTheTorque) {
  const Swing s = swing(7.95, 60, 2e-5, {"parameters.mu=0", "parameters.torque=2.0e-5"});
  EXPECT_NEAR(s.period, 1.000717, 2e-5);
  EXPECT_NEAR(s.highest, 7.951, 0.03);
  EXPECT_NEAR(s.lowest, -7.951, 0.03);
}

}  // namespace
}  // namespace clack
