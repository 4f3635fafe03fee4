#include "clack/io/scene/vocabulary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>

#include "clack/io/scene/scene_text.hpp"

namespace clack {

namespace {

std::vector<std::string> identifiers_of(const Field& field) {
  if (!field.is_scalar()) return {};
  try {
    return formula::identifiers(*field.text());
  } catch (const formula::ParseError&) {  // number() says what is wrong
    return {};
  }
}

// Evaluates parameters when all that they depend on is known.
class ParameterReader {
 public:
  explicit ParameterReader(Vocabulary& vocabulary) : vocabulary_(vocabulary) {}

  void read(const Field& field) {
    for (const Entry& entry : field.entries()) {
      if (!vocabulary_.check_name(entry.name, entry.key)) continue;
      waiting_.emplace(entry.key, Parameter{entry.value, identifiers_of(entry.value), {}, 0});
    }
    link();
    while (!waiting_.empty()) {
      if (ready_.empty()) {
        break_cycle();
        continue;
      }
      const std::string name = ready_.back();
      ready_.pop_back();
      settle(name, vocabulary_.number(waiting_.at(name).value).value_or(1.0));
    }
  }

 private:
  struct Parameter {
    Field value;
    std::vector<std::string> needs, users;  // names
    int open;                               // of the needs, those that wait as well
  };

  void link() {
    for (auto& [name, parameter] : waiting_) {
      for (const std::string& need : parameter.needs) {
        const auto found = waiting_.find(need);
        if (found == waiting_.end()) continue;
        ++parameter.open;
        found->second.users.push_back(name);
      }
      if (parameter.open == 0) ready_.push_back(name);
    }
  }

  void settle(const std::string& name, double value) {
    vocabulary_.parameters[name] = vocabulary_.names[name] = vocabulary_.graph.constant(value);
    const std::vector<std::string> users = waiting_.at(name).users;
    waiting_.erase(name);
    for (const std::string& user : users) {
      const auto found = waiting_.find(user);
      if (found != waiting_.end() && --found->second.open == 0) ready_.push_back(user);
    }
  }

  // Complains about a cycle and gives one of its members a value, so that the others are read too.
  void break_cycle() {
    std::vector<std::string> path = {waiting_.begin()->first};
    std::set<std::string> seen;
    while (seen.insert(path.back()).second) {
      const std::vector<std::string>& needs = waiting_.at(path.back()).needs;
      path.push_back(*std::find_if(needs.begin(), needs.end(), [&](const std::string& need) {
        return waiting_.contains(need);
      }));
    }
    path.erase(path.begin(), std::find(path.begin(), path.end(), path.back()));
    constexpr std::size_t kLongest = 10;
    std::string text = path[0];
    for (std::size_t i = 1; i < std::min(path.size(), kLongest); ++i) text += " -> " + path[i];
    if (path.size() > kLongest) text += " -> ...";
    waiting_.at(path[0]).value.complain(fmt::format("depends on itself: {}", text));
    settle(path[0], 1.0);
  }

