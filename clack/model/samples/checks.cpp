#include "clack/model/samples/checks.hpp"

#include <fmt/format.h>

#include <cmath>

#include "clack/core/error.hpp"

namespace clack::samples {

void require_at_least(long value, long least, std::string_view field, std::string_view sample) {
  if (value >= least) return;
  throw InputError(
      fmt::format("{} of the {} is {}; it must be >= {}", field, sample, value, least));
}

void require_dim(int dim, std::string_view sample) {
  if (dim == 2 || dim == 3) return;
  throw InputError(fmt::format("dim of the {} is {}; it must be 2 or 3", sample, dim));
}

void require_finite(double value, std::string_view field, std::string_view sample) {
  if (std::isfinite(value)) return;
  throw InputError(fmt::format("{} of the {} is {}; it must be finite", field, sample, value));
}

void require_between(double value, double low, double high, std::string_view field,
                     std::string_view sample) {
  if (value >= low && value <= high) return;
  throw InputError(
      fmt::format("{} of the {} is {}; it must lie in [{}, {}]", field, sample, value, low, high));
}

void require_box(const BoundingBox& box, int dim, std::string_view sample) {
  for (int i = 0; i < dim; ++i) {
    if (std::isfinite(box.lower[i]) && std::isfinite(box.upper[i]) && box.lower[i] < box.upper[i])
      continue;
    throw InputError(
        fmt::format("box of the {} goes from {} to {} along {}; both must be finite "
                    "and lower < upper",
                    sample, box.lower[i], box.upper[i], "xyz"[i]));
  }
}

double box_volume(const BoundingBox& box, int dim) {
  const Vector3 size = box.upper - box.lower;
  return dim == 2 ? size.x() * size.y() : size.prod();
}

}  // namespace clack::samples
