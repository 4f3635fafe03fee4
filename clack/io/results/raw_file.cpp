#include "clack/io/results/raw_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "clack/core/error.hpp"

namespace clack {
namespace {

[[noreturn]] void throw_system_error(const std::string& action, const std::string& path) {
  throw IoError(action + " " + path + ": " + std::strerror(errno));
}

int open_flags(RawFile::Mode mode) {
  const int access = mode == RawFile::Mode::read ? O_RDONLY : O_RDWR | O_CREAT | O_TRUNC;
  return access | O_CLOEXEC;
}

}  // namespace

RawFile::RawFile(std::string path, Mode mode) : path_(std::move(path)) {
  constexpr mode_t kPermissions = 0666;  // less the umask, as any program's output
  descriptor_ = ::open(path_.c_str(), open_flags(mode), kPermissions);
  if (descriptor_ < 0) throw_system_error("cannot open", path_);
}

RawFile::RawFile(RawFile&& other) noexcept
    : path_(std::move(other.path_)), descriptor_(std::exchange(other.descriptor_, -1)) {}

RawFile& RawFile::operator=(RawFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

RawFile::~RawFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void RawFile::read_at(std::uint64_t offset, void* bytes, std::size_t size) const {
  auto* cursor = static_cast<char*>(bytes);
  while (size > 0) {
    const ssize_t count = ::pread(descriptor_, cursor, size, static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw_system_error("cannot read", path_);
    if (count == 0) throw IoError("cannot read " + path_ + ": unexpected end of file");
    cursor += count;
    offset += static_cast<std::uint64_t>(count);
    size -= static_cast<std::size_t>(count);
  }
}

void RawFile::write_at(std::uint64_t offset, const void* bytes, std::size_t size) {
  const auto* cursor = static_cast<const char*>(bytes);
  while (size > 0) {
    const ssize_t count = ::pwrite(descriptor_, cursor, size, static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw_system_error("cannot write", path_);
    cursor += count;
    offset += static_cast<std::uint64_t>(count);
    size -= static_cast<std::size_t>(count);
  }
}

void RawFile::resize(std::uint64_t size) {
  if (::ftruncate(descriptor_, static_cast<off_t>(size)) != 0) {
    throw_system_error("cannot resize", path_);
  }
}

void RawFile::rename_over(const std::string& target) {
  if (std::rename(path_.c_str(), target.c_str()) != 0) {
    throw_system_error("cannot rename " + path_ + " to", target);
  }
  path_ = target;
}

}  // namespace clack
