// The bytes of a scene file, judged before they reach the YAML library, which takes minutes over
// deep nesting and replaces broken characters in silence.
#pragma once

#include <cstddef>
#include <string>

namespace clack {

inline constexpr std::size_t kMaxSceneBytes = 16u << 20;  // a larger scene is refused
inline constexpr int kMaxSceneDepth = 100;                // brackets within brackets

// The file's text: UTF-8 without control characters. Throws IoError if it cannot be read,
// SceneError if it is too long, no text or nested too deeply.
std::string read_scene_text(const std::string& path);

// The text cut to a length that fits a message, between two characters.
std::string shorten(const std::string& text);

}  // namespace clack
