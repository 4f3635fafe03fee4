// Robots as scenes against MuJoCo's reading of the same files: poses, masses and the mass matrix at
// random joint positions. MuJoCo's comes from joint coordinates, ours from bodies and their joints.
#include <gtest/gtest.h>

#include <random>

#include "clack/io/robots/robot_file.hpp"
#include "clack/io/robots/robot_writer.hpp"
#include "clack/io/scene/scene.hpp"
#include "clack/model/joints/world_joints.hpp"
#include "robot_support.hpp"

#ifdef CLACK_HAVE_MUJOCO
#include <mujoco/mujoco.h>
#endif

namespace clack::test {
namespace {

#ifdef CLACK_HAVE_MUJOCO

constexpr double kExact = 1e-12;
// MuJoCo stops turning the axes of inertia while products of up to 1e-7 of the moments are left.
constexpr double kAxesOfMujoco = 1e-6;
constexpr int kPositions = 20;

// One velocity of the robot: what it does to a body that it carries.
struct Freedom {
  int dof;  // of MuJoCo
  int body;
  Vector3 turn, slide, point;  // angular velocity, velocity of the body's point there
};

class Comparison {
 public:
  // `tolerance`: of inertia.
  Comparison(const std::string& path, double tolerance)
      : robot_(load_robot(path)), tolerance_(tolerance) {
    char error[1000] = "";
    model_ = mj_loadXML(path.c_str(), nullptr, error, sizeof error);
    if (model_ == nullptr) throw std::runtime_error(error);
    data_ = mj_makeData(model_);
  }
  ~Comparison() {
    mj_deleteData(data_);
    mj_deleteModel(model_);
  }

  void run() {
    std::mt19937 random(7);
    for (int i = 0; i < kPositions; ++i) {
      options_.start.clear();
      for (const RobotJoint& joint : robot_.joints) {
        for (const RobotCoordinate& c : joint.coordinates) {
          const double low = std::max(-1.4, c.lower), high = std::min(1.4, c.upper);
          const double share = static_cast<double>(random()) / 4294967296.0;
          if (!is_led(joint.name)) options_.start[c.joint] = low + share * (high - low);
        }
      }
      compare();
    }
  }

 private:
  bool is_led(const std::string& joint) const {
    for (const RobotCoupler& coupler : robot_.couplers) {
      if (robot_.joints[static_cast<std::size_t>(coupler.terms[0].joint)].name == joint)
        return true;
    }
    return false;
  }

  void compare() {
    robot_ = load_robot(robot_.path, options_);
    RobotSceneOptions writing;
    scene_ = parse_scene("robot.yaml", write_robot_scene(robot_, writing));
    for (const RobotJoint& joint : robot_.joints) {
      for (const RobotCoordinate& c : joint.coordinates)
        data_->qpos[model_->jnt_qposadr[find(mjOBJ_JOINT, c.joint)]] = c.start;
    }
    mj_forward(model_, data_);
    compare_coordinates();
    compare_bodies();
    compare_masses();
  }

  int find(int kind, const std::string& name) const {
    const int id = mj_name2id(model_, kind, name.c_str());
    EXPECT_GE(id, 0) << name;
    return id;
  }

  const BodyState& state(std::size_t body) const { return scene_.world_initial.bodies[body]; }

  // The engine's own coordinates of joints are those that were asked for.
  void compare_coordinates() {
    const WorldJoints joints(*scene_.world, scene_.world_initial);
    std::vector<double> values(joints.coordinates().size(), 0);
    joints.update([&](int body) { return state(static_cast<std::size_t>(body)); }, values.data());
    std::size_t at = 0;
    for (const RobotJoint& joint : robot_.joints) {
      const auto own = joint_type(joint.kind).coordinates(scene_.world->joints[0], false);
      for (const JointCoordinate& x : own) {
        for (const RobotCoordinate& c : joint.coordinates) {
          if (c.name == x.name) {
            EXPECT_NEAR(values[at], c.start, kExact) << c.joint;
          }
        }
        ++at;
      }
    }
    EXPECT_EQ(at, values.size());
  }

