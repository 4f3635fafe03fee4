// Scenes of rigid bodies through the program: what a run leaves, how it is taken up again, what it
// says of mistakes.
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "clack/io/problems/problem_file.hpp"
#include "clack/io/results/results_reader.hpp"
#include "program.hpp"

namespace clack::test {
namespace {

// Spheres and bricks that fall on a floor, some late, beside a driven one.
const std::string kHeap = R"(clack: 1
parameters: {d: 0.1}
system:
  type: rigid-bodies
  gravity: [0, 0, -9.81]
  materials: {stone: {density: 2000, mu: 0.5, e_n: 0.2}, steel: {density: 7800, mu: 0.3}}
  pairs: [{materials: [stone, steel], mu: 0.25}]
  shapes: {brick: {box: {size: [0.2, 0.1, 0.06]}}}
  bodies:
    - {name: floor, shape: plane, fixed: true, material: steel}
    - {name: ball, material: stone, sample: {lattice: {kind: fcc, count: [3, 3, 2], spacing: 1.05*d, origin: [0, 0, 0.1], sizes: d}}}
    - {name: brick, shape: brick, material: stone, position: [0.1, 0.1, 0.5], rotation: {axis: [1, 1, 0], angle: 0.4}}
    - {name: late, shape: {sphere: {radius: 0.5*d}}, material: steel, position: [0.1, 0.1, 0.9], born: 0.05}
    - {name: pusher, shape: {box: {size: [0.1, 1, 1]}}, material: steel, position: [-0.2, 0, 0.5], driven: {velocity: [0.5, 0, 0]}}
simulation: {step: 2.0e-3, end: 0.2}
solver: {tolerance: 1.0e-6}
output: {every: 5}
measures:
  - {name: height of the brick, unit: m, of: brick_z}
  - {name: load on the floor, unit: N, of: -floor_fz, take: max}
  - {name: kinetic energy, unit: J, of: kinetic_energy}
)";

nlohmann::json run_json(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "run");
  arguments.push_back("--json");
  const Outcome outcome = run_clack(arguments, 60);
  EXPECT_EQ(outcome.status, 0) << outcome.err << outcome.out;
  return nlohmann::json::parse(outcome.out);
}

template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}
bool same_bits(const RowMatrix& a, const RowMatrix& b) {
  return a.size() == b.size() &&
         std::memcmp(a.data(), b.data(), static_cast<std::size_t>(a.size()) * sizeof(double)) == 0;
}

void expect_same_motion(const std::string& one, const std::string& other) {
  const ResultsReader a(one + "/results.h5"), b(other + "/results.h5");
  ASSERT_EQ(a.rows(), b.rows());
  EXPECT_TRUE(same_bits(a.time(), b.time()));
  EXPECT_TRUE(same_bits(a.q(), b.q()));
  EXPECT_TRUE(same_bits(a.v(), b.v()));
  EXPECT_TRUE(same_bits(a.energy().work_friction, b.energy().work_friction));
  EXPECT_TRUE(same_bits(a.contacts().r, b.contacts().r));
  EXPECT_TRUE(same_bits(a.contacts().feature, b.contacts().feature));
  EXPECT_TRUE(same_bits(a.restart(a.rows() - 1), b.restart(b.rows() - 1)));
}

void expect_same_figures(nlohmann::json a, nlohmann::json b) {
  for (const char* timed : {"seconds", "seconds_by_stage"}) {
    a.erase(timed);
    b.erase(timed);
  }
  EXPECT_EQ(a, b);
}

