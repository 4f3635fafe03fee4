// What each scheme promises beyond its order.
#include <gtest/gtest.h>

#include "clack/core/error.hpp"
#include "tests/physics/linear_support.hpp"
#include "tests/physics/support.hpp"

namespace clack {
namespace {

using test::example;
using test::run;

const std::string kGgl = "simulation.constraints=position-velocity";
const std::string kAcceleration = "simulation.constraints=position-velocity-acceleration";

const std::string kLevels[] = {"simulation.constraints=velocity", kGgl, kAcceleration};

struct Choice {
  std::string scheme;
  std::vector<std::string> set;
  bool elastic = true;
};

Scene choose(const std::string& name, const Choice& choice, std::vector<std::string> set = {}) {
  set.push_back("simulation.scheme=" + choice.scheme);
  set.insert(set.end(), choice.set.begin(), choice.set.end());
  if (!choice.elastic) set.push_back("parameters.e=0");
  return example(name, set);
}

TEST(NoPenetration, holds_at_grid_points_where_moreau_jean_penetrates) {
  const std::vector<Choice> choices = {{"moreau-direct-projection", {}},
                                       {"moreau-combined-projection", {}},
                                       {"rattle", {}},
                                       {"newmark", {kGgl}},
                                       {"hht", {kGgl}},
                                       {"generalized-alpha", {kGgl}},
                                       {"generalized-alpha", {kAcceleration}},
                                       {"semi-implicit-3", {}, false},
                                       {"central-differences", {}, false},
                                       {"theta-xi", {}, false}};
  for (const char* name : {"bouncing_ball", "planar_ball_bounce", "two_mass_oscillator",
                           "pendulum_wall", "five_link_pendulum", "bead_column"}) {
    const std::string end =
        std::string("simulation.end=") + (name == std::string("bouncing_ball") ? "3" : "1.2");
    EXPECT_LT(run(example(name, {end})).min_gap, -5e-5) << name;
    for (const Choice& choice : choices) {
      const test::Outcome outcome = run(choose(name, choice, {end}));
      EXPECT_GE(outcome.min_gap, -1e-9) << name << " by " << choice.scheme;
      EXPECT_EQ(outcome.failed_steps, 0) << name << " by " << choice.scheme;
    }
  }
}

// A stiff bar, where the position problem sees K as much as M, with and without damping.
TEST(NoPenetration, holds_for_an_impacting_bar) {
  const int n = 40;
  const test::RodMatrices rod = test::make_rod(n - 1, 1, 1, 1, false);
  auto smallest_gap = [&](const std::string& scheme, ConstraintLevel level, double courant,
                          double damping) {
    const auto system = test::make_linear(rod.M, damping * rod.K, rod.K, Vector::Zero(n),
                                          {test::make_contact(Vector::Unit(n, 0), 0.0)}, {0.0});
    SimulationOptions options;
    options.scheme = scheme;
    options.scheme_options.constraints = level;
    options.h = courant / n;
    Simulation simulation(system, {0, Vector::Constant(n, 0.0512), Vector::Constant(n, -1)},
                          options);
    double smallest = HUGE_VAL, impulse = 0;
    for (int k = 0; k < 3 * n / courant; ++k) {
      EXPECT_EQ(simulation.step(), Status::converged);
      smallest = std::min(smallest, simulation.last_step().end.gap[0]);
      impulse += simulation.last_step().r[0];
    }
    EXPECT_NEAR(impulse, 2, 0.1) << scheme;  // the bar leaves with about the speed it came with
    return smallest;
  };
  for (double damping : {0.0, 0.002}) {
    EXPECT_LT(smallest_gap("moreau-jean", ConstraintLevel::velocity, 1, damping), -1e-3);
    for (ConstraintLevel level :
         {ConstraintLevel::position_velocity, ConstraintLevel::position_velocity_acceleration}) {
      EXPECT_GE(smallest_gap("generalized-alpha", level, 1, damping), -1e-9);
      EXPECT_GE(smallest_gap("newmark", level, 1, damping), -1e-9);
    }
    for (const char* scheme :
         {"moreau-direct-projection", "moreau-combined-projection", "theta-xi"}) {
      EXPECT_GE(smallest_gap(scheme, ConstraintLevel::velocity, 1, damping), -1e-9) << scheme;
    }
    for (const char* scheme : {"rattle", "central-differences", "semi-implicit-3"}) {
      EXPECT_GE(smallest_gap(scheme, ConstraintLevel::velocity, 0.3, damping), -1e-9) << scheme;
    }
  }
}

TEST(Constraints, hold_on_positions_and_velocities_where_the_scheme_says_so) {
  auto drift = [](const Choice& choice) {
    std::vector<std::string> set = {"simulation.scheme=" + choice.scheme, "simulation.step=1e-2",
                                    "simulation.end=5"};
    set.insert(set.end(), choice.set.begin(), choice.set.end());
    const Scene scene =
        load_scene(CLACK_SOURCE_DIR "/tests/order/scenes/cartesian_pendulum.yaml", set);
    double position = 0, velocity = 0;
    const test::Outcome outcome = run(scene, [&](const Simulation& s) {
      position = std::max(position, std::abs(s.q().norm() - 1));
      velocity = std::max(velocity, std::abs(s.q().dot(s.v())) / s.q().norm());
    });
    EXPECT_EQ(outcome.failed_steps, 0) << choice.scheme;
    return std::pair(position, velocity);
  };
  EXPECT_GT(drift({"moreau-jean", {}}).first, 1e-3);
  for (const Choice& choice :
       {Choice{"rattle", {}}, Choice{"generalized-alpha", {kGgl}},
        Choice{"generalized-alpha", {kAcceleration}}, Choice{"newmark", {kGgl}}}) {
    const auto [position, velocity] = drift(choice);
    EXPECT_LT(position, 1e-9) << choice.scheme;
    EXPECT_LT(velocity, 1e-9) << choice.scheme;
  }
  for (const char* scheme : {"moreau-direct-projection", "moreau-combined-projection",
                             "schatzman-paoli", "semi-implicit-3", "central-differences"}) {
    EXPECT_LT(drift({scheme, {}}).first, 1e-9) << scheme;
  }
}

TEST(SemiImplicit3, is_inelastic_schatzman_paoli_for_one_contact) {
  for (const char* name : {"bouncing_ball", "impacting_oscillator", "pendulum_wall"}) {
    const std::vector<std::string> set = {"parameters.e=0", "simulation.end=2",
                                          "simulation.theta=0", "simulation.step=5e-3"};
    const Scene three = choose(name, {"semi-implicit-3", set}),
                paoli = choose(name, {"schatzman-paoli", set});
    Simulation a(three.system, three.initial, three.options),
        b(paoli.system, paoli.initial, paoli.options);
    double worst = 0, impulses = 0;
    for (int k = 0; k < 400; ++k) {
      ASSERT_EQ(a.step(), Status::converged);
      ASSERT_EQ(b.step(), Status::converged);
      worst = std::max({worst, (a.q() - b.q()).cwiseAbs().maxCoeff(),
                        (a.last_step().r - b.last_step().r).cwiseAbs().maxCoeff()});
      impulses += a.last_step().r.sum();
    }
    EXPECT_LT(worst, 1e-12) << name;
    EXPECT_GT(impulses, 1) << name;
  }
}

TEST(FrictionInSpace, box_slides_down_with_the_exact_acceleration_by_every_scheme_with_friction) {
  const double slope = M_PI / 6, a = 9.81 * (std::sin(slope) - 0.3 * std::cos(slope));
  for (const SchemeInfo& info : scheme_list()) {
    if (info.name == "statics") continue;
    for (const std::string& level : kLevels) {
      if (level != kLevels[0] && info.name == "naive-hht") continue;
      const Scene scene =
          choose("box_3d", {std::string(info.name), {level, "initial.v=[0, 0, 0]"}});
      const test::Outcome outcome = run(scene);
      const double h = scene.options.h;
      EXPECT_NEAR(outcome.v[0], a * outcome.t * std::cos(slope), 4 * h) << info.name;
      EXPECT_NEAR(outcome.q[0], 0.5 * a * outcome.t * outcome.t * std::cos(slope), 8 * h)
          << info.name;
      EXPECT_NEAR(outcome.v[1], 0, 1e-9) << info.name;
      EXPECT_NEAR(outcome.r[0] / h, 2 * 9.81 * std::cos(slope), 1e-6) << info.name;
      EXPECT_EQ(outcome.failed_steps, 0) << info.name;
    }
  }
}

TEST(FrictionInSpace, a_sticking_box_does_not_creep) {
  for (const SchemeInfo& info : scheme_list()) {
    if (info.name == "statics") continue;
    for (const std::string& level : kLevels) {
      if (level != kLevels[0] && info.name == "naive-hht") continue;
      const Scene scene = choose(
          "box_3d", {std::string(info.name), {level, "initial.v=[0, 0, 0]", "parameters.mu=0.6"}});
      // On the level of acceleration the filters have to learn the contact force once.
      const double start = level == kAcceleration ? 0.01 * 9.81 * std::pow(scene.options.h, 2) : 0;
      EXPECT_LT(run(scene).q.cwiseAbs().maxCoeff(), info.name == "naive-hht" ? 1e-5 : 1e-9 + start)
          << info.name;
    }
  }
}

// The scheme that treats contact as a smooth force invents energy at each impact.
TEST(NaiveHht, blows_up_on_the_bouncing_ball_where_hht_does_not) {
  auto highest = [](const char* scheme) {
    return run(choose("bouncing_ball", {scheme, {}})).measures.at("highest point after 9 s");
  };
  EXPECT_GT(highest("naive-hht"), 10);
  EXPECT_LT(highest("hht"), 1e-3);
}

TEST(NaiveHht, is_consistent_for_gamma_one_and_alpha_zero_alone) {
  const std::vector<std::string> good = {"simulation.alpha_f=0", "simulation.newmark_gamma=1",
                                         "simulation.beta=0.5"};
  const test::Outcome outcome = run(choose("bouncing_ball", {"naive-hht", good}));
  EXPECT_LT(outcome.measures.at("highest point after 9 s"), 1e-3);
}

TEST(GeneralizedAlpha, keeps_the_energy_of_the_two_mass_oscillator) {
  for (const char* rho :
       {"simulation.rho_inf=1", "simulation.rho_inf=0.8", "simulation.rho_inf=0.5"}) {
    const test::Outcome outcome = run(choose("two_mass_oscillator", {"generalized-alpha", {rho}}));
    EXPECT_NEAR(outcome.measures.at("energy at the end") / (3 * 9.81 * 0.5), 1, 1e-5) << rho;
  }
  // Moreau-Jean's own damping, theta > 1/2, costs much more.
  const test::Outcome damped =
      run(choose("two_mass_oscillator", {"moreau-jean-dissipative", {"simulation.theta=0.8"}}));
  EXPECT_LT(damped.measures.at("energy at the end") / (3 * 9.81 * 0.5), 1 - 1e-3);
}

// Energy in the upper half of the modes of a bar a while after its impact.
double high_frequency_energy(const std::string& scheme, double rho) {
  const int n = 60;
  const test::RodMatrices rod = test::make_rod(n - 1, 1, 1, 1, false);
  const auto system = test::make_linear(rod.M, Matrix::Zero(n, n), rod.K, Vector::Zero(n),
                                        {test::make_contact(Vector::Unit(n, 0), 0.0)}, {0.0});
  SimulationOptions options;
  options.scheme = scheme;
  options.scheme_options.rho_inf = rho;
  options.h = 1.0 / n;
  Simulation simulation(system, {0, Vector::Constant(n, 0.05), Vector::Constant(n, -1)}, options);
  for (int k = 0; k < 10 * n; ++k) EXPECT_EQ(simulation.step(), Status::converged);
  const Eigen::GeneralizedSelfAdjointEigenSolver<Matrix> modes(rod.K, rod.M);
  double energy = 0;
  for (int i = n / 2; i < n; ++i) {
    const Vector phi = modes.eigenvectors().col(i);
    const double rate = phi.dot(rod.M * simulation.v()),
                 amplitude = phi.dot(rod.M * simulation.q());
    energy += 0.5 * (rate * rate + modes.eigenvalues()[i] * amplitude * amplitude);
  }
  return energy;
}

TEST(GeneralizedAlpha, damps_the_high_frequencies_of_an_impacting_bar) {
  const double trapezoid = high_frequency_energy("moreau-jean", 1);
  EXPECT_GT(trapezoid, 3e-4);
  EXPECT_LT(high_frequency_energy("generalized-alpha", 0.5), 1e-3 * trapezoid);
  EXPECT_LT(high_frequency_energy("generalized-alpha", 0.0), 1e-6 * trapezoid);
}

std::string refusal(const std::string& name, const Choice& choice) {
  try {
    (void)choose(name, choice);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(Check, says_what_a_scheme_cannot_do) {
  auto has = [](const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
  };
  for (const char* scheme : {"semi-implicit-3", "central-differences", "theta-xi"}) {
    EXPECT_TRUE(has(refusal("bouncing_ball", {scheme, {}}), "has no impact law, so e_n must be 0"))
        << scheme;
    EXPECT_EQ(refusal("planar_ball_spin", {scheme, {}}), "") << scheme;
  }
  EXPECT_TRUE(has(refusal("planar_ball_spin", {"schatzman-paoli", {"system.contacts.0.e_t=0.5"}}),
                  "e_t must be 0"));
  EXPECT_TRUE(has(refusal("bouncing_ball", {"newmark", {"simulation.constraints=position"}}),
                  "no level 'position' alone"));
  EXPECT_TRUE(has(refusal("bouncing_ball", {"naive-hht", {kGgl}}), "one level alone"));
  EXPECT_TRUE(
      has(refusal("bouncing_ball", {"hht", {"simulation.rho_inf=0.2"}}), "rho_inf in [1/2, 1]"));
  EXPECT_TRUE(
      has(refusal("planar_ball_spin", {"theta-xi", {"simulation.theta=0"}}), "needs theta > 0"));
}

TEST(SchemeMemory, is_named_and_can_be_copied) {
  const Scene scene = choose("bouncing_ball", {"generalized-alpha", {kAcceleration}});
  Simulation simulation(scene.system, scene.initial, scene.options);
  EXPECT_EQ(simulation.step(), Status::converged);
  const SchemeMemory copy = simulation.last_step().memory;
  ASSERT_FALSE(copy.entries().empty());
  for (const auto& [name, value] : copy.entries()) {
    EXPECT_FALSE(name.empty());
    EXPECT_TRUE(value.allFinite()) << name;
  }
  EXPECT_EQ(copy.entries()[0].first, "acceleration");
  EXPECT_NEAR(copy[0][0], -9.81, 1e-12);
}

}  // namespace
}  // namespace clack
