// Every scheme on a configuration space that is no vector space: q moves through System::advance.
#include <gtest/gtest.h>

#include <functional>

#include "clack/integrate/adaptive.hpp"
#include "clack/integrate/simulation.hpp"
#include "tests/integrate/rigid_body.hpp"

namespace clack {
namespace {

using namespace test;

const Vector3 kInertia(1, 2, 3.5), kOmega(1.2, 0.7, -1.5);

struct Choice {
  std::string scheme;
  ConstraintLevel level = ConstraintLevel::velocity;
};

std::string label(const Choice& choice) {
  return choice.scheme + ", " +
         std::string(constraint_level_names()[static_cast<std::size_t>(choice.level)]);
}

// All schemes; Newmark's family on each of its levels. Statics has no equilibrium to find here, and
// the event-driven scheme says that it cannot.
std::vector<Choice> choices() {
  std::vector<Choice> result;
  for (const SchemeInfo& info : scheme_list()) {
    if (info.name == "statics" || info.name == "event-driven") continue;
    result.push_back({std::string(info.name)});
    if (info.name != "newmark" && info.name != "hht" && info.name != "generalized-alpha") continue;
    result.push_back({std::string(info.name), ConstraintLevel::position_velocity});
    result.push_back({std::string(info.name), ConstraintLevel::position_velocity_acceleration});
  }
  return result;
}

SimulationOptions options_of(const Choice& choice, double h) {
  SimulationOptions options;
  options.scheme = choice.scheme;
  options.scheme_options.constraints = choice.level;
  options.h = h;
  options.solver = "auto";  // four corners at a time are one contact too many for sweeps
  return options;
}

// Runs to t_end and calls observe after each step; the end state.
State run(const std::shared_ptr<const System>& system, const State& initial, const Choice& choice,
          double h, double t_end, const std::function<void(const Simulation&)>& observe) {
  Simulation simulation(system, initial, options_of(choice, h));
  double worst_norm = 0, worst_balance = 0;
  long failed = 0;
  for (long k = 0; k < std::lround(t_end / h); ++k) {
    failed += simulation.step() != Status::converged;
    worst_norm = std::max(worst_norm, std::abs(simulation.q().tail<4>().norm() - 1));
    worst_balance = std::max(worst_balance, std::abs(simulation.last_step().energy.error));
    observe(simulation);
  }
  EXPECT_EQ(failed, 0) << label(choice);
  EXPECT_LE(worst_norm, 1e-12) << label(choice);
  EXPECT_LE(worst_balance, 1e-9) << label(choice);
  return {simulation.time(), simulation.q(), simulation.v()};
}

// Runge and Kutta on (p, omega), without any of the code under test but the quaternion product.
State exact_tumbling(const State& initial, double t_end) {
  using State7 = Eigen::Matrix<double, 7, 1>;
  auto rate = [](const State7& y) {
    const Eigen::Quaterniond p(y[0], y[1], y[2], y[3]);
    const Vector3 omega = y.tail<3>();
    const Eigen::Quaterniond turned = p * Eigen::Quaterniond(0, omega[0], omega[1], omega[2]);
    State7 result;
    result << 0.5 * turned.w(), 0.5 * turned.x(), 0.5 * turned.y(), 0.5 * turned.z(),
        (-omega.cross(kInertia.cwiseProduct(omega))).cwiseQuotient(kInertia);
    return result;
  };
  State7 y;
  y << initial.q.tail<4>(), initial.v.tail<3>();
  const int steps = 20000;
  const double h = t_end / steps;
  for (int k = 0; k < steps; ++k) {
    const State7 k1 = rate(y), k2 = rate(y + 0.5 * h * k1), k3 = rate(y + 0.5 * h * k2),
                 k4 = rate(y + h * k3);
    y += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
  }
  State end = initial;
  end.q.tail<4>() = y.head<4>();
  end.v.tail<3>() = y.tail<3>();
  return end;
}

bool is_second_order(const Choice& choice) {
  for (const char* first :
       {"moreau-midpoint", "schatzman-paoli", "semi-implicit-2", "semi-implicit-3"}) {
    if (choice.scheme == first) return false;
  }
  return true;
}

TEST(Rotation, converges_with_the_order_of_each_scheme_for_a_tumbling_body) {
  const auto body = std::make_shared<RigidBody>(2, kInertia, 0);
  const State start = body_at({0, 0, 1}, Eigen::Quaterniond::Identity(), {1, 0, 0}, kOmega);
  const double t_end = 2;
  const State exact = exact_tumbling(start, t_end);
  const Vector3 momentum = body->spatial_momentum(start.q, start.v);
  const double energy = body->energies(0, start.q, start.v).kinetic;
  for (const Choice& choice : choices()) {
    auto errors = [&](double h) {
      const State end = run(body, start, choice, h, t_end, [](const Simulation&) {});
      const double state =
          (rotation_of(end.q) - rotation_of(exact.q)).norm() + (end.v - exact.v).norm();
      return std::array<double, 3>{state, (body->spatial_momentum(end.q, end.v) - momentum).norm(),
                                   std::abs(body->energies(0, end.q, end.v).kinetic - energy)};
    };
    const std::array<double, 3> coarse = errors(4e-3), fine = errors(2e-3);
    const double order = std::log2(coarse[0] / fine[0]);
    const double lowest = is_second_order(choice) ? 1.9 : 0.9;
    std::printf("  %s: order %.3f, error %.1e; momentum %.1e, energy %.1e\n", label(choice).c_str(),
                order, fine[0], fine[1], fine[2]);
    EXPECT_GE(order, lowest) << label(choice);
    for (int i : {1, 2}) {  // momentum and energy; some schemes keep one to round-off
      if (fine[i] <= 1e-10) continue;
      EXPECT_GE(std::log2(coarse[i] / fine[i]), lowest) << label(choice) << i;
    }
  }
}

// m v + (J/R) e_z x omega does not change while the floor pushes at the point of contact.
TEST(Rotation, a_sliding_ball_ends_up_rolling_with_the_closed_form) {
  const double R = 0.1, m = 1.3;
  ContactLaw law;
  law.mu = 0.3;
  const auto ball = std::make_shared<RigidBody>(m, Vector3::Constant(0.4 * m * R * R), 9.81);
  ball->add_sphere(R, law);
  const Eigen::Quaterniond turned = Eigen::Quaterniond(0.3, -0.5, 0.7, 0.2).normalized();
  const Vector3 speed(1, -0.4, 0), spin(4, 9, -3);
  auto error = [&](const Choice& choice, const Vector3& omega, double h) {
    const State start = body_at({0, 0, R}, turned, speed, turned.conjugate() * omega);
    const Vector3 rolling = (5 * speed + 2 * R * omega.cross(Vector3::UnitZ())) / 7;
    const State end = run(ball, start, choice, h, 0.6, [](const Simulation&) {});
    const Vector3 end_omega = rotation_of(end.q) * end.v.tail<3>();
    const double z_error = choice.scheme == "naive-hht" ? 0 : std::abs(end.q[2] - R);
    // Not v_z: central differences' has half a step of gravity, which the floor takes next.
    return (end.v.head<2>() - rolling.head<2>()).norm() + std::abs(end_omega[2] - omega[2]) +
           z_error;
  };
  for (const Choice& choice : choices()) {
    // Without spin it turns about one axis, and nothing is left to discretise.
    EXPECT_LE(error(choice, Vector3::Zero(), 2e-3), 1e-8) << label(choice);
    // With spin the torque turns within the step.
    const double coarse = error(choice, spin, 2e-3), fine = error(choice, spin, 1e-3);
    EXPECT_LE(coarse, 0.03) << label(choice);
    EXPECT_LE(fine, std::max(0.55 * coarse, 1e-10)) << label(choice);
  }
}

TEST(Rotation, steps_may_adapt_themselves) {
  const auto body = std::make_shared<RigidBody>(2, kInertia, 0);
  const State start = body_at({0, 0, 1}, Eigen::Quaterniond::Identity(), {1, 0, 0}, kOmega);
  const State exact = exact_tumbling(start, 2);
  for (const Choice& choice : choices()) {
    SimulationOptions options = options_of(choice, 1e-2);
    if (!make_scheme(options.scheme, options.scheme_options)->step_may_vary()) continue;
    options.adaptive.emplace();
    options.adaptive->tolerance = 1e-6;
    AdaptiveSimulation simulation(body, start, options, 2);
    while (!simulation.done()) simulation.step();
    const StatePoint& end = simulation.state().end;
    EXPECT_NEAR(end.q.tail<4>().norm(), 1, 1e-12) << label(choice);
    EXPECT_LE((rotation_of(end.q) - rotation_of(exact.q)).norm(), 5e-2) << label(choice);
    EXPECT_EQ(simulation.figures().forced, 0) << label(choice);
  }
}

TEST(Rotation, a_tumbling_box_does_not_penetrate_where_contact_stands_on_positions) {
  ContactLaw law;
  law.mu = 0.4;
  const auto box = std::make_shared<RigidBody>(1.5, Vector3(0.02, 0.03, 0.04), 9.81);
  for (int i = 0; i < 8; ++i) {
    box->add_point({i & 1 ? 0.1 : -0.1, i & 2 ? 0.2 : -0.2, i & 4 ? 0.15 : -0.15}, law);
  }
  const Eigen::Quaterniond turned = Eigen::Quaterniond(0.8, 0.4, -0.3, 0.2).normalized();
  const State start = body_at({0, 0, 0.4}, turned, {0.8, 0.3, 0}, {2, -1, 3});
  for (const Choice& choice : choices()) {
    const bool on_velocity = choice.level == ConstraintLevel::velocity;
    if (choice.scheme == "naive-hht") continue;
    double deepest = 0;
    const State end = run(box, start, choice, 1e-3, 0.8, [&](const Simulation& s) {
      deepest = std::min(deepest, s.last_step().end.gap.minCoeff());
    });
    const bool velocity_scheme =
        on_velocity && (choice.scheme.starts_with("moreau-jean") || choice.scheme == "newmark" ||
                        choice.scheme == "hht" || choice.scheme == "generalized-alpha" ||
                        choice.scheme == "moreau-midpoint" || choice.scheme == "semi-implicit-2");
    std::printf("  %s: deepest %.1e m\n", label(choice).c_str(), deepest);
    EXPECT_GE(deepest, velocity_scheme ? -2e-2 : -1e-9) << label(choice);
    EXPECT_LE(box->energies(0, end.q, end.v).kinetic, 3) << label(choice);
  }
}

}  // namespace
}  // namespace clack
