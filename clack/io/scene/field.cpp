#include "clack/io/scene/field.hpp"

#include <fmt/format.h>
#include <yaml-cpp/depthguard.h>
#include <yaml-cpp/eventhandler.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>

#include "clack/core/formula/suggest.hpp"
#include "clack/io/scene/scene_text.hpp"

namespace clack {
namespace {

std::string join_lines(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += (text.empty() ? "" : "\n") + line;
  return text;
}

std::string extend(const std::string& path, std::string_view key) {
  return path.empty() ? std::string(key) : path + "." + std::string(key);
}

// A message stays on its line, whatever the scene's texts hold.
std::string one_line(std::string text) {
  std::replace_if(
      text.begin(), text.end(),
      [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }, ' ');
  return text;
}

// What the YAML library says, in words of the scene's author.
std::string yaml_message(const YAML::Exception& error) {
  if (dynamic_cast<const YAML::DeepRecursion*>(&error)) return "the values are nested too deeply";
  static const std::map<std::string, std::string> plain = {
      {"end of map flow not found", "a '{' is not closed, or a ',' is missing"},
      {"end of sequence flow not found", "a '[' is not closed, or a ',' is missing"},
      {"end of map not found", "this does not continue the map; is the indentation right?"},
      {"end of sequence not found", "this does not continue the list; is the indentation right?"},
      {"illegal EOF in scalar", "a quote is not closed"},
      {"illegal map value", "a ':' is not allowed here; is the indentation right?"}};
  const auto found = plain.find(error.msg);
  return "not valid YAML: " + (found == plain.end() ? error.msg : found->second);
}

std::string yaml_place(const std::string& path, const YAML::Mark& mark) {
  return fmt::format("{}:{}:{}", path, std::max(0, mark.line) + 1, std::max(0, mark.column) + 1);
}

bool indented_with_tab(const std::string& text, int line) {
  std::istringstream lines(text);
  std::string current;
  for (int i = 0; i <= line; ++i) std::getline(lines, current);
  const std::size_t first = current.find_first_not_of(" \t");
  return current.substr(0, first).find('\t') != std::string::npos;
}

YAML::Node last_value(YAML::Node node) {
  while ((node.IsMap() || node.IsSequence()) && node.size() > 0) {
    YAML::const_iterator last = node.begin();
    for (std::size_t i = 1; i < node.size(); ++i) ++last;
    node.reset(node.IsMap() ? last->second : *last);
  }
  return node;
}

// Where the documents of a text begin. Nothing is built, so that a parser which gives documents
// without end can be stopped.
class DocumentPlaces final : public YAML::EventHandler {
 public:
  struct Place {
    YAML::Mark start, node;  // of the document, which a `---` may open, and of its first value
  };
  const std::vector<Place>& places() const { return places_; }

  void OnDocumentStart(const YAML::Mark& mark) override {
    places_.push_back({mark, mark});
    first_ = true;
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t) override { value(mark); }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override { value(mark); }
  void OnScalar(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                const std::string&) override {
    value(mark);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {
    value(mark);
  }
  void OnSequenceEnd() override {}
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                  YAML::EmitterStyle::value) override {
    value(mark);
  }
  void OnMapEnd() override {}

 private:
  void value(const YAML::Mark& mark) {
    if (first_) places_.back().node = mark;
    first_ = false;
  }
  std::vector<Place> places_;
  bool first_ = false;
};

// A scene is one document. The YAML library takes what cannot continue a document, a ',' behind it
// say, for the start of another, which it never gets past: the second one ends the search.
void check_one_document(const std::string& path, const std::string& text) {
  std::istringstream stream(text);
  YAML::Parser parser(stream);
  DocumentPlaces documents;
  while (documents.places().size() < 2 && parser.HandleNextDocument(documents)) {
  }
  if (documents.places().size() < 2) return;
  const auto& [start, node] = documents.places()[1];
  const bool marked = start.pos != node.pos;
  throw SceneError(
      {yaml_place(path, node) +
       (marked ? ": a second document starts here; a scene is one document without '---' in between"
               : ": not valid YAML: the scene ends before this; is there a ',', a quote or a "
                 "'...' too many?")});
}

// The YAML library ends an open quote silently at the end of the file. A comment of quotes would
// close it and leave one over; where no quote is open it changes nothing.
YAML::Node parse_document(const std::string& path, const std::string& text) {
  const std::string closed = text + "\n# \" ' \" '\n";
  try {
    check_one_document(path, closed);
    return YAML::Load(closed);
  } catch (const YAML::Exception&) {
  }
  check_one_document(path, text);
  const YAML::Node value = last_value(YAML::Load(text));
  throw SceneError({yaml_place(path, value.Mark()) + ": not valid YAML: a quote is not closed"});
}

YAML::Node parse_yaml(const std::string& path, const std::string& text) {
  YAML::Node document;
  try {
    document = parse_document(path, text);
  } catch (const YAML::Exception& error) {
    const bool tab = indented_with_tab(text, error.mark.line);
    throw SceneError({fmt::format("{}: {}{}", yaml_place(path, error.mark), yaml_message(error),
                                  tab ? " YAML is indented with spaces, not with tabs" : "")});
  }
  if (document.IsNull()) {
    throw SceneError({path + ":1:1: the file is empty; a scene starts with 'clack: 1'"});
  }
  return document;
}

}  // namespace

SceneError::SceneError(const std::vector<std::string>& messages)
    : InputError(join_lines(messages)), messages_(messages) {}

Document Document::load(const std::string& path) { return parse(path, read_scene_text(path)); }

Document Document::parse(const std::string& name, const std::string& text) {
  check_scene_text(name, text);
  Document document;
  document.path_ = name;
  document.text_ = text;
  document.root_ = parse_yaml(name, document.text_);
  return document;
}

Field Document::root() { return Field(*this, root_, ""); }

// One --set. The maps and lists on the way to the value are copied: an alias of them elsewhere in
// the document keeps its value.
class Override {
 public:
  Override(Document& document, const std::string& assignment)
      : document_(document), assignment_(assignment) {}

