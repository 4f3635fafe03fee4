// clack bench: the table, the CSV, the profile, cases that fail, errors, the peer.
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "clack/io/problems/problem_file.hpp"
#include "clack/problem/global_problem.hpp"
#include "clack/problem/residual.hpp"
#include "clack/solve/solver.hpp"
#include "program.hpp"
#include "tests/support/generate.hpp"

namespace clack::test {
namespace {

constexpr double kBenchLimit = 120;  // [s], for a whole bench

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

using Row = std::map<std::string, std::string>;  // by column

// Without quotes: the notes, the last column, are kept as they stand.
std::vector<std::string> split(const std::string& line, std::size_t columns) {
  std::vector<std::string> parts;
  std::istringstream in(line);
  std::string part;
  while (parts.size() + 1 < columns && std::getline(in, part, ',')) parts.push_back(part);
  std::getline(in, part, '\0');
  parts.push_back(in ? part : "");
  return parts;
}

std::vector<Row> read_csv(const std::filesystem::path& path) {
  const std::vector<std::string> lines = lines_of(read_text(path));
  std::vector<Row> rows;
  if (lines.empty()) return rows;
  const std::vector<std::string> names = split(lines[0], 11);
  EXPECT_EQ(lines[0],
            "problem,contacts,unknowns,solver,tolerance,status,seconds,iterations,residual,"
            "residual_scaled,velocity_error,note");
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const std::vector<std::string> cells = split(lines[i], names.size());
    EXPECT_EQ(cells.size(), names.size()) << lines[i];
    Row row;
    for (std::size_t c = 0; c < cells.size() && c < names.size(); ++c) row[names[c]] = cells[c];
    rows.push_back(row);
  }
  return rows;
}

// Three small problems of different shape: a global one, a reduced one, one in the plane.
void write_problems(const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder / "deeper");
  GenerateOptions options;
  options.contacts = 24;
  write_problem(folder / "spheres.hdf5", generate_problem(options));
  options.packing = Packing::tower;
  write_problem(folder / "tower.dat", reduce(generate_problem(options)));
  options.packing = Packing::hexagonal;
  options.dim = 2;
  options.contacts = 30;
  write_problem(folder / "deeper" / "discs.dat", generate_problem(options));
}

// What the solver reaches in this process.
Residual reached(const std::string& file, const std::string& solver, double tolerance) {
  ProblemData problem = read_problem(file);
  if (problem.form == ProblemForm::global) problem = reduce(problem);
  SolverOptions options;
  options.tolerance = tolerance;
  options.max_iterations = 10'000'000;
  Vector r = Vector::Zero(problem.dimension()), u = r;
  (void)make_solver(solver, options)->solve(problem.view(), r.data(), u.data());
  return compute_residual(problem.view(), r.data(), u.data());
}

bool is_well_formed(const std::filesystem::path& xml) {
  const std::string check = "import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])";
  return run_command({"python3", "-c", check, xml.string()}, 30).status == 0;
}

TEST(Bench, FillsEveryCaseWithFiguresThatTheLibraryConfirms) {
  const Folder folder;
  write_problems(folder.path() / "problems");
  const Outcome outcome =
      run_clack({"bench", folder.file("problems"), "--solvers", "auto,nsgs", "--tol", "1e-4,1e-6",
                 "-o", folder.file("out"), "--repeat", "2"},
                kBenchLimit);
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  const std::vector<Row> rows = read_csv(folder.path() / "out/bench.csv");
  ASSERT_EQ(rows.size(), 3u * 2 * 2);
  const std::map<std::string, std::string> files = {
      {"spheres", "spheres.hdf5"}, {"tower", "tower.dat"}, {"discs", "deeper/discs.dat"}};
  const std::map<std::string, std::string> unknowns = {
      {"spheres", "72"}, {"tower", "72"}, {"discs", "60"}};
  for (Row row : rows) {
    SCOPED_TRACE(row["problem"] + " " + row["solver"] + " " + row["tolerance"]);
    const double tolerance = std::stod(row["tolerance"]);
    EXPECT_EQ(row["status"], "converged");
    EXPECT_EQ(row["unknowns"], unknowns.at(row["problem"]));
    EXPECT_GT(std::stod(row["seconds"]), 0);
    EXPECT_LE(std::stod(row["residual"]), tolerance);
    EXPECT_LE(std::stod(row["residual_scaled"]), tolerance);
    const Residual own =
        reached(folder.file("problems/" + files.at(row["problem"])), row["solver"], tolerance);
    EXPECT_NEAR(std::stod(row["residual"]), own.plain, 1e-6 * own.plain);
    EXPECT_NEAR(std::stod(row["residual_scaled"]), own.scaled, 1e-6 * own.scaled);
  }
}

