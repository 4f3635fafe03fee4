// Bodies made by a generator: shapes and poses, without materials and names. In space gravity is
// along -z; in the plane (x, y) along -y.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "clack/model/shapes/shape.hpp"

namespace clack {

struct SampleBody {
  ShapePtr shape;
  Pose pose;           // of the shape's frame
  std::string suffix;  // appended to the entry's name: "3", "course2_4"
  bool fixed = false;  // walls, foundations
};
using Sample = std::vector<SampleBody>;

// All bodies by one motion.
void move_sample(Sample& sample, const Pose& motion);

struct SampleInfo {
  std::string_view name, summary;
};
std::span<const SampleInfo> sample_list();

}  // namespace clack
