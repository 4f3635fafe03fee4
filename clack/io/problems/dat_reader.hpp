// Siconos text files.
#pragma once

#include <string>
#include <string_view>

#include "clack/problem/problem_data.hpp"

namespace clack {

// Reads the whole text as whichever kind of problem fits it to the last token. `path` is for
// messages. Throws InputError.
ProblemData parse_dat(std::string_view text, const std::string& path);

}  // namespace clack
