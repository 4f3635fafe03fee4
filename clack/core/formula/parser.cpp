#include "clack/core/formula/parser.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <numbers>
#include <optional>

#include "clack/core/formula/suggest.hpp"

namespace clack::formula {
namespace {

struct Callable {
  std::string_view name;
  int arity;
  int function;  // a Function or a Function2 by the arity
};

constexpr Callable one(std::string_view name, Function f) { return {name, 1, static_cast<int>(f)}; }
constexpr Callable two(std::string_view name, Function2 f) {
  return {name, 2, static_cast<int>(f)};
}

constexpr std::array kCallables = {
    one("sin", Function::kSin),      one("cos", Function::kCos),
    one("tan", Function::kTan),      one("asin", Function::kAsin),
    one("acos", Function::kAcos),    one("atan", Function::kAtan),
    one("sinh", Function::kSinh),    one("cosh", Function::kCosh),
    one("tanh", Function::kTanh),    one("exp", Function::kExp),
    one("log", Function::kLog),      one("log10", Function::kLog10),
    one("sqrt", Function::kSqrt),    one("abs", Function::kAbs),
    one("sign", Function::kSign),    one("floor", Function::kFloor),
    one("ceil", Function::kCeil),    one("heaviside", Function::kHeaviside),
    two("atan2", Function2::kAtan2), two("min", Function2::kMin),
    two("max", Function2::kMax),     two("mod", Function2::kMod),
    two("hypot", Function2::kHypot), Callable{"if", 3, 0}};

struct Comparison {
  std::string_view text;
  Function2 function;
};

// The longer of two operators that begin alike comes first.
constexpr std::array kComparisons = {
    Comparison{"<=", Function2::kLessEqual}, Comparison{">=", Function2::kGreaterEqual},
    Comparison{"==", Function2::kEqual},     Comparison{"!=", Function2::kNotEqual},
    Comparison{"<", Function2::kLess},       Comparison{">", Function2::kGreater}};

const Callable* find_callable(std::string_view name) {
  const auto found = std::find_if(kCallables.begin(), kCallables.end(),
                                  [&](const Callable& c) { return c.name == name; });
  return found == kCallables.end() ? nullptr : &*found;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}
bool is_name_part(char c) { return is_letter(c) || is_digit(c) || c == '\''; }
bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

// Without names every identifier is accepted and becomes a variable.
class Parser {
 public:
  Parser(Graph& graph, std::string_view text, const Names* names)
      : graph_(graph), text_(text), names_(names) {}

  Expr parse() {
    if (text_.size() > kMaxFormulaLength) {
      fail(fmt::format("formula longer than {} characters", kMaxFormulaLength), kMaxFormulaLength);
    }
    skip_space();
    if (at_end()) fail("empty formula", 0);
    const Expr e = parse_or();
    if (!at_end()) fail_unexpected();
    return e;
  }

  [[nodiscard]] const std::vector<std::string>& found() const { return found_; }

 private:
  // Counts the nesting for as long as it lives.
  class Level {
   public:
    explicit Level(Parser& parser) : parser_(parser) {
      if (++parser_.depth_ > kMaxFormulaDepth) {
        parser_.fail(fmt::format("nested deeper than {} levels", kMaxFormulaDepth),
                     parser_.position_);
      }
    }
    ~Level() { --parser_.depth_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;

   private:
    Parser& parser_;
  };

  // --- grammar ---
  Expr parse_or() {
    Expr left = parse_and();
    while (accept_word("or")) left = graph_.apply2(Function2::kOr, left, parse_and());
    return left;
  }

  Expr parse_and() {
    Expr left = parse_not();
    while (accept_word("and")) left = graph_.apply2(Function2::kAnd, left, parse_not());
    return left;
  }

  Expr parse_not() {
    int count = 0;
    while (accept_word("not")) ++count;
    Expr e = parse_comparison();
    for (; count > 0; --count) e = graph_.apply(Function::kNot, e);
    return e;
  }

  Expr parse_comparison() {
    const Expr left = parse_sum();
    const auto function = accept_comparison();
    if (!function) return left;
    const Expr right = parse_sum();
    const std::size_t next = position_;
    if (accept_comparison()) fail("comparisons do not chain: write 'a < b and b < c',", next);
    return graph_.apply2(*function, left, right);
  }

  Expr parse_sum() {
    Expr left = parse_product();
    for (;;) {
      if (accept("+"))
        left = graph_.add(left, parse_product());
      else if (accept("-"))
        left = graph_.subtract(left, parse_product());
      else
        return left;
    }
  }

