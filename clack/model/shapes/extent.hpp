// The size of a shape as one number.
#pragma once

#include "clack/model/shapes/shape.hpp"

namespace clack {

// Half of the longest side of its bounding box, the radius of a ball; 0 for one without bounds [m].
inline double half_extent(const Shape& shape) {
  if (!shape.bounds().is_bounded()) return 0;
  return 0.5 * (shape.bounds().upper - shape.bounds().lower).maxCoeff();
}

}  // namespace clack
