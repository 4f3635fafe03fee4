// Shapes and poses of a scene: `{box: {size: [1, 2, 3]}}`, docs/scene.md.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "clack/core/formula/tape.hpp"
#include "clack/io/scene/vocabulary.hpp"
#include "clack/model/shapes/shape.hpp"

namespace clack {

class ShapeReader {
 public:
  // Files of meshes and terrain are looked up beside the scene.
  ShapeReader(Vocabulary& vocabulary, std::string folder, bool planar)
      : vocabulary_(vocabulary), folder_(std::move(folder)), planar_(planar) {}

  // The map `shapes:` of names.
  void read_named(const Field& field);
  // A name of `shapes:`, or a map with the kind as its only key. Null after a complaint.
  ShapePtr read(const Field& field);

  // `position:` and `rotation:` of a map: in space {axis, angle} or a quaternion [w, x, y, z], in
  // the plane an angle.
  Pose read_pose(const Field& field);
  // Three numbers in space; in the plane two, and z = 0.
  std::optional<Vector3> point(const Field& field);
  bool planar() const { return planar_; }
  const std::string& folder() const { return folder_; }

 private:
  ShapePtr read_kind(const std::string& kind, const Field& field);
  ShapePtr read_ball(const Field& field);
  ShapePtr read_capsule(const Field& field);
  ShapePtr read_round(const std::string& kind, const Field& field);
  ShapePtr read_hollow(const std::string& kind, const Field& field);
  ShapePtr read_gear(const Field& field);
  ShapePtr read_half_space(const Field& field);
  ShapePtr read_box(const Field& field);
  ShapePtr read_segment(const Field& field);
  ShapePtr read_hull(const Field& field);
  ShapePtr read_compound(const Field& field);
  ShapePtr read_mesh_file(const Field& field);
  Vector3 read_scale(const Field& mesh);
  ShapePtr read_height_field(const Field& field);
  std::vector<double> read_heights(const Field& field, int nx, int ny, double dx, double dy);
  std::vector<double> read_height_table(const Field& file, int nx, int ny);
  Matrix3 read_rotation(const Field& field);
  std::optional<double> length(const Field& field, const char* key);
  double rounding(const Field& field);
  std::vector<Vector3> points(const Field& field);

  Vocabulary& vocabulary_;
  std::string folder_;
  bool planar_;
  std::map<std::string, ShapePtr> named_;
};

// The six functions of time that a map's keys `first` and `second` give, a list of formulas of `t`
// each (in the plane two and one); those left out are zero.
std::shared_ptr<const formula::Tape> read_time_functions(const Field& field, const char* first,
                                                         const char* second, bool planar,
                                                         Vocabulary& vocabulary);

}  // namespace clack