  // Centres, and inertia in the frame of the surroundings, which no choice of axes changes.
  void compare_bodies() {
    for (std::size_t i = 0; i < scene_.world->bodies.size(); ++i) {
      const Body& body = scene_.world->bodies[i];
      if (!body.is_free()) continue;
      const int id = find(mjOBJ_BODY, body.name);
      const Eigen::Map<const Vector3> centre(data_->xipos + 3 * id),
          moments(model_->body_inertia + 3 * id);
      using RowMajor = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;
      const Eigen::Map<const RowMajor> axes(data_->ximat + 9 * id);
      EXPECT_LT((state(i).position - centre).norm(), kExact) << body.name;
      EXPECT_NEAR(body.mass, model_->body_mass[id], kExact);
      const Matrix3 theirs = axes * moments.asDiagonal() * axes.transpose();
      EXPECT_LT((inertia(i) - theirs).norm(), tolerance_ * theirs.norm()) << body.name;
    }
  }

  Matrix3 inertia(std::size_t body) const {
    const Matrix3 axes = state(body).rotation.toRotationMatrix();
    return axes * scene_.world->bodies[body].moments.asDiagonal() * axes.transpose();
  }

  void compare_masses() {
    const int n = model_->nv;
    Matrix theirs(n, n);  // symmetric: the order of its entries does not matter
    mj_fullM(model_, theirs.data(), data_->qM);
    const Matrix ours = mass_matrix();
    EXPECT_LT((ours - theirs).norm(), tolerance_ * theirs.norm());
    double mass = 0;
    Vector3 first = Vector3::Zero();
    for (std::size_t i = 0; i < scene_.world->bodies.size(); ++i) {
      if (!scene_.world->bodies[i].is_free()) continue;
      mass += scene_.world->bodies[i].mass;
      first += scene_.world->bodies[i].mass * state(i).position;
    }
    double their_mass = 0;
    Vector3 their_first = Vector3::Zero();
    for (int id = 1; id < model_->nbody; ++id) {
      if (model_->body_weldid[id] == 0) continue;
      their_mass += model_->body_mass[id];
      their_first += model_->body_mass[id] * Eigen::Map<const Vector3>(data_->xipos + 3 * id);
    }
    EXPECT_NEAR(mass, their_mass, kExact * mass);
    EXPECT_LT((first / mass - their_first / their_mass).norm(), kExact);
  }

  Matrix mass_matrix() const {
    const std::vector<Freedom> all = freedoms();
    Matrix M = Matrix::Zero(model_->nv, model_->nv);
    for (std::size_t i = 0; i < scene_.world->bodies.size(); ++i) {
      const Body& body = scene_.world->bodies[i];
      if (!body.is_free()) continue;
      Matrix J = Matrix::Zero(6, model_->nv);
      for (const Freedom& x : all) {
        if (!carries(x.body, static_cast<int>(i))) continue;
        J.col(x.dof).head(3) = x.slide + x.turn.cross(state(i).position - x.point);
        J.col(x.dof).tail(3) = x.turn;
      }
      M += body.mass * J.topRows(3).transpose() * J.topRows(3) +
           J.bottomRows(3).transpose() * inertia(i) * J.bottomRows(3);
    }
    return M;
  }

  bool carries(int body, int other) const {
    while (other != body && other >= 0) {
      int parent = -1;
      for (const Joint& joint : scene_.world->joints) {
        if (joint.b == other) parent = joint.a;
      }
      other = parent;
    }
    return other == body;
  }

  // From the frames of the world's joints.
  std::vector<Freedom> freedoms() const {
    std::vector<Freedom> result;
    const Vector3 none = Vector3::Zero();
    for (std::size_t j = 0; j < scene_.world->joints.size(); ++j) {
      const Joint& joint = scene_.world->joints[j];
      const JointGeometry at = joint_geometry(
          joint, joint.a < 0 ? BodyState{} : state(static_cast<std::size_t>(joint.a)),
          state(static_cast<std::size_t>(joint.b)));
      const Vector3 point = state(static_cast<std::size_t>(joint.b)).position + at.arm_b;
      for (const RobotCoordinate& c : robot_.joints[j].coordinates) {
        Freedom x{dof(c.joint), joint.b, none, none, point};
        if (c.name == "angle" || c.name == "angle_a") x.turn = at.a.col(2);
        if (c.name == "angle_b") x.turn = at.b.col(0);
        if (c.name == "slide") x.slide = at.a.col(2);
        if (c.name == "x") x.slide = at.a.col(0);
        if (c.name == "y") x.slide = at.a.col(1);
        result.push_back(x);
      }
      if (joint.kind == JointKind::spherical) add_turns(dof("socket"), joint.b, point, result);
    }
    for (int j = 0; j < model_->njnt; ++j) {
      if (model_->jnt_type[j] != mjJNT_FREE) continue;
      const int id = model_->jnt_bodyid[j];
      const auto& bodies = scene_.world->bodies;
      int body = 0;
      while (bodies[static_cast<std::size_t>(body)].name != mj_id2name(model_, mjOBJ_BODY, id))
        ++body;
      const Vector3 point = Eigen::Map<const Vector3>(data_->xpos + 3 * id);
      for (int k = 0; k < 3; ++k)
        result.push_back({model_->jnt_dofadr[j] + k, body, none, Vector3::Unit(k), point});
      add_turns(model_->jnt_dofadr[j] + 3, body, point, result);
    }
    return result;
  }

