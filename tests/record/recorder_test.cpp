// Steps as rows and figures: which are written, what is counted, what is a failure.
#include "clack/record/recorder.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/record/record_support.hpp"

namespace clack::test {
namespace {

std::vector<double> counts_in(const std::string& file) {
  const RowMatrix q = ResultsReader(file).q();
  return {q.data(), q.data() + q.size()};
}

std::vector<double> rows_of(std::vector<ScriptedStep> steps, long every) {
  const Folder folder;
  const Scene scene = scene_with({"output.every=" + std::to_string(every)});
  ScriptedRun run(std::move(steps));
  Recorder recorder(scene, run, folder.file("results.h5"));
  record_all(run, recorder);
  return counts_in(folder.file("results.h5"));
}

RunFigures figures_of(std::vector<ScriptedStep> steps, const Scene& scene = scene_with()) {
  const Folder folder;
  ScriptedRun run(std::move(steps));
  Recorder recorder(scene, run, folder.file("results.h5"));
  record_all(run, recorder);
  return recorder.figures();
}

TEST(Recorder, WritesTheStartEveryNthStepAndTheLastOne) {
  const std::vector<ScriptedStep> ten(10);
  EXPECT_EQ(rows_of(ten, 1), (std::vector<double>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10}));
  EXPECT_EQ(rows_of(ten, 4), (std::vector<double>{0, 4, 8, 10}));
  EXPECT_EQ(rows_of(ten, 5), (std::vector<double>{0, 5, 10})) << "the last one once";
  EXPECT_EQ(rows_of(ten, 100), (std::vector<double>{0, 10}));
}

TEST(Recorder, WritesTheStepThatEndsARunByFailure) {
  std::vector<ScriptedStep> steps(10);
  steps[2].status = Status::numerical_failure;
  EXPECT_EQ(rows_of(steps, 4), (std::vector<double>{0, 3}));
  steps[2].status = Status::iteration_limit;
  EXPECT_EQ(rows_of(steps, 4), (std::vector<double>{0, 4, 8, 10})) << "any other goes on";
}

TEST(Recorder, RowsHoldTheLedgerTheSolverAndTheMeasures) {
  const Folder folder;
  const Scene scene =
      scene_with({"output.every=2", "measures=[{name: twice, of: 2*x, take: final}]"});
  std::vector<ScriptedStep> steps(4);
  for (std::size_t k = 0; k < 4; ++k) {
    steps[k].energy.kinetic = 10.0 + static_cast<double>(k);
    steps[k].energy.work_impact = -1;
    steps[k].report.residual = 0.1 * static_cast<double>(k + 1);
    steps[k].report.iterations = static_cast<int>(k);
  }
  steps[3].status = Status::stagnated;
  ScriptedRun run(steps);
  Recorder recorder(scene, run, folder.file("results.h5"));
  record_all(run, recorder);
  const ResultsReader file(folder.file("results.h5"));
  EXPECT_EQ(file.time(), (std::vector<double>{0, 1, 2}));
  EXPECT_EQ(file.energy().kinetic, (std::vector<double>{0, 11, 13}));
  EXPECT_EQ(file.energy().work_impact, (std::vector<double>{0, -2, -4})) << "sums over all steps";
  EXPECT_EQ(file.solver().residual, (std::vector<double>{0, 0.2, 0.4})) << "of the row's step";
  EXPECT_EQ(file.solver().iterations, (std::vector<std::int32_t>{0, 1, 3}));
  EXPECT_EQ(file.solver().status.back(), static_cast<int>(Status::stagnated));
  EXPECT_EQ(file.column("/measures/twice").col(0), values({0, 4, 8}));
}

// --- verdicts ------------------------------------------------------------------------------------

TEST(NearMiss, EndsAtAHundredTolerancesOrAtAnErrorOf1e4) {
  const auto near = [](double error, double tolerance) {
    return is_near_miss({{error, tolerance}}, Status::stagnated);
  };
  const double more = 1 + 1e-12;
  // Below 1e-6 a hundred tolerances are the limit, up to 1e-5 the error itself, then ten tolerances.
  for (const auto& [tolerance, limit] : {std::pair(1e-10, 1e-8),
                                         {1e-8, 1e-6},
                                         {1e-6, 1e-4},
                                         {5e-6, 1e-4},
                                         {1e-5, 1e-4},
                                         {2e-5, 2e-4},
                                         {1e-2, 0.1}}) {
    EXPECT_TRUE(near(limit / more, tolerance)) << tolerance;
    EXPECT_FALSE(near(limit * more, tolerance)) << tolerance;
    EXPECT_TRUE(near(tolerance * more, tolerance)) << tolerance;
    EXPECT_FALSE(near(tolerance, tolerance)) << "nothing is missed, " << tolerance;
  }
}

TEST(NearMiss, NeedsEveryErrorNearAndOneMissed) {
  const StepError met{1e-9, 1e-8}, near{5e-8, 1e-8}, far{1e-5, 1e-8}, nan{std::nan(""), 1e-8};
  const Status status = Status::iteration_limit;
  EXPECT_TRUE(is_near_miss({met, near}, status));
  EXPECT_TRUE(is_near_miss({near, near}, status));
  EXPECT_FALSE(is_near_miss({near, far}, status));
  EXPECT_FALSE(is_near_miss({far, near}, status));
  EXPECT_FALSE(is_near_miss({near, nan}, status));
  EXPECT_FALSE(is_near_miss({met, met}, status));
  EXPECT_FALSE(is_near_miss({}, status));
}

TEST(NearMiss, IsOfAnIterativeSolutionOnly) {
  for (const Status status : {Status::converged, Status::time_limit, Status::infeasible,
                              Status::numerical_failure, Status::not_run})
    EXPECT_FALSE(is_near_miss({{5e-8, 1e-8}}, status)) << to_string(status);
}

TEST(Figures, TellNearMissesFromFailures) {
  std::vector<ScriptedStep> steps(3);
  steps.push_back(with_status(Status::stagnated, {{3e-8, 1e-8}, {1e-13, 1e-12}}));
  steps.push_back(with_status(Status::iteration_limit, {{2e-8, 1e-8}, {4e-11, 1e-12}}));
  steps.push_back(with_status(Status::infeasible, {{3e-8, 1e-8}}));
  steps.back().place = {4, 5};
  steps.push_back(with_status(Status::stagnated, {{1, 1e-8}}));
  steps.back().place = {6, 7};
  const RunFigures figures = figures_of(steps);
  EXPECT_EQ(figures.near_misses, 2);
  EXPECT_NEAR(figures.near_miss_worst, 40, 1e-12) << "of any of the errors";
  EXPECT_EQ(figures.failed_steps, 2);
  EXPECT_EQ(figures.first_failure, Status::infeasible);
  EXPECT_EQ(figures.first_failure_time, 3);
  EXPECT_EQ(figures.first_failure_place, "place 4");
  EXPECT_TRUE(figures.failure.empty());
}

TEST(Figures, OfANumericalFailureSayWhatIsNotFinite) {
  std::vector<ScriptedStep> steps(2);
  steps.push_back(with_status(Status::numerical_failure));
  const RunFigures figures = figures_of(steps);
  EXPECT_EQ(figures.failed_steps, 1);
  EXPECT_EQ(figures.failure, "the script says so");
}

TEST(Figures, AreTheWorstOfAllStepsWhateverRowsAreKept) {
  std::vector<ScriptedStep> steps(5);
  steps[1].report.residual = 3e-5;
  steps[2].report.residual_scaled = 2e-6;
  steps[3].report.velocity_error = 1e-7;
  steps[1].contacts = 7;
  steps[3].contacts = 2;
  steps[2].gap = -0.25;
  steps[3].gap = 0.5;
  const RunFigures figures = figures_of(steps, scene_with({"output.every=5"}));
  EXPECT_EQ(figures.max_residual, 3e-5);
  EXPECT_EQ(figures.max_residual_scaled, 2e-6);
  EXPECT_EQ(figures.max_velocity_error, 1e-7);
  EXPECT_EQ(figures.contacts_max, 7);
  EXPECT_EQ(figures.min_gap, -0.25);
}

TEST(Figures, AGapThatIsNoNumberStays) {
  std::vector<ScriptedStep> steps(3);
  steps[0].gap = 0.1;
  steps[2].gap = std::nan("");
  EXPECT_TRUE(std::isnan(figures_of(steps).min_gap));
}

TEST(Figures, HoldTheLargestRelativeDriftAndItsTime) {
  std::vector<ScriptedStep> steps(4);
  steps[0].drift = {0.0, 0.0, 0};
  steps[1].drift = {1e-3, 2e-2, 1};
  steps[2].drift = {5e-3, 1e-2, 0};  // farther, but of a larger body
  const RunFigures figures = figures_of(steps);
  EXPECT_EQ(figures.drift.link, 1);
  EXPECT_EQ(figures.drift.distance, 1e-3);
  EXPECT_EQ(figures.drift_time, 1);
  EXPECT_EQ(figures_of(std::vector<ScriptedStep>(2)).drift.link, -1);
}

TEST(Figures, CountEnergyThatImpactsAddAndImpactsBeyondWhatIsThere) {
  std::vector<ScriptedStep> steps(4);
  for (ScriptedStep& step : steps) step.energy.kinetic = 100;
  steps[1].energy.work_impact = 0.5;  // gains 0.5 - 0.3
  steps[1].energy.work_friction = -0.3;
  steps[2].energy.work_impact = -5000;  // lost, fifty times what is there
  steps[3].energy.work_impact = 1e-5;   // round-off of 1e-7
  const RunFigures figures = figures_of(steps);
  EXPECT_EQ(figures.gain_steps, 1);
  EXPECT_NEAR(figures.gain_work, 0.2, 1e-12);
  EXPECT_EQ(figures.excess_work, 5000);
  EXPECT_EQ(figures.excess_time, 1.5);
  EXPECT_EQ(figures.kinetic_max, 100);
}

// --- events --------------------------------------------------------------------------------------

std::vector<ScriptedStep> eventful() {
  std::vector<ScriptedStep> steps(3);
  for (int kind = 0; kind < kEventKinds; ++kind) {
    EventRow event;
    event.kind = static_cast<EventKind>(kind);
    event.time = 0.5;
    event.id = kind;
    steps[kind < 2 ? 0 : 1].events.push_back(event);
  }
  steps[2].events.push_back(steps[0].events[0]);  // a second impact
  return steps;
}

TEST(Recorder, KeepsTheEventsAskedForAndCountsAll) {
  const Folder folder;
  for (const auto& [setting, kept] :
       {std::pair("all", std::vector<std::int32_t>{0, 1, 2, 3, 4, 5, 0}),
        {"impacts", {0, 0}},
        {"none", {}}}) {
    const Scene scene = scene_with({std::string("output.events=") + setting, "output.every=10"});
    ScriptedRun run(eventful());
    Recorder recorder(scene, run, folder.file("results.h5"));
    record_all(run, recorder);
    EXPECT_EQ(ResultsReader(folder.file("results.h5")).events().kind, kept) << setting;
    EXPECT_EQ(recorder.figures().events, (std::array<long, kEventKinds>{2, 1, 1, 1, 1, 1}))
        << setting;
  }
}

TEST(Recorder, EventsBelongToTheRowThatFollows) {
  const Folder folder;
  const Scene scene = scene_with({"output.events=all", "output.every=2"});
  ScriptedRun run(eventful());
  Recorder recorder(scene, run, folder.file("results.h5"));
  record_all(run, recorder);
  EXPECT_EQ(ResultsReader(folder.file("results.h5")).events().offset,
            (std::vector<std::int64_t>{0, 0, 6, 7}));
}

// --- impulses between two rows -------------------------------------------------------------------

// A brick that is thrown on a floor, slides and comes to rest: its contacts go on from row to row.
constexpr const char* kBrick = R"(clack: 1
system:
  type: rigid-bodies
  gravity: [0, 0, -10]
  materials: {stone: {density: 1000, mu: 0.3}}
  bodies:
    - {name: floor, shape: plane, fixed: true}
    - {name: brick, shape: {box: {size: [0.2, 0.1, 0.1]}}, position: [0, 0, 0.05], velocity: [1, 0.5, 0]}
simulation: {step: 2.0e-3, end: 0.1}
)";

