// What a run says about itself: nothing that is wrong stays silent, nothing that is right is called
// a failure.
#include <cmath>
#include <nlohmann/json.hpp>

#include "clack/integrate/scheme.hpp"
#include "clack/io/results/results_reader.hpp"
#include "clack/record/recorder.hpp"
#include "program.hpp"

namespace clack::test {
namespace {

using Json = nlohmann::json;

constexpr double kLong = 120;  // [s], for runs that compute something

struct Verdict {
  int status = 0;
  Json summary;
  std::string words;

  bool says(const std::string& text) const { return words.find(text) != std::string::npos; }
};

Verdict run_text(const std::string& text, const std::vector<std::string>& set = {}) {
  const Folder folder;
  std::vector<std::string> command = {"run", folder.write("scene.yaml", text), "-o",
                                      folder.file("out")};
  for (const std::string& x : set) command.insert(command.end(), {"--set", x});
  const Outcome outcome = run_clack(command, kLong);
  const std::string summary = read_text(folder.file("out/summary.json"));
  return {outcome.status, Json::parse(summary, nullptr, false), outcome.out + outcome.err};
}

std::string check_text(const std::string& text, const std::vector<std::string>& set = {}) {
  const Folder folder;
  std::vector<std::string> command = {"check", folder.write("scene.yaml", text)};
  for (const std::string& x : set) command.insert(command.end(), {"--set", x});
  const Outcome outcome = run_clack(command, kLong);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  return outcome.out;
}

// --- links that drift ---

// Two spheres glued, turning at 10 rad/s: held on velocities alone, as a glue that may break is,
// their distance grows.
const std::string kBreakable = "system.links.0.link={law: glue, strength_n: 1.0e9}";
const std::string kGlued = R"(clack: 1
system:
  type: rigid-bodies
  materials: {stone: {density: 1000, mu: 0}}
  bodies:
    - {name: left, shape: {sphere: {radius: 0.05}}, position: [-0.2, 0, 0], velocity: [0, -2, 0], spin: [0, 0, 10]}
    - {name: right, shape: {sphere: {radius: 0.05}}, position: [0.2, 0, 0], velocity: [0, 2, 0], spin: [0, 0, 10]}
  links:
    - {name: weld, bodies: [left, right], point: [0, 0, 0], link: glue}
simulation: {step: 1.0e-3, end: 10}
output: {every: 100}
)";

TEST(Drift, OfALinkIsMeasuredRecordedAndFlagged) {
  const Folder folder;
  const Outcome outcome = run_clack({"run", folder.write("glued.yaml", kGlued), "--set", kBreakable,
                                     "-o", folder.file("out"), "--json"},
                                    kLong);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  const Json summary = Json::parse(outcome.out);
  const ResultsReader reader(folder.file("out/results.h5"));
  const RowMatrix q = reader.q(), drift = reader.column("/joints/drift");
  const Eigen::Index last = q.rows() - 1;
  const double distance = (q.row(last).segment(7, 3) - q.row(last).head(3)).norm();
  EXPECT_NEAR(distance, 0.528, 1e-3);
  EXPECT_NEAR(summary["energy"]["numerical"].get<double>(), -0.42 * reader.energy().kinetic[0],
              0.005 * reader.energy().kinetic[0]);
  EXPECT_EQ(drift(0, 0), 0);
  // The bodies turn against each other as well.
  EXPECT_GT(drift(last, 0), distance - 0.4);
  EXPECT_LT(drift(last, 0), 1.2 * (distance - 0.4));
  EXPECT_EQ(summary["drift"]["link"], "weld");
  EXPECT_EQ(summary["drift"]["flagged"], true);
  EXPECT_NEAR(summary["drift"]["largest"].get<double>(), drift.maxCoeff(), 1e-12);
  EXPECT_NEAR(summary["drift"]["relative"].get<double>(), drift.maxCoeff() / 0.05, 1e-12);
  EXPECT_NE(outcome.out.find("link 'weld' drifts"), std::string::npos) << outcome.out;
}

TEST(Drift, IsRoundOffWhereALinkCannotBreak) {
  const Folder folder;
  const Outcome outcome = run_clack(
      {"run", folder.write("glued.yaml", kGlued), "-o", folder.file("out"), "--json"}, kLong);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  const Json summary = Json::parse(outcome.out);
  const ResultsReader reader(folder.file("out/results.h5"));
  const RowMatrix q = reader.q();
  const Eigen::Index last = q.rows() - 1;
  EXPECT_NEAR((q.row(last).segment(7, 3) - q.row(last).head(3)).norm(), 0.4, 1e-12);
  EXPECT_LT(summary["drift"]["largest"].get<double>(), 1e-12);
  EXPECT_EQ(summary["drift"]["flagged"], false);
  const double kinetic = reader.energy().kinetic[0];
  EXPECT_NEAR(reader.energy().kinetic[last], kinetic, 1e-4 * kinetic);
}

TEST(Drift, OfALinkThatHoldsIsNotFlagged) {
  const Verdict verdict =
      run_text(kGlued, {kBreakable, "simulation.step=1e-5", "simulation.end=2e-3"});
  EXPECT_EQ(verdict.summary["drift"]["flagged"], false) << verdict.words;
  EXPECT_TRUE(verdict.says("largest drift of a link")) << verdict.words;
  EXPECT_FALSE(verdict.says("drifts")) << verdict.words;
}

// --- starts that nobody wants ---

const std::string kSunk = R"(clack: 1
system:
  type: rigid-bodies
  gravity: [0, 0, -10]
  materials: {stone: {density: 1000}}
  bodies:
    - {name: floor, shape: plane, fixed: true}
    - {name: box, shape: {box: {size: [1, 1, 1]}}, position: [0, 0, 0.1]}
simulation: {step: 0.01, end: 1}
)";

