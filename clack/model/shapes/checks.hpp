// What the constructors of shapes require of their numbers; all throw InputError.
#pragma once

#include <span>
#include <string_view>

#include "clack/model/pose.hpp"

namespace clack::shapes {

void require_positive(double value, std::string_view field, std::string_view shape);
void require_not_negative(double value, std::string_view field, std::string_view shape);
void require_finite(std::span<const Vector3> points, std::string_view shape);

}  // namespace clack::shapes