  void apply() {
    const std::size_t equals = assignment_.find('=');
    std::stringstream parts(assignment_.substr(0, equals));
    for (std::string part; std::getline(parts, part, '.');) steps_.push_back(part);
    const bool empty = std::find(steps_.begin(), steps_.end(), "") != steps_.end();
    if (equals == std::string::npos || steps_.empty() || empty) {
      refuse("expected path=value, as in simulation.step=1e-3");
    }
    try {
      value_ = YAML::Load(assignment_.substr(equals + 1));
    } catch (const YAML::Exception& error) {
      refuse("the value is " + yaml_message(error));
    }
    document_.root_ = replaced(document_.root_, 0);
    document_.overrides_.push_back(assignment_);
  }

 private:
  [[noreturn]] void refuse(const std::string& message) const {
    throw SceneError({one_line(fmt::format("--set {}: {}", shorten(assignment_), message))});
  }

  // The node with the value in the place that the steps from `depth` on name.
  YAML::Node replaced(const YAML::Node& node, std::size_t depth) {
    if (depth == steps_.size()) return value_;
    YAML::Node copy;
    if (node.IsSequence()) {
      copy = replaced_list(node, depth);
    } else if (node.IsMap() || node.IsNull()) {
      copy = replaced_map(node, depth);
    } else {
      refuse(fmt::format("'{}' is a single value and has no '{}'", done(depth), steps_[depth]));
    }
    document_.copies_.emplace_back(copy, document_.mark(node));
    return copy;
  }

  YAML::Node replaced_list(const YAML::Node& node, std::size_t depth) {
    const std::string& step = steps_[depth];
    std::size_t index = 0;
    const auto [end, code] = std::from_chars(step.data(), step.data() + step.size(), index);
    if (code != std::errc() || end != step.data() + step.size() || index >= node.size()) {
      refuse(fmt::format("'{}' is a list of {} entries, numbered from 0; '{}' is not one of them",
                         done(depth), node.size(), step));
    }
    YAML::Node copy(YAML::NodeType::Sequence);
    for (std::size_t i = 0; i < node.size(); ++i) {
      copy.push_back(i == index ? replaced(node[i], depth + 1) : node[i]);
    }
    return copy;
  }

  YAML::Node replaced_map(const YAML::Node& node, std::size_t depth) {
    const std::string& step = steps_[depth];
    YAML::Node copy(YAML::NodeType::Map);
    bool found = false;
    for (const auto& entry : node) {
      const bool here = !found && entry.first.IsScalar() && entry.first.Scalar() == step;
      found = found || here;
      copy.force_insert(entry.first, here ? replaced(entry.second, depth + 1) : entry.second);
    }
    if (!found) copy.force_insert(YAML::Node(step), replaced(YAML::Node(), depth + 1));
    return copy;
  }

  std::string done(std::size_t depth) const {
    std::string path;
    for (std::size_t i = 0; i < depth; ++i) path = extend(path, steps_[i]);
    return path.empty() ? "the scene" : path;
  }

