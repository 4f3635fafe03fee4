// Modes in closed form: linear ones, those of impacts, and those of the exact rod.
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <cmath>

#include "clack/analyse/modes/exact_rod.hpp"
#include "clack/analyse/modes/impact_modes.hpp"
#include "clack/analyse/modes/linear_modes.hpp"
#include "clack/core/error.hpp"
#include "tests/analyse/orbit_scenes.hpp"

namespace clack {
namespace {

using test::values;

constexpr double kPi = 3.14159265358979323846;

const std::string kOscillator = R"(clack: 1
system:
  type: linear
  coordinates: [x]
  M: [[1]]
  K: [[1]]
  contacts:
    - {name: stop, G: [-1], g0: 1, e_n: 1}
initial: {q: [0]}
simulation: {scheme: event-driven, step: 0.1, end: 1}
)";

TEST(ImpactModes, one_mass_has_the_known_family) {
  const Scene scene = test::scene_of(kOscillator);
  const ImpactModes modes(*scene.system);
  const ImpactMode five = modes.one_impact(5), four = modes.one_impact(4);
  EXPECT_NEAR(five.impulses[0], 1.4940445945, 1e-10);
  EXPECT_NEAR(five.energy, 0.7790211563, 1e-10);
  EXPECT_NEAR(four.impulses[0], 4.3700797265, 1e-10);
  EXPECT_NEAR(four.energy, 2.8871996020, 1e-10);
  for (double T : {3.2, 4.0, 5.0, 6.2}) {  // T = 2 (pi - acos(g0/A)), A = sqrt(2E)
    const ImpactMode mode = modes.one_impact(T);
    EXPECT_TRUE(mode.admissible) << T << mode.inadmissible;
    EXPECT_NEAR(T, 2 * (kPi - std::acos(1 / std::sqrt(2 * mode.energy))), 1e-12);
  }
  const auto windows = modes.one_impact_windows(1, 6.5);
  ASSERT_EQ(windows.size(), 1u);
  EXPECT_NEAR(windows[0].begin, kPi, 1e-9);
  EXPECT_NEAR(windows[0].end, 2 * kPi, 1e-9);
}

struct ChainMode {
  double T, r, E, x1;
};

TEST(ImpactModes, chain_has_the_known_family) {
  const Scene scene = test::scene_of(test::kChain);
  const ImpactModes modes(*scene.system);
  EXPECT_NEAR(modes.linear().omega[0], 0.6180339887, 1e-10);
  EXPECT_NEAR(modes.linear().omega[1], 1.6180339887, 1e-10);
  for (const ChainMode& c : {ChainMode{10.0, -0.0877593757, 0.2639587253, 0.614000051521},
                             {9.5, -0.3586885488, 0.2828976961, 0.629674638032},
                             {9.0, -0.6675045537, 0.3457976133, 0.700255641992},
                             {8.5, -1.1014277809, 0.5864266854, 0.929864851847},
                             {8.1, -2.0839560094, 3.2169207859, 2.056939852636},
                             {7.0, -1.9472012071, 0.8861992700, 0.097197067606},
                             {3.7, -3.2753594865, 18.1646018759, -3.571069196812}}) {
    const ImpactMode mode = modes.one_impact(c.T);
    EXPECT_TRUE(mode.admissible) << mode.inadmissible;
    EXPECT_NEAR(mode.impulses[0], -c.r, 1e-10);
    EXPECT_NEAR(mode.energy, c.E, 1e-10);
    const State state = modes.state(mode, 0);
    EXPECT_NEAR(state.q[0], c.x1, 1e-11);
    EXPECT_NEAR(state.q[1], 1, 1e-12);
    EXPECT_NEAR(state.v[0], 0, 1e-12);
    EXPECT_NEAR(state.v[1], c.r / 2, 1e-10);
  }
}

TEST(ImpactModes, chain_has_the_known_windows) {
  const Scene scene = test::scene_of(test::kChain);
  const ImpactModes modes(*scene.system);
  for (double T : {3.5424269509, 5.2974957043, 7.9161802299})
    EXPECT_LT(std::abs(modes.closure(T)), 1e-9) << T;
  const auto windows = modes.one_impact_windows(3.2, 10.5);
  ASSERT_EQ(windows.size(), 3u);
  const PeriodWindow known[] = {
      {3.5424269509, 3.88322}, {5.2974957043, 7.76644}, {7.9905166, 10.1664074}};
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(windows[i].begin, known[i].begin, 1e-7);
    EXPECT_NEAR(windows[i].end, known[i].end, 1e-5);
  }
  const ImpactMode outside = modes.one_impact(7.95);
  EXPECT_FALSE(outside.admissible);
  EXPECT_NE(outside.inadmissible.find("gap would be"), std::string::npos) << outside.inadmissible;
  EXPECT_NE(modes.one_impact(5.0).inadmissible.find("pull"), std::string::npos);
}

