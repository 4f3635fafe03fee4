// Linear systems with dense and with sparse matrices: one motion under every scheme.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "clack/core/error.hpp"
#include "clack/integrate/simulation.hpp"
#include "clack/io/scene/scene.hpp"
#include "clack/model/rod.hpp"
#include "tests/folder.hpp"

namespace clack {
namespace {

constexpr int kElements = 200;

RodMatrices rod() {
  return make_rod(
      {.length = 1, .elements = kElements, .mass = RodMass::consistent, .clamped = true});
}

std::string as_rows(const Matrix& A) {
  std::string text = "[";
  for (int i = 0; i < A.rows(); ++i) {
    text += i == 0 ? "[" : ", [";
    for (int j = 0; j < A.cols(); ++j) text += fmt::format("{}{}", j == 0 ? "" : ", ", A(i, j));
    text += "]";
  }
  return text + "]";
}

std::string as_file(const Matrix& A) {
  std::string lines;
  int count = 0;
  for (int j = 0; j < A.cols(); ++j) {
    for (int i = j; i < A.rows(); ++i) {
      if (A(i, j) == 0) continue;
      lines += fmt::format("{} {} {}\n", i + 1, j + 1, A(i, j));
      ++count;
    }
  }
  return fmt::format("%%MatrixMarket matrix coordinate real symmetric\n{} {} {}\n", A.rows(),
                     A.cols(), count) +
         lines;
}

std::string names() {
  std::string text;
  for (int i = 1; i <= kElements; ++i) text += fmt::format("{}u{}", i == 1 ? "" : ", ", i);
  return "[" + text + "]";
}

// The rod's matrices as rows, which are kept dense; as files; made by the reader.
std::string dense_system() {
  const RodMatrices matrices = rod();
  return fmt::format("  coordinates: {}\n  M: {}\n  K: {}\n", names(), as_rows(matrices.M),
                     as_rows(matrices.K));
}
constexpr const char* kRod =
    "  rod: {length: 1, area: 1, young: 1, density: 1, elements: 200, left: clamped}\n";

// A wall that comes nearer, a load that changes; the tip meets the wall after some 30 steps.
constexpr const char* kWall = R"(  f: {u120: 30*sin(40*t), u7: 0.5}
  contacts: [{name: wall, G: {u200: -1, u199: -0.25}, g0: 0.04 - 0.05*t}]
initial: {v: 1}
simulation: {step: 1.0e-3, end: 0.1}
)";

Scene parse(const std::string& system, const std::string& rest,
            const std::vector<std::string>& overrides = {}) {
  return parse_scene("scene", "clack: 1\nsystem:\n  type: linear\n" + system + rest, overrides);
}

struct Motion {
  Vector q, v;
  double impulse = 0;  // of all contacts, over all steps [N s]
};

Motion run(const Scene& scene) {
  Simulation simulation(scene.system, scene.initial, scene.options);
  Motion motion;
  for (long k = 0; k < scene.step_count(); ++k) {
    EXPECT_EQ(simulation.step(), Status::converged) << scene.options.scheme;
    motion.impulse += simulation.last_step().r.cwiseAbs().sum();
  }
  motion.q = simulation.q();
  motion.v = simulation.v();
  return motion;
}

void expect_same(const Motion& a, const Motion& b) {
  EXPECT_GT(a.impulse, 1e-3) << "no contact has closed: nothing is compared";
  EXPECT_NEAR(a.impulse, b.impulse, 1e-12 * a.impulse);
  EXPECT_LT((a.q - b.q).cwiseAbs().maxCoeff(), 1e-12 * a.q.cwiseAbs().maxCoeff());
  EXPECT_LT((a.v - b.v).cwiseAbs().maxCoeff(), 1e-12 * a.v.cwiseAbs().maxCoeff());
}

std::vector<std::string> sparse_schemes() {
  std::vector<std::string> names;
  for (const SchemeInfo& info : scheme_list())
    if (make_scheme(info.name, {})->takes_sparse()) names.emplace_back(info.name);
  return names;
}

class SparseSchemes : public testing::TestWithParam<std::string> {};

TEST_P(SparseSchemes, MoveARodOf200ElementsAsOnDenseMatrices) {
  const std::string& scheme = GetParam();
  const std::vector<std::string> overrides = {
      "simulation.scheme=" + scheme, scheme == "theta-xi" ? "simulation.theta=1" : "title=a rod",
      "solver={name: auto, tolerance: 1.0e-14}"};
  const Scene dense = parse(dense_system(), kWall, overrides),
              sparse = parse(kRod, kWall, overrides);
  ASSERT_FALSE(dense.system->is_sparse());
  ASSERT_TRUE(sparse.system->is_sparse());
  expect_same(run(dense), run(sparse));
}

std::string case_name(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  for (char& c : name) c = c == '-' ? '_' : c;
  return name;
}
INSTANTIATE_TEST_SUITE_P(All, SparseSchemes, testing::ValuesIn(sparse_schemes()), case_name);

TEST(SparseRod, IsTakenByAllSchemesButTwo) {
  EXPECT_EQ(sparse_schemes().size() + 2, scheme_list().size());  // statics, event-driven
}

// A tie, friction under a driven belt and a damper, which not all schemes take.
constexpr const char* kBelt = R"(
  contacts:
    - {name: wall, G: {u200: -1}, g0: 0.03, e_n: 0.5}
    - {name: belt, G: {u100: 1}, g0: -0.001*t, T: [{u150: 1, u151: 0.5}], drive: [sin(9*t)], mu: 0.4}
  constraints: [{name: tie, G: {u10: 1, u11: -1}, g0: 1.0e-4*sin(3*t)}]
initial: {v: 1}
simulation: {step: 1.0e-3, end: 0.1}
solver: {name: auto, tolerance: 1.0e-14}
)";

