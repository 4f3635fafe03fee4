// A YAML document with places: every value knows its file, line, column and path, and complaints
// are collected so that a user sees all of them at once.
#pragma once

#include <yaml-cpp/yaml.h>

#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
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
  static constexpr std::size_t kMaxBytes = 64u << 20;  // a larger scene is refused
  static constexpr std::size_t kMaxErrors = 50;        // further complaints are counted only

  // Reads and parses a file. Throws IoError if it cannot be read, SceneError if it is no YAML.
  static Document load(const std::string& path);
  // Replaces or adds the value at a dotted path, list entries by number: contacts.0.mu=0.3.
  void set(const std::string& assignment);

  Field root();
  const std::string& path() const { return path_; }
  const std::string& text() const { return text_; }
  const std::vector<std::string>& overrides() const { return overrides_; }

  void complain(const YAML::Node& node, const std::string& path, const std::string& message);
  bool good() const { return errors_.empty(); }
  void throw_if_bad() const;

 private:
  std::string place(const YAML::Node& node, const std::string& path) const;

  std::string path_, text_;
  YAML::Node root_;
  std::vector<std::string> overrides_;
  std::vector<std::string> errors_;
  std::size_t hidden_errors_ = 0;
};

class Field {
 public:
  Field(Document& document, YAML::Node node, std::string path)
      : document_(&document), node_(std::move(node)), path_(std::move(path)) {}

  const std::string& path() const { return path_; }
  bool is_map() const { return node_.IsMap(); }
  bool is_list() const { return node_.IsSequence(); }
  bool is_scalar() const { return node_.IsScalar(); }

  // Each of these complains and returns nothing (or an empty list) where the value is of another kind.
  bool expect_map(std::initializer_list<std::string_view> allowed_keys) const;
  bool expect_free_map() const;  // any keys
  std::optional<std::string> text() const;
  std::vector<Field> items() const;
  std::vector<std::string> keys() const;

  std::optional<Field> find(std::string_view key) const;
  std::optional<Field> require(std::string_view key, std::string_view what) const;
  // One of the given words.
  std::optional<std::string> choice(const std::vector<std::string>& words) const;

  void complain(const std::string& message) const { document_->complain(node_, path_, message); }
  std::string describe() const;  // what is there, for messages

 private:
  void check_keys(std::initializer_list<std::string_view> allowed, bool any) const;

  Document* document_;
  YAML::Node node_;
  std::string path_;
};

}  // namespace clack