// By steps: sums of the impulses of all contacts, and the same of the rows of another run.
void expect_sums(const std::string& text, std::vector<std::string> set) {
  const Folder folder;
  const Scene every = parse_scene("scene", text, set);
  run_scene(every, folder.file("every"));
  set.push_back("output.every=7");
  run_scene(parse_scene("scene", text, set), folder.file("seventh"));
  const ContactColumns all = ResultsReader(folder.file("every/results.h5")).contacts(),
                       few = ResultsReader(folder.file("seventh/results.h5")).contacts();
  const auto sum = [](const ContactColumns& contacts, const RowMatrix& of, std::size_t begin,
                      std::size_t end) {
    Eigen::RowVectorXd total = Eigen::RowVectorXd::Zero(3);
    for (std::int64_t k = contacts.offset[begin]; k < contacts.offset[end]; ++k) total += of.row(k);
    return total;
  };
  const std::size_t rows = all.offset.size() - 1;
  double largest = 0;
  for (std::size_t row = 1; row + 1 < few.offset.size(); ++row) {
    const std::size_t begin = 7 * (row - 1) + 1, end = std::min(begin + 7, rows);
    const Eigen::RowVectorXd steps = sum(all, all.r, begin, end),
                             between = sum(few, few.impulse, row, row + 1);
    EXPECT_LT((between - steps).norm(), 1e-12 * (1 + steps.norm())) << "row " << row;
    largest = std::max(largest, steps.norm());
  }
  EXPECT_GT(largest, 0.01);
  EXPECT_EQ(all.impulse, all.r) << "where every step is a row";
}

TEST(Impulses, OfASystemAddUpBetweenTwoRows) { expect_sums(kSlidingBall, {}); }

TEST(Impulses, OfRigidBodiesAddUpBetweenTwoRowsUnderEveryKindOfScheme) {
  for (const char* scheme : {"stewart-trinkle", "moreau-jean", "generalized-alpha"}) {
    SCOPED_TRACE(scheme);
    expect_sums(kBrick, {std::string("simulation.scheme=") + scheme});
  }
}

}  // namespace
}  // namespace clack::test
