// Nonsmooth modes with contacts of finite length, and with several impacts.
#include "clack/analyse/modes/lasting_contact.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "clack/analyse/modes/impact_modes.hpp"
#include "clack/core/error.hpp"
#include "tests/analyse/orbit_scenes.hpp"

namespace clack {
namespace {

Scene massless_rod(int n) {
  const std::string text = R"(clack: 1
system:
  type: linear
  rod: {length: 1, area: 1, young: 1, density: 1, elements: )" +
                           std::to_string(n) + R"(, mass: massless-tip, left: clamped}
  contacts:
    - {name: wall, G: {u)" +
                           std::to_string(n) +
                           R"(: -1}, g0: 1}
initial: {v: 0}
simulation: {theta: 0.51, step: 1.0e-3, end: 1}
)";
  return test::scene_of(text);
}

struct Known {
  int n;
  double tau, E, digits;
};

TEST(LastingContactModes, of_the_massless_tip_are_those_known) {
  for (const Known& c : {Known{2, 1.1348521363, 8.0437171101, 1e-9},
                         {3, .95219178, 4.48740629, 1e-8},
                         {5, .7513604736, 2.7700167316, 1e-9}}) {
    const Scene scene = massless_rod(c.n);
    const LastingContactModes modes(*scene.system);
    bool found = false;
    for (const LastingContactMode& mode : modes.modes(3.5)) {
      std::printf("  n = %d: tau %.10f, E %.10f %s\n", c.n, mode.contact, mode.energy,
                  mode.inadmissible.c_str());
      if (std::abs(mode.contact - c.tau) > 1e-6) continue;
      found = true;
      EXPECT_TRUE(mode.admissible) << mode.inadmissible;
      EXPECT_NEAR(mode.contact, c.tau, c.digits);
      EXPECT_NEAR(mode.energy, c.E, c.digits * c.E);
      if (c.n != 5) continue;
      const double middle[] = {.47575684, 1.06864852, 1.55688204, 1.53988968, 1};
      for (int i = 0; i < 5; ++i) EXPECT_NEAR(mode.middle[i], middle[i], 1e-8) << i;
    }
    EXPECT_TRUE(found) << c.n;
  }
}

// Two springs, one mass: T = tau + 2 (pi - arc)/om_f, by hand.
TEST(LastingContactModes, keep_their_energy_and_follow_the_equations_of_motion) {
  const Scene scene = massless_rod(5);
  const LastingContactModes modes(*scene.system);
  Matrix M(5, 5), K(5, 5), C(5, 5);
  const Vector zero = Vector::Zero(5);
  scene.system->mass(0, zero, M);
  scene.system->jacobians(0, zero, zero, K, C);
  for (const LastingContactMode& mode : modes.modes(3.5)) {
    if (!mode.admissible) continue;
    for (int k = 0; k < 40; ++k) {
      const double t = 3.5 * (k + 0.37) / 40, d = 1e-4;
      const State now = modes.state(mode, t), back = modes.state(mode, t - d),
                  ahead = modes.state(mode, t + d);
      const double E = 0.5 * now.v.dot(M * now.v) + 0.5 * now.q.dot(K * now.q);
      EXPECT_NEAR(E, mode.energy, 1e-9) << t;
      const Vector rest = M * (ahead.q - 2 * now.q + back.q) / (d * d) + K * now.q;
      EXPECT_LT(rest.head(4).norm(), 1e-4 * mode.energy) << t;
      EXPECT_LE(now.q[4], 1 + 1e-12) << t;
      EXPECT_LT(std::min(std::abs(rest[4]), 1 - now.q[4]), 1e-9) << t;  // open, or without force
      EXPECT_LT(rest[4], 1e-9) << t;                                    // the wall pushes back
    }
  }
}

TEST(LastingContactModes, refuse_what_has_none) {
  const Scene chain = test::scene_of(test::kChain);
  EXPECT_THROW(LastingContactModes{*chain.system}, InputError);
}

TEST(ImpactModes, search_for_several_impacts_finds_the_known_pairs_and_triples) {
  const Scene scene = test::scene_of(test::kChain);
  const ImpactModes modes(*scene.system);
  const auto two = modes.impacts(8, 2);
  EXPECT_TRUE(std::any_of(two.begin(), two.end(), [](const ImpactMode& mode) {
    return mode.admissible && std::abs(mode.energy - 4.1163811086) < 1e-8;
  }));
  // Each triple that is admissible closes under the event-driven motion.
  int admissible = 0;
  for (double T : {12.0, 16.0, 20.0, 24.0}) {
    for (const ImpactMode& mode : modes.impacts(T, 3)) {
      EXPECT_LT(mode.residual, 1e-9);
      if (!mode.admissible) continue;
      ++admissible;
      const double last = mode.times.back();
      const State start = modes.state(mode, last + 0.5 * (T - last));
      const MappedFlow flow = FlowMap(scene.system).compute(start, T, false);
      ASSERT_TRUE(flow.good()) << flow.note;
      EXPECT_EQ(flow.impacts, 3);
      EXPECT_LT((flow.end.q - start.q).norm() + (flow.end.v - start.v).norm(), 1e-8);
    }
  }
  std::printf("  %d admissible orbits of three impacts\n", admissible);
  EXPECT_GT(admissible, 0);
}

}  // namespace
}  // namespace clack
