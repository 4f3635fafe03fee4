// What a loop will need soon, asked for in time: for arrays that do not fit into the caches and are
// gone through out of order, or beside so many others that the hardware does not follow.
#pragma once

#include <cstddef>

namespace clack {

// All cache lines of an object, into the second cache: the first one has too few misses under way
// at a time to keep the memory busy.
template <class T>
inline void prefetch(const T& object) {
  constexpr std::size_t kCacheLine = 64;  // [byte]
  const char* const bytes = reinterpret_cast<const char*>(&object);
  for (std::size_t at = 0; at < sizeof(T); at += kCacheLine) __builtin_prefetch(bytes + at, 0, 2);
  if (alignof(T) < kCacheLine) __builtin_prefetch(bytes + sizeof(T) - 1, 0, 2);
}

}  // namespace clack