TEST(ImpactModes, chain_has_the_known_orbits_of_two_impacts) {
  const Scene scene = test::scene_of(test::kChain);
  const ImpactModes modes(*scene.system);
  struct Known {
    double T, s, r, E;
  };
  for (const Known& c : {Known{8, 1.4932235945, 1.8172204557, 4.1163811086},
                         {16, 6.5910985331, 2.1678080949, 1.9724903943}}) {
    bool found = false;
    for (const ImpactMode& mode : modes.two_impacts(c.T)) {
      if (std::abs(mode.times[1] - c.s) > 1e-6) continue;
      found = true;
      EXPECT_TRUE(mode.admissible) << mode.inadmissible;
      EXPECT_NEAR(mode.times[1], c.s, 1e-10);
      EXPECT_NEAR(mode.impulses[0], c.r, 1e-10);
      EXPECT_NEAR(mode.impulses[1], c.r, 1e-10);
      EXPECT_NEAR(mode.energy, c.E, 1e-9);
      // The event-driven motion from a quarter period before the first impact comes back.
      const State start = modes.state(mode, 0.7 * c.T);
      const MappedFlow flow = FlowMap(scene.system).compute(start, c.T, true);
      ASSERT_TRUE(flow.good()) << flow.note;
      EXPECT_EQ(flow.impacts, 2);
      EXPECT_LT((flow.end.q - start.q).norm() + (flow.end.v - start.v).norm(), 1e-9);
    }
    EXPECT_TRUE(found) << c.T;
  }
}

TEST(ImpactModes, closed_form_is_the_event_driven_motion) {
  const Scene scene = test::scene_of(test::kChain);
  const ImpactModes modes(*scene.system);
  const ImpactMode mode = modes.one_impact(9.2);
  const State start = modes.state(mode, 3.0);
  const MappedFlow flow = FlowMap(scene.system).compute(start, 5 * 9.2, false);
  ASSERT_TRUE(flow.good()) << flow.note;
  EXPECT_EQ(flow.impacts, 5);
  EXPECT_LT((flow.end.q - start.q).norm() + (flow.end.v - start.v).norm(), 1e-10);
}

TEST(ImpactModes, a_constant_load_moves_the_equilibrium) {
  const std::string hung = R"(clack: 1
system: {type: linear, coordinates: [x], M: [[2]], K: [[8]], f: [-4],
         contacts: [{name: stop, G: [-1], g0: 0.5, e_n: 1}]}
initial: {q: [0]}
simulation: {scheme: event-driven, step: 0.1, end: 1}
)";
  const Scene scene = test::scene_of(hung);
  const ImpactModes modes(*scene.system);
  EXPECT_NEAR(modes.gap_at_rest(), 1.0, 1e-14);
  const ImpactMode mode = modes.one_impact(2.5);  // omega = 2: the one-mass family at T = 5
  EXPECT_NEAR(mode.impulses[0], 1.4940445945 * 4, 1e-9);
  const State start = modes.state(mode, 1.0);
  const MappedFlow flow = FlowMap(scene.system).compute(start, 2.5, false);
  EXPECT_LT((flow.end.q - start.q).norm() + (flow.end.v - start.v).norm(), 1e-10);
}

