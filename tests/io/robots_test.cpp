// Robots from files: what becomes of links, joints and shapes, what is said of the rest, and of
// mistakes.
#include <gtest/gtest.h>

#include <filesystem>

#include "clack/io/robots/robot_file.hpp"
#include "clack/io/robots/robot_writer.hpp"
#include "clack/io/scene/field.hpp"
#include "clack/io/scene/scene.hpp"
#include "clack/model/joints/world_joints.hpp"
#include "clack/model/shapes/mass.hpp"
#include "robot_support.hpp"
#include "tests/support/body_simulation.hpp"

namespace clack::test {
namespace {

std::string link(const std::string& name, const std::string& inside = "") {
  return "<link name=\"" + name +
         "\"><inertial><mass value=\"1\"/><inertia ixx=\"1\" iyy=\"1\" izz=\"1\"/></inertial>" +
         inside + "</link>\n";
}

std::string joint(const std::string& name, const std::string& type, const std::string& parent,
                  const std::string& child, const std::string& inside = "") {
  return "<joint name=\"" + name + "\" type=\"" + type + "\"><parent link=\"" + parent +
         "\"/><child link=\"" + child + "\"/>" + inside + "</joint>\n";
}

const std::string kLimit = "<limit lower=\"-1\" upper=\"2\" effort=\"5\" velocity=\"1\"/>";

std::string robot(const std::string& inside) {
  return "<robot name=\"r\">\n" + inside + "</robot>\n";
}

// The first complaint, without the name of the file.
std::string complaint(const std::string& text, const RobotOptions& options = {}) {
  try {
    (void)parse_robot("r", text, options);
  } catch (const SceneError& error) {
    return error.messages()[0].substr(2);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

Scene scene_of(const std::string& text, const RobotOptions& options = {}) {
  return parse_scene("robot.yaml", write_robot_scene(parse_robot("r", text, options), {}));
}

std::size_t body_of(const Scene& scene, const std::string& name) {
  for (std::size_t i = 0; i < scene.world->bodies.size(); ++i) {
    if (scene.world->bodies[i].name == name) return i;
  }
  throw std::runtime_error("no body " + name);
}

std::vector<double> coordinates_of(const Scene& scene) {
  const WorldJoints joints(*scene.world, scene.world_initial);
  std::vector<double> values(joints.coordinates().size(), 0);
  joints.update(
      [&](int body) { return scene.world_initial.bodies[static_cast<std::size_t>(body)]; },
      values.data());
  return values;
}

TEST(Robots, the_six_terms_of_an_inertia_are_those_of_the_body_in_the_frame_of_its_origin) {
  const Scene scene = scene_of(kTwoLinks);
  const std::size_t upper = body_of(scene, "upper");
  const Matrix3 axes = scene.world_initial.bodies[upper].rotation.toRotationMatrix();
  const Matrix3 ours = axes * scene.world->bodies[upper].moments.asDiagonal() * axes.transpose();
  const auto rpy = [](double r, double p, double y) {
    return Matrix3(Eigen::AngleAxisd(y, Vector3::UnitZ()) * Eigen::AngleAxisd(p, Vector3::UnitY()) *
                   Eigen::AngleAxisd(r, Vector3::UnitX()));
  };
  Matrix3 given;
  given << 0.05, 0.001, -0.002, 0.001, 0.06, 0.003, -0.002, 0.003, 0.02;
  const Matrix3 turned = rpy(0.3, -0.2, 0.5) * rpy(0.1, 0.2, 0.3);
  EXPECT_LT((ours - turned * given * turned.transpose()).norm(), 1e-15);
  const Vector3 centre = Vector3(0.1, 0.2, 1) + rpy(0.3, -0.2, 0.5) * Vector3(0.01, -0.02, -0.25);
  EXPECT_LT((scene.world_initial.bodies[upper].position - centre).norm(), 1e-15);
}

TEST(Robots, links_with_a_fixed_joint_make_one_body_with_the_mass_of_both) {
  const Scene merged = scene_of(kTwoLinks);
  ASSERT_EQ(merged.world->bodies.size(), 2u);
  const Body& lower = merged.world->bodies[body_of(merged, "lower")];
  EXPECT_DOUBLE_EQ(lower.mass, 1.8);
  const Scene kept = scene_of(kTwoLinks, {.keep_fixed = true});
  ASSERT_EQ(kept.world->bodies.size(), 3u);
  ASSERT_EQ(kept.world->joints.size(), 3u);
  EXPECT_EQ(kept.world->joints[2].kind, JointKind::fixed);
  // Both have the same centre.
  const BodyState &a = kept.world_initial.bodies[body_of(kept, "lower")],
                  &b = kept.world_initial.bodies[body_of(kept, "tip")];
  const Vector3 centre = (1.5 * a.position + 0.3 * b.position) / 1.8;
  EXPECT_LT((centre - merged.world_initial.bodies[body_of(merged, "lower")].position).norm(),
            1e-15);
  // And about it the same inertia: m (x'x 1 - x x') is what a mass adds that stands off by x.
  const auto inertia = [](const Scene& scene, const std::string& name, const Vector3& about) {
    const std::size_t i = body_of(scene, name);
    const BodyState& state = scene.world_initial.bodies[i];
    const Matrix3 axes = state.rotation.toRotationMatrix();
    const Vector3 x = state.position - about;
    return Matrix3(axes * scene.world->bodies[i].moments.asDiagonal() * axes.transpose() +
                   scene.world->bodies[i].mass *
                       (x.squaredNorm() * Matrix3::Identity() - x * x.transpose()));
  };
  EXPECT_LT((inertia(kept, "lower", centre) + inertia(kept, "tip", centre) -
             inertia(merged, "lower", centre))
                .norm(),
            1e-15);
}

TEST(Robots, a_massless_frame_is_merged_even_where_fixed_joints_are_kept) {
  const std::string text =
      robot(link("base") + link("arm") + "<link name=\"tool\"/>\n" +
            joint("j", "revolute", "base", "arm", kLimit) + joint("f", "fixed", "arm", "tool"));
  const Robot read = parse_robot("r", text, {.keep_fixed = true});
  ASSERT_EQ(read.bodies.size(), 2u);
  ASSERT_EQ(read.bodies[1].frames.size(), 2u);
  EXPECT_EQ(read.bodies[1].frames[1].name, "tool");
}

TEST(Robots, shapes_of_a_link_are_one_compound_in_the_frame_of_its_principal_axes) {
  const Scene scene = scene_of(kTwoLinks);
  const std::size_t lower = body_of(scene, "lower");
  const Compound& shape = scene.world->bodies[lower].shape->as<Compound>();
  ASSERT_EQ(shape.parts.size(), 2u);
  EXPECT_EQ(shape.parts[0].shape->kind(), ShapeKind::box);
  EXPECT_EQ(shape.parts[0].shape->as<Box>().rounding, 0);
  const Pose body = scene.world_initial.bodies[lower].pose();
  // The second is a ball at the end of the link, 0.4 below the knee.
  const WorldJoints joints(*scene.world, scene.world_initial);
  const JointGeometry knee = joints.geometry(
      1, [&](int i) { return scene.world_initial.bodies[static_cast<std::size_t>(i)]; });
  const Vector3 at_knee = body.position + knee.arm_b;
  EXPECT_NEAR((body * shape.parts[1].pose.position - at_knee).norm(), 0.4, 1e-15);
}

TEST(Robots, a_link_without_shape_is_a_box_of_the_same_inertia_that_touches_nothing) {
  const Scene scene = scene_of(quadruped());
  const Body& slide = scene.world->bodies[body_of(scene, "slide")];
  EXPECT_EQ(slide.collides, 0u);
  const MassProperties mass =
      compute_mass(*slide.shape, slide.mass / (8 * slide.shape->bounds().half().prod()));
  EXPECT_LT((mass.inertia.diagonal() - slide.moments).norm(), 1e-12);
}

TEST(Robots, a_mesh_is_the_hull_of_its_file_scaled_along_each_axis) {
  const Folder folder;
  folder.write("cube.obj", kCube);
  const Robot read = load_robot(folder.write("robot.urdf", quadruped("cube.obj")));
  const Scene scene = parse_scene("robot.yaml", write_robot_scene(read, {}));
  const Body& trunk = scene.world->bodies[body_of(scene, "trunk")];
  ASSERT_EQ(trunk.shape->kind(), ShapeKind::compound);
  const Shape& mesh = *trunk.shape->as<Compound>().parts[0].shape;
  EXPECT_EQ(mesh.kind(), ShapeKind::polyhedron);
  EXPECT_LT((mesh.bounds().half() - Vector3(0.25, 0.15, 0.05)).norm(), 1e-7);
  RobotSceneOptions exact;
  exact.exact_meshes = true;
  const Scene other = parse_scene("robot.yaml", write_robot_scene(read, exact));
  EXPECT_EQ(
      other.world->bodies[body_of(other, "trunk")].shape->as<Compound>().parts[0].shape->kind(),
      ShapeKind::mesh);
}

TEST(Robots, packages_are_found_by_their_names_upwards_of_the_file_or_as_given) {
  const Folder folder;
  std::filesystem::create_directories(folder.path() / "ws" / "dog" / "urdf");
  std::filesystem::create_directories(folder.path() / "ws" / "parts" / "meshes");
  std::filesystem::create_directories(folder.path() / "elsewhere");
  folder.write("ws/parts/package.xml", "<package><name> parts </name></package>");
  folder.write("ws/parts/meshes/cube.obj", kCube);
  folder.write("elsewhere/cube.obj", kCube);
  const std::string near =
      folder.write("ws/dog/urdf/a.urdf", quadruped("package://parts/meshes/cube.obj"));
  EXPECT_EQ(std::filesystem::path(load_robot(near).bodies[1].shapes[0].file).filename(),
            "cube.obj");
  const std::string far = folder.write("ws/dog/urdf/b.urdf", quadruped("package://far/cube.obj"));
  EXPECT_THROW((void)load_robot(far), SceneError);
  EXPECT_NO_THROW((void)load_robot(far, {.packages = {{"far", folder.file("elsewhere")}}}));
}

TEST(Robots, limits_damping_and_friction_act_at_the_coordinate_of_the_joint) {
  const Scene scene = scene_of(quadruped());
  const Joint& hip = scene.world->joints[1];
  EXPECT_EQ(hip.name, "fl_hip");
  ASSERT_EQ(hip.limits.size(), 1u);
  EXPECT_EQ(hip.limits[0].lower, -1.5);
  EXPECT_EQ(hip.limits[0].upper, 1.5);
  ASSERT_EQ(hip.springs.size(), 1u);
  EXPECT_EQ(hip.springs[0].damping, 0.2);
  ASSERT_EQ(hip.frictions.size(), 1u);
  EXPECT_EQ(hip.frictions[0].force, 0.05);
}

TEST(Robots, a_mimicking_joint_is_coupled_and_starts_where_its_leader_takes_it) {
  const std::string text =
      robot(link("base") + link("a") + link("b") + link("c") +
            joint("one", "revolute", "base", "a", kLimit + "<axis xyz=\"0 0 1\"/>") +
            joint("two", "prismatic", "base", "b",
                  kLimit + "<mimic joint=\"one\" multiplier=\"-0.5\" offset=\"0.2\"/>") +
            joint("three", "continuous", "base", "c", "<mimic joint=\"two\" multiplier=\"2\"/>"));
  const Scene scene = scene_of(text, {.start = {{"one", 0.6}}});
  const std::vector<double> q = coordinates_of(scene);
  EXPECT_NEAR(q[0], 0.6, 1e-15);
  EXPECT_NEAR(q[1], -0.1, 1e-15);
  EXPECT_NEAR(q[2], -0.2, 1e-15);
  ASSERT_EQ(scene.world->couplers.size(), 2u);
  EXPECT_EQ(scene.world->couplers[0].constant, 0.2);
  EXPECT_EQ(complaint(text, {.start = {{"two", 0.1}}}),
            "joint 'two' follows another one and starts where that takes it");
}

TEST(Robots, a_start_without_a_value_is_the_end_of_the_limits_nearest_to_zero) {
  const std::string text =
      robot(link("base") + link("a") +
            joint("j", "revolute", "base", "a",
                  "<limit lower=\"0.3\" upper=\"2\" effort=\"5\" velocity=\"1\"/>"));
  const Robot read = parse_robot("r", text);
  EXPECT_EQ(read.joints[0].coordinates[0].start, 0.3);
  EXPECT_NE(read.remarks.back().find("joint 'j' starts at 0.3"), std::string::npos);
  EXPECT_EQ(complaint(text, {.start = {{"j", 0}}}),
            "joint 'j' cannot start at 0; its limits are 0.3 and 2");
}

TEST(Robots, every_element_and_attribute_that_is_left_out_is_named_with_its_lines) {
  const Robot read = parse_robot(
      "r",
      "<robot name=\"r\">\n"
      "<material name=\"blue\"/>\n" +
          link("base", "<visual>\n<geometry/></visual>") + link("a", "<visual/>") +
          joint("j", "revolute", "base", "a", "\n" + kLimit + "<calibration rising=\"0\"/>") +
          "<transmission name=\"t\"/>\n</robot>\n");
  const std::vector<std::string> expected = {
      "r:2: ignored: <material>: colours",
      "r:3, 5: ignored: <visual>: pictures show the collision shapes",
      "r:7: ignored: 'velocity' of <limit>: there are no limits of speed",
      "r:7: ignored: <calibration>: of another program",
      "r:8: ignored: <transmission>: what drives a joint stands in the scene"};
  EXPECT_EQ(read.remarks, expected);
}

TEST(Robots, a_joint_whose_limits_are_left_out_is_said_to_be_stuck) {
  const Robot read = parse_robot(
      "r", robot(link("base") + link("a") +
                 joint("j", "revolute", "base", "a", "<limit effort=\"1\" velocity=\"1\"/>")));
  EXPECT_EQ(read.joints[0].coordinates[0].upper, 0);
  EXPECT_EQ(read.remarks[1],
            "r:4: lower and upper are not given, which means 0: the joint cannot move");
}

struct Mistake {
  std::string text, message;
};

TEST(Robots, each_mistake_in_a_urdf_is_said_with_its_place) {
  const std::string two = link("a") + link("b");
  const std::vector<Mistake> mistakes = {
      {robot(two + joint("j", "hinge", "a", "b")),
       "4:17: joint 'j': type: 'hinge' is not known; allowed: revolute, continuous, prismatic, "
       "fixed, "
       "floating, planar"},
      {robot(two + joint("j", "fixed", "a", "c")),
       "4:55: joint 'j': child: link: there is no link 'c'; allowed: a, b"},
      {robot(two + joint("j", "revolute", "a", "b",
                         "<limit lower=\"2\" upper=\"1\" effort=\"1\" velocity=\"1\"/>")),
       "4:68: joint 'j': limit: lower is 2, above upper, 1"},
      {robot(two + joint("j", "revolute", "a", "b")),
       "4:1: joint 'j': <limit> is missing: <limit lower= upper= effort= velocity=>"},
      {robot(two + joint("j", "fixed", "a", "b") + joint("k", "fixed", "b", "a")),
       "4:1: joint 'j': belongs to a loop of joints; a URDF is a tree"},
      {robot(two + link("c") + joint("j", "fixed", "a", "c") + joint("k", "fixed", "b", "c")),
       "6:1: joint 'k': link 'c' has two parents: joint 'j' in line 5 carries it already"},
      {robot(two), "3:1: link 'b': has no parent, like link 'a' in line 2; a robot has one root"},
      {robot(two + joint("j", "continuous", "a", "b", "<mimic joint=\"j\"/>")),
       "4:77: joint 'j': mimic: joint: is the joint itself"},
      {robot(link("a") + "<link name=\"b\"/>\n" + joint("j", "continuous", "a", "b")),
       "3:1: link 'b': has no mass, but a joint moves it: give <inertial>, or join it by a fixed "
       "joint"},
      {robot("<link name=\"a\"><inertial><mass value=\"1\"/><inertia ixx=\"1\" iyy=\"1\" "
             "izz=\"3\"/></inertial></link>"),
       "2:43: link 'a': inertial: inertia: its principal moments of inertia are 1, 1 and 3 kg m^2: "
       "no "
       "body has one that is larger than the sum of the two others"},
      {robot("<link name=\"a\"><inertial><mass value=\"1\"/><inertia ixx=\"0\" iyy=\"0\" "
             "izz=\"0\"/></inertial></link>"),
       "2:43: link 'a': inertial: inertia: its principal moments of inertia are 0, 0 and 0 kg m^2; "
       "each must be > 0"},
      {robot(
           link("a", "<collision><geometry><mesh filename=\"none.stl\"/></geometry></collision>")),
       "there is no file"},
      {robot(link(
           "a", "<collision><geometry><mesh filename=\"http://x/a.stl\"/></geometry></collision>")),
       "nothing is fetched from elsewhere"},
      {robot("<xacro:include filename=\"x\"/>"),
       "2:1: xacro:include: this is xacro, not URDF; run 'xacro FILE > robot.urdf' first"},
      {robot("<link name=\"a\">"), "2:18: not valid XML: Start-end tags mismatch"},
      {"<scene/>",
       "1:1: the file is neither a URDF (<robot>) nor an MJCF (<mujoco>): its first element is "
       "<scene>"},
      {robot(link("a", "<collision><geometry><box size=\"1 x 1\"/></geometry></collision>")),
       "'x' is no finite number"}};
  for (const Mistake& x : mistakes) {
    const std::string found = complaint(x.text);
    if (std::isdigit(static_cast<unsigned char>(x.message[0])) != 0)
      EXPECT_EQ(found, x.message);
    else
      EXPECT_NE(found.find(x.message), std::string::npos) << found;
  }
}

TEST(Robots, a_chain_of_mimicking_joints_that_closes_is_refused) {
  const std::string text = robot(link("base") + link("a") + link("b") +
                                 joint("one", "continuous", "base", "a", "<mimic joint=\"two\"/>") +
                                 joint("two", "continuous", "base", "b", "<mimic joint=\"one\"/>"));
  EXPECT_NE(complaint(text).find("mimic: joint: follows itself by way of others"),
            std::string::npos);
}

// --- MJCF ----------------------------------------------------------------------------------------

std::string model(const std::string& bodies, const std::string& rest = "") {
  return "<mujoco>\n<worldbody>\n" + bodies + "\n</worldbody>\n" + rest + "</mujoco>\n";
}

const std::string kGeom = "<geom size=\"0.1\"/>";

TEST(Robots, degrees_classes_and_half_sizes_of_mjcf_are_taken_as_they_are_meant) {
  const Robot read = parse_robot("r", kModel);
  const auto joint_named = [&](const std::string& name) -> const RobotJoint& {
    for (const RobotJoint& x : read.joints) {
      if (x.name == name) return x;
    }
    throw std::runtime_error("no joint " + name);
  };
  EXPECT_EQ(joint_named("pin1_pin2").kind, JointKind::universal);
  EXPECT_DOUBLE_EQ(joint_named("pin1_pin2").coordinates[0].upper, 80 * M_PI / 180);
  EXPECT_EQ(joint_named("turn_push").kind, JointKind::cylindrical);
  EXPECT_EQ(joint_named("root_x_root_z_root_y").kind, JointKind::planar);
  EXPECT_EQ(joint_named("socket").kind, JointKind::spherical);
  EXPECT_EQ(joint_named("hip").coordinates[0].damping, 0.3);
  EXPECT_DOUBLE_EQ(joint_named("hip").coordinates[0].rest, 5 * M_PI / 180);
  EXPECT_EQ(joint_named("ankle").coordinates[0].upper, 0.2);
}

TEST(Robots, coordinates_of_every_joint_start_where_they_are_asked_to) {
  const std::map<std::string, double> start = {{"pin1", 0.3},   {"pin2", -0.5},  {"turn", 0.7},
                                               {"push", 0.1},   {"root_x", 0.4}, {"root_z", 1},
                                               {"root_y", 0.6}, {"ankle", 0.05}, {"hip", -1.2}};
  const Robot read = parse_robot("r", kModel, {.start = start});
  const Scene scene = parse_scene("robot.yaml", write_robot_scene(read, {}));
  const std::vector<double> q = coordinates_of(scene);
  std::size_t at = 0;
  for (std::size_t j = 0; j < read.joints.size(); ++j) {
    for (const JointCoordinate& x :
         joint_type(read.joints[j].kind).coordinates(scene.world->joints[j], false)) {
      for (const RobotCoordinate& c : read.joints[j].coordinates) {
        if (c.name == x.name) {
          EXPECT_NEAR(q[at], start.at(c.joint), 1e-14) << c.joint;
        }
      }
      ++at;
    }
  }
}

TEST(Robots, a_file_that_breaks_off_anywhere_is_refused) {
  for (const std::string& text : {kTwoLinks, kModel}) {
    for (std::size_t n = 0; n + 2 < text.size(); ++n)
      EXPECT_THROW((void)parse_robot("r", text.substr(0, n)), SceneError) << n;
  }
}

TEST(Robots, what_is_named_like_the_ground_keeps_apart_from_it) {
  const Scene scene =
      scene_of(model("<geom name=\"ground\" type=\"plane\" size=\"1 1 1\"/><body name=\"a\">"
                     "<joint name=\"j\"/>" +
                     kGeom + "</body>"));
  EXPECT_EQ(scene.world->joints[0].a, -1);
  EXPECT_EQ(body_of(scene, "ground_"), 1u);
}

TEST(Robots, a_position_actuator_of_mjcf_is_a_servo_and_an_equality_of_joints_a_coupler) {
  const std::string text = model(
      "<body name=\"a\"><joint name=\"j\" axis=\"0 1 0\"/>" + kGeom +
          "</body><body name=\"b\" pos=\"1 0 0\"><joint name=\"k\" type=\"slide\" ref=\"0.5\"/>" +
          kGeom + "</body>",
      "<equality><joint joint1=\"k\" joint2=\"j\" polycoef=\"0.1 2 0 0 0\"/></equality>"
      "<actuator><position joint=\"j\" kp=\"30\" gear=\"2\" forcerange=\"-4 4\"/>"
      "<velocity joint=\"k\" kv=\"3\"/></actuator>");
  const Scene scene = scene_of(text, {.start = {{"j", 0.3}}});
  const Joint& j = scene.world->joints[0];
  ASSERT_EQ(j.servos.size(), 1u);
  EXPECT_EQ(j.servos[0].stiffness, 120);
  EXPECT_EQ(j.servos[0].limit, 8);
  EXPECT_EQ(scene.world->joints[1].springs[0].damping, 3);
  const std::vector<double> q = coordinates_of(scene);
  EXPECT_NEAR(q[1], 0.5 + 0.1 + 2 * q[0], 1e-15);  // k - k0 = a0 + a1 (j - j0)
}

TEST(Robots, loops_of_mjcf_are_closed_by_joints_and_refused_where_the_start_opens_them) {
  const std::string bodies =
      "<body name=\"a\"><joint name=\"ja\" axis=\"0 1 0\"/><geom type=\"capsule\" size=\"0.02 "
      "0.1\"/>"
      "<body name=\"b\" pos=\"0 0 1\"><joint name=\"jb\" axis=\"0 1 0\"/>"
      "<geom type=\"capsule\" size=\"0.02 0.1\"/></body></body>";
  const std::string text =
      model(bodies, "<equality><connect body1=\"b\" anchor=\"1 0 0\"/></equality>");
  const Scene scene = scene_of(text);
  ASSERT_EQ(scene.world->joints.size(), 3u);
  EXPECT_EQ(scene.world->joints[2].kind, JointKind::spherical);
  EXPECT_EQ(scene.world->joints[2].a, -1);
  EXPECT_LT((scene.world->joints[2].frame_a.point - Vector3(1, 0, 1)).norm(), 1e-15);
  EXPECT_THROW((void)scene_of(text, {.start = {{"ja", 0.1}}}), InputError);
}

TEST(Robots, each_mistake_in_an_mjcf_is_said_with_its_place) {
  const std::vector<Mistake> mistakes = {
      {model("<body name=\"a\"><joint axis=\"0 0 1\"/><joint axis=\"0 1 1\"/>" + kGeom + "</body>"),
       "3:16: body 'a': joint: the 2 joints of this body are together none that a scene has"},
      {model("<body name=\"a\"><joint type=\"screw\"/>" + kGeom + "</body>"),
       "type 'screw' is not known"},
      {model("<body name=\"a\"><joint/></body>"), "3:1: body 'a' has no mass"},
      {model("<body><geom type=\"hfield\"/></body>"), "type 'hfield' is not supported"},
      {model("<body><geom type=\"box\" size=\"1 1\"/></body>"), "needs 'size' with 3 numbers"},
      {model("<body><geom class=\"none\" size=\"1\"/></body>"), "there is no default class 'none'"},
      {model("<include file=\"x.xml\"/>"), "3:1: worldbody: include: <include> is not read"},
      {model("<body><freejoint/>" + kGeom + "<body><freejoint/>" + kGeom + "</body></body>"),
       "a free joint stands alone"},
      {model("<body name=\"a\"><joint name=\"j\" limited=\"true\"/>" + kGeom + "</body>"),
       "is limited, but has no 'range'"},
      {model("<body><joint name=\"j\"/>" + kGeom + "</body>",
             "<actuator><motor joint=\"k\"/></actuator>"),
       "there is no hinge or slide 'k'"}};
  for (const Mistake& x : mistakes) {
    const std::string found = complaint(x.text);
    EXPECT_NE(found.find(x.message), std::string::npos) << found;
  }
  EXPECT_NE(complaint(model("<body><freejoint/>" + kGeom + "</body>"), {.floating = true})
                .find("an MJCF says itself what floats"),
            std::string::npos);
}

// --- in scenes and in motion ---------------------------------------------------------------------

const std::string kScene = R"(clack: 1
system:
  type: rigid-bodies
  gravity: [0, 0, -9.81]
  materials: {steel: {mu: 0.3}, wood: {mu: 0.5}}
  bodies:
    - {name: floor, shape: plane, material: wood, fixed: true}
  robots:
    - file: two.urdf
      name: left
      material: steel
      position: [0, 1, 0.5]
      rotation: {axis: [0, 0, 1], angle: 0.5}
      start: {hip: 0.4, knee: -1.2}
      joints:
        hip: {servo: {position: 0.4, stiffness: 100, damping: 5}}
    - {file: two.urdf, name: right, material: steel, position: [0, -1, 0.5]}
  joints:
    - {name: rope, kind: rope, bodies: [left.lower, right.lower], points: [[0, 1, 0.5], [0, -1, 0.5]], length: 9}
simulation: {step: 1.0e-3, end: 0.01}
measures:
  - {name: height, of: left_lower_z}
)";

TEST(Robots, stand_in_scenes_with_other_bodies_under_their_own_names) {
  const Folder folder;
  folder.write("two.urdf", kTwoLinks);
  const Scene scene = load_scene(folder.write("scene.yaml", kScene));
  ASSERT_EQ(scene.world->bodies.size(), 5u);
  EXPECT_EQ(scene.world->joints.size(), 5u);
  EXPECT_EQ(scene.world->bodies[body_of(scene, "right.upper")].material, 0);
  // The same robot alone, moved.
  const Scene alone = scene_of(kTwoLinks, {.start = {{"hip", 0.4}, {"knee", -1.2}}});
  const Pose place{{0, 1, 0.5}, rotation_of({0, 0, 0.5}).toRotationMatrix()};
  for (const char* name : {"upper", "lower"}) {
    const BodyState &here = scene.world_initial.bodies[body_of(scene, std::string("left.") + name)],
                    &there = alone.world_initial.bodies[body_of(alone, name)];
    EXPECT_LT((here.position - place * there.position).norm(), 1e-15);
    EXPECT_LT(
        (here.rotation.toRotationMatrix() - place.rotation * there.rotation.toRotationMatrix())
            .norm(),
        2e-15);
  }
  for (const Joint& x : scene.world->joints) {
    if (x.name != "left.hip") continue;
    ASSERT_EQ(x.servos.size(), 1u);
    EXPECT_EQ(x.servos[0].limit, 10);  // the effort of the file
  }
}

TEST(Robots, of_a_scene_are_complained_of_at_the_scene_and_at_the_file) {
  const Folder folder;
  folder.write("two.urdf", "<robot name=\"x\">\n<link/>\n</robot>");
  try {
    (void)load_scene(folder.write("scene.yaml", kScene));
    FAIL();
  } catch (const SceneError& error) {
    const std::string first = error.messages()[0];
    EXPECT_NE(first.find("scene.yaml:9:13: system.robots.0.file: "), std::string::npos) << first;
    EXPECT_NE(first.find("two.urdf:2:1: link: 'name' is missing"), std::string::npos) << first;
  }
  folder.write("two.urdf", kTwoLinks);
  std::string text = kScene;
  text.replace(text.find("hip: {servo"), 3, "hop");
  try {
    (void)load_scene(folder.write("scene.yaml", text));
    FAIL();
  } catch (const SceneError& error) {
    EXPECT_NE(error.messages()[0].find(
                  "joints.hop: there is no joint 'hop' in the file (did you mean 'hip'?)"),
              std::string::npos)
        << error.messages()[0];
  }
}

TEST(Robots, the_scene_that_is_written_gives_the_same_world_as_the_file) {
  const Folder folder;
  folder.write("cube.obj", kCube);
  const std::string path = folder.write("quadruped.urdf", quadruped("cube.obj"));
  RobotSceneOptions writing;
  writing.folder = folder.path().string();
  const std::string text = write_robot_scene(load_robot(path), writing);
  EXPECT_NE(text.find("file: cube.obj"), std::string::npos);  // beside the scene
  const Scene written = load_scene(folder.write("scene.yaml", text)), direct = load_scene(path);
  EXPECT_EQ(written.initial.q, direct.initial.q);
  EXPECT_EQ(written.world->bodies.size(), direct.world->bodies.size());
  for (std::size_t i = 0; i < direct.world->bodies.size(); ++i) {
    EXPECT_EQ(written.world->bodies[i].mass, direct.world->bodies[i].mass);
    EXPECT_EQ(written.world->bodies[i].moments, direct.world->bodies[i].moments);
  }
  for (std::size_t j = 0; j < direct.world->joints.size(); ++j) {
    EXPECT_EQ(written.world->joints[j].frame_a.point, direct.world->joints[j].frame_a.point);
    EXPECT_EQ(written.world->joints[j].frame_b.axes, direct.world->joints[j].frame_b.axes);
  }
}

class RobotsMove : public testing::TestWithParam<const char*> {};

// A rod hangs on its lower stop: the joint keeps its limit, the stop carries the moment of gravity.
TEST_P(RobotsMove, and_come_to_rest_on_their_limits) {
  std::string text = robot(
      "<link name=\"base\"/>\n<link name=\"rod\"><inertial><origin xyz=\"0.5 0 0\"/><mass "
      "value=\"2\"/>"
      "<inertia ixx=\"0.01\" iyy=\"0.17\" izz=\"0.17\"/></inertial></link>\n" +
      joint("j", "revolute", "base", "rod",
            "<axis xyz=\"0 1 0\"/><limit lower=\"-1\" upper=\"0.3\" effort=\"5\" velocity=\"1\"/>"
            "<dynamics damping=\"0.5\" friction=\"0.1\"/>"));
  const Folder folder;
  const Scene scene =
      load_scene(folder.write("rod.urdf", text), {std::string("simulation.scheme=") + GetParam()});
  Simulation simulation(scene.system, scene.initial, scene.options);
  for (int i = 0; i < 3000; ++i) ASSERT_EQ(simulation.step(), Status::converged);
  EXPECT_NEAR(simulation.q()[7], 0.3, 2e-3);  // the angle, behind the seven numbers of the rod
  EXPECT_LT(simulation.v().norm(), 1e-9);
}

INSTANTIATE_TEST_SUITE_P(Schemes, RobotsMove, testing::Values("stewart-trinkle", "moreau-jean"),
                         [](const auto& scheme) {
                           std::string name = scheme.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(Robots, a_floating_one_stands_on_the_floor_of_its_scene_and_falls_nowhere) {
  const Folder folder;
  std::string text = quadruped();
  text.replace(text.find("<joint name=\"free\""),
               text.find("</joint>", text.find("<joint name=\"free\"")) + 8 -
                   text.find("<joint name=\"free\""),
               "");
  text.replace(text.find("<link name=\"world\"/>"), 20, "");
  const Robot read = parse_robot("r", text, {.floating = true});
  const Scene scene = parse_scene("robot.yaml", write_robot_scene(read, {}));
  const std::size_t floor = body_of(scene, "floor");
  EXPECT_NEAR(scene.world->bodies[floor].shape->as<Plane>().offset, -0.42, 1e-12);
  BodySimulation simulation(scene);
  for (int i = 0; i < 50; ++i) ASSERT_EQ(simulation.step(), Status::converged);
  EXPECT_GT(simulation.state().bodies[body_of(scene, "trunk")].position.z(), -0.01);
}

}  // namespace
}  // namespace clack::test
