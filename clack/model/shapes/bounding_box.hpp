// Boxes along the axes.
#pragma once

#include <limits>

#include "clack/model/pose.hpp"

namespace clack {

struct BoundingBox {
  Vector3 lower = Vector3::Constant(std::numeric_limits<double>::infinity());  // [m]
  Vector3 upper = Vector3::Constant(-std::numeric_limits<double>::infinity());

  void include(const Vector3& point) {
    lower = lower.cwiseMin(point);
    upper = upper.cwiseMax(point);
  }
  void include(const BoundingBox& other) {
    lower = lower.cwiseMin(other.lower);
    upper = upper.cwiseMax(other.upper);
  }
  bool overlaps(const BoundingBox& other) const {
    return lower.x() <= other.upper.x() && other.lower.x() <= upper.x() &&
           lower.y() <= other.upper.y() && other.lower.y() <= upper.y() &&
           lower.z() <= other.upper.z() && other.lower.z() <= upper.z();
  }
  BoundingBox grown(double margin) const {
    return {lower.array() - margin, upper.array() + margin};
  }
  bool is_bounded() const { return lower.allFinite() && upper.allFinite(); }
  Vector3 centre() const { return 0.5 * (lower + upper); }
  Vector3 half() const { return 0.5 * (upper - lower); }
  // The box around this one after a motion.
  BoundingBox moved(const Pose& pose) const {
    const Vector3 middle = pose * centre();
    const Vector3 reach = pose.rotation.cwiseAbs() * half();
    return {middle - reach, middle + reach};
  }
};

}  // namespace clack
