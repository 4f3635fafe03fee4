// Contact on velocities, on gaps, and with a spring and a dashpot, against closed forms.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/physics/law_support.hpp"
#include "tests/values.hpp"

namespace clack {
namespace {

using test::contact_with;
using test::make_simulation;
using test::normal_law;
using test::Numbers;
using test::Setting;
using test::values;

// A mass m above a plane at the distance gap.
Setting ball(const LawPtr& law, double gap, double m = 1, double load = 0) {
  return {m * Matrix::Identity(1, 1), {contact_with(law, values({1}))}, {gap}, values({load})};
}

double gap_of(const Simulation& simulation) { return simulation.last_step().end.gap[0]; }

constexpr double kH = 1e-2;

// --- levels

// The mass arrives at the plane by itself wherever in the step it meets it, and no gap is negative.
TEST(PositionLevel, ends_the_step_on_the_plane) {
  for (double theta : {0.5, 0.7, 1.0}) {
    for (double gap : {0.0, 0.2 * kH, 0.99 * kH, 1.01 * kH, 5 * kH}) {
      Simulation simulation = make_simulation(ball(normal_law("position", {}), gap), values({-1}),
                                              {.h = kH, .theta = theta});
      ASSERT_EQ(simulation.step(), Status::converged);
      EXPECT_NEAR(gap_of(simulation), std::max(0.0, gap - kH), 1e-15);
      const double landing = -(gap / kH - (1 - theta)) / theta;
      EXPECT_NEAR(simulation.v()[0], std::max(-1.0, landing), 1e-12);
    }
  }
}

TEST(PositionLevel, closes_an_overlap_in_one_step) {
  Simulation simulation = make_simulation(ball(normal_law("position", {}), -0.3 * kH), values({0}),
                                          {.h = kH, .theta = 1.0});
  EXPECT_EQ(simulation.step(), Status::converged);
  EXPECT_NEAR(gap_of(simulation), 0, 1e-15);
  EXPECT_NEAR(simulation.v()[0], 0.3, 1e-12);
}

// Without a rebound, whatever the weight; an overlap is kept as it is.
TEST(QuasiShock, stops_the_approach_and_leaves_overlaps_alone) {
  for (double theta : {0.5, 0.7, 1.0}) {
    for (double gap : {-0.4 * kH, 0.0, 0.2 * kH, 0.99 * kH, 3 * kH}) {
      Simulation simulation = make_simulation(ball(normal_law("quasi-shock", {}), gap),
                                              values({-1}), {.h = kH, .theta = theta});
      const double coasting = gap - (1 - theta) * kH;
      EXPECT_EQ(simulation.step(), Status::converged);
      EXPECT_NEAR(simulation.v()[0], std::max(-1.0, -std::max(0.0, coasting) / (theta * kH)),
                  1e-12);
      EXPECT_GT(gap_of(simulation), std::min(0.0, coasting) - 1e-15);
      for (int i = 0; i < 20; ++i) ASSERT_EQ(simulation.step(), Status::converged);
      EXPECT_NEAR(simulation.v()[0], 0, 1e-12);
      const double rest = gap_of(simulation);
      EXPECT_EQ(simulation.step(), Status::converged);
      EXPECT_NEAR(gap_of(simulation), rest, 1e-15);
    }
  }
}

TEST(VelocityLevel, is_Newtons_law_without_restitution) {
  for (double gap : {-0.4 * kH, 0.0, 0.3 * kH, 0.7 * kH}) {
    const auto end_of = [&](const char* name) {
      Simulation simulation =
          make_simulation(ball(normal_law(name, {}), gap), values({-1}), {.h = kH});
      for (int i = 0; i < 3; ++i) EXPECT_EQ(simulation.step(), Status::converged);
      return std::pair(simulation.v()[0], gap_of(simulation));
    };
    EXPECT_EQ(end_of("velocity"), end_of("newton"));
  }
}

TEST(ContactLevels, hold_a_weight_at_the_initial_gap_where_that_is_removed) {
  for (const char* name : {"velocity", "position", "quasi-shock"}) {
    for (double gap : {-0.1, 0.1}) {
      const LawPtr law = normal_law(name, {{"remove_initial_gap", 1}});
      Simulation simulation =
          make_simulation(ball(law, gap, 1, -9.81), values({0}), {.h = kH, .theta = 1.0});
      for (int i = 0; i < 50; ++i) ASSERT_EQ(simulation.step(), Status::converged);
      EXPECT_NEAR(gap_of(simulation), gap, 1e-14) << name;
      EXPECT_NEAR(simulation.last_step().r[0], 9.81 * kH, 1e-14) << name;
    }
  }
}

// Thrown up, the ball comes down to where it was; the memory travels in checkpoints.
TEST(ContactLevels, remember_the_initial_gap_in_flight_and_in_checkpoints) {
  const Setting setting = ball(normal_law("position", {{"remove_initial_gap", 1}}), 0.1, 1, -9.81);
  Simulation simulation = make_simulation(setting, values({0.6}), {.h = kH, .theta = 1.0});
  for (int i = 0; i < 5; ++i) EXPECT_EQ(simulation.step(), Status::converged);
  const Checkpoint checkpoint = simulation.checkpoint();
  ASSERT_EQ(checkpoint.law_memory.size(), 2u);
  EXPECT_EQ(checkpoint.law_memory[0], 0.1);
  EXPECT_GT(gap_of(simulation), 0.1);
  Simulation other = make_simulation(setting, values({0}), {.h = kH, .theta = 1.0});
  other.restore(checkpoint);
  for (int i = 0; i < 30; ++i) {
    EXPECT_EQ(simulation.step(), Status::converged);
    EXPECT_EQ(other.step(), Status::converged);
    ASSERT_EQ(simulation.q()[0], other.q()[0]);
  }
  EXPECT_NEAR(gap_of(simulation), 0.1, 1e-14);
}

// Friction belongs to the normal impulse of any level, in the plane and in space.
TEST(ContactLevels, have_friction_in_the_plane_and_in_space) {
  const double mu = 0.3;
  for (const char* name : {"velocity", "position", "quasi-shock", "compliant"}) {
    const bool soft = std::string(name) == "compliant";
    const LawPtr law = normal_law(name, soft ? Numbers{{"stiffness", 1e3}} : Numbers{}, mu);
    for (int tangents : {1, 2}) {
      std::vector<Vector> T;
      Vector v = Vector::Zero(tangents + 1);
      v[tangents] = -1;
      for (int k = 0; k < tangents; ++k) {
        T.push_back(Vector::Unit(tangents + 1, k));
        v[k] = 3 + k;
      }
      const Setting setting{Matrix::Identity(tangents + 1, tangents + 1),
                            {contact_with(law, Vector::Unit(tangents + 1, tangents), T)}};
      const test::Impacted result = test::impact(setting, v, {.h = kH, .theta = 1.0});
      EXPECT_GT(result.r[0], 0.05) << name;
      EXPECT_NEAR(result.r.tail(tangents).norm(), mu * result.r[0], 1e-12) << name;
      EXPECT_NEAR(result.r.tail(tangents).dot(v.head(tangents)),
                  -mu * result.r[0] * v.head(tangents).norm(), 1e-11)
          << name;
    }
  }
}

// Open contacts that close in the step included; without load, weight of the end 1.
TEST(ContactLevels, never_add_energy_to_systems_of_open_contacts_with_friction) {
  std::mt19937 random(29);
  std::uniform_real_distribution<double> uniform(0, 1);
  for (const char* name : {"position", "quasi-shock"}) {
    for (int i = 0; i < 40; ++i) {
      const test::RandomImpact body(random, 5, 3, i % 3);
      Setting setting = body.with([&](int) { return normal_law(name, {}, uniform(random)); });
      for (int c = 0; c < 3; ++c) setting.g0.push_back(3 * kH * uniform(random));
      Simulation simulation =
          make_simulation(setting, body.v, {.h = kH, .theta = 1.0, .solver = "auto"});
      double energy = 0.5 * body.v.dot(setting.M * body.v);
      const double round_off = 1e-24 * energy;  // of a body that has come to rest
      for (int step = 0; step < 10; ++step) {
        ASSERT_EQ(simulation.step(), Status::converged);
        const double now = 0.5 * simulation.v().dot(setting.M * simulation.v());
        ASSERT_LT(now, energy * (1 + 1e-11) + round_off) << name;
        energy = now;
      }
      EXPECT_GT(simulation.last_step().end.gap.minCoeff(), -1e-12) << name;
    }
  }
}

// --- compliant

TEST(Compliant, has_the_force_of_its_spring_and_dashpot_at_every_step) {
  const double k = 400, c = 6;
  for (double theta : {0.5, 0.7, 1.0}) {
    Simulation simulation =
        make_simulation(ball(normal_law("compliant", {{"stiffness", k}, {"damping", c}}), 0.013),
                        values({-1}), {.h = 1e-3, .theta = theta});
    int pressed = 0;
    for (int i = 0; i < 200; ++i) {
      ASSERT_EQ(simulation.step(), Status::converged);
      const Step& step = simulation.last_step();
      const double gap = theta * step.end.gap[0] + (1 - theta) * step.start.gap[0];
      const double u = theta * step.end.v[0] + (1 - theta) * step.start.v[0];
      const bool closed = step.start.gap[0] + 0.5 * step.h * step.start.v[0] <= 1e-12;
      const double force = std::max(0.0, -(k * gap + (closed ? c * u : 0)));
      ASSERT_NEAR(step.r[0] / step.h, force, 1e-9);
      pressed += force > 0;
    }
    EXPECT_GT(pressed, 100);  // of the half period 157 ms, less the early release
    EXPECT_GT(simulation.v()[0], 0.5);
  }
}

struct Rebound {
  double speed, duration;
};

Rebound rebound(double k, double c, double h, double theta = 0.5, double gap = 0) {
  Simulation simulation =
      make_simulation(ball(normal_law("compliant", {{"stiffness", k}, {"damping", c}}), gap),
                      values({-1}), {.h = h, .theta = theta});
  double duration = 0;
  for (int i = 0; i < 100000; ++i) {
    EXPECT_EQ(simulation.step(), Status::converged);
    if (simulation.last_step().r[0] == 0 && simulation.v()[0] > 0) break;
    duration = simulation.time();
  }
  return {simulation.v()[0], duration};
}

// The contact lets go where the force is zero, k g + c u = 0, before the spring is at its length:
// after (pi - 2 atan(beta/omega_d))/omega_d with beta = c/(2 m), and then u+ = -u- exp(-beta t).
TEST(Compliant, rebounds_like_a_spring_and_a_dashpot_that_do_not_pull) {
  const double k = 100;
  for (double zeta : {0.0, 0.05, 0.3, 0.8}) {
    const double omega = std::sqrt(k), beta = zeta * omega, c = 2 * beta;
    const double omega_d = omega * std::sqrt(1 - zeta * zeta);
    const double t = (M_PI - 2 * std::atan2(beta, omega_d)) / omega_d, e = std::exp(-beta * t);
    double previous = HUGE_VAL;
    for (double h : {4e-4, 1e-4, 2.5e-5}) {
      const Rebound result = rebound(k, c, h);
      EXPECT_NEAR(result.duration, t, 3 * h) << zeta;
      const double error = std::abs(result.speed - e);
      EXPECT_LT(error, std::max(1e-9, 4 * omega * h * omega * h)) << zeta << ' ' << h;
      previous = error;
    }
    EXPECT_LT(previous, 1e-6) << zeta;
  }
}

// With theta = 1/2 the spring gives back all but what the steps of closing and opening cut off, of
// the order h^2 of either sign; with theta = 1 the scheme damps.
TEST(Compliant, keeps_the_energy_of_the_spring_with_the_midpoint_rule) {
  const double h = 1e-3, omega = 10;
  for (double part = 0; part < 1; part += 0.09) {
    EXPECT_NEAR(rebound(omega * omega, 0, h, 0.5, part * h).speed, 1, 0.5 * omega * h * omega * h);
  }
  EXPECT_LT(rebound(omega * omega, 0, h, 1.0).speed, 0.99);
}

// With theta = 1 a stiffer spring is ever nearer to the condition on the gap of the end of the
// step.
TEST(Compliant, reaches_the_rigid_law_on_positions_as_stiffness_grows) {
  const auto trajectory = [](const LawPtr& law) {
    Simulation simulation =
        make_simulation(ball(law, 0.35 * kH, 2, -30), values({-1}), {.h = kH, .theta = 1.0});
    Vector motion(20);
    for (int i = 0; i < 10; ++i) {
      EXPECT_EQ(simulation.step(), Status::converged);
      motion[2 * i] = gap_of(simulation) / kH;
      motion[2 * i + 1] = simulation.v()[0];
    }
    return motion;
  };
  const Vector rigid = trajectory(normal_law("position", {}));
  double previous = HUGE_VAL;
  for (double k : {1e6, 1e8, 1e10, 1e12}) {
    const Vector soft = trajectory(normal_law("compliant", {{"stiffness", k}}));
    const double distance = (soft - rigid).cwiseAbs().maxCoeff();
    EXPECT_LT(distance, std::max(0.02 * previous, 1e-12)) << k;
    previous = distance;
  }
  EXPECT_LT(previous, 1e-7);
}

}  // namespace
}  // namespace clack