  Vocabulary& vocabulary_;
  std::map<std::string, Parameter> waiting_;
  std::vector<std::string> ready_;
};

}  // namespace

bool Vocabulary::check_name(const Field& field, const std::string& name) const {
  bool plain = false;
  try {
    const std::vector<std::string> found = formula::identifiers(name);
    plain = found.size() == 1 && found[0] == name;
  } catch (const formula::ParseError&) {
    plain = false;
  }
  if (plain && name != "t" && name != "slip") return true;
  field.complain(
      fmt::format("'{}' cannot be a name: use letters, digits and _, a letter first; "
                  "not a function, not t, pi or slip",
                  shorten(name)));
  return false;
}

bool Vocabulary::add(const Field& field, const std::string& name, formula::Expr e) {
  if (!check_name(field, name)) return false;
  if (names.contains(name)) {
    field.complain(fmt::format("the name '{}' is taken already", name));
    return false;
  }
  names[name] = e;
  return true;
}

bool Vocabulary::read_parameters(const Field& field) {
  if (!field.expect_free_map()) return false;
  ParameterReader(*this).read(field);
  return true;
}

std::optional<formula::Expr> Vocabulary::formula(const Field& field, const formula::Names& allowed,
                                                 std::string_view what) {
  const std::optional<std::string> text = field.text(what.empty() ? "a formula" : what);
  if (!text) return std::nullopt;
  try {
    return formula::parse(graph, *text, allowed);
  } catch (const formula::ParseError& error) {
    field.complain(what.empty() ? error.what()
                                : fmt::format("{}; expected {}", error.what(), what));
    return std::nullopt;
  }
}

namespace {

// "-1 is not allowed", "'1/0' is infinite": what a formula gave, with the formula if there was one.
std::string describe_value(const std::string& text, double value) {
  if (std::isnan(value)) return fmt::format("'{}' is not a number", shorten(text));
  if (std::isinf(value)) return fmt::format("'{}' is infinite", shorten(text));
  const std::string digits = fmt::format("{}", value);
  return digits == text ? digits + " is not allowed"
                        : fmt::format("'{}' is {}", shorten(text), digits);
}

}  // namespace

std::optional<double> Vocabulary::number(const Field& field, const Range& range) {
  const std::optional<formula::Expr> e = formula(field, parameters, range.words);
  if (!e) return std::nullopt;
  const double value = graph.constant_value(*e);
  if (!std::isfinite(value) || !range.contains(value)) {
    field.complain(
        fmt::format("{}; it must be {}", describe_value(*field.text(), value), range.words));
    return std::nullopt;
  }
  return value;
}

std::optional<long> Vocabulary::integer(const Field& field, long low) {
  const std::optional<double> value = number(field);
  if (!value) return std::nullopt;
  if (*value != std::floor(*value) || *value < static_cast<double>(low) || *value > 1e15) {
    field.complain(fmt::format("{}; it must be a whole number from {} to 1e15",
                               describe_value(*field.text(), *value), low));
    return std::nullopt;
  }
  return static_cast<long>(*value);
}

std::optional<Vector> Vocabulary::row(const Field& field, int size) {
  const std::vector<Field> items = field.items("a list of numbers");
  if (!field.is_list()) return std::nullopt;
  if (size >= 0 && static_cast<int>(items.size()) != size) {
    field.complain(fmt::format("expected {} numbers; found {}", size, items.size()));
    return std::nullopt;
  }
  Vector result(static_cast<int>(items.size()));
  bool good = true;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const std::optional<double> value = number(items[i]);
    good = good && value.has_value();
    result[static_cast<int>(i)] = value.value_or(0);
  }
  if (!good) return std::nullopt;
  return result;
}

std::optional<Matrix> Vocabulary::matrix(const Field& field, int rows, int columns) {
  constexpr const char* kRows = "a list of rows, as in [[1, 0], [0, 1]]";
  const std::vector<Field> items = field.items(kRows);
  if (!field.is_list()) return std::nullopt;
  if (!items.empty() && std::all_of(items.begin(), items.end(), std::mem_fn(&Field::is_scalar))) {
    field.complain(fmt::format("expected {}; found a list of single values", kRows));
    return std::nullopt;
  }
  if (items.empty() || (rows >= 0 && static_cast<int>(items.size()) != rows)) {
    field.complain(fmt::format("expected {}; found {}",
                               rows >= 0 ? fmt::format("{} rows", rows) : "at least one row",
                               items.size()));
    return std::nullopt;
  }
  if (columns < 0) columns = static_cast<int>(items[0].is_list() ? items[0].items().size() : 0);
  Matrix result(static_cast<int>(items.size()), columns);
  bool good = true;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const std::optional<Vector> entries = row(items[i], columns);
    if (entries) result.row(static_cast<int>(i)) = entries->transpose();
    good = good && entries.has_value();
  }
  if (!good) return std::nullopt;
  return result;
}

}  // namespace clack
