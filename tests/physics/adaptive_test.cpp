// Steps that adapt themselves.
#include <gtest/gtest.h>

#include "clack/core/error.hpp"
#include "tests/physics/adaptive_support.hpp"

namespace clack {
namespace {

using namespace test;

std::vector<std::string> varying_schemes() {
  std::vector<std::string> names;
  for (const SchemeInfo& info : scheme_list()) {
    if (info.make({})->step_may_vary()) names.emplace_back(info.name);
  }
  return names;
}

TEST(Adaptive, a_bouncing_ball_never_goes_deeper_than_allowed) {
  for (const char* scheme : {"moreau-jean", "moreau-midpoint", "generalized-alpha", "hht"}) {
    for (const char* e : {"parameters.e=0.9", "parameters.e=0.5", "parameters.e=0"}) {
      const AdaptiveOutcome outcome = run_adaptive(example(
          "bouncing_ball", {std::string("simulation.scheme=") + scheme, e, "simulation.step=1e-3",
                            "simulation.end=4", "simulation.adaptive={max_penetration: 1e-6}"}));
      EXPECT_GE(outcome.min_gap, -1e-6) << scheme << " " << e;
      EXPECT_EQ(outcome.figures.forced, 0) << scheme << " " << e;
      EXPECT_EQ(outcome.failed_steps, 0) << scheme << " " << e;
      std::printf("  %s %s: %ld steps kept, %ld pairs redone, h %.1e to %.1e\n", scheme, e,
                  outcome.figures.accepted, outcome.figures.rejected, outcome.figures.h_smallest,
                  outcome.figures.h_largest);
    }
  }
  // Constant steps as many go far deeper.
  EXPECT_LT(run(example("bouncing_ball", {"simulation.step=1e-3", "simulation.end=4"})).min_gap,
            -1e-4);
}

struct Case {
  const char* name;
  const char* end;
  Solution exact = {};  // empty: the closed form of the scene
};
const Case kImpacts[] = {{"impacting_oscillator", "5"},
                         {"pendulum_wall", "1.2", pendulum_rebound},
                         {"two_mass_oscillator", "1.3", two_mass_oscillator},
                         {"bouncing_ball", "2.5"},
                         {"planar_ball_spin", "1.1"}};

AdaptiveOutcome run_case(const Case& problem, const std::string& scheme, double tolerance) {
  const Scene scene =
      example(problem.name, {std::string("simulation.end=") + problem.end, "simulation.step=1e-3",
                             "simulation.scheme=" + scheme, tolerance_of(tolerance)});
  return run_adaptive(scene, problem.exact ? problem.exact : solution_of(scene));
}

// The smallest error of constant steps that cost no less, around the same number: where in its step
// an impact falls is luck, so several are tried.
double constant_error(const Case& problem, const std::string& scheme, long computed) {
  double sum = 0;
  const int tries = 7;
  for (int i = 0; i < tries; ++i) {
    const double h = std::stod(problem.end) / static_cast<double>(computed) / (1 + 0.013 * i);
    sum += l1_error(example(problem.name, {step_of(h), std::string("simulation.end=") + problem.end,
                                           "simulation.scheme=" + scheme}),
                    problem.exact);
  }
  return sum / tries;
}

TEST(Adaptive, costs_less_than_constant_steps_for_the_same_error) {
  for (const Case& problem : kImpacts) {
    for (const char* scheme : {"moreau-jean", "generalized-alpha"}) {
      for (double tolerance : {1e-4, 1e-6}) {
        const AdaptiveOutcome outcome = run_case(problem, scheme, tolerance);
        const double constant = constant_error(problem, scheme, outcome.computed);
        std::printf("  %s by %s, tolerance %.0e: %ld steps computed, error %.2e, constant %.2e\n",
                    problem.name, scheme, tolerance, outcome.computed, outcome.l1_error, constant);
        EXPECT_LT(outcome.l1_error, 0.5 * constant) << problem.name << " " << scheme;
        EXPECT_EQ(outcome.failed_steps, 0);
        EXPECT_EQ(outcome.figures.forced, 0);
        EXPECT_LT(outcome.balance, 1e-12);
      }
    }
  }
}

TEST(Adaptive, a_smaller_tolerance_gives_a_smaller_error) {
  for (const Case& problem : kImpacts) {
    for (const std::string& scheme : {std::string("moreau-jean"), std::string("rattle")}) {
      double first = 0, last = 0, previous = HUGE_VAL;
      int falls = 0, count = 0;
      for (double tolerance = 1e-3; tolerance > 1e-6; tolerance *= 0.5, ++count) {
        last = run_case(problem, scheme, tolerance).l1_error;
        if (count == 0) first = last;
        falls += last < previous;
        previous = last;
      }
      std::printf("  %s by %s: %.1e to %.1e, %d of %d\n", problem.name, scheme.c_str(), first, last,
                  falls, count);
      EXPECT_LT(last, 0.05 * first) << problem.name << " " << scheme;
      EXPECT_GE(falls, count - 3) << problem.name << " " << scheme;  // halved: mostly, at each time
    }
  }
}

TEST(Adaptive, runs_with_every_scheme_whose_step_may_vary) {
  for (const std::string& scheme : varying_schemes()) {
    std::vector<std::string> set = {"simulation.scheme=" + scheme, "simulation.step=1e-3",
                                    tolerance_of(1e-5)};
    if (scheme == "theta-xi") set.push_back("simulation.theta=1");  // consistent at impacts
    const Scene scene = example("planar_ball_spin", set);
    const AdaptiveOutcome ball = run_adaptive(scene, solution_of(scene));
    EXPECT_EQ(ball.failed_steps, 0) << scheme;
    EXPECT_LT(ball.balance, 1e-11) << scheme;
    if (scheme != "naive-hht") {
      EXPECT_NEAR(ball.v[0], -10.0 / 7, 2e-3) << scheme;
      EXPECT_LT(ball.l1_error, 0.1) << scheme;
    }
  }
}

TEST(Adaptive, keeps_constraints_as_constant_steps_do) {
  for (const char* scheme : {"rattle", "moreau-direct-projection", "generalized-alpha"}) {
    const Scene scene = load_scene(
        CLACK_SOURCE_DIR "/tests/order/scenes/cartesian_pendulum.yaml",
        {std::string("simulation.scheme=") + scheme, "simulation.step=1e-3", "simulation.end=0.5",
         "simulation.constraints=position-velocity-acceleration", tolerance_of(1e-7)});
    const AdaptiveOutcome outcome = run_adaptive(scene, cartesian_pendulum);
    EXPECT_NEAR(outcome.q.norm(), 1, 1e-9) << scheme;
    EXPECT_LT(outcome.l1_error, 1e-3) << scheme;
    EXPECT_EQ(outcome.failed_steps, 0) << scheme;
  }
  const AdaptiveOutcome links =
      run_adaptive(example("five_link_pendulum", {"simulation.end=1", tolerance_of(1e-6)}));
  EXPECT_EQ(links.failed_steps, 0);
  EXPECT_LT(links.balance, 1e-11);
}

// Two simulations; one tries a step of another length and goes back. Both go on bit for bit.
TEST(Adaptive, a_step_taken_back_leaves_no_trace) {
  for (const std::string& scheme : varying_schemes()) {
    for (const char* name : {"planar_ball_spin", "five_link_pendulum", "belt_stribeck"}) {
      const std::vector<std::string> set = {"simulation.scheme=" + scheme, "simulation.step=2e-3",
                                            "parameters.e=0"};
      const Scene scene = example(name, name == std::string("five_link_pendulum")
                                            ? set
                                            : std::vector<std::string>(set.begin(), set.end() - 1));
      Simulation straight(scene.system, scene.initial, scene.options);
      Simulation wandering(scene.system, scene.initial, scene.options);
      for (int k = 0; k < 300; ++k) {
        const Checkpoint before = wandering.checkpoint();
        const double h = scene.options.h * (k % 2 == 0 ? 0.3 : 2);
        (void)wandering.step_to(wandering.time() + h, h);
        wandering.restore(before);
        ASSERT_EQ(wandering.q(), before.end.q);
        EXPECT_EQ(straight.step(), Status::converged);
        EXPECT_EQ(wandering.step(), Status::converged);
        ASSERT_EQ(straight.time(), wandering.time());
        ASSERT_EQ(straight.q(), wandering.q()) << scheme << " " << name << " step " << k;
        ASSERT_EQ(straight.v(), wandering.v()) << scheme << " " << name << " step " << k;
        ASSERT_EQ(straight.last_step().energy.work_friction,
                  wandering.last_step().energy.work_friction);
      }
    }
  }
}

TEST(Adaptive, gives_the_same_bits_twice) {
  const Scene scene = example("planar_ball_spin", {tolerance_of(1e-5)});
  const AdaptiveOutcome a = run_adaptive(scene), b = run_adaptive(scene);
  EXPECT_EQ(a.q, b.q);
  EXPECT_EQ(a.v, b.v);
  EXPECT_EQ(a.figures.rejected, b.figures.rejected);
  EXPECT_GT(a.figures.rejected, 0);
}

// Steps of h and 2h in turn: the memory of the alpha schemes must follow.
TEST(VaryingStep, keeps_the_second_order_of_the_alpha_schemes) {
  for (const char* scheme : {"newmark", "hht", "generalized-alpha", "moreau-jean", "rattle"}) {
    auto error = [&](double h) {
      const Scene scene =
          example("pendulum_wall", {std::string("simulation.scheme=") + scheme, step_of(h)});
      Simulation simulation(scene.system, scene.initial, scene.options);
      while (simulation.time() < 0.45) {
        const double length = simulation.steps() % 2 == 0 ? h : 2 * h;
        EXPECT_EQ(simulation.step_to(simulation.time() + length, length), Status::converged);
      }
      const Exact exact = pendulum_rebound(simulation.time());
      return std::abs(simulation.q()[0] - exact.q[0]) + std::abs(simulation.v()[0] - exact.v[0]);
    };
    const double order = std::log(error(5e-3) / error(0.625e-3)) / std::log(8.0);
    std::printf("  %s: order %.3f\n", scheme, order);
    EXPECT_GE(order, 1.9) << scheme;
  }
}

TEST(Adaptive, reports_what_it_cannot_reach) {
  const AdaptiveOutcome outcome = run_adaptive(example(
      "bouncing_ball", {"simulation.step=1e-3", "simulation.end=1",
                        "simulation.adaptive={max_penetration: 1e-9, h_min: 1e-4, h_max: 1e-2}"}));
  EXPECT_GT(outcome.figures.forced, 0);
  EXPECT_LT(outcome.min_gap, -1e-9);
  EXPECT_GE(outcome.figures.h_smallest, 0.99e-4);
  EXPECT_LE(outcome.figures.h_largest, 1e-2);
}

TEST(Adaptive, is_refused_where_a_scheme_needs_one_step) {
  for (const char* scheme : {"schatzman-paoli", "central-differences", "statics"}) {
    std::string message;
    try {
      (void)example("bouncing_ball", {std::string("simulation.scheme=") + scheme, "parameters.e=0",
                                      tolerance_of(1e-4)});
    } catch (const InputError& error) {
      message = error.what();
    }
    EXPECT_NE(message.find("cannot adapt its step"), std::string::npos) << scheme << message;
    EXPECT_NE(message.find("simulation.scheme"), std::string::npos) << scheme << message;
  }
}

TEST(Adaptive, complains_about_bad_values) {
  auto message = [](const std::string& value) -> std::string {
    try {
      (void)example("bouncing_ball", {"simulation.adaptive=" + value});
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  auto has = [](const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
  };
  EXPECT_EQ(message("{tolerance: 1e-3, scale: {y: 2}}"), "");
  EXPECT_TRUE(has(message("{tolerance: 0}"), "must be a number > 0")) << message("{tolerance: 0}");
  EXPECT_TRUE(has(message("{h_min: 1, h_max: 0.1}"), "larger than h_max"));
  EXPECT_TRUE(has(message("{scale: {y: -1}}"), "must be > 0"));
  EXPECT_TRUE(has(message("{scale: {z: 1}}"), "unknown name"));
  EXPECT_TRUE(has(message("{tolerence: 1}"), "did you mean 'tolerance'"));
}

}  // namespace
}  // namespace clack
