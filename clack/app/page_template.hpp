// The page of web/, as it was built with the program.
#pragma once

#include <string_view>

namespace clack::app {

// Throws InputError where the program was built without it.
std::string_view page_template();

}  // namespace clack::app
