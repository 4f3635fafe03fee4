// XML with places, by pugixml: complaints name line and column, and what a reader has not looked at
// is known afterwards.
#pragma once

#include <map>
#include <optional>
#include <pugixml.hpp>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "clack/core/rotation.hpp"

namespace clack {

struct XmlPlace {
  int line = 0, column = 0;  // from 1
};

class XmlElement;

class XmlDocument {
 public:
  // Throws IoError if the file cannot be read, SceneError where it is no XML.
  explicit XmlDocument(std::string path);
  XmlDocument(std::string path, std::string text);
  XmlDocument(const XmlDocument&) = delete;
  XmlDocument& operator=(const XmlDocument&) = delete;

  XmlElement root();
  const std::string& path() const { return path_; }

  void complain(const XmlPlace& place, const std::string& message);
  // One line each, in the order of their places. Throws SceneError.
  void throw_if_bad() const;
  bool good() const { return errors_.empty(); }

  // A word on something that is allowed; those of the same text are joined with their lines.
  void remark(const XmlPlace& place, const std::string& text);
  // Elements and attributes that nobody has asked for become remarks. `reasons`: by the name of the
  // element, or "element attribute".
  void remark_unread(const std::map<std::string, std::string, std::less<>>& reasons);
  // "file:12, 20: text", in the order of the first lines.
  std::vector<std::string> remarks() const;

  // Of an element, or of an attribute within it.
  XmlPlace place(const pugi::xml_node& node, std::string_view attribute = {}) const;

 private:
  friend class XmlElement;
  XmlPlace place_at(std::size_t byte) const;
  void remark_unread(const pugi::xml_node& node,
                     const std::map<std::string, std::string, std::less<>>& reasons);

  std::string path_, text_;
  pugi::xml_document tree_;
  std::set<std::size_t> read_;  // hashes of nodes and attributes
  std::map<std::string, std::set<int>> remarks_;
  std::vector<std::pair<XmlPlace, std::string>> errors_;
};

// Names are looked at by asking for them.
class XmlElement {
 public:
  XmlElement(XmlDocument& document, pugi::xml_node node);

  std::string name() const { return node_.name(); }
  // joint 'elbow', or the bare name of the element
  std::string title() const;
  XmlPlace place() const { return document_->place(node_); }
  int line() const { return place().line; }
  XmlDocument& document() const { return *document_; }

  std::vector<XmlElement> children() const;  // none of them counts as looked at
  std::vector<XmlElement> children(std::string_view name) const;
  std::optional<XmlElement> child(std::string_view name) const;  // one at most
  std::optional<XmlElement> require(std::string_view name, std::string_view what) const;
  void look_at() const;      // this element counts as read
  void look_at_all() const;  // with all that is in it

  bool has(std::string_view attribute) const { return !node_.attribute(key(attribute)).empty(); }
  std::optional<std::string> text(std::string_view attribute) const;
  std::optional<std::string> require_text(std::string_view attribute, std::string_view what) const;
  std::optional<double> number(std::string_view attribute) const;
  std::optional<std::vector<double>> numbers(std::string_view attribute) const;
  std::optional<std::vector<double>> numbers(std::string_view attribute, std::size_t count) const;
  std::optional<Vector3> vector(std::string_view attribute) const;
  std::optional<bool> flag(std::string_view attribute) const;
  // One of the words.
  std::optional<std::string> choice(std::string_view attribute,
                                    const std::vector<std::string_view>& words) const;

  void complain(const std::string& message) const;
  void complain(std::string_view attribute, const std::string& message) const;
  void remark(const std::string& text) const { document_->remark(place(), text); }

 private:
  static const char* key(std::string_view name) { return name.data(); }  // of literals

  XmlDocument* document_;
  pugi::xml_node node_;
};

}  // namespace clack
