// Equilibria with curved contacts and constraints: their geometric stiffness decides.
#include <gtest/gtest.h>

#include <numbers>

#include "tests/physics/support.hpp"

namespace clack {
namespace {

Scene statics_scene(const std::string& system, const std::string& start) {
  return parse_scene("scene", "clack: 1\nsystem:\n" + system + "initial: {q: " + start +
                                  "}\nsimulation: {step: 1, end: 1, scheme: statics}\n");
}

// One instant; the number of passes is part of the claim.
test::Outcome equilibrium(const Scene& scene, int most_passes) {
  const test::Outcome outcome = test::run(scene, [&](const Simulation& simulation) {
    EXPECT_LE(simulation.last_step().newton_iterations, most_passes);
  });
  EXPECT_EQ(outcome.failed_steps, 0);
  return outcome;
}

// On the circle (sin a, 1 - cos a): tan a = 0.03 m g/(m g + k R).
TEST(Statics, ABodyInARoundBowlOnWeakSpringsFindsTheBottomOfItsEnergy) {
  const std::string bowl = R"(  type: lagrangian
  coordinates: [x, y]
  kinetic: 0.5*(x'^2 + y'^2)
  potential: 9.81*y - 0.03*9.81*x + 0.5*0.001*(x^2 + y^2)
  contacts: [{name: bowl, gap: 1 - sqrt(x^2 + (y - 1)^2)}]
)";
  const double angle = std::atan(0.03 * 9.81 / (9.81 + 0.001));
  for (const char* start : {"[0, 0]", "[0, 0.001]", "[0.3, 0.2]", "[-0.6, 0.5]", "[0.02999, 0]"}) {
    const test::Outcome outcome = equilibrium(statics_scene(bowl, start), 20);
    EXPECT_NEAR(outcome.q[0], std::sin(angle), 1e-11) << start;
    EXPECT_NEAR(outcome.q[1], 1 - std::cos(angle), 1e-11) << start;
    EXPECT_NEAR(outcome.q[0], 0.02999, 1e-5);
  }
}

// Ten links of 1 m between supports 6 m apart, nine nodes of 1 kg: the horizontal force S is the
// same in all links, the vertical one changes by m g per node.
constexpr int kLinks = 10;
constexpr double kSpan = 6, kWeight = 9.81;

double vertical_force(int link) { return (0.5 * (kLinks - 1) - link) * kWeight; }

// The horizontal force, by bisection on the span.
double horizontal_force() {
  double low = 1e-3, high = 1e3;
  for (int i = 0; i < 200; ++i) {
    const double S = 0.5 * (low + high);
    double span = 0;
    for (int k = 0; k < kLinks; ++k) span += S / std::hypot(S, vertical_force(k));
    (span < kSpan ? low : high) = S;
  }
  return low;
}

Vector hanging_chain() {
  const double S = horizontal_force();
  Vector q(2 * (kLinks - 1));
  double x = 0, y = 0;
  for (int k = 0; k + 1 < kLinks; ++k) {
    const double force = std::hypot(S, vertical_force(k));
    x += S / force;
    y -= vertical_force(k) / force;
    q[2 * k] = x;
    q[2 * k + 1] = y;
  }
  return q;
}

std::string chain_system() {
  std::string names, kinetic, potential, constraints;
  const auto node = [](const char* axis, int k) { return axis + std::to_string(k); };
  for (int k = 1; k < kLinks; ++k) {
    names += (k > 1 ? ", " : "") + node("x", k) + ", " + node("y", k);
    kinetic += (k > 1 ? " + " : "") + node("x", k) + "'^2 + " + node("y", k) + "'^2";
    potential += (k > 1 ? " + " : "") + node("y", k);
  }
  for (int k = 1; k <= kLinks; ++k) {
    const std::string x0 = k > 1 ? node("x", k - 1) : "0", y0 = k > 1 ? node("y", k - 1) : "0";
    const std::string x1 = k < kLinks ? node("x", k) : "6", y1 = k < kLinks ? node("y", k) : "0";
    constraints += "    - {name: link " + std::to_string(k) + ", equation: sqrt((" + x1 + " - " +
                   x0 + ")^2 + (" + y1 + " - " + y0 + ")^2) - 1}\n";
  }
  return "  type: lagrangian\n  coordinates: [" + names + "]\n  kinetic: 0.5*(" + kinetic +
         ")\n  potential: 9.81*(" + potential + ")\n  constraints:\n" + constraints;
}

std::string start_of(const Vector& q) {
  std::string text;
  char number[40];
  for (double x : q) {
    std::snprintf(number, sizeof number, "%.17g", x);
    text += (text.empty() ? "[" : ", ") + std::string(number);
  }
  return text + "]";
}

void expect_chain(const Vector& start, int most_passes) {
  const test::Outcome outcome =
      equilibrium(statics_scene(chain_system(), start_of(start)), most_passes);
  EXPECT_LE((outcome.q - hanging_chain()).cwiseAbs().maxCoeff(), 1e-11);
  for (int k = 0; k < kLinks; ++k) {
    EXPECT_NEAR(outcome.r[k], -std::hypot(horizontal_force(), vertical_force(k)), 1e-9);
  }
}

TEST(Statics, AHangingChainOfTenLinksStaysInItsExactSolution) { expect_chain(hanging_chain(), 3); }

TEST(Statics, AHangingChainOfTenLinksIsFoundFromRoughStarts) {
  for (const double sag : {3.0, 1.5, 0.5}) {
    Vector start(2 * (kLinks - 1));
    for (int k = 1; k < kLinks; ++k) {
      const double s = 2.0 * k / kLinks - 1;
      start[2 * k - 2] = kSpan * k / kLinks;
      start[2 * k - 1] = -sag * (1 - s * s);
    }
    expect_chain(start, 20);
  }
}

TEST(Statics, AFreeEquilibriumIsNotMeasuredByItsOwnRoundOff) {
  const std::string system = R"(  type: lagrangian
  coordinates: [x]
  kinetic: 0.5*x'^2
  potential: cos(x)
)";
  for (const char* start : {"[3]", "[2]", "[pi]"}) {
    const test::Outcome outcome = equilibrium(statics_scene(system, start), 10);
    EXPECT_NEAR(outcome.q[0], std::numbers::pi, 1e-12) << start;
  }
}

// K is constant and M too: the first pass left the circle.
TEST(Statics, ALinearSystemMeetsACurvedConstraint) {
  const std::string system = R"(  type: lagrangian
  coordinates: [x, y]
  kinetic: 0.5*(x'^2 + y'^2)
  potential: 9.81*y + 0.5*100*(x^2 + y^2)
  constraints: [{name: circle, equation: x^2 + y^2 - 1}]
)";
  const test::Outcome outcome = equilibrium(statics_scene(system, "[0.8, -0.7]"), 20);
  EXPECT_NEAR(outcome.q[0], 0, 1e-12);
  EXPECT_NEAR(outcome.q[1], -1, 1e-12);
  EXPECT_NEAR(outcome.r[0], 0.5 * (100 - 9.81), 1e-9);
}

}  // namespace
}  // namespace clack
