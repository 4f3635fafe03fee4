// A table that grows row by row inside a plain HDF5 file, readable at any moment of the run.
//
// The container (container.hpp) is made by HDF5 once. Rows then go to their places by
// pwrite, and publish() makes them visible by writing each column's row count. So at any instant,
// also after kill -9, the file is complete and its shapes count published rows only. Appending is a
// copy into a buffer: no HDF5 call and no allocation. When a capacity is exhausted, a larger file
// is built beside this one (path + ".tmp") and renamed over it; doubling keeps the cost linear.
//
// Columns are published in their order. A reader that runs beside the writer takes the length of
// the *last* column first and cuts the others to it: they are never shorter.
//
// Not covered: a power failure (nothing is fsynced). Two writers on one path. Two threads at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "clack/io/results/container.hpp"
#include "clack/io/results/raw_file.hpp"

namespace clack {

class AppendFile {
 public:
  // Replaces a file at `path`. Throws IoError, or InputError on static content that cannot be
  // stored.
  AppendFile(std::string path, const std::vector<ColumnSpec>& columns, StaticContent content);
  ~AppendFile();  // publishes what it can, silently
  AppendFile(const AppendFile&) = delete;
  AppendFile& operator=(const AppendFile&) = delete;

  // `rows`: row_count rows, row-major, of the column's type. After an IoError nothing of them has
  // been appended, and the call can be repeated.
  void append(std::size_t column, const void* rows, std::size_t row_count) {
    Column& target = columns_[column];
    const std::size_t size = row_count * target.row_size;
    if (size > target.buffer.size() - target.buffered_size) {
      append_large(target, rows, row_count);
      return;
    }
    if (size > 0) std::memcpy(target.buffer.data() + target.buffered_size, rows, size);
    target.buffered_size += size;
    target.buffered_rows += static_cast<std::int64_t>(row_count);
  }

  void publish();

  // Renames the file, over one that is there.
  void move_to(const std::string& target);

  // Publishes, rewrites the file with exact sizes if much room is unused, and closes it. Nothing
  // can be appended afterwards.
  void finish();

  std::int64_t rows(std::size_t column) const { return columns_[column].total_rows(); }
  std::int64_t published_rows(std::size_t column) const { return columns_[column].published; }
  std::int64_t capacity(std::size_t column) const { return columns_[column].spec.capacity; }
  const std::string& path() const { return path_; }

 private:
  struct Column {
    ColumnSpec spec;
    std::size_t row_size = 0;  // [bytes]
    ColumnPlace place;
    std::int64_t published = 0;  // rows that readers see
    std::int64_t written = 0;    // rows in the file
    std::int64_t buffered_rows = 0;
    std::size_t buffered_size = 0;  // [bytes]
    std::vector<char> buffer;

    std::int64_t total_rows() const { return written + buffered_rows; }
  };

  void append_large(Column& column, const void* rows, std::size_t row_count);
  void write_rows(Column& column, const void* rows, std::int64_t row_count);
  void flush(Column& column);
  void ensure_capacity(const Column& column, std::int64_t needed);
  bool wastes_room() const;
  void rebuild(const std::vector<std::int64_t>& capacities);
  void copy_rows(ContainerFile& target) const;

  std::string path_;
  StaticContent content_;
  std::vector<Column> columns_;
  RawFile file_;
  bool finished_ = false;
};

}  // namespace clack
