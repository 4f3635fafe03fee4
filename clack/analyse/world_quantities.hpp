// Values of the quantities that formulas of a world's measures name.
#pragma once

#include <span>
#include <vector>

#include "clack/analyse/sample_measures.hpp"
#include "clack/model/bodies/world_quantity.hpp"

namespace clack {

// Of all contacts on a body, mean over the last step; the torque about its centre at the step's
// start.
struct ContactResultant {
  Vector3 force = Vector3::Zero();   // [N]
  Vector3 torque = Vector3::Zero();  // [N m]
};
ContactResultant compute_resultant(const BodyReading& reading, int body);

// values[i] belongs to quantities[i]. Forces and measures of contacts are those of the last step;
// before the first they are zero or not a number. `works`: of the drives of joints so far [J].
void compute_quantities(const std::vector<WorldQuantity>& quantities, const BodyReading& reading,
                        const SampleMeasures& sample, VectorRef values,
                        std::span<const double> works = {});

}  // namespace clack
