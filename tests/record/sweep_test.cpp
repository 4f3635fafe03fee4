// Sweeps: sections against branches of orbits, windows of stability, basins, hysteresis.
#include "clack/record/sweep.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "clack/analyse/orbits/continuation.hpp"
#include "clack/core/error.hpp"
#include "clack/record/sweep_rows.hpp"
#include "clack/record/sweep_tables.hpp"
#include "tests/analyse/orbit_scenes.hpp"

namespace clack {
namespace {

constexpr double kPi = 3.14159265358979323846;

SceneWith example(const std::string& name, std::vector<std::string> set = {}) {
  return [=](const std::vector<std::string>& more) {
    std::vector<std::string> all = set;
    all.insert(all.end(), more.begin(), more.end());
    return test::example_scene(name, all);
  };
}

SceneWith text(const std::string& scene) {
  return [=](const std::vector<std::string>& more) { return test::scene_of(scene, more); };
}

SweepResult run_all(const Sweep& sweep) {
  std::map<int, SweepRow> rows;
  for (const std::vector<int>& chain : sweep.chains()) {
    std::optional<State> end;
    for (const int index : chain) {
      rows[index] = sweep.run(index, end);
      if (sweep.options().carry != SweepCarry::none) end = rows[index].end;
    }
  }
  return gather_sweep(sweep, std::move(rows));
}

// The orbit of the branch at W, where cos(W t) is at its start.
Vector branch_state(const OrbitProblem& problem, const Orbit& first, double W) {
  const Branch branch = continue_orbit(problem, first, {.low = first.parameter - 0.1, .high = W});
  EXPECT_EQ(branch.status, Status::converged) << branch.stop;
  const Orbit& orbit = branch.points.back().orbit;
  EXPECT_NEAR(orbit.parameter, W, 1e-9) << branch.stop;
  const double T = 2 * kPi / W;
  const double wait = T * std::ceil(orbit.start.t / T) - orbit.start.t;
  return test::joined(FlowMap(problem.system(W)).compute(orbit.start, wait, false).end);
}

TEST(Sweep, diagram_of_the_impacting_oscillator_is_the_branch_of_its_orbits) {
  const Sweep sweep(example("vibro_impact"), {.vary = {VariedKey::parse("parameters.W=2.4:2.7:7")},
                                              .section = SweepSection::period,
                                              .period = "2*pi/W",
                                              .skip_periods = 250,
                                              .keep = 12});
  const SweepResult result = run_all(sweep);
  EXPECT_EQ(result.failed, 0);
  const SceneOrbits orbits(
      example("vibro_impact"),
      {.period = "2*pi/W", .settle = 200, .drift = {}, .over = "parameters.W", .at = 2.4});
  const Orbit first = orbits.find();
  ASSERT_TRUE(first.good() && first.admissible) << first.note;
  for (const std::size_t k : {std::size_t{2}, std::size_t{4}}) {
    const SweepRow& row = result.rows[k];
    const Vector expected =
        branch_state(orbits.problem(), first, sweep.options().vary[0].values[k]);
    EXPECT_EQ(row.label.words(), "period 1, 1 impact");
    EXPECT_NEAR(row.section.back().q[0], expected[0], 1e-9) << k;
    EXPECT_NEAR(row.section.back().v[0], expected[1], 1e-9) << k;
  }
  const Branch branch = continue_orbit(orbits.problem(), first, {.low = 2.3, .high = 2.7});
  double doubling = 0;
  for (const BranchPoint& point : branch.points)
    if (point.kind == PointKind::period_doubling) doubling = point.orbit.parameter;
  ASSERT_GT(doubling, 2.4);
  std::printf("  period doubling at W = %.9f\n", doubling);
  for (std::size_t k = 0; k < result.rows.size(); ++k) {
    const double W = sweep.options().vary[0].values[k];
    EXPECT_EQ(result.rows[k].label.points, W < doubling ? 1 : 2) << W;
  }
}

TEST(Sweep, ball_on_a_table_bounces_once_a_period_within_the_known_window) {
  const Sweep sweep(example("table_sweep"),
                    {.vary = {VariedKey::parse("parameters.Gamma=1.06,1.3,1.5,1.52,1.54")},
                     .section = SweepSection::impact,
                     .period = "2*pi/Omega",
                     .contact = "table",
                     .skip_periods = 500,
                     .keep = 12});
  const SweepResult result = run_all(sweep);
  for (const std::size_t k : {0, 1, 2, 3}) {
    ASSERT_FALSE(result.rows[k].section.empty()) << result.rows[k].reason;
    EXPECT_EQ(result.rows[k].label.words(), "period 1, 1 impact") << k;
    EXPECT_NEAR(result.rows[k].section.back().v[0], kPi * 9.81 / 20, 1e-6) << k;
    EXPECT_NEAR(result.rows[k].section.back().u_after / result.rows[k].section.back().u_before,
                -0.5, 1e-9);
  }
  EXPECT_EQ(result.rows[4].label.words(), "period 2, 2 impacts");  // above 1.5268
  // Below 1.0472 the ball comes to rest on the table after many small bounces.
  const Sweep below(example("table_sweep"), {.vary = {VariedKey::parse("parameters.Gamma=1.03")},
                                             .section = SweepSection::impact,
                                             .period = "2*pi/Omega",
                                             .skip_periods = 20,
                                             .keep = 3});
  const SweepRow row = below.run(0);
  EXPECT_TRUE(row.good()) << row.reason;
  EXPECT_GT(row.closed, 0.1);
}

TEST(Sweep, basins_of_two_wells_are_told_apart_and_mirror_each_other) {
  const Sweep sweep(example("bistable_stop", {"parameters.g=10"}),
                    {.vary = {VariedKey::parse("initial.q.0=-1.7:1.7:6"),
                              VariedKey::parse("initial.v.0=-1.1:1.1:4")},
                     .section = SweepSection::period,
                     .period = "1",
                     .skip_periods = 260,
                     .keep = 4});
  const SweepResult result = run_all(sweep);
  ASSERT_EQ(result.attractors.size(), 2u);
  const std::size_t last = result.rows.size() - 1;
  for (std::size_t k = 0; k <= last; ++k) {
    const SweepRow &row = result.rows[k], &mirrored = result.rows[last - k];
    EXPECT_NEAR(std::abs(row.end.q[0]), 1, 1e-6);
    EXPECT_NEAR(row.end.q[0], -mirrored.end.q[0], 1e-6);
    EXPECT_NE(row.attractor, mirrored.attractor);
    const double well = result.attractors[static_cast<std::size_t>(row.attractor)].points[0].q[0];
    EXPECT_NEAR(well, row.end.q[0], 1e-6);
  }
}

TEST(Sweep, carried_states_show_the_hysteresis_of_two_wells) {
  const std::string wells = R"(clack: 1
parameters: {F: 0}
system:
  type: lagrangian
  coordinates: [x]
  kinetic: 0.5*x'^2
  potential: 0.25*x^4 - 0.5*x^2 - F*x
  dissipation: 0.75*x'^2
initial: {q: [-1]}
simulation: {scheme: event-driven, step: 1, end: 60}
)";
  const Sweep sweep(text(wells), {.vary = {VariedKey::parse("parameters.F=-0.5:0.5:21")},
                                  .section = SweepSection::period,
                                  .period = "1",
                                  .skip_periods = 60,
                                  .keep = 2,
                                  .carry = SweepCarry::both});
  const SweepResult result = run_all(sweep);
  ASSERT_EQ(result.rows.size(), 42u);
  const double jump = 2 / std::sqrt(27.0);  // where x^3 - x = F loses two of its roots
  for (const SweepRow& row : result.rows) {
    const SweepRun& run = sweep.runs()[static_cast<std::size_t>(row.run)];
    const double F = sweep.options().vary[0].values[static_cast<std::size_t>(run.at[0])];
    const double x = row.end.q[0];
    EXPECT_NEAR(x * x * x - x, F, 1e-8);
    EXPECT_EQ(x > 0, run.down ? F > -jump : F > jump) << F;
  }
}

TEST(Sweep, shares_of_stick_and_slip_are_those_of_the_belt_oscillator) {
  // Sticks until the spring pulls with mu_s m g, then swings about mu_d m g/k with the belt's speed.
  const std::string belt = R"(clack: 1
parameters: {V: 0.2, mu: 0.3}
system:
  type: linear
  coordinates: [x, y]
  M: [[1, 0], [0, 1]]
  C: [[0.4, 0], [0, 0]]
  K: [[1, 0], [0, 0]]
  f: [0, -10]
  contacts:
    - {name: belt, G: [0, 1], T: [[1, 0]], drive: [-V], mu: mu}
initial: {q: [0, 0], v: [V, 0]}
simulation: {scheme: event-driven, step: 0.1, end: 20}
)";
  const Sweep sweep(text(belt), {.vary = {VariedKey::parse("parameters.V=0.1,0.2")}});
  const SweepResult result = run_all(sweep);
  for (const SweepRow& row : result.rows) {
    const double V = row.run == 0 ? 0.1 : 0.2;
    const double until = (0.3 * 10 - 0.4 * V) / V;  // k x + c V = mu m g
    // The end of stick has a tolerance in its force.
    EXPECT_NEAR(row.sticking, std::min(1.0, until / 20), 1e-8);
    EXPECT_NEAR(row.sliding, 1 - std::min(1.0, until / 20), 1e-8);
    EXPECT_NEAR(row.closed, 1, 1e-12);
  }
}

