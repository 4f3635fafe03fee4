// The reference motion of a convergence study from a file: results.h5, or a table.
#pragma once

#include <string>

#include "clack/analyse/convergence.hpp"
#include "clack/io/scene/scene.hpp"

namespace clack {

// A table has a column `t` and the scene's names, or no heading and all coordinates and velocities
// in the order of the scene. Throws InputError where one that is observed is missing or the times
// do not cover the scene's, IoError where the file cannot be read.
ObservedMotion read_reference(const std::string& path, const Scene& scene,
                              const ObservedCoordinates& observed);

}  // namespace clack
