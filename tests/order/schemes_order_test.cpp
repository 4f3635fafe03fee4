// Orders of all schemes: first through impacts, second on smooth motion for those that claim it.
#include <numbers>

#include "tests/order/exact.hpp"

namespace clack {
namespace {

using namespace test;

struct Problem {
  const char* name;
  const char* end;
  Solution exact;  // empty: the closed form of the scene
  std::vector<std::string> set;
};
const Problem kElastic[] = {{"bouncing_ball", "2.5", {}, {}},
                            {"impacting_oscillator", "5", {}, {}},
                            {"planar_ball_spin", "1.1", {}, {}},
                            {"two_mass_oscillator", "1.3", two_mass_oscillator, {}},
                            {"pendulum_wall", "1.2", pendulum_rebound, {}}};
// For schemes without an impact law.
const Problem kInelastic[] = {{"bouncing_ball", "2.5", {}, {"parameters.e=0"}},
                              {"planar_ball_spin", "1.1", {}, {}},
                              {"pendulum_wall", "1.2", pendulum_stopped, {"parameters.e=0"}}};

struct Choice {
  const char* label;
  const char* scheme;
  std::vector<std::string> set;
  bool elastic = true;
};

std::ostream& operator<<(std::ostream& out, const Choice& c) { return out << c.label; }

class ImpactOrder : public testing::TestWithParam<Choice> {};

TEST_P(ImpactOrder, is_one_in_l1) {
  const Choice& choice = GetParam();
  auto measure = [&](const Problem& problem) {
    std::vector<std::string> set = problem.set;
    set.insert(set.end(), choice.set.begin(), choice.set.end());
    const double order = fitted_order(problem.name, choice.scheme, problem.end, problem.exact, set);
    EXPECT_GE(order, 0.8) << problem.name;
    // One impact alone leaves the fit to chance; RATTLE sees the inelastic one with second order.
    EXPECT_LE(order, 2.4) << problem.name;
  };
  if (choice.elastic) {
    for (const Problem& problem : kElastic) measure(problem);
  } else {
    for (const Problem& problem : kInelastic) measure(problem);
  }
}

const std::string kGgl = "simulation.constraints=position-velocity";
const std::string kAcceleration = "simulation.constraints=position-velocity-acceleration";

INSTANTIATE_TEST_SUITE_P(
    Schemes, ImpactOrder,
    testing::Values(
        Choice{"dissipative", "moreau-jean-dissipative", {}},
        Choice{"direct_projection", "moreau-direct-projection", {}},
        Choice{"combined_projection", "moreau-combined-projection", {}},
        Choice{"schatzman_paoli", "schatzman-paoli", {}}, Choice{"newmark", "newmark", {}},
        Choice{"hht", "hht", {}}, Choice{"generalized_alpha", "generalized-alpha", {}},
        Choice{"generalized_alpha_ggl", "generalized-alpha", {kGgl}},
        Choice{"generalized_alpha_acceleration", "generalized-alpha", {kAcceleration}},
        Choice{"rattle", "rattle", {}}, Choice{"semi_implicit_2", "semi-implicit-2", {}},
        Choice{"semi_implicit_3", "semi-implicit-3", {}, false},
        Choice{"central_differences", "central-differences", {}, false},
        Choice{"theta_xi", "theta-xi", {"simulation.theta=1", "simulation.xi=1"}, false}),
    [](const auto& instance) { return std::string(instance.param.label); });

class SmoothOrder : public testing::TestWithParam<Choice> {};

TEST_P(SmoothOrder, is_two_before_the_first_impact) {
  const Choice& choice = GetParam();
  std::vector<std::string> set = choice.set;
  if (!choice.elastic) set.insert(set.begin(), "parameters.e=0");
  for (const Problem& problem : {Problem{"impacting_oscillator", "0.7", {}, {}},
                                 Problem{"pendulum_wall", "0.5", pendulum_rebound, {}}}) {
    const double order = fitted_order(problem.name, choice.scheme, problem.end, problem.exact, set);
    EXPECT_GE(order, 1.9) << problem.name;
    EXPECT_LE(order, 2.2) << problem.name;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Schemes, SmoothOrder,
    testing::Values(Choice{"moreau_jean", "moreau-jean", {}},
                    Choice{"dissipative", "moreau-jean-dissipative", {}},
                    Choice{"newmark", "newmark", {}}, Choice{"hht", "hht", {}},
                    Choice{"generalized_alpha", "generalized-alpha", {}},
                    Choice{"generalized_alpha_0", "generalized-alpha", {"simulation.rho_inf=0"}},
                    Choice{"generalized_alpha_ggl", "generalized-alpha", {kGgl}},
                    Choice{"generalized_alpha_acceleration", "generalized-alpha", {kAcceleration}},
                    Choice{"rattle", "rattle", {}},
                    Choice{"central_differences", "central-differences", {}, false},
                    Choice{"theta_xi", "theta-xi", {}, false}),
    [](const auto& instance) { return std::string(instance.param.label); });

// Before the pendulum of five links meets its wall: M(q) varies and forces depend on velocities.
TEST(VaryingMassOrder, is_two_for_the_schemes_that_claim_it) {
  auto end_state = [](const Choice& choice, double h) {
    std::vector<std::string> set = {step_of(h), std::string("simulation.scheme=") + choice.scheme,
                                    "simulation.end=0.3"};
    set.insert(set.end(), choice.set.begin(), choice.set.end());
    if (!choice.elastic) set.push_back("parameters.e=0");
    const Outcome outcome = run(example("five_link_pendulum", set));
    EXPECT_EQ(outcome.failed_steps, 0) << choice.label;
    return (Vector(10) << outcome.q, outcome.v).finished();
  };
  const Vector reference = end_state({"", "moreau-jean", {}}, 1e-5);
  auto order = [&](const Choice& choice) {
    const double coarse = (end_state(choice, 2e-3) - reference).norm();
    return std::log2(coarse / (end_state(choice, 1e-3) - reference).norm());
  };
  for (const Choice& choice :
       {Choice{"dissipative", "moreau-jean-dissipative", {}}, Choice{"newmark", "newmark", {}},
        Choice{"hht", "hht", {}}, Choice{"alpha", "generalized-alpha", {}},
        Choice{"ggl", "generalized-alpha", {kGgl}},
        Choice{"acceleration", "generalized-alpha", {kAcceleration}},
        Choice{"rattle", "rattle", {}}, Choice{"central", "central-differences", {}, false},
        Choice{"theta-xi", "theta-xi", {}, false}}) {
    EXPECT_NEAR(order(choice), 2, 0.05) << choice.label;
  }
  for (const Choice& choice :
       {Choice{"paoli", "schatzman-paoli", {}}, Choice{"two", "semi-implicit-2", {}},
        Choice{"three", "semi-implicit-3", {}, false}}) {
    EXPECT_NEAR(order(choice), 1, 0.1) << choice.label;
  }
}

TEST(ConstrainedOrder, is_two_on_a_pendulum_held_by_a_constraint) {
  const char* name = "order/scenes/cartesian_pendulum";
  EXPECT_GE(fitted_order(name, "rattle", "0.5", cartesian_pendulum), 1.9);
  EXPECT_GE(fitted_order(name, "generalized-alpha", "0.5", cartesian_pendulum, {kAcceleration}),
            1.9);
  EXPECT_GE(fitted_order(name, "hht", "0.5", cartesian_pendulum, {kAcceleration}), 1.9);
}

TEST(ConstrainedOrder, is_one_for_the_others) {
  const char* name = "order/scenes/cartesian_pendulum";
  for (const char* scheme :
       {"moreau-jean", "moreau-jean-dissipative", "moreau-direct-projection",
        "moreau-combined-projection", "schatzman-paoli", "newmark", "hht", "generalized-alpha",
        "semi-implicit-2", "semi-implicit-3", "central-differences", "theta-xi"}) {
    EXPECT_GE(fitted_order(name, scheme, "0.5", cartesian_pendulum), 0.9) << scheme;
  }
  EXPECT_GE(fitted_order(name, "generalized-alpha", "0.5", cartesian_pendulum, {kGgl}), 0.9);
}

// The normal force follows the speed and friction the normal force: a lasting contact that is more
// than a constraint.
TEST(FrictionOrder, is_two_for_a_bead_in_a_ring_where_contact_has_forces) {
  const char* name = "order/scenes/ring_with_friction";
  EXPECT_GE(fitted_order(name, "rattle", "1"), 1.9);
  for (const char* scheme : {"newmark", "hht", "generalized-alpha"}) {
    EXPECT_GE(fitted_order(name, scheme, "1", {}, {kAcceleration}), 1.9) << scheme;
    EXPECT_LE(fitted_order(name, scheme, "1", {}, {kGgl}), 1.1) << scheme;
  }
}

// One circle in n steps: how far the centre is from its start [m], and the largest relative change
// of the energy.
struct Circle {
  double distance = 0, energy = 0;
};

Circle roll_once(int n) {
  const std::string name = CLACK_SOURCE_DIR "/tests/order/scenes/rolling_disc.yaml";
  const double period = 2 * std::numbers::pi / load_scene(name).initial.v[3];
  Scene scene = load_scene(name, {"simulation.scheme=rattle", step_of(period / n)});
  scene.end = period;
  double first = 0;
  Circle circle;
  const Outcome outcome = run(scene, [&](const Simulation& simulation) {
    const EnergyAudit& energy = simulation.last_step().energy;
    const double sum = energy.kinetic + energy.potential;
    if (first == 0) first = sum;
    circle.energy = std::max(circle.energy, std::abs(sum / first - 1));
  });
  EXPECT_EQ(outcome.failed_steps, 0);
  circle.distance = (outcome.q.head(2) - scene.initial.q.head(2)).norm();
  std::printf("  %d steps: %.3e m, energy %.1e\n", n, circle.distance, circle.energy);
  return circle;
}

TEST(RollingOrder, of_rattle_is_two_for_a_disc_that_rolls_in_a_circle) {
  const Circle coarse = roll_once(250), middle = roll_once(500), fine = roll_once(1000);
  EXPECT_GE(std::log2(coarse.distance / middle.distance), 1.9);
  EXPECT_GE(std::log2(middle.distance / fine.distance), 1.9);
  EXPECT_LE(fine.distance, 2e-4);
  EXPECT_LE(std::max({coarse.energy, middle.energy, fine.energy}), 1e-11);  // of the passes
  EXPECT_LE(fine.energy, 1e-12);
}

}  // namespace
}  // namespace clack
