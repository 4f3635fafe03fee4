// Bodies that have left a scene for good.
#pragma once

#include <string>
#include <vector>

#include "clack/integrate/body_reading.hpp"

namespace clack {

// Free bodies that fall, touch nothing and are far below every body that could catch them, by name.
// None in a scene in which nothing is fixed or driven: there bodies are meant to fly.
std::vector<std::string> find_lost_bodies(const BodyReading& reading);

}  // namespace clack
