// A file that is written to its end or is an IoError.
#pragma once

#include <cerrno>
#include <cstring>
#include <fstream>
#include <string>
#include <string_view>

#include "clack/core/error.hpp"

namespace clack {

class OutputFile {
 public:
  explicit OutputFile(const std::string& path) : path_(path), file_(path, std::ios::binary) {
    if (!file_) fail();
  }
  void write(std::string_view bytes) {
    if (!file_.write(bytes.data(), static_cast<std::streamsize>(bytes.size()))) fail();
  }
  void finish() {
    file_.close();
    if (!file_) fail();
  }

 private:
  void fail() const { throw IoError(path_ + ": cannot be written: " + std::strerror(errno)); }

  std::string path_;
  std::ofstream file_;
};

}  // namespace clack
