// `auto` on perturbed copies of the collection: noise on u_free, random friction, other units.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "clack/core/split_mix.hpp"
#include "clack/io/problems/problem_file.hpp"
#include "clack/problem/certificate.hpp"
#include "clack/problem/global_problem.hpp"
#include "clack/problem/residual.hpp"
#include "clack/solve/auto/auto_solver.hpp"

namespace clack {
namespace {

std::vector<ProblemData> read_collection() {
  std::vector<ProblemData> problems;
  for (const char* folder : {"fc3d", "fc2d", "global", "rolling"}) {
    const std::filesystem::path path =
        std::filesystem::path(CLACK_SHARED_DIR) / "problems" / folder;
    if (!std::filesystem::exists(path)) continue;
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(path))
      files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    for (const std::filesystem::path& file : files) {
      ProblemData problem = read_problem(file);
      if (problem.form == ProblemForm::global) problem = reduce(problem);
      if (problem.contacts() > 0) problems.push_back(std::move(problem));
    }
  }
  return problems;
}

double power_of_ten(SplitMix& random) { return std::pow(10.0, random.uniform(-4, 4)); }

Cone with_other_friction(const Cone& cone, double mu) {
  if (cone.is_free() || cone.disc_count() == 0) return cone;
  if (cone.disc_count() == 1) return Cone::coulomb(cone.dim(), mu);
  const double ratio = cone.mu() > 0 ? cone.disc(1).radius / cone.mu() : 1;
  return Cone::rolling(mu, mu * ratio);
}

enum class Noise {
  motion,  // on the free motion of the bodies: in the range of W
  raw      // on every value: bodies that touch at several points are then asked to deform
};

// Noise of 1 % of |u_free|, friction coefficients from 0 to 1 (one a contact or one for all), units
// of W and of u_free times 1e-4 to 1e4.
ProblemData perturbed(const ProblemData& problem, Noise kind, SplitMix& random) {
  const double scale_W = power_of_ten(random), scale_u = power_of_ten(random);
  Vector noise(problem.dimension());
  for (double& x : noise) x = random.uniform(-1, 1);
  if (kind == Noise::motion) {
    const Vector z = noise;
    problem.W.multiply(z.data(), noise.data());
  }
  const double size = noise.norm() > 0 ? 0.01 * problem.u_free.norm() / noise.norm() : 0;
  const Vector u_free = scale_u * (problem.u_free + size * noise);
  const bool each = random.uniform() < 0.5;
  const double common = random.uniform();
  std::vector<Cone> cones;
  for (const Cone& cone : problem.cones) {
    cones.push_back(with_other_friction(cone, each ? random.uniform() : common));
  }
  return make_reduced_problem(std::move(cones), scale_W * problem.W.to_sparse(), u_free);
}

// How many are solved; whatever is called solved must be so by the yardstick and by the
// certificate.
int count_solved(Noise kind, int variants) {
  const std::vector<ProblemData> problems = read_collection();
  SplitMix random(20250101);
  AutoOptions options;
  options.tolerance = 1e-8;
  options.time_limit = 60;
  int solved = 0;
  for (int k = 0; k < variants; ++k) {
    const ProblemData& original = problems[static_cast<std::size_t>(k) % problems.size()];
    const ProblemData problem = perturbed(original, kind, random);
    Vector r = Vector::Zero(problem.dimension()), u = r;
    const SolveReport report = AutoSolver(options).solve(problem.view(), r.data(), u.data());
    if (report.status != Status::converged) {
      std::cout << original.name << " variant " << k << ": " << to_string(report.status)
                << ", residual " << report.residual << ", scaled " << report.residual_scaled << ", "
                << report.note << std::endl;
      continue;
    }
    ++solved;
    EXPECT_LE(compute_residual(problem.view(), r.data(), u.data()).worst(), options.tolerance);
    EXPECT_LE(compute_certificate(problem.view(), r.data(), u.data()).worst(), 1e-3)
        << original.name << " " << k;
  }
  std::cout << solved << " of " << variants << " solved" << std::endl;
  return solved;
}

TEST(AutoOnPerturbedProblems, SolvesAtLeast995Of1000) {
  if (read_collection().empty()) GTEST_SKIP() << "no shared/problems beside the checkout";
  EXPECT_GE(count_solved(Noise::motion, 1000), 995);
}

// Such problems need not have a solution: what is not solved must be flagged, and it is not the
// rule.
TEST(AutoOnPerturbedProblems, FlagsWhatItDoesNotSolveWhereNoiseLeavesTheRangeOfW) {
  if (read_collection().empty()) GTEST_SKIP() << "no shared/problems beside the checkout";
  EXPECT_GE(count_solved(Noise::raw, 500), 470);
}

}  // namespace
}  // namespace clack
