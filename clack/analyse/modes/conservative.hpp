// What modes with a contact in closed form ask of a system.
#pragma once

#include <string>

#include "clack/model/system.hpp"

namespace clack {

// Throws InputError, beginning with `what`, unless the system is linear, undamped, not driven and
// its contact is one-sided, without friction.
void check_conservative(const System& system, int contact, const std::string& what);

}  // namespace clack
