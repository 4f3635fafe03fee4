// Groups of bodies that do not touch move as if each were alone in the world, whatever laws and joints
// the others have.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "clack/io/scene/scene.hpp"
#include "clack/record/run.hpp"

namespace clack {
namespace {

// Bodies by their names; the floor is shared, and links name bodies of their own group.
struct Group {
  std::vector<std::string> names, bodies;
  std::string link;
};

std::string ball(const std::string& name, double x, double z, const std::string& more = "") {
  return fmt::format(
      "    - {{name: {}, shape: {{sphere: {{radius: 0.1}}}}, position: [{}, 0, {}]{}}}\n", name, x,
      z, more);
}

// Three plain balls, one on the others.
Group plain() {
  return {
      {"p1", "p2", "p3"},
      {ball("p1", 0, 0.1), ball("p2", 0.2, 0.1, ", velocity: [0.3, 0, 0]"), ball("p3", 0.1, 0.28)},
      ""};
}

// A pendulum that falls on a plain ball, which has another one beside it.
Group jointed() {
  return {
      {"j1", "j2", "j3"},
      {"    - {name: post, shape: {sphere: {radius: 0.01}}, fixed: true, position: [10, 0, 0.6]}\n",
       ball("j1", 10.4, 0.6), ball("j2", 10.0, 0.1), ball("j3", 9.79, 0.1)},
      "    - {name: pin, bodies: [post, j1], point: [10, 0, 0.6], link: hinge}\n"};
}

// A ball that rolls with a torque against it into a plain one.
Group rolling() {
  return {{"r1", "r2"},
          {ball("r1", 20, 0.1, ", material: slow, velocity: [1, 0, 0], spin: [0, 10, 0]"),
           ball("r2", 20.25, 0.1)},
          ""};
}

Scene make_scene(const std::vector<Group>& groups, bool floor_first,
                 const std::vector<std::string>& set) {
  const std::string floor = "    - {name: floor, material: stone, shape: plane, fixed: true}\n";
  std::string bodies = floor_first ? floor : "", links;
  for (const Group& group : groups) {
    for (const std::string& body : group.bodies) bodies += body;
    links += group.link;
  }
  if (!floor_first) bodies += floor;
  return parse_scene(
      "scene",
      "clack: 1\nsystem:\n  type: rigid-bodies\n  gravity: [0, 0, -10]\n"
      "  materials: {stone: {density: 1000, mu: 0.4}, slow: {density: 1000, mu: 0.4}}\n"
      "  pairs: [{materials: [slow, stone], friction: {law: rolling, mu: 0.4, mu_r: 2.0e-3}}]\n"
      "  bodies:\n" +
          std::string(bodies) + (links.empty() ? "" : "  links:\n" + links) +
          "simulation: {step: 2.0e-3, end: 0.5}\nsolver: {tolerance: 1.0e-11}\n",
      set);
}

using Motion = std::map<std::string, Vector>;  // position and velocity by name

Motion motion_of(const Scene& scene) {
  const auto run = make_run(scene, 1);
  while (!run->done()) EXPECT_EQ(run->step(), Status::converged) << run->time();
  Motion motion;
  for (std::size_t i = 0; i < scene.world->bodies.size(); ++i) {
    Vector x(13);
    std::copy_n(run->q().data() + 7 * i, 7, x.data());
    std::copy_n(run->v().data() + 6 * i, 6, x.data() + 7);
    motion[scene.world->bodies[i].name] = x;
  }
  return motion;
}

// Materials that a body does not name are the first: with two of them each must say.
std::vector<Group> all_groups() {
  std::vector<Group> groups = {plain(), jointed(), rolling()};
  for (Group& group : groups) {
    for (std::string& body : group.bodies) {
      if (body.find("material:") == std::string::npos)
        body.insert(body.find(", shape:"), ", material: stone");
    }
  }
  return groups;
}

void expect_as_alone(const std::vector<std::string>& set) {
  const std::vector<Group> groups = all_groups();
  std::vector<Motion> alone;
  for (const Group& group : groups) alone.push_back(motion_of(make_scene({group}, true, set)));
  for (const std::vector<int>& order : {std::vector<int>{0, 1, 2}, {2, 1, 0}, {1, 0, 2}}) {
    std::vector<Group> together;
    for (const int k : order) together.push_back(groups[static_cast<std::size_t>(k)]);
    for (const bool floor_first : {true, false}) {
      const Motion motion = motion_of(make_scene(together, floor_first, set));
      for (std::size_t k = 0; k < groups.size(); ++k) {
        for (const std::string& name : groups[k].names)
          EXPECT_LT((motion.at(name) - alone[k].at(name)).norm(), 1e-6)
              << name << " in order " << order[0] << order[1] << order[2] << " " << floor_first;
      }
    }
  }
}

TEST(Islands, MoveAsIfEachWereAlone) {
  const Motion jointed_alone = motion_of(make_scene({all_groups()[1]}, true, {}));
  EXPECT_GT(
      (jointed_alone.at("j2").segment(7, 3)).norm() + std::abs(jointed_alone.at("j3")[0] - 9.79),
      1e-3)
      << "the pendulum hits nothing";
  expect_as_alone({});
}

TEST(Islands, MoveAsIfEachWereAloneBySolversOfTheRegistryAndByOtherSchemes) {
  expect_as_alone({"solver.name=nsgs", "solver.max_iterations=10000"});
  expect_as_alone({"simulation.scheme=moreau-jean"});
}

// Plain islands keep the sweeps of the default solver, bit by bit at any tolerance: a joint elsewhere
// does not make blocks of them.
TEST(Islands, WithoutLawsAreSolvedAsInAWorldWithoutLaws) {
  const Group heap = all_groups()[0];
  Group pendulum = all_groups()[1];
  pendulum.bodies.resize(2);  // nothing below it
  const std::vector<std::string> loose = {"solver.tolerance=1.0e-3"};
  const Motion alone = motion_of(make_scene({heap}, true, loose)),
               beside = motion_of(make_scene({heap, pendulum}, true, loose));
  for (const std::string& name : heap.names) EXPECT_EQ(beside.at(name), alone.at(name)) << name;
}

// The verdict of a step is that of its worst island, and says where that is.
TEST(Islands, ThatAreNotSolvedAreNotHiddenByThoseThatAre) {
  std::vector<Group> groups = all_groups();
  Group tower{{}, {}, ""};
  for (int k = 0; k < 12; ++k) {
    tower.names.push_back(fmt::format("t{}", k));
    tower.bodies.push_back(ball(tower.names.back(), 30, 0.1 + 0.2 * k, ", material: stone"));
  }
  for (const std::vector<Group>& together :
       {std::vector<Group>{groups[1], tower}, std::vector<Group>{tower, groups[1]}}) {
    const Scene scene =
        make_scene(together, true, {"solver={name: nsgs, tolerance: 1.0e-11, max_iterations: 20}"});
    const auto run = make_run(scene, 1);
    EXPECT_NE(run->step(), Status::converged);
    const std::string place = run->place_name(run->worst_place());
    EXPECT_NE(place.find("'t"), std::string::npos) << place;
  }
}

}  // namespace
}  // namespace clack
