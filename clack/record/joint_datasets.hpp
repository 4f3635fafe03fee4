// What results say of joints and links that does not change (docs/results.md).
#pragma once

#include <span>

#include "clack/io/results/rows.hpp"
#include "clack/model/system.hpp"

namespace clack {

// Adds /joints/name and what stands beside it: kinds, bodies, frames [m], whether reactions are unique
// (all but those of the joints `shared_loads`), and the places of the coordinates in q. Nothing where the system has neither joints nor links.
void add_joint_datasets(const System& system, std::span<const int> shared_loads,
                        ResultsHeader& header);

}  // namespace clack