  Expr parse_product() {
    Expr left = parse_signed();
    for (;;) {
      if (accept("*"))
        left = graph_.multiply(left, parse_signed());
      else if (accept("/"))
        left = graph_.divide(left, parse_signed());
      else
        return left;
    }
  }

  Expr parse_signed() {
    bool negative = false;
    for (;;) {
      if (accept("-"))
        negative = !negative;
      else if (!accept("+"))
        break;
    }
    const Expr e = parse_raised();
    return negative ? graph_.negate(e) : e;
  }

  Expr parse_raised() {
    const Expr base = parse_primary();
    if (!accept("**") && !accept("^")) return base;
    const Level level(*this);
    return graph_.power(base, parse_signed());
  }

  Expr parse_primary() {
    if (at_end()) fail("unexpected end of formula", position_);
    const char c = text_[position_];
    if (is_digit(c) || c == '.') return parse_number();
    if (is_letter(c)) return parse_name();
    if (!accept("(")) fail_unexpected();
    const std::size_t open = position_ - 1;
    const Level level(*this);
    const Expr e = parse_or();
    if (at_end()) fail("unclosed '('", open);
    if (!accept(")")) fail_unexpected();
    return e;
  }

  Expr parse_number() {
    const std::size_t start = position_;
    double value = 0.0;
    const char* first = text_.data() + start;
    const auto [end, error] = std::from_chars(first, text_.data() + text_.size(), value);
    position_ += static_cast<std::size_t>(end - first);
    if (error == std::errc::invalid_argument) fail_unexpected();
    const std::string_view digits = text_.substr(start, position_ - start);
    if (error != std::errc()) fail(fmt::format("number '{}' out of range", digits), start);
    const char next = at_end() ? ' ' : text_[position_];
    if (next == '.' || next == 'e' || next == 'E') {
      fail(fmt::format("malformed number '{}{}'", digits, quote_item()), start);
    }
    if (is_letter(next)) fail_unexpected();
    skip_space();
    return graph_.constant(value);
  }

  Expr parse_name() {
    const std::size_t start = position_;
    const std::string_view name = take_name();
    if (name == "and" || name == "or" || name == "not") fail_unexpected(start);
    if (!at_end() && text_[position_] == '(') return parse_call(name, start);
    if (name == "pi") return graph_.constant(std::numbers::pi);
    return names_ ? look_up(name, start) : note(name, start);
  }

  Expr parse_call(std::string_view name, std::size_t start) {
    const Callable* callable = find_callable(name);
    if (!callable) fail_unknown_function(name, start);
    const std::size_t open = position_;
    const Level level(*this);
    std::array<Expr, 3> arguments{kNone, kNone, kNone};
    int count = 0;
    (void)accept("(");
    if (!accept(")")) {
      do {
        const Expr e = parse_or();
        if (count < 3) arguments[static_cast<std::size_t>(count)] = e;
        ++count;
      } while (accept(","));
      if (at_end()) fail("unclosed '('", open);
      if (!accept(")")) fail_unexpected();
    }
    if (count != callable->arity) fail_arguments(*callable, count, start);
    return call(*callable, arguments);
  }

  Expr call(const Callable& callable, const std::array<Expr, 3>& x) {
    if (callable.arity == 1) return graph_.apply(static_cast<Function>(callable.function), x[0]);
    if (callable.arity == 3) return graph_.select(x[0], x[1], x[2]);
    return graph_.apply2(static_cast<Function2>(callable.function), x[0], x[1]);
  }

  Expr look_up(std::string_view name, std::size_t start) {
    if (const auto found = names_->find(name); found != names_->end()) return found->second;
    refuse_bare_function(name, start);
    std::vector<std::string_view> known;
    for (const auto& entry : *names_) known.push_back(entry.first);
    const std::string_view near = nearest(name, known);
    const std::string hint = near.empty() ? "" : fmt::format(" did you mean '{}'?", near);
    fail(fmt::format("unknown name '{}'", name), start,
         fmt::format(";{} known names: {}", hint, list_names(known)));
  }

  Expr note(std::string_view name, std::size_t start) {
    refuse_bare_function(name, start);
    if (std::find(found_.begin(), found_.end(), name) == found_.end()) found_.emplace_back(name);
    return graph_.variable(name);
  }

  // --- characters ---
  [[nodiscard]] bool at_end() const { return position_ >= text_.size(); }

  void skip_space() {
    while (!at_end() && is_space(text_[position_])) ++position_;
  }

