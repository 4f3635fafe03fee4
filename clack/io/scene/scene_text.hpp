// The bytes of a scene file, judged before they reach the YAML library, which takes minutes over
// deep nesting and replaces broken characters in silence.
#pragma once

#include <cstddef>
#include <string>

namespace clack {

inline constexpr std::size_t kMaxSceneBytes = 16u << 20;  // a larger scene is refused
inline constexpr int kMaxSceneDepth = 100;                // brackets within brackets

// The file's bytes, up to one more than is allowed. Throws IoError if it cannot be read.
std::string read_scene_text(const std::string& path);
// Throws SceneError for what is not UTF-8 without control characters, too long or nested too
// deeply.
void check_scene_text(const std::string& path, const std::string& text);

// The text cut to a length that fits a message, between two characters.
std::string shorten(const std::string& text);

}  // namespace clack
