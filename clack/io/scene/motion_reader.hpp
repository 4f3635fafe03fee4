// Motions of driven bodies from files of numbers.
#pragma once

#include <memory>

#include "clack/io/scene/shape_reader.hpp"
#include "clack/model/bodies/body_functions.hpp"

namespace clack {

// The file that a scene names, from its folder; null after a complaint.
std::shared_ptr<const TimeTable> read_motion_table(const Field& field, const ShapeReader& shapes);

}  // namespace clack
