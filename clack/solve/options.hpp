// Options of a solver given as text, `name=value`, as scenes and the command line have them.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "clack/core/option.hpp"

namespace clack {

using OptionSet = std::map<std::string, std::string, std::less<>>;

// Throws InputError for a name that is none of the known ones.
[[noreturn]] void refuse_option(std::string_view solver, std::string_view name,
                                const std::vector<std::string_view>& known);

// Writes what is given into the members that the table names. Throws InputError for names that it
// does not have and for values that are not allowed.
template <class Struct>
void set_options(std::string_view solver, const OptionTable<Struct>& table, const OptionSet& given,
                 Struct& options) {
  std::vector<std::string_view> known;
  for (const Option<Struct>& option : table) {
    known.push_back(option.name);
    const auto it = given.find(option.name);
    if (it != given.end()) option.set(options, parse_option(option, it->second, solver));
  }
  for (const auto& [name, value] : given) {
    if (std::find(known.begin(), known.end(), name) == known.end())
      refuse_option(solver, name, known);
  }
}

}  // namespace clack
