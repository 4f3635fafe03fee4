// What only the assembled scene can tell: a scheme that takes the system, a start that fits.
#pragma once

#include "clack/io/scene/field.hpp"
#include "clack/io/scene/scene.hpp"

namespace clack {

// Complains in the document about the start of a scene with coordinates; adds to scene.remarks.
void check_start(const Field& root, Document& document, Scene& scene);

}  // namespace clack