TEST(Bench, PrintsARowAProblemAndHowManyWereSolved) {
  const Folder folder;
  write_problems(folder.path() / "problems");
  const Outcome outcome = run_clack({"bench", folder.file("problems"), "--solvers", "auto,nsgs",
                                     "--tol", "1e-6", "-o", folder.file("out"), "--repeat", "1"},
                                    kBenchLimit);
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  std::map<std::string, std::vector<std::string>> words;  // by the first word of a line
  for (const std::string& line : lines_of(outcome.out)) {
    std::istringstream in(line);
    std::vector<std::string> all{std::istream_iterator<std::string>(in), {}};
    if (!all.empty()) words[all[0]] = all;
  }
  EXPECT_EQ(words["problem"], (std::vector<std::string>{"problem", "contacts", "auto", "nsgs"}));
  ASSERT_EQ(words["discs"].size(), 4u) << outcome.out;
  EXPECT_EQ(words["discs"][1], "30");
  EXPECT_TRUE(has(words["discs"][2], "/"));
  EXPECT_EQ(words["auto"], (std::vector<std::string>{"auto", "3", "of", "3"}));
  EXPECT_EQ(words["nsgs"], (std::vector<std::string>{"nsgs", "3", "of", "3"}));
}

TEST(Bench, DrawsAProfileWithACurveForEverySolver) {
  const Folder folder;
  write_problems(folder.path() / "problems");
  const Outcome outcome =
      run_clack({"bench", folder.file("problems"), "--solvers", "auto,nsgs", "--tol", "1e-4,1e-6",
                 "-o", folder.file("out"), "--repeat", "1"},
                kBenchLimit);
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  for (const char* name : {"out/profile_1e-4.svg", "out/profile_1e-6.svg"}) {
    const std::string svg = read_text(folder.path() / name);
    EXPECT_TRUE(is_well_formed(folder.path() / name)) << svg;
    EXPECT_TRUE(has(svg, "<title>auto</title>\n<path d=\"M")) << svg;
    EXPECT_TRUE(has(svg, "<title>nsgs</title>\n<path d=\"M")) << svg;
  }
}

TEST(Bench, MarksWhatDoesNotEndInTime) {
  const Folder folder;
  GenerateOptions options;
  options.packing = Packing::wall;
  options.contacts = 800;
  options.mass_ratio = 1000;
  write_problem(folder.file("wall.hdf5"), generate_problem(options));
  const Outcome outcome =
      run_clack({"bench", folder.file("wall.hdf5"), "--solvers", "nsgs", "--tol", "1e-15",
                 "--time-limit", "0.05", "-o", folder.file("out")},
                kBenchLimit);
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const std::vector<Row> rows = read_csv(folder.path() / "out/bench.csv");
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].at("status"), "time_limit");
  EXPECT_TRUE(has(outcome.out, "0 of 1")) << outcome.out;
  EXPECT_TRUE(is_well_formed(folder.path() / "out/profile_1e-15.svg"));
}

TEST(Bench, CountsAProofOfInfeasibilityAsDecided) {
  const Folder folder;
  Matrix W(1, 1);
  W << 0;
  write_problem(folder.file("none.hdf5"),
                make_reduced_problem({Cone::nonnegative()}, SparseMatrix(W.sparseView()),
                                     Vector::Constant(1, -1.0)));
  const Outcome outcome =
      run_clack({"bench", folder.file("none.hdf5"), "--solvers", "lemke", "-o", folder.file("out")},
                kBenchLimit);
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(read_csv(folder.path() / "out/bench.csv").at(0).at("status"), "infeasible");
  EXPECT_TRUE(has(outcome.out, "1 of 1")) << outcome.out;
}

