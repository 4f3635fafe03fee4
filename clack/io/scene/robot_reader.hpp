// `robots:` of a scene of rigid bodies: files of robots that stand in it, docs/robots.md.
#pragma once

#include <memory>
#include <vector>

#include "clack/io/robots/robot.hpp"
#include "clack/io/scene/world_reader.hpp"

namespace clack {

// Each robot becomes the text of a scene's parts, which are read as those of the scene are, with
// the names of the scene; so nothing about bodies and joints exists twice.
class RobotReader {
 public:
  RobotReader(Vocabulary& vocabulary, ShapeReader& shapes, NamedWorld& out)
      : vocabulary_(vocabulary), shapes_(shapes), out_(out) {}

  void read_files(const Field& list);
  // The lists of the robots' bodies, to be read as those of the scene.
  std::vector<Field> bodies();
  void read_joints();    // after the bodies
  void read_couplers();  // after all joints

 private:
  struct Entry {
    Field field;
    std::string prefix;
    Robot robot;
    std::unique_ptr<Document> document;
  };
  void read_entry(const Field& field, std::size_t index);
  void read_drives(Entry& entry);
  void set_efforts(Entry& entry);
  Joint* find_joint(const std::string& name);
  void pass_on(Entry& entry) const;

  Vocabulary& vocabulary_;
  ShapeReader& shapes_;
  NamedWorld& out_;
  std::vector<Entry> entries_;
};

}  // namespace clack
