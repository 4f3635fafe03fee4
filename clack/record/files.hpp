// Folders and files that runs and commands leave behind; what fails is an IoError.
#pragma once

#include <filesystem>
#include <string>

namespace clack {

// The folder given with -o, or out/NAME for a scene NAME.yaml; made where it is missing.
std::filesystem::path make_folder(const std::string& folder, const std::string& scene);

void write_file(const std::filesystem::path& path, const std::string& text);

}  // namespace clack
