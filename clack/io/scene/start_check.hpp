// What only the assembled scene can tell: a scheme that takes the system, a start that fits.
#pragma once

#include "clack/io/scene/field.hpp"
#include "clack/io/scene/scene.hpp"

namespace clack {

// Complains in the document about the start of a scene with coordinates; adds to scene.remarks.
void check_start(const Field& root, Document& document, Scene& scene);

// A closed form of another start is a slip that no convergence study would explain: complains.
void check_exact(const Field& root, const Scene& scene);

}  // namespace clack
