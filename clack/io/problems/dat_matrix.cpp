#include "clack/io/problems/dat_matrix.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <vector>

namespace clack {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

struct Reader {
  TokenReader& tokens;
  std::string name;
  int rows = 0;
  int cols = 0;
  std::vector<Triplet> triplets;

  std::string of(const char* what) const { return fmt::format("{} of {}", what, name); }

  void read_dense();
  void read_blocks();
  void read_sparse();

  std::vector<int> read_ends(int count, int total, const char* what);
  std::vector<int> read_row_pointer(int block_rows, int block_count);
  void read_block(int row, int height, int col, int width);

  std::int64_t read_banner(bool& is_triplet);
  void read_dimensions(std::string_view token);
  std::int64_t read_count(const char* label, std::string_view what);
  bool at_entry(int indices);
  void read_triplets();
  void read_compressed(bool by_rows);
};

void Reader::read_dense() {
  tokens.integer(of("number of rows"), rows, rows);
  tokens.integer(of("number of columns"), cols, cols);
  tokens.require_room(static_cast<std::int64_t>(rows) * cols, name);
  const std::string what = of("an entry");
  for (int j = 0; j < cols; ++j) {
    for (int i = 0; i < rows; ++i) {
      const double value = tokens.real(what);
      if (value != 0) triplets.emplace_back(i, j, value);
    }
  }
}

// 0 and the running ends of `count` blocks that cover `total` rows.
std::vector<int> Reader::read_ends(int count, int total, const char* what) {
  tokens.require_room(count, of(what));
  std::vector<int> ends(at(count) + 1, 0);
  for (int i = 1; i <= count; ++i) {
    ends[at(i)] = tokens.integer(of(what), ends[at(i) - 1], total);
  }
  if (ends.back() != total) {
    tokens.fail(fmt::format("the last {} is {}; it must be {}", of(what), ends.back(), total));
  }
  return ends;
}

// A row pointer may stop early: the block rows behind it are empty.
std::vector<int> Reader::read_row_pointer(int block_rows, int block_count) {
  const int length = tokens.integer(of("length of the row pointer"), 1, block_rows + 1);
  tokens.integer(of("length of the column list"), block_count, block_count);
  std::vector<int> pointer(at(block_rows) + 1, block_count);
  int last = 0;
  for (int i = 0; i < length; ++i) {
    last = tokens.integer(of("the row pointer"), last, i == 0 ? 0 : block_count);
    pointer[at(i)] = last;
  }
  if (last != block_count) {
    tokens.fail(
        fmt::format("the row pointer of {} ends with {}; it must end with the number of "
                    "blocks, {}",
                    name, last, block_count));
  }
  return pointer;
}

void Reader::read_block(int row, int height, int col, int width) {
  tokens.require_room(static_cast<std::int64_t>(height) * width, of("a block"));
  const std::string what = of("an entry");
  for (int j = 0; j < width; ++j) {
    for (int i = 0; i < height; ++i) {
      triplets.emplace_back(row + i, col + j, tokens.real(what));
    }
  }
}

void Reader::read_blocks() {
  const int block_count = tokens.integer(of("number of blocks"), 0, tokens.room());
  const int block_rows = tokens.integer(of("number of block rows"), 0, tokens.room());
  const int block_cols = tokens.integer(of("number of block columns"), 0, tokens.room());
  const auto row_end = read_ends(block_rows, rows, "row ends");
  const auto col_end = read_ends(block_cols, cols, "column ends");
  const auto pointer = read_row_pointer(block_rows, block_count);
  tokens.require_room(block_count, of("the column list"));
  std::vector<int> column(at(block_count));
  for (int& j : column) j = tokens.integer(of("a block column"), 0, block_cols - 1);

  for (int i = 0; i < block_rows; ++i) {
    for (int k = pointer[at(i)]; k < pointer[at(i) + 1]; ++k) {
      tokens.integer(of("a block's number"), k, k);
      const int j = column[at(k)];
      read_block(row_end[at(i)], row_end[at(i) + 1] - row_end[at(i)], col_end[at(j)],
                 col_end[at(j) + 1] - col_end[at(j)]);
    }
  }
}

// "R-by-C,": CSparse prints six digits, so that only smaller numbers can be checked.
void Reader::read_dimensions(std::string_view token) {
  const auto split = token.find("-by-");
  if (split == std::string_view::npos) {
    tokens.fail(fmt::format("'{}' stands where the dimensions of {} are expected (ROWS-by-COLS)",
                            token.substr(0, 40), name));
  }
  const auto check = [&](std::string_view text, int expected) {
    double value = -1;
    std::from_chars(text.data(), text.data() + text.size(), value);
    if (value == expected || (expected >= 1000000 && value >= 1000000)) return;
    tokens.fail(fmt::format("{} is said to be {}, but the storage is {}x{}", name,
                            token.substr(0, 40), rows, cols));
  };
  check(token.substr(0, split), rows);
  check(token.substr(split + 4), cols);
}

// A count printed with six digits: exact below a million, -1 (unknown) above.
std::int64_t Reader::read_count(const char* label, std::string_view what) {
  tokens.expect(label);
  std::string_view token = tokens.next(what);
  if (token.ends_with(',')) token.remove_suffix(1);
  double value = -1;
  const auto [stop, error] = std::from_chars(token.data(), token.data() + token.size(), value);
  const bool good = error == std::errc() && stop == token.data() + token.size();
  if (!good || !(value >= 0) || !(value < 9e15)) {
    tokens.fail(fmt::format("'{}' is not a count; {} is expected", token.substr(0, 40), what));
  }
  return value < 1000000 ? static_cast<std::int64_t>(value) : -1;
}

// The line with CSparse's version and the line with the dimensions; the number of entries, or -1.
std::int64_t Reader::read_banner(bool& is_triplet) {
  const std::string_view banner = tokens.next("CSparse's version line");
  if (banner != "CSparse") {
    tokens.fail(
        fmt::format("'{}' stands where CSparse's version line is expected", banner.substr(0, 40)));
  }
  tokens.rest_of_line();
  std::string_view token = tokens.next(of("dimensions"));
  is_triplet = token == "triplet:";
  if (is_triplet) token = tokens.next(of("dimensions"));
  read_dimensions(token);
  read_count("nzmax:", of("room for entries"));
  const std::int64_t count = read_count("nnz:", of("number of entries"));
  if (count > 0) tokens.require_room(count * (is_triplet ? 4 : 3), name);
  if (tokens.peek() == "1-norm:") {
    tokens.expect("1-norm:");
    tokens.next(of("1-norm"));
  }
  return count;
}

// Whether an entry "i : value" or "i j : value" follows. The counts that are printed lose digits
// above a million, the colons do not.
bool Reader::at_entry(int indices) { return tokens.peek(indices) == ":"; }

void Reader::read_triplets() {
  const std::string row = of("row index");
  const std::string col = of("column index");
  const std::string what = of("an entry");
  while (at_entry(2)) {
    const int i = tokens.integer(row, 0, rows - 1);
    const int j = tokens.integer(col, 0, cols - 1);
    tokens.expect(":");
    triplets.emplace_back(i, j, tokens.real(what));
  }
}

void Reader::read_compressed(bool by_rows) {
  const int outer = by_rows ? rows : cols;
  const int inner = by_rows ? cols : rows;
  const std::string what = of("an entry");
  const std::string index = of("index");
  for (int k = 0; k < outer; ++k) {
    const std::string_view label = tokens.next("'col'");
    if (label != "col" && !(by_rows && label == "row")) {
      tokens.fail(fmt::format("'{}' stands where column {} of {} is expected", label.substr(0, 40),
                              k, name));
    }
    tokens.integer(of("column number"), k, k);
    tokens.expect(":");
    const std::int64_t begin = read_count("locations", what);
    tokens.expect("to");
    tokens.next(what);  // one less than the next begin, -1 in an empty matrix
    if (begin >= 0 && begin != static_cast<std::int64_t>(triplets.size())) {
      tokens.fail(fmt::format("column {} of {} starts at entry {}; {} were read before", k, name,
                              begin, triplets.size()));
    }
    while (at_entry(1)) {
      const int i = tokens.integer(index, 0, inner - 1);
      tokens.expect(":");
      const double value = tokens.real(what);
      triplets.emplace_back(by_rows ? k : i, by_rows ? i : k, value);
    }
  }
}

void Reader::read_sparse() {
  const int origin = tokens.integer(of("origin"), 1, 3);
  bool is_triplet = false;
  const std::int64_t count = read_banner(is_triplet);
  if (is_triplet) {
    read_triplets();
  } else if (count != 0 || tokens.peek() == "col" || tokens.peek() == "row") {
    read_compressed(origin == 3);
  }
  const auto found = static_cast<std::int64_t>(triplets.size());
  if (count >= 0 && count != found) {
    tokens.fail(fmt::format("{} has {} entries; {} are announced", name, found, count));
  }
}

}  // namespace

SparseMatrix read_dat_matrix(TokenReader& reader, std::string_view name, ExpectedShape shape) {
  Reader matrix{reader, std::string(name), 0, 0, {}};
  const int storage = reader.integer(matrix.of("storage"), 0, 2);
  const auto extent = [&](const char* what, std::int64_t expected) {
    const int count = reader.integer(matrix.of(what), 0, std::max(reader.room(), expected));
    if (expected >= 0 && count != expected)
      reader.fail(
          fmt::format("{} is {}; it must be {}{}", matrix.of(what), count, expected, shape.reason));
    return count;
  };
  matrix.rows = extent("number of rows", shape.rows);
  matrix.cols = extent("number of columns", shape.cols >= 0 ? shape.cols : matrix.rows);
  if (storage == 0) matrix.read_dense();
  if (storage == 1) matrix.read_blocks();
  if (storage == 2) matrix.read_sparse();
  SparseMatrix result(matrix.rows, matrix.cols);
  result.setFromTriplets(matrix.triplets.begin(), matrix.triplets.end());
  return result;
}

}  // namespace clack