TEST(ImpactModes, refuses_what_has_no_such_modes) {
  const auto message = [](const Scene& scene) -> std::string {
    try {
      ImpactModes modes(*scene.system);
    } catch (const InputError& error) {
      return error.what();
    }
    return "none";
  };
  EXPECT_NE(message(test::scene_of(test::kChain, {"parameters.e=0.9"})).find("e_n = 0.9"),
            std::string::npos);
  EXPECT_NE(message(test::scene_of(test::kForced, {"parameters.e=1"})).find("damping"),
            std::string::npos);
  EXPECT_NE(
      message(test::scene_of(test::kForced, {"parameters.e=1", "parameters.z=0"})).find("time"),
      std::string::npos);
  EXPECT_NE(message(test::example_scene("pendulum_wall")).find("not linear"), std::string::npos);
}

struct RodCase {
  int order;
  double g0, T, alpha, tau, E;
};

class ExactRodMode : public testing::TestWithParam<RodCase> {};

TEST_P(ExactRodMode, has_the_known_figures_and_is_kept_by_the_delay_map) {
  const RodCase& c = GetParam();
  const ExactRodData rod{.g0 = c.g0};
  const RodMode mode = rod_mode(rod, c.order, c.T);
  EXPECT_NEAR(mode.alpha, c.alpha, 5e-8 * c.alpha);
  EXPECT_NEAR(mode.contact, c.tau, 1e-12);
  EXPECT_NEAR(mode.energy, c.E, 5e-8 * c.E);
  ExactRod motion(rod, mode);
  EXPECT_NEAR(motion.tip(), c.g0, 1e-13);
  const int parts = 97;  // of a period
  double worst = 0, worst_energy = 0;
  for (int k = 1; k <= 10 * parts; ++k) {
    motion.advance(c.T / parts);
    double s = motion.time() - c.T * std::floor(motion.time() / c.T + 1e-12);
    s = std::max(0.0, s);
    const double away = std::max(0.0, s - mode.contact);
    const double tip = c.g0 - 2 * mode.alpha * (away < mode.away ? away : 2 * mode.away - away);
    worst = std::max(worst, std::abs(motion.tip() - tip));
    worst_energy = std::max(worst_energy, std::abs(motion.energy() / mode.energy - 1));
  }
  std::printf("  tip %.1e, energy %.1e, %d contacts\n", worst, worst_energy, motion.contacts());
  EXPECT_LT(worst, 2e-12 * std::max(1.0, mode.alpha));
  EXPECT_LT(worst_energy, 1e-12);
  if (mode.contact > 0) {
    EXPECT_NEAR(motion.contacts(), 10, 1);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Known, ExactRodMode,
    testing::Values(
        RodCase{0, 1, 4, .5, 0, .5}, RodCase{0, 1, 3.9, .55555555556, .1, .61728395062},
        RodCase{0, 1, 3.75, .66666666667, .25, .88888888889}, RodCase{0, 1, 3.5, 1, .5, 2},
        RodCase{0, 1, 3.25, 2, .75, 8}, RodCase{0, 1, 3.1, 5, .9, 50},
        RodCase{0, 1, 3.4142135623730951, 1.2071067811865, .5857864376269049, 2.914213562373},
        RodCase{1, 1, 1.3, 2.5, .1, 12.5}, RodCase{2, 1, .79, 4.5454545455, .05, 41.322314050},
        RodCase{0, -1, 2.5, 1, 1.5, 2}),
    [](const auto& instance) { return "number_" + std::to_string(instance.index); });

TEST(ExactRod, energy_and_frequency_of_the_first_mode_follow_the_formula) {
  const ExactRodData rod{.EA = 3, .c = 2, .length = 0.7, .g0 = 0.05};
  for (double T = 1.06; T < 1.39; T += 0.03) {
    const RodMode mode = rod_mode(rod, 0, T);
    const double d = rod.c * T - 3 * rod.length;
    const double E = rod.EA * rod.length * rod.g0 * rod.g0 / (2 * d * d);
    EXPECT_NEAR(mode.energy, E, 1e-12 * E);
    EXPECT_NEAR(first_rod_frequency(rod, E), 1 / T, 1e-13);
    ExactRod motion(rod, mode);
    motion.advance(7 * T);
    EXPECT_NEAR(motion.energy(), E, 1e-12 * E);
    EXPECT_NEAR(motion.tip(), rod.g0, 1e-12);
  }
}

TEST(ExactRod, prestress_reaches_half_the_way_to_clamped_ends) {
  const RodPeriods periods = rod_mode_periods({.g0 = -1}, 0);
  EXPECT_DOUBLE_EQ(periods.low, 2);
  EXPECT_DOUBLE_EQ(periods.high, 3);
  EXPECT_THROW((void)rod_mode({}, 0, 2.9), InputError);
  EXPECT_THROW((void)rod_mode({}, 0, 4.1), InputError);
  EXPECT_NEAR(rod_mode({.g0 = 0}, 0, 3, 8).energy, 8, 1e-14);
}

TEST(ExactRod, a_pulse_is_reflected_with_its_sign_by_the_stop_and_without_it_when_free) {
  // A pulse arrives at once; the stop touches the tip at rest: compression comes back as it went.
  ExactRod touching({.g0 = 0}, std::deque<WavePiece>{{0.25, -1}, {0.5, 0}, {0.25, 1}, {1, 0}});
  EXPECT_NEAR(touching.tip(), 0, 1e-15);
  EXPECT_DOUBLE_EQ(touching.force(), 2);
  touching.advance(0.25);
  EXPECT_NEAR(touching.tip(), 0, 1e-15);
  ExactRod free({.g0 = 9}, std::deque<WavePiece>{{0.25, -1}, {1.75, 0}});
  EXPECT_DOUBLE_EQ(free.tip_velocity(), 2);
  free.advance(0.25);
  EXPECT_NEAR(free.tip(), 0.25, 1e-15);
  EXPECT_DOUBLE_EQ(free.wave().back().height, 1);
}

TEST(LinearModes, of_a_chain_with_open_and_closed_contact) {
  const Scene scene = test::scene_of(test::kChain, {"initial.q=[0.5, 1]"});
  const LinearModes open = compute_linear_modes(*scene.system, scene.initial);
  EXPECT_NEAR(open.omega[0], 0.5 * (std::sqrt(5.0) - 1), 1e-13);
  EXPECT_NEAR(open.omega[1], 0.5 * (std::sqrt(5.0) + 1), 1e-13);
  const LinearModes closed =
      compute_linear_modes(*scene.system, scene.initial, {.contacts = ModeContacts::closed});
  ASSERT_EQ(closed.omega.size(), 1);
  EXPECT_NEAR(closed.omega[0], std::sqrt(2.0), 1e-13);
  EXPECT_NEAR(std::abs(closed.shapes(0, 0)), 1, 1e-13);
  EXPECT_EQ(closed.closed, std::vector<int>{0});
}

TEST(LinearModes, of_the_five_link_pendulum_are_the_roots_of_laguerre) {
  const Scene scene = test::example_scene("five_link_pendulum");
  State rest = scene.initial;
  rest.q.setZero();
  rest.v.setZero();
  const LinearModes modes = compute_linear_modes(*scene.system, rest);
  std::printf("  omega^2:");
  for (double x : modes.omega_squared) std::printf(" %.10f", x);
  std::printf("\n");
  const double laguerre[] = {0.26356031971814, 1.41340305910652, 3.59642577104072, 7.08581000585884,
                             12.64080084427578};
  const double unit = modes.omega_squared[0] / laguerre[0];
  for (int j = 0; j < 5; ++j) EXPECT_NEAR(modes.omega_squared[j] / unit, laguerre[j], 1e-10);
}

TEST(LinearModes, of_a_damped_mass_are_its_complex_eigenvalues) {
  const Scene scene = test::scene_of(test::kForced);
  const LinearModes modes = compute_linear_modes(*scene.system, scene.initial);
  ASSERT_EQ(modes.eigenvalues.size(), 2u);
  EXPECT_NEAR(modes.eigenvalues[0].real(), -0.05, 1e-14);
  EXPECT_NEAR(std::abs(modes.eigenvalues[0].imag()), std::sqrt(1 - 0.0025), 1e-14);
}

TEST(LinearModes, of_a_constrained_pendulum_see_the_force_of_the_constraint) {
  // A point mass on a rigid massless rod in Cartesian coordinates: omega^2 = g/l.
  const std::string pendulum = R"(clack: 1
system:
  type: lagrangian
  coordinates: [x, y]
  kinetic: 0.5*2*(x'^2 + y'^2)
  potential: 2*9.81*y
  constraints:
    - {name: rod, equation: sqrt(x^2 + y^2) - 0.5}
initial: {q: [0, -0.5]}
simulation: {step: 0.01, end: 1}
)";
  const Scene scene = test::scene_of(pendulum);
  const LinearModes modes = compute_linear_modes(*scene.system, scene.initial);
  ASSERT_EQ(modes.omega.size(), 1);
  EXPECT_NEAR(modes.omega_squared[0], 9.81 / 0.5, 1e-9);
}

