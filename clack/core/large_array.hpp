// Large arrays that are traversed many times: on pages of 2 MiB where the system
// gives them when it is asked (Linux). A stream then misses no address translation, and the
// hardware's prefetchers, which stop at the end of a page, go on.
#pragma once

#include <algorithm>
#include <cstddef>
#include <new>
#include <vector>

namespace clack {

inline constexpr std::size_t kLargePage = std::size_t{2} << 20;  // [byte]

// Memory fresh from the system, since pages that have been used before stay as small as they are;
// on large pages where there are any. Throws std::bad_alloc.
void* allocate_large(std::size_t bytes);
void free_large(void* memory, std::size_t bytes) noexcept;

template <class T>
struct LargePageAllocator {
  using value_type = T;

  LargePageAllocator() = default;
  template <class U>
  LargePageAllocator(const LargePageAllocator<U>&) noexcept {}

  T* allocate(std::size_t count) {
    if (is_large(count)) return static_cast<T*>(allocate_large(count * sizeof(T)));
    return static_cast<T*>(::operator new(count * sizeof(T), kAlignment));
  }
  void deallocate(T* memory, std::size_t count) noexcept {
    if (is_large(count))
      free_large(memory, count * sizeof(T));
    else
      ::operator delete(memory, kAlignment);
  }

  template <class U>
  bool operator==(const LargePageAllocator<U>&) const {
    return true;
  }

 private:
  static bool is_large(std::size_t count) { return count * sizeof(T) >= kLargePage; }
  static constexpr std::align_val_t kAlignment{std::max(alignof(T), alignof(double))};
};

template <class T>
using LargeArray = std::vector<T, LargePageAllocator<T>>;

}  // namespace clack
