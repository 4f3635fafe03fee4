// Robots that tests write.
#pragma once

#include <string>

#include "tests/folder.hpp"

namespace clack::test {

// Two rods in a vertical plane, off their joints in every direction.
inline const std::string kTwoLinks = R"(<robot name="two">
  <link name="base"/>
  <link name="upper">
    <inertial>
      <origin xyz="0.01 -0.02 -0.25" rpy="0.1 0.2 0.3"/>
      <mass value="2"/>
      <inertia ixx="0.05" ixy="0.001" ixz="-0.002" iyy="0.06" iyz="0.003" izz="0.02"/>
    </inertial>
    <collision><origin xyz="0 0 -0.25"/><geometry><cylinder radius="0.03" length="0.4"/></geometry></collision>
  </link>
  <link name="lower">
    <inertial>
      <origin xyz="0 0.03 -0.2"/>
      <mass value="1.5"/>
      <inertia ixx="0.03" ixy="0" ixz="0" iyy="0.03" iyz="0" izz="0.004"/>
    </inertial>
    <collision><origin xyz="0 0 -0.2" rpy="0.1 0 0"/><geometry><box size="0.04 0.06 0.4"/></geometry></collision>
    <collision><origin xyz="0 0 -0.4"/><geometry><sphere radius="0.05"/></geometry></collision>
  </link>
  <link name="tip">
    <inertial>
      <origin xyz="0.02 0 0.01"/>
      <mass value="0.3"/>
      <inertia ixx="0.001" ixy="0" ixz="0" iyy="0.001" iyz="0" izz="0.001"/>
    </inertial>
  </link>
  <joint name="hip" type="revolute">
    <parent link="base"/><child link="upper"/>
    <origin xyz="0.1 0.2 1" rpy="0.3 -0.2 0.5"/>
    <axis xyz="0 1 0"/>
    <limit lower="-3" upper="3" effort="10" velocity="1"/>
  </joint>
  <joint name="knee" type="continuous">
    <parent link="upper"/><child link="lower"/>
    <origin xyz="0 0.05 -0.5" rpy="0 0.4 0"/>
    <axis xyz="0.6 0 -0.8"/>
  </joint>
  <joint name="mount" type="fixed">
    <parent link="lower"/><child link="tip"/>
    <origin xyz="0 0 -0.45" rpy="0 0 0.7"/>
  </joint>
</robot>
)";

// A body with four legs of two joints each, free of the world; a tool on rails on its back. With
// `mesh`, the name of a file, as the shape of the body.
inline std::string quadruped(const std::string& mesh = "") {
  const std::string geometry = mesh.empty()
                                   ? std::string("<box size=\"0.5 0.3 0.1\"/>")
                                   : "<mesh filename=\"" + mesh + "\" scale=\"0.5 0.3 0.1\"/>";
  std::string text = R"(<robot name="quadruped">
  <link name="world"/>
  <link name="trunk">
    <inertial>
      <origin xyz="0.02 0 0.01" rpy="0 0.1 0"/>
      <mass value="6"/>
      <inertia ixx="0.06" ixy="0.002" ixz="0" iyy="0.12" iyz="0" izz="0.15"/>
    </inertial>
    <collision><geometry>)" +
                     geometry + R"(</geometry></collision>
  </link>
  <joint name="free" type="floating"><parent link="world"/><child link="trunk"/><origin xyz="0 0 0.5"/></joint>
  <link name="slide">
    <inertial><mass value="0.5"/><inertia ixx="0.002" ixy="0" ixz="0" iyy="0.001" iyz="0" izz="0.002"/></inertial>
  </link>
  <joint name="rail" type="prismatic">
    <parent link="trunk"/><child link="slide"/>
    <origin xyz="0 0 0.08" rpy="0.1 0.2 0"/>
    <axis xyz="1 0 0"/>
    <limit lower="-0.2" upper="0.2" effort="5" velocity="1"/>
  </joint>
)";
  for (const char* leg : {"fl", "fr", "bl", "br"}) {
    const std::string name = leg;
    const std::string x = name[0] == 'f' ? "0.22" : "-0.22", y = name[1] == 'l' ? "0.17" : "-0.17";
    text += R"(  <link name=")" + name + R"(_thigh">
    <inertial><origin xyz="0 0 -0.1"/><mass value="0.8"/>
      <inertia ixx="0.003" ixy="0" ixz="0.0001" iyy="0.003" iyz="0" izz="0.0006"/></inertial>
    <collision><origin xyz="0 0 -0.1"/><geometry><cylinder radius="0.02" length="0.16"/></geometry></collision>
  </link>
  <link name=")" +
            name + R"(_shank">
    <inertial><origin xyz="0 0 -0.1"/><mass value="0.3"/>
      <inertia ixx="0.001" ixy="0" ixz="0" iyy="0.001" iyz="0" izz="0.0001"/></inertial>
    <collision><origin xyz="0 0 -0.2"/><geometry><sphere radius="0.02"/></geometry></collision>
  </link>
  <joint name=")" +
            name + R"(_hip" type="revolute">
    <parent link="trunk"/><child link=")" +
            name + R"(_thigh"/>
    <origin xyz=")" +
            x + " " + y + R"( 0"/><axis xyz="0 1 0"/>
    <limit lower="-1.5" upper="1.5" effort="20" velocity="5"/>
    <dynamics damping="0.2" friction="0.05"/>
  </joint>
  <joint name=")" +
            name + R"(_knee" type="revolute">
    <parent link=")" +
            name + R"(_thigh"/><child link=")" + name + R"(_shank"/>
    <origin xyz="0 0 -0.2"/><axis xyz="0 1 0"/>
    <limit lower="-2.4" upper="0" effort="20" velocity="5"/>
    <dynamics damping="0.2"/>
  </joint>
)";
  }
  return text + "</robot>\n";
}