TEST(RigidBodyRun, LeavesBodiesShapesContactsMeasuresAndTheSample) {
  const Folder folder;
  const std::string scene = folder.write("heap.yaml", kHeap);
  const nlohmann::json summary = run_json({scene, "-o", folder.file("out")});
  EXPECT_EQ(summary["steps"], 100);
  EXPECT_EQ(summary["bodies"], 22);
  EXPECT_LT(summary["energy_error"].get<double>(), 1e-12);
  EXPECT_EQ(summary["sample"]["bodies"], 20);
  const ResultsReader file(folder.file("out/results.h5"));
  EXPECT_EQ(file.rows(), 21);
  EXPECT_EQ(file.q().cols(), 7 * 22);
  EXPECT_EQ(file.strings("/shapes/kind").size(), 5u);  // spheres of one size are one shape
  const RowMatrix height = file.column("/measures/height of the brick");
  const std::vector<BodyEntry> bodies = file.bodies();
  EXPECT_EQ(bodies[19].name, "brick");
  EXPECT_EQ(height(20, 0), file.q()(20, bodies[19].q_range[0] + 2));
  EXPECT_EQ(height(20, 0), summary["measures"]["height of the brick"].get<double>());
  EXPECT_EQ(file.column("/sample/kinetic_energy")(20, 0),
            summary["measures"]["kinetic energy"].get<double>());
  EXPECT_NEAR(file.q()(20, bodies[21].q_range[0]), -0.2 + 0.1, 1e-14);
}

TEST(RigidBodyRun, ThatWasBrokenOffEndsInTheSameBitsWhenTakenUpAgain) {
  const Folder folder;
  const std::string scene = folder.write("heap.yaml", kHeap);
  const nlohmann::json whole = run_json({scene, "-o", folder.file("whole")});
  (void)run_json({scene, "-o", folder.file("parts"), "--set", "simulation.end=0.09"});
  (void)run_json({scene, "-o", folder.file("parts"), "--set", "simulation.end=0.13", "--resume"});
  const nlohmann::json parts =
      run_json({scene, "-o", folder.file("parts"), "--resume", "--threads", "2"});
  expect_same_motion(folder.file("whole"), folder.file("parts"));
  expect_same_figures(whole, parts);
}

// Broken off before, within and after the damage of the bonds: what laws remember goes on.
TEST(RigidBodyRun, WithBondsThatBreakIsTakenUpWithTheSameBits) {
  const Folder folder;
  const std::string scene = folder.write("bonds.yaml", R"(clack: 1
title: two bonds in a row, pulled
system:
  type: rigid-bodies
  space: 2d
  materials: {a: {density: 1000, mu: 0.4}}
  pairs:
    - materials: [a, a]
      mu: 0.4
      cohesion: {law: bilinear, c_n: 1.0e9, c_t: 2.0e9, s_1: 1.0e5, s_2: 1.0e5, G_1: 20, G_2: 20}
  bodies:
    - {name: left, shape: {disc: {radius: 0.1}}, position: [0, 0], fixed: true}
    - {name: middle, shape: {disc: {radius: 0.1}}, position: [0.2, 0]}
    - {name: right, shape: {disc: {radius: 0.1}}, position: [0.4, 0], driven: {velocity: [0.01, 0.002]}}
simulation: {step: 1.0e-4, end: 0.06}
solver: {tolerance: 1.0e-8}
output: {every: 10}
)");
  const nlohmann::json whole = run_json({scene, "-o", folder.file("whole")});
  for (const char* end : {"0.01", "0.03", "0.05"}) {
    const std::string parts = folder.file(std::string("parts") + end);
    (void)run_json({scene, "-o", parts, "--set", std::string("simulation.end=") + end});
    const nlohmann::json again = run_json({scene, "-o", parts, "--resume"});
    expect_same_motion(folder.file("whole"), parts);
    expect_same_figures(whole, again);
    const ResultsReader a(folder.file("whole/results.h5")), b(parts + "/results.h5");
    for (const char* name : {"intact", "bond_work", "jump_n"}) {
      const std::string path = std::string("/contacts/law/") + name;
      EXPECT_TRUE(same_bits(a.matrix(path), b.matrix(path))) << path;
    }
  }
  const RowMatrix intact =
      ResultsReader(folder.file("whole/results.h5")).matrix("/contacts/law/intact");
  EXPECT_LT(intact.minCoeff(), 0.5);
  EXPECT_EQ(intact.maxCoeff(), 1.0);
}