TEST(Overlap, AtTheStartIsRemarkedByCheckAndRunWithTheRemedy) {
  const std::string words = check_text(kSunk);
  EXPECT_NE(words.find("'floor' and 'box' overlap by 0.4 m"), std::string::npos) << words;
  EXPECT_NE(words.find("simulation.recovery"), std::string::npos) << words;
  const Verdict verdict = run_text(kSunk);
  EXPECT_EQ(verdict.status, 0);
  EXPECT_TRUE(verdict.says("overlap by 0.4 m")) << verdict.words;
  EXPECT_EQ(verdict.summary["remarks"].size(), 1u);
  EXPECT_EQ(check_text(kSunk, {"system.bodies.1.position=[0, 0, 0.5]"}).find("remark"),
            std::string::npos);
}

TEST(Overlap, OfASystemIsRemarked) {
  const std::string words = check_text(kBall, {"initial.q=[0, -0.3]"});
  EXPECT_NE(words.find("contact 'floor' is violated at the start: its gap is -0.3 m"),
            std::string::npos)
      << words;
  EXPECT_EQ(check_text(kBall).find("remark"), std::string::npos);
}

TEST(Overlap, IsTakenBackWithTheSpeedAskedForAndBookedInTheLedger) {
  const Folder folder;
  const std::string scene = folder.write("sunk.yaml", kSunk);
  const Outcome outcome =
      run_clack({"run", scene, "-o", folder.file("out"), "--json", "--set",
                 "simulation.recovery={speed: 0.5}", "--set", "simulation.end=2"},
                kLong);
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const Json summary = Json::parse(outcome.out);
  const ResultsReader reader(folder.file("out/results.h5"));
  const RowMatrix q = reader.q(), v = reader.v();
  EXPECT_NEAR(q(q.rows() - 1, 9), 0.5, 1e-6) << "it stands on the floor at last";
  EXPECT_LE(v.col(8).maxCoeff(), 0.5 + 1e-9) << "nothing is thrown";
  EXPECT_NEAR(v(40, 8), 0.5, 1e-9);
  // 1000 kg lifted by 0.4 m: what the ledger says it was fed with, and it closes.
  EXPECT_GT(summary["energy"]["work_contact"].get<double>(), 4000);
  EXPECT_LT(summary["energy"]["work_contact"].get<double>(), 5000);
  EXPECT_LE(summary["energy"]["work_impact"].get<double>(), 0);
  EXPECT_LT(summary["energy_error"].get<double>(), 1e-9);
}