// A unit cube about the origin.
inline const std::string kCube = R"(v -0.5 -0.5 -0.5
v 0.5 -0.5 -0.5
v -0.5 0.5 -0.5
v 0.5 0.5 -0.5
v -0.5 -0.5 0.5
v 0.5 -0.5 0.5
v -0.5 0.5 0.5
v 0.5 0.5 0.5
f 1 3 4
f 1 4 2
f 5 6 8
f 5 8 7
f 1 2 6
f 1 6 5
f 3 7 8
f 3 8 4
f 1 5 7
f 1 7 3
f 2 4 8
f 2 8 6
)";

// Every joint of MJCF, several in one body, masses of geoms, classes, degrees, reference values.
inline const std::string kModel = R"(<mujoco model="model">
  <compiler angle="degree" eulerseq="zYx"/>
  <default>
    <geom density="700"/>
    <default class="light">
      <geom density="200" size="0.03"/>
      <joint damping="0.3"/>
    </default>
  </default>
  <worldbody>
    <geom name="floor" type="plane" size="5 5 0.1"/>
    <body name="post" pos="0 0 1" euler="10 20 30">
      <geom type="cylinder" size="0.05 0.1"/>
      <body name="cardan" pos="0.1 0 0.1">
        <joint name="pin1" axis="1 0 0" range="-80 80" limited="true"/>
        <joint name="pin2" axis="0 1 0"/>
        <geom type="capsule" fromto="0 0 0 0.1 0.2 0.3" size="0.02"/>
        <body name="sleeve" pos="0.1 0.2 0.3" quat="0.8 0.6 0 0">
          <joint name="turn" axis="0 0.6 0.8" pos="0.01 0.02 0.03"/>
          <joint name="push" type="slide" axis="0 0.6 0.8"/>
          <geom type="box" size="0.05 0.06 0.07" pos="0.02 0 0" axisangle="1 1 0 40"/>
          <geom type="ellipsoid" size="0.05 0.04 0.03" pos="0 0 0.1" contype="0" conaffinity="0"/>
        </body>
      </body>
    </body>
    <body name="walker" pos="2 0 0.5">
      <joint name="root_x" type="slide" axis="1 0 0"/>
      <joint name="root_z" type="slide" axis="0 0 1" ref="0.5"/>
      <joint name="root_y" type="hinge" axis="0 1 0"/>
      <geom type="box" size="0.1 0.1 0.2" mass="3"/>
      <body name="leg" pos="0 0 -0.2" childclass="light">
        <joint name="hip" axis="0 1 0" ref="15" springref="5" stiffness="2"/>
        <geom type="capsule" fromto="0 0 0 0 0 -0.3" size="0.04"/>
        <body name="foot" pos="0 0 -0.3" xyaxes="0 1 0 -1 0 0">
          <inertial pos="0 0.05 0" mass="0.4" fullinertia="0.002 0.003 0.004 0.0001 0.0002 -0.0003"/>
          <joint name="ankle" type="slide" axis="0.6 0 0.8" range="-0.1 0.2" limited="true"/>
        </body>
      </body>
    </body>
    <body name="ball" pos="0 3 1" zaxis="1 1 1">
      <freejoint name="drop"/>
      <geom type="sphere" size="0.1"/>
      <body name="tail" pos="0 0 0.3">
        <joint name="socket" type="ball" pos="0 0 -0.1"/>
        <geom type="capsule" size="0.02 0.1"/>
      </body>
    </body>
  </worldbody>
</mujoco>
)";

}  // namespace clack::test