// omega_j of the discrete rod: consistent mass, s = sin(k h/2), omega^2 = 12/h^2 s^2/(3 - 2 s^2).
double discrete_rod(int elements, double k) {
  const double h = 1.0 / elements, s = std::sin(0.5 * k * h);
  return std::sqrt(12 / (h * h) * s * s / (3 - 2 * s * s));
}

Scene long_rod(int elements, const std::string& mass, double gap) {
  const std::string n = std::to_string(elements);
  return test::scene_of(
      "clack: 1\nsystem:\n  type: linear\n  rod: {length: 1, area: 1, young: 1, "
      "density: 1, elements: " +
      n + ", mass: " + mass + ", left: clamped}\n  contacts:\n    - {name: wall, G: {u" + n +
      ": -1}, g0: " + std::to_string(gap) +
      "}\ninitial: {v: 0}\nsimulation: {theta: 0.51, step: 1.0e-3, end: 1}\n");
}

TEST(LinearModes, of_a_large_sparse_rod_are_the_discrete_ones_with_open_and_closed_contact) {
  const Scene scene = long_rod(5000, "consistent", 0);
  ASSERT_TRUE(scene.system->is_sparse());
  for (bool closed : {false, true}) {
    const LinearModes modes = compute_linear_modes(
        *scene.system, scene.initial,
        {.contacts = closed ? ModeContacts::closed : ModeContacts::open, .count = 8});
    EXPECT_TRUE(modes.converged);
    ASSERT_EQ(modes.omega.size(), 8);
    for (int j = 0; j < 8; ++j) {
      const double k = closed ? (j + 1) * kPi : (j + 0.5) * kPi;
      EXPECT_NEAR(modes.omega[j], discrete_rod(5000, k), 1e-8 * k) << j;
      // Clamped-free shapes are sqrt(2) sin(k x), mass-normalised.
      EXPECT_NEAR(std::abs(modes.shapes(2499, j)), std::sqrt(2.0) * std::abs(std::sin(k / 2)),
                  1e-5);
    }
    EXPECT_EQ(modes.closed.size(), closed ? 1u : 0u);
    if (closed) {
      EXPECT_LT(modes.shapes.row(4999).cwiseAbs().maxCoeff(), 1e-8);
    }
  }
}

