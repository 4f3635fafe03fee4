// Whitespace-separated tokens of a text, with the line of each for messages.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "clack/core/error.hpp"

namespace clack {

// An InputError that knows how far the reader had come: of several ways to read a file, the one
// that came furthest has the message worth showing.
class ParseError : public InputError {
 public:
  ParseError(const std::string& message, std::size_t position)
      : InputError(message), position_(position) {}
  std::size_t position() const { return position_; }

 private:
  std::size_t position_;
};

class TokenReader {
 public:
  // The text must outlive the reader. `path` is for messages.
  TokenReader(std::string_view text, std::string path) : text_(text), path_(std::move(path)) {}

  // What is being read, for messages: "W", "as a local problem".
  void set_context(std::string context) { context_ = std::move(context); }

  bool at_end();
  // The token `ahead` places further on, empty past the end; nothing is consumed.
  std::string_view peek(int ahead = 0);
  std::string_view next(std::string_view what);
  // A finite real.
  double real(std::string_view what);
  // lowest <= value <= highest, and below 2^31.
  int integer(std::string_view what, std::int64_t lowest, std::int64_t highest);
  void expect(std::string_view token);
  // The rest of the current line, which is consumed.
  std::string_view rest_of_line();
  // The rest of the text, which is consumed.
  std::string_view rest();
  // Whether the next token is the first of its line.
  bool at_line_start();

  // An upper bound for the number of tokens that are left.
  std::int64_t room() const { return static_cast<std::int64_t>(text_.size() - position_ + 1) / 2; }
  // Fails unless `count` more tokens can be there; to be called before allocating for them.
  void require_room(std::int64_t count, std::string_view what);

  // Throws ParseError at the token read last.
  [[noreturn]] void fail(const std::string& message) const;

 private:
  void skip_space();

  std::string_view text_;
  std::string path_;
  std::string context_;
  std::size_t position_ = 0;     // behind the token read last
  std::size_t token_begin_ = 0;  // of the token read last
};

}  // namespace clack
