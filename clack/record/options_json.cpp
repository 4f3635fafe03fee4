#include "clack/record/options_json.hpp"

#include <cmath>

namespace clack {
namespace {

nlohmann::json value_json(const OptionValue& value) {
  if (const auto* flag = std::get_if<bool>(&value)) return *flag;
  if (const auto* whole = std::get_if<long>(&value)) return *whole;
  if (const auto* word = std::get_if<std::string_view>(&value)) return *word;
  if (const auto* numbers = std::get_if<std::vector<double>>(&value)) return *numbers;
  const auto* number = std::get_if<double>(&value);
  return number && std::isfinite(*number) ? nlohmann::json(*number) : nlohmann::json();
}

}  // namespace

nlohmann::json options_json(const std::vector<OptionState>& options, const std::string& prefix) {
  nlohmann::json json = nlohmann::json::object();
  for (const OptionState& option : options)
    json[prefix + std::string(option.info.name)] = value_json(option.value);
  return json;
}

}  // namespace clack
