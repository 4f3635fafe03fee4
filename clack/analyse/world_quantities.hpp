// Values of the quantities that formulas of a world's measures name.
#pragma once

#include <vector>

#include "clack/integrate/world_simulation.hpp"
#include "clack/model/bodies/world_quantity.hpp"

namespace clack {

// values[i] belongs to quantities[i]. Forces and measures of contacts are those of the last step;
// before the first they are zero or not a number.
void compute_quantities(const std::vector<WorldQuantity>& quantities,
                        const WorldSimulation& simulation, VectorRef values);

// How a contact ended the last step.
ContactStatus contact_status(const WorldSimulation& simulation, std::size_t contact);

// In the order of sample_quantity_list().
std::vector<double> compute_sample_quantities(const WorldSimulation& simulation);

}  // namespace clack
