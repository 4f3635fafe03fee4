// Events: what happened at contacts and links, whatever rows a run keeps.
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>

#include "clack/io/results/results_reader.hpp"
#include "program.hpp"

namespace clack::test {
namespace {

using Json = nlohmann::json;

constexpr double kLong = 60;  // [s], for runs that compute something

Json run_scene(const std::string& scene, const std::string& out,
               const std::vector<std::string>& set, bool resume = false) {
  std::vector<std::string> command = {"run", scene, "-o", out, "--json"};
  for (const std::string& x : set) command.insert(command.end(), {"--set", x});
  if (resume) command.emplace_back("--resume");
  const Outcome outcome = run_clack(command, kLong);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  return Json::parse(outcome.out, nullptr, false);
}

EventColumns events_of(const std::string& out) {
  return ResultsReader(out + "/results.h5").events();
}

long count(const EventColumns& events, EventKind kind, int id) {
  long found = 0;
  for (std::size_t i = 0; i < events.time.size(); ++i)
    found += events.kind[i] == static_cast<int>(kind) && events.id[i] == id;
  return found;
}

bool same_bits(const RowMatrix& x, const RowMatrix& y) {
  return x.rows() == y.rows() && x.cols() == y.cols() &&
         std::memcmp(x.data(), y.data(), static_cast<std::size_t>(x.size()) * sizeof(double)) == 0;
}

void expect_same_events(const EventColumns& x, const EventColumns& y) {
  EXPECT_EQ(x.time, y.time);
  EXPECT_EQ(x.kind, y.kind);
  EXPECT_EQ(x.id, y.id);
  EXPECT_EQ(x.body_a, y.body_a);
  EXPECT_EQ(x.body_b, y.body_b);
  EXPECT_EQ(x.feature, y.feature);
  EXPECT_TRUE(same_bits(x.u_before, y.u_before));
  EXPECT_TRUE(same_bits(x.u_after, y.u_after));
  EXPECT_TRUE(same_bits(x.impulse, y.impulse));
}

TEST(Events, OfTheWoodpeckerAreAllThereWhateverRowsAreKept) {
  const Folder folder;
  const std::string scene = CLACK_SOURCE_DIR "/examples/woodpecker.yaml";
  const Json summary = run_scene(scene, folder.file("few"), {"output.every=50000"});
  EXPECT_EQ(ResultsReader(folder.file("few/results.h5")).rows(), 4);
  const EventColumns events = events_of(folder.file("few"));
  const ResultsReader reader(folder.file("few/results.h5"));
  const std::vector<std::string> names = reader.contact_names();
  EXPECT_EQ(summary["impacts"]["beak"], 20);
  for (std::size_t c = 0; c < names.size(); ++c) {
    const int id = static_cast<int>(c);
    EXPECT_EQ(count(events, EventKind::impact, id) + count(events, EventKind::close, id),
              summary["impacts"][names[c]])
        << names[c];
  }
  run_scene(scene, folder.file("many"), {"output.every=100"});
  expect_same_events(events, events_of(folder.file("many")));
}

// A ball with e_n = 1/2 that falls from 1 m: each impact is one, with the impulse m (1 + e) |u|.
const std::string kBounce = R"(clack: 1
system:
  type: rigid-bodies
  gravity: [0, 0, -10]
  materials: {rubber: {density: 1000, e_n: 0.5, mu: 0}}
  bodies:
    - {name: floor, shape: plane, fixed: true}
    - {name: ball, shape: {sphere: {radius: 0.1}}, position: [0, 0, 1.1]}
simulation: {step: 1.0e-3, end: 1.2}
output: {every: 1000}
)";

TEST(Events, OfABouncingSphereHoldVelocitiesAndImpulses) {
  const Folder folder;
  const std::string out = folder.file("out");
  const double mass = 1000 * 4.0 / 3 * M_PI * 1e-3;
  const Json summary = run_scene(folder.write("ball.yaml", kBounce), out, {});
  const EventColumns events = events_of(out);
  std::vector<std::size_t> hits;
  for (std::size_t i = 0; i < events.time.size(); ++i)
    if (events.kind[i] == static_cast<int>(EventKind::impact)) hits.push_back(i);
  ASSERT_GE(hits.size(), 2u);
  EXPECT_EQ(summary["events"]["impact"], hits.size());
  const double first = std::sqrt(0.2), again = first + 2 * 0.5 * std::sqrt(20) / 10;
  EXPECT_NEAR(events.time[hits[0]], first, 2e-3);
  EXPECT_NEAR(events.time[hits[1]], again, 4e-3);
  for (std::size_t k = 0; k < 2; ++k) {
    const auto i = static_cast<Eigen::Index>(hits[k]);
    EXPECT_EQ(events.body_a[hits[k]], 0);
    EXPECT_EQ(events.body_b[hits[k]], 1);
    EXPECT_NEAR(events.u_before(i, 0), k == 0 ? -std::sqrt(20) : -std::sqrt(5), 0.02);
    EXPECT_NEAR(events.u_after(i, 0), -0.5 * events.u_before(i, 0), 1e-9);
    // Gravity acts in the step as well.
    EXPECT_NEAR(events.impulse(i, 0), mass * (1.5 * -events.u_before(i, 0) + 0.01), 1e-9);
  }
  ASSERT_EQ(run_clack({"convert", out, folder.file("run.csv")}).status, 0);
  const std::vector<std::string> lines = lines_of(read_text(folder.file("run_events.csv")));
  ASSERT_EQ(lines.size(), 1 + events.time.size());
  EXPECT_TRUE(lines[0].starts_with("time,kind,name,body_a,body_b,u_n_before")) << lines[0];
  EXPECT_NE(lines[1 + hits[0]].find(",impact,,floor,ball,"), std::string::npos);
}

void expect_resumed_as_unbroken(const std::string& text) {
  const Folder folder;
  const std::string scene = folder.write("scene.yaml", text);
  const Json whole = run_scene(scene, folder.file("whole"), {"output.every=70"});
  run_scene(scene, folder.file("parts"), {"output.every=70", "simulation.end=0.46"});
  const Json parts = run_scene(scene, folder.file("parts"), {"output.every=70"}, true);
  const EventColumns events = events_of(folder.file("whole"));
  ASSERT_GT(events.time.size(), 3u);
  expect_same_events(events, events_of(folder.file("parts")));
  EXPECT_EQ(whole["events"], parts["events"]);
  EXPECT_EQ(whole["impacts"], parts["impacts"]);
}

TEST(Events, OfARunThatIsTakenUpAreThoseOfAnUnbrokenOne) {
  std::string world = kBounce;
  world.replace(world.find("output: {every: 1000}\n"), 22, "");
  expect_resumed_as_unbroken(world);
  expect_resumed_as_unbroken(kBall);
}

TEST(Impulses, SinceTheLastRowAddUpToThoseOfAllSteps) {
  const Folder folder;
  const std::string scene = folder.write("ball.yaml", kBall);
  const auto sum = [&](const std::string& every, bool sums) {
    run_scene(scene, folder.file(every), {"output.every=" + every});
    const ContactColumns contacts = ResultsReader(folder.file(every) + "/results.h5").contacts();
    return Eigen::VectorXd((sums ? contacts.impulse : contacts.r).colwise().sum());
  };
  const Eigen::VectorXd all = sum("1", false);
  ASSERT_GT(all[0], 1);
  for (const char* every : {"1", "9", "1000"})
    EXPECT_LT((sum(every, true) - all).norm(), 1e-12) << every;
}

// A sphere on a wall.
const std::string kLinked = R"(clack: 1
system:
  type: rigid-bodies
  gravity: [0, 0, -10]
  materials: {stone: {density: 1000}}
  bodies:
    - {name: wall, shape: {box: {size: [0.2, 0.2, 0.2]}}, fixed: true}
    - {name: arm, shape: {sphere: {radius: 0.1}}, position: [0.5, 0, 0]}
  links:
    - {name: shoulder, bodies: [wall, arm], point: [0.3, 0, 0], link: hinge}
simulation: {step: 1.0e-3, end: 0.05}
)";

