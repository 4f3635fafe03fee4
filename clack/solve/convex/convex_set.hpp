// Closed convex sets on which quadratic functions are minimised, products over the contacts.
#pragma once

#include <span>

#include "clack/core/cone.hpp"
#include "clack/core/types.hpp"

namespace clack {

class ConvexSet {
 public:
  virtual ~ConvexSet() = default;
  // x <- proj(x), m values.
  virtual void project(Vector& x) const = 0;
};

// K, the product of the cones.
class ConeSet final : public ConvexSet {
 public:
  ConeSet(std::span<const Cone> cones, std::span<const int> offset)
      : cones_(cones), offset_(offset) {}
  void project(Vector& x) const override;

 private:
  std::span<const Cone> cones_;
  std::span<const int> offset_;
};

// Cylinders with given radii (eq:cylinder): r_N >= 0, |r_i| <= mu_i theta_c for every disc i of
// contact c; bilateral rows are free. Normal or tangential parts may be frozen at given values,
// which leaves a problem in the other part alone.
class CylinderSet final : public ConvexSet {
 public:
  enum class Frozen { nothing, normal, tangential };
  CylinderSet(std::span<const Cone> cones, std::span<const int> offset)
      : cones_(cones), offset_(offset) {}
  // theta: one value >= 0 a contact; values: m, read where a part is frozen. Both must outlive use.
  void set(const Vector& theta, Frozen frozen, const Vector* values);
  void project(Vector& x) const override;

 private:
  void project_contact(int contact, double* x) const;

  std::span<const Cone> cones_;
  std::span<const int> offset_;
  const Vector* theta_ = nullptr;
  const Vector* values_ = nullptr;
  Frozen frozen_ = Frozen::nothing;
};

}  // namespace clack
