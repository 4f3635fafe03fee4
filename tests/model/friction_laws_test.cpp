// Each law of friction at one contact, against its closed form, in the plane and in space.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "clack/core/error.hpp"
#include "clack/solve/solver.hpp"
#include "tests/model/law_rig.hpp"
#include "tests/values.hpp"

namespace clack {
namespace {

using test::friction_law;
using test::LawAnswer;
using test::LawRig;
using test::one_step;
using test::step_of;
using test::values;

constexpr double kTight = 1e-9;

Matrix diagonal(std::initializer_list<double> entries) { return values(entries).asDiagonal(); }

// A coefficient as the scene reader makes it: a formula of the slip.
template <class Make>
LawPtr slip_dependent(Make make) {
  formula::Graph graph;
  const formula::Expr slip = graph.variable("slip");
  const formula::Expr inputs[] = {slip}, outputs[] = {make(graph, slip)};
  LawValues values;
  values.set("mu",
             FrictionCoefficient("test", std::make_shared<formula::Tape>(graph, inputs, outputs)));
  return find_law(LawKind::friction, "slip-dependent")->make(values);
}

// mu_d + (mu_s - mu_d)/(1 + delta slip), falling, and saturating rise/(1 + rise...) below.
LawPtr falling_law() {
  return slip_dependent([](formula::Graph& g, formula::Expr slip) {
    return g.add(g.constant(0.3),
                 g.divide(g.constant(0.2), g.add(g.constant(1), g.multiply(g.constant(3), slip))));
  });
}

LawPtr rising_law() {  // 0.6 slip/(0.1 + slip): no friction at rest
  return slip_dependent([](formula::Graph& g, formula::Expr slip) {
    return g.divide(g.multiply(g.constant(0.6), slip), g.add(g.constant(0.1), slip));
  });
}

double tangential(const Vector& x, int tangents) { return x.segment(1, tangents).norm(); }

// --- static-dynamic

TEST(StaticDynamicFriction, holds_up_to_the_static_limit_and_slides_with_the_dynamic_one) {
  for (int tangents : {1, 2}) {
    LawRig rig{.tangents = tangents};
    rig.f = Vector::Zero(rig.rows());
    rig.f[0] = -10;
    // 5 N is the static limit.
    for (double pull : {4.999, 5.001}) {
      rig.f[1] = tangents == 1 ? pull : 0.6 * pull;
      if (tangents == 2) rig.f[2] = 0.8 * pull;
      Simulation simulation =
          rig.simulation(friction_law("static-dynamic", {{"mu_s", 0.5}, {"mu_d", 0.2}}));
      const LawAnswer first = step_of(simulation), second = step_of(simulation);
      if (pull < 5) {
        EXPECT_LT(tangential(second.u, tangents), 1e-15);
        EXPECT_NEAR(tangential(second.r, tangents), pull * rig.h, kTight);
      } else {
        EXPECT_NEAR(tangential(first.r, tangents), 5 * rig.h, kTight);  // the peak
        EXPECT_NEAR(tangential(second.r, tangents), 2 * rig.h, kTight);
        EXPECT_NEAR(tangential(second.u, tangents), (pull - 5 + pull - 2) * rig.h, kTight);
      }
    }
  }
}

TEST(StaticDynamicFriction, is_static_again_after_a_stop_and_after_a_flight) {
  LawRig rig{.tangents = 1, .f = values({-10, 4}), .v = values({0, -0.5})};
  Simulation simulation =
      rig.simulation(friction_law("static-dynamic", {{"mu_s", 0.5}, {"mu_d", 0.2}}));
  LawAnswer answer = step_of(simulation);
  EXPECT_NEAR(answer.r[1], 5 * rig.h, kTight);  // nothing was known before
  int steps = 1;
  while (answer.u[1] < -1e-12) {
    answer = step_of(simulation);
    if (answer.u[1] < -1e-12) {
      EXPECT_NEAR(answer.r[1], 2 * rig.h, kTight);
    }
    ASSERT_LT(++steps, 100);
  }
  // 4 N of load are more than dynamic and less than static friction: it stops and stays only by
  // mu_s.
  answer = step_of(simulation);
  EXPECT_NEAR(answer.r[1], -4 * rig.h, 0.2 * rig.h);
  for (int i = 0; i < 10; ++i) answer = step_of(simulation);
  EXPECT_NEAR(answer.r[1], -4 * rig.h, kTight);
  EXPECT_LT(std::abs(answer.u[1]), 1e-12);

  // It slides in the impact, is thrown up by it, and comes down static.
  LawRig thrown{.tangents = 1, .f = values({-10, 0}), .v = values({-1, 5})};
  thrown.normal = make_law(LawKind::normal, "newton", {{"e_n", 0.5}});
  Simulation flight =
      thrown.simulation(friction_law("static-dynamic", {{"mu_s", 0.5}, {"mu_d", 0.2}}));
  answer = step_of(flight);
  EXPECT_NEAR(answer.r[1], -0.5 * answer.r[0], kTight);
  int open = 0;
  while ((answer = step_of(flight)).r[0] == 0) ASSERT_LT(++open, 100);
  EXPECT_GT(open, 5);
  EXPECT_NEAR(answer.r[1], -0.5 * answer.r[0], kTight);
}

// --- slip-dependent, stribeck

TEST(StribeckFriction, follows_its_curve_at_the_slip_of_the_end_of_the_step) {
  const double mu_s = 0.5, mu_d = 0.3, v_s = 0.2;
  for (int tangents : {1, 2}) {
    for (double exponent : {0.5, 1.0, 2.0}) {
      for (double viscous : {0.0, 0.4}) {
        const LawPtr law = friction_law("stribeck", {{"mu_s", mu_s},
                                                     {"mu_d", mu_d},
                                                     {"v_s", v_s},
                                                     {"exponent", exponent},
                                                     {"viscous", viscous}});
        for (double speed : {0.02, 0.1, 0.3, 1.0, 5.0}) {
          LawRig rig{.tangents = tangents, .h = 1e-3};
          rig.v = Vector::Zero(rig.rows());
          rig.f = Vector::Zero(rig.rows());
          rig.f[0] = -10;
          rig.v[1] = tangents == 1 ? speed : 0.6 * speed;
          if (tangents == 2) rig.v[2] = -0.8 * speed;
          const LawAnswer answer = one_step(rig, law);
          const double slip = tangential(answer.u, tangents);
          ASSERT_EQ(answer.status, Status::converged);
          ASSERT_GT(slip, 0.005);
          const double mu =
              mu_d + (mu_s - mu_d) * std::exp(-std::pow(slip / v_s, exponent)) + viscous * slip;
          EXPECT_NEAR(tangential(answer.r, tangents) / answer.r[0], mu, kTight)
              << speed << " " << exponent;
          // Not the coefficient of the start.
          EXPECT_GT(std::abs(slip - speed), 1e-3);
          EXPECT_NEAR(answer.r.segment(1, tangents).dot(answer.u.segment(1, tangents)),
                      -tangential(answer.r, tangents) * slip, kTight);
        }
      }
    }
  }
}

TEST(StribeckFriction, refuses_a_dynamic_coefficient_above_the_static_one) {
  EXPECT_THROW(friction_law("stribeck", {{"mu_s", 0.2}, {"mu_d", 0.3}, {"v_s", 1}}), InputError);
}

TEST(SlipDependentFriction, follows_falling_and_rising_formulas) {
  for (int tangents : {1, 2}) {
    for (double speed : {0.001, 0.03, 0.2, 1.0, 8.0}) {
      for (double h : {1e-3, 1e-2, 0.1}) {
        LawRig rig{.tangents = tangents, .h = h};
        rig.v = Vector::Zero(rig.rows());
        rig.f = Vector::Zero(rig.rows());
        rig.f[0] = -10;
        rig.v[1] = tangents == 1 ? speed : 0.6 * speed;
        if (tangents == 2) rig.v[2] = -0.8 * speed;
        LawAnswer answer = one_step(rig, falling_law());
        double slip = tangential(answer.u, tangents),
               mu = tangential(answer.r, tangents) / answer.r[0];
        EXPECT_EQ(answer.status, Status::converged);
        if (slip > 1e-12) {
          EXPECT_NEAR(mu, 0.3 + 0.2 / (1 + 3 * slip), kTight);
        } else {
          EXPECT_LE(mu, 0.5 + kTight);
        }
        answer = one_step(rig, rising_law());
        slip = tangential(answer.u, tangents);
        EXPECT_EQ(answer.status, Status::converged);
        EXPECT_GT(slip, 0);  // it has no friction at rest
        EXPECT_NEAR(tangential(answer.r, tangents) / answer.r[0], 0.6 * slip / (0.1 + slip), kTight)
            << speed << " " << h;
      }
    }
  }
}

// With h N |mu'|/m > 1 there are several answers: whoever slides goes on, whoever rests stays.
TEST(SlipDependentFriction, keeps_its_branch_where_a_large_step_has_several_answers) {
  const LawPtr law = friction_law("stribeck", {{"mu_s", 0.5}, {"mu_d", 0.1}, {"v_s", 0.2}});
  LawRig rig{.tangents = 1, .f = values({-10, 3}), .h = 1};
  LawAnswer answer = one_step(rig, law);
  EXPECT_EQ(answer.status, Status::converged);
  EXPECT_LT(std::abs(answer.u[1]), 1e-12);
  rig.v = values({0, 1});
  answer = one_step(rig, law);
  EXPECT_EQ(answer.status, Status::converged);
  EXPECT_NEAR(answer.u[1], 1 + 3 - 1, 1e-6);
}

// --- anisotropic

struct InAxes {
  double r_1, r_2, u_1, u_2;
};

InAxes in_axes(const LawAnswer& answer, double angle) {
  const double c = std::cos(angle), s = std::sin(angle);
  return {c * answer.r[1] + s * answer.r[2], c * answer.r[2] - s * answer.r[1],
          c * answer.u[1] + s * answer.u[2], c * answer.u[2] - s * answer.u[1]};
}

struct Ellipse {
  double axis_1, axis_2;
};

// In every direction: r_T on the ellipse `strength`, u_T along the normal of `potential` there.
void expect_slip(const LawPtr& law, double angle, Ellipse strength, Ellipse potential) {
  for (int i = 0; i < 24; ++i) {
    const double way = i * M_PI / 12 + 0.05;
    LawRig rig{
        .tangents = 2, .f = values({-10, 0, 0}), .v = values({0, std::cos(way), std::sin(way)})};
    const LawAnswer answer = one_step(rig, law);
    ASSERT_EQ(answer.status, Status::converged);
    const InAxes x = in_axes(answer, angle);
    EXPECT_NEAR(std::hypot(x.r_1 / strength.axis_1, x.r_2 / strength.axis_2), answer.r[0], kTight);
    const double n_1 = -x.r_1 / (potential.axis_1 * potential.axis_1),
                 n_2 = -x.r_2 / (potential.axis_2 * potential.axis_2), n = std::hypot(n_1, n_2);
    const double slip = std::hypot(x.u_1, x.u_2);
    EXPECT_NEAR(x.u_1 / slip, n_1 / n, kTight);
    EXPECT_NEAR(x.u_2 / slip, n_2 / n, kTight);
  }
}

TEST(AnisotropicFriction, slips_along_the_normal_of_its_ellipse) {
  const Ellipse mu{0.6, 0.2};
  const double angle = 0.4;
  expect_slip(
      friction_law("anisotropic", {{"mu_1", mu.axis_1}, {"mu_2", mu.axis_2}, {"angle", angle}}),
      angle, mu, mu);
}

TEST(AnisotropicFriction, slips_along_the_normal_of_another_ellipse_with_the_strength_of_its_own) {
  const Ellipse mu{0.6, 0.2}, nu{1, 0.7};
  const double angle = -0.3;
  expect_slip(friction_law("anisotropic", {{"mu_1", mu.axis_1},
                                           {"mu_2", mu.axis_2},
                                           {"angle", angle},
                                           {"associated", 0},
                                           {"nu_1", nu.axis_1},
                                           {"nu_2", nu.axis_2}}),
              angle, mu, nu);
}

TEST(AnisotropicFriction, sticks_inside_the_ellipse_and_not_outside_whatever_the_potential) {
  for (double associated : {0.0, 1.0}) {
    const LawPtr law =
        friction_law("anisotropic", {{"mu_1", 0.6}, {"mu_2", 0.2}, {"associated", associated}});
    for (int i = 0; i < 12; ++i) {
      const double way = i * M_PI / 6 + 0.1,
                   limit = 10 / std::hypot(std::cos(way) / 0.6, std::sin(way) / 0.2);
      for (double share : {0.999, 1.001}) {
        const double pull = share * limit;
        LawRig rig{.tangents = 2, .f = values({-10, pull * std::cos(way), pull * std::sin(way)})};
        const LawAnswer answer = one_step(rig, law);
        EXPECT_EQ(answer.status, Status::converged);
        EXPECT_EQ(tangential(answer.u, 2) < 1e-12, share < 1) << way;
      }
    }
  }
}

// --- contensou, rolling, tresca

TEST(ContensouFriction, shares_its_reservoir_between_force_and_torque) {
  const double mu = 0.4, radius = 0.02, arm = 3 * M_PI / 16 * radius;
  const LawPtr law = friction_law("contensou", {{"mu", mu}, {"radius", radius}});
  for (double spin : {0.0, 1.0, 50.0, 1000.0}) {
    for (double speed : {0.0, 0.1, 1.0}) {
      if (spin + speed == 0) continue;
      LawRig rig{.tangents = 2, .turns = 1};
      rig.M = diagonal({1, 1, 1, 1e-2});
      rig.f = values({-10, 0, 0, 0});
      rig.v = values({0, 0.6 * speed, 0.8 * speed, spin});
      rig.h = 1e-3;
      const LawAnswer answer = one_step(rig, law);
      const double slip = tangential(answer.u, 2), force = tangential(answer.r, 2),
                   torque = -answer.r[3];
      const double spin_end = answer.u[3];
      EXPECT_EQ(answer.status, Status::converged);
      EXPECT_NEAR(std::hypot(force, torque / arm), mu * answer.r[0], kTight);
      // Along the ball: force : torque = slip : arm^2 spin.
      EXPECT_NEAR(force * arm * spin_end, torque / arm * slip, kTight);
      EXPECT_NEAR(answer.r.segment(1, 2).dot(answer.u.segment(1, 2)), -force * slip, kTight);
    }
  }
}

TEST(RollingFriction, has_a_torque_of_its_own_in_the_plane) {
  const double mu = 0.4, mu_r = 0.003;
  const LawPtr law = friction_law("rolling", {{"mu", mu}, {"mu_r", mu_r}});
  LawRig rig{.tangents = 1, .turns = 1};
  rig.f = values({-10, 0, 0});
  rig.v = values({0, 2, -7});
  LawAnswer answer = one_step(rig, law);
  EXPECT_NEAR(answer.r[1], -mu * answer.r[0], kTight);
  EXPECT_NEAR(answer.r[2], mu_r * answer.r[0], kTight);
  for (double torque : {0.0299, 0.0301}) {  // the limit is 0.03 N m
    rig.v = values({0, 0, 0});
    rig.f = values({-10, 0, torque});
    answer = one_step(rig, law);
    EXPECT_EQ(std::abs(answer.u[2]) < 1e-12, torque < 0.03);
  }
}

TEST(RollingFriction, has_torques_against_drilling_and_rolling_in_space) {
  const double mu = 0.4, mu_r = 0.003, mu_s = 0.002;
  const LawPtr law = friction_law("rolling", {{"mu", mu}, {"mu_r", mu_r}, {"mu_s", mu_s}});
  LawRig rig{.tangents = 2, .turns = 3};
  rig.f = values({-10, 0, 0, 0, 0, 0});
  rig.v = values({0, 0.6, -0.8, 5, 3, 4});
  const LawAnswer answer = one_step(rig, law);
  EXPECT_EQ(answer.status, Status::converged);
  const double n = answer.r[0];
  const Vector expected =
      values({n, -0.6 * mu * n, 0.8 * mu * n, -mu_s * n, -0.6 * mu_r * n, -0.8 * mu_r * n});
  EXPECT_LT((answer.r - expected).cwiseAbs().maxCoeff(), kTight);
  // Without rolling one turning row, the spin, is enough.
  LawRig drill{.tangents = 2, .turns = 1};
  drill.f = values({-10, 0, 0, 0});
  drill.v = values({0, 0, 0, 5});
  EXPECT_NEAR(
      one_step(drill, friction_law("rolling", {{"mu", mu}, {"mu_r", 0}, {"mu_s", mu_s}})).r[3],
      -mu_s * 10 * drill.h, kTight);
}

TEST(TrescaFriction, has_a_limit_that_no_load_changes_and_acts_only_while_closed) {
  const LawPtr law = friction_law("tresca", {{"s", 3}});
  for (int tangents : {1, 2}) {
    for (double mass : {1e-6, 1.0, 1e6}) {
      for (double load : {0.0, 1.0, 100.0}) {
        LawRig rig{.tangents = tangents};
        rig.M = mass * Matrix::Identity(rig.rows(), rig.rows());
        rig.f = Vector::Zero(rig.rows());
        rig.f[0] = -load;
        rig.v = Vector::Zero(rig.rows());
        rig.v[1] = tangents == 1 ? 1e5 : 6e4;
        if (tangents == 2) rig.v[2] = 8e4;
        LawAnswer answer = one_step(rig, law);
        EXPECT_NEAR(answer.r[0], load * rig.h, kTight);
        EXPECT_NEAR(answer.r[1], -3 * rig.h * (tangents == 1 ? 1 : 0.6), kTight)
            << mass << " " << load;
        rig.v *= 0;
        for (double pull : {2.99, 3.01}) {
          rig.f[1] = pull;
          answer = one_step(rig, law);
          EXPECT_EQ(std::abs(answer.u[1]) * mass < 1e-10, pull < 3) << mass << " " << pull;
          EXPECT_NEAR(answer.r[1], -std::min(pull, 3.0) * rig.h, kTight);
        }
        rig.f *= 0;
        rig.v[0] = 1;
        rig.v[1] = 1;
        Simulation flying = rig.simulation(law);
        EXPECT_EQ(flying.step(), Status::converged);
        EXPECT_NEAR(step_of(flying).r[1], 0, 1e-15);
      }
    }
  }
}

TEST(TrescaFriction, states_nothing_while_another_law_keeps_an_open_contact_awake) {
  ContactSituation contact;
  contact.tangents = 2;
  contact.h = 0.01;
  LawStatement statement;
  friction_law("tresca", {{"s", 3}})->prepare(contact, statement);
  EXPECT_EQ(statement.count, 0);
  contact.closed = true;
  friction_law("tresca", {{"s", 3}})->prepare(contact, statement);
  EXPECT_EQ(statement.count, 1);
}

// --- rate-and-state

const std::map<std::string, double> kRock = {
    {"mu_0", 0.6}, {"a", 0.01}, {"b", 0.015}, {"V0", 1e-6}, {"Dc", 1e-5}};

double rock_mu(double V, double theta) {
  return 0.01 *
         std::asinh(V / 2e-6 * std::exp((0.6 + 0.015 * std::log(1e-6 * theta / 1e-5)) / 0.01));
}

std::map<std::string, double> rock(double slip_law, double theta_0) {
  std::map<std::string, double> values = kRock;
  values["slip_law"] = slip_law;
  values["theta_0"] = theta_0;
  return values;
}

// A heavy body keeps its speed: the slip is imposed.
LawRig heavy_rig(int tangents, double V) {
  LawRig rig{.tangents = tangents};
  rig.M = 1e14 * Matrix::Identity(rig.rows(), rig.rows());
  rig.f = Vector::Zero(rig.rows());
  rig.f[0] = -10;
  rig.v = Vector::Zero(rig.rows());
  rig.v[1] = tangents == 1 ? V : 0.6 * V;
  if (tangents == 2) rig.v[2] = -0.8 * V;
  return rig;
}

TEST(RateStateFriction, settles_at_its_steady_coefficient) {
  for (int tangents : {1, 2}) {
    for (double slip_law : {0.0, 1.0}) {
      for (double V : {1e-5, 1e-4, 1e-3, 0.1}) {
        LawRig rig = heavy_rig(tangents, V);
        rig.h = 2e-5 / V;
        Simulation simulation = rig.simulation(friction_law("rate-and-state", rock(slip_law, 0)));
        LawAnswer answer{};
        for (int i = 0; i < 20; ++i) {
          answer = step_of(simulation);
          ASSERT_EQ(answer.status, Status::converged);
        }
        const double slip = tangential(answer.u, tangents);
        EXPECT_NEAR(slip / V, 1, 1e-3);
        EXPECT_NEAR(tangential(answer.r, tangents) / answer.r[0],
                    0.6 - 0.005 * std::log(slip / 1e-6), kTight);
      }
    }
  }
}

TEST(RateStateFriction, answers_a_jump_of_the_slip_by_a_and_forgets_over_dc) {
  for (int tangents : {1, 2}) {
    for (double slip_law : {0.0, 1.0}) {
      // Steady at 1e-5 m/s, then 1e-4 m/s.
      const double V = 1e-4, theta_0 = 1e-5 / 1e-5;
      LawRig rig = heavy_rig(tangents, V);
      rig.h = 0.003;
      Simulation simulation =
          rig.simulation(friction_law("rate-and-state", rock(slip_law, theta_0)));
      for (int i = 1; i <= 100; ++i) {
        const LawAnswer answer = step_of(simulation);
        const double slip = tangential(answer.u, tangents), x = slip * i * rig.h / 1e-5;
        const double theta =
            slip_law != 0 ? 1e-5 / slip * std::exp(std::log(slip * theta_0 / 1e-5) * std::exp(-x))
                          : 1e-5 / slip + (theta_0 - 1e-5 / slip) * std::exp(-x);
        EXPECT_NEAR(tangential(answer.r, tangents) / answer.r[0], rock_mu(slip, theta), kTight);
        if (i == 1) {
          EXPECT_NEAR(rock_mu(V, theta_0), 0.6 - 0.005 * std::log(10.) + 0.01 * std::log(10.),
                      1e-12);
        }
      }
    }
  }
}

// From any slip to any other within a few passes: a light body, loads around the strength.
TEST(RateStateFriction, is_solved_over_thirty_decades_of_slip) {
  for (int tangents : {1, 2}) {
    for (double speed : {0.0, 1e-12, 1e-6, 1e-3, 1.0, 30.0}) {
      for (double pull : {0.0, 1.0, 5.0, 6.0, 6.5, 8.0, 20.0}) {
        LawRig rig{.tangents = tangents};
        rig.f = Vector::Zero(rig.rows());
        rig.v = Vector::Zero(rig.rows());
        rig.f[0] = -10;
        rig.f[1] = pull;
        rig.v[tangents] = speed;
        Simulation simulation = rig.simulation(friction_law("rate-and-state", kRock));
        const LawAnswer answer = step_of(simulation);
        EXPECT_LT(simulation.last_step().solve.iterations, 45)
            << tangents << " " << speed << " " << pull;
        EXPECT_EQ(answer.status, Status::converged) << tangents << " " << speed << " " << pull;
        const double slip = tangential(answer.u, tangents);
        if (slip < 1e-13) continue;  // round-off of the velocities
        const double x = slip * rig.h / 1e-5,
                     theta = 1e-5 / slip + (10 - 1e-5 / slip) * std::exp(-x);
        // The velocities hold within 1e-12 h N/m, which the logarithm magnifies.
        EXPECT_NEAR(tangential(answer.r, tangents) / answer.r[0], rock_mu(slip, theta),
                    kTight + 0.01 * 1e-13 / slip)
            << tangents << " " << speed << " " << pull << " slip " << slip;
      }
    }
  }
}

// --- all of them

struct Named {
  const char* name;
  std::map<std::string, double> numbers;
  int tangents, turns;
};

const std::vector<Named>& all_laws() {
  static const std::vector<Named> laws = {
      {"coulomb", {{"mu", 0.4}}, 1, 0},
      {"coulomb", {{"mu", 0.4}}, 2, 0},
      {"static-dynamic", {{"mu_s", 0.5}, {"mu_d", 0.2}}, 1, 0},
      {"static-dynamic", {{"mu_s", 0.5}, {"mu_d", 0.2}}, 2, 0},
      {"stribeck", {{"mu_s", 0.5}, {"mu_d", 0.3}, {"v_s", 0.2}}, 1, 0},
      {"stribeck", {{"mu_s", 0.5}, {"mu_d", 0.3}, {"v_s", 0.2}, {"viscous", 0.1}}, 2, 0},
      {"anisotropic", {{"mu_1", 0.6}, {"mu_2", 0.2}, {"angle", 0.3}}, 2, 0},
      {"anisotropic", {{"mu_1", 0.6}, {"mu_2", 0.2}, {"associated", 0}, {"nu_2", 0.5}}, 2, 0},
      {"contensou", {{"mu", 0.4}, {"radius", 0.3}}, 2, 1},
      {"rolling", {{"mu", 0.4}, {"mu_r", 0.2}}, 1, 1},
      {"rolling", {{"mu", 0.4}, {"mu_r", 0.2}, {"mu_s", 0.1}}, 2, 3},
      {"tresca", {{"s", 3}}, 1, 0},
      {"tresca", {{"s", 3}}, 2, 0},
      {"rate-and-state",
       {{"mu_0", 0.4}, {"a", 0.01}, {"b", 0.008}, {"V0", 1e-3}, {"Dc", 1e-2}},
       1,
       0},
      {"rate-and-state",
       {{"mu_0", 0.4}, {"a", 0.01}, {"b", 0.008}, {"V0", 1e-3}, {"Dc", 1e-2}},
       2,
       0},
  };
  return laws;
}

LawRig random_rig(const Named& law, std::mt19937& random) {
  std::normal_distribution<double> normal;
  LawRig rig{.tangents = law.tangents, .turns = law.turns};
  const int n = rig.rows();
  Matrix A(n, n);
  for (int i = 0; i < n * n; ++i) A.data()[i] = normal(random);
  rig.M = 0.15 * A * A.transpose() + Matrix::Identity(n, n);
  rig.f = Vector::Zero(n);
  rig.v = Vector::Zero(n);
  for (int i = 0; i < n; ++i) {
    rig.f[i] = 3 * normal(random);
    rig.v[i] = normal(random);
  }
  rig.f[0] -= 15;
  rig.v[0] = -std::abs(rig.v[0]);
  return rig;
}

TEST(FrictionLaws, no_law_creates_energy) {
  std::mt19937 random(7);
  for (const Named& law : all_laws()) {
    int loaded = 0;
    for (int i = 0; i < 50; ++i) {
      const LawRig rig = random_rig(law, random);
      const LawAnswer answer = one_step(rig, friction_law(law.name, law.numbers));
      EXPECT_EQ(answer.status, Status::converged) << law.name;
      const int n = rig.rows() - 1;
      EXPECT_LE(answer.r.tail(n).dot(answer.u.tail(n)), 1e-12) << law.name;
      loaded += answer.r.tail(n).norm() > 1e-3;
    }
    EXPECT_GT(loaded, 40) << law.name;
  }
}

TEST(FrictionLaws, every_velocity_level_scheme_takes_every_law) {
  for (const char* scheme :
       {"moreau-jean", "moreau-jean-dissipative", "moreau-midpoint", "newmark"}) {
    for (const Named& law : all_laws()) {
      std::mt19937 random(3);
      LawRig rig = random_rig(law, random);
      rig.scheme = scheme;
      Simulation simulation = rig.simulation(friction_law(law.name, law.numbers));
      for (int i = 0; i < 20; ++i) {
        ASSERT_EQ(simulation.step(), Status::converged) << scheme << " " << law.name;
        const Step& step = simulation.last_step();
        const int n = rig.rows() - 1;
        EXPECT_LE(step.r.tail(n).dot(step.u_end.tail(n)), 1e-12) << scheme << " " << law.name;
      }
    }
  }
}

// Solvers of linear complementarity problems refuse friction; all others find the same impulses.
TEST(FrictionLaws, every_solver_takes_every_law) {
  int solved = 0;
  for (const SolverEntry& solver : solver_list()) {
    for (const Named& law : all_laws()) {
      std::mt19937 random(3);
      LawRig rig = random_rig(law, random);
      const LawAnswer expected = one_step(rig, friction_law(law.name, law.numbers));
      rig.solver = solver.name;
      try {
        const LawAnswer answer = one_step(rig, friction_law(law.name, law.numbers));
        EXPECT_EQ(answer.status, Status::converged)
            << solver.name << " " << law.name << " " << law.tangents;
        EXPECT_LT((answer.r - expected.r).norm(), 1e-8 * expected.r.norm())
            << solver.name << " " << law.name << " " << law.tangents;
        ++solved;
      } catch (const InputError& refusal) {
        EXPECT_NE(std::string(refusal.what()).find("solves linear complementarity problems"),
                  std::string::npos)
            << refusal.what();
      }
    }
  }
  EXPECT_GT(solved, 200);
}

// A plate on four corners: hyperstatic, all contacts coupled. Each of them obeys its law.
TEST(FrictionLaws, hold_at_every_corner_of_a_sliding_and_turning_plate) {
  const auto corners = [](LawPtr friction, Vector v) {
    LinearSystemData data;  // x, y, z [m], turns about them [rad], small
    data.M = diagonal({2, 2, 2, 0.1, 0.1, 0.2});
    data.C = data.K = Matrix::Zero(6, 6);
    formula::Graph graph;
    const formula::Expr inputs[] = {graph.variable("t")};
    std::vector<formula::Expr> outputs;
    for (double f : {1.0, 0.5, -20.0, 0.1, -0.2, 0.0}) outputs.push_back(graph.constant(f));
    for (int c = 0; c < 4; ++c) {
      const double x = c % 2 ? 0.5 : -0.4, y = c / 2 ? 0.3 : -0.3, below = 0.1;
      LinearContact contact;
      contact.contact.name = "corner";
      contact.contact.tangents = 2;
      contact.contact.law.own =
          combine_laws(make_law(LawKind::normal, "newton", {}), friction, nullptr);
      contact.normal = values({0, 0, 1, y, -x, 0});
      contact.tangents = {values({1, 0, 0, 0, -below, -y}), values({0, 1, 0, below, 0, x})};
      for (int k = 0; k < 4; ++k) outputs.push_back(graph.constant(0));
      data.contacts.push_back(contact);
    }
    data.time = {std::make_shared<formula::Tape>(graph, inputs, outputs), true, false};
    SimulationOptions options;
    options.h = 1e-3;
    options.solver =
        "prox-newton";  // sweeps crawl where rate-and-state friction sticks hyperstatically
    Simulation simulation(std::make_shared<LinearSystem>(data), State{0, Vector::Zero(6), v},
                          options);
    return step_of(simulation);
  };
  const auto check = [&](const char* name, LawPtr friction, auto mu) {
    int sliding = 0;
    // Fast, slow, and an impact after which most laws stick, hyperstatically.
    for (const Vector& v : {values({1, 0.5, 0, 0, 0, 2}), values({0.01, 0, 0, 0, 0, -0.1}),
                            values({0, 0, -1, 0.5, 0, 0})}) {
      const LawAnswer answer = corners(friction, v);
      EXPECT_EQ(answer.status, Status::converged) << name << " " << v.transpose();
      for (int c = 0; c < 4; ++c) {
        const Vector r = answer.r.segment(3 * c, 3), u = answer.u.segment(3 * c, 3);
        const double slip = tangential(u, 2);
        if (!(r[0] > 1e-6) || slip < 1e-9) continue;
        ++sliding;
        EXPECT_NEAR(tangential(r, 2) / r[0], mu(slip), 1e-7) << name;
        EXPECT_NEAR(r.tail(2).dot(u.tail(2)) / (slip * tangential(r, 2)), -1, 1e-9) << name;
      }
    }
    EXPECT_GT(sliding, 4) << name;
  };
  check("stribeck",
        friction_law("stribeck", {{"mu_s", 0.5}, {"mu_d", 0.3}, {"v_s", 0.2}, {"viscous", 0.1}}),
        [](double V) { return 0.3 + 0.2 * std::exp(-V * V / 0.04) + 0.1 * V; });
  check("falling", falling_law(), [](double V) { return 0.3 + 0.2 / (1 + 3 * V); });
  check("rising", rising_law(), [](double V) { return 0.6 * V / (0.1 + V); });
  check("rate-and-state", friction_law("rate-and-state", kRock), [](double V) {
    return rock_mu(V, 1e-5 / V + (10 - 1e-5 / V) * std::exp(-V * 1e-3 / 1e-5));
  });
}

TEST(FrictionLaws, say_what_they_miss) {
  const auto fault = [](const char* name, std::map<std::string, double> numbers, int tangents,
                        int turns) { return friction_law(name, numbers)->fault(tangents, turns); };
  EXPECT_NE(fault("anisotropic", {{"mu_1", 1}, {"mu_2", 1}}, 1, 0), "");
  EXPECT_EQ(fault("anisotropic", {{"mu_1", 1}, {"mu_2", 1}}, 2, 0), "");
  EXPECT_NE(fault("contensou", {{"mu", 1}, {"radius", 1}}, 2, 0), "");
  EXPECT_NE(fault("contensou", {{"mu", 1}, {"radius", 1}}, 1, 1), "");
  EXPECT_EQ(fault("contensou", {{"mu", 1}, {"radius", 1}}, 2, 1), "");
  EXPECT_NE(fault("rolling", {{"mu", 1}, {"mu_r", 1}}, 1, 0), "");
  EXPECT_NE(fault("rolling", {{"mu", 1}, {"mu_r", 1}, {"mu_s", 1}}, 1, 1), "");
  EXPECT_NE(fault("rolling", {{"mu", 1}, {"mu_r", 1}}, 2, 1), "");
  EXPECT_EQ(fault("rolling", {{"mu", 1}, {"mu_r", 0}, {"mu_s", 1}}, 2, 1), "");
  EXPECT_NE(fault("rate-and-state", kRock, 0, 0), "");
}

}  // namespace
}  // namespace clack
