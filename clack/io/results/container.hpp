// The HDF5 container of a growing table: columns with room for `capacity` rows, beside attributes
// and datasets that never change.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "clack/io/results/raw_file.hpp"

namespace clack {

enum class ColumnType { float64, int32, int64 };

std::size_t size_of(ColumnType type);  // [bytes]

struct ColumnSpec {
  std::string path;  // "/energy/kinetic"; groups are made as needed
  ColumnType type = ColumnType::float64;
  std::vector<int> row_shape;     // {}: one value a row; {3}: the dataset is [n,3]
  std::int64_t capacity = 1;      // rows, >= 1
  std::int64_t initial_rows = 0;  // rows of zeros that are there from the start
  int group = 0;                  // columns of a group get new capacity together
};

std::size_t row_size(const ColumnSpec& column);  // [bytes]

// A dataset written once. Strings are stored with the length of the longest (UTF-8, zero padded).
struct StaticDataset {
  using Values = std::variant<std::vector<double>, std::vector<std::int32_t>,
                              std::vector<std::int64_t>, std::vector<std::string>>;
  std::string path;
  Values values;
  std::vector<int> shape = {};  // {}: one dimension, as many as there are values
};

struct StaticContent {
  std::map<std::string, std::string> attributes;  // of the root group
  std::vector<StaticDataset> datasets;
};

// Where a column lies in the file [bytes from its start].
struct ColumnPlace {
  std::uint64_t rows = 0;   // first row
  std::uint64_t count = 0;  // the 8-byte number of rows that readers see
};

struct ContainerFile {
  RawFile file;
  std::vector<ColumnPlace> places;  // by column
};

// Writes the file at `path`, replacing one that is there; all rows are zero. Equal arguments give
// equal bytes. Room for rows is a hole in the file: it takes no disk space until it is written.
[[nodiscard]] ContainerFile make_container(const std::string& path,
                                           const std::vector<ColumnSpec>& columns,
                                           const StaticContent& content);

}  // namespace clack
