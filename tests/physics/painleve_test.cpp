#include "tests/physics/painleve_support.hpp"

namespace clack {
namespace {

TEST(PainleveRod, survives_every_step_from_1e_1_to_1e_4) {
  for (double h :
       {1e-1, 7e-2, 5e-2, 3e-2, 2e-2, 1e-2, 7e-3, 5e-3, 3e-3, 2e-3, 1e-3, 5e-4, 2e-4, 1e-4}) {
    test::expect_rod_survives(h);
  }
}

TEST(PainleveRod, survives_under_the_midpoint_rule) {
  for (double h : {1e-1, 1e-2, 1e-3, 1e-4}) {
    test::expect_rod_survives(h, {"simulation.scheme=moreau-midpoint"});
  }
}

TEST(PainleveRod, enters_the_paradox_at_45_degrees_while_sliding) {
  double when = 0;
  test::run(test::example("painleve_rod", {test::step_of(1e-4)}),
            [&](const Simulation& simulation) {
              const double phi = simulation.q()[2];
              const bool paradox =
                  1 + 3 * std::cos(phi) * std::cos(phi) < 5 * std::sin(phi) * std::cos(phi);
              if (when == 0 && paradox) when = simulation.time();
            });
  EXPECT_GT(when, 0.80);
  EXPECT_LT(when, 0.84);
}

}  // namespace
}  // namespace clack
