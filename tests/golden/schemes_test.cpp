// Published runs of another code by schemes other than Moreau-Jean's default, row by row.
#include "tests/golden/reference.hpp"
#include "tests/physics/linear_support.hpp"

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
        return Columns{
            {0, s.time()}, {1, s.q()[0]}, {2, s.v()[0]}, {3, 0.005 * s.last_step().r[0]}};
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

TEST(ReferenceTrajectory, impacting_bar_agrees_in_motion_force_and_energy) {
  CLACK_NEEDS_REFERENCE("impacting_bar");
  const Matrix reference = read_reference("impacting_bar");
  ASSERT_EQ(reference.rows(), 749);
  const int nodes = 100;
  const double E = 210e9, S = 3.14e-4, rho = 7800, length = 1.0 * (nodes - 1) / nodes;
  const test::RodMatrices rod = test::make_rod(nodes - 1, length, E * S, rho * S, false);
  Scene scene;
  scene.system = test::make_linear(rod.M, Matrix::Zero(nodes, nodes), rod.K, Vector::Zero(nodes),
                                   {test::make_contact(Vector::Unit(nodes, 0), 0.0)}, {0.0});
  scene.initial = {1e-8, Vector::Constant(nodes, 5e-5), Vector::Constant(nodes, -0.1)};
  scene.options.h = 2e-6;
  scene.options.scheme_options.gamma = 0;
  scene.options.scheme_options.activation_tolerance =
      0;  // a grid point meets the wall to round-off
  const double h = scene.options.h;
  const double motion = largest_difference(scene, reference, [&](const Simulation& s) {
    const Vector &q = s.q(), &v = s.v();
    return Columns{{0, s.time()},         {1, q[0]},  {2, v[0]},  {5, q.dot(rod.K * q)},
                   {6, v.dot(rod.M * v)}, {7, q[99]}, {8, v[99]}, {9, q[nodes / 2]},
                   {10, v[nodes / 2]}};
  });
  EXPECT_LT(motion, 1e-9);
  const double force = largest_difference(scene, reference, [&](const Simulation& s) {
    return Columns{{3, s.last_step().r[0] / h}};
  });
  EXPECT_LT(force, 1e-7 * reference.col(3).cwiseAbs().maxCoeff());
}

// The published slider-crank is not the scheme of the book: its smooth steps are one Newton pass,
// linear about q + h v with the mass taken there, and its projection measures displacements by
// their Euclidean length instead of by M. Both are shown here; by that much our converged run
// differs.
struct SliderCrank : testing::Test {
  Scene scene = load_scene(CLACK_SOURCE_DIR "/tests/golden/scenes/slider_crank.yaml");

  static State row_state(const Matrix& reference, int row) {
    State state{reference(row, 0), Vector(3), Vector(3)};
    state.q << 2 * M_PI * reference(row, 1), reference(row, 2), reference(row, 3);
    state.v = reference.row(row).segment(4, 3);
    return state;
  }
  // One pass of Newton's method from the predictor (q + h v, v), with the mass, the Jacobians and
  // the contact map of the predictor and the impact law of the start.
  State one_pass(const State& start) const {
    const System& system = *scene.system;
    const double h = scene.options.h;
    Matrix M(3, 3), K(3, 3), C(3, 3), H_start(3, 8), H(3, 8);
    Vector w(8), gap(4);
    Forces here(3), there(3);
    const Vector ahead = start.q + h * start.v;
    system.forces(start.t, start.q, start.v, here);
    system.forces(start.t + h, ahead, start.v, there);
    system.mass(start.t + h, ahead, M);
    system.jacobians(start.t + h, ahead, start.v, K, C);
    system.contact_map(start.t, start.q, H_start, w);
    system.contact_map(start.t, ahead, H, w);
    system.gaps(start.t, start.q, gap);
    here.set_total();
    there.set_total();
    const Eigen::PartialPivLU<Matrix> M_hat(M + 0.5 * h * C + 0.25 * h * h * K);
    Vector v = start.v + M_hat.solve(0.5 * h * (here.total + there.total));
    v += M_hat.solve(H * impulses(H.transpose() * M_hat.solve(H), H.transpose() * v,
                                  H_start.transpose() * start.v, gap));
    return {start.t + h, start.q + 0.5 * h * (start.v + v), v};
  }
  // Sweeps over the contacts with gap <= 1e-6 m: Newton's law with e = 0.4, friction 0.01.
  static Vector impulses(const Matrix& W, const Vector& u_free, const Vector& u_start,
                         const Vector& gap) {
    Vector r = Vector::Zero(8);
    for (int sweep = 0; sweep < 2000; ++sweep) {
      for (int c = 0; c < 4; ++c) {
        if (gap[c] > 1e-6) continue;
        const int n = 2 * c, t = n + 1;
        r[n] = std::max(0.0, r[n] - (W.row(n).dot(r) + u_free[n] + 0.4 * u_start[n]) / W(n, n));
        const double slip = W.row(t).dot(r) + u_free[t];
        r[t] = std::clamp(r[t] - slip / W(t, t), -0.01 * r[n], 0.01 * r[n]);
      }
    }
    return r;
  }
  // The shortest way out of penetration, measured in the Euclidean sense or by M.
  Vector projected(Vector q, bool by_mass) const {
    Matrix H(3, 8), M = Matrix::Identity(3, 3);
    Vector w(8), gap(4);
    for (int i = 0; i < 50; ++i) {
      scene.system->gaps(0, q, gap);
      if (gap.minCoeff() >= -1e-15) break;
      scene.system->contact_map(0, q, H, w);
      if (by_mass) scene.system->mass(0, q, M);
      Matrix G = Matrix::Zero(3, 4);
      for (int c = 0; c < 4; ++c) {
        if (gap[c] < 0) G.col(c) = H.col(2 * c);
      }
      const Matrix X = M.lu().solve(G);
      q -= X * (G.transpose() * X).completeOrthogonalDecomposition().solve(gap.cwiseMin(0));
    }
    return q;
  }
};

