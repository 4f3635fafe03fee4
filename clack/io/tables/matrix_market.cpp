#include "clack/io/tables/matrix_market.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <fstream>
#include <string_view>
#include <vector>

#include "clack/core/error.hpp"

namespace clack {
namespace {

constexpr double kMostRows = 1e7, kMostEntries = 1e9;

struct Size {
  int rows = 0, columns = 0;
  long entries = 0;
};

// Collects entries and refuses what no matrix has. `fail(line, message)` throws.
template <class Fail>
class EntryList {
 public:
  explicit EntryList(Fail fail) : fail_(fail) {}

  void set_size(long line, double rows, double columns, double entries, bool symmetric) {
    const auto check = [&](double value, double low, double high, const char* what) {
      if (value >= low && value <= high && value == std::floor(value)) return;
      fail_(line, fmt::format("{} {}; it must be a whole number from {} to {:g}", value, what, low,
                              high));
    };
    check(rows, 1, kMostRows, "rows");
    check(columns, 1, kMostRows, "columns");
    check(entries, 0, std::min(kMostEntries, rows * columns), "entries");
    if (symmetric && rows != columns) {
      fail_(line, fmt::format("is {} x {}; a symmetric matrix is square", rows, columns));
    }
    size_ = {static_cast<int>(rows), static_cast<int>(columns), static_cast<long>(entries)};
    symmetric_ = symmetric;
    places_.reserve(static_cast<std::size_t>(std::min(size_.entries, 1L << 24)));
  }
  const Size& size() const { return size_; }
  long count() const { return static_cast<long>(places_.size()); }

  void add(long line, double row, double column, double value) {
    check_index(line, row, size_.rows, "row");
    check_index(line, column, size_.columns, "column");
    if (!std::isfinite(value)) {
      fail_(line,
            fmt::format("the value of ({}, {}) is {}; it must be finite", row, column, value));
    }
    if (count() == size_.entries) {
      fail_(line, fmt::format("has another entry; the matrix says that it has {}", size_.entries));
    }
    int i = static_cast<int>(row) - 1, j = static_cast<int>(column) - 1;
    if (symmetric_ && i < j) std::swap(i, j);
    places_.push_back({j, i, line, value});
  }

  SparseMatrix build(long line) {
    if (count() < size_.entries) {
      fail_(line, fmt::format("the matrix says {} entries and has {}", size_.entries, count()));
    }
    std::stable_sort(places_.begin(), places_.end(), [](const Place& a, const Place& b) {
      return a.column != b.column ? a.column < b.column : a.row < b.row;
    });
    const auto twice = std::adjacent_find(
        places_.begin(), places_.end(),
        [](const Place& a, const Place& b) { return a.column == b.column && a.row == b.row; });
    if (twice != places_.end()) {
      fail_((twice + 1)->line,
            fmt::format("the entry ({}, {}) is given twice, first in line {}{}", twice->row + 1,
                        twice->column + 1, twice->line,
                        symmetric_ ? "; of a symmetric matrix one triangle" : ""));
    }
    MatrixEntries entries;
    entries.reserve(places_.size() * (symmetric_ ? 2 : 1));
    for (const Place& x : places_) {
      entries.emplace_back(x.row, x.column, x.value);
      if (symmetric_ && x.row != x.column) entries.emplace_back(x.column, x.row, x.value);
    }
    SparseMatrix result(size_.rows, size_.columns);
    result.setFromTriplets(entries.begin(), entries.end());
    return result;
  }

 private:
  struct Place {
    int column, row;
    long line;
    double value;
  };

  void check_index(long line, double index, int most, const char* what) {
    if (index >= 1 && index <= most && index == std::floor(index)) return;
    fail_(line, fmt::format("{} {} does not exist; the matrix is {} x {}, counted from 1", what,
                            index, size_.rows, size_.columns));
  }

