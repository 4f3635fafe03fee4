// An option described once: name, range, unit, meaning and who reads it, beside the member of a
// struct that holds it. From tables of such descriptions come the keys of scene files, of the command
// line and of Python, validation, what results say of a run, `clack list` and the tables of
// docs/scene.md.
#pragma once

#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "clack/core/types.hpp"

namespace clack {

enum class OptionKind { number, whole, flag, word, list };

// The numbers that are allowed; an open end is not one of them.
struct OptionRange {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool low_open = false, high_open = false;

  bool contains(double x) const {
    return (low_open ? x > low : x >= low) && (high_open ? x < high : x <= high);
  }
  static OptionRange above(double low) { return {.low = low, .low_open = true}; }
  static OptionRange from(double low) { return {.low = low}; }
  static OptionRange inside(double low, double high) { return {low, high, true, true}; }
};

// Nothing where an option is not given and the method chooses.
using OptionValue =
    std::variant<std::monostate, bool, long, double, std::string_view, std::vector<double>>;

struct OptionInfo {
  std::string_view name = {};
  OptionRange range = {};  // of a number, of a whole number, of each number of a list
  std::string_view unit = {};
  std::string_view meaning = {};               // one line
  std::string_view otherwise = {};             // what holds where it has no default of its own
  std::vector<std::string_view> readers = {};  // names of the schemes that read it; none: all
  bool may_be_infinite = false;                // in C++, for "no limit"
  std::vector<std::string_view> words = {};    // of a choice
  OptionKind kind = OptionKind::number;        // set by make_option

  // What is allowed, for messages: "a number in [0, 1]", "one of: forward, backward".
  std::string allowed() const;
  bool allows(const OptionValue& value) const;
  bool is_read_by(std::string_view reader) const;
};

// A value as files have it; "none" for one that is not given.
std::string option_text(const OptionValue& value);
// The value that a text stands for. Throws InputError, which begins with `owner`.
OptionValue parse_option(const OptionInfo& info, const std::string& text, std::string_view owner);
// Throws InputError, which begins with `owner`, where the value is not allowed.
void check_option(const OptionInfo& info, const OptionValue& value, std::string_view owner);

// An option and its place in a struct.
template <class Struct>
struct Option : OptionInfo {
  std::function<OptionValue(const Struct&)> get;
  std::function<void(Struct&, const OptionValue&)> set;  // the value must be allowed
};
template <class Struct>
using OptionTable = std::vector<Option<Struct>>;

// An option with the value that it has.
struct OptionState {
  OptionInfo info;
  OptionValue value;
};

// From the type of a member to kind and value, and back.
inline OptionValue to_option(double x) { return x; }
inline OptionValue to_option(int x) { return static_cast<long>(x); }
inline OptionValue to_option(bool x) { return x; }
inline OptionValue to_option(const std::optional<double>& x) {
  return x ? OptionValue(*x) : OptionValue();
}
inline OptionValue to_option(const Vector& x) { return std::vector<double>(x.begin(), x.end()); }
inline void from_option(const OptionValue& value, double& x) { x = std::get<double>(value); }
inline void from_option(const OptionValue& value, int& x) {
  x = static_cast<int>(std::get<long>(value));
}
inline void from_option(const OptionValue& value, bool& x) { x = std::get<bool>(value); }
inline void from_option(const OptionValue& value, std::optional<double>& x) {
  x = std::get<double>(value);
}
inline void from_option(const OptionValue& value, Vector& x) {
  const auto& numbers = std::get<std::vector<double>>(value);
  x = Eigen::Map<const Vector>(numbers.data(), std::ssize(numbers));
}
inline OptionKind option_kind(double) { return OptionKind::number; }
inline OptionKind option_kind(int) { return OptionKind::whole; }
inline OptionKind option_kind(bool) { return OptionKind::flag; }
inline OptionKind option_kind(const std::optional<double>&) { return OptionKind::number; }
inline OptionKind option_kind(const Vector&) { return OptionKind::list; }

// `member`: a pointer to a member, or a generic function that gives a reference to a part of one.
template <class Struct, class Member>
Option<Struct> make_option(OptionInfo info, Member member) {
  const Struct defaults{};
  info.kind = option_kind(std::invoke(member, defaults));
  constexpr double kMost = std::numeric_limits<int>::max();
  if (info.kind == OptionKind::whole && info.range.high > kMost) info.range.high = kMost;
  return {
      info, [=](const Struct& from) { return to_option(std::invoke(member, from)); },
      [=](Struct& to, const OptionValue& value) { from_option(value, std::invoke(member, to)); }};
}

// The same for an enumeration, or what is used as one, with words in its order.
template <class Struct, class Member>
Option<Struct> make_choice(OptionInfo info, std::vector<std::string_view> words, Member member) {
  info.kind = OptionKind::word;
  info.words = words;
  return {info,
          [=](const Struct& from) -> OptionValue {
            const auto index = static_cast<std::size_t>(std::invoke(member, from));
            return index < words.size() ? words[index] : std::string_view("unknown");
          },
          [=](Struct& to, const OptionValue& value) {
            auto& target = std::invoke(member, to);
            for (std::size_t i = 0; i < words.size(); ++i) {
              if (words[i] == std::get<std::string_view>(value))
                target = static_cast<std::decay_t<decltype(target)>>(i);
            }
          }};
}

// The options of a struct and of the one that it is derived from.
template <class Struct, class Base>
OptionTable<Struct> extend_options(const OptionTable<Base>& base, OptionTable<Struct> own) {
  OptionTable<Struct> all;
  for (const Option<Base>& option : base) all.push_back({option, option.get, option.set});
  all.insert(all.end(), own.begin(), own.end());
  return all;
}

// Throws InputError, which begins with `owner`, for the first value that is not allowed.
template <class Struct>
void validate_options(std::string_view owner, const OptionTable<Struct>& table,
                      const Struct& options) {
  for (const Option<Struct>& option : table) check_option(option, option.get(options), owner);
}

template <class Struct>
std::vector<OptionState> option_states(const OptionTable<Struct>& table, const Struct& options) {
  std::vector<OptionState> states;
  for (const Option<Struct>& option : table) states.push_back({option, option.get(options)});
  return states;
}

}  // namespace clack