TEST(LinearModes, of_a_massless_tip_are_the_same_dense_and_sparse) {
  const Scene scene = long_rod(300, "massless-tip", 1);
  const LinearModes sparse = compute_linear_modes(*scene.system, scene.initial, {.count = 5});
  Matrix M(300, 300), K(300, 300), C(300, 300);
  scene.system->mass(0, scene.initial.q, M);
  scene.system->jacobians(0, scene.initial.q, scene.initial.v, K, C);
  // The tip without mass condensed by hand.
  const Matrix Kc = K.topLeftCorner(299, 299) -
                    K.topRightCorner(299, 1) * K.bottomLeftCorner(1, 299) / K(299, 299);
  const Eigen::GeneralizedSelfAdjointEigenSolver<Matrix> exact(Kc, M.topLeftCorner(299, 299));
  for (int j = 0; j < 5; ++j)
    EXPECT_NEAR(sparse.omega_squared[j], exact.eigenvalues()[j], 1e-7 * exact.eigenvalues()[j]);
  const Scene small = long_rod(40, "massless-tip", 1);
  const LinearModes dense = compute_linear_modes(*small.system, small.initial);
  EXPECT_EQ(dense.omega.size(), 39);
  EXPECT_NEAR(dense.omega[0], kPi / 2, 1e-2);
}

