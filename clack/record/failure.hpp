// What is not finite after a step that has failed, in words.
#pragma once

#include <string>

#include "clack/io/scene/scene.hpp"

namespace clack {

std::string describe_failure(const Scene& scene, const Step& step);

}  // namespace clack
