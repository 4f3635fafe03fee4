// Rotors behind gears and springs on several coordinates together, against closed forms.
#include "clack/core/error.hpp"
#include "mechanism_support.hpp"

namespace clack {
namespace {

using test::Mechanism;

const std::vector<std::string> kSchemes = {"stewart-trinkle",   "moreau-jean",
                                           "moreau-midpoint",   "rattle",
                                           "generalized-alpha", "event-driven"};

// Two flywheels on one axis, a motor between them with a rotor of 2e-3 kg m2 behind a gear of 5.
const char* const kFlywheels = R"(
clack: 1
system:
  type: rigid-bodies
  gravity: [0, 0, 0]
  materials: {steel: {}}
  shapes: {disc: {cylinder: {radius: 0.1, length: 0.01}}}
  bodies:
    - {name: a, shape: disc, mass: 1, inertia: [0.1, 0.1, 0.2], collide: false}
    - {name: b, shape: disc, mass: 1, inertia: [0.1, 0.1, 0.3], position: [0, 0, 0.1], collide: false}
  joints:
    - {name: axle, kind: revolute, bodies: [ground, a], point: [0, 0, 0], axis: [0, 0, 1]}
    - {name: motor, kind: revolute, bodies: [a, b], point: [0, 0, 0.1], axis: [0, 0, 1], motor: {force: 0.6},
       armature: {inertia: 2.0e-3, ratio: 5}}
simulation: {step: 1.0e-3, end: 0.5}
solver: {tolerance: 1.0e-10}
)";

TEST(Armature, OfAMotorBetweenTwoFlywheelsActsAsTheInertiaOfTheClosedForm) {
  const double together = 1 / (1 / 0.2 + 1 / 0.3), acceleration = 0.6 / (together + 0.05);
  for (const std::string& scheme : kSchemes) {
    Mechanism wheels = Mechanism::text(kFlywheels, {test::scheme_is(scheme)});
    wheels.run_to(0.5);
    wheels.expect_sound(scheme);
    EXPECT_NEAR(wheels.rate("motor_angle"), 0.5 * acceleration, 1e-8) << scheme;
    // The rotor has its own energy; nothing turns in all.
    EXPECT_NEAR(0.2 * wheels.spin("a").z() + 0.3 * wheels.spin("b").z(), 0, 1e-10) << scheme;
    const double rate = 0.5 * acceleration;
    EXPECT_NEAR(wheels.energy(), 0.5 * (together + 0.05) * rate * rate, 1e-8) << scheme;
  }
}

// A rod with a gear of its own: the rotor as a body, coupled by its teeth, or as an armature.
const char* const kGearedRod = R"(
clack: 1
system:
  type: rigid-bodies
  space: 2d
  gravity: [0, -9.81]
  materials: {steel: {}}
  bodies:
    - {name: rod, shape: {capsule: {radius: 0.01, length: 1}}, mass: 1, inertia: 1/12, position: [0.5, 0], collide: false}
ROTOR
  joints:
    - {name: pivot, kind: revolute, bodies: [ground, rod], point: [0, 0]ARMATURE}
GEAR
simulation: {step: 1.0e-3, end: 0.5}
solver: {tolerance: 1.0e-10}
)";

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  return text.replace(text.find(what), what.size(), by);
}

TEST(Armature, MovesARodAsARotorThatIsABodyBehindAGear) {
  std::string armature = replaced(kGearedRod, "ROTOR\n", "");
  armature = replaced(armature, "ARMATURE", ", armature: {inertia: 0.01, ratio: -6}");
  armature = replaced(armature, "GEAR\n", "");
  std::string body = replaced(kGearedRod, "ROTOR",
                              "    - {name: rotor, shape: {disc: {radius: 0.02}}, mass: 1, "
                              "inertia: 0.01, position: [2, 0], collide: false}");
  body = replaced(body, "ARMATURE", "");
  body = replaced(body, "GEAR",
                  "    - {name: shaft, kind: revolute, bodies: [ground, rotor], point: [2, 0]}\n"
                  "  couplers: [{name: teeth, of: {pivot: -6, shaft: -1}}]");
  for (const test::Method& method : test::methods()) {
    std::vector<std::string> settings = method.settings(1e-3);
    Mechanism a = Mechanism::text(armature, settings), b = Mechanism::text(body, settings);
    a.run_to(0.5);
    b.run_to(0.5);
    a.expect_sound(method.name);
    b.expect_sound(method.name);
    // By stewart-trinkle a difference of second order, below its own error of 1e-3.
    const double near = method.name == "stewart-trinkle" ? 1e-4 : 1e-8;
    EXPECT_NEAR(a.coordinate("pivot_angle"), b.coordinate("pivot_angle"), 0.1 * near)
        << method.name;
    EXPECT_NEAR(a.rate("pivot_angle"), b.rate("pivot_angle"), near) << method.name;
    EXPECT_NEAR(a.energy(), b.energy(), near) << method.name;
  }
}