TEST(ExactRod, first_three_families_keep_their_energy_and_close_over_all_periods) {
  for (int order : {0, 1, 2}) {
    const RodPeriods range = rod_mode_periods({}, order);
    const double q = order;
    for (int k = 1; k <= 20; ++k) {
      const double T = range.low + (range.high - range.low) * k / 20.5;
      const RodMode mode = rod_mode({}, order, T);
      const double alpha = 1 / (2 * (q + 1) * (q + 1) * T - 4 * q - 6);
      ExactRod motion({}, mode);
      const double tip = motion.tip(), velocity = motion.tip_velocity();
      double lowest = tip;
      for (int part = 0; part < 50; ++part)
        motion.advance(T / 50), lowest = std::min(lowest, motion.tip());
      EXPECT_NEAR(motion.energy(), 2 * alpha * alpha, 1e-10 * mode.energy) << order << ' ' << T;
      EXPECT_NEAR(motion.tip(), tip, 1e-10) << order << ' ' << T;
      motion.advance(1e-9);
      EXPECT_NEAR(motion.tip_velocity(), velocity, 1e-10 * alpha);
      EXPECT_LT(lowest, 1 - alpha * mode.away);  // it did move away
    }
  }
}

// Under refinement the periods with one elastic impact fall to pieces: no way to the rod's mode.
TEST(ImpactModes, of_the_rod_in_finite_elements_fragment_with_their_number) {
  struct Count {
    int n;
    double fraction;
    std::size_t windows;  // at least, on this grid
  };
  for (const Count& c : {Count{2, 0.79, 2}, {5, 0.64, 4}, {10, 0.52, 12}}) {
    const Scene scene = test::scene_of(
        "clack: 1\nsystem:\n  type: linear\n  rod: {length: 1, area: 1, young: 1, density: 1, "
        "elements: " +
        std::to_string(c.n) +
        ", mass: consistent, left: clamped}\n  contacts:\n    - {name: wall, G: {u" +
        std::to_string(c.n) +
        ": -1}, g0: 1, e_n: 1}\ninitial: {v: 0}\nsimulation: {step: 1.0e-3, "
        "end: 1}\n");
    const ImpactModes modes(*scene.system);
    const double T1 = 2 * kPi / modes.linear().omega[0];
    const auto windows = modes.one_impact_windows(3, T1, 1500);
    double sum = 0;
    for (const PeriodWindow& window : windows) sum += window.end - window.begin;
    std::printf("  n = %d: %.3f in %zu windows\n", c.n, sum / (T1 - 3), windows.size());
    EXPECT_NEAR(sum / (T1 - 3), c.fraction, 0.02);
    EXPECT_GE(windows.size(), c.windows);
  }
}

}  // namespace
}  // namespace clack
