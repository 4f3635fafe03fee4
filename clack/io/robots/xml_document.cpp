#include "clack/io/robots/xml_document.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <sstream>

#include "clack/io/scene/field.hpp"
#include "clack/io/scene/scene_text.hpp"

namespace clack {
namespace {

std::string join_numbers(const std::set<int>& numbers) {
  std::string text;
  for (const int x : numbers) text += (text.empty() ? "" : ", ") + std::to_string(x);
  return text;
}

std::optional<double> parse_number(std::string_view word) {
  if (word.starts_with('+')) word.remove_prefix(1);
  double value = 0;
  const auto [end, code] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (code != std::errc() || end != word.data() + word.size() || !std::isfinite(value))
    return std::nullopt;
  return value;
}

}  // namespace

XmlDocument::XmlDocument(std::string path) : XmlDocument(path, read_scene_text(path)) {}

XmlDocument::XmlDocument(std::string path, std::string text)
    : path_(std::move(path)), text_(std::move(text)) {
  if (text_.size() > kMaxSceneBytes)
    throw SceneError(
        {fmt::format("{}:1:1: the file is longer than {} MB, which is the most that is "
                     "read",
                     path_, kMaxSceneBytes >> 20)});
  const pugi::xml_parse_result result =
      tree_.load_buffer(text_.data(), text_.size(), pugi::parse_default, pugi::encoding_utf8);
  if (!result) {
    const XmlPlace at =
        place_at(static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, result.offset)));
    throw SceneError({fmt::format("{}:{}:{}: not valid XML: {}", path_, at.line, at.column,
                                  result.description())});
  }
}

XmlElement XmlDocument::root() { return {*this, tree_.document_element()}; }

XmlPlace XmlDocument::place_at(std::size_t byte) const {
  const std::string_view before = std::string_view(text_).substr(0, std::min(byte, text_.size()));
  const std::size_t last = before.rfind('\n');
  return {
      static_cast<int>(1 + std::count(before.begin(), before.end(), '\n')),
      static_cast<int>(last == std::string_view::npos ? before.size() + 1 : before.size() - last)};
}

// pugixml knows where the name of an element begins; its attributes follow in the text.
XmlPlace XmlDocument::place(const pugi::xml_node& node, std::string_view attribute) const {
  const auto begin = static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, node.offset_debug()));
  if (!attribute.empty()) {
    const std::size_t end = std::min(text_.find('>', begin), text_.size());
    for (std::size_t at = text_.find(attribute, begin); at < end;
         at = text_.find(attribute, at + 1)) {
      const std::size_t behind = text_.find_first_not_of(" \t\r\n", at + attribute.size());
      const bool starts = at > 0 && std::isspace(static_cast<unsigned char>(text_[at - 1])) != 0;
      if (starts && behind < end && text_[behind] == '=') return place_at(at);
    }
  }
  return place_at(begin > 0 ? begin - 1 : 0);  // the bracket
}

void XmlDocument::complain(const XmlPlace& place, const std::string& message) {
  errors_.emplace_back(place,
                       fmt::format("{}:{}:{}: {}", path_, place.line, place.column, message));
}

void XmlDocument::throw_if_bad() const {
  if (errors_.empty()) return;
  auto sorted = errors_;
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) {
    return std::pair(a.first.line, a.first.column) < std::pair(b.first.line, b.first.column);
  });
  std::vector<std::string> messages;
  for (const auto& [place, text] : sorted) {
    if (messages.size() == Document::kMaxErrors) break;
    messages.push_back(text);
  }
  throw SceneError(messages);
}

void XmlDocument::remark(const XmlPlace& place, const std::string& text) {
  remarks_[text].insert(place.line);
}

void XmlDocument::remark_unread(const std::map<std::string, std::string, std::less<>>& reasons) {
  remark_unread(tree_.document_element(), reasons);
}

void XmlDocument::remark_unread(const pugi::xml_node& node,
                                const std::map<std::string, std::string, std::less<>>& reasons) {
  const auto reason = [&](const std::string& name) {
    const auto it = reasons.find(name);
    return it == reasons.end() ? std::string() : ": " + it->second;
  };
  for (const pugi::xml_attribute& x : node.attributes()) {
    if (read_.contains(x.hash_value())) continue;
    const std::string both = std::string(node.name()) + " " + x.name();
    const std::string why = reason(both).empty() ? reason(x.name()) : reason(both);
    remark(place(node, x.name()),
           fmt::format("ignored: '{}' of <{}>{}", x.name(), node.name(), why));
  }
  for (const pugi::xml_node& x : node.children()) {
    if (x.type() != pugi::node_element) continue;
    if (read_.contains(x.hash_value()))
      remark_unread(x, reasons);
    else
      remark(place(x), fmt::format("ignored: <{}>{}", x.name(), reason(x.name())));
  }
}