// (m + J) r'' = m r w^2,   (I + m r^2) w = constant.
std::array<double, 2> slid(double end) {
  const double m = 0.5, J = 0.7, I = 0.2, L = (I + m * 0.04) * 3;
  const auto rate = [&](double r) {
    const double w = L / (I + m * r * r);
    return m * r * w * w / (m + J);
  };
  double r = 0.2, s = 0;
  const int n = 20000;
  const double h = end / n;
  for (int k = 0; k < n; ++k) {
    const double a1 = rate(r), a2 = rate(r + 0.5 * h * s),
                 a3 = rate(r + 0.5 * h * (s + 0.5 * h * a1)), a4 = rate(r + h * (s + 0.5 * h * a2));
    r += h * s + h * h / 6 * (a1 + a2 + a3);
    s += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
  }
  return {r, s};
}

const char* const kTurningSlide = R"(
clack: 1
system:
  type: rigid-bodies
  space: 2d
  gravity: [0, 0]
  materials: {steel: {}}
  bodies:
    - {name: arm, shape: {capsule: {radius: 0.01, length: 1}}, mass: 1, inertia: 0.19, spin: 3, collide: false}
    - {name: bead, shape: {disc: {radius: 0.02}}, mass: 0.5, inertia: 0.01, position: [0.2, 0], velocity: [0, 0.6], spin: 3, collide: false}
  joints:
    - {name: axle, kind: revolute, bodies: [ground, arm], point: [0, 0]}
    - {name: rail, kind: prismatic, bodies: [arm, bead], point: [0.2, 0], axis: [1, 0], armature: 0.7}
simulation: {step: 1.0e-3, end: 1}
solver: {tolerance: 1.0e-10}
)";

TEST(Armature, OfASlideOnATurningArmFeelsNoCentrifugalForceOfItsOwn) {
  const std::array<double, 2> exact = slid(1);
  for (const test::Method& method : test::methods()) {
    test::expect_converges(
        method, 2e-3, method.order > 1 ? 2e-5 : 5e-3,
        [&](const std::vector<std::string>& settings) {
          Mechanism slide = Mechanism::text(kTurningSlide, settings);
          slide.run_to(1);
          slide.expect_sound(method.name);
          const double turning = (0.2 + 0.5 * std::pow(0.2 + slide.coordinate("rail_slide"), 2)) *
                                 slide.spin("arm").z();
          EXPECT_NEAR(turning, 0.66, method.order > 1 ? 1e-4 : 2e-2) << method.name;
          return std::abs(0.2 + slide.coordinate("rail_slide") - exact[0]);
        });
  }
}

TEST(Armature, OfABodyThatIsDrivenIsRefused) {
  std::string text = kFlywheels;
  text = replaced(text, "{name: a, shape: disc, mass: 1, inertia: [0.1, 0.1, 0.2], collide: false}",
                  "{name: a, shape: disc, driven: {rotation: [0, 0, t]}, collide: false}");
  text = replaced(text,
                  "    - {name: axle, kind: revolute, bodies: [ground, a], point: [0, 0, 0], axis: "
                  "[0, 0, 1]}\n",
                  "");
  try {
    (void)parse_scene("scene", text);
    FAIL() << "was not refused";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("armature"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("acceleration"), std::string::npos) << error.what();
  }
}

// --- springs on several coordinates ------------------------------------------------------------------

// A body on a bushing at its centre whose matrix is that of three springs at the point s beside it:
// F = -k (d + turn x s), M = s x F. A force (1, 2, 3) mN and a moment (4, -5, 6) mN m on it.
const char* const kBushed = R"(
clack: 1
system:
  type: rigid-bodies
  gravity: [0, 0, 0]
  materials: {steel: {mu: 0}}
  bodies:
    - {name: body, shape: {sphere: {radius: 0.1}}, mass: 2, inertia: [0.03, 0.04, 0.05], collide: false,
       force: [1.0e-3, 2.0e-3, 3.0e-3], torque: [4.0e-3, -5.0e-3, 6.0e-3]}
  joints:
BUSHINGS
simulation: {step: 1.0e-3, end: END, scheme: SCHEME}
solver: {tolerance: 1.0e-11}
)";

using Matrix6 = Eigen::Matrix<double, 6, 6>;

// Of springs along the axes at s, and springs of turning.
Matrix6 offset_springs(const Vector3& k, const Vector3& turning, const Vector3& s) {
  Matrix6 K = Matrix6::Zero();
  const Matrix3 linear = k.asDiagonal(), cross = skew(s);
  K.topLeftCorner<3, 3>() = linear;
  K.topRightCorner<3, 3>() = -linear * cross;
  K.bottomLeftCorner<3, 3>() = cross * linear;
  K.bottomRightCorner<3, 3>() = Matrix3(turning.asDiagonal()) - cross * linear * cross;
  return K;
}

std::string text_of(const Matrix6& K) {
  std::string text = "[";
  for (int i = 0; i < 6; ++i) {
    text += i > 0 ? ", [" : "[";
    for (int j = 0; j < 6; ++j) {
      char number[40];
      std::snprintf(number, sizeof number, "%s%.17g", j > 0 ? ", " : "", K(i, j));
      text += number;
    }
    text += "]";
  }
  return text + "]";
}

