// Generated contact problems: deterministic, well formed, solvable.
#include "tests/support/generate.hpp"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>

#include "clack/core/error.hpp"
#include "clack/problem/global_problem.hpp"
#include "clack/solve/solver.hpp"
#include "tests/large.hpp"

namespace clack {
namespace {

using namespace test;

GenerateOptions make_options(Packing packing, int dim, int contacts) {
  GenerateOptions options;
  options.packing = packing;
  options.dim = dim;
  options.contacts = contacts;
  return options;
}

std::vector<GenerateOptions> all_kinds(int contacts) {
  return {make_options(Packing::fcc, 3, contacts),       make_options(Packing::bcc, 3, contacts),
          make_options(Packing::hexagonal, 2, contacts), make_options(Packing::tower, 3, contacts),
          make_options(Packing::tower, 2, contacts),     make_options(Packing::wall, 3, contacts),
          make_options(Packing::wall, 2, contacts)};
}

std::vector<GenerateOptions> with_random(std::vector<GenerateOptions> kinds) {
  const int contacts = kinds[0].contacts;
  kinds.push_back(make_options(Packing::random, 3, contacts));
  kinds.push_back(make_options(Packing::random, 2, contacts));
  kinds.back().radius_spread = 0.3;
  return kinds;
}

void mix(std::uint64_t& hash, double value) {
  hash = (hash ^ std::bit_cast<std::uint64_t>(value)) * 0x100000001b3ULL;
}

std::uint64_t hash_problem(const ProblemData& problem) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const SparseMatrix* matrix : {&problem.M, &problem.H}) {
    for (int j = 0; j < matrix->outerSize(); ++j) {
      for (SparseMatrix::InnerIterator entry(*matrix, j); entry; ++entry) {
        mix(hash, static_cast<double>(entry.row()));
        mix(hash, entry.value());
      }
    }
  }
  for (const double value : problem.f) mix(hash, value);
  for (const double value : problem.w) mix(hash, value);
  for (const Cone& cone : problem.cones) mix(hash, cone.mu());
  return hash;
}

GenerateOptions disordered_packing() {
  GenerateOptions options = make_options(Packing::fcc, 3, 500);
  options.disorder = 0.1;
  options.mass_ratio = 1e4;
  options.mu_spread = 0.5;
  options.frictionless = 0.2;
  options.speed = 0.1;
  return options;
}

TEST(Generate, EqualSeedsGiveEqualBytesAndOthersDoNot) {
  GenerateOptions options = disordered_packing();
  const std::uint64_t first = hash_problem(generate_problem(options));
  EXPECT_EQ(hash_problem(generate_problem(options)), first);
  EXPECT_EQ(first, 0x78548c1e0627b41fULL);  // also on other machines
  options.seed = 2;
  EXPECT_NE(hash_problem(generate_problem(options)), first);
}

TEST(Generate, EqualSeedsGiveEqualRandomPackingsAndOthersDoNot) {
  constexpr std::array<std::uint64_t, 2> kHash{0x8707e1fd6b7bfd34ULL,
                                               0x5ef1dfe1a9e34fceULL};  // also on other machines
  for (const int dim : {2, 3}) {
    GenerateOptions options = make_options(Packing::random, dim, 3000);
    options.radius_spread = 0.2;
    const std::uint64_t first = hash_problem(generate_problem(options));
    EXPECT_EQ(hash_problem(generate_problem(options)), first);
    EXPECT_EQ(first, kHash[static_cast<std::size_t>(dim - 2)]);
    options.seed = 2;
    EXPECT_NE(hash_problem(generate_problem(options)), first);
  }
}

TEST(Generate, ContactsAreAsManyAsAsked) {
  for (const int contacts : {1, 7, 100, 1234}) {
    for (const GenerateOptions& options : with_random(all_kinds(contacts))) {
      const ProblemData problem = generate_problem(options);
      EXPECT_EQ(problem.contacts(), contacts) << problem.name;
      EXPECT_EQ(problem.dimension(), options.dim * contacts) << problem.name;
      EXPECT_EQ(problem.form, ProblemForm::global);
      for (const Cone& cone : problem.cones) ASSERT_EQ(cone.dim(), options.dim);
    }
  }
}

TEST(Generate, TheDelassusMatrixIsSymmetricAndPositiveSemidefinite) {
  for (GenerateOptions options : with_random(all_kinds(60))) {
    options.mass_ratio = 100;
    const ProblemData reduced = reduce(generate_problem(options));
    const Matrix W = reduced.W.to_sparse();
    const double largest = W.cwiseAbs().maxCoeff();
    EXPECT_LE((W - W.transpose()).cwiseAbs().maxCoeff(), 1e-14 * largest) << reduced.name;
    const Eigen::SelfAdjointEigenSolver<Matrix> eigen(W, Eigen::EigenvaluesOnly);
    EXPECT_GE(eigen.eigenvalues()[0], -1e-12 * eigen.eigenvalues().maxCoeff()) << reduced.name;
    EXPECT_GT(W.diagonal().minCoeff(), 0) << reduced.name;
  }
}

