// Results as tables, numbers with 17 digits, so that they read back to the same values:
//
//   NAME.csv           a line a row: time, q and v of systems with coordinates, energies, solver,
//                      measures, numbers of the sample
//   NAME_bodies.csv    of rigid bodies: a line a row and body
//   NAME_contacts.csv  a line a row and contact
#pragma once

#include <cstdint>
#include <string>

namespace clack {

// Returns the number of rows written.
std::int64_t export_csv(const std::string& results, const std::string& csv, std::int64_t every = 1);

}  // namespace clack
