// Options with their values as JSON, as results and summaries carry them.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "clack/core/option.hpp"

namespace clack {

// By name, with a prefix; null where an option was left to the method or has no limit.
nlohmann::json options_json(const std::vector<OptionState>& options,
                            const std::string& prefix = "");

}  // namespace clack