TEST_F(SliderCrank, published_run_takes_one_newton_pass_about_the_predictor) {
  CLACK_NEEDS_REFERENCE("slider_crank_direct_projection");
  const Matrix reference = read_reference("slider_crank_direct_projection");
  ASSERT_EQ(reference.rows(), 2001);
  double converged = 0;
  for (int row = 0; row < 27; ++row) {  // up to the first impact
    const State got = one_pass(row_state(reference, row));
    const State expected = row_state(reference, row + 1);
    EXPECT_LT((got.q - expected.q).cwiseAbs().maxCoeff(), 1e-13) << row;
    EXPECT_LT((got.v - expected.v).cwiseAbs().maxCoeff(), 1e-11) << row;
    Simulation ours(scene.system, row_state(reference, row), scene.options);
    ASSERT_EQ(ours.step(), Status::converged);
    converged = std::max(converged, (ours.v() - expected.v).cwiseAbs().maxCoeff());
  }
  EXPECT_NEAR(converged, 0.033, 0.001);  // rad/s, what one pass leaves of Newton's iteration
}

TEST_F(SliderCrank, published_projection_is_the_euclidean_one) {
  CLACK_NEEDS_REFERENCE("slider_crank_direct_projection");
  const Matrix reference = read_reference("slider_crank_direct_projection");
  const Vector free = one_pass(row_state(reference, 27)).q, end = row_state(reference, 28).q;
  EXPECT_LT((projected(free, false) - end).cwiseAbs().maxCoeff(), 1e-13);
  EXPECT_NEAR((projected(free, true) - end).cwiseAbs().maxCoeff(), 4.4e-5, 1e-6);  // rad
}

// Each step from the published state before it: what is left are impacts with friction.
TEST_F(SliderCrank, published_steps_follow_these_rules_also_in_contact) {
  CLACK_NEEDS_REFERENCE("slider_crank_direct_projection");
  const Matrix reference = read_reference("slider_crank_direct_projection");
  int same = 0, touching = 0;
  for (int row = 0; row + 1 < 2000; ++row) {
    const State start = row_state(reference, row), expected = row_state(reference, row + 1);
    const State got = one_pass(start);
    const Vector q = projected(got.q, false);
    const bool good = (q - expected.q).cwiseAbs().maxCoeff() < 1e-10 &&
                      (got.v - expected.v).cwiseAbs().maxCoeff() < 1e-8;
    Vector gap(4);
    scene.system->gaps(0, start.q, gap);
    same += good;
    touching += good && gap.minCoeff() <= 1e-6;
  }
  std::printf("  %d of 1999 steps, %d of them in contact\n", same, touching);
  EXPECT_GE(same, 1960);
  EXPECT_GE(touching, 200);
}

TEST_F(SliderCrank, converged_run_stays_near_the_published_one) {
  CLACK_NEEDS_REFERENCE("slider_crank_direct_projection");
  const Matrix reference = read_reference("slider_crank_direct_projection");
  Simulation simulation(scene.system, scene.initial, scene.options);
  int first_impact = 0;
  double angle = 0, lowest = 0;
  for (int row = 1; row <= 300; ++row) {
    ASSERT_EQ(simulation.step(), Status::converged) << row;
    if (first_impact == 0 && simulation.last_step().r.norm() > 0) first_impact = row;
    lowest = std::min(lowest, simulation.last_step().end.gap.minCoeff());
    if (row <= 200)
      angle = std::max(
          angle, (simulation.q() - row_state(reference, row).q).head(2).cwiseAbs().maxCoeff());
  }
  EXPECT_NEAR(first_impact, 29, 1);  // row of the published run
  EXPECT_LT(angle, 0.02);            // rad, of 1.6 rad turned
  EXPECT_GT(lowest, -1e-9);
}

}  // namespace
}  // namespace clack