TEST(Sweep, a_run_that_its_values_spoil_is_a_row_with_the_reason) {
  const Sweep sweep(example("vibro_impact"), {.vary = {VariedKey::parse("parameters.e=0.8,1.2")}});
  const SweepResult result = run_all(sweep);
  EXPECT_EQ(result.rows[0].status, "converged");
  EXPECT_EQ(result.rows[1].status, "bad_input");
  EXPECT_NE(result.rows[1].reason.find("e_n"), std::string::npos) << result.rows[1].reason;
  EXPECT_EQ(result.failed, 1);
}

TEST(Sweep, rows_come_back_from_their_lines_with_the_same_bits) {
  const Sweep sweep(example("table_sweep"), {.vary = {VariedKey::parse("parameters.Gamma=1.1,1.2")},
                                             .section = SweepSection::impact,
                                             .keep = 5});
  const SweepRow row = sweep.run(1);
  const std::string line = row_line(row);
  const std::optional<SweepRow> back = read_row(line);
  ASSERT_TRUE(back);
  EXPECT_EQ(row_line(*back), line);
  EXPECT_EQ(back->end.q, row.end.q);
  EXPECT_EQ(back->section.size(), row.section.size());
  EXPECT_EQ(back->section.back().u_before, row.section.back().u_before);
  EXPECT_FALSE(read_row(line.substr(0, line.size() / 2)));
}