TEST(Overlap, IsTakenBackByEverySchemeWithContactOnVelocities) {
  for (const char* scheme :
       {"moreau-jean", "moreau-jean-dissipative", "moreau-midpoint", "newmark"}) {
    SCOPED_TRACE(scheme);
    const std::string choice = std::string("simulation.scheme=") + scheme;
    for (const auto& [text, row, depth] : {std::tuple(kSunk, 9, 0.5), std::tuple(kBall, 1, 0.0)}) {
      const Folder folder;
      const Outcome outcome = run_clack(
          {"run", folder.write("scene.yaml", text), "-o", folder.file("out"), "--json", "--set",
           choice, "--set", "simulation.recovery={speed: 0.5}", "--set", "simulation.end=2",
           "--set", text == kBall ? "initial={q: [0, -0.4]}" : "simulation.step=0.01"},
          kLong);
      ASSERT_EQ(outcome.status, 0) << outcome.err;
      const Json summary = Json::parse(outcome.out);
      const RowMatrix q = ResultsReader(folder.file("out/results.h5")).q();
      EXPECT_NEAR(q(q.rows() - 1, row), depth, 1e-3);
      EXPECT_LT(q.col(row).maxCoeff(), depth + 0.02) << "nothing is thrown";
      EXPECT_GT(summary["energy"]["work_contact"].get<double>(), 0);
      EXPECT_LE(summary["energy"]["work_impact"].get<double>(), 1e-9);
      EXPECT_LT(summary["energy_error"].get<double>(), 1e-9);
    }
  }
  const Folder folder;
  const Outcome refused =
      run_clack({"check", folder.write("scene.yaml", kSunk), "--set",
                 "simulation.scheme=schatzman-paoli", "--set", "simulation.recovery={speed: 0.5}"});
  EXPECT_EQ(refused.status, 2);
  EXPECT_NE(refused.err.find("takes no overlap back with a given speed"), std::string::npos);
}

TEST(Step, LongerThanTheRunIsRemarked) {
  EXPECT_NE(check_text(kBall, {"simulation.step=3"}).find("longer than the run of 1 s"),
            std::string::npos);
  EXPECT_TRUE(run_text(kBall, {"simulation.step=3"}).says("take a smaller simulation.step"));
}

TEST(Body, ThatFallsForEverIsNamed) {
  const std::string scene = R"(clack: 1
system:
  type: rigid-bodies
  gravity: [0, 0, -10]
  materials: {stone: {density: 1000}}
  bodies:
    - {name: table, shape: {box: {size: [1, 1, 0.1]}}, fixed: true}
    - {name: crumb, shape: {sphere: {radius: 0.1}}, position: [3, 0, 1]}
    - {name: cup, shape: {sphere: {radius: 0.1}}, position: [0, 0, 0.15]}
simulation: {step: 0.01, end: 2}
)";
  const Verdict verdict = run_text(scene);
  EXPECT_TRUE(verdict.says("'crumb' falls with nothing below")) << verdict.words;
  EXPECT_FALSE(verdict.says("'cup'")) << verdict.words;
  EXPECT_FALSE(run_text(kBodies).says("falls")) << "a floor catches it";
}

