// The event-driven scheme against closed forms, whatever the step.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "clack/core/error.hpp"
#include "tests/order/exact.hpp"

namespace clack {
namespace {

using test::Exact;
using test::example;
using test::Outcome;
using test::run;

const std::string kEventDriven = "simulation.scheme=event-driven";

Scene event_driven(const std::string& name, std::vector<std::string> set = {}) {
  set.push_back(kEventDriven);
  return example(name, set);
}

Scene physics_scene(const std::string& name, const std::vector<std::string>& set = {}) {
  return load_scene(CLACK_SOURCE_DIR "/tests/physics/scenes/" + name + ".yaml", set);
}

struct Errors {
  double q = 0, v = 0;
  Outcome outcome;
};

// Largest errors at the grid points.
Errors errors_of(const Scene& scene, const test::Solution& exact) {
  Errors errors;
  errors.outcome = run(scene, [&](const Simulation& simulation) {
    const Exact at = exact(simulation.time());
    errors.q = std::max(errors.q, (simulation.q() - at.q).cwiseAbs().maxCoeff());
    errors.v = std::max(errors.v, (simulation.v() - at.v).cwiseAbs().maxCoeff());
  });
  EXPECT_EQ(errors.outcome.failed_steps, 0);
  std::printf("  q %.1e, v %.1e, ledger %.1e\n", errors.q, errors.v, errors.outcome.balance);
  return errors;
}

struct Case {
  const char* name;
  const char* end;
  Exact (*exact)(double) = nullptr;  // null: the closed form of the scene
};

std::ostream& operator<<(std::ostream& out, const Case& c) { return out << c.name; }

class EventDrivenScene : public testing::TestWithParam<Case> {};

TEST_P(EventDrivenScene, is_exact_to_1e_11_whatever_the_step) {
  const Case& c = GetParam();
  for (double h : {0.083, 0.01, 0.0013}) {
    const Scene scene =
        event_driven(c.name, {test::step_of(h), std::string("simulation.end=") + c.end});
    const Errors errors =
        errors_of(scene, c.exact ? test::Solution(c.exact) : test::solution_of(scene));
    EXPECT_LT(errors.q, 1e-11) << h;
    EXPECT_LT(errors.v, 5e-11) << h;
    EXPECT_LT(errors.outcome.balance, 1e-11) << h;
    EXPECT_GT(errors.outcome.min_gap, -1e-11) << h;
  }
}

INSTANTIATE_TEST_SUITE_P(
    ClosedForms, EventDrivenScene,
    testing::Values(Case{"bouncing_ball", "8.4"}, Case{"impacting_oscillator", "5"},
                    Case{"planar_ball_spin", "1.1"}, Case{"planar_ball_bounce", "1.2"},
                    Case{"two_mass_oscillator", "1.3", test::two_mass_oscillator},
                    Case{"pendulum_wall", "1.2", test::pendulum_rebound}),
    [](const auto& instance) { return std::string(instance.param.name); });

TEST(EventDriven, follows_its_flow_tolerance) {
  double last = HUGE_VAL;
  for (double tolerance : {1e-4, 1e-6, 1e-8, 1e-10}) {
    const Scene scene =
        event_driven("impacting_oscillator",
                     {"simulation.step=0.1", "simulation.end=5",
                      "simulation.flow_tolerance=" + std::to_string(tolerance * 1e10) + "e-10"});
    const Errors errors = errors_of(scene, test::solution_of(scene));
    EXPECT_LT(errors.v, 100 * tolerance);
    EXPECT_LT(errors.v, 0.2 * last);
    last = errors.v;
  }
}

TEST(EventDriven, impact_times_and_speeds_form_geometric_series) {
  const double t1 = std::sqrt(2 / test::kG);
  double t = t1, speed = test::kG * t1;
  int count = 0;
  run(event_driven("bouncing_ball", {"simulation.step=0.02", "simulation.end=8.4"}),
      [&](const Simulation& simulation) {
        for (const LocatedImpact& impact : simulation.last_step().impacts) {
          EXPECT_NEAR(impact.t, t, 1e-12) << count;
          EXPECT_NEAR(impact.before, -speed, 1e-12) << count;
          EXPECT_NEAR(impact.after, 0.9 * speed, 1e-12) << count;
          speed *= 0.9;
          t += 2 * speed / test::kG;
          ++count;
        }
      });
  EXPECT_GT(count, 30);
}

TEST(EventDriven, pendulum_is_what_rattle_converges_to) {
  const std::string end = "simulation.end=1.2";
  const Outcome exact = run(event_driven("pendulum_wall", {end, "simulation.step=0.01"}));
  double last = HUGE_VAL;
  for (double h : {1e-3, 1e-4, 1e-5}) {
    const Outcome rattle =
        run(example("pendulum_wall", {"simulation.scheme=rattle", test::step_of(h), end}));
    const double difference =
        std::abs(rattle.q[0] - exact.q[0]) + std::abs(rattle.v[0] - exact.v[0]);
    EXPECT_LT(difference, 10 * h);
    EXPECT_LT(difference, last);
    last = difference;
  }
}

TEST(EventDriven, five_links_are_what_rattle_converges_to) {
  const std::string end = "simulation.end=0.3";
  const Outcome exact = run(event_driven("five_link_pendulum", {end, "simulation.step=0.01"}));
  auto difference = [&](double h) {
    const Outcome rattle =
        run(example("five_link_pendulum", {"simulation.scheme=rattle", test::step_of(h), end}));
    return (rattle.q - exact.q).norm() + (rattle.v - exact.v).norm();
  };
  const double coarse = difference(1e-3), fine = difference(1e-4);
  EXPECT_NEAR(coarse / fine, 100, 3);  // its second order, up to the error of the reference
}

TEST(EventDriven, a_block_slides_to_rest_at_the_exact_time_and_sticks) {
  // Pushed back by less than friction can hold; the plane's rows are turned against the motion.
  const double deceleration = 0.3 * 9.81, v0 = 2, stop = v0 / deceleration;
  const Scene scene =
      physics_scene("pushed_mass", {"parameters.fx=0", "parameters.fy=0", "parameters.vx=2",
                                    "parameters.vy=0", "simulation.step=0.007"});
  const Errors errors = errors_of(scene, [&](double t) {
    const double s = std::min(t, stop);
    return Exact{(Vector(3) << v0 * s - 0.5 * deceleration * s * s, 0, 0).finished(),
                 (Vector(3) << v0 - deceleration * s, 0, 0).finished()};
  });
  EXPECT_LT(errors.q, 1e-12);
  EXPECT_LT(errors.v, 1e-11);
  EXPECT_LT(errors.outcome.v.norm(), 1e-15);
  EXPECT_NEAR(errors.outcome.energy.work_friction, -0.5 * 2 * v0 * v0, 1e-10);
}

// The friction oscillator in half periods about its shifted centres, until it sticks.
Exact friction_oscillator(double t) {
  double x = 12, v = 6, side = 1;  // m = k = 1, friction 1: x'' = -x - sign(x')
  for (double begin = 0;;) {
    const double a = x + side, amplitude = std::hypot(a, v);
    // x = -side + a cos s + v sin s slides until x' = 0
    double length = std::atan2(v, a);
    if (length <= 1e-12) length += M_PI;
    const double s = std::min(t - begin, length);
    const double xs = -side + a * std::cos(s) + v * std::sin(s);
    const double vs = -a * std::sin(s) + v * std::cos(s);
    if (t - begin <= length) return {Vector::Constant(1, xs), Vector::Constant(1, vs)};
    begin += length;
    x = -side + (side > 0 ? amplitude : -amplitude);
    v = 0;
    if (std::abs(x) <= 1) return {Vector::Constant(1, x), Vector::Constant(1, 0)};
    side = x > 0 ? -1 : 1;
  }
}

TEST(EventDriven, friction_reverses_the_oscillator_and_stops_it_at_the_exact_place) {
  const Scene scene = load_scene(CLACK_SOURCE_DIR "/tests/golden/scenes/friction_oscillator.yaml",
                                 {kEventDriven, "simulation.step=0.05"});
  double worst = 0;
  const Outcome outcome = run(scene, [&](const Simulation& simulation) {
    const Exact exact = friction_oscillator(simulation.time());
    worst = std::max({worst, std::abs(simulation.q()[0] - exact.q[0]),
                      std::abs(simulation.v()[0] - exact.v[0])});
  });
  std::printf("  %.1e\n", worst);
  EXPECT_LT(worst, 1e-10);
  EXPECT_EQ(outcome.failed_steps, 0);
}

// m v' = f - mu m g v/|v| by classical Runge-Kutta.
Eigen::Vector2d pushed_velocity(double t) {
  const double m = 2, mu = 0.3, h = 1e-4;
  const auto rate = [&](const Eigen::Vector2d& v) -> Eigen::Vector2d {
    return Eigen::Vector2d(1, 2) / m - mu * 9.81 * v.normalized();
  };
  Eigen::Vector2d v(2, -1);
  for (int i = 0; i < std::lround(t / h); ++i) {
    const Eigen::Vector2d k1 = rate(v), k2 = rate(v + 0.5 * h * k1), k3 = rate(v + 0.5 * h * k2),
                          k4 = rate(v + h * k3);
    v += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
  }
  return v;
}

TEST(EventDriven, friction_turns_with_the_velocity_of_a_pushed_mass) {
  for (double t : {0.2, 0.5, 0.7}) {
    const Scene scene = physics_scene(
        "pushed_mass", {"simulation.end=" + std::to_string(t), "simulation.step=0.1"});
    const Outcome outcome = run(scene);
    EXPECT_LT((outcome.v.head(2) - pushed_velocity(t)).norm(), 1e-11) << t;
    EXPECT_LT(outcome.balance, 1e-11);
  }
}

TEST(EventDriven, a_pushed_mass_stops_in_space_and_holds_where_friction_can) {
  const Outcome outcome = run(physics_scene("pushed_mass"));  // |f| = 2.2 N < mu m g = 5.9 N
  EXPECT_EQ(outcome.failed_steps, 0);
  EXPECT_LT(outcome.v.norm(), 1e-15);
  EXPECT_NEAR(std::hypot(outcome.r[1], outcome.r[2]), 0.01 * std::sqrt(5.0), 1e-12);
  EXPECT_LT(outcome.balance, 1e-11);
}

TEST(EventDriven, the_box_keeps_the_invariant_of_its_path) {
  const double slope = M_PI / 6, kappa = 0.3 / std::tan(slope);
  run(event_driven("box_3d", {"simulation.step=0.1"}), [&](const Simulation& simulation) {
    const Vector& v = simulation.v();
    const double down = v[0] * std::cos(slope) - v[2] * std::sin(slope);
    const double c = std::atan2(v[1], down);
    EXPECT_NEAR(std::hypot(down, v[1]) * std::sin(c) / std::pow(std::tan(c / 2), kappa), 2, 1e-11);
  });
}

TEST(EventDriven, stick_slip_on_the_belt_has_the_exact_cycle) {
  const Outcome outcome = run(event_driven("belt_stribeck", {"simulation.step=1e-3"}));
  EXPECT_EQ(outcome.failed_steps, 0);
  EXPECT_NEAR(outcome.measures.at("period"), 6.653471, 1e-6);
  EXPECT_NEAR(outcome.measures.at("largest displacement"), 7.197531, 2e-6);
  EXPECT_NEAR(outcome.measures.at("smallest displacement"), -0.988899, 2e-6);
  EXPECT_LT(outcome.balance, 1e-9);
}

TEST(EventDriven, a_block_leaves_a_shaken_table_when_the_table_falls_faster) {
  const double A = 0.05, Omega = 20, g = 9.81, leave = std::asin(g / (A * Omega * Omega)) / Omega;
  const double y = A * std::sin(Omega * leave), v = A * Omega * std::cos(Omega * leave);
  auto exact = [&](double t) {
    const double s = t - leave;
    if (s < 0) {
      return Exact{Vector::Constant(1, A * std::sin(Omega * t)),
                   Vector::Constant(1, A * Omega * std::cos(Omega * t))};
    }
    return Exact{Vector::Constant(1, y + v * s - 0.5 * g * s * s), Vector::Constant(1, v - g * s)};
  };
  const Errors errors = errors_of(physics_scene("shaken_block"), exact);
  EXPECT_LT(errors.q, 1e-11);
  EXPECT_LT(errors.v, 1e-10);
}

TEST(EventDriven, a_constraint_holds_to_1e_11_in_position_and_velocity) {
  const Scene scene = load_scene(CLACK_SOURCE_DIR "/tests/order/scenes/cartesian_pendulum.yaml",
                                 {kEventDriven, "simulation.step=1e-2", "simulation.end=20"});
  double position = 0, velocity = 0, energy = 0;
  const Outcome outcome = run(scene, [&](const Simulation& s) {
    position = std::max(position, std::abs(s.q().norm() - 1));
    velocity = std::max(velocity, std::abs(s.q().dot(s.v())));
    energy = std::max(energy, std::abs(0.5 * s.v().squaredNorm() + 10 * s.q()[1]));
  });
  EXPECT_EQ(outcome.failed_steps, 0);
  EXPECT_LT(position, 1e-11);
  EXPECT_LT(velocity, 1e-11);
  EXPECT_LT(energy, 1e-9);
}

TEST(EventDrivenZeno, a_ball_comes_to_rest_after_infinitely_many_impacts) {
  const Outcome outcome = run(event_driven("bouncing_ball", {"simulation.end=20"}));
  EXPECT_EQ(outcome.failed_steps, 0);
  EXPECT_LT(std::abs(outcome.q[0]), 1e-15);
  EXPECT_EQ(outcome.v[0], 0);
  EXPECT_NEAR(outcome.r[0], 0.005 * test::kG, 1e-14);
  EXPECT_GT(outcome.min_gap, -1e-12);
  EXPECT_LT(outcome.balance, 1e-11);
}

TEST(EventDrivenZeno, a_longer_capture_time_stops_the_ball_earlier_by_the_tail_of_the_series) {
  auto rest = [](const char* capture) {
    double begin = 0;
    run(event_driven("bouncing_ball", {"simulation.step=1e-4", "simulation.end=9", capture}),
        [&](const Simulation& simulation) {
          if (simulation.v()[0] != 0) begin = simulation.time() + 1e-4;
        });
    return begin;
  };
  const double full = std::sqrt(2 / test::kG) * 1.9 / 0.1;
  EXPECT_NEAR(rest("simulation.capture_time=0"), full, 2e-4);
  // The last flight that counts is between 0.09 and 0.1 s; what follows would last e/(1 - e) of it.
  const double missing = full - rest("simulation.capture_time=0.1");
  EXPECT_GT(missing, 9 * 0.09 - 2e-4);
  EXPECT_LT(missing, 9 * 0.1 + 2e-4);
}

TEST(EventDrivenZeno, two_balls_come_to_rest_on_each_other) {
  for (const char* e : {"parameters.e=0.3", "parameters.e=0.6", "parameters.e=0.8"}) {
    const Outcome outcome = run(physics_scene("two_balls", {e, "simulation.end=20"}));
    EXPECT_EQ(outcome.failed_steps, 0) << e;
    EXPECT_NEAR(outcome.q[0], 0.1, 1e-11) << e;
    EXPECT_NEAR(outcome.q[1], 0.3, 1e-11) << e;
    EXPECT_LT(outcome.v.norm(), 1e-12) << e;
    EXPECT_NEAR(outcome.r[0], 0.01 * 4 * 9.81, 1e-10) << e;
    EXPECT_LT(outcome.balance, 1e-10) << e;
  }
}

TEST(EventDrivenZeno, a_limit_of_events_captures_what_is_left_of_the_step) {
  const Outcome outcome = run(event_driven(
      "bouncing_ball", {"simulation.step=5", "simulation.end=20", "simulation.max_events=5"}));
  EXPECT_EQ(outcome.failed_steps, 0);
  EXPECT_EQ(outcome.v[0], 0);
  EXPECT_LT(outcome.balance, 1e-11);
}

TEST(EventDriven, touching_balls_share_the_impact_by_thirds) {
  const Outcome outcome = run(event_driven("newton_cradle"));
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(outcome.v[i], i == 0 ? -1.0 / 3 : 2.0 / 3, 1e-11);
}

TEST(EventDriven, contacts_that_say_the_same_twice_share_the_load) {
  const Scene scene = event_driven(
      "bouncing_ball",
      {"system.contacts=[{name: left, G: [1], e_n: 0.5}, {name: right, G: [1], e_n: 0.5}]"});
  const Outcome outcome = run(scene);
  EXPECT_EQ(outcome.failed_steps, 0);
  EXPECT_NEAR(outcome.v[0], 0, 1e-18);
  EXPECT_NEAR(outcome.r.sum(), 0.005 * test::kG, 1e-13);
  EXPECT_GE(outcome.r.minCoeff(), 0);
}

TEST(EventDriven, painleves_rod_jams_jumps_and_goes_on) {
  for (double h : {1e-2, 1e-3, 1e-4}) {
    const Outcome outcome = run(event_driven("painleve_rod", {test::step_of(h)}));
    EXPECT_EQ(outcome.failed_steps, 0) << h;
    EXPECT_GT(outcome.min_gap, -1e-12) << h;
    // The limit of the time-stepping schemes, seen at h = 1e-5 s.
    EXPECT_NEAR(outcome.measures.at("energy at the end"), 57.66, 0.02) << h;
    EXPECT_LT(outcome.balance, 1e-10) << h;
  }
}

TEST(EventDriven, ledgers_of_the_examples_close) {
  for (const char* name : {"bead_column", "box_3d", "five_link_pendulum", "moving_floor",
                           "newton_cradle_gaps", "rod_wall", "woodpecker"}) {
    const Outcome outcome = run(event_driven(name, {"simulation.end=1"}));
    EXPECT_EQ(outcome.failed_steps, 0) << name;
    EXPECT_LT(outcome.balance, 1e-9) << name;
  }
}

// A point on a circle: its angle as the velocity of two coordinates.
class PointOnCircle final : public System {
 public:
  int nv() const override { return 1; }
  int nq() const override { return 2; }
  void mass(double, ConstVectorRef, MatrixRef M) const override { M(0, 0) = 1; }
  void forces(double, ConstVectorRef, ConstVectorRef, Forces& out) const override {
    for (Vector* f : {&out.potential, &out.inertial, &out.damping, &out.external}) f->setZero();
  }
  void advance(ConstVectorRef q, ConstVectorRef dq, VectorRef q_next) const override {
    const double x = q[0], y = q[1], c = std::cos(dq[0]), s = std::sin(dq[0]);
    q_next << c * x - s * y, s * x + c * y;
  }
};

TEST(EventDriven, coordinates_may_be_no_integrals_of_velocities) {
  SimulationOptions options;
  options.scheme = "event-driven";
  options.h = 0.1;
  const State start{0, (Vector(2) << 1, 0).finished(), Vector::Constant(1, 1)};
  Simulation simulation(std::make_shared<PointOnCircle>(), start, options);
  for (int k = 0; k < 10; ++k) ASSERT_EQ(simulation.step(), Status::converged);
  EXPECT_NEAR(simulation.q()[0], std::cos(1.0), 1e-9);
  EXPECT_NEAR(simulation.q()[1], std::sin(1.0), 1e-9);
}

// x = cos t meets a stop a depth d in front of its turning point: it stays behind the stop for
// 2 sqrt(2 d) only, less than a step of the integrator.
TEST(EventDriven, a_grazing_impact_shorter_than_a_step_of_the_integrator_is_seen) {
  for (const double depth : {1e-3, 1e-6, 1e-9}) {
    for (const double h : {10.0, 0.37, 0.01}) {
      const Scene scene = parse_scene(
          "scene",
          fmt::format("clack: 1\n"
                      "system: {{type: linear, M: [[1]], K: [[1]], contacts: [{{name: stop, "
                      "G: [1], g0: 1 - {}, e_n: 0.5}}]}}\n"
                      "initial: {{q: [1]}}\n"
                      "simulation: {{scheme: event-driven, step: {}, end: 10}}\n",
                      depth, h));
      std::vector<LocatedImpact> impacts;
      const Outcome outcome = run(scene, [&](const Simulation& simulation) {
        const auto& found = simulation.last_step().impacts;
        impacts.insert(impacts.end(), found.begin(), found.end());
      });
      ASSERT_GE(impacts.size(), 1u) << depth << " " << h;
      const double closing = std::acos(depth - 1), speed = std::sin(closing);
      EXPECT_NEAR(impacts[0].t, closing, 1e-11 / speed) << depth << " " << h;
      EXPECT_NEAR(impacts[0].before, -speed, 1e-11 / speed) << depth << " " << h;
      EXPECT_NEAR(impacts[0].after, 0.5 * speed, 1e-11 / speed) << depth << " " << h;
      EXPECT_GE(outcome.min_gap, -1e-11);
      EXPECT_EQ(outcome.failed_steps, 0);
    }
  }
}

// The other way round: a near miss is no impact.
TEST(EventDriven, a_gap_that_turns_before_it_closes_is_no_impact) {
  const Scene scene = parse_scene("scene", R"(clack: 1
system: {type: linear, M: [[1]], K: [[1]], contacts: [{name: stop, G: [1], g0: 1 + 1.0e-9, e_n: 0.5}]}
initial: {q: [1]}
simulation: {scheme: event-driven, step: 1, end: 40}
)");
  const Outcome outcome = run(scene, [](const Simulation& simulation) {
    EXPECT_TRUE(simulation.last_step().impacts.empty());
  });
  EXPECT_EQ(outcome.failed_steps, 0);
  EXPECT_NEAR(outcome.q[0], std::cos(40.0), 1e-10);
}

}  // namespace
}  // namespace clack