TEST(Sweep, bad_options_are_named) {
  const auto message = [](const std::string& vary, SweepOptions options) {
    try {
      options.vary = {VariedKey::parse(vary)};
      const Sweep sweep(example("vibro_impact"), options);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const auto expect = [](const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  expect(message("parameters.W", {}), "KEY=LOW:HIGH:COUNT");
  expect(message("parameters.W=1:2:1", {}), "COUNT must be a whole number");
  expect(message("parameters.W=1:a:5", {}), "must be numbers");
  expect(message("parameters.W=1,,2", {}), "a value is empty");
  expect(message("parameters.U=1,2", {}), "U");
  expect(message("parameters.W=1,2", {.section = SweepSection::period}), "needs its period");
  expect(message("parameters.W=1,2", {.section = SweepSection::period, .period = "U"}), "'U'");
  expect(message("parameters.W=1,2", {.section = SweepSection::impact, .contact = "wall"}),
         "no contact 'wall'");
  expect(message("parameters.W=1,2", {.skip_periods = 5}), "needs a period");
  expect(message("parameters.W=1,2", {.drift = {"y"}}), "no coordinate 'y'");
  expect(message("parameters.W=1,2", {.keep = 0}), "keep: 0");
  const Sweep sweep(example("vibro_impact"),
                    {.vary = {VariedKey::parse("parameters.W=1,2")}, .skip = 1e5});
  expect(sweep.run(0).reason, "leaves nothing of the run");
}

}  // namespace
}  // namespace clack