// A rigid translation or rotation of everything moves no contact between bodies, and a fall moves
// the floor's contacts by its speed.
TEST(Generate, ContactMapSeesRelativeVelocitiesOnly) {
  for (const GenerateOptions& options : all_kinds(200)) {
    const ProblemData problem = generate_problem(options);
    const int dof = options.dim == 2 ? 3 : 6;
    Vector fall = Vector::Zero(problem.dof());
    for (int k = options.dim - 1; k < problem.dof(); k += dof) fall[k] = -1;
    const Vector u = problem.H.transpose() * fall;
    int floor = 0;
    for (int c = 0; c < problem.contacts(); ++c) {
      const double normal = u[options.dim * c];
      const bool on_floor = std::abs(normal + 1) < 1e-14;
      EXPECT_TRUE(on_floor || std::abs(normal) < 1e-14)
          << problem.name << " " << c << " " << normal;
      floor += on_floor ? 1 : 0;
      for (int k = 1; k < options.dim; ++k) EXPECT_LE(std::abs(u[options.dim * c + k]), 1e-14);
    }
    EXPECT_GT(floor, 0) << problem.name;
    EXPECT_LT(floor, problem.contacts()) << problem.name;
  }
}

TEST(Generate, SmallProblemsAreSolvable) {
  SolverOptions solver_options;
  solver_options.tolerance = 1e-8;
  solver_options.max_iterations = 100000;
  std::vector<GenerateOptions> kinds = with_random(all_kinds(40));
  kinds.push_back(disordered_packing());
  kinds.back().contacts = 60;
  kinds.push_back(make_options(Packing::bcc, 3, 60));
  kinds.back().walls = true;
  kinds.back().disorder = 0.1;
  kinds.push_back(make_options(Packing::hexagonal, 2, 60));
  kinds.back().walls = true;
  for (const GenerateOptions& options : kinds) {
    const ProblemData problem = reduce(generate_problem(options));
    bool solved = false;
    for (const std::string_view name : {"prox-newton", "nsgs"}) {
      Vector r = Vector::Zero(problem.dimension()), u = r;
      const SolveReport report =
          make_solver(name, solver_options)->solve(problem.view(), r.data(), u.data());
      solved = solved || report.status == Status::converged;
    }
    EXPECT_TRUE(solved) << problem.name;
  }
}

// Of a tower at rest the lowest contacts carry the whole weight during the step.
TEST(Generate, TowerPressesOnTheFloorWithItsWeight) {
  GenerateOptions options = make_options(Packing::tower, 3, 20);  // five boxes
  options.mass_by_height = true;
  options.mass_ratio = 1e4;
  const ProblemData global = generate_problem(options);
  const ProblemData problem = reduce(global);
  SolverOptions solver_options;
  solver_options.tolerance = 1e-11;
  solver_options.max_iterations = 100000;
  Vector r = Vector::Zero(problem.dimension()), u = r;
  const SolveReport report =
      make_solver("prox-newton", solver_options)->solve(problem.view(), r.data(), u.data());
  ASSERT_EQ(report.status, Status::converged);
  double weight = 0;
  for (int k = 2; k < global.dof(); k += 6)
    weight += options.h * options.gravity * global.M.coeff(k, k);
  EXPECT_NEAR(r[0] + r[3] + r[6] + r[9], weight, 1e-8 * weight);
}

TEST(Generate, MassesFollowTheRatio) {
  GenerateOptions options = make_options(Packing::fcc, 3, 5000);
  options.mass_ratio = 1e4;
  const auto range = [](const ProblemData& problem) {
    double low = HUGE_VAL, high = 0;
    for (int k = 0; k < problem.dof(); k += 6) {
      low = std::min(low, problem.M.coeff(k, k));
      high = std::max(high, problem.M.coeff(k, k));
    }
    return high / low;
  };
  EXPECT_GT(range(generate_problem(options)), 5e3);
  EXPECT_LE(range(generate_problem(options)), 1e4 * (1 + 1e-12));
  options.mass_by_height = true;
  options.mass_ratio = 1e-4;
  options.width = 5;
  const ProblemData light_on_top = generate_problem(options);
  EXPECT_NEAR(range(light_on_top), 1e4, 1e-7);
  EXPECT_GT(light_on_top.M.coeff(0, 0),
            light_on_top.M.coeff(light_on_top.dof() - 6, light_on_top.dof() - 6));
}

TEST(Generate, HundredThousandContactsAreAsSparseAsFew) {
  SKIP_UNDER_SANITIZERS();
  for (const GenerateOptions& options : with_random(all_kinds(100000))) {
    const ProblemData problem = generate_problem(options);
    EXPECT_EQ(problem.contacts(), 100000);
    EXPECT_LE(problem.H.nonZeros(), 12LL * problem.dimension());
  }
}

TEST(Generate, BadOptionsAreRefused) {
  const auto refused = [](auto&& change) {
    GenerateOptions options;
    change(options);
    EXPECT_THROW((void)generate_problem(options), InputError);
  };
  refused([](GenerateOptions& o) { o.dim = 2; });
  refused([](GenerateOptions& o) { o.packing = Packing::hexagonal; });
  refused([](GenerateOptions& o) { o.contacts = 0; });
  refused([](GenerateOptions& o) { o.mass_ratio = 0.5; });
  refused([](GenerateOptions& o) { o.size = NAN; });
  refused([](GenerateOptions& o) { o.disorder = 0.5; });
  refused([](GenerateOptions& o) { o.packing = Packing::tower, o.walls = true; });
  refused([](GenerateOptions& o) { o.radius_spread = 0.1; });
  refused([](GenerateOptions& o) { o.packing = Packing::random, o.radius_spread = 0.6; });
  refused([](GenerateOptions& o) { o.packing = Packing::random, o.radius_spread = NAN; });
  refused([](GenerateOptions& o) { o.packing = Packing::random, o.disorder = 0.1; });
  refused([](GenerateOptions& o) { o.packing = Packing::random, o.width = 2; });
  EXPECT_THROW(packing_from_string("heap"), InputError);
  EXPECT_EQ(packing_from_string("bcc"), Packing::bcc);
  EXPECT_EQ(packing_from_string(to_string(Packing::random)), Packing::random);
}

}  // namespace
}  // namespace clack