  Fail fail_;
  Size size_;
  bool symmetric_ = false;
  std::vector<Place> places_;
};

std::vector<std::string_view> words_of(std::string_view line) {
  constexpr std::string_view kBlanks = " \t\r";
  std::vector<std::string_view> words;
  for (std::size_t i = line.find_first_not_of(kBlanks); i < line.size();
       i = line.find_first_not_of(kBlanks, i)) {
    const std::size_t end = std::min(line.find_first_of(kBlanks, i), line.size());
    words.push_back(line.substr(i, end - i));
    i = end;
  }
  return words;
}

std::string lower(std::string_view word) {
  std::string result(word.substr(0, 40));
  std::transform(result.begin(), result.end(), result.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

class MarketReader {
 public:
  explicit MarketReader(const std::string& path)
      : path_(path), file_(path, std::ios::binary), entries_(Fail{*this}) {
    if (!file_) throw IoError(fmt::format("{}: cannot be read: {}", path_, std::strerror(errno)));
  }

  SparseMatrix read() {
    if (!next_line()) fail(1, "is empty; a Matrix Market file starts with %%MatrixMarket");
    read_heading();
    if (!next_entry()) fail(line_number_, "ends before the size of the matrix");
    read_size();
    while (next_entry()) array_ ? read_array_value() : read_entry();
    if (file_.bad()) throw IoError(fmt::format("{}: cannot be read", path_));
    return entries_.build(line_number_);
  }

 private:
  struct Fail {
    const MarketReader& reader;
    [[noreturn]] void operator()(long line, const std::string& message) const {
      reader.fail(line, message);
    }
  };

  [[noreturn]] void fail(long line, const std::string& message) const {
    throw InputError(fmt::format("{}:{}: {}", path_, line, message));
  }

  bool next_line() {
    if (!std::getline(file_, line_)) return false;
    ++line_number_;
    words_ = words_of(line_);
    return true;
  }
  // Skips comments and empty lines.
  bool next_entry() {
    while (next_line()) {
      if (!words_.empty() && words_[0][0] != '%') return true;
    }
    return false;
  }

  void read_heading() {
    if (words_.size() != 5 || lower(words_[0]) != "%%matrixmarket" ||
        lower(words_[1]) != "matrix") {
      fail(1, "expected '%%MatrixMarket matrix coordinate real general' or a like heading");
    }
    const auto choose = [&](std::size_t i, std::initializer_list<const char*> allowed) {
      const std::string word = lower(words_[i]);
      std::string list;
      for (const char* x : allowed) {
        if (word == x) return word;
        list += (list.empty() ? "" : ", ") + std::string(x);
      }
      fail(1, fmt::format("'{}' is not read; allowed: {}", word, list));
    };
    array_ = choose(2, {"coordinate", "array"}) == "array";
    choose(3, {"real", "integer"});
    symmetric_ = array_ ? choose(4, {"general"}) == "symmetric"
                        : choose(4, {"general", "symmetric"}) == "symmetric";
  }

  double number(std::size_t i) const {
    std::string_view word = words_[i];
    if (word.starts_with('+')) word.remove_prefix(1);
    double value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc{} || end != word.data() + word.size()) {
      fail(line_number_, fmt::format("'{}' is no number", words_[i].substr(0, 40)));
    }
    return value;
  }

  void expect_words(std::size_t count, const char* what) const {
    if (words_.size() == count) return;
    fail(line_number_, fmt::format("expected {}; found {} words", what, words_.size()));
  }

  void read_size() {
    expect_words(array_ ? 2 : 3,
                 array_ ? "the size, 'rows columns'" : "the size, 'rows columns entries'");
    const double rows = number(0), columns = number(1);
    entries_.set_size(line_number_, rows, columns, array_ ? rows * columns : number(2), symmetric_);
  }

  void read_entry() {
    expect_words(3, "an entry, 'row column value'");
    entries_.add(line_number_, number(0), number(1), number(2));
  }

  void read_array_value() {
    expect_words(1, "one value");
    const long rows = entries_.size().rows,
               at = std::min(entries_.count(), entries_.size().entries - 1);
    entries_.add(line_number_, static_cast<double>(at % rows + 1),
                 static_cast<double>(at / rows + 1), number(0));
  }

  std::string path_;
  std::ifstream file_;
  std::string line_;
  long line_number_ = 0;
  std::vector<std::string_view> words_;
  bool array_ = false, symmetric_ = false;
  EntryList<Fail> entries_;
};

}  // namespace

SparseMatrix read_matrix_market(const std::string& path) { return MarketReader(path).read(); }

SparseMatrix to_sparse_matrix(const Table& table, const std::string& name) {
  const auto fail = [&](long, const std::string& message) {
    throw InputError(fmt::format("{}: {}", name, message));
  };
  if (table.columns != 3 || table.rows() == 0) fail(0, "expected three columns of numbers");
  EntryList entries(fail);
  entries.set_size(0, table.at(0, 0), table.at(0, 1), table.at(0, 2), false);
  for (std::size_t i = 1; i < table.rows(); ++i)
    entries.add(static_cast<long>(i), table.at(i, 0), table.at(i, 1), table.at(i, 2));
  return entries.build(0);
}

}  // namespace clack