  int dof(const std::string& joint) const { return model_->jnt_dofadr[find(mjOBJ_JOINT, joint)]; }

  // MuJoCo's angular velocities are in the frame of the body as the file has it.
  void add_turns(int dof, int body, const Vector3& point, std::vector<Freedom>& result) const {
    const int id = find(mjOBJ_BODY, scene_.world->bodies[static_cast<std::size_t>(body)].name);
    for (int k = 0; k < 3; ++k) {
      const Vector3 axis(data_->xmat[9 * id + k], data_->xmat[9 * id + 3 + k],
                         data_->xmat[9 * id + 6 + k]);
      result.push_back({dof + k, body, axis, Vector3::Zero(), point});
    }
  }

  Robot robot_;
  double tolerance_;
  RobotOptions options_;
  Scene scene_;
  mjModel* model_ = nullptr;
  mjData* data_ = nullptr;
};

using Changes = std::vector<std::pair<std::string, std::string>>;

std::string changed(std::string text, const Changes& changes) {
  for (const auto& [from, to] : changes) {
    std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    for (; at != std::string::npos; at = text.find(from, at + to.size()))
      text.replace(at, from.size(), to);
  }
  return text;
}

// As it is, and exactly with changes that leave no products of inertia.
void expect_equal(const std::string& name, const std::string& text, const Changes& changes) {
  const Folder folder;
  folder.write("cube.obj", kCube);
  Comparison(folder.write(name, text), kAxesOfMujoco).run();
  Comparison(folder.write(name, changed(text, changes)), kExact).run();
}

TEST(RobotsAgainstMujoco, two_links_have_the_same_poses_and_mass_matrix) {
  expect_equal("two.urdf", kTwoLinks,
               {{R"(ixy="0.001" ixz="-0.002")", R"(ixy="0" ixz="0")"},
                {R"(iyz="0.003")", R"(iyz="0")"},
                {R"(<origin xyz="0.02 0 0.01"/>)", R"(<origin xyz="0 0.03 0.01"/>)"},
                {R"(rpy="0 0 0.7")", ""}});
}

TEST(RobotsAgainstMujoco, the_arm_of_the_examples_has_the_same_poses_and_mass_matrix) {
  // MuJoCo's URDF has no capsules; they have no part in masses.
  expect_equal(
      "arm.urdf",
      changed(read_text(CLACK_SOURCE_DIR "/examples/robots/arm.urdf"), {{"<capsule", "<cylinder"}}),
      {{R"(iyz="0.0004")", R"(iyz="0")"}, {R"(ixz="0.0002")", R"(ixz="0")"}});
}

TEST(RobotsAgainstMujoco, a_floating_tree_has_the_same_poses_and_mass_matrix) {
  const Changes plain = {{R"(ixy="0.002")", R"(ixy="0")"}, {R"(ixz="0.0001")", R"(ixz="0")"}};
  expect_equal("quadruped.urdf", quadruped(), plain);
  expect_equal("quadruped.urdf", quadruped("cube.obj"), plain);
}

TEST(RobotsAgainstMujoco, every_joint_of_mjcf_has_the_same_poses_and_mass_matrix) {
  expect_equal(
      "model.xml", kModel,
      {{R"(pos="0.02 0 0" axisangle="1 1 0 40")", ""}, {"0.0001 0.0002 -0.0003", "0 0 0"}});
}

#else

TEST(RobotsAgainstMujoco, is_not_there) {
  GTEST_SKIP() << "MuJoCo not found (Debian: libmujoco-dev)";
}

#endif

}  // namespace
}  // namespace clack::test
