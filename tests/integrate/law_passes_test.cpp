// The passes over laws on problems of a few numbers whose passes are known in closed form.
#include "clack/integrate/law_passes.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

namespace clack {
namespace {

// Velocities u = free + r, one a contact, with a law r = law(u) of each: a pass solves with the r
// that the laws state at the velocities of the pass before.
struct Passes {
  std::vector<double> free;
  std::function<double(std::size_t, double)> law;
  std::vector<double> u = free, r = std::vector<double>(free.size(), 0.0);
  std::vector<double> stated = r, start = r;
  double error =
      0;  // of solves, over the tolerance they are held to: with one sign, then the other
  double least_share = 1;
  int solves = 0;

  int stages() const { return 1; }
  bool iterate() const { return true; }
  void state(int, int) {
    for (std::size_t i = 0; i < u.size(); ++i) stated[i] = law(i, u[i]);
  }
  void move() {
    for (std::size_t i = 0; i < u.size(); ++i) u[i] = free[i] + r[i];
  }
  SolveReport solve(double tolerance) {
    ++solves;
    start = r;
    r = stated;
    for (double& value : r) value += (solves % 2 == 0 ? error : -error) * tolerance;
    move();
    SolveReport report;
    report.status = Status::converged;
    return report;
  }
  void go(double share) {
    least_share = std::min(least_share, share);
    shorten(start, share, r);
    move();
  }
  void velocities(std::vector<double>& values) const { values = u; }
  Residual residual() const {
    Residual all;
    for (std::size_t i = 0; i < u.size(); ++i)
      all.scaled = std::max(all.scaled, std::abs(r[i] - stated[i]));
    return all;
  }
  std::string unsettled() const { return "some"; }
  void end_stage() {}
};

constexpr double kTolerance = 1e-10;

// Unrelaxed passes would oscillate for ever, or diverge: their slope is -1 and below.
TEST(LawPasses, settle_where_whole_passes_go_to_and_fro) {
  for (const double slope : {-1.0, -1.5, -3.0, -20.0}) {
    Passes passes{{1.0}, [&](std::size_t, double u) { return slope * std::tanh(u); }};
    const SolveReport report = solve_with_laws(passes, kTolerance, 0);
    EXPECT_EQ(report.status, Status::converged) << slope;
    EXPECT_NEAR(passes.u[0], 1 + slope * std::tanh(passes.u[0]), 2 * kTolerance) << slope;
    EXPECT_LT(passes.least_share, 1) << slope;
  }
}

TEST(LawPasses, settle_where_contacts_go_to_and_fro_beside_others_that_do_not) {
  const double slopes[] = {-3.0, -1.2, 0.3, -0.5};
  Passes passes{{1.0, -0.3, 0.5, 0.8},
                [&](std::size_t i, double u) { return slopes[i] * std::tanh(u); }};
  EXPECT_EQ(solve_with_laws(passes, kTolerance, 0).status, Status::converged);
  for (std::size_t i = 0; i < 4; ++i)
    EXPECT_NEAR(passes.u[i], passes.free[i] + slopes[i] * std::tanh(passes.u[i]), 2 * kTolerance);
}

// A cycle of three: whole passes visit 0, 1, 2 in turn.
TEST(LawPasses, settle_out_of_a_cycle_of_three) {
  const auto tent = [](double u) { return u < 1 ? u + 1 : 2 - 2 * (u - 1); };  // 0 -> 1 -> 2 -> 0
  Passes passes{{0.0}, [&](std::size_t, double u) { return tent(u); }};
  EXPECT_EQ(solve_with_laws(passes, kTolerance, 0).status, Status::converged);
  EXPECT_NEAR(passes.u[0], 4.0 / 3, 1e-9);
}

TEST(LawPasses, that_settle_are_whole) {
  for (const double slope : {0.7, -0.5, 0.0}) {
    Passes passes{{1.0}, [&](std::size_t, double u) { return slope * u; }};
    EXPECT_EQ(solve_with_laws(passes, 1e-6, 0).status, Status::converged);
    EXPECT_NEAR(passes.u[0], 1 / (1 - slope), 1e-5) << slope;
    EXPECT_EQ(passes.least_share, 1) << slope;
  }
}

// The law answers to errors of the solves: with errors of the tolerance itself, the passes would
// stay off by three times as much.
TEST(LawPasses, are_solved_finer_than_they_are_judged) {
  Passes passes{{1.0}, [](std::size_t, double u) { return -0.5 * u; }};
  passes.error = 0.9;
  const SolveReport report = solve_with_laws(passes, 1e-4, 0);
  EXPECT_EQ(report.status, Status::converged);
  EXPECT_LE(report.residual_scaled, 1e-4);
  EXPECT_LT(passes.solves, 40);  // whole ones
}

// A law that jumps over what it would have to be: there is no answer, and none is made up.
TEST(LawPasses, without_a_solution_are_flagged) {
  Passes passes{{0.1}, [](std::size_t, double u) { return u > 0 ? -1.0 : 1.0; }};
  const SolveReport report = solve_with_laws(passes, kTolerance, 0);
  EXPECT_EQ(report.status, Status::iteration_limit);
  EXPECT_GT(report.residual_scaled, 0.1);
  EXPECT_EQ(report.note, "the laws of the contacts did not settle: some");
  EXPECT_EQ(passes.solves, 200);
}

class Named final : public Law {
 public:
  explicit Named(std::string name, bool iterates) : name_(std::move(name)), iterates_(iterates) {}
  std::string_view name() const override { return name_; }
  bool iterates() const override { return iterates_; }
  void prepare(const ContactSituation&, LawStatement&) const override {}

 private:
  std::string name_;
  bool iterates_;
};

// Five bilateral rows x that should be zero: contacts 0 (two rows) and 1 of one law, 2 of another,
// 3 without an own one.
TEST(LawPasses, name_the_laws_that_are_not_obeyed) {
  const Named bond("bond", true), rate("rate", true), fixed("fixed", false);
  const std::vector<Cone> cones(5, Cone::free(1));
  const std::vector<int> offset = {0, 1, 2, 3, 4, 5};
  const double y[5] = {};
  ReducedProblem problem{nullptr, nullptr, cones, offset};
  const std::vector<BlockOwner> owners = {
      {0, &bond}, {0, &bond}, {1, &bond}, {2, &rate}, {3, nullptr}};
  const double both[5] = {1, 1, 1, 0, 0}, one[5] = {0, 0, 1e-9, 1, 0}, others[5] = {0, 0, 0, 0, 1};
  EXPECT_EQ(describe_unsettled(problem, y, both, owners), "2 of 'bond'");
  EXPECT_EQ(describe_unsettled(problem, y, one, owners), "1 of 'rate'");
  EXPECT_EQ(describe_unsettled(problem, y, others, owners), "contacts beside them were not solved");
  const std::vector<BlockOwner> constant = {
      {0, &fixed}, {0, &fixed}, {1, &bond}, {2, &rate}, {3, nullptr}};
  const double all[5] = {2, 2, 2, 2, 0};
  EXPECT_EQ(describe_unsettled(problem, y, all, constant), "1 of 'bond', 1 of 'rate'");
}

}  // namespace
}  // namespace clack
