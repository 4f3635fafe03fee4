#include "clack/io/tables/table_reader.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <limits>
#include <optional>
#include <string_view>

#include "clack/core/error.hpp"

namespace clack {
namespace {

constexpr std::size_t kMaxNumbers = 1u << 28;  // 2 GB

std::vector<std::string_view> split(std::string_view line) {
  constexpr std::string_view kSeparators = " \t\r,;";
  std::vector<std::string_view> words;
  for (std::size_t i = line.find_first_not_of(kSeparators); i < line.size();
       i = line.find_first_not_of(kSeparators, i)) {
    const std::size_t end = std::min(line.find_first_of(kSeparators, i), line.size());
    words.push_back(line.substr(i, end - i));
    i = end;
  }
  return words;
}

std::optional<double> to_number(std::string_view word) {
  if (word.starts_with('+')) word.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error == std::errc::result_out_of_range) {  // 1e-400 or 1e400
    return word.find("e-") != std::string_view::npos ? 0 : std::numeric_limits<double>::infinity();
  }
  if (error != std::errc{} || end != word.data() + word.size()) return std::nullopt;
  return value;
}

class TableReader {
 public:
  explicit TableReader(const std::string& path) : path_(path) {}

  Table read() {
    std::ifstream file(path_, std::ios::binary);
    if (!file) throw IoError(fmt::format("{}: cannot be read: {}", path_, std::strerror(errno)));
    for (std::string line; std::getline(file, line);) {
      ++line_;
      const std::vector<std::string_view> words = split(line);
      if (!words.empty() && words[0][0] != '#') add(words);
    }
    if (file.bad()) throw IoError(fmt::format("{}: cannot be read", path_));
    if (table_.rows() == 0) throw InputError(fmt::format("{}: holds no numbers", path_));
    if (announced_ && table_.rows() != *announced_) {
      throw InputError(
          fmt::format("{}: says {} rows and holds {}", path_, *announced_, table_.rows()));
    }
    return std::move(table_);
  }

 private:
  [[noreturn]] void fail(const std::string& message) const {
    throw InputError(fmt::format("{}:{}: {}", path_, line_, message));
  }

  void add(const std::vector<std::string_view>& words) {
    if (table_.columns == 0 && !to_number(words[0])) {
      table_.names.assign(words.begin(), words.end());
      table_.columns = words.size();
      return;
    }
    if (table_.columns == 2 && table_.names.empty() && words.size() != 2) announce();
    if (table_.columns == 0) table_.columns = words.size();
    if (words.size() != table_.columns) {
      fail(fmt::format("has {} columns; the lines above have {}", words.size(), table_.columns));
    }
    if (table_.values.size() > kMaxNumbers) fail("the table is too long");
    for (const std::string_view word : words) {
      const std::optional<double> value = to_number(word);
      if (!value) fail(fmt::format("'{}' is no number", word.substr(0, 40)));
      table_.values.push_back(*value);
    }
  }

  // The one line so far was `rows columns`.
  void announce() {
    if (table_.rows() != 1 || !(table_.values[0] >= 0) || table_.values[1] < 1 ||
        table_.values[0] > kMaxNumbers || table_.values[1] > kMaxNumbers) {
      fail("has another number of columns than the lines above");
    }
    announced_ = static_cast<std::size_t>(table_.values[0]);
    table_.columns = static_cast<std::size_t>(table_.values[1]);
    table_.values.clear();
  }

  const std::string& path_;
  std::size_t line_ = 0;
  std::optional<std::size_t> announced_;
  Table table_;
};

}  // namespace

Table read_table(const std::string& path) { return TableReader(path).read(); }

}  // namespace clack
