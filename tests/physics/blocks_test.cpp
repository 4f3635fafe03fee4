// Examples of single bodies, blocks, masonry and rock against what is known of them.
#include "tests/physics/blocks_support.hpp"

namespace clack {
namespace {

using test::example;
using test::expect_solved;
using test::Outcome;
using test::parameter;
using test::run_world;
using test::set;

TEST(BoxOnSlope, slides_with_the_exact_acceleration_whatever_the_direction_of_the_slope) {
  for (const double heading : {0.0, 0.7, 2.5, -2.0}) {
    for (const double slope : {0.35, 0.52}) {
      const Outcome outcome = run_world(
          example("box_on_slope", {parameter("heading", heading), parameter("slope", slope)}));
      expect_solved(outcome);
      EXPECT_NEAR(outcome.measures.at("error of the slider's acceleration"), 0, 1e-9);
      EXPECT_NEAR(outcome.measures.at("slider's speed across the slope"), 0, 1e-9);
      EXPECT_LT(outcome.measures.at("largest speed of the holder"), 1e-9);
    }
  }
}

TEST(BoxOnSlope, the_angle_of_friction_is_met_within_a_thousandth) {
  const double limit = std::tan(M_PI / 6);
  const Outcome outcome =
      run_world(example("box_on_slope", {parameter("mu_slider", 0.999 * limit),
                                         parameter("mu_holder", 1.001 * limit)}));
  expect_solved(outcome);
  EXPECT_GT(outcome.measures.at("slider's speed down the slope"), 9e-3);
  EXPECT_LT(outcome.measures.at("largest speed of the holder"), 1e-9);
}

TEST(RollingSphere, rolls_and_slips_with_the_exact_accelerations) {
  const Outcome outcome = run_world(example("rolling_sphere"));
  expect_solved(outcome);
  EXPECT_NEAR(outcome.measures.at("its error against 5/7 g sin(slope)"), 0, 1e-10);
  EXPECT_LT(outcome.measures.at("slip of the roller"), 1e-10);
  EXPECT_NEAR(outcome.measures.at("error of the slipper's acceleration"), 0, 1e-10);
  EXPECT_NEAR(outcome.measures.at("error of its angular acceleration"), 0, 1e-9);
}

TEST(RollingSphere, begins_to_slip_at_two_sevenths_of_the_slopes_tangent) {
  const double limit = 2.0 / 7 * std::tan(0.5);
  for (const double factor : {0.999, 1.001}) {
    const Outcome outcome =
        run_world(example("rolling_sphere", {parameter("mu_roller", factor * limit)}));
    EXPECT_EQ(outcome.measures.at("slip of the roller") > 1e-8, factor < 1) << factor;
  }
}

TEST(ConicalPendulum, goes_round_at_constant_height_and_its_joints_hold) {
  const Outcome outcome = run_world(example("conical_pendulum"));
  expect_solved(outcome);
  EXPECT_LT(outcome.measures.at("departure from the length of the bob"), 1e-12);
  EXPECT_LT(outcome.measures.at("largest departure from the height"), 2e-4);
  EXPECT_LT(outcome.measures.at("way behind the cone at the end"), 4e-4);
}

TEST(SpinningTop, precesses_at_the_rate_of_the_closed_form_to_first_order_in_the_step) {
  double error[2], expected = 0;
  for (const int k : {0, 1}) {
    const Outcome outcome = run_world(example("spinning_top", {test::step_of(8e-5 / (1 << k))}));
    expect_solved(outcome);
    expected = outcome.measures.at("time of a turn expected");
    error[k] = outcome.measures.at("time of a turn of the axis") - expected;
    EXPECT_LT(outcome.measures.at("largest way of the tip"), 0.01 / (1 << k));
  }
  EXPECT_NEAR(error[0] / error[1], 2, 0.3);
  EXPECT_LT(std::abs(error[0]), 2e-4 * expected);
}

TEST(Dzhanibekov, turns_over_again_and_again_and_keeps_energy_and_angular_momentum) {
  const Scene scene = example("dzhanibekov");
  const Vector3 moments = scene.world->bodies[0].moments;
  double change = 0;
  const Vector3 start = moments.cwiseProduct(scene.world_initial.bodies[0].omega);
  const Outcome outcome = run_world(scene, [&](const test::BodySimulation& simulation) {
    const BodyState& s = simulation.state().bodies[0];
    change = std::max(change, (s.rotation * moments.cwiseProduct(s.omega) - start).norm());
  });
  expect_solved(outcome);
  EXPECT_GE(outcome.measures.at("times the axis turns over and back"), 6);
  EXPECT_LT(outcome.measures.at("largest relative change of the energy"), 1e-10);
  EXPECT_LT(change / start.norm(), 1e-10);
}

TEST(TippeTop, inverts_and_keeps_jelletts_invariant_to_round_off) {
  for (const int k : {0, 1}) {
    const Outcome outcome = run_world(example("tippe_top", {test::step_of(1e-4 / (1 << k))}));
    expect_solved(outcome);
    EXPECT_GT(outcome.measures.at("inclination of the axis"), 3.0);
    EXPECT_GT(outcome.measures.at("rise of the centre of mass over 2 e"), 0.95);
    const double expected = outcome.measures.at("its value on the head, by the invariant");
    EXPECT_NEAR(outcome.measures.at("spin about the vertical"), expected, 1e-3 * expected);
    EXPECT_LT(std::abs(outcome.measures.at("relative change of Jellett's invariant")), 1e-11);
  }
}

TEST(TippeTop, stays_upright_where_coulombs_friction_lets_it_roll) {
  const Outcome outcome =
      run_world(example("tippe_top", {parameter("lean", 0.005), set("simulation.end", 1)}));
  expect_solved(outcome);
  EXPECT_LT(outcome.measures.at("largest inclination"), 0.02);
}

struct DiscMotion {
  double inclination, precession;
};
DiscMotion disc_motion(const test::BodySimulation& simulation) {
  const BodyState& s = test::body_state(simulation, "disc");
  const Vector3 axis = s.rotation * Vector3::UnitZ(), rate = (s.rotation * s.omega).cross(axis);
  const double squared = axis.head<2>().squaredNorm();
  return {std::atan2(std::sqrt(squared), axis.z()),
          squared > 0 ? (axis.x() * rate.y() - axis.y() * rate.x()) / squared : 0};
}

TEST(EulerDisc, rolls_ever_faster_at_the_rate_of_the_thin_disc_and_stops_in_finite_time) {
  const Scene scene = example("euler_disc", {test::step_of(4e-5)});
  const double r = 0.04;
  double energy = HUGE_VAL, growth = 0, stopped = HUGE_VAL;
  struct Window {
    double ratio = 0, precession = 0;
    int count = 0;
  } windows[4];
  const double inclinations[] = {0.5, 0.2, 0.1, 0.05, 0.02};
  const Outcome outcome = run_world(scene, [&](const test::BodySimulation& simulation) {
    const DiscMotion motion = disc_motion(simulation);
    const double now = test::mechanical_energy(simulation);
    if (energy < HUGE_VAL) growth = std::max(growth, now - energy);
    energy = now;
    for (int k = 0; k < 4; ++k) {
      if (motion.inclination > inclinations[k] || motion.inclination < inclinations[k + 1])
        continue;
      windows[k].ratio +=
          std::abs(motion.precession) * std::sqrt(r * std::sin(motion.inclination) / (4 * 9.81));
      windows[k].precession += std::abs(motion.precession);
      ++windows[k].count;
    }
    if (motion.inclination < 1e-3) stopped = std::min(stopped, simulation.time());
  });
  expect_solved(outcome);
  EXPECT_LT(growth, 1e-12 * energy);
  EXPECT_LT(stopped, 1.4);
  for (int k = 0; k < 4; ++k) {
    EXPECT_NEAR(windows[k].ratio / windows[k].count, 1, 0.05) << k;
    if (k > 0) {
      EXPECT_GT(windows[k].precession / windows[k].count,
                1.2 * windows[k - 1].precession / windows[k - 1].count);
    }
  }
}

// Times at which dominoes lean by 0.3 rad, between two steps.
std::vector<double> arrivals(const std::vector<std::string>& more, int count) {
  std::vector<std::string> overrides = {set("system.bodies.2.sample.dominoes.count", count),
                                        set("simulation.end", 0.8),
                                        "measures=[{name: energy, of: kinetic_energy}]"};
  overrides.insert(overrides.end(), more.begin(), more.end());
  constexpr double kLean = 0.3;
  std::vector<double> times(static_cast<std::size_t>(count), HUGE_VAL), before(times.size(), 0);
  expect_solved(
      run_world(example("domino_run", overrides), [&](const test::BodySimulation& simulation) {
        for (std::size_t i = 0; i < times.size(); ++i) {
          const double lean = 2 * std::asin(simulation.state().bodies[i + 2].rotation.y());
          if (before[i] < kLean && lean >= kLean && times[i] == HUGE_VAL) {
            const double over = (lean - kLean) / (lean - before[i]);
            times[i] = simulation.time() - simulation.h() * over;
          }
          before[i] = lean;
        }
      }));
  return times;
}

TEST(DominoRun, the_wave_settles_to_a_speed_that_forgets_the_push_and_the_step) {
  const int count = 20;
  const std::vector<double> gentle = arrivals({}, count);
  EXPECT_LT(gentle.back(), 0.8);
  const double lag = (gentle[19] - gentle[13]) / 6;
  EXPECT_NEAR((gentle[13] - gentle[7]) / 6, lag, 0.01 * lag);
  const std::vector<double> hard = arrivals({"parameters.push=10"}, count);
  EXPECT_NEAR((hard[19] - hard[13]) / 6, lag, 0.01 * lag);
  const std::vector<double> coarse = arrivals({test::step_of(2e-3)}, count);
  EXPECT_NEAR((coarse[19] - coarse[13]) / 6, lag, 0.03 * lag);
  const double speed = 0.024 / lag / std::sqrt(9.81 * 0.048);
  EXPECT_GT(speed, 1);
  EXPECT_LT(speed, 2);
}

TEST(KaplaTower, stands_without_creep) {
  const Scene scene = example("kapla_tower", {set("simulation.end", 1)});
  double way = 0;
  const Outcome outcome = run_world(scene, [&](const test::BodySimulation& simulation) {
    for (std::size_t i = 0; i < simulation.state().bodies.size(); ++i) {
      way = std::max(
          way,
          (simulation.state().bodies[i].position - scene.world_initial.bodies[i].position).norm());
    }
  });
  expect_solved(outcome);
  EXPECT_LT(way, 1e-7 * 0.16);
  EXPECT_NEAR(outcome.measures.at("force on the floor over the weight"), 1, 1e-5);
}

TEST(KaplaCollapse, a_ball_brings_the_tower_down_and_no_energy_appears) {
  const Scene scene = example(
      "kapla_collapse",
      {"system.bodies.1.sample.tower.levels=8", "system.bodies.2.position=[-0.15, 0.02, 0.05]",
       "measures=[{name: energy, of: kinetic_energy}]", set("simulation.end", 0.5)});
  double energy = HUGE_VAL, growth = 0, height = 0;
  const Outcome outcome = run_world(scene, [&](const test::BodySimulation& simulation) {
    const double now = test::mechanical_energy(simulation);
    if (energy < HUGE_VAL) growth = std::max(growth, now - energy);
    energy = now;
    height = 0;
    for (std::size_t i = 1; i <= 16; ++i) height += simulation.state().bodies[i].position.z() / 16;
  });
  expect_solved(outcome);
  EXPECT_LT(growth, 1e-12 * energy);
  EXPECT_LT(height, 0.7 * 0.032) << "mean height of the planks; 0.032 at the start";
}

TEST(ThrustLines, give_milankovitchs_least_thickness_of_the_semicircular_arch) {
  EXPECT_NEAR(test::least_thickness(1000), 0.1075, 5e-5);
}

TEST(MasonryArch, stands_above_and_falls_below_the_least_thickness_of_the_line_of_thrust) {
  const double limit = test::least_thickness(31);
  EXPECT_NEAR(limit, 0.1075, 5e-4);
  EXPECT_TRUE(test::arch_stands(1.005 * limit, 31, 0.5));
  EXPECT_FALSE(test::arch_stands(0.995 * limit, 31, 0.5));
}

TEST(BarrelVault, the_thrust_lies_between_the_least_and_the_greatest_of_all_lines_of_thrust) {
  const Outcome outcome = run_world(example(
      "barrel_vault", {set("system.bodies.0.sample.vault.rows", 1), set("simulation.end", 0.1)}));
  expect_solved(outcome);
  const double radius = (25 + 9) / 6.0;
  const test::ThrustLine lines(radius, std::asin(5 / radius), 0.2, 90);
  const double thrust = outcome.measures.at("thrust over the weight");
  EXPECT_GT(thrust, lines.least_thrust() / lines.weight());
  EXPECT_LT(thrust, lines.greatest_thrust() / lines.weight());
  EXPECT_NEAR(outcome.measures.at("thrust on the other side over the weight"), thrust, 1e-6);
  const double weight = lines.weight() * 0.4 * 2000 * 9.81;
  EXPECT_NEAR(outcome.measures.at("weight carried"), weight, 1e-6 * weight);
}

TEST(RockSlope, slides_as_one_with_the_acceleration_of_a_block_or_stays) {
  for (const double dip : {0.4, M_PI / 6}) {
    for (const double factor : {0.6, 0.99, 1.01}) {
      const double mu = factor * std::tan(dip);
      const double expected = std::max(0.0, 9.81 * (std::sin(dip) - mu * std::cos(dip))) * 0.25;
      double largest = 0, fastest = -HUGE_VAL, slowest = HUGE_VAL;
      const Scene scene = example(
          "rock_slope", {parameter("mu", mu), parameter("dip", dip), set("simulation.end", 0.25)});
      const Outcome outcome = run_world(scene, [&](const test::BodySimulation& simulation) {
        if (simulation.time() < 0.2499) return;
        for (const BodyState& s : simulation.state().bodies) {
          const double along = s.v.x() * std::cos(dip) - s.v.y() * std::sin(dip);
          if (&s == &simulation.state().bodies[0]) continue;
          fastest = std::max(fastest, along);
          slowest = std::min(slowest, along);
          largest = std::max(largest, s.omega.norm());
        }
      });
      expect_solved(outcome);
      EXPECT_NEAR(fastest, expected, 1e-6) << dip << " " << factor;
      EXPECT_NEAR(slowest, expected, 1e-6) << dip << " " << factor;
      EXPECT_LT(largest, 1e-6);
    }
  }
}

TEST(RockWedge, slides_with_the_acceleration_of_limit_equilibrium_and_stops_above_it) {
  const double limit = std::sin(M_PI / 4) * std::tan(M_PI / 6);
  for (const double factor : {0.5, 0.9, 0.99, 1.05, 1.2}) {
    const Outcome outcome = run_world(example("rock_wedge", {parameter("mu", factor * limit)}));
    expect_solved(outcome);
    EXPECT_LT(outcome.measures.at("its largest error"), 1e-8) << factor;
  }
}

TEST(RockWedge, at_rest_slides_where_no_friction_across_the_line_could_clamp_it) {
  const double slope = std::tan(M_PI / 6), half = M_PI / 4;
  const double clamped =
      std::sin(half) * slope / std::sqrt(1 + std::pow(slope * std::cos(half), 2));
  for (const double mu : {0.99 * clamped, 1.01 * std::sin(half) * slope}) {
    const Outcome outcome =
        run_world(example("rock_wedge", {parameter("mu", mu), parameter("v0", 0)}));
    expect_solved(outcome);
    EXPECT_EQ(outcome.measures.at("speed") > 1e-3, mu < clamped) << mu;
  }
}

TEST(Rockfall, boulders_of_all_shapes_lose_energy_at_every_step_and_stay_above_the_ground) {
  const Scene scene = example("rockfall", {set("simulation.end", 4)});
  double energy = HUGE_VAL, growth = 0, start = 0, least_gap = HUGE_VAL;
  const Outcome outcome = run_world(scene, [&](const test::BodySimulation& simulation) {
    const double now = test::mechanical_energy(simulation);
    if (energy < HUGE_VAL) growth = std::max(growth, now - energy);
    if (start == 0) start = now;
    energy = now;
    for (const WorldContact& contact : simulation.contacts())
      least_gap = std::min(least_gap, contact.gap);
  });
  expect_solved(outcome);
  EXPECT_LT(growth, 1e-12 * start);
  EXPECT_GT(least_gap, -1e-3);
  EXPECT_LT(energy, 0.8 * start);
  for (const char* name : {"tetrahedron", "octahedron", "stone", "cube", "drum"}) {
    EXPECT_GT(outcome.measures.at(std::string("runout of the ") + name), 10) << name;
  }
  EXPECT_LT(outcome.measures.at("fastest speed of the stone"),
            outcome.measures.at("speed of its fall without loss"));
}

}  // namespace
}  // namespace clack
