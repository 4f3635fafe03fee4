#include "clack/model/shapes/checks.hpp"

#include <fmt/format.h>

#include <cmath>

#include "clack/core/error.hpp"

namespace clack::shapes {

void require_positive(double value, std::string_view field, std::string_view shape) {
  if (value > 0 && std::isfinite(value)) return;
  throw InputError(
      fmt::format("{} of the {} is {}; it must be finite and > 0", field, shape, value));
}

void require_not_negative(double value, std::string_view field, std::string_view shape) {
  if (value >= 0 && std::isfinite(value)) return;
  throw InputError(
      fmt::format("{} of the {} is {}; it must be finite and >= 0", field, shape, value));
}

void require_finite(std::span<const Vector3> points, std::string_view shape) {
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (points[i].allFinite()) continue;
    throw InputError(fmt::format("vertex {} of the {} is ({}, {}, {}); it must be finite", i, shape,
                                 points[i].x(), points[i].y(), points[i].z()));
  }
}

}  // namespace clack::shapes
