// The `exact:` part of a scene: the motion in closed form.
#pragma once

#include "clack/io/scene/system_reader.hpp"
#include "clack/model/exact_motion.hpp"

namespace clack {

// Empty after a complaint.
ExactMotion read_exact(const Field& field, Vocabulary& vocabulary, const NamedSystem& named);

}  // namespace clack
