// Published runs of another code by schemes other than Moreau-Jean's default, row by row.
#include "tests/golden/reference.hpp"

namespace clack {
namespace {

using test::Columns;
using test::example;
using test::largest_difference;
using test::read_reference;

TEST(ReferenceTrajectory, schatzman_paoli_ball_agrees_to_row_1500) {
  CLACK_NEEDS_REFERENCE("bouncing_ball_schatzman_paoli");
  const Matrix reference = read_reference("bouncing_ball_schatzman_paoli");
  ASSERT_EQ(reference.rows(), 2001);
  const Scene scene = example("bouncing_ball", {"simulation.scheme=schatzman-paoli"});
  // The multiplier of the file is that of the two-step equation, h times an impulse.
  const double worst = largest_difference(
      scene, reference,
      [](const Simulation& s) {
        return Columns{{0, s.time()}, {1, s.q()[0]}, {2, s.v()[0]}, {3, 0.005 * s.last_step().r[0]}};
      },
      1500);
  EXPECT_LT(worst, 1e-8);
}

TEST(ReferenceTrajectory, combined_projection_ball_agrees) {
  CLACK_NEEDS_REFERENCE("bouncing_ball_combined_projection");
  const Matrix reference = read_reference("bouncing_ball_combined_projection");
  ASSERT_EQ(reference.rows(), 2001);
  const Scene scene = example("bouncing_ball", {"simulation.scheme=moreau-combined-projection"});
  const double worst = largest_difference(scene, reference, [](const Simulation& s) {
    return Columns{{0, s.time()}, {1, s.q()[0]}, {2, s.v()[0]}, {3, s.last_step().r[0]}};
  });
  EXPECT_LT(worst, 1e-9);
}

}  // namespace
}  // namespace clack
