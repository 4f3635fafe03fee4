// Published runs of another code, reproduced row by row. The files are not part of the project.
#include "tests/golden/reference.hpp"

namespace clack {
namespace {

using test::Columns;
using test::example;
using test::largest_difference;
using test::read_reference;

Scene golden_scene(const std::string& name) {
  return load_scene(CLACK_SOURCE_DIR "/tests/golden/scenes/" + name + ".yaml");
}

TEST(ReferenceTrajectory, bouncing_ball_agrees_in_position_velocity_and_impulse) {
  CLACK_NEEDS_REFERENCE("bouncing_ball_moreau_jean");
  const Matrix reference = read_reference("bouncing_ball_moreau_jean");
  ASSERT_EQ(reference.rows(), 2001);
  const double worst =
      largest_difference(example("bouncing_ball"), reference, [](const Simulation& s) {
        return Columns{{0, s.time()}, {1, s.q()[0]}, {2, s.v()[0]}, {3, s.last_step().r[0]}};
      });
  EXPECT_LT(worst, 1e-12);
}

TEST(ReferenceTrajectory, planar_ball_with_spin_agrees) {
  CLACK_NEEDS_REFERENCE("ball2d_friction");
  const Matrix reference = read_reference("ball2d_friction");
  ASSERT_EQ(reference.rows(), 2001);
  const double worst =
      largest_difference(golden_scene("ball2d_friction"), reference, [](const Simulation& s) {
        return Columns{{1, s.q()[0]}, {2, s.v()[0]}, {3, s.v()[2]},
                       {6, s.q()[1]}, {7, s.q()[2]}, {8, s.v()[1]}};
      });
  EXPECT_LT(worst, 1e-10);
}

TEST(ReferenceTrajectory, woodpecker_agrees_over_fifteen_thousand_steps) {
  CLACK_NEEDS_REFERENCE("woodpecker");
  const Matrix reference = read_reference("woodpecker");
  ASSERT_EQ(reference.rows(), 15000);
  const double worst =
      largest_difference(example("woodpecker"), reference, [](const Simulation& s) {
        return Columns{{0, s.time()}, {1, s.q()[0]}, {2, s.v()[0]}, {3, s.q()[1]},
                       {4, s.v()[1]}, {5, s.q()[2]}, {6, s.v()[2]}};
      });
  EXPECT_LT(worst, 1e-9);
}

TEST(ReferenceTrajectory, impacting_bar_agrees_in_motion_energies_and_contact_force) {
  CLACK_NEEDS_REFERENCE("impacting_bar");
  const Matrix reference = read_reference("impacting_bar");
  ASSERT_EQ(reference.rows(), 749);
  const Scene scene = example("impacting_bar");
  ASSERT_EQ(scene.step_count(), 748);
  const double motion = largest_difference(scene, reference, [](const Simulation& s) {
    const Energies& energies = s.last_step().end.energies;
    return Columns{{0, s.time()},
                   {1, s.q()[0]},
                   {2, s.v()[0]},
                   {5, 2 * energies.potential},
                   {6, 2 * energies.kinetic},
                   {7, s.q()[99]},
                   {8, s.v()[99]},
                   {9, s.q()[50]},
                   {10, s.v()[50]}};
  });
  EXPECT_LT(motion, 1e-9);
  const double force = largest_difference(scene, reference, [](const Simulation& s) {
    return Columns{{3, s.last_step().r[0] / s.last_step().h}};
  });
  EXPECT_LT(force, 1e-7 * reference.col(3).maxCoeff());
}

TEST(ReferenceTrajectory, friction_oscillator_agrees) {
  CLACK_NEEDS_REFERENCE("friction_oscillator");
  const Matrix reference = read_reference("friction_oscillator");
  ASSERT_EQ(reference.rows(), 10000);
  const double worst =
      largest_difference(golden_scene("friction_oscillator"), reference, [](const Simulation& s) {
        return Columns{{0, s.time()}, {1, s.q()[0]}, {2, s.v()[0]}, {3, s.last_step().r[1] / 0.01}};
      });
  EXPECT_LT(worst, 1e-10);
}

}  // namespace
}  // namespace clack
