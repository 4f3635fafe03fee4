// A POSIX file written and read at given offsets; every failure of the system is an IoError that
// names the path and the cause.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace clack {

class RawFile {
 public:
  enum class Mode { read, create };  // create: truncates a file that is there

  RawFile() = default;
  RawFile(std::string path, Mode mode);
  RawFile(RawFile&& other) noexcept;
  RawFile& operator=(RawFile&& other) noexcept;
  ~RawFile();

  void read_at(std::uint64_t offset, void* bytes, std::size_t size) const;
  void write_at(std::uint64_t offset, const void* bytes, std::size_t size);

  // Makes the file this long; what is added is a hole that reads as zeros.
  void resize(std::uint64_t size);

  // Puts this file in the place of `target` in one step: a reader finds either the old or the new.
  void rename_over(const std::string& target);

  const std::string& path() const { return path_; }

 private:
  std::string path_;
  int descriptor_ = -1;
};

}  // namespace clack
