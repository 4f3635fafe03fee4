// Scenes from text, with objects that a program gives them by name.
#include <gtest/gtest.h>

#include <fstream>

#include "clack/io/scene/field.hpp"
#include "clack/io/scene/scene.hpp"
#include "clack/model/laws/basic_laws.hpp"
#include "tests/support/body_simulation.hpp"

namespace clack {
namespace {

const char* const kBall = R"(clack: 1
system:
  type: linear
  M: [[2]]
  contacts: [{name: floor, G: [1]}]
initial: {q: [1]}
simulation: {step: 0.1, end: 1}
)";

std::string complaint(const std::string& text, const SceneObjects& objects = {}) {
  try {
    (void)parse_scene("<test>", text, {}, objects);
  } catch (const SceneError& error) {
    return error.what();
  }
  return "";
}

TEST(SceneText, a_text_is_read_as_a_file_is) {
  const Scene scene = parse_scene("<test>", kBall, {"initial.q=[3]"});
  EXPECT_EQ(scene.path, "<test>");
  EXPECT_EQ(scene.text, kBall);
  EXPECT_EQ(scene.initial.q[0], 3);
}

TEST(SceneText, complaints_name_the_text_and_the_place) {
  EXPECT_NE(complaint("clack: 2\n").find("<test>:1:8: clack: version '2'"), std::string::npos);
  EXPECT_NE(complaint("a: \x01").find("byte 0x01"), std::string::npos);
}

class Pull final : public AppliedForce {
 public:
  void compute(double, ConstVectorRef q, ConstVectorRef v, VectorRef Q) const override {
    Q[0] = -3 * q[0] - 0.5 * v[0];
  }
};

TEST(SceneObjects, a_force_acts_on_the_system_with_its_derivatives) {
  SceneObjects objects;
  objects.force = std::make_shared<Pull>();
  const Scene scene = parse_scene("<test>", kBall, {}, objects);
  Forces forces(1);
  Vector q(1), v(1);
  q << 2, v << 4;
  scene.system->forces(0, q, v, forces);
  EXPECT_EQ(forces.external[0], -8);
  Matrix K(1, 1), C(1, 1);
  scene.system->jacobians(0, q, v, K, C);
  EXPECT_NEAR(K(0, 0), 3, 1e-6);
  EXPECT_NEAR(C(0, 0), 0.5, 1e-6);
  EXPECT_EQ(scene.system->contacts().size(), 1u);
}

TEST(SceneObjects, a_law_is_known_by_its_name_only_where_it_is_given) {
  std::string text(kBall);
  text.replace(text.find("G: [1]"), 6, "G: [1], normal: mine");
  EXPECT_NE(complaint(text).find("'mine' is not known"), std::string::npos);
  SceneObjects objects;
  objects.laws["mine"] = std::make_shared<NewtonImpact>(0.5);
  EXPECT_EQ(complaint(text, objects), "");
  EXPECT_NE(parse_scene("<test>", text, {}, objects).system->contacts()[0].law.own, nullptr);
}

const char* const kBalls = R"(clack: 1
system:
  type: rigid-bodies
  materials: {glass: {}}
  bodies: [{name: ball, sample: {table: {file: balls}}}]
simulation: {step: 0.1, end: 1}
)";

TEST(SceneObjects, a_table_places_balls) {
  SceneObjects objects;
  objects.tables["balls"] = {{"x", "y", "z", "radius"}, 4, {1, 2, 3, 0.1, 4, 5, 6, 0.2}};
  const Scene scene = parse_scene("<test>", kBalls, {}, objects);
  ASSERT_EQ(scene.world->bodies.size(), 2u);
  EXPECT_EQ(scene.world->bodies[1].name, "ball_2");
  EXPECT_EQ(scene.world->bodies[1].shape->as<Sphere>().radius, 0.2);
  EXPECT_EQ(scene.world_initial.bodies[1].position, Vector3(4, 5, 6));
}

TEST(SceneObjects, a_table_with_other_columns_is_refused) {
  SceneObjects objects;
  objects.tables["balls"] = {{"x", "y", "depth"}, 3, {1, 2, 3}};
  EXPECT_NE(complaint(kBalls, objects).find("unknown column 'depth'"), std::string::npos);
  objects.tables["balls"] = {{"x", "y", "radius"}, 3, {1, 2, 3}};
  EXPECT_NE(complaint(kBalls, objects).find("has no column 'z'"), std::string::npos);
  objects.tables["balls"] = {{}, 4, {1, 2, 3, -1}};
  EXPECT_NE(complaint(kBalls, objects).find("radius of body 1"), std::string::npos);
  EXPECT_NE(complaint(kBalls).find("balls: cannot be read"), std::string::npos);
}

class Wind final : public WorldLoad {
 public:
  void add(double, const WorldState& state, std::span<BodyLoad> loads) const override {
    for (std::size_t i = 0; i < loads.size(); ++i) loads[i][0] += 2 * state.bodies[i].position.y();
  }
};

TEST(SceneObjects, a_load_on_bodies_depends_on_their_state_and_is_booked) {
  SceneObjects objects;
  objects.tables["balls"] = {{}, 4, {0, 1, 0, 0.1, 5, 3, 0, 0.1}};
  objects.load = std::make_shared<Wind>();
  const Scene scene = parse_scene("<test>", kBalls, {}, objects);
  test::BodySimulation simulation(scene);
  ASSERT_EQ(simulation.step(), Status::converged);
  const double mass = scene.world->bodies[0].mass;
  EXPECT_NEAR(simulation.state().bodies[0].v.x(), 0.1 * 2 / mass, 1e-12);
  EXPECT_NEAR(simulation.state().bodies[1].v.x(), 0.1 * 6 / mass, 1e-12);
  EXPECT_NEAR(simulation.energy().work_external, simulation.energy().kinetic, 1e-12);
}

}  // namespace
}  // namespace clack