// A rod that hits the floor with its end, e_n = 1, mu = 1/2: Newton's law with friction may add
// energy (Kane, Levinson).
TEST(Energy, AddedByImpactsWithFrictionIsCounted) {
  const std::string rod = R"(clack: 1
parameters: {m: 1, l: 1, J: m*l^2/3}
system:
  type: lagrangian
  coordinates: [x, y, a]
  kinetic: 0.5*m*(x'^2 + y'^2) + 0.5*J*a'^2
  contacts:
    - {name: tip, gap: y - l*sin(a), tangent: "x' - l*sin(a)*a'", mu: 0.5, e_n: 1}
initial: {q: [0, 0.96, 1.2], v: [-0.3, -1, -3]}
simulation: {step: 1.0e-3, end: 0.2}
)";
  long gains = 0;
  for (const char* v : {"[-0.3, -1, -3]", "[0.5, -1, 2]", "[-1, -0.5, 1]", "[1, -1, -1]",
                        "[0.2, -0.3, 3]", "[-0.2, -1, 0.5]"}) {
    const Verdict verdict = run_text(rod, {std::string("initial.v=") + v});
    ASSERT_TRUE(verdict.summary.is_object()) << verdict.words;
    const long steps = verdict.summary["energy_gain"]["steps"];
    const Json& energy = verdict.summary["energy"];
    const double gained = energy["work_friction"].get<double>();
    EXPECT_EQ(steps > 0, verdict.says("added energy")) << verdict.words;
    EXPECT_TRUE(steps > 0 || gained < 1e-3) << v;
    gains += steps;
  }
  EXPECT_GT(gains, 0);
}

// A ball in a press: no velocity satisfies both contacts, impulses grow without bound.
TEST(Impacts, FarBeyondTheEnergyInTheSceneAreRemarked) {
  const std::string press = R"(clack: 1
system:
  type: rigid-bodies
  gravity: [0, 0, -10]
  materials: {stone: {density: 1000}}
  bodies:
    - {name: floor, shape: plane, fixed: true}
    - {name: press, shape: {plane: {normal: [0, 0, -1]}},
       driven: {position: [0, 0, 0.25 - 0.1*t], rotation: [0, 0, 0]}}
    - {name: ball, shape: {sphere: {radius: 0.1}}, position: [0, 0, 0.1]}
simulation: {step: 1.0e-3, end: 0.51}
)";
  EXPECT_TRUE(run_text(press).says("far beyond the energy in the scene"));
  EXPECT_FALSE(run_text(press, {"simulation.end=0.49"}).says("far beyond"));
}

// --- numbers that end ---

TEST(Energy, ThatIsNotFiniteEndsTheRunAsAFailureThatNamesTheFormula) {
  const Verdict verdict = run_text(R"(clack: 1
parameters: {m: 1, g: 10}
system: {type: lagrangian, coordinates: [y], kinetic: 0.5*m*y'^2, potential: m*g*y + 1/(1-t)}
simulation: {step: 0.125, end: 2}
)");
  EXPECT_EQ(verdict.status, 1) << verdict.words;
  EXPECT_EQ(verdict.summary["status"], "numerical_failure");
  EXPECT_TRUE(verdict.says("the potential energy is inf (formula 'system.potential')"))
      << verdict.words;
  EXPECT_TRUE(verdict.says("t = 1 s")) << verdict.words;
  EXPECT_EQ(verdict.summary["time"], 1);
  EXPECT_TRUE(verdict.summary["energy_error"].is_null());
}

TEST(Force, OnABodyThatIsNotANumberIsAFailureThatNamesTheBody) {
  std::string scene = kBodies;
  scene.replace(scene.find("position: [0, 0, 0.2]"), 21,
                "position: [0, 0, 0.1], force: [sqrt(0.5 - t), 0, 0]");
  const Verdict verdict = run_text(scene);
  EXPECT_EQ(verdict.status, 1) << verdict.words;
  EXPECT_EQ(verdict.summary["status"], "numerical_failure") << verdict.words;
  EXPECT_TRUE(verdict.says("body 'ball': its load or velocity is not finite")) << verdict.words;
}

TEST(Force, OfASystemThatIsNotANumberIsNamed) {
  const Verdict verdict = run_text(kBall, {"system.f=[sqrt(0.5 - t), -m*g]"});
  EXPECT_EQ(verdict.status, 1) << verdict.words;
  EXPECT_TRUE(verdict.says("the force on 'x' is")) << verdict.words;
}

// --- near misses ---

TEST(NearMiss, IsWithinAHundredTolerancesAndNoFailure) {
  const auto near = [](double error, double tolerance, Status status) {
    return is_near_miss({{error, tolerance}}, status);
  };
  EXPECT_TRUE(near(1.6e-7, 1e-8, Status::stagnated));
  EXPECT_TRUE(near(9.9e-7, 1e-8, Status::iteration_limit));
  EXPECT_FALSE(near(1.1e-6, 1e-8, Status::stagnated)) << "a far miss";
  EXPECT_FALSE(near(2e-4, 1e-5, Status::stagnated)) << "no such error is near";
  EXPECT_TRUE(near(2e-4, 1e-4, Status::stagnated)) << "but for a tolerance as loose";
  EXPECT_FALSE(near(1.6e-7, 1e-8, Status::infeasible));
  EXPECT_FALSE(near(1.6e-7, 1e-8, Status::numerical_failure));
  EXPECT_FALSE(near(0.5e-8, 1e-8, Status::stagnated)) << "what missed is not told";
  EXPECT_FALSE(near(std::nan(""), 1e-8, Status::stagnated));
  EXPECT_FALSE(is_near_miss({{1.6e-7, 1e-8}, {1e-3, 1e-12}}, Status::iteration_limit));
}

// A pile that few sweeps bring near the tolerance but not to it.
const std::string kPile = R"(clack: 1
system:
  type: rigid-bodies
  gravity: [0, 0, -10]
  materials: {stone: {density: 1000, mu: 0.5}}
  bodies:
    - {name: floor, shape: plane, fixed: true}
    - {name: a, shape: {sphere: {radius: 0.1}}, position: [0, 0, 0.1]}
    - {name: b, shape: {sphere: {radius: 0.1}}, position: [0, 0, 0.3]}
    - {name: c, shape: {sphere: {radius: 0.1}}, position: [0, 0, 0.5]}
simulation: {step: 1.0e-3, end: 2.0e-3}
solver: {name: nsgs, tolerance: 1.0e-6}
)";

