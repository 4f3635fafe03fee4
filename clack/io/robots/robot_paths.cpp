#include <fmt/format.h>

#include <filesystem>
#include <pugixml.hpp>

#include "clack/core/error.hpp"
#include "clack/io/robots/robot_options.hpp"
#include "clack/io/scene/scene_text.hpp"

namespace clack {
namespace {

namespace fs = std::filesystem;

bool is_package(const fs::path& folder, const std::string& name) {
  const fs::path file = folder / "package.xml";
  std::error_code code;
  if (!fs::is_regular_file(file, code)) return false;
  pugi::xml_document document;
  if (!document.load_file(file.c_str())) return false;
  std::string found = document.child("package").child_value("name");
  const std::size_t first = found.find_first_not_of(" \t\r\n");
  const std::size_t last = found.find_last_not_of(" \t\r\n");
  return first != std::string::npos && found.substr(first, last - first + 1) == name;
}

// The package that the robot lies in, or one beside a folder that it lies in.
fs::path find_package(const std::string& name, const fs::path& from) {
  for (fs::path folder = from;; folder = folder.parent_path()) {
    if (is_package(folder, name)) return folder;
    if (is_package(folder / name, name)) return folder / name;
    if (folder == folder.parent_path()) return {};
  }
}

fs::path package_file(const std::string& rest, const fs::path& folder,
                      const std::map<std::string, std::string>& packages) {
  const std::size_t cut = rest.find('/');
  const std::string name = rest.substr(0, cut);
  if (cut == std::string::npos)
    throw InputError(
        fmt::format("expected package://NAME/PATH; found 'package://{}'", shorten(rest)));
  const auto given = packages.find(name);
  const fs::path package =
      given != packages.end() ? fs::path(given->second) : find_package(name, folder);
  if (package.empty())
    throw InputError(fmt::format(
        "there is no package '{}': no package.xml of this name in {} or above it; give its folder "
        "(--package {}=DIR, in scenes 'packages: {{{}: DIR}}')",
        shorten(name), folder.string(), name, name));
  return package / rest.substr(cut + 1);
}

}  // namespace

std::string find_robot_file(const std::string& uri, const std::string& robot_path,
                            const std::map<std::string, std::string>& packages) {
  std::error_code code;
  const fs::path folder = fs::weakly_canonical(fs::absolute(robot_path), code).parent_path();
  const std::size_t cut = uri.find("://");
  const std::string scheme = uri.substr(0, cut == std::string::npos ? 0 : cut);
  fs::path file;
  if (scheme == "package") {
    file = package_file(uri.substr(cut + 3), folder, packages);
  } else if (scheme == "file") {
    file = uri.substr(cut + 3);
  } else if (!scheme.empty()) {
    throw InputError(
        fmt::format("'{}' is not read; allowed are package://NAME/PATH, file:///PATH and "
                    "paths from the robot's folder; nothing is fetched from elsewhere",
                    shorten(uri)));
  } else {
    file = folder / uri;
  }
  if (!fs::is_regular_file(file, code))
    throw InputError(fmt::format("there is no file {}", file.string()));
  return file.lexically_normal().string();
}

}  // namespace clack