TEST(SparseRod, HasTheContactsOfADenseOne) {
  const test::Folder folder;
  folder.write("M.mtx", as_file(rod().M));
  folder.write("K.mtx", as_file(rod().K));
  folder.write("C.mtx", as_file(Matrix::Identity(kElements, kElements)));
  const std::string files =
      "  M: {file: M.mtx}\n  K: {file: K.mtx}\n  C: {file: C.mtx}\n  coordinates: " + names();
  folder.write("scene.yaml", "clack: 1\nsystem:\n  type: linear\n" + files + kBelt);
  const Scene sparse = load_scene(folder.file("scene.yaml"));
  const Scene dense =
      parse(dense_system() + "  C: " + as_rows(Matrix::Identity(kElements, kElements)), kBelt);
  ASSERT_TRUE(sparse.system->is_sparse());
  ASSERT_FALSE(dense.system->is_sparse());
  expect_same(run(dense), run(sparse));
}

TEST(SparseRod, OfSmallSizeIsSolvedByDenseSchemesToo) {
  for (const char* scheme : {"statics", "event-driven"}) {
    const std::vector<std::string> overrides = {std::string("simulation.scheme=") + scheme,
                                                "simulation.end=0.05"};
    const Motion dense = run(parse(dense_system(), kWall, overrides)),
                 sparse = run(parse(kRod, kWall, overrides));
    EXPECT_LT((dense.q - sparse.q).cwiseAbs().maxCoeff(), 1e-9) << scheme;
  }
}

TEST(SparseRod, OfLargeSizeIsRefusedByDenseSchemesBeforeTheRun) {
  const std::string large =
      "  rod: {length: 1, area: 1, young: 1, density: 1, elements: 100000, left: clamped}\n";
  for (const char* scheme : {"statics", "event-driven"}) {
    try {
      parse(large, "simulation: {step: 1.0e-3, end: 0.1, scheme: " + std::string(scheme) + "}\n");
      ADD_FAILURE() << scheme;
    } catch (const InputError& error) {
      const std::string message = error.what();
      EXPECT_NE(message.find("simulation.scheme"), std::string::npos) << message;
      EXPECT_NE(message.find("works on dense matrices, for at most 3000 unknowns; the system has "
                             "100000"),
                std::string::npos)
          << message;
    }
  }
}

TEST(SparseRod, WithoutMassAtItsTipNeedsASchemeThatCarriesIt) {
  const std::string tip =
      "  rod: {length: 1, area: 1, young: 1, density: 1, elements: 200, left: clamped, mass: "
      "massless-tip}\n";
  EXPECT_NO_THROW(parse(tip, kWall, {"simulation.theta=0.6"}));
  try {
    parse(tip, kWall, {"simulation.theta=0.5"});
    ADD_FAILURE();
  } catch (const InputError& error) {
    const std::string message = error.what();
    EXPECT_NE(message.find("system.rod: the mass matrix is singular"), std::string::npos);
    EXPECT_NE(message.find("'u200' has none"), std::string::npos) << message;
  }
}

}  // namespace
}  // namespace clack
