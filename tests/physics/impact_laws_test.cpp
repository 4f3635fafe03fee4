// The impact laws against closed forms: one contact, three balls, a rocking block; and their
// energy.
#include <gtest/gtest.h>

#include "clack/core/error.hpp"
#include "tests/physics/law_support.hpp"
#include "tests/physics/support.hpp"
#include "tests/values.hpp"

namespace clack {
namespace {

using test::contact_with;
using test::impact;
using test::Impacted;
using test::normal_law;
using test::RandomImpact;
using test::Setting;
using test::values;

// A point of mass m above a plane: (T1, N) or (T1, T2, N).
Setting point(const LawPtr& law, int tangents, double m = 1.7) {
  const int n = tangents + 1;
  std::vector<Vector> T;
  for (int k = 0; k < tangents; ++k) T.push_back(Vector::Unit(n, k));
  return {m * Matrix::Identity(n, n), {contact_with(law, Vector::Unit(n, tangents), T)}};
}

Setting cradle(const LawPtr& first, const LawPtr& second) {
  return {Matrix::Identity(3, 3),
          {contact_with(first, values({-1, 1, 0})), contact_with(second, values({0, -1, 1}))}};
}

void expect_velocities(const Impacted& result, const Vector& expected, double tolerance = 1e-12) {
  EXPECT_EQ(result.status, Status::converged);
  EXPECT_LT((result.v - expected).cwiseAbs().maxCoeff(), tolerance) << result.v.transpose();
}

// --- one contact

TEST(Poisson, agrees_with_Newton_at_one_contact_without_friction) {
  std::mt19937 random(1);
  for (double e : {0.0, 0.3, 1.0}) {
    const RandomImpact body(random, 3, 1, 0);
    const auto by = [&](const char* law) {
      return impact(body.with([&](int) { return normal_law(law, {{"e_n", e}}); }), body.v);
    };
    expect_velocities(by("poisson"), by("newton").v);
  }
}

// Slip s, normal velocity -1: compression takes mu from the slip, expansion e mu more.
TEST(Poisson, slows_a_point_down_in_both_stages_in_the_plane_and_in_space) {
  const double mu = 0.4, m = 1.7;
  for (double e : {0.0, 0.5, 1.0}) {
    for (double slip = 0; slip < 1.2; slip += 0.1) {
      const double left = std::max(0.0, slip - mu * (1 + e));
      const LawPtr law = normal_law("poisson", {{"e_n", e}}, mu);
      const Impacted plane = impact(point(law, 1, m), values({slip, -1}));
      expect_velocities(plane, values({left, e}));
      EXPECT_NEAR(plane.r[0], m * (1 + e), 1e-11);
      for (double angle : {0.3, 2.0, 4.5}) {
        const double x = std::cos(angle), y = std::sin(angle);
        expect_velocities(impact(point(law, 2, m), values({slip * x, slip * y, -1})),
                          values({left * x, left * y, e}), 1e-11);
      }
    }
  }
}

// Mean velocities are opposed by k: m (u+ - u-) = -k (u+ + u-)/2, never below u+ = 0.
TEST(Fremond, has_the_restitution_of_its_coefficient_in_the_plane_and_in_space) {
  const double m = 1.7, mu = 0.4;
  for (double k : {0.0, 1.0, 3.4, 5.0, 20.0, 1e6}) {
    const double e = std::max(0.0, (k / 2 - m) / (k / 2 + m));
    const LawPtr law = normal_law("fremond", {{"k_n", k}}, mu);
    for (double slip = 0; slip < 1.2; slip += 0.1) {
      const double left = std::max(0.0, slip - mu * (1 + e));
      expect_velocities(impact(point(law, 1, m), values({slip, -1})), values({left, e}), 1e-11);
      expect_velocities(impact(point(law, 2, m), values({0.6 * slip, -0.8 * slip, -1})),
                        values({0.6 * left, -0.8 * left, e}), 1e-11);
    }
    const LawPtr grips = normal_law("fremond", {{"k_n", k}, {"k_t", 1.1}});
    const double kept = (m - 0.55) / (m + 0.55);
    expect_velocities(impact(point(grips, 2, m), values({2, 3, -1})),
                      values({2 * kept, 3 * kept, e}));
  }
}

TEST(Fremond, has_no_percussion_where_the_contact_does_not_approach) {
  const LawPtr law = normal_law("fremond", {{"k_n", 9.0}, {"k_t", 9.0}});
  expect_velocities(impact(point(law, 1), values({2, 0})), values({2, 0}));
}

// Percussions push only: a neighbour throws this contact open faster than it closed.
TEST(Fremond, never_pulls) {
  std::mt19937 random(3);
  for (int i = 0; i < 200; ++i) {
    const RandomImpact body(random, 4, 3, 0);
    const Impacted result = impact(body.with([](int) {
      return normal_law("fremond", {{"k_n", 8.0}});
    }),
                                   body.v);
    EXPECT_EQ(result.status, Status::converged);
    EXPECT_GE(result.r.minCoeff(), 0);
  }
}

// --- Poisson's conditions on systems with friction, whose compression Newton's law with e = 0
// gives

void expect_expansion(const Impacted& all, const Impacted& compression, int tangents, double e,
                      double mu) {
  ASSERT_EQ(all.status, Status::converged);
  ASSERT_EQ(compression.status, Status::converged);
  constexpr double kSmall = 1e-9;
  const int dim = 1 + tangents;
  for (int row = 0; row < all.r.size(); row += dim) {
    const double r_c = compression.r[row], r_e = all.r[row] - r_c, u_N = all.u[row];
    const Vector r_T = (all.r - compression.r).segment(row + 1, tangents);
    const Vector u_T = all.u.segment(row + 1, tangents);
    EXPECT_GE(r_e - e * r_c, -kSmall);
    if (r_c == 0 && compression.u_start[row] > 0) continue;  // open in this step, or not pressed
    EXPECT_GE(u_N, -kSmall);
    EXPECT_NEAR((r_e - e * r_c) * u_N, 0, kSmall);
    EXPECT_LE(r_T.norm(), mu * r_e + kSmall);
    EXPECT_NEAR(r_T.dot(u_T) + mu * r_e * u_T.norm(), 0, kSmall);
  }
}

TEST(Poisson, holds_its_conditions_at_several_contacts_with_friction) {
  std::mt19937 random(7);
  for (int tangents : {0, 1, 2}) {
    for (int i = 0; i < 100; ++i) {
      const double e = 0.1 * (i % 11), mu = 0.15 * (i % 7);
      const RandomImpact body(random, 5, 1 + i % 3, tangents);
      const auto by = [&](const LawPtr& law) {
        return impact(body.with([&](int) { return law; }), body.v, {.solver = "auto"});
      };
      expect_expansion(by(normal_law("poisson", {{"e_n", e}}, mu)),
                       by(normal_law("newton", {}, mu)), tangents, e, mu);
    }
  }
}

TEST(Poisson, is_solved_by_every_kind_of_solver_for_light_and_heavy_bodies) {
  std::mt19937 random(11);
  for (int i = 0; i < 20; ++i) {
    const RandomImpact body(random, 6, 2, 2);
    Setting setting = body.with([&](int) { return normal_law("poisson", {{"e_n", 0.7}}, 0.3); });
    const Impacted reference = impact(setting, body.v);
    for (double mass : {1e-4, 1.0, 1e5}) {
      setting.M = mass * body.M;
      for (const char* solver : {"nsgs", "auto", "newton-ac"}) {
        const Impacted result = impact(setting, body.v, {.solver = solver, .tolerance = 1e-11});
        EXPECT_EQ(result.status, Status::converged) << solver << ' ' << mass;
        EXPECT_LT((result.v - reference.v).norm(), 1e-7) << solver << ' ' << mass;
      }
    }
  }
}

// The weight of a body is no impact: there is nothing to give back.
TEST(Poisson, leaves_a_body_at_rest_at_rest) {
  Setting setting = point(normal_law("poisson", {{"e_n", 0.8}}, 0.5), 1);
  setting.f = values({1.0, -9.81 * 1.7});
  Simulation simulation = test::make_simulation(setting, values({0, 0}));
  for (int i = 0; i < 100; ++i) {
    ASSERT_EQ(simulation.step(), Status::converged);
    ASSERT_LT(simulation.v().cwiseAbs().maxCoeff(), 1e-15);
  }
}

TEST(Poisson, has_one_outcome_by_all_schemes_that_take_it_and_is_refused_by_the_others) {
  const auto by = [](const char* scheme) {
    return impact(
        cradle(normal_law("poisson", {{"e_n", 0.5}}), normal_law("poisson", {{"e_n", 1}})),
        values({1, 0, 0}), {.scheme = scheme});
  };
  for (const char* scheme : {"moreau-jean", "moreau-jean-dissipative", "moreau-midpoint", "newmark",
                             "hht", "generalized-alpha"}) {
    expect_velocities(by(scheme), values({0, 1.0 / 3, 2.0 / 3}));
  }
  for (const char* scheme : {"moreau-direct-projection", "moreau-combined-projection", "rattle",
                             "schatzman-paoli", "theta-xi", "event-driven"}) {
    EXPECT_THROW(by(scheme), InputError) << scheme;
  }
}

// --- three balls that touch

TEST(Cradle, has_one_outcome_by_both_laws_where_restitutions_are_equal) {
  for (double e : {0.0, 0.4, 1.0}) {
    const Vector expected = values({1 - 2 * (1 + e) / 3, (1 + e) / 3, (1 + e) / 3});
    for (const char* name : {"newton", "poisson"}) {
      const LawPtr law = normal_law(name, {{"e_n", e}});
      expect_velocities(impact(cradle(law, law), values({1, 0, 0})), expected);
    }
  }
}

TEST(Cradle, differs_between_the_laws_where_restitutions_differ) {
  const auto by = [](const char* name, double e_12, double e_23) {
    return impact(cradle(normal_law(name, {{"e_n", e_12}}), normal_law(name, {{"e_n", e_23}})),
                  values({1, 0, 0}));
  };
  expect_velocities(by("newton", 0.5, 1), values({0, 0.5, 0.5}));
  expect_velocities(by("poisson", 0.5, 1), values({0, 1.0 / 3, 2.0 / 3}));
  expect_velocities(by("newton", 0, 1), values({1.0 / 3, 1.0 / 3, 1.0 / 3}));
  // The expansion of the second contact closes the first again.
  expect_velocities(by("poisson", 0, 1), values({1.0 / 6, 1.0 / 6, 2.0 / 3}));
}

// --- a block that rocks on corner A when corner B strikes

// Half width b, half height a, mass 1, velocities (x, y, phi); rotating about A with -1 rad/s.
struct Block {
  double a, b;
  double inertia() const { return (a * a + b * b) / 3; }
  double housner() const { return (2 * a * a - b * b) / (2 * (a * a + b * b)); }
  Vector start() const { return values({a, -b, -1}); }