  Document& document_;
  const std::string& assignment_;
  std::vector<std::string> steps_;
  YAML::Node value_;
};

void Document::set(const std::string& assignment) { Override(*this, assignment).apply(); }

YAML::Mark Document::mark(const YAML::Node& node) const {
  for (const auto& [copy, mark] : copies_) {
    if (copy.is(node)) return mark;
  }
  return node.IsDefined() ? node.Mark() : YAML::Mark::null_mark();
}

std::string Document::place(const YAML::Node& node, const std::string& path) const {
  const YAML::Mark mark = this->mark(node);
  for (const std::string& assignment : overrides_) {
    const std::string target = assignment.substr(0, assignment.find('='));
    const bool inside = path == target || path.starts_with(target + ".");
    const bool made_for_it = mark.is_null() && target.starts_with(path + ".");
    if (inside || made_for_it) return "--set " + shorten(assignment);
  }
  if (mark.is_null()) return path_ + ":1:1";
  return fmt::format("{}:{}:{}", path_, mark.line + 1, mark.column + 1);
}

void Document::complain(const YAML::Node& node, const std::string& path,
                        const std::string& message) {
  const std::string subject = path.empty() ? "" : path + ": ";
  const YAML::Mark at = mark(node);
  errors_.push_back({at.line + 1, at.column + 1,
                     one_line(fmt::format("{}: {}{}", place(node, path), subject, message))});
  if (errors_.size() == kMaxErrors) throw_if_bad();
}

void Document::throw_if_bad() const {
  if (errors_.empty()) return;
  std::vector<Complaint> sorted = errors_;
  std::stable_sort(sorted.begin(), sorted.end(), [](const Complaint& x, const Complaint& y) {
    return std::pair(x.line, x.column) < std::pair(y.line, y.column);
  });
  std::vector<std::string> messages;
  for (const Complaint& complaint : sorted) messages.push_back(complaint.text);
  if (errors_.size() == kMaxErrors) {
    messages.push_back(fmt::format("{}: {} errors; the rest was not read", path_, kMaxErrors));
  }
  throw SceneError(messages);
}

std::string allowed_words(std::string_view word, const std::vector<std::string_view>& allowed) {
  const std::string_view guess = formula::nearest(word, allowed);
  return fmt::format("{}; allowed: {}",
                     guess.empty() ? "" : fmt::format(" (did you mean '{}'?)", guess),
                     formula::list_names(allowed));
}

std::string Field::describe() const {
  if (node_.IsScalar()) return fmt::format("'{}'", shorten(node_.Scalar()));
  const char* plural = node_.size() == 1 ? "" : "s";
  if (node_.IsSequence()) return fmt::format("a list of {} value{}", node_.size(), plural);
  if (node_.IsMap()) return fmt::format("a map of {} key{}", node_.size(), plural);
  return "nothing";
}

void Field::check_keys(const std::vector<std::string_view>& allowed, bool any) const {
  std::map<std::string, int> lines;
  for (const auto& entry : node_) {
    if (!entry.first.IsScalar()) {
      document_->complain(entry.first, path_, "a key must be a word");
      continue;
    }
    const std::string& key = entry.first.Scalar();
    const auto [first, is_new] = lines.emplace(key, entry.first.Mark().line + 1);
    if (!is_new) {
      document_->complain(entry.first, extend(path_, shorten(key)),
                          fmt::format("this key is given twice, first in line {}", first->second));
      continue;
    }
    if (any || std::find(allowed.begin(), allowed.end(), key) != allowed.end()) continue;
    document_->complain(entry.first, extend(path_, shorten(key)),
                        "unknown key" + allowed_words(key, allowed));
  }
}

std::string Field::folder() const {
  const std::string folder = std::filesystem::path(document_->path()).parent_path().string();
  return folder.empty() ? "." : folder;
}

bool Field::expect_map(const std::vector<std::string_view>& allowed_keys) const {
  if (!node_.IsMap()) {
    complain(fmt::format("expected a map with keys among: {}; found {}",
                         formula::list_names(allowed_keys), describe()));
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

std::optional<std::string> Field::text(std::string_view what) const {
  if (node_.IsScalar()) return node_.Scalar();
  complain(fmt::format("expected {}; found {}", what, describe()));
  return std::nullopt;
}

std::vector<Field> Field::items(std::string_view what) const {
  std::vector<Field> result;
  if (!node_.IsSequence()) {
    complain(fmt::format("expected {}; found {}", what, describe()));
    return result;
  }
  for (std::size_t i = 0; i < node_.size(); ++i) {
    result.emplace_back(*document_, node_[i], extend(path_, std::to_string(i)));
  }
  return result;
}

std::vector<Entry> Field::entries() const {
  std::vector<Entry> result;
  std::set<std::string> seen;
  for (const auto& entry : node_) {
    if (!entry.first.IsScalar() || !seen.insert(entry.first.Scalar()).second) continue;
    const std::string& key = entry.first.Scalar();
    const std::string path = extend(path_, shorten(key));
    result.push_back(
        {key, Field(*document_, entry.first, path), Field(*document_, entry.second, path)});
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
  complain(fmt::format("'{}' is not known{}", shorten(*word),
                       allowed_words(*word, {words.begin(), words.end()})));
  return std::nullopt;
}

}  // namespace clack
