#include "clack/io/scene/scene_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "clack/io/scene/field.hpp"

namespace clack {
namespace {

// Reads one byte more than is allowed, so that a device without an end is refused like a long file.
std::string read_bytes(const std::string& path) {
  std::error_code code;
  if (std::filesystem::is_directory(path, code)) {
    throw IoError(path + ": is a folder; a scene is a file");
  }
  std::ifstream file(path, std::ios::binary);
  if (!file) throw IoError(fmt::format("{}: cannot be read: {}", path, std::strerror(errno)));
  std::string text;
  std::string chunk(1u << 16, '\0');
  while (text.size() <= kMaxSceneBytes && file.good()) {
    file.read(chunk.data(), static_cast<std::streamsize>(chunk.size()));
    text.append(chunk, 0, static_cast<std::size_t>(file.gcount()));
  }
  if (file.bad()) throw IoError(fmt::format("{}: cannot be read: {}", path, std::strerror(errno)));
  return text;
}

class TextCheck {
 public:
  TextCheck(const std::string& path, const std::string& text) : path_(path), text_(text) {}

  void run() const {
    if (text_.size() > kMaxSceneBytes) {
      refuse(0, fmt::format("the scene is longer than {} MB, which is the most that is read",
                            kMaxSceneBytes >> 20));
    }
    check_encoding();
    check_characters();
    check_depth();
  }

 private:
  [[noreturn]] void refuse(std::size_t byte, const std::string& message) const {
    const std::string before = text_.substr(0, byte);
    const auto line = 1 + std::count(before.begin(), before.end(), '\n');
    const std::size_t last = before.rfind('\n');
    const std::size_t column = last == std::string::npos ? byte + 1 : byte - last;
    throw SceneError({fmt::format("{}:{}:{}: {}", path_, line, column, message)});
  }

  void check_encoding() const {
    if (text_.starts_with("\xff\xfe") || text_.starts_with("\xfe\xff")) {
      refuse(0, "the text is UTF-16; save the scene as UTF-8");
    }
  }

  void check_characters() const {
    std::size_t i = 0;
    while (i < text_.size()) {
      const auto c = static_cast<unsigned char>(text_[i]);
      if ((c < 0x20 && c != '\n' && c != '\t' && c != '\r') || c == 0x7f) {
        refuse(i, fmt::format("byte 0x{:02x} is not allowed: a scene is a text file (YAML)", c));
      }
      const std::size_t length = character_length(i);
      if (length == 0) {
        refuse(i, fmt::format("byte 0x{:02x} is not UTF-8; save the scene as UTF-8", c));
      }
      i += length;
    }
  }

  // Bytes of the UTF-8 character at a place; 0 if there is none.
  std::size_t character_length(std::size_t at) const {
    const auto first = static_cast<unsigned char>(text_[at]);
    if (first < 0x80) return 1;
    const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    if (first < 0xc2 || first > 0xf4 || at + length > text_.size()) return 0;
    const auto second = static_cast<unsigned char>(text_[at + 1]);
    const unsigned low = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
    const unsigned high = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
    if (second < low || second > high) return 0;
    for (std::size_t k = 2; k < length; ++k) {
      if ((static_cast<unsigned char>(text_[at + k]) & 0xc0) != 0x80) return 0;
    }
    return length;
  }

  // Counts brackets without reading YAML: comments are left out, and no text in quotes opens a
  // hundred brackets more than it closes.
  void check_depth() const {
    int depth = 0;
    for (std::size_t i = 0; i < text_.size(); ++i) {
      const char c = text_[i];
      if (c == '#' && (i == 0 || text_[i - 1] == ' ' || text_[i - 1] == '\n')) {
        i = std::min(text_.find('\n', i), text_.size());
      } else if (c == '[' || c == '{') {
        if (++depth > kMaxSceneDepth) {
          refuse(i, fmt::format("brackets are nested deeper than {} levels", kMaxSceneDepth));
        }
      } else if ((c == ']' || c == '}') && depth > 0) {
        --depth;
      }
    }
  }

  const std::string& path_;
  const std::string& text_;
};

}  // namespace

std::string read_scene_text(const std::string& path) { return read_bytes(path); }

void check_scene_text(const std::string& path, const std::string& text) {
  TextCheck(path, text).run();
}

std::string shorten(const std::string& text) {
  constexpr std::size_t kLongest = 60;
  if (text.size() <= kLongest) return text;
  std::size_t end = kLongest;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
  return text.substr(0, end) + "...";
}

}  // namespace clack
