#include "clack/core/error.hpp"
#include "clack/io/problems/dat_reader.hpp"
#include "clack/io/problems/dat_writer.hpp"
#include "clack/problem/global_problem.hpp"
#include "problems_support.hpp"

namespace clack::test {
namespace {

TEST(ProblemFile, BothFormatsReadBackTheSameBits) {
  const Folder directory;
  for (const auto& [name, problem] : common_problems()) {
    for (const char* extension : {".dat", ".hdf5", ".h5"}) {
      SCOPED_TRACE(name + extension);
      const std::string path = directory.file(name + extension);
      write_problem(path, problem);
      const ProblemData copy = read_problem(path);
      expect_same_problem(problem, copy, problem.W.uniform_dim() != 1);
      EXPECT_EQ(copy.name, name);
    }
  }
}

TEST(ProblemFile, DenseStorageReadsBackTheSameBits) {
  for (const std::vector<Cone>& cones :
       {coulomb_cones(3), std::vector(3, Cone::rolling(0.5, 0.1))}) {
    const ProblemData problem = reduced_problem(1, cones);
    const std::string text = format_dat(problem, DatStorage::dense);
    EXPECT_TRUE(text.starts_with(std::to_string(cones[0].dim()) + "\n3\n0\n"))
        << text.substr(0, 20);
    const ProblemData copy = parse_dat(text, "dense");
    EXPECT_EQ(copy.u_free, problem.u_free);
    for (int i = 0; i < problem.dimension(); ++i) {
      for (int j = 0; j < problem.dimension(); ++j) {
        EXPECT_EQ(copy.W.coefficient(i, j), problem.W.coefficient(i, j)) << i << " " << j;
      }
    }
  }
}

TEST(ProblemFile, AProblemWithoutContactsSurvivesBothFormats) {
  const Folder directory;
  for (const char* name : {"x.dat", "x.hdf5"}) {
    write_problem(directory.file(name), ProblemData());
    EXPECT_EQ(read_problem(directory.file(name)).dimension(), 0);
  }
}

TEST(ProblemFile, FormatIsRecognisedByContentNotByName) {
  const Folder directory;
  const ProblemData problem = reduced_problem(1, coulomb_cones(3));
  write_problem(directory.file("a.hdf5"), problem);
  write_problem(directory.file("b.dat"), problem);
  std::filesystem::rename(directory.file("a.hdf5"), directory.file("lcp_x.dat"));
  std::filesystem::rename(directory.file("b.dat"), directory.file("no_extension"));
  expect_same_problem(problem, read_problem(directory.file("lcp_x.dat")));
  expect_same_problem(problem, read_problem(directory.file("no_extension")));
}

TEST(ProblemFile, ExtremeValuesSurviveBothFormats) {
  const Folder directory;
  ProblemData problem = reduced_problem(1, coulomb_cones(2));
  problem.u_free << 1.7976931348623157e308, 2.2250738585072014e-308, 4.9e-324, -0.0, 1.0 / 3, 1e-17;
  for (const char* name : {"x.dat", "x.hdf5"}) {
    write_problem(directory.file(name), problem);
    expect_same_problem(problem, read_problem(directory.file(name)));
  }
}

TEST(ProblemFile, AnyMixtureOfConesSurvivesFclib) {
  const Folder directory;
  const std::string path = directory.file("x.hdf5");
  const std::vector<std::vector<Cone>> mixtures{
      all_cones(),
      rich_cones(),
      {Cone::discs({{1, 0.5}, {1, 0.1}}), Cone::discs({{1, 0.2}, {1, 0.0}})},  // not Coulomb's
      {Cone::discs({{3, 0.5}, {1, 0.1}}), Cone::free(1)},                      // not rolling
      {Cone::coulomb(3, 0.5), Cone::discs({{1, 0.5}, {1, 0.1}})},
      mlcp_cones(),
      {Cone::free(3)},
      {Cone::coulomb(3, 0.5), Cone::free(1), Cone::free(1)},  // FCLIB's V, R and G
      {Cone::nonnegative(), Cone::free(1)},
      {Cone::coulomb(2, 0.5), Cone::coulomb(3, 0.5)},
      {}};
  for (const auto& cones : mixtures) {
    for (const bool symmetric : {false, true}) {
      const ProblemData problem = reduced_problem(1, cones, symmetric);
      write_problem(path, problem);
      expect_same_problem(problem, read_problem(path));
    }
    const ProblemData global = global_problem(2, cones);
    write_problem(path, global);
    expect_same_problem(global, read_problem(path));
  }
}

TEST(ProblemFile, SolutionIsStoredAndReadBack) {
  const Folder directory;
  const std::string path = directory.file("x.hdf5");
  std::vector<NamedProblem> problems = common_problems();
  const std::vector<Cone> with_equality{Cone::coulomb(3, 0.5), Cone::free(1)};
  problems.push_back({"equality", reduced_problem(1, with_equality, true)});
  problems.push_back({"global equality", global_problem(1, with_equality)});
  problems.push_back({"mixture", reduced_problem(1, all_cones())});
  for (const auto& [name, problem] : problems) {
    SCOPED_TRACE(name);
    std::mt19937 random(3);
    ProblemSolution solution{
        test_values(random, problem.dimension()), test_values(random, problem.dimension()), {}};
    if (name.ends_with("equality")) solution.u[3] = 0;  // what FCLIB takes for granted
    write_problem(path, problem, &solution);
    expect_same_problem(problem, read_problem(path), problem.W.uniform_dim() != 1);
    const auto copy = read_solution(path, problem);
    ASSERT_TRUE(copy.has_value());
    expect_same_bits("r", copy->r, solution.r);
    expect_same_bits("u", copy->u, solution.u);
    if (problem.form == ProblemForm::global) {
      const Vector v = recover_velocity(problem, solution.r.data());
      EXPECT_LE((copy->v - v).norm(), 1e-14 * v.norm());
    }
  }
}

TEST(ProblemFile, TextsSurviveFclib) {
  const Folder directory;
  ProblemData problem = reduced_problem(1, coulomb_cones(3));
  problem.description = "two\nlines, µ";
  problem.math_info = "";
  write_problem(directory.file("x.hdf5"), problem);
  const ProblemData copy = read_problem(directory.file("x.hdf5"));
  EXPECT_EQ(copy.title, problem.title);
  EXPECT_EQ(copy.description, problem.description);
  EXPECT_EQ(copy.math_info, "");
}

TEST(ProblemFile, NoSolutionIsSaidSo) {
  const Folder directory;
  const ProblemData problem = reduced_problem(1, coulomb_cones(3));
  write_problem(directory.file("x.hdf5"), problem);
  write_problem(directory.file("x.dat"), problem);
  EXPECT_FALSE(read_solution(directory.file("x.hdf5"), problem).has_value());
  EXPECT_FALSE(read_solution(directory.file("x.dat"), problem).has_value());
}

TEST(ProblemFile, WhatAFormatCannotHoldIsAnInputError) {
  const Folder directory;
  const ProblemData problem = reduced_problem(1, coulomb_cones(3));
  const ProblemSolution solution{Vector::Zero(9), Vector::Zero(9), {}};
  const ProblemSolution too_short{Vector::Zero(9), Vector::Zero(8), {}};
  EXPECT_THROW(write_problem(directory.file("x.dat"), problem, &solution), InputError);
  EXPECT_THROW(write_problem(directory.file("x.hdf5"), problem, &too_short), InputError);
  EXPECT_THROW(write_problem(directory.file("x.dat"), reduced_problem(1, all_cones())), InputError);
  EXPECT_THROW(write_problem(directory.file("x.dat"), global_problem(1, lcp_cones())), InputError);
  for (const Cone& cone :
       {Cone::discs({{1, 0.5}, {1, 0.1}}), Cone::discs({{3, 0.5}}),
        Cone::discs({{3, 0.5}, {1, 0.1}}), Cone::discs({{2, 0.5}, {1, 0.1}, {1, 0.1}})}) {
    EXPECT_THROW(write_problem(directory.file("x.dat"), reduced_problem(1, {cone, cone})),
                 InputError);
  }
  EXPECT_THROW(write_problem(directory.file("x.txt"), problem), InputError);
  EXPECT_THROW(write_problem(directory.file("x"), problem), InputError);
  EXPECT_TRUE(std::filesystem::is_empty(directory.path()));
}

TEST(ProblemFile, WhatCannotBeWrittenIsAnIoErrorAndLeavesNothing) {
  const Folder directory;
  const ProblemData problem = reduced_problem(1, coulomb_cones(3));
  std::filesystem::create_directory(directory.file("folder.hdf5"));
  for (const char* name : {"none/x.dat", "none/x.hdf5", "folder.hdf5"}) {
    EXPECT_THROW(write_problem(directory.file(name), problem), IoError);
  }
  const auto entries = std::distance(std::filesystem::directory_iterator(directory.path()), {});
  EXPECT_EQ(entries, 1);
}

}  // namespace
}  // namespace clack::test
