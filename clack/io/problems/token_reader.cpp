#include "clack/io/problems/token_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>

namespace clack {
namespace {

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// Tokens may be megabytes of garbage; messages must not.
std::string shown(std::string_view token) {
  constexpr std::size_t kLongest = 40;
  return token.size() <= kLongest ? std::string(token)
                                  : std::string(token.substr(0, kLongest)) + "...";
}

// Whether the whole token is a number; one that is out of a double's range becomes 0 or infinite.
bool parse_real(std::string_view token, double& value) {
  if (token.starts_with('+') && !token.starts_with("+-")) token.remove_prefix(1);
  const char* end = token.data() + token.size();
  const auto [stop, error] = std::from_chars(token.data(), end, value);
  if (stop != end || error == std::errc::invalid_argument) return false;
  if (error == std::errc::result_out_of_range) {
    value = std::strtod(std::string(token).c_str(), nullptr);
  }
  return true;
}

}  // namespace

void TokenReader::skip_space() {
  while (position_ < text_.size() && is_space(text_[position_])) ++position_;
}

bool TokenReader::at_end() {
  skip_space();
  return position_ == text_.size();
}

std::string_view TokenReader::peek(int ahead) {
  std::size_t begin = position_;
  for (;; --ahead) {
    while (begin < text_.size() && is_space(text_[begin])) ++begin;
    std::size_t end = begin;
    while (end < text_.size() && !is_space(text_[end])) ++end;
    if (ahead == 0 || end == begin) return text_.substr(begin, end - begin);
    begin = end;
  }
}

std::string_view TokenReader::next(std::string_view what) {
  skip_space();
  token_begin_ = position_;
  while (position_ < text_.size() && !is_space(text_[position_])) ++position_;
  if (position_ == token_begin_) fail(fmt::format("the file ends where {} is expected", what));
  return text_.substr(token_begin_, position_ - token_begin_);
}

double TokenReader::real(std::string_view what) {
  const std::string_view token = next(what);
  double value = 0;
  if (!parse_real(token, value)) {
    fail(fmt::format("'{}' is not a number; {} is expected", shown(token), what));
  }
  if (!std::isfinite(value)) {
    fail(fmt::format("{} is {}; only finite numbers are allowed", what, shown(token)));
  }
  return value;
}

int TokenReader::integer(std::string_view what, std::int64_t lowest, std::int64_t highest) {
  highest = std::min<std::int64_t>(highest, std::numeric_limits<int>::max());
  const std::string_view token = next(what);
  std::int64_t value = 0;
  const char* end = token.data() + token.size();
  const auto [stop, error] = std::from_chars(token.data(), end, value);
  if (error == std::errc::invalid_argument || stop != end) {
    fail(fmt::format("'{}' is not an integer; {} is expected", shown(token), what));
  }
  if (error != std::errc() || value < lowest || value > highest) {
    const auto allowed = lowest == highest
                             ? fmt::format("it must be {}", lowest)
                             : fmt::format("allowed here is {} to {}", lowest, highest);
    fail(fmt::format("{} is {}; {}", what, shown(token), allowed));
  }
  return static_cast<int>(value);
}

void TokenReader::expect(std::string_view token) {
  const std::string_view found = next(fmt::format("'{}'", token));
  if (found != token) fail(fmt::format("'{}' stands where '{}' is expected", shown(found), token));
}

std::string_view TokenReader::rest_of_line() {
  const std::size_t end = std::min(text_.find('\n', position_), text_.size());
  const std::string_view line = text_.substr(position_, end - position_);
  position_ = end;
  return line;
}

std::string_view TokenReader::rest() {
  skip_space();
  const std::string_view all = text_.substr(position_);
  position_ = text_.size();
  return all;
}

bool TokenReader::at_line_start() {
  skip_space();
  std::size_t k = position_;
  while (k > 0 && is_space(text_[k - 1])) {
    if (text_[--k] == '\n') return true;
  }
  return k == 0;
}

void TokenReader::require_room(std::int64_t count, std::string_view what) {
  if (count <= room()) return;
  fail(fmt::format("{} needs {} values, but the rest of the file has at most {}", what, count,
                   room()));
}

void TokenReader::fail(const std::string& message) const {
  const auto begin = text_.begin();
  const auto line = 1 + std::count(begin, begin + static_cast<std::ptrdiff_t>(token_begin_), '\n');
  const std::string context = context_.empty() ? "" : fmt::format(" ({})", context_);
  throw ParseError(fmt::format("{}:{}: {}{}", path_, line, message, context), token_begin_);
}

}  // namespace clack
