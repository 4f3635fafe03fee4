// Help for a name that is not known.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace clack::formula {

// The candidate nearest to the name in edits (insert, delete, replace, swap of neighbours), the
// first of equals; empty if none is near enough to be a likely misspelling.
std::string_view nearest(std::string_view name, std::span<const std::string_view> candidates);

// "a, b, c", cut with ", ..." after 20 names; "none" for an empty list.
std::string list_names(std::span<const std::string_view> names);

}  // namespace clack::formula
