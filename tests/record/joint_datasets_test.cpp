// What results say of joints, and what a report makes of it, against positions and weights.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <numbers>

#include "clack/io/report/run_data.hpp"
#include "clack/io/results/results_reader.hpp"
#include "tests/io/report_support.hpp"
#include "tests/record/record_support.hpp"

namespace clack {
namespace {

using test::Folder;
using test::Unpacked;

Scene scene_of(const Folder& folder, const std::string& text) {
  return load_scene(folder.write("scene.yaml", text));
}

// An arm on a tilted pin, a slider on it, a ball on a rope, and two links of which one may break.
const std::string kMechanism = R"(clack: 1
system:
  type: rigid-bodies
  gravity: [0, 0, -10]
  materials: {steel: {density: 1000}}
  bodies:
    - {name: arm, shape: {box: {size: [1, 0.1, 0.1]}}, position: [0.5, 0, 0], group: m, ignores: [m]}
    - {name: slider, shape: {box: {size: [0.1, 0.3, 0.1]}}, position: [0.4, 0, 0], group: m, ignores: [m]}
    - {name: bob, shape: {sphere: {radius: 0.1}}, position: [3, 0, 2], velocity: [0, 1, 0]}
    - {name: left, shape: {sphere: {radius: 0.1}}, position: [5, 0, 1]}
    - {name: right, shape: {sphere: {radius: 0.1}}, position: [5.3, 0, 1]}
    - {name: far, shape: {sphere: {radius: 0.1}}, position: [5.6, 0, 1]}
  joints:
    - {name: pin, kind: revolute, bodies: [ground, arm], point: [0, 0, 0], axis: [0, 3, 4]}
    - {name: guide, kind: prismatic, bodies: [arm, slider], point: [0.4, 0, 0], axis: [1, 0, 0]}
    - {name: rope, kind: rope, bodies: [ground, bob], points: [[3, 0, 3], [3, 0, 2]]}
  links:
    - {name: held, bodies: [left, right], point: [5.15, 0, 1], link: hinge}
    - {name: weak, bodies: [right, far], point: [5.45, 0, 1], link: {law: glue, strength_n: 1.0e+6}}
simulation: {step: 1.0e-3, end: 0.4}
)";

RowMatrix numbers(std::initializer_list<double> values) {
  RowMatrix column(static_cast<Eigen::Index>(values.size()), 1);
  std::copy(values.begin(), values.end(), column.data());
  return column;
}

struct Pose {
  Vector3 position = Vector3::Zero();
  Quaternion rotation = Quaternion::Identity();
};
Pose pose_of(const RowMatrix& q, Eigen::Index row, int body) {
  if (body < 0) return {};
  const double* x = q.row(row).data() + 7 * body;
  return {Vector3(x[0], x[1], x[2]), Quaternion(x[3], x[4], x[5], x[6])};
}

struct Mechanism {
  Mechanism() { test::run_scene(scene_of(folder, kMechanism), folder.path()); }
  Folder folder;
  ResultsReader reader() const { return ResultsReader(folder.file("results.h5")); }
};

TEST(JointDatasets, NameKindsBodiesAndWhatMayBreak) {
  const Mechanism mechanism;
  const ResultsReader file = mechanism.reader();
  EXPECT_EQ(file.strings("/joints/name"),
            (std::vector<std::string>{"pin", "guide", "rope", "held", "weak"}));
  EXPECT_EQ(file.strings("/joints/kind"),
            (std::vector<std::string>{"revolute", "prismatic", "rope", "hinge", "glue"}));
  EXPECT_EQ(file.matrix("/joints/body_a"), numbers({-1, 0, -1, 3, 4}));
  EXPECT_EQ(file.matrix("/joints/body_b"), numbers({0, 1, 2, 4, 5}));
  EXPECT_EQ(file.matrix("/joints/breakable"), numbers({0, 0, 0, 0, 1}));
  EXPECT_EQ(file.strings("/joints/coordinate_name"), (std::vector<std::string>{"angle", "slide"}));
  EXPECT_EQ(file.strings("/joints/coordinate_unit"), (std::vector<std::string>{"rad", "m"}));
  EXPECT_EQ(file.matrix("/joints/coordinate_joint"), numbers({0, 1}));
  EXPECT_EQ(file.matrix("/joints/coordinate_place"), numbers({42, 43}));
}

// From the poses alone: points that are held together stay so, the pin keeps its direction, and the
// coordinates are the turn and the way that are seen.
TEST(JointDatasets, FramesMoveWithTheirBodies) {
  const Mechanism mechanism;
  const ResultsReader file = mechanism.reader();
  const RowMatrix q = file.q(), a = file.matrix("/joints/body_a"),
                  b = file.matrix("/joints/body_b"), pa = file.matrix("/joints/point_a"),
                  pb = file.matrix("/joints/point_b"), aa = file.matrix("/joints/axes_a"),
                  ab = file.matrix("/joints/axes_b");
  const auto last = static_cast<Eigen::Index>(file.rows() - 1);
  const auto point = [&](const RowMatrix& body, const RowMatrix& own, int joint) {
    const Pose pose = pose_of(q, last, static_cast<int>(body(joint, 0)));
    return Vector3(pose.position + pose.rotation * own.row(joint).transpose());
  };
  const auto axis = [&](const RowMatrix& body, const RowMatrix& own, int joint, int k) {
    const Pose pose = pose_of(q, last, static_cast<int>(body(joint, 0)));
    return Vector3(pose.rotation * own.block<1, 3>(joint, 3 * k).transpose());
  };
  for (const int joint : {0, 3})
    EXPECT_LT((point(a, pa, joint) - point(b, pb, joint)).norm(), 1e-9) << joint;
  EXPECT_LT((axis(a, aa, 0, 2) - Vector3(0, 0.6, 0.8)).norm(), 1e-12);
  EXPECT_LT((axis(b, ab, 0, 2) - Vector3(0, 0.6, 0.8)).norm(), 1e-9);
  const Vector3 b1 = axis(b, ab, 0, 0);
  const double angle = std::atan2(b1.dot(axis(a, aa, 0, 1)), b1.dot(axis(a, aa, 0, 0)));
  EXPECT_GT(std::abs(angle), 0.1) << "the arm falls";
  EXPECT_NEAR(std::remainder(q(last, 42) - angle, 2 * std::numbers::pi), 0, 1e-9);
  const double way = (point(b, pb, 1) - point(a, pa, 1)).dot(axis(a, aa, 1, 2));
  EXPECT_GT(std::abs(way), 1e-3) << "the slider slides";
  EXPECT_NEAR(q(last, 43), way, 1e-9);
  EXPECT_NEAR((point(b, pb, 2) - point(a, pa, 2)).norm(), 1, 1e-6) << "the rope is taut";
}

std::vector<double> curve(const Mechanism& mechanism, const std::string& group,
                          const std::string& name) {
  const RunData run(mechanism.folder.path().string());
  const nlohmann::json columns = run.head()["columns"];
  const Unpacked block(run.curves_block(1, 0, run.rows()).compress());
  for (std::size_t c = 0; c < columns.size(); ++c) {
    if (columns[c]["group"] != group || columns[c]["name"] != name) continue;
    if (group == "joint") return block.doubles(std::to_string(c));
    const std::vector<float> values = block.singles(std::to_string(c));
    return {values.begin(), values.end()};
  }
  throw std::runtime_error("no curve " + group + " " + name);
}

TEST(JointCurves, RatesAreTheDerivativesOfTheCoordinates) {
  const Mechanism mechanism;
  for (const char* name : {"pin", "guide"}) {
    const std::vector<double> x = curve(mechanism, "joint", name),
                              rate = curve(mechanism, "joint_rate", name);
    ASSERT_EQ(x.size(), 401u);
    double largest = 0;
    for (std::size_t k = 1; k + 1 < x.size(); ++k) {
      EXPECT_NEAR(rate[k], (x[k + 1] - x[k - 1]) / 2e-3, 0.02) << name << " " << k;
      largest = std::max(largest, std::abs(rate[k]));
    }
    EXPECT_GT(largest, 0.5) << name;
  }
}

// A weight that hangs still on a bent bar of the ground: m g upwards, at any direction of the frame.
TEST(JointCurves, ReactionsOfAHangingWeightAreItsWeightUpwards) {
  const Folder folder;
  test::run_scene(scene_of(folder, R"(clack: 1
system:
  type: rigid-bodies
  gravity: [0, 0, -10]
  materials: {steel: {density: 1000}}
  bodies:
    - {name: plank, shape: {box: {size: [1, 0.2, 0.1]}}, position: [0, 0, 2], rotation: {axis: [1, 2, 3], angle: 0.7}}
    - {name: weight, shape: {sphere: {radius: 0.1}}, mass: 3, position: [0.5, 0, 1]}
  joints:
    - {name: clamp, kind: fixed, bodies: [ground, plank], point: [0, 0, 2]}
    - {name: cord, kind: fixed, bodies: [plank, weight], point: [0.5, 0, 1.5]}
simulation: {step: 1.0e-3, end: 0.01}
)"),
                  folder.path());
  const RunData run(folder.path().string());
  EXPECT_EQ(run.head()["joints"], 2);
  const Unpacked bodies(run.bodies_block().compress());
  EXPECT_EQ(bodies.header["joint_kinds"], nlohmann::json({"fixed", "fixed"}));
  const Unpacked frames(run.frames_block({0, 10}).compress());
  EXPECT_EQ(frames.singles("reaction_scale")[0], 0) << "none at the start";
  const double unit = frames.singles("reaction_scale")[1] / 16384;
  const std::vector<std::int32_t> reaction = frames.integers("reaction");
  ASSERT_EQ(reaction.size(), 12u);
  const std::vector<double> expected = {0, 0, 10 * (3 + 20), 0, 0, 10 * 3};
  for (std::size_t i = 0; i < 6; ++i)
    EXPECT_NEAR(unit * reaction[6 + i], expected[i], 2 * unit) << i;
}

TEST(JointCurves, OfManyJointsOnlyThoseOfCoordinatesThatAreAskedFor) {
  std::string text = R"(clack: 1
system:
  type: rigid-bodies
  space: 2d
  materials: {steel: {density: 1000}}
  bodies:
    - {name: floor, shape: line, fixed: true, position: [0, -5]}
)";
  std::string joints = "  joints:\n";
  for (int i = 0; i < 61; ++i) {
    text += "    - {name: b" + std::to_string(i) + ", shape: {disc: {radius: 0.1}}, position: [" +
            std::to_string(i) + ", 0]}\n";
    joints += "    - {name: j" + std::to_string(i) + ", kind: revolute, bodies: [ground, b" +
              std::to_string(i) + "], point: [" + std::to_string(i) + ", 0]}\n";
  }
  const Folder folder;
  test::run_scene(scene_of(folder, text + joints + "simulation: {step: 1.0e-3, end: 0.002}\n"),
                  folder.path());
  const auto count = [](const nlohmann::json& head, const char* group) {
    return std::count_if(head["columns"].begin(), head["columns"].end(),
                         [&](const nlohmann::json& x) { return x["group"] == group; });
  };
  const nlohmann::json all = RunData(folder.path().string()).head();
  EXPECT_EQ(all["joints_without_curves"], true);
  for (const char* group : {"q", "joint", "joint_rate", "reaction_force"})
    EXPECT_EQ(count(all, group), 0) << group;
  const nlohmann::json one =
      RunData(folder.path().string(), {.coordinates = {"j60_angle", "j59"}}).head();
  EXPECT_EQ(count(one, "joint"), 2);
  EXPECT_EQ(count(one, "joint_rate"), 2);
}

}  // namespace
}  // namespace clack