  bool accept(std::string_view symbol) {
    if (!text_.substr(position_).starts_with(symbol)) return false;
    position_ += symbol.size();
    skip_space();
    return true;
  }

  std::optional<Function2> accept_comparison() {
    for (const Comparison& comparison : kComparisons) {
      if (accept(comparison.text)) return comparison.function;
    }
    return std::nullopt;
  }

  [[nodiscard]] std::string_view peek_name() const {
    std::size_t end = position_;
    while (end < text_.size() && is_name_part(text_[end])) ++end;
    return text_.substr(position_, end - position_);
  }

  std::string_view take_name() {
    const std::string_view name = peek_name();
    position_ += name.size();
    skip_space();
    return name;
  }

  bool accept_word(std::string_view word) {
    if (peek_name() != word) return false;
    (void)take_name();
    return true;
  }

  // The name, number or character at the current place, short enough for a message.
  [[nodiscard]] std::string quote_item() const {
    std::size_t length = 0;
    const std::string_view rest = text_.substr(position_);
    while (length < rest.size() && (is_name_part(rest[length]) || rest[length] == '.')) ++length;
    return std::string(rest.substr(0, std::clamp<std::size_t>(length, 1, 40)));
  }

  // --- errors ---
  [[noreturn]] void fail(std::string_view what, std::size_t at, std::string_view hint = "") const {
    const auto before = text_.substr(0, at);
    const auto position =
        std::count_if(before.begin(), before.end(), [](char c) { return !continues_character(c); });
    throw ParseError(
        fmt::format("{} at character {} of '{}'{}", what, position + 1, excerpt(at), hint),
        static_cast<int>(position));
  }

  // The text around a place, cut between characters.
  [[nodiscard]] std::string excerpt(std::size_t at) const {
    constexpr std::size_t kReach = 50;
    std::size_t begin = at > kReach ? at - kReach : 0;
    std::size_t end = std::min(text_.size(), at + kReach);
    while (begin > 0 && continues_character(text_[begin])) --begin;
    while (end < text_.size() && continues_character(text_[end])) ++end;
    return fmt::format("{}{}{}", begin > 0 ? "..." : "", text_.substr(begin, end - begin),
                       end < text_.size() ? "..." : "");
  }

  [[noreturn]] void fail_unexpected(std::size_t at) {
    position_ = at;
    fail_unexpected();
  }

  [[noreturn]] void fail_unexpected() const {
    if (at_end()) fail("unexpected end of formula", position_);
    const char c = text_[position_];
    const char* hint = "";
    if (c == '=') hint = "; write '==' to compare";
    if (c == '&') hint = "; write 'and'";
    if (c == '|') hint = "; write 'or'";
    if (c == '!') hint = "; write 'not'";
    if (is_letter(c) || is_digit(c) || c == '(') hint = "; is an operator such as '*' missing?";
    fail(fmt::format("unexpected '{}'", quote_item()), position_, hint);
  }

  void refuse_bare_function(std::string_view name, std::size_t start) const {
    if (!find_callable(name)) return;
    fail(fmt::format("function '{}' without its arguments in parentheses", name), start);
  }

  [[noreturn]] void fail_unknown_function(std::string_view name, std::size_t start) const {
    const bool is_name = name == "pi" || (names_ && names_->find(name) != names_->end());
    if (is_name) {
      fail(fmt::format("'{}' is not a function", name), start,
           fmt::format("; write '{}*(...)' for a product", name));
    }
    std::vector<std::string_view> known;
    known.reserve(kCallables.size());
    for (const Callable& c : kCallables) known.push_back(c.name);
    const std::string_view near = nearest(name, known);
    fail(fmt::format("unknown function '{}'", name), start,
         near.empty() ? fmt::format("; known functions: {}", list_names(known))
                      : fmt::format("; did you mean '{}'?", near));
  }

  [[noreturn]] void fail_arguments(const Callable& callable, int count, std::size_t start) const {
    fail(fmt::format("function '{}' takes {} argument{}, not {},", callable.name, callable.arity,
                     callable.arity == 1 ? "" : "s", count),
         start);
  }

  Graph& graph_;
  std::string_view text_;
  const Names* names_;
  std::vector<std::string> found_;
  std::size_t position_ = 0;
  int depth_ = 0;
};

}  // namespace

Expr parse(Graph& graph, std::string_view text, const Names& names) {
  return Parser(graph, text, &names).parse();
}

std::vector<std::string> identifiers(std::string_view text) {
  Graph scratch;
  Parser parser(scratch, text, nullptr);
  (void)parser.parse();
  return parser.found();
}

}  // namespace clack::formula
