// Siconos text files.
#pragma once

#include <string>

#include "clack/problem/problem_data.hpp"

namespace clack {

// How W of a friction problem in reduced form is stored.
enum class DatStorage { blocks, dense };

// The text of a .dat file, numbers with 17 digits: friction problems (all contacts of one
// dimension) with W as `storage` says or sparse M and H, complementarity problems with dense M.
// Throws InputError for a mixture of cones that the format has no place for, see fits_dat.
std::string format_dat(const ProblemData& problem, DatStorage storage = DatStorage::blocks);

// Whether the format has a place for these cones: contacts of one dimension with Coulomb's or
// rolling friction, or a complementarity problem in reduced form.
bool fits_dat(const ProblemData& problem);

}  // namespace clack
