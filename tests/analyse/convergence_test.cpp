#include "clack/analyse/convergence.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "clack/model/linear_system.hpp"

namespace clack {
namespace {

// x'' = -4 x from x = 1.
StudyCase oscillator(const std::string& scheme) {
  LinearSystemData data;
  data.M = Matrix::Identity(1, 1);
  data.C = Matrix::Zero(1, 1);
  data.K = Matrix::Constant(1, 1, 4);
  formula::Graph graph;
  const formula::Expr inputs[] = {graph.variable("t")}, outputs[] = {graph.constant(0)};
  data.time = {std::make_shared<formula::Tape>(graph, inputs, outputs), true, false};
  StudyCase result;
  result.system = std::make_shared<LinearSystem>(data);
  result.initial = {0, Vector::Constant(1, 1), Vector::Zero(1)};
  result.options.scheme = scheme;
  result.end = 3;
  return result;
}

ReferenceMotion closed_form() {
  ObservedMotion motion{Curve(1), Curve(1)};
  motion.q = sample_curve([](double t, double* x) { *x = std::cos(2 * t); }, 1, 0, 3, 1000, 1e-9);
  motion.v =
      sample_curve([](double t, double* x) { *x = -2 * std::sin(2 * t); }, 1, 0, 3, 1000, 1e-9);
  return ReferenceMotion::of_motion(std::move(motion));
}

StudyOptions options(std::vector<double> steps) {
  StudyOptions result;
  result.steps = std::move(steps);
  result.observed = {{0}, {0}};
  return result;
}

TEST(ConvergenceStudy, finds_the_orders_of_schemes_against_a_given_motion) {
  const ConvergenceStudy study = run_study({oscillator("moreau-jean"), oscillator("rattle")},
                                           options({0.025, 0.1, 0.05}), {closed_form(), {}});
  ASSERT_EQ(study.schemes.size(), 2U);
  EXPECT_TRUE(study.good());
  for (const SchemeStudy& record : study.schemes) {
    EXPECT_EQ(record.steps, (std::vector<double>{0.1, 0.05, 0.025}));
    EXPECT_NEAR(record.fit.order, 2, 0.1) << record.scheme;
  }
}

TEST(ConvergenceStudy, is_the_same_on_any_number_of_threads_and_counts_its_runs) {
  std::vector<double> errors;
  for (const int jobs : {1, 3}) {
    StudyOptions what = options({0.1, 0.05});
    std::size_t calls = 0, last = 0;
    what.jobs = jobs;
    what.progress = [&](std::size_t done, std::size_t count) {
      ++calls;
      last = done;
      EXPECT_LE(done, count);
    };
    const ConvergenceStudy study = run_study({oscillator("moreau-jean")}, what, {});
    EXPECT_EQ(calls, 3U);  // the reference run of the scheme itself, then two
    EXPECT_EQ(last, 2U);
    errors.push_back(study.schemes.front().errors.back());
  }
  EXPECT_EQ(errors[0], errors[1]);
}

TEST(ConvergenceStudy, ends_with_what_its_progress_throws) {
  StudyOptions what = options({0.1, 0.05, 0.025});
  what.jobs = 1;
  int calls = 0;
  what.progress = [&](std::size_t, std::size_t) {
    ++calls;
    throw std::runtime_error("enough");
  };
  EXPECT_THROW((void)run_study({oscillator("moreau-jean")}, what, {closed_form(), {}}),
               std::runtime_error);
  EXPECT_EQ(calls, 1);
}

TEST(ConvergenceStudy, refuses_what_it_cannot_compare) {
  const auto complaint = [](const StudyOptions& what) -> std::string {
    try {
      check_study({oscillator("moreau-jean")}, what, {});
    } catch (const OptionError& error) {
      return error.what();
    }
    return "none";
  };
  EXPECT_EQ(complaint(options({0.1})), "none");
  EXPECT_EQ(complaint(options({})), "steps: names no step");
  EXPECT_EQ(complaint(options({0.7})),
            "steps: 0.7 s does not divide the 3 s of the scene; 0.75 s does");
  EXPECT_EQ(complaint(options({-1})), "steps: -1 s is no step");
  EXPECT_EQ(complaint(options({1e-8})), "steps: the reference run would need too many steps");
  StudyOptions what = options({0.1});
  what.tolerances = {0};
  EXPECT_EQ(complaint(what), "tolerances: 0 is no tolerance > 0");
  what = options({0.1});
  what.observed = {};
  EXPECT_EQ(complaint(what), "observe: names nothing to compare");
}

}  // namespace
}  // namespace clack
