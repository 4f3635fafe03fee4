// What acts on the coordinates of a joint of a scene: limits, springs, rotors, motors, drives, servos,
// friction.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "clack/io/scene/vocabulary.hpp"
#include "clack/model/bodies/rigid_world.hpp"

namespace clack {

class JointElementReader {
 public:
  // The joint's kind, bodies and frames are known; its bodies are in the world.
  JointElementReader(const Field& field, const RigidWorld& world, Vocabulary& vocabulary,
                     Joint& joint);

  // Adds what the field says.
  void read();
  // The same in place of what the joint has of the same kinds; the field may say nothing else.
  void replace();

 private:
  // Calls read(map, coordinate) for one map, or each of a list of maps.
  template <class Read>
  void for_each(const char* key, const std::vector<std::string_view>& keys, Read&& read);
  std::optional<int> read_coordinate(const Field& item);
  void read_springs();
  void read_spring(const Field& item);
  void read_spring_matrix(const Field& item);
  void read_armature();
  bool is_accelerated_from_outside() const;
  void read_control();
  void read_drive(const Field& item, int k);
  void read_servo(const Field& item, int k);
  void check_drives();
  void read_friction();
  void read_friction_radius(const Field& item, JointFriction& friction);
  void read_limit(const Field& item, int k);
  void number(const Field& map, const char* key, const Range& range, double& value);
  JointFunction read_function(const Field& field, bool of_state);

  const Field& field_;
  const RigidWorld& world_;
  Vocabulary& vocabulary_;
  Joint& joint_;
  std::vector<JointCoordinate> coordinates_;
};

}  // namespace clack
