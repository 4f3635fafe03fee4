#include "clack/io/scene/field.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "clack/core/formula/suggest.hpp"

namespace clack {
namespace {

std::string join_lines(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += (text.empty() ? "" : "\n") + line;
  return text;
}

std::string read_file(const std::string& path) {
  std::error_code code;
  if (std::filesystem::is_directory(path, code)) throw IoError(path + ": is a directory");
  std::ifstream file(path, std::ios::binary);
  if (!file) throw IoError(fmt::format("{}: cannot be read: {}", path, std::strerror(errno)));
  const auto size = std::filesystem::file_size(path, code);
  if (!code && size > Document::kMaxBytes) {
    throw SceneError({fmt::format("{}: the scene has {} MB; at most {} MB are read", path, size >> 20,
                                  Document::kMaxBytes >> 20)});
  }
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// 1-based line and column of a byte.
std::string place_of_byte(const std::string& path, const std::string& text, std::size_t byte) {
  const auto line = 1 + std::count(text.begin(), text.begin() + byte, '\n');
  const std::size_t last = text.rfind('\n', byte == 0 ? 0 : byte - 1);
  const std::size_t column = last == std::string::npos || last >= byte ? byte + 1 : byte - last;
  return fmt::format("{}:{}:{}", path, line, column);
}

void require_text(const std::string& path, const std::string& text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const unsigned char c = text[i];
    if (c < 0x20 && c != '\n' && c != '\t' && c != '\r') {
      throw SceneError({fmt::format("{}: byte 0x{:02x} is not allowed: a scene is a text file (YAML)",
                                    place_of_byte(path, text, i), c)});
    }
  }
}

std::string shorten(const std::string& text) {
  constexpr std::size_t kLongest = 60;
  return text.size() <= kLongest ? text : text.substr(0, kLongest) + "...";
}

std::string extend(const std::string& path, std::string_view key) {
  return path.empty() ? std::string(key) : path + "." + std::string(key);
}

}  // namespace

SceneError::SceneError(const std::vector<std::string>& messages)
    : InputError(join_lines(messages)), messages_(messages) {}

Document Document::load(const std::string& path) {
  Document document;
  document.path_ = path;
  document.text_ = read_file(path);
  require_text(path, document.text_);
  try {
    document.root_ = YAML::Load(document.text_);
  } catch (const YAML::Exception& error) {
    throw SceneError({fmt::format("{}:{}:{}: not valid YAML: {}", path, error.mark.line + 1,
                                  error.mark.column + 1, error.msg)});
  }
  if (!document.root_ || document.root_.IsNull()) {
    throw SceneError({fmt::format("{}:1:1: the file is empty; a scene starts with 'clack: 1'", path)});
  }
  return document;
}

Field Document::root() { return Field(*this, root_, ""); }

void Document::set(const std::string& assignment) {
  const std::size_t equals = assignment.find('=');
  if (equals == std::string::npos || equals == 0) {
    throw InputError(fmt::format("--set {}: expected path=value, as in simulation.step=1e-3", assignment));
  }
  const std::string path = assignment.substr(0, equals);
  YAML::Node value;
  try {
    value = YAML::Load(assignment.substr(equals + 1));
  } catch (const YAML::Exception& error) {
    throw InputError(fmt::format("--set {}: the value is not valid YAML: {}", assignment, error.msg));
  }
  std::vector<YAML::Node> chain = {root_};
  std::stringstream parts(path);
  std::string part, done;
  std::vector<std::string> steps;
  while (std::getline(parts, part, '.')) steps.push_back(part);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    YAML::Node& parent = chain.back();
    const bool last = i + 1 == steps.size();
    if (parent.IsSequence()) {
      std::size_t index = 0;
      const auto [end, code] = std::from_chars(steps[i].data(), steps[i].data() + steps[i].size(), index);
      if (code != std::errc() || *end != '\0' || index >= parent.size()) {
        throw InputError(fmt::format("--set {}: '{}' is a list of {} entries, numbered from 0; '{}' is not one of them",
                                     assignment, done, parent.size(), steps[i]));
      }
      if (last) parent[index] = value;
      else chain.push_back(parent[index]);
    } else if (parent.IsMap() || parent.IsNull() || !parent.IsDefined()) {
      if (last) parent[steps[i]] = value;
      else chain.push_back(parent[steps[i]]);
    } else {
      throw InputError(fmt::format("--set {}: '{}' is a single value and has no '{}'", assignment, done, steps[i]));
    }
    done = extend(done, steps[i]);
  }
  overrides_.push_back(assignment);
}

