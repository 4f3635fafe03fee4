#include "clack/solve/options.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <vector>

#include "clack/core/error.hpp"

namespace clack {
namespace {

template <class Number>
bool parse(const std::string& text, Number& value) {
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  return code == std::errc() && end == text.data() + text.size();
}

}  // namespace

const std::string* OptionReader::find(std::string_view key) {
  known_.emplace(key);
  const auto it = options_.find(key);
  return it == options_.end() ? nullptr : &it->second;
}

void OptionReader::refuse(std::string_view key, const std::string& value,
                          std::string_view allowed) const {
  throw InputError(fmt::format("{}: option {} = '{}' is not allowed; it must be {}", solver_, key,
                               value, allowed));
}

void OptionReader::read(std::string_view key, double& value) {
  const std::string* text = find(key);
  if (text && (!parse(*text, value) || !std::isfinite(value)))
    refuse(key, *text, "a finite number");
}

void OptionReader::read(std::string_view key, int& value) {
  const std::string* text = find(key);
  if (text && !parse(*text, value)) refuse(key, *text, "a whole number");
}

void OptionReader::read(std::string_view key, bool& value) {
  const std::string* text = find(key);
  if (!text) return;
  if (*text != "true" && *text != "false") refuse(key, *text, "true or false");
  value = *text == "true";
}

void OptionReader::read_choice(std::string_view key, std::initializer_list<std::string_view> words,
                               int& index) {
  const std::string* text = find(key);
  if (!text) return;
  std::string allowed = "one of:";
  int k = 0;
  for (std::string_view word : words) {
    if (*text == word) {
      index = k;
      return;
    }
    allowed += fmt::format(" {}", word);
    ++k;
  }
  refuse(key, *text, allowed);
}

void OptionReader::finish() const {
  for (const auto& [key, value] : options_) {
    if (known_.contains(key)) continue;
    std::string allowed;
    for (const std::string& name : known_) allowed += fmt::format(" {}", name);
    throw InputError(fmt::format("{}: unknown option '{}'; known:{}", solver_, key,
                                 allowed.empty() ? " none" : allowed));
  }
}

}  // namespace clack