  Setting with(const LawPtr& at_A, const LawPtr& at_B) const {
    return {values({1, 1, inertia()}).asDiagonal(),
            {contact_with(at_A, values({0, 1, -b}), {values({1, 0, a})}),
             contact_with(at_B, values({0, 1, b}), {values({1, 0, a})})}};
  }
};

// Both corners grip. u_B = 2 b e, u_A = 2 b (1 + e) rho: for e = 0 Housner's block that goes on to
// rock about B with rho times the angular velocity.
TEST(RockingBlock, has_Housners_ratio_and_its_generalisation_by_both_laws) {
  const Block block{1.5, 0.5};
  for (double e : {0.0, 0.3, 1.0}) {
    for (const char* name : {"newton", "poisson"}) {
      const LawPtr law = normal_law(name, {{"e_n", e}}, 10);
      const Impacted result = impact(block.with(law, law), block.start());
      EXPECT_NEAR(result.u[0], 2 * block.b * (1 + e) * block.housner(), 1e-12);
      EXPECT_NEAR(result.u[2], 2 * block.b * e, 1e-12);
      EXPECT_NEAR(result.u[3], 0, 1e-12);
      const double turn = -block.housner() * (1 + e) + e;
      EXPECT_NEAR(result.v[2], turn, 1e-12);
    }
  }
}

// A squat block without friction presses on both corners: r_A = (b - I/b)/2, r_B = (b + I/b)/2.
// Newton turns it back about A with e_B whatever e_A is; by Poisson A hops where e_A > e_B.
TEST(RockingBlock, hops_on_the_resting_corner_by_Poissons_law_alone) {
  const Block block{0.4, 0.8};
  const double r_A = 0.5 * (block.b - block.inertia() / block.b);
  const double W_AA = 1 + block.b * block.b / block.inertia(), W_AB = 2 - W_AA;
  for (double e_A : {0.0, 0.2, 0.5, 0.9}) {
    const double e_B = 0.5;
    const auto by = [&](const char* name) {
      return impact(block.with(normal_law(name, {{"e_n", e_A}}), normal_law(name, {{"e_n", e_B}})),
                    block.start());
    };
    const Impacted newton = by("newton"), poisson = by("poisson");
    EXPECT_NEAR(newton.u[0], 0, 1e-12);
    EXPECT_NEAR(newton.u[2], 2 * block.b * e_B, 1e-12);
    const double hop = std::max(0.0, e_A - e_B) * r_A;
    EXPECT_NEAR(poisson.u[0], W_AA * hop, 1e-12);
    EXPECT_NEAR(poisson.u[2], 2 * block.b * e_B + W_AB * hop, 1e-12);
  }
}

TEST(RockingBlock, loses_its_speed_by_Housners_ratio_in_the_example) {
  const test::Outcome outcome = test::run(test::example("rocking_block"));
  EXPECT_EQ(outcome.failed_steps, 0);
  const double rho = 1 - 1.5 * 0.2 * 0.2 / (0.2 * 0.2 + 0.6 * 0.6);
  const double before = outcome.measures.at("angular velocity before the first impact");
  const double after = outcome.measures.at("angular velocity after it");
  EXPECT_NEAR(after / before, rho, 1e-3);
}

TEST(Cradle, shows_its_outcome_in_the_example) {
  const test::Outcome outcome = test::run(test::example("cradle_poisson"));
  EXPECT_EQ(outcome.failed_steps, 0);
  EXPECT_LT((outcome.v - values({0, 1.0 / 3, 2.0 / 3})).cwiseAbs().maxCoeff(), 1e-12);
}

// --- energy

struct Gains {
  double worst = -1;
  int failed = 0;
};

// law(random, i) makes the law of each contact of the i-th system.
template <class MakeLaw>
Gains energy_gains(int tangents, int systems, MakeLaw law) {
  std::mt19937 random(17);
  Gains gains;
  for (int i = 0; i < systems; ++i) {
    const RandomImpact body(random, 4 + i % 3, 1 + i % 4, tangents);
    const Setting setting = body.with([&](int) { return law(random, i); });
    const Impacted result = impact(setting, body.v, {.solver = "auto", .tolerance = 1e-12});
    if (result.status != Status::converged) {
      ++gains.failed;
      continue;
    }
    gains.worst = std::max(gains.worst, result.energy_gain(setting.M, body.v));
  }
  return gains;
}

double uniform(std::mt19937& random, double high) {
  return std::uniform_real_distribution<double>(0, high)(random);
}

void expect_no_gain(const Gains& gains) {
  EXPECT_LT(gains.worst, 1e-11);
  EXPECT_EQ(gains.failed, 0);
}

constexpr int kSystems = 400;
double restitution(int i) { return 0.25 * (i % 5); }

TEST(ImpactEnergy, never_grows_by_Poissons_law_with_friction_and_equal_restitutions) {
  for (int tangents : {0, 1, 2}) {
    expect_no_gain(energy_gains(tangents, kSystems, [](std::mt19937& random, int i) {
      return normal_law("poisson", {{"e_n", restitution(i)}}, uniform(random, 1));
    }));
  }
}

TEST(ImpactEnergy, never_grows_by_Poissons_law_without_friction_and_any_restitutions) {
  expect_no_gain(energy_gains(0, 4 * kSystems, [](std::mt19937& random, int) {
    return normal_law("poisson", {{"e_n", uniform(random, 1)}});
  }));
}

TEST(ImpactEnergy, never_grows_by_Newtons_law_with_one_restitution_for_all_rows) {
  for (int tangents : {0, 1, 2}) {
    expect_no_gain(energy_gains(tangents, kSystems, [](std::mt19937& random, int i) {
      const double e = restitution(i);
      return normal_law("newton", {{"e_n", e}, {"e_t", e}}, uniform(random, 1));
    }));
  }
}

TEST(ImpactEnergy, never_grows_by_Fremonds_law_with_any_coefficients) {
  expect_no_gain(energy_gains(0, kSystems, [](std::mt19937& random, int) {
    return normal_law("fremond", {{"k_n", uniform(random, 10)}});
  }));
  expect_no_gain(energy_gains(2, kSystems, [](std::mt19937& random, int) {
    return normal_law("fremond",
                      {{"k_n", uniform(random, 10)}, {"k_t", uniform(random, 5)}, {"e_t", 1}},
                      uniform(random, 1));
  }));
}

TEST(ImpactEnergy, never_grows_without_restitution) {
  for (const char* name : {"velocity", "quasi-shock"}) {
    expect_no_gain(energy_gains(2, kSystems, [&](std::mt19937& random, int) {
      return normal_law(name, {}, uniform(random, 1));
    }));
  }
}

TEST(ImpactEnergy, never_grows_by_Newtons_law_without_friction_and_any_restitutions) {
  expect_no_gain(energy_gains(0, 4 * kSystems, [](std::mt19937& random, int) {
    return normal_law("newton", {{"e_n", uniform(random, 1)}});
  }));
}

// Kane and Levinson's observation: it is the law, not the solver.
TEST(ImpactEnergy, can_grow_by_Newtons_law_with_friction_that_sees_the_end_alone) {
  const Gains gains = energy_gains(1, kSystems, [](std::mt19937& random, int i) {
    return normal_law("newton", {{"e_n", restitution(i)}}, uniform(random, 1));
  });
  EXPECT_GT(gains.worst, 1e-3);
  EXPECT_EQ(gains.failed, 0);
}

// By Poisson's law contacts that jam each other in the compression may give back unequal shares.
TEST(ImpactEnergy, can_grow_by_Poissons_law_with_friction_and_different_restitutions) {
  const Gains gains = energy_gains(1, 10 * kSystems, [](std::mt19937& random, int) {
    return normal_law("poisson", {{"e_n", uniform(random, 1)}}, uniform(random, 1));
  });
  EXPECT_GT(gains.worst, 1e-3);
  EXPECT_EQ(gains.failed, 0);
}

}  // namespace
}  // namespace clack
