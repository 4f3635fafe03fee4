// The page of web/, as it was built with the program.
#pragma once

#include <string_view>

namespace clack::app {

// False where the program was built without it.
bool has_page_template();
// Throws InputError where the program was built without it.
std::string_view page_template();

}  // namespace clack::app
