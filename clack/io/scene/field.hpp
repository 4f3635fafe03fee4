// A YAML document with places: every value knows its file, line, column and path, and complaints
// are collected so that a user sees all of them at once.
#pragma once

#include <yaml-cpp/yaml.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "clack/core/error.hpp"

namespace clack {

// All complaints about a scene, one a line: file:line:column: path: message.
class SceneError : public InputError {
 public:
  explicit SceneError(const std::vector<std::string>& messages);
  const std::vector<std::string>& messages() const { return messages_; }

 private:
  std::vector<std::string> messages_;
};

// One value of the document.
class Field;

class Document {
 public:
  static constexpr std::size_t kMaxErrors = 50;  // with these the reading stops

  // Reads and parses a file. Throws IoError if it cannot be read, SceneError if it is no YAML.
  static Document load(const std::string& path);
  // The same for a text; `name` stands for the file in complaints.
  static Document parse(const std::string& name, const std::string& text);
  // Replaces or adds the value at a dotted path, list entries by number: contacts.0.mu=0.3.
  void set(const std::string& assignment);

  Field root();
  const std::string& path() const { return path_; }
  const std::string& text() const { return text_; }
  const std::vector<std::string>& overrides() const { return overrides_; }

  // Throws SceneError when there are kMaxErrors complaints.
  void complain(const YAML::Node& node, const std::string& path, const std::string& message);
  bool good() const { return errors_.empty(); }
  void throw_if_bad() const;  // the complaints in the order of their places

 private:
  friend class Override;

  YAML::Mark mark(const YAML::Node& node) const;
  std::string place(const YAML::Node& node, const std::string& path) const;

  std::string path_, text_;
  YAML::Node root_;
  std::vector<std::string> overrides_;
  std::vector<std::pair<YAML::Node, YAML::Mark>> copies_;  // made by set(), with their places
  struct Complaint {
    int line, column;  // from 1; 0 where no place in the file is meant
    std::string text;
  };
  std::vector<Complaint> errors_;
};

struct Entry;

class Field {
 public:
  Field(Document& document, YAML::Node node, std::string path)
      : document_(&document), node_(std::move(node)), path_(std::move(path)) {}

  const std::string& path() const { return path_; }
  // Where files that the document names are looked for: its own folder.
  std::string folder() const;
  bool is_map() const { return node_.IsMap(); }
  bool is_list() const { return node_.IsSequence(); }
  bool is_scalar() const { return node_.IsScalar(); }

  // Each of these complains and returns nothing (or an empty list) where the value is of another
  // kind.
  bool expect_map(const std::vector<std::string_view>& allowed_keys) const;
  bool expect_free_map() const;  // any keys
  std::optional<std::string> text(std::string_view what = "a single value") const;
  std::vector<Field> items(std::string_view what = "a list") const;
  // Of a map, in the order written; of a key that is given twice the first.
  std::vector<Entry> entries() const;

  std::optional<Field> find(std::string_view key) const;
  std::optional<Field> require(std::string_view key, std::string_view what) const;
  // One of the given words.
  std::optional<std::string> choice(const std::vector<std::string>& words) const;

  void complain(const std::string& message) const { document_->complain(node_, path_, message); }
  std::string describe() const;  // what is there, for messages

 private:
  void check_keys(const std::vector<std::string_view>& allowed, bool any) const;

  Document* document_;
  YAML::Node node_;
  std::string path_;
};

// One pair of a map; complaints about `name` are placed at the key.
struct Entry {
  std::string key;
  Field name;
  Field value;
};

// " (did you mean 'step'?); allowed: a, b": the end of a message about a word that is not known.
std::string allowed_words(std::string_view word, const std::vector<std::string_view>& allowed);

}  // namespace clack
