// Text that grows by formatted pieces.
#pragma once

#include <fmt/format.h>

#include <iterator>
#include <utility>

namespace clack {

using TextBuffer = fmt::memory_buffer;

template <class... Arguments>
void put(TextBuffer& out, fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  fmt::format_to(std::back_inserter(out), format, std::forward<Arguments>(arguments)...);
}

}  // namespace clack