TEST(Links, AreNoContactsAndHaveTheirNamesInResults) {
  const Folder folder;
  const Json summary = run_scene(folder.write("arm.yaml", kLinked), folder.file("out"), {});
  EXPECT_EQ(summary["sample"]["sticking"], 0);
  EXPECT_EQ(summary["sample"]["sliding"], 0);
  EXPECT_EQ(summary["sample"]["open"], 0);
  EXPECT_EQ(summary["sample"]["coordination"], 0);
  EXPECT_TRUE(summary["min_gap"].is_null());
  const ResultsReader reader(folder.file("out/results.h5"));
  EXPECT_EQ(reader.contact_names(), std::vector<std::string>{"shoulder"});
  const ContactColumns contacts = reader.contacts();
  EXPECT_TRUE(contacts.id.empty());
  EXPECT_EQ(reader.strings("/joints/name"), std::vector<std::string>{"shoulder"});
  EXPECT_TRUE(reader.events().time.empty()) << "a hinge neither closes nor opens";
}

TEST(Links, ThatBreakAreEvents) {
  const Folder folder;
  std::string text = kLinked;
  text.replace(text.find("link: hinge"), 11, "link: {law: glue, strength_t: 10}");
  const Json summary = run_scene(folder.write("arm.yaml", text), folder.file("out"), {});
  EXPECT_EQ(summary["events"]["break"], 1);
  const EventColumns events = events_of(folder.file("out"));
  ASSERT_EQ(events.time.size(), 1u);
  EXPECT_EQ(events.kind[0], static_cast<int>(EventKind::rupture));
  EXPECT_EQ(events.id[0], 0);
}

TEST(Events, OfManyBodiesAreRecordedWhereAskedForAndNeverLeftOutSilently) {
  const Folder folder;
  const std::string scene = folder.write("many.yaml", R"(clack: 1
system:
  type: rigid-bodies
  gravity: [0, 0, -10]
  materials: {stone: {density: 1000}}
  bodies:
    - {name: floor, shape: plane, fixed: true}
    - {name: ball, shape: {sphere: {radius: 0.1}},
       sample: {lattice: {count: [15, 15, 1], spacing: 0.3, origin: [0, 0, 0.101]}}}
simulation: {step: 1.0e-3, end: 0.05}
)");
  const Outcome words = run_clack({"run", scene, "-o", folder.file("a")}, kLong);
  EXPECT_NE(words.out.find("events: not recorded of more than 200 free bodies"), std::string::npos)
      << words.out << words.err;
  const Json asked = run_scene(scene, folder.file("b"), {"output.events=impacts"});
  EXPECT_EQ(asked["events"]["impact"], 225);
  const EventColumns events = events_of(folder.file("b"));
  EXPECT_EQ(events.time.size(), 225u);
}

}  // namespace
}  // namespace clack::test