TEST(NearMiss, IsAWarningWithItsCountAndExitsWithZero) {
  long warned = 0, failed = 0;
  for (int sweeps = 10; sweeps <= 80; sweeps += 10) {
    const Verdict verdict = run_text(kPile, {"solver.max_iterations=" + std::to_string(sweeps)});
    ASSERT_TRUE(verdict.summary.is_object()) << verdict.words;
    const long near = verdict.summary["near_misses"], far = verdict.summary["failed_steps"];
    EXPECT_EQ(verdict.status, far > 0 ? 1 : 0) << verdict.words;
    EXPECT_EQ(near > 0, verdict.says("missed a tolerance by little")) << verdict.words;
    EXPECT_EQ(far > 0, verdict.says("FAILED")) << verdict.words;
    warned += near > 0 && far == 0;
    failed += far > 0;
  }
  EXPECT_GT(warned, 0) << "no run with near misses alone";
  EXPECT_GT(failed, 0) << "no run that failed";
}

// --- the default law by name ---

TEST(DefaultLaw, UnderItsOwnNameWorksWithEveryScheme) {
  std::string named = kBall;
  named.replace(named.find("mu: 0.3, e_n: 0.5"), 17,
                "normal: {law: newton, e_n: 0.5}, friction: {law: coulomb, mu: 0.3}");
  for (const SchemeInfo& scheme : scheme_list()) {
    const std::string set = "simulation.scheme=" + std::string(scheme.name);
    const Verdict by_name = run_text(named, {set, "simulation.end=0.6"});
    const Verdict plain = run_text(kBall, {set, "simulation.end=0.6"});
    EXPECT_EQ(by_name.status, plain.status) << scheme.name << '\n' << by_name.words;
    ASSERT_EQ(by_name.summary.is_object(), plain.summary.is_object()) << scheme.name;
    if (!plain.summary.is_object()) continue;  // refused for another reason
    EXPECT_EQ(by_name.summary["energy"], plain.summary["energy"]) << scheme.name;
  }
}

}  // namespace
}  // namespace clack::test
