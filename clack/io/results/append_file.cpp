#include "clack/io/results/append_file.hpp"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "clack/core/error.hpp"

namespace clack {
namespace {

constexpr std::size_t kBufferSize = 64 << 10;  // [bytes], of one column
constexpr std::size_t kCopySize = 1 << 20;     // [bytes], of one read while a file is rebuilt
constexpr double kWasteAllowed = 0.1;          // unused room over used, left in a finished file

// Removes an unfinished file if building it fails.
class TemporaryFile {
 public:
  explicit TemporaryFile(std::string path) : path_(std::move(path)) {}
  ~TemporaryFile() {
    if (!path_.empty()) std::remove(path_.c_str());
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  const std::string& path() const { return path_; }
  void keep() { path_.clear(); }

 private:
  std::string path_;
};

void copy_range(const RawFile& source, std::uint64_t from, RawFile& target, std::uint64_t to,
                std::uint64_t size, std::vector<char>& buffer) {
  for (std::uint64_t done = 0; done < size;) {
    const std::size_t part = std::min<std::uint64_t>(buffer.size(), size - done);
    source.read_at(from + done, buffer.data(), part);
    target.write_at(to + done, buffer.data(), part);
    done += part;
  }
}

void write_count(RawFile& file, const ColumnPlace& place, std::int64_t rows) {
  const auto count = static_cast<std::uint64_t>(rows);
  file.write_at(place.count, &count, sizeof count);
}

}  // namespace

AppendFile::AppendFile(std::string path, const std::vector<ColumnSpec>& columns,
                       StaticContent content)
    : path_(std::move(path)), content_(std::move(content)) {
  std::vector<std::int64_t> capacities;
  for (const auto& spec : columns) {
    Column column;
    column.spec = spec;
    column.row_size = row_size(spec);
    column.buffer.resize(kBufferSize);
    columns_.push_back(std::move(column));
    capacities.push_back(std::max({std::int64_t{1}, spec.initial_rows, spec.capacity}));
  }
  rebuild(capacities);
  for (auto& column : columns_) column.written = column.published = column.spec.initial_rows;
}

AppendFile::~AppendFile() {
  try {
    if (!finished_) publish();
  } catch (...) {  // the rows published before are safe, and a destructor has nobody to tell
  }
}

void AppendFile::append_large(Column& column, const void* rows, std::size_t row_count) {
  if (finished_) throw IoError("cannot append to " + path_ + ": it is finished");
  flush(column);
  if (row_count * column.row_size > column.buffer.size()) {
    write_rows(column, rows, static_cast<std::int64_t>(row_count));
  } else {
    append(static_cast<std::size_t>(&column - columns_.data()), rows, row_count);
  }
}

void AppendFile::write_rows(Column& column, const void* rows, std::int64_t row_count) {
  ensure_capacity(column, column.written + row_count);
  const auto offset = static_cast<std::uint64_t>(column.written) * column.row_size;
  const auto size = static_cast<std::size_t>(row_count) * column.row_size;
  file_.write_at(column.place.rows + offset, rows, size);
  column.written += row_count;
}

void AppendFile::flush(Column& column) {
  if (column.buffered_rows == 0) return;
  write_rows(column, column.buffer.data(), column.buffered_rows);
  column.buffered_rows = 0;
  column.buffered_size = 0;
}

void AppendFile::publish() {
  for (auto& column : columns_) flush(column);
  for (auto& column : columns_) {
    if (column.published == column.written) continue;
    write_count(file_, column.place, column.written);
    column.published = column.written;
  }
}

void AppendFile::move_to(const std::string& target) {
  publish();
  file_.rename_over(target);
  path_ = target;
}

void AppendFile::finish() {
  if (finished_) return;
  publish();
  if (wastes_room()) {
    std::vector<std::int64_t> exact;
    for (const auto& column : columns_) exact.push_back(std::max<std::int64_t>(1, column.written));
    rebuild(exact);
  }
  finished_ = true;
  file_ = RawFile();
  for (auto& column : columns_) column.buffer = {};  // so that append() notices
}

bool AppendFile::wastes_room() const {
  double used = 0;
  double unused = 0;
  for (const auto& column : columns_) {
    const auto size = static_cast<double>(column.row_size);
    used += size * static_cast<double>(column.written);
    unused += size * static_cast<double>(column.spec.capacity - column.written);
  }
  return unused > kWasteAllowed * used;
}

// The capacity reached depends on the number of rows of a group alone, never on when they were
// flushed: the bytes of a finished file must not depend on the clock.
void AppendFile::ensure_capacity(const Column& column, std::int64_t needed) {
  if (needed <= column.spec.capacity) return;
  std::vector<std::int64_t> capacities;
  for (const auto& other : columns_) {
    std::int64_t capacity = other.spec.capacity;
    while (other.spec.group == column.spec.group && capacity < needed) capacity *= 2;
    capacities.push_back(capacity);
  }
  rebuild(capacities);
}

void AppendFile::rebuild(const std::vector<std::int64_t>& capacities) {
  std::vector<ColumnSpec> specs;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    specs.push_back(columns_[i].spec);
    specs.back().capacity = capacities[i];
  }
  TemporaryFile temporary(path_ + ".tmp");
  ContainerFile made = make_container(temporary.path(), specs, content_);
  copy_rows(made);
  made.file.rename_over(path_);
  temporary.keep();
  file_ = std::move(made.file);
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    columns_[i].place = made.places[i];
    columns_[i].spec.capacity = capacities[i];
  }
}

void AppendFile::copy_rows(ContainerFile& target) const {
  std::vector<char> buffer(kCopySize);
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const Column& column = columns_[i];
    const auto size = static_cast<std::uint64_t>(column.written) * column.row_size;
    copy_range(file_, column.place.rows, target.file, target.places[i].rows, size, buffer);
    if (column.published > 0) write_count(target.file, target.places[i], column.published);
  }
}

}  // namespace clack
