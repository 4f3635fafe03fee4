#include "clack/record/files.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>

#include "clack/core/error.hpp"

namespace clack {

std::filesystem::path make_folder(const std::string& given, const std::string& scene) {
  std::filesystem::path folder = given;
  if (folder.empty()) folder = std::filesystem::path("out") / std::filesystem::path(scene).stem();
  std::error_code code;
  std::filesystem::create_directories(folder, code);
  if (code) throw IoError(fmt::format("{}: cannot be made: {}", folder.string(), code.message()));
  return folder;
}

void write_file(const std::filesystem::path& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  if (!file.flush())
    throw IoError(fmt::format("{}: cannot be written: {}", path.string(), std::strerror(errno)));
}

}  // namespace clack
