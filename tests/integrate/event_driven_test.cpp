// The event-driven scheme where contacts are coupled and impacts accumulate in turn.
#include <gtest/gtest.h>

#include "clack/integrate/simulation.hpp"
#include "tests/integrate/random_system.hpp"

namespace clack {
namespace {

struct Figures {
  double error = 0, projected = 0, lowest = 0;
  std::size_t impacts = 0, most = 0;  // most: in one step
};

Figures run(double e_n, double mu, bool damped) {
  SimulationOptions options;
  options.scheme = "event-driven";
  options.h = 0.01;
  Simulation simulation(test::make_random_system(e_n, mu, damped),
                        {0, Vector::Constant(4, 0.3), Vector::LinSpaced(4, -2, 1)}, options);
  Figures result;
  for (int k = 0; k < 2000; ++k) {
    EXPECT_EQ(simulation.step(), Status::converged) << "e " << e_n << ", mu " << mu;
    if (testing::Test::HasFailure()) break;
    const Step& step = simulation.last_step();
    result.error = std::max(result.error, std::abs(step.energy.error));
    result.projected += std::abs(step.energy.numerical);
    result.lowest = std::min(result.lowest, step.end.gap.minCoeff());
    result.impacts += step.impacts.size();
    result.most = std::max(result.most, step.impacts.size());
  }
  return result;
}

TEST(EventDriven, coupled_contacts_accumulate_impacts_without_stalling) {
  std::size_t most = 0;
  for (double e_n : {0.0, 0.1, 0.5, 0.9, 1.0}) {
    for (double mu : {0.0, 0.4, 1.0}) {
      for (bool damped : {false, true}) {
        const Figures result = run(e_n, mu, damped);
        EXPECT_LT(result.error, 1e-11) << e_n << ' ' << mu;
        EXPECT_LT(result.projected, 1e-10) << e_n << ' ' << mu;
        EXPECT_GT(result.lowest, -1e-11) << e_n << ' ' << mu;
        EXPECT_GT(result.impacts, 10u) << e_n << ' ' << mu;
        most = std::max(most, result.most);
      }
    }
  }
  EXPECT_GT(most, 50u);  // there was something to accumulate
}

}  // namespace
}  // namespace clack
