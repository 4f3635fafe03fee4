// The inertia of rotors in files of robots.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "clack/io/scene/scene.hpp"

namespace clack {
namespace {

double armature_of(const std::string& name, const std::string& text) {
  const std::filesystem::path folder = std::filesystem::temp_directory_path();
  const std::string file = (folder / name).string();
  std::ofstream(file) << text;
  const Scene scene = load_scene(file);
  std::filesystem::remove(file);
  const std::vector<JointArmature>& all = scene.world->joints.at(0).armatures;
  return all.empty() ? 0 : all[0].inertia;
}

TEST(RobotArmature, IsReadFromMjcfAndFromTheDynamicsOfUrdf) {
  EXPECT_EQ(armature_of("clack_armature.xml", R"(<mujoco model="arm">
<default><joint armature="0.05"/></default>
<worldbody><body name="link" pos="0 0 1"><joint name="hip" type="hinge" axis="0 1 0"/>
<geom type="capsule" fromto="0 0 0 0.5 0 0" size="0.02" mass="1"/></body></worldbody></mujoco>)"),
            0.05);
  EXPECT_EQ(armature_of("clack_armature.urdf", R"(<robot name="arm"><link name="base"/>
<link name="l"><inertial><mass value="1"/>
<inertia ixx="0.01" iyy="0.02" izz="0.02" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="hip" type="continuous"><parent link="base"/><child link="l"/><axis xyz="0 1 0"/>
<dynamics damping="0.1" armature="0.07"/></joint></robot>)"),
            0.07);
}

}  // namespace
}  // namespace clack
