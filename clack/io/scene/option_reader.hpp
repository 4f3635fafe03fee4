// Options of a scene by their descriptions (clack/core/option.hpp): keys, values, complaints.
#pragma once

#include "clack/core/option.hpp"
#include "clack/io/scene/vocabulary.hpp"
#include "clack/solve/options.hpp"

namespace clack {

// The value of an option; complains and returns nothing where it is not allowed. Not for lists.
std::optional<OptionValue> read_option(const Field& field, const OptionInfo& info,
                                       Vocabulary& vocabulary);

template <class Struct>
void add_keys(const OptionTable<Struct>& table, std::vector<std::string_view>& keys) {
  for (const Option<Struct>& option : table) keys.push_back(option.name);
}

// Reads what a map has of a table, but lists; what it does not have stays.
template <class Struct>
void read_options(const Field& map, const OptionTable<Struct>& table, Vocabulary& vocabulary,
                  Struct& options) {
  for (const Option<Struct>& option : table) {
    const auto field = option.kind == OptionKind::list ? std::nullopt : map.find(option.name);
    const auto value = field ? read_option(*field, option, vocabulary) : std::nullopt;
    if (value) option.set(options, *value);
  }
}

// The options that `solver` alone has, as text. Complains about those of other solvers and about
// keys that none has; `keys` are what every solver takes. An empty name: the solver is not known.
OptionSet read_own_options(const Field& map, const std::string& solver,
                           std::vector<std::string_view> keys, Vocabulary& vocabulary);

}  // namespace clack