std::vector<std::string> XmlDocument::remarks() const {
  std::vector<std::pair<int, std::string>> sorted;
  for (const auto& [text, lines] : remarks_)
    sorted.emplace_back(*lines.begin(), fmt::format("{}:{}: {}", path_, join_numbers(lines), text));
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::string> result;
  for (auto& [line, text] : sorted) result.push_back(std::move(text));
  return result;
}

XmlElement::XmlElement(XmlDocument& document, pugi::xml_node node)
    : document_(&document), node_(node) {}

std::string XmlElement::title() const {
  const pugi::xml_attribute own = node_.attribute("name");
  if (!own.empty()) return fmt::format("{} '{}'", node_.name(), shorten(own.value()));
  const pugi::xml_node parent = node_.parent();
  if (parent.type() == pugi::node_element && parent != document_->tree_.document_element())
    return XmlElement(*document_, parent).title() + ": " + node_.name();
  return node_.name();
}

std::vector<XmlElement> XmlElement::children() const {
  std::vector<XmlElement> result;
  for (const pugi::xml_node& x : node_.children()) {
    if (x.type() == pugi::node_element) result.emplace_back(*document_, x);
  }
  return result;
}

std::vector<XmlElement> XmlElement::children(std::string_view name) const {
  std::vector<XmlElement> result;
  for (const XmlElement& x : children()) {
    if (x.name() != name) continue;
    x.look_at();
    result.push_back(x);
  }
  return result;
}

std::optional<XmlElement> XmlElement::child(std::string_view name) const {
  const std::vector<XmlElement> all = children(name);
  if (all.empty()) return std::nullopt;
  if (all.size() > 1) all[1].complain(fmt::format("<{}> is given twice", name));
  return all[0];
}

std::optional<XmlElement> XmlElement::require(std::string_view name, std::string_view what) const {
  std::optional<XmlElement> found = child(name);
  if (!found) complain(fmt::format("<{}> is missing: {}", name, what));
  return found;
}

void XmlElement::look_at() const { document_->read_.insert(node_.hash_value()); }

void XmlElement::look_at_all() const {
  look_at();
  for (const pugi::xml_attribute& x : node_.attributes()) document_->read_.insert(x.hash_value());
  for (const XmlElement& x : children()) x.look_at_all();
}

std::optional<std::string> XmlElement::text(std::string_view attribute) const {
  const pugi::xml_attribute x = node_.attribute(key(attribute));
  if (x.empty()) return std::nullopt;
  document_->read_.insert(x.hash_value());
  return x.value();
}

std::optional<std::string> XmlElement::require_text(std::string_view attribute,
                                                    std::string_view what) const {
  auto value = text(attribute);
  if (!value || value->empty()) {
    complain(fmt::format("'{}' is missing: {}", attribute, what));
    return std::nullopt;
  }
  return value;
}

std::optional<std::vector<double>> XmlElement::numbers(std::string_view attribute) const {
  const auto value = text(attribute);
  if (!value) return std::nullopt;
  std::vector<double> result;
  std::istringstream words(*value);
  for (std::string word; words >> word;) {
    const auto x = parse_number(word);
    if (!x) {
      complain(attribute, fmt::format("'{}' is no finite number", shorten(word)));
      return std::nullopt;
    }
    result.push_back(*x);
  }
  return result;
}

std::optional<std::vector<double>> XmlElement::numbers(std::string_view attribute,
                                                       std::size_t count) const {
  auto result = numbers(attribute);
  if (!result || result->size() == count) return result;
  complain(attribute, fmt::format("expected {} number{}; found {}", count, count == 1 ? "" : "s",
                                  result->size()));
  return std::nullopt;
}

std::optional<double> XmlElement::number(std::string_view attribute) const {
  const auto values = numbers(attribute, 1);
  return values ? std::optional((*values)[0]) : std::nullopt;
}

std::optional<Vector3> XmlElement::vector(std::string_view attribute) const {
  const auto x = numbers(attribute, 3);
  return x ? std::optional(Vector3((*x)[0], (*x)[1], (*x)[2])) : std::nullopt;
}

std::optional<bool> XmlElement::flag(std::string_view attribute) const {
  const auto word = choice(attribute, {"true", "false"});
  return word ? std::optional(*word == "true") : std::nullopt;
}

std::optional<std::string> XmlElement::choice(std::string_view attribute,
                                              const std::vector<std::string_view>& words) const {
  const auto word = text(attribute);
  if (!word || std::find(words.begin(), words.end(), *word) != words.end()) return word;
  complain(attribute,
           fmt::format("'{}' is not known{}", shorten(*word), allowed_words(*word, words)));
  return std::nullopt;
}

void XmlElement::complain(const std::string& message) const {
  document_->complain(place(), title() + ": " + message);
}

void XmlElement::complain(std::string_view attribute, const std::string& message) const {
  document_->complain(document_->place(node_, attribute),
                      fmt::format("{}: {}: {}", title(), attribute, message));
}

}  // namespace clack