TEST(RigidBodyRun, ThatWasKilledIsTakenUpWithTheSameEnd) {
  const Folder folder;
  const std::string scene = folder.write("heap.yaml", kHeap), out = folder.file("killed");
  (void)run_json({scene, "-o", folder.file("whole"), "--set", "simulation.step=2e-4", "--set",
                  "output.every=1"});
  const std::vector<std::string> arguments = {
      "run", scene, "-o", out, "--set", "simulation.step=2e-4", "--set", "output.every=1"};
  std::vector<std::string> command = arguments;
  command.insert(command.begin(), CLACK_PROGRAM);
  const Process process = start(command, folder.file("stdout"), folder.file("stderr"));
  int status = 0;
  std::int64_t rows = 0;
  while (rows < 20 && !process.finished(status)) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    if (std::filesystem::exists(out + "/results.h5"))
      rows = ResultsReader(out + "/results.h5").rows();
  }
  process.kill_now();
  (void)process.wait();
  std::vector<std::string> again(arguments.begin() + 1, arguments.end());
  again.push_back("--resume");
  (void)run_json(again);
  expect_same_motion(folder.file("whole"), out);
}

TEST(RigidBodyRun, IsNotTakenUpWithAnotherScene) {
  const Folder folder;
  const std::string scene = folder.write("heap.yaml", kHeap);
  (void)run_json({scene, "-o", folder.file("out"), "--set", "simulation.end=0.02"});
  const std::string kept = read_text(folder.file("out/results.h5"));
  const Outcome outcome = run_clack(
      {"run", scene, "-o", folder.file("out"), "--resume", "--set", "solver.tolerance=1e-3"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_NE(outcome.err.find("--resume needs the same"), std::string::npos) << outcome.err;
  EXPECT_EQ(read_text(folder.file("out/results.h5")), kept);
}

TEST(SystemRun, ThatWasBrokenOffEndsInTheSameBitsWhenTakenUpAgain) {
  for (const char* scheme :
       {"moreau-jean", "moreau-jean-dissipative", "moreau-midpoint", "moreau-combined-projection",
        "newmark", "hht", "generalized-alpha", "rattle", "schatzman-paoli", "semi-implicit-2"}) {
    SCOPED_TRACE(scheme);
    const Folder folder;
    const std::string scene = folder.write("ball.yaml", kBall);
    const std::string choice = std::string("simulation.scheme=") + scheme;
    const Outcome known = run_clack({"check", scene, "--set", choice});
    if (known.status != 0) {
      ADD_FAILURE() << known.err;
      continue;
    }
    const nlohmann::json whole = run_json({scene, "-o", folder.file("whole"), "--set", choice});
    (void)run_json(
        {scene, "-o", folder.file("parts"), "--set", choice, "--set", "simulation.end=0.47"});
    const nlohmann::json parts =
        run_json({scene, "-o", folder.file("parts"), "--set", choice, "--resume"});
    expect_same_motion(folder.file("whole"), folder.file("parts"));
    expect_same_figures(whole, parts);
  }
}

// Bodies that come and go, a joint, bonds that break: what schemes, laws and contacts remember goes on.
const std::string kHingedAndBonded = R"(clack: 1
system:
  type: rigid-bodies
  gravity: [0, 0, -9.81]
  materials: {stone: {density: 2000, mu: 0.5}, bonded: {density: 2000, mu: 0.5}}
  pairs:
    - materials: [bonded, bonded]
      cohesion: {law: bilinear, c_n: 1.0e7, c_t: 1.0e7, s_1: 2.0e3, s_2: 2.0e3, G_1: 2, G_2: 2}
  links: [{bodies: [a, b], point: [0.105, 0, 0.3], link: hinge}]
  bodies:
    - {name: floor, shape: plane, fixed: true, material: stone}
    - {name: a, shape: {box: {size: [0.2, 0.1, 0.06]}}, material: stone, position: [0, 0, 0.3], rotation: {axis: [1, 0.3, 0], angle: 0.2}}
    - {name: b, shape: {sphere: {radius: 0.05}}, material: stone, position: [0.2, 0, 0.3], velocity: [0, 0.5, 0]}
    - {name: late, shape: {sphere: {radius: 0.05}}, material: stone, position: [0, 0.3, 0.1], born: 0.03}
    - {name: low, shape: {box: {size: [0.1, 0.1, 0.1]}}, material: bonded, position: [0.5, 0, 0.05]}
    - {name: high, shape: {box: {size: [0.1, 0.1, 0.1]}}, material: bonded, position: [0.5, 0, 0.15], velocity: [2, 0, 0], spin: [0, 8, 0]}
simulation: {step: 1.0e-3, end: 0.3}
output: {every: 10}
)";

TEST(RigidBodyRun, BySchemesOfAllKindsIsTakenUpWithTheSameBits) {
  // Laws stand on velocities; on positions there are Signorini's condition and friction alone.
  std::string plain = kHingedAndBonded;
  plain.erase(plain.find("  pairs:"), plain.find("  links:") - plain.find("  pairs:"));
  plain.erase(plain.find(", velocity: [2,"), std::strlen(", velocity: [2, 0, 0], spin: [0, 8, 0]"));
  const std::pair<const char*, const std::string&> cases[] = {{"moreau-jean", kHingedAndBonded},
                                                              {"moreau-midpoint", kHingedAndBonded},
                                                              {"newmark", kHingedAndBonded},
                                                              {"generalized-alpha", plain},
                                                              {"rattle", plain},
                                                              {"schatzman-paoli", plain},
                                                              {"moreau-direct-projection", plain},
                                                              {"semi-implicit-2", plain},
                                                              {"central-differences", plain}};
  for (const auto& [scheme, text] : cases) {
    SCOPED_TRACE(scheme);
    const Folder folder;
    const std::string scene = folder.write("scene.yaml", text);
    const std::string choice = std::string("simulation.scheme=") + scheme;
    const nlohmann::json whole = run_json({scene, "-o", folder.file("whole"), "--set", choice});
    for (const char* end : {"0.02", "0.18"}) {
      const std::string parts = folder.file(std::string("parts") + end);
      (void)run_json(
          {scene, "-o", parts, "--set", choice, "--set", std::string("simulation.end=") + end});
      const nlohmann::json again = run_json({scene, "-o", parts, "--set", choice, "--resume"});
      expect_same_motion(folder.file("whole"), parts);
      expect_same_figures(whole, again);
    }
  }
}

TEST(AssemblyRun, ThatWasBrokenOffEndsInTheSameBitsWhenTakenUpAgain) {
  const std::string scene = std::string(CLACK_SOURCE_DIR) + "/examples/pendulum_box_rod.yaml";
  for (const char* scheme : {"moreau-jean", "generalized-alpha"}) {
    SCOPED_TRACE(scheme);
    const Folder folder;
    const std::string choice = std::string("simulation.scheme=") + scheme;
    const nlohmann::json whole = run_json(
        {scene, "-o", folder.file("whole"), "--set", choice, "--set", "simulation.end=0.6"});
    (void)run_json(
        {scene, "-o", folder.file("parts"), "--set", choice, "--set", "simulation.end=0.41"});
    const nlohmann::json parts = run_json({scene, "-o", folder.file("parts"), "--set", choice,
                                           "--set", "simulation.end=0.6", "--resume"});
    expect_same_motion(folder.file("whole"), folder.file("parts"));
    expect_same_figures(whole, parts);
  }
}

TEST(DumpedProblems, AreSolvedByTheProgramAndReadTheSameFromBothFormats) {
  const Folder folder;
  const std::string scene = folder.write("heap.yaml", kHeap);
  (void)run_json({scene, "-o", folder.file("out"), "--dump-problems", "every=50"});
  const std::string stem = folder.file("out/problems/step_00000100");
  const ProblemData a = read_problem(stem + ".hdf5"), b = read_problem(stem + ".dat");
  EXPECT_GT(a.contacts(), 10);
  EXPECT_EQ(a.contacts(), b.contacts());
  EXPECT_EQ(a.u_free, b.u_free);
  const Outcome outcome = run_clack({"solve", stem + ".hdf5", "--tol", "1e-6", "--json"}, 30);
  EXPECT_EQ(outcome.status, 0) << outcome.out;
  const Outcome own = run_clack({"solve", stem + ".hdf5", "--solver", "nsgs", "--tol", "1e-4",
                                 "--option", "relaxation=1.1", "--json"},
                                30);
  EXPECT_EQ(own.status, 0) << own.out;
  EXPECT_NE(own.out.find("\"relaxation\":1.1"), std::string::npos) << own.out;
  const Outcome refused = run_clack({"solve", stem + ".hdf5", "--option", "relaxation=1.1"});
  EXPECT_EQ(refused.status, 2);
  EXPECT_NE(
      refused.err.find("auto: does not read option 'relaxation', which is of: nsgs, admm; known: "
                       "max_flops max_sweeps"),
      std::string::npos)
      << refused.err;
  const Outcome bad = run_clack({"run", scene, "--dump-problems", "50"});
  EXPECT_EQ(bad.status, 2);
  EXPECT_NE(bad.err.find("expected every=N"), std::string::npos) << bad.err;
}

TEST(DumpedProblems, OfTiesBesideContactsAreWrittenAsFclibAlone) {
  const Folder folder;
  const std::string scene = folder.write("tied.yaml", R"(clack: 1
system:
  type: rigid-bodies
  gravity: [0, 0, -9.81]
  materials: {wood: {density: 600}}
  links: [{bodies: [a, b], point: [0.1, 0, 0.05], link: hinge}]
  bodies:
    - {name: floor, shape: plane, fixed: true}
    - {name: a, shape: {box: {size: [0.18, 0.1, 0.1]}}, position: [0, 0, 0.05]}
    - {name: b, shape: {box: {size: [0.18, 0.1, 0.1]}}, position: [0.2, 0, 0.05]}
simulation: {step: 1.0e-3, end: 0.01}
)");
  (void)run_json({scene, "-o", folder.file("out"), "--dump-problems", "every=10"});
  EXPECT_GT(read_problem(folder.file("out/problems/step_00000010.hdf5")).contacts(), 8);
  EXPECT_FALSE(std::filesystem::exists(folder.file("out/problems/step_00000010.dat")));
}

struct Mistake {
  const char *name, *find, *replace, *path, *message;
};

class WorldMistakes : public testing::TestWithParam<Mistake> {};

TEST_P(WorldMistakes, AreSaidWithTheirPlace) {
  const Mistake& mistake = GetParam();
  std::string text = kHeap;
  const std::size_t at = text.find(mistake.find);
  ASSERT_NE(at, std::string::npos);
  text.replace(at, std::strlen(mistake.find), mistake.replace);
  const Folder folder;
  const Outcome outcome = run_clack({"check", folder.write("heap.yaml", text)});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_NE(outcome.err.find(std::string(": ") + mistake.path + ": "), std::string::npos)
      << outcome.err;
  EXPECT_NE(outcome.err.find(mistake.message), std::string::npos) << outcome.err;
}

const Mistake kMistakes[] = {
    {"unknown shape", "{sphere:", "{spere:", "system.bodies.3.shape.spere",
     "did you mean 'sphere'?"},
    {"unknown name of a shape", "shape: brick,", "shape: brik,", "system.bodies.2.shape",
     "did you mean 'brick'?"},
    {"negative radius", "radius: 0.5*d", "radius: -d", "system.bodies.3.shape.sphere.radius",
     "must be a number > 0"},
    {"flat box", "[0.2, 0.1, 0.06]", "[0.2, 0.1, 0]", "system.shapes.brick.box.size", "> 0"},
    {"unknown material", "material: stone, sample", "material: ston, sample",
     "system.bodies.1.material", "did you mean 'stone'?"},
    {"material missing", "fixed: true, material: steel", "fixed: true", "system.bodies.0",
     "needs a 'material'"},
    {"restitution above 1", "e_n: 0.2", "e_n: 1.2", "system.materials.stone.e_n", "[0, 1]"},
    {"pair of three", "[stone, steel]", "[stone, steel, stone]", "system.pairs.0.materials",
     "expected two materials"},
    {"mass of a plane", "{name: floor, shape: plane, fixed: true", "{name: floor, shape: plane",
     "system.bodies.0", "a plane has no mass"},
    {"velocity of a driven body", "driven: {velocity", "velocity: [1, 0, 0], driven: {velocity",
     "system.bodies.4.velocity", "no meaning for a driven body"},
    {"motion of two numbers", "velocity: [0.5, 0, 0]", "velocity: [0.5, 0]",
     "system.bodies.4.driven.velocity", "expected 3 formulas of t; found 2"},
    {"unknown generator", "{lattice:", "{latice:", "system.bodies.1.sample.latice",
     "did you mean 'lattice'?"},
    {"overlapping lattice", "spacing: 1.05*d", "spacing: 0.5*d", "system.bodies.1.sample.lattice",
     "need at least 0.1"},
    {"name taken", "name: brick,", "name: floor,", "system.bodies.2.name", "is taken already"},
    {"zero axis", "axis: [1, 1, 0]", "axis: [0, 0, 0]", "system.bodies.2.rotation.axis",
     "no direction"},
    {"unknown quantity", "of: brick_z", "of: brick_height", "measures.0.of", "brick_height"},
    {"scheme", "{step: 2.0e-3,", "{scheme: ratle, step: 2.0e-3,", "simulation.scheme",
     "did you mean 'rattle'?"},
    {"shape of the plane", "{sphere: {radius: 0.5*d}}", "{disc: {radius: 0.5*d}}",
     "system.bodies.3.shape.disc", "no kind of shape"},
    {"hole wider than its body", "{sphere: {radius: 0.5*d}}", "{socket: {inner: d, outer: 0.5*d}}",
     "system.bodies.3.shape.socket", "must be below outer"},
    {"hole of the plane", "{sphere: {radius: 0.5*d}}", "{ring: {inner: d, outer: 2*d}}",
     "system.bodies.3.shape.ring", "no kind of shape"},
    {"tube without a length", "{sphere: {radius: 0.5*d}}", "{tube: {inner: d, outer: 2*d}}",
     "system.bodies.3.shape.tube.length", "is missing"},
    {"mesh that is not there", "{sphere: {radius: 0.5*d}}", "{mesh: {file: rock.obj}}",
     "system.bodies.3.shape.mesh.file", "rock.obj"},
    {"parts without a sample", "born: 0.05", "parts: {lid: {removed: 1}}", "system.bodies.3.parts",
     "only a 'sample' has parts"},
};

INSTANTIATE_TEST_SUITE_P(All, WorldMistakes, testing::ValuesIn(kMistakes), [](const auto& mistake) {
  std::string name = mistake.param.name;
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return name;
});

const char* kMachine = R"(clack: 1
system:
  type: rigid-bodies
  space: 2d
  gravity: [0, -9.81]
  materials: {steel: {mu: 0}}
  bodies:
    - {name: hole, shape: {ring: {inner: 0.01, outer: 0.02}}, fixed: true}
    - {name: journal, shape: {disc: {radius: 0.0101}}}
    - {name: wheel, shape: {gear: {teeth: 20, module: 0.001}}, position: [1, 0]}
simulation: {step: 1.0e-3, end: 0.01}
)";

