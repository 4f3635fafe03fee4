// The event-driven run of another code: its rows at grid points, and at impacts one before and one
// after.
#include "tests/golden/reference.hpp"

namespace clack {
namespace {

struct RowsAtImpacts {
  std::vector<int> grid, impacts;  // rows; of an impact the first of two
};

RowsAtImpacts sort_rows(const Matrix& reference) {
  RowsAtImpacts rows;
  for (int i = 0; i < reference.rows(); ++i) {
    if (i + 1 < reference.rows() && reference(i, 0) == reference(i + 1, 0)) {
      rows.impacts.push_back(i++);
    } else {
      rows.grid.push_back(i);
    }
  }
  return rows;
}

TEST(ReferenceTrajectory, event_driven_ball_agrees_at_grid_points_and_impacts) {
  CLACK_NEEDS_REFERENCE("bouncing_ball_event_driven");
  const Matrix reference = test::read_reference("bouncing_ball_event_driven");
  const RowsAtImpacts rows = sort_rows(reference);
  ASSERT_EQ(rows.grid.size(), 1700u);
  ASSERT_EQ(rows.impacts.size(), 44u);
  const Scene scene = test::example("bouncing_ball", {"simulation.scheme=event-driven"});
  Simulation simulation(scene.system, scene.initial, scene.options);
  std::size_t impact = 0;
  double worst = 0, worst_speed = 0;
  auto compare = [&](int row, int column, double value) {
    const double difference = std::abs(value - reference(row, column));
    double& largest = column == 2 ? worst_speed : worst;
    if (!(difference <= largest)) largest = difference;
  };
  for (int row : rows.grid) {
    ASSERT_EQ(simulation.step(), Status::converged) << row;
    compare(row, 0, simulation.time());
    compare(row, 1, simulation.q()[0]);
    compare(row, 2, simulation.v()[0]);
    for (const LocatedImpact& found : simulation.last_step().impacts) {
      ASSERT_LT(impact, rows.impacts.size());
      compare(rows.impacts[impact], 0, found.t);
      compare(rows.impacts[impact], 2, found.before);
      compare(rows.impacts[impact] + 1, 2, found.after);
      ++impact;
    }
  }
  EXPECT_EQ(impact, rows.impacts.size());
  std::printf("  largest difference %.1e, of speeds %.1e\n", worst, worst_speed);
  EXPECT_LT(worst, 1e-11);
  // Towards the accumulation point the published speeds leave the closed form by 4.8e-11, ours by
  // 2e-12.
  EXPECT_LT(worst_speed, 1e-10);
}

}  // namespace
}  // namespace clack
