#include "clack/io/results/events.hpp"

namespace clack {

std::string_view to_string(EventKind kind) {
  constexpr std::array<std::string_view, kEventKinds> kNames = {"impact", "close", "open",
                                                                "stick",  "slip",  "break"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::string_view event_name(std::int32_t code) {
  return code >= 0 && code < kEventKinds ? to_string(static_cast<EventKind>(code)) : "unknown";
}

}  // namespace clack