std::string bushed(const std::string& joints, const std::string& scheme, const std::string& end) {
  std::string text = replaced(kBushed, "BUSHINGS", joints);
  text = replaced(text, "SCHEME", scheme);
  return replaced(text, "END", end);
}

const Vector3 kStiff(1000, 2000, 1500), kTurning(30, 40, 50), kBeside(0.1, -0.2, 0.15);

std::string coupled_bushing(double damping) {
  const Matrix6 K = offset_springs(kStiff, kTurning, kBeside);
  return "    - {name: bush, kind: bushing, bodies: [ground, body], point: [0, 0, 0], spring: "
         "{stiffness: " +
         text_of(K) + ", damping: " + text_of(damping * K) + "}}";
}

TEST(SpringMatrix, GivesTheDeflectionOfItsInverse) {
  Eigen::Matrix<double, 6, 1> load;
  load << 1e-3, 2e-3, 3e-3, 4e-3, -5e-3, 6e-3;
  const Eigen::Matrix<double, 6, 1> way =
      offset_springs(kStiff, kTurning, kBeside).ldlt().solve(load);
  Mechanism body = Mechanism::text(bushed(coupled_bushing(0), "statics", "1.0e-3"));
  body.run_to(1e-3);
  const char* const names[] = {"x", "y", "z", "turn_x", "turn_y", "turn_z"};
  for (int i = 0; i < 6; ++i)
    EXPECT_NEAR(body.coordinate(std::string("bush_") + names[i]), way[i], 1e-4 * way.norm()) << i;
}

// The same springs one by one at the point beside: to first order in the deflection.
TEST(SpringMatrix, OfOffsetSpringsMovesTheBodyAsTheseDo) {
  const std::string springs =
      "    - {name: beside, kind: bushing, bodies: [ground, body], point: [0.1, -0.2, 0.15], "
      "spring: ["
      "{coordinate: x, stiffness: 1000, damping: 2}, {coordinate: y, stiffness: 2000, damping: 4},"
      "{coordinate: z, stiffness: 1500, damping: 3}, {coordinate: turn_x, stiffness: 30, damping: "
      "0.06},"
      "{coordinate: turn_y, stiffness: 40, damping: 0.08}, {coordinate: turn_z, stiffness: 50, "
      "damping: 0.1}]}";
  for (const char* scheme : {"stewart-trinkle", "moreau-jean", "generalized-alpha", "rattle"}) {
    Mechanism one = Mechanism::text(bushed(coupled_bushing(2e-3), scheme, "0.5")),
              other = Mechanism::text(bushed(springs, scheme, "0.5"));
    one.run_to(0.5);
    other.run_to(0.5);
    one.expect_sound(scheme);
    other.expect_sound(scheme);
    const Vector3 a = one.position("body"), b = other.position("body");
    EXPECT_GT(a.norm(), 1e-6);
    EXPECT_NEAR((a - b).norm(), 0, 1e-3 * a.norm()) << scheme;
    const Vector3 turned = one.axis("body", {0, 0, 1}) - other.axis("body", {0, 0, 1});
    EXPECT_NEAR(turned.norm(), 0, 1e-7) << scheme;
  }
}

TEST(SpringMatrix, WithoutDampingKeepsTheEnergyAndLosesWhatItsDampingTakes) {
  for (const char* scheme : {"moreau-jean", "rattle", "stewart-trinkle"}) {
    Mechanism body = Mechanism::text(bushed(coupled_bushing(2e-3), scheme, "0.5"));
    body.run_to(0.5);
    body.expect_sound(scheme);
    EXPECT_LT(body.totals().work_damping, 0) << scheme;
    EXPECT_GT(body.totals().work_external, 0) << scheme;
  }
  Mechanism body = Mechanism::text(bushed(coupled_bushing(0), "moreau-jean", "0.5"));
  body.run_to(0.5);
  EXPECT_NEAR(body.energy(), body.totals().work_external, 1e-3 * body.energy());
}

TEST(SpringMatrix, ThatIsNotSymmetricOrPushesOutwardsIsRefused) {
  Matrix6 K = offset_springs(kStiff, kTurning, kBeside);
  const auto fault = [&](const Matrix6& matrix) -> std::string {
    try {
      (void)parse_scene(
          "scene",
          bushed("    - {name: bush, kind: bushing, bodies: [ground, body], point: [0, 0, 0], "
                 "spring: {stiffness: " +
                     text_of(matrix) + "}}",
                 "moreau-jean", "1"));
    } catch (const InputError& error) {
      return error.what();
    }
    return {};
  };
  EXPECT_EQ(fault(K), "");
  K(0, 4) += 1;
  EXPECT_NE(fault(K).find("not symmetric: the entry"), std::string::npos) << fault(K);
  K(4, 0) += 1;
  K(2, 2) = -5;
  EXPECT_NE(fault(K).find("negative eigenvalue"), std::string::npos) << fault(K);
}

}  // namespace
}  // namespace clack
