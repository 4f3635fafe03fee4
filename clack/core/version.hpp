#pragma once

namespace clack {

inline constexpr const char* kVersion = "0.1.0";

}  // namespace clack
