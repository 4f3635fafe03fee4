#include "clack/core/option.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "clack/core/error.hpp"

namespace clack {
namespace {

std::string join(const std::vector<std::string_view>& words) {
  std::string text;
  for (const std::string_view word : words)
    text += fmt::format("{}{}", text.empty() ? "" : ", ", word);
  return text;
}

std::string allowed_numbers(const OptionRange& range) {
  const bool low = std::isfinite(range.low), high = std::isfinite(range.high);
  if (!low && !high) return "a finite number";
  if (!high) return fmt::format("a number {} {:g}", range.low_open ? ">" : ">=", range.low);
  return fmt::format("a number in {}{:g}, {:g}{}", range.low_open ? '(' : '[', range.low,
                     range.high, range.high_open ? ')' : ']');
}

template <class Number>
bool parse_number(const std::string& text, Number& value) {
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  return code == std::errc() && end == text.data() + text.size();
}

// Nothing where the text is no value of this kind.
OptionValue parse_value(const OptionInfo& info, const std::string& text) {
  double number = 0;
  long whole = 0;
  switch (info.kind) {
    case OptionKind::number:
      return parse_number(text, number) ? OptionValue(number) : OptionValue();
    case OptionKind::whole:
      return parse_number(text, whole) ? OptionValue(whole) : OptionValue();
    case OptionKind::flag:
      return text == "true" || text == "false" ? OptionValue(text == "true") : OptionValue();
    case OptionKind::word: {
      const auto word = std::find(info.words.begin(), info.words.end(), text);
      return word == info.words.end() ? OptionValue() : OptionValue(*word);
    }
    case OptionKind::list:
      break;
  }
  return {};
}

}  // namespace

std::string OptionInfo::allowed() const {
  switch (kind) {
    case OptionKind::number:
      return allowed_numbers(range);
    case OptionKind::whole:
      return fmt::format("a whole number from {:.0f} to {:.0f}", range.low, range.high);
    case OptionKind::flag:
      return "true or false";
    case OptionKind::word:
      return "one of: " + join(words);
    case OptionKind::list:
      break;
  }
  return "a list, each of it " + allowed_numbers(range);
}

bool OptionInfo::allows(const OptionValue& value) const {
  const auto good = [&](double x) {
    return (std::isfinite(x) || (may_be_infinite && x > 0)) && range.contains(x);
  };
  if (const auto* number = std::get_if<double>(&value)) return good(*number);
  if (const auto* whole = std::get_if<long>(&value)) return good(static_cast<double>(*whole));
  if (const auto* numbers = std::get_if<std::vector<double>>(&value))
    return std::all_of(numbers->begin(), numbers->end(), good);
  if (const auto* word = std::get_if<std::string_view>(&value))
    return std::find(words.begin(), words.end(), *word) != words.end();
  return true;
}

bool OptionInfo::is_read_by(std::string_view reader) const {
  return readers.empty() || std::find(readers.begin(), readers.end(), reader) != readers.end();
}

std::string option_text(const OptionValue& value) {
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
  if (const auto* whole = std::get_if<long>(&value)) return fmt::format("{}", *whole);
  if (const auto* number = std::get_if<double>(&value)) return fmt::format("{}", *number);
  if (const auto* word = std::get_if<std::string_view>(&value)) return std::string(*word);
  const auto* numbers = std::get_if<std::vector<double>>(&value);
  if (!numbers) return "none";
  std::string text;
  for (const double x : *numbers) text += fmt::format("{}{}", text.empty() ? "" : ", ", x);
  return "[" + text + "]";
}

OptionValue parse_option(const OptionInfo& info, const std::string& text, std::string_view owner) {
  OptionValue value = parse_value(info, text);
  if (!std::holds_alternative<std::monostate>(value) && info.allows(value)) return value;
  throw InputError(fmt::format("{}: option {} = '{}' is not allowed; it must be {}", owner,
                               info.name, text, info.allowed()));
}

void check_option(const OptionInfo& info, const OptionValue& value, std::string_view owner) {
  if (info.allows(value)) return;
  throw InputError(fmt::format("{}: {} is {}; it must be {}", owner, info.name, option_text(value),
                               info.allowed()));
}

}  // namespace clack
