// The collection of problems made by others, where it is at hand.
#include <algorithm>
#include <cmath>
#include <map>

#include "clack/problem/global_problem.hpp"
#include "clack/problem/residual.hpp"
#include "problems_support.hpp"

namespace clack::test {
namespace {

namespace fs = std::filesystem;

#define SKIP_WITHOUT_COLLECTION()                                     \
  if (!fs::is_directory(shared_problems())) {                         \
    GTEST_SKIP() << "no problem collection at " << shared_problems(); \
  }

std::vector<std::string> collection() {
  std::vector<std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(shared_problems())) {
    const std::string extension = entry.path().extension().string();
    if (extension == ".dat" || extension == ".hdf5") files.push_back(entry.path().string());
  }
  std::ranges::sort(files);
  return files;
}

std::string folder(const std::string& file) {
  return fs::path(file).parent_path().filename().string();
}

TEST(ProblemCollection, EveryFileReads) {
  SKIP_WITHOUT_COLLECTION();
  const auto files = collection();
  EXPECT_GE(files.size(), 50U);
  for (const std::string& file : files) {
    SCOPED_TRACE(file);
    ProblemData problem;
    ASSERT_NO_THROW(problem = read_problem(file));
    EXPECT_EQ(problem.name, fs::path(file).stem().string());
    const bool global = folder(file) == "global" || file.find("Chute") != std::string::npos;
    EXPECT_EQ(problem.form, global ? ProblemForm::global : ProblemForm::reduced);
    const std::map<std::string, int> dims{
        {"fc2d", 2}, {"fc3d", 3}, {"rolling", 5}, {"lcp", 1}, {"mlcp", 1}};
    const auto dim = dims.find(folder(file));
    if (dim == dims.end()) continue;
    for (const Cone& cone : problem.cones) EXPECT_EQ(cone.dim(), dim->second);
  }
}

TEST(ProblemCollection, SizesAreTheDocumentedOnes) {
  SKIP_WITHOUT_COLLECTION();
  const std::map<std::string, int> contacts{{"fc3d/KaplasTower-i1061-4.dat", 570},
                                            {"fc3d/Capsules-i122-1617.dat", 296},
                                            {"fc3d/Capsules-i125-1213.hdf5", 286},
                                            {"fc3d/Capsules-i100-889.dat", 276},
                                            {"fc3d/Capsules-i101-404.dat", 225},
                                            {"fc3d/Capsules-i97-269.hdf5", 216},
                                            {"fc3d/Confeti-ex13-Fc3D-SBM.dat", 107},
                                            {"fc3d/Confeti-ex03-Fc3D-SBM.dat", 54},
                                            {"fc3d/BoxesStack1-i100000-32.dat", 52},
                                            {"fc3d/fclib_local_problem_test.hdf5", 48},
                                            {"fc3d/OneObject-i1028-138.dat", 23},
                                            {"fc3d/NESpheres_10_1.dat", 9},
                                            {"fc2d/FrictionContactProblem00727.dat", 367},
                                            {"fc2d/fc2d_granularflowonwall_07002_00801.dat", 7002},
                                            {"global/Spheres-i099-356-679.hdf5", 356},
                                            {"global/spheres-in-a-box-98-i10000-256-10.hdf5", 256},
                                            {"global/Box_Stacks-i0122-82-5.hdf5", 82},
                                            {"global/gfc2d_granularflowonwall_00000_00117.dat", 0},
                                            {"rolling/rockfall_14_25792.dat", 14}};
  for (const auto& [file, count] : contacts) {
    EXPECT_EQ(read_problem(shared_problems() + "/" + file).contacts(), count) << file;
  }
  const ProblemData kaplas = read_problem(shared_problems() + "/fc3d/KaplasTower-i1061-4.dat");
  EXPECT_EQ(kaplas.W.block_count(), 12976);
  EXPECT_EQ(read_problem(shared_problems() + "/global/Spheres-i099-356-679.hdf5").dof(), 12000);
}

// At r = 0 the natural map is the projection of -(q + g(q)), which has a closed form in q:
// 0 for an opening contact; with friction -q_N / sqrt(1 + mu^2) on the cone's boundary, or the
// whole vector where it points into the cone.
double residual_at_zero(const ProblemData& problem) {
  double sum = 0;
  for (std::size_t c = 0; c < problem.cones.size(); ++c) {
    const Cone& cone = problem.cones[c];
    const double* q = problem.u_free.data() + problem.offset[c];
    if (cone.is_free()) {
      sum += q[0] * q[0];
    } else if (q[0] < 0) {
      const double mu = cone.mu();
      const double tangent = cone.dim() == 1   ? 0
                             : cone.dim() == 2 ? std::abs(q[1])
                                               : std::hypot(q[1], q[2]);
      const double normal = -q[0] - mu * tangent;
      const bool inside = tangent <= mu * normal;
      sum += inside ? normal * normal + tangent * tangent : q[0] * q[0] / (1 + mu * mu);
    }
  }
  const double scale = problem.u_free.norm();
  return scale > 2.2e-16 ? std::sqrt(sum) / scale : std::sqrt(sum);
}

TEST(ProblemCollection, ResidualAtZeroIsTheClosedForm) {
  SKIP_WITHOUT_COLLECTION();
  int compared = 0;
  for (const std::string& file : collection()) {
    ProblemData problem = read_problem(file);
    if (problem.form == ProblemForm::global) problem = reduce(problem);
    const auto rolls = [](const Cone& cone) { return cone.disc_count() > 1; };
    if (std::ranges::any_of(problem.cones, rolls)) continue;
    const Vector r = Vector::Zero(problem.dimension());
    Vector u(problem.dimension());
    const Residual residual = compute_residual(problem.view(), r.data(), u.data());
    EXPECT_NEAR(residual.plain, residual_at_zero(problem), 1e-14) << file;
    ++compared;
  }
  EXPECT_GE(compared, 45);
}

TEST(ProblemCollection, TheSameProblemInBothFormatsReadsAlike) {
  SKIP_WITHOUT_COLLECTION();
  const std::string folder_name = shared_problems() + "/rolling/";
  const ProblemData text = read_problem(folder_name + "GRFC3D_Chute-ndof-768-nc-4-3.dat");
  const ProblemData fclib = read_problem(folder_name + "Chute-ndof-768-nc-4-3.hdf5");
  EXPECT_LE((text.M - fclib.M).norm(), 1e-5 * fclib.M.norm());  // six digits in the text
  EXPECT_LE((text.H - fclib.H).norm(), 1e-5 * fclib.H.norm());
  EXPECT_EQ(text.f, fclib.f);
  EXPECT_EQ(text.w, fclib.w);
  expect_same_cones(text.cones, fclib.cones);
}

// The order of M's entries in a text decides which of M and its transpose is read.
TEST(ProblemCollection, DenseMatricesAreReadByColumns) {
  SKIP_WITHOUT_COLLECTION();
  const ProblemData lcp = read_problem(shared_problems() + "/lcp/lcp_CPS_2.dat");
  const Matrix expected{{0, -1, 2}, {2, 0, -2}, {-1, 1, 0}};  // Cottle, Pang, Stone, ex. 4.4.7
  EXPECT_EQ(Matrix(lcp.W.to_sparse()), expected);
  EXPECT_EQ(lcp.u_free, Eigen::Vector3d(-3, 6, -1));
  EXPECT_EQ(lcp.description, "Example 4.4.7 CPS 2009");
}

TEST(ProblemCollection, MixedProblemsHaveTheirEqualitiesAsFreeCones) {
  SKIP_WITHOUT_COLLECTION();
  const ProblemData problem = read_problem(shared_problems() + "/mlcp/m2n1_mlcp.dat");
  ASSERT_EQ(problem.contacts(), 3);
  EXPECT_TRUE(problem.cones[0].is_free());
  EXPECT_FALSE(problem.cones[1].is_free());
  EXPECT_FALSE(problem.cones[2].is_free());
  const Vector solution = Eigen::Vector3d(1, 0, 3);  // and w = (5, 0), as the file ends with
  Vector u(3);
  EXPECT_LE(compute_residual(problem.view(), solution.data(), u.data()).plain, 1e-4);
  EXPECT_NEAR(u[1], 5, 1e-3);
}

TEST(ProblemCollection, EveryFileSurvivesBothFormats) {
  SKIP_WITHOUT_COLLECTION();
  const Folder directory;
  for (const std::string& file : collection()) {
    if (fs::file_size(file) > 500000) continue;
    SCOPED_TRACE(file);
    const ProblemData problem = read_problem(file);
    for (const char* name : {"copy.dat", "copy.hdf5"}) {
      SCOPED_TRACE(name);
      write_problem(directory.file(name), problem);
      const ProblemData copy = read_problem(directory.file(name));
      // Dense text drops which zeros were stored.
      expect_same_problem(problem, copy, problem.W.uniform_dim() != 1);
    }
  }
}

}  // namespace
}  // namespace clack::test
