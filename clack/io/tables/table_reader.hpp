// Tables of numbers as text: a trajectory made by another program.
#pragma once

#include <string>
#include <vector>

namespace clack {

struct Table {
  std::vector<std::string> names;  // of the columns; empty where the file has no heading
  std::size_t columns = 0;
  std::vector<double> values;  // row by row

  std::size_t rows() const { return columns == 0 ? 0 : values.size() / columns; }
  double at(std::size_t row, std::size_t column) const { return values[row * columns + column]; }
};

// Numbers separated by commas, semicolons or blanks, a row a line. The first line may name the
// columns, or say `rows columns` where exactly these follow; empty lines and those that start with
// # are skipped. Throws IoError if the file cannot be read, InputError with file:line where it is
// no such table.
Table read_table(const std::string& path);

}  // namespace clack
