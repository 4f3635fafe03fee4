// Generators of bodies in a scene: `sample: {lattice: {...}}`.
#pragma once

#include <optional>

#include "clack/io/scene/shape_reader.hpp"
#include "clack/model/samples/sample.hpp"

namespace clack {

// `shape` is that of the entry, for the generators that place a given shape. Empty after a
// complaint.
Sample read_sample(const Field& field, const std::optional<Field>& shape, ShapeReader& shapes,
                   Vocabulary& vocabulary);

}  // namespace clack