std::string Document::place(const YAML::Node& node, const std::string& path) const {
  for (const std::string& assignment : overrides_) {
    const std::string target = assignment.substr(0, assignment.find('='));
    if (path == target || path.starts_with(target + ".")) return "--set " + shorten(assignment);
  }
  const YAML::Mark mark = node.IsDefined() ? node.Mark() : YAML::Mark::null_mark();
  if (mark.is_null()) return path_ + ":1:1";
  return fmt::format("{}:{}:{}", path_, mark.line + 1, mark.column + 1);
}

void Document::complain(const YAML::Node& node, const std::string& path, const std::string& message) {
  if (errors_.size() >= kMaxErrors) {
    ++hidden_errors_;
    return;
  }
  const std::string subject = path.empty() ? "" : path + ": ";
  errors_.push_back(fmt::format("{}: {}{}", place(node, path), subject, message));
}

void Document::throw_if_bad() const {
  if (errors_.empty()) return;
  std::vector<std::string> all = errors_;
  if (hidden_errors_ > 0) all.push_back(fmt::format("{}: {} more errors", path_, hidden_errors_));
  throw SceneError(all);
}

std::string Field::describe() const {
  if (node_.IsScalar()) return fmt::format("'{}'", shorten(node_.Scalar()));
  if (node_.IsSequence()) return fmt::format("a list of {} entries", node_.size());
  if (node_.IsMap()) return fmt::format("a map of {} keys", node_.size());
  return "nothing";
}

void Field::check_keys(std::initializer_list<std::string_view> allowed, bool any) const {
  std::set<std::string> seen;
  for (const auto& entry : node_) {
    if (!entry.first.IsScalar()) {
      document_->complain(entry.first, path_, "a key must be a word");
      continue;
    }
    const std::string& key = entry.first.Scalar();
    if (!seen.insert(key).second) {
      document_->complain(entry.first, extend(path_, key), "this key is given twice");
    }
    if (any || std::find(allowed.begin(), allowed.end(), key) != allowed.end()) continue;
    const std::vector<std::string_view> names(allowed);
    const std::string_view guess = formula::nearest(key, names);
    document_->complain(entry.first, extend(path_, shorten(key)),
                        fmt::format("unknown key{}; allowed here: {}",
                                    guess.empty() ? "" : fmt::format(" (did you mean '{}'?)", guess),
                                    formula::list_names(names)));
  }
}

bool Field::expect_map(std::initializer_list<std::string_view> allowed_keys) const {
  if (!node_.IsMap()) {
    const std::vector<std::string_view> names(allowed_keys);
    complain(fmt::format("expected a map with keys among: {}; found {}", formula::list_names(names), describe()));
    return false;
  }
  check_keys(allowed_keys, false);
  return true;
}

bool Field::expect_free_map() const {
  if (!node_.IsMap()) {
    complain(fmt::format("expected a map of names to values; found {}", describe()));
    return false;
  }
  check_keys({}, true);
  return true;
}

std::optional<std::string> Field::text() const {
  if (node_.IsScalar()) return node_.Scalar();
  complain(fmt::format("expected a single value; found {}", describe()));
  return std::nullopt;
}

std::vector<Field> Field::items() const {
  std::vector<Field> result;
  if (!node_.IsSequence()) {
    complain(fmt::format("expected a list; found {}", describe()));
    return result;
  }
  for (std::size_t i = 0; i < node_.size(); ++i) {
    result.emplace_back(*document_, node_[i], extend(path_, std::to_string(i)));
  }
  return result;
}

std::vector<std::string> Field::keys() const {
  std::vector<std::string> result;
  for (const auto& entry : node_) {
    if (entry.first.IsScalar()) result.push_back(entry.first.Scalar());
  }
  return result;
}

std::optional<Field> Field::find(std::string_view key) const {
  if (!node_.IsMap()) return std::nullopt;
  for (const auto& entry : node_) {
    if (entry.first.IsScalar() && entry.first.Scalar() == key) {
      return Field(*document_, entry.second, extend(path_, key));
    }
  }
  return std::nullopt;
}

std::optional<Field> Field::require(std::string_view key, std::string_view what) const {
  std::optional<Field> field = find(key);
  if (!field) {
    document_->complain(node_, extend(path_, key), fmt::format("is missing: {}", what));
  }
  return field;
}

std::optional<std::string> Field::choice(const std::vector<std::string>& words) const {
  const std::optional<std::string> word = text();
  if (!word) return std::nullopt;
  if (std::find(words.begin(), words.end(), *word) != words.end()) return word;
  const std::vector<std::string_view> names(words.begin(), words.end());
  const std::string_view guess = formula::nearest(*word, names);
  complain(fmt::format("'{}' is not known{}; allowed: {}", shorten(*word),
                       guess.empty() ? "" : fmt::format(" (did you mean '{}'?)", guess),
                       formula::list_names(names)));
  return std::nullopt;
}

}  // namespace clack