TEST(MachineParts, AJournalTooLargeForItsHoleIsRemarked) {
  const Folder folder;
  const Outcome outcome = run_clack({"check", folder.write("machine.yaml", kMachine)});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("'hole' and 'journal' overlap by 0.0001 m"), std::string::npos)
      << outcome.out;
}

TEST(MachineParts, GearsThatCannotBeAreSaidWithTheirPlace) {
  for (const auto& [find, replace, message] :
       {std::tuple("teeth: 20", "teeth: 3", "whole number from 4"),
        std::tuple("module: 0.001", "module: 0", "must be a number > 0"),
        std::tuple("module: 0.001", "module: 0.001, addendum: 3", "pointed"),
        std::tuple("module: 0.001", "modul: 0.001", "did you mean 'module'?")}) {
    std::string text = kMachine;
    text.replace(text.find(find), std::strlen(find), replace);
    const Folder folder;
    const Outcome outcome = run_clack({"check", folder.write("machine.yaml", text)});
    EXPECT_EQ(outcome.status, 2) << replace;
    EXPECT_NE(outcome.err.find("system.bodies.2.shape.gear"), std::string::npos) << outcome.err;
    EXPECT_NE(outcome.err.find(message), std::string::npos) << outcome.err;
  }
}

}  // namespace
}  // namespace clack::test
