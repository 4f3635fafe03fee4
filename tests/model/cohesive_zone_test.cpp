// Cohesive zones with an imposed motion: curves in closed form, energies whatever the step.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>

#include "clack/core/error.hpp"
#include "law_drive.hpp"

namespace clack::test {
namespace {

constexpr double kArea = 0.3;

struct Curve {
  std::string law;
  std::map<std::string, double> others;
};
const std::vector<Curve> kCurves = {{"raous-cangemi-cocou", {}},
                                    {"exponential", {}},
                                    {"trapezoidal", {{"plateau", 0.4}}},
                                    {"trapezoidal", {{"plateau", 1}}},
                                    {"bilinear", {}},
                                    {"bilinear", {{"knee_traction", 0.3}, {"knee_energy", 0.6}}}};

// A direction of separation, and how a law's mode answers to it.
struct Direction {
  int tangents;
  std::array<double, 3> e;
  double K = 0, D_i = 0, G = 0;  // T.du = K s delta d(delta); D_i = K delta_i^2
};
std::vector<Direction> directions_of(const std::string& law) {
  const double a = std::sqrt(0.5), b = std::sqrt(1.0 / 3);
  std::vector<Direction> all = {{0, {1, 0, 0}},      {1, {1, 0, 0}}, {1, {0, 1, 0}},
                                {1, {0.6, -0.8, 0}}, {2, {1, 0, 0}}, {2, {0, -a, a}},
                                {2, {b, -b, b}},     {2, {0, 0, -1}}};
  std::map<std::string, double> n = zone_numbers(law);
  for (Direction& d : all) {
    const double normal = d.e[0] * d.e[0], shear = 1 - normal;
    d.K = n["c_n"] * normal + n["c_t"] * shear;
    if (law == "raous-cangemi-cocou") {
      d.D_i = d.G = n["w"];
      continue;
    }
    // Elliptic strength, linear sum of energies, both in terms of separations.
    const double d_1 = n["s_1"] / n["c_n"], d_2 = n["s_2"] / n["c_t"];
    d.D_i = d.K / (normal / (d_1 * d_1) + shear / (d_2 * d_2));
    d.G = d.K / (n["c_n"] * normal / n["G_1"] + n["c_t"] * shear / n["G_2"]);
  }
  return all;
}

double other(const Curve& curve, const char* name, double fallback) {
  const auto it = curve.others.find(name);
  return it == curve.others.end() ? fallback : it->second;
}

// A curve in textbook form: where its pieces meet, and the traction along the direction.
struct Pieces {
  double d_i, d_p, d_u;  // elastic limit, knee, end [m]
  double T, T_p;         // strength, traction at the knee [Pa]
};
Pieces pieces_of(const Curve& curve, const Direction& d) {
  const double d_i = std::sqrt(d.D_i / d.K), T = d.K * d_i, G = d.G;
  if (curve.law == "trapezoidal") {
    const double d_p = d_i + other(curve, "plateau", 0.5) * (G / T - 0.5 * d_i);
    return {d_i, d_p, 2 * G / T - d_p + d_i, T, T};
  }
  if (curve.law != "bilinear") return {d_i, d_i, HUGE_VAL, T, T};
  const double T_p = other(curve, "knee_traction", 1) * T, phi = other(curve, "knee_energy", 0);
  return {d_i, (2 * G * phi + T_p * d_i) / T, 2 * G * (1 - phi) / T_p, T, T_p};
}

double secant_of(const Curve& curve, const Direction& d, double delta) {
  const Pieces c = pieces_of(curve, d);
  if (delta <= c.d_i) return 1;
  if (curve.law == "raous-cangemi-cocou") return std::pow(c.d_i / delta, 4);
  double traction = 0;
  if (curve.law == "exponential") {
    traction = c.T * std::exp(c.T / (d.G - 0.5 * c.T * c.d_i) * (c.d_i - delta));
  } else if (delta <= c.d_p) {
    traction = c.T + (c.T_p - c.T) * (delta - c.d_i) / (c.d_p - c.d_i);
  } else if (delta < c.d_u) {
    traction = c.T_p * (c.d_u - delta) / (c.d_u - c.d_p);
  }
  return traction / (d.K * delta);
}

// The area below the curve by Gauss-Legendre on its pieces: not the law's own sums.
double work_of(const Curve& curve, const Direction& d, double from, double to) {
  constexpr double x[] = {-0.9324695142031521, -0.6612093864662645, -0.2386191860831969,
                          0.2386191860831969,  0.6612093864662645,  0.9324695142031521};
  constexpr double w[] = {0.1713244923791704, 0.3607615730481386, 0.4679139345726910,
                          0.4679139345726910, 0.3607615730481386, 0.1713244923791704};
  const Pieces c = pieces_of(curve, d);
  double sum = 0;
  for (double kink : {c.d_i, c.d_p, c.d_u, HUGE_VAL}) {
    const double end = std::clamp(kink, from, to);
    for (int i = 0; i < 6 && end > from; ++i) {
      const double delta = 0.5 * (from + end) + 0.5 * (end - from) * x[i];
      sum += 0.5 * w[i] * (end - from) * d.K * secant_of(curve, d, delta) * delta;
    }
    from = end;
  }
  return sum;
}

std::array<double, 3> times(const std::array<double, 3>& e, double x) {
  return {x * e[0], x * e[1], x * e[2]};
}

// 1. At the ends of steps the secant is that of the curve, and the mean force over a step is the
// area below it.
TEST(CohesiveZone, FollowsItsCurveInPlaneAndSpace) {
  for (const Curve& curve : kCurves) {
    for (const Direction& d : directions_of(curve.law)) {
      LawDrive drive(zone(curve.law, curve.others), d.tangents, kArea);
      const double d_i = std::sqrt(d.D_i / d.K), step = d_i / 50;
      const double strength = d.K * d_i * kArea;
      for (int i = 0; i < 400 && drive.alive(); ++i) {
        const std::array<double, 3> force = drive.move(1e-3, times(d.e, step));
        const double delta = (i + 1) * step;
        const double s = secant_of(curve, d, delta);
        const double expected_intact = curve.law == "raous-cangemi-cocou" ? std::sqrt(s) : s;
        ASSERT_NEAR(drive.value("intact"), expected_intact, 1e-9) << curve.law << " " << i;
        double power = 0;
        for (int k = 0; k < 3; ++k) power -= force[k] * d.e[k];
        const double reference = kArea * work_of(curve, d, delta - step, delta) / step;
        ASSERT_NEAR(power, reference, 1e-9 * strength) << curve.law << " step " << i;
        // Along the stiffnesses of the rows: T = -s C u.
        const double mean = -0.5 * (2 * delta - step) * kArea;
        const double c[] = {2e6, 5e5, 5e5};
        for (int k = 1; k <= d.tangents; ++k) {
          if (d.e[k] == 0) {
            ASSERT_NEAR(force[k], 0, 1e-12 * strength);
            continue;
          }
          ASSERT_NEAR(force[k] / (c[k] * d.e[k] * mean), power / (-mean * d.K), 1e-9);
        }
      }
    }
  }
}

// 2. The work up to failure is the fracture energy in every mode, by two thousand steps or by one.
TEST(CohesiveZone, TakesTheFractureEnergyWhateverTheStep) {
  for (const Curve& curve : kCurves) {
    for (const Direction& d : directions_of(curve.law)) {
      const double d_i = std::sqrt(d.D_i / d.K);
      for (double step : {0.01, 0.03, 0.317, 1.0, 7.3, 1e6}) {
        LawDrive drive(zone(curve.law, curve.others), d.tangents, kArea);
        long steps = 0;
        double way = step * d_i;
        while (drive.alive() && steps < 1000000) {
          drive.move(1e-3, times(d.e, way));
          // Its tail is long; the ratio of the steps is arbitrary.
          if (curve.law == "raous-cangemi-cocou" && ++steps > 2000) way *= 1.1;
        }
        ASSERT_FALSE(drive.alive());
        EXPECT_NEAR(drive.work() / (kArea * d.G), 1, 1e-6) << curve.law << " step " << step;
        EXPECT_NEAR(drive.value("bond_work") / drive.work(), 1, 1e-12);
        EXPECT_NEAR(drive.value("bond_dissipated") / drive.work(), 1, 1e-9);
        EXPECT_LT(drive.value("bond_stored"), 1e-7 * drive.work());
        // It is gone: no force.
        const std::array<double, 3> after = drive.move(1e-3, times(d.e, d_i));
        for (double f : after) EXPECT_EQ(f, 0);
      }
    }
  }
}

// 3. Unloading goes straight to the origin, gives back what is stored, and loading again goes the
// same way.
TEST(CohesiveZone, UnloadsToTheOrigin) {
  for (const Curve& curve : kCurves) {
    for (const Direction& d : directions_of(curve.law)) {
      LawDrive drive(zone(curve.law, curve.others), d.tangents, kArea);
      const double d_i = std::sqrt(d.D_i / d.K), far = 1.3 * d_i;
      for (int i = 0; i < 13; ++i) drive.move(1e-3, times(d.e, far / 13));
      const double stored = drive.value("bond_stored"), work = drive.work(),
                   intact = drive.value("intact");
      const double secant = curve.law == "raous-cangemi-cocou" ? intact * intact : intact;
      EXPECT_LT(intact, 1);
      EXPECT_NEAR(stored, 0.5 * kArea * secant * d.K * far * far, 1e-12 * work);
      for (int i = 5; i > 0; --i) {
        const std::array<double, 3> force = drive.move(1e-3, times(d.e, -far / 5));
        double along = 0;
        for (int k = 0; k < 3; ++k) along -= force[k] * d.e[k];
        EXPECT_NEAR(along / (kArea * secant * d.K * (i - 0.5) * far / 5), 1, 1e-9);
      }
      EXPECT_NEAR(drive.work(), work - stored, 1e-12 * work);
      EXPECT_LT(drive.value("bond_stored"), 1e-12 * work);
      EXPECT_EQ(drive.value("intact"), intact);
      drive.move(1e-3, times(d.e, far));
      EXPECT_NEAR(drive.value("bond_stored"), stored, 1e-12 * work);
    }
  }
}

// 4. Pressed faces stretch nothing: no normal force of the bond, the shear goes on.
TEST(CohesiveZone, HasNoNormalForceInCompression) {
  for (const Curve& curve : kCurves) {
    LawDrive drive(zone(curve.law, curve.others), 1, kArea);
    const double small = 1e-4;
    EXPECT_NEAR(drive.move(1e-3, {-small, small, 0})[0], 0, 1e-12);
    EXPECT_NEAR(drive.value("bond_stored"), 0.5 * kArea * 5e5 * small * small, 1e-12);
    // Half of the way back is without force: its work is that of the second half.
    const std::array<double, 3> force = drive.move(1e-3, {2 * small, 0, 0});
    EXPECT_NEAR(-force[0] * 2 * small, 0.5 * kArea * 2e6 * small * small, 1e-12);
    EXPECT_EQ(drive.value("intact"), 1);
  }
}

// 5. Random histories: nothing is created, what is dissipated never comes back, damage does not
// heal.
TEST(CohesiveZone, NeverCreatesEnergy) {
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  for (const Curve& curve : kCurves) {
    for (double b : {0.0, 1e-3, 1.0}) {
      if (b > 0 && curve.law != "raous-cangemi-cocou") continue;
      for (int history = 0; history < 100; ++history) {
        std::map<std::string, double> others = curve.others;
        if (b > 0) others["b"] = b;
        const int tangents = history % 3;
        LawDrive drive(zone(curve.law, others), tangents, kArea, history % 2 ? 0.5 : 0.8);
        const double size = 2e-3 * std::pow(10, normal(random));
        std::array<double, 3> at{};
        double dissipated = 0, intact = 1;
        for (int i = 0; i < 60 && drive.alive(); ++i) {
          std::array<double, 3> next, way;
          for (int k = 0; k < 3; ++k) {
            next[k] = k <= tangents ? size * normal(random) : 0;
            way[k] = next[k] - at[k];
          }
          at = next;
          drive.move(1e-3 * std::exp(2 * normal(random)), way);
          const double lost = drive.value("bond_dissipated"), stored = drive.value("bond_stored");
          ASSERT_GE(lost, dissipated);
          ASSERT_LE(drive.value("intact"), intact);
          ASSERT_GE(stored, 0);
          ASSERT_NEAR(drive.work(), stored + lost, 1e-10 * (1 + drive.work()));
          dissipated = lost;
          intact = drive.value("intact");
        }
      }
    }
  }
}

double viscous_work(double b, double rate, int steps) {
  LawDrive drive(zone("raous-cangemi-cocou", {{"b", b}}), 1, 1);
  const double far = 0.2, h = far / rate / steps;  // 50 times the separation at the strength
  for (int i = 0; i < steps; ++i) drive.move(h, {far / steps, 0, 0});
  return drive.work();
}

// 6. Viscosity: more work at a higher rate; the limits b -> 0 and rate -> 0 are the law without it.
TEST(CohesiveZone, ViscosityCostsMoreAtAHigherRate) {
  const double plain = viscous_work(0, 1, 2000);
  EXPECT_NEAR(plain, 30 * (1 - 0.5 * 30 / (2e6 * 0.04)), 1e-9);  // w (1 - beta/2)
  double last = plain;
  for (double rate : {1e-3, 1e-2, 1e-1, 1.0}) {
    const double work = viscous_work(1, rate, 20000);
    EXPECT_GT(work, last * (1 + 1e-6)) << rate;
    last = work;
  }
  const double by_b = viscous_work(1e-4, 0.01, 20000) - plain,
               by_rate = viscous_work(1, 1e-6, 20000) - plain;
  EXPECT_NEAR(by_b, by_rate, 1e-9);
  EXPECT_LT(by_b, 1e-3 * plain);
  EXPECT_GT(by_b, 0);
  // Coarse steps and no viscosity to speak of: the same limit.
  EXPECT_NEAR(viscous_work(1e-12, 1, 3), plain, 1e-6);
}

// 7. The balance of the rate equation, step by step: work = stored + w |dbeta| + b dbeta^2/h.
TEST(CohesiveZone, ViscousStepsBalance) {
  const double w = 30, b = 0.5, h = 1e-4;
  LawDrive drive(zone("raous-cangemi-cocou", {{"b", b}}), 1, kArea);
  const double d_i = std::sqrt(w / 2e6);
  double beta = 1, lost = 0;
  drive.move(h, {d_i, 0, 0});  // to the threshold
  EXPECT_NEAR(drive.value("intact"), 1, 1e-12);
  for (int i = 0; i < 50; ++i) {
    drive.move(h, {0.05 * d_i, 0.01 * d_i, 0});
    const double now = drive.value("intact"), fall = beta - now;
    ASSERT_GT(fall, 0);
    ASSERT_NEAR(drive.value("bond_dissipated") - lost, kArea * (w * fall + b * fall * fall / h),
                1e-10);
    beta = now;
    lost = drive.value("bond_dissipated");
  }
}

// 8. Friction comes as the bond goes.
TEST(CohesiveZone, FrictionGrowsAsTheBondFails) {
  LawDrive drive(zone("bilinear", {{"friction_exponent", 2}}), 1);
  drive.move(1e-3, {0, 1e-4, 0});
  EXPECT_EQ(drive.statement().friction_share, 0);
  drive.move(1e-3, {0, 1e-2, 0});
  const double intact = drive.value("intact");
  drive.move(1e-3, {0, 1e-4, 0});
  EXPECT_NEAR(drive.statement().friction_share, (1 - intact) * (1 - intact), 1e-15);
  LawDrive all(zone("bilinear", {{"friction_exponent", 0}}), 1);
  all.move(1e-3, {0, 1e-4, 0});
  EXPECT_EQ(all.statement().friction_share, 1);
}

TEST(CohesiveZone, RefusesACurveThatFoldsBack) {
  EXPECT_THROW(zone("bilinear", {{"G_1", 3.9}}), InputError);  // s^2/(2c) = 4 J/m^2
  EXPECT_NO_THROW(zone("bilinear", {{"G_1", 4.1}}));
  EXPECT_THROW(zone("bilinear", {{"knee_traction", 0.5}, {"knee_energy", 0.9}}), InputError);
  EXPECT_THROW(zone("exponential", {{"c_n", -1}}), InputError);
}

}  // namespace
}  // namespace clack::test
