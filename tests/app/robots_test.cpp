// Robots through the program: convert, check, run.
#include <gtest/gtest.h>

#include "program.hpp"

namespace clack::test {
namespace {

const std::string kArm = CLACK_SOURCE_DIR "/examples/robots/arm.urdf";

TEST(RobotProgram, converts_a_robot_to_a_scene_and_says_what_it_left_out) {
  const Folder folder;
  const std::string scene = folder.file("arm.yaml");
  const Outcome outcome = run_clack({"convert", kArm, scene, "--start", "pitch=0.5"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("10 bodies, 9 joints, 1 couplers"), std::string::npos);
  EXPECT_NE(outcome.out.find("arm.urdf:10: ignored: <visual>"), std::string::npos);
  const std::string text = read_text(scene);
  EXPECT_NE(text.find("arm.urdf:10: ignored: <visual>"), std::string::npos);  // as a comment
  EXPECT_NE(text.find("start: 0.5"), std::string::npos);
  EXPECT_EQ(run_clack({"check", scene}).status, 0);
}

TEST(RobotProgram, checks_and_runs_a_robot_as_it_is) {
  const Folder folder;
  const Outcome checked = run_clack({"check", kArm});
  EXPECT_EQ(checked.status, 0) << checked.err;
  EXPECT_NE(checked.out.find("good. 10 bodies"), std::string::npos);
  EXPECT_NE(checked.out.find("ignored: 'velocity' of <limit>"), std::string::npos);
  const Outcome run =
      run_clack({"run", kArm, "-o", folder.file("out"), "--set", "simulation.end=0.05"});
  EXPECT_EQ(run.status, 0) << run.err;
}

TEST(RobotProgram, refuses_bad_robots_and_options_with_status_2) {
  const Folder folder;
  const std::string scene = folder.file("x.yaml");
  const std::string bad = folder.write(
      "bad.urdf", "<robot name=\"r\">\n<link name=\"a\"/>\n<link name=\"b\"/></robot>");
  const Outcome two_roots = run_clack({"convert", bad, scene});
  EXPECT_EQ(two_roots.status, 2);
  EXPECT_NE(two_roots.err.find("bad.urdf:3:1: link 'b': has no parent"), std::string::npos)
      << two_roots.err;
  EXPECT_EQ(run_clack({"convert", folder.write("a.urdf.xacro", "<robot><xacro:x/></robot>"), scene})
                .status,
            2);
  EXPECT_EQ(run_clack({"convert", kArm, folder.file("x.csv")}).status, 2);
  EXPECT_EQ(run_clack({"convert", kArm, scene, "--start", "pitch"}).status, 2);
  EXPECT_EQ(run_clack({"convert", kArm, scene, "--start", "pitch=a"}).status, 2);
  EXPECT_EQ(run_clack({"convert", kArm, scene, "--package", "x"}).status, 2);
  EXPECT_EQ(run_clack({"convert", kArm, scene, "--start", "pitch=9"}).status, 2);
  EXPECT_EQ(run_clack({"convert", folder.file("none.urdf"), scene}).status, 3);
}

}  // namespace
}  // namespace clack::test
