// What the generators require of their options; all throw InputError with the field, its value and
// what is allowed.
#pragma once

#include <string_view>

#include "clack/model/shapes/bounding_box.hpp"
#include "clack/model/shapes/checks.hpp"

namespace clack::samples {

using shapes::require_not_negative, shapes::require_positive;

void require_at_least(long value, long least, std::string_view field, std::string_view sample);
void require_dim(int dim, std::string_view sample);
void require_finite(double value, std::string_view field, std::string_view sample);
// low <= value <= high
void require_between(double value, double low, double high, std::string_view field,
                     std::string_view sample);
// Finite and with lower < upper; in the plane z is not read.
void require_box(const BoundingBox& box, int dim, std::string_view sample);

// Volume of a box, in the plane its area.
double box_volume(const BoundingBox& box, int dim);

}  // namespace clack::samples
