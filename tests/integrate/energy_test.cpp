// The seed's energy lemma for Moreau and Jean's scheme, checked step by step.
#include <gtest/gtest.h>

#include <cmath>

#include "clack/integrate/simulation.hpp"
#include "tests/integrate/random_system.hpp"

namespace clack {
namespace {

using test::make_random_system;

struct Figures {
  double worst_identity = 0;  // |numerical - (1/2 - theta)(|dv|_M^2 + |dq|_K^2)| over the energy
  double worst_error = 0;     // imbalance over the energy
  double worst_growth = 0;    // dE - W_ext - W_damping where positive, over the energy
  double worst_approaching_growth = 0;  // the same over steps in which loaded contacts approached
  double worst_impact_work = 0;         // |W_impact - (1 - theta (1 + e)) u- r| over the energy
  long loaded_steps = 0;
};

Figures run(const std::shared_ptr<LinearSystem>& system, double theta, double gamma = 0.5) {
  SimulationOptions options;
  options.h = 0.01;
  options.scheme_options.theta = theta;
  options.scheme_options.gamma = gamma;
  State initial;
  initial.q = Vector::Constant(4, 0.3);
  initial.v = Vector::LinSpaced(4, -2, 1);
  Simulation simulation(system, initial, options);
  Figures result;
  Vector q = initial.q, v = initial.v;
  EnergyAudit before = simulation.last_step().energy;
  for (int k = 0; k < 2000; ++k) {
    EXPECT_EQ(simulation.step(), Status::converged);
    const EnergyAudit& now = simulation.last_step().energy;
    const Vector dq = simulation.q() - q, dv = simulation.v() - v;
    const double formula =
        (0.5 - theta) * (dv.dot(system->data().M * dv) + dq.dot(system->data().K * dq));
    const double scale = before.kinetic + before.potential + 1e-3;
    result.worst_identity =
        std::max(result.worst_identity, std::abs(now.numerical - formula) / scale);
    result.worst_error = std::max(result.worst_error, std::abs(now.error) / scale);
    const double growth = now.kinetic + now.potential - before.kinetic - before.potential -
                          now.work_external - now.work_damping;
    result.worst_growth = std::max(result.worst_growth, growth / scale);
    const Step& step = simulation.last_step();
    double impact_work = 0;
    bool approaching = true;
    for (int c : step.detection.active) {
      const int row = step.detection.row_begin[c];
      const double e_n = system->contacts()[c].law.e_n;
      impact_work += (1 - theta * (1 + e_n)) * step.detection.u[row] * step.r[row];
      approaching = approaching && !(step.r[row] > 0 && step.detection.u[row] > 0);
    }
    result.worst_impact_work =
        std::max(result.worst_impact_work, std::abs(now.work_impact - impact_work) / scale);
    if (approaching)
      result.worst_approaching_growth = std::max(result.worst_approaching_growth, growth / scale);
    result.loaded_steps += simulation.last_step().r.norm() > 0;
    before = now;
    q = simulation.q();
    v = simulation.v();
  }
  return result;
}

TEST(EnergyLedger, MoreauJeansDiscreteBalanceClosesToRoundOff) {
  for (double theta : {0.0, 0.3, 0.5, 0.7, 1.0}) {
    for (double e_n : {0.0, 0.5, 1.0}) {
      for (double mu : {0.0, 0.4}) {
        if (theta < 0.5 && e_n > 0) continue;  // unstable: energies grow without bound
        const Figures result = run(make_random_system(e_n, mu, true), theta);
        EXPECT_LT(result.worst_identity, 1e-12) << theta << " " << e_n << " " << mu;
        EXPECT_LT(result.worst_error, 1e-12) << theta << " " << e_n << " " << mu;
        EXPECT_GT(result.loaded_steps, 20);
      }
    }
  }
}

// A loaded contact has u+ = -e u-, so its work is (1 - theta (1 + e)) u- r.
TEST(EnergyLedger, TheWorkOfAnImpactFollowsFromTheVelocityBeforeIt) {
  for (double e_n : {0.0, 0.5, 1.0}) {
    for (double theta : {0.5, 0.8}) {
      EXPECT_LT(run(make_random_system(e_n, 0.0, true), theta).worst_impact_work, 1e-12)
          << e_n << " " << theta;
    }
  }
}

TEST(EnergyLedger, MoreauJeanDissipatesInsideItsRangeOfThetaWhereContactsApproach) {
  for (double e_n : {0.0, 0.5, 1.0}) {
    for (double theta : {0.5, 0.5 + 0.5 * (1 / (1 + e_n) - 0.5), 1 / (1 + e_n)}) {
      const Figures result = run(make_random_system(e_n, 0.0, true), theta);
      EXPECT_LT(result.worst_approaching_growth, 1e-12) << e_n << " " << theta;
    }
    // At the upper end impacts do no work at all, whatever the contacts did before.
    EXPECT_LT(run(make_random_system(e_n, 0.0, true), 1 / (1 + e_n)).worst_growth, 1e-12) << e_n;
  }
}

TEST(EnergyLedger, MoreauJeanCreatesEnergyOutsideItsRange) {
  EXPECT_GT(run(make_random_system(1.0, 0.0, false), 0.9).worst_approaching_growth, 1e-6);
  EXPECT_GT(run(make_random_system(0.0, 0.0, false), 0.3).worst_approaching_growth, 1e-6);
}

TEST(EnergyLedger, FrictionTakesEnergyAndANormalContactWithoutRestitutionTakesSome) {
  const auto system = make_random_system(0.0, 0.4, false);
  SimulationOptions options;
  options.h = 0.01;
  State initial{0, Vector::Constant(4, 0.3), Vector::LinSpaced(4, -2, 1)};
  Simulation simulation(system, initial, options);
  double friction = 0, impact = 0;
  for (int k = 0; k < 2000; ++k) {
    EXPECT_EQ(simulation.step(), Status::converged);
    friction += simulation.last_step().energy.work_friction;
    impact += simulation.last_step().energy.work_impact;
  }
  EXPECT_LT(friction, -1e-3);
  EXPECT_LT(impact, -1e-3);
}

}  // namespace
}  // namespace clack
