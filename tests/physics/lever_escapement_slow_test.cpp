// The limit cycle of a watch's lever escapement, from starts below and above it.
#include <gtest/gtest.h>

#include "support.hpp"

namespace clack {
namespace {

constexpr double kDegree = M_PI / 180;

struct Swing {
  double highest = 0, lowest = 0;               // of the balance in the last second [deg]
  double period = 0, turn = 0;                  // [s], [deg] a period, over the last ten
  double winding = 0, lost = 0, numerical = 0;  // works of these ten, a period [J]
  double worst_turn = 0;                        // of one of them, off 12 degrees [deg]
};

Swing swing(double start, double end) {
  struct Mark {
    double t, wheel;
    EnergyAudit energy;
  };
  std::vector<Mark> marks;
  Ledger ledger(EnergyAudit{});
  Swing result;
  double before = 0;
  const test::Outcome outcome = test::run_world(
      test::example("lever_escapement",
                    {"parameters.start=" + std::to_string(start),
                     "simulation.end=" + std::to_string(end), test::step_of(4e-5)}),
      [&](const test::BodySimulation& s) {
        ledger.add(s.energy());
        const double balance = s.state().coordinates[2], rate = s.state().bodies[2].omega.z();
        // Where the balance turns round: nothing else moves.
        if (before < 0 && rate >= 0)
          marks.push_back({s.time(), s.state().coordinates[0], ledger.totals()});
        before = rate;
        if (s.time() < end - 1) return;
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
  const auto losses = [](const EnergyAudit& x) {
    return x.work_damping + x.work_impact + x.work_friction;
  };
  result.lost = (losses(b.energy) - losses(a.energy)) / 10;
  result.numerical = (b.energy.numerical - a.energy.numerical) / 10;
  for (std::size_t k = marks.size() - 10; k < marks.size(); ++k) {
    const double turn = (marks[k - 1].wheel - marks[k].wheel) / kDegree;
    result.worst_turn = std::max(result.worst_turn, std::abs(turn - 12));
  }
  return result;
}

TEST(LeverEscapement, LetsOnOneToothAPeriodAndSwingsTheSameFromAnyStart) {
  const Swing low = swing(90, 10), high = swing(178, 10);
  for (const Swing& s : {low, high}) {
    EXPECT_NEAR(s.turn, 12, 1e-3);
    EXPECT_LT(s.worst_turn, 0.01);
    EXPECT_NEAR(s.winding, 4e-3 * 2 * M_PI / 30, 1e-7);
    EXPECT_NEAR(s.winding + s.lost + s.numerical, 0, 5e-3 * s.winding);
    EXPECT_LT(std::abs(s.numerical), 1e-2 * s.winding);
    EXPECT_NEAR(s.period, 1 / 3.0, 1e-3);
  }
  EXPECT_NEAR(low.highest, high.highest, 0.2);
  EXPECT_NEAR(low.lowest, high.lowest, 0.2);
  EXPECT_GT(low.highest, 140);
}

}  // namespace
}  // namespace clack