// --- errors ---

void expect_refused(const std::vector<std::string>& arguments, const std::string& part) {
  const Outcome outcome = run_clack(arguments, 30);
  EXPECT_EQ(outcome.status, 2) << outcome.out;
  EXPECT_EQ(outcome.out, "");
  EXPECT_TRUE(has(outcome.err, part)) << outcome.err;
}

TEST(BenchErrors, AreSaidBeforeAnythingRuns) {
  const Folder folder;
  write_problems(folder.path() / "problems");
  const std::string problems = folder.file("problems"), out = folder.file("out");
  std::filesystem::create_directories(folder.path() / "empty");
  expect_refused({"bench", problems, "-o", out, "--solvers", "auto,gauss"},
                 "unknown solver 'gauss'");
  expect_refused({"bench", folder.file("empty"), "-o", out}, folder.file("empty"));
  expect_refused({"bench", problems, "-o", out, "--tol", "1e-4,none"}, "none");
  expect_refused({"bench", problems, "-o", out, "--tol", "0"}, "tol");
  expect_refused({"bench", problems, "-o", out, "--time-limit", "-1"}, "time-limit");
  expect_refused({"bench", problems, "-o", out, "--repeat", "0"}, "repeat");
  expect_refused({"bench", problems, "-o", out, "--jobs", "0"}, "jobs");
  expect_refused({"bench", problems, "-o", out, "--peer", "other"}, "other");
  expect_refused({"bench", problems, "-o", out, "--peer-solvers", "NSGS"}, "--peer siconos");
  EXPECT_FALSE(std::filesystem::exists(out));
}

TEST(BenchErrors, NameEveryFileThatCannotBeRead) {
  const Folder folder;
  write_problems(folder.path() / "problems");
  const std::string bad = folder.write("problems/bad.dat", "3 1 what"),
                    absent = folder.file("absent.hdf5");
  for (const std::string& name : {bad, absent}) {
    expect_refused({"bench", folder.file("problems"), absent, "-o", folder.file("out")}, name);
  }
}

// --- the peer ---

bool siconos_is_here() {
  return run_command({"/usr/bin/python3", "-c", "import siconos.numerics"}, 60).status == 0;
}

TEST(BenchPeer, IsJudgedByTheSameResidual) {
  if (!siconos_is_here()) GTEST_SKIP() << "Debian's package python3-siconos is not installed";
  const Folder folder;
  write_problems(folder.path() / "problems");
  const Outcome outcome =
      run_clack({"bench", folder.file("problems"), "--solvers", "auto,nsgs", "--peer", "siconos",
                 "--peer-solvers", "NSGS,PROX,LEMKE", "--repeat", "1", "-o", folder.file("out")},
                kBenchLimit);
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  std::map<std::string, int> tried;
  for (Row row : read_csv(folder.path() / "out/bench.csv")) {
    SCOPED_TRACE(row["problem"] + " " + row["solver"]);
    ++tried[row["solver"]];
    if (row["solver"] == "siconos:LEMKE") continue;  // which need not end well
    EXPECT_EQ(row["status"], "converged") << row["note"];
    EXPECT_LE(std::stod(row["residual"]), 1e-8);
  }
  const std::map<std::string, int> expected = {
      {"auto", 3}, {"nsgs", 3}, {"siconos:NSGS", 3}, {"siconos:PROX", 2}, {"siconos:LEMKE", 1}};
  EXPECT_EQ(tried, expected);
  EXPECT_TRUE(has(outcome.out, "auto / siconos PROX: ")) << outcome.out;
  EXPECT_TRUE(has(outcome.out, "nsgs / siconos:NSGS, seconds an iteration: ")) << outcome.out;
  expect_refused({"bench", folder.file("problems"), "--peer", "siconos", "--peer-solvers", "WHAT"},
                 "unknown 'WHAT'");
}

}  // namespace
}  // namespace clack::test
