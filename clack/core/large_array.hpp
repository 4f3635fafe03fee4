// Arrays that are gone through again and again and may be large: on pages of 2 MiB where the system
// gives them when it is asked (Linux). A stream then misses no address translation, and the
// hardware's prefetchers, which stop at the end of a page, go on.
#pragma once

#include <algorithm>
#include <cstddef>
#include <new>
#include <vector>

namespace clack {

inline constexpr std::size_t kLargePage = std::size_t{2} << 20;  // [byte]

// Asks for large pages; nothing happens where there are none.
void advise_large_pages(void* begin, std::size_t bytes) noexcept;

template <class T>
struct LargePageAllocator {
  using value_type = T;

  LargePageAllocator() = default;
  template <class U>
  LargePageAllocator(const LargePageAllocator<U>&) noexcept {}

  T* allocate(std::size_t count) {
    void* memory = ::operator new(count * sizeof(T), alignment(count));
    if (is_large(count)) advise_large_pages(memory, count * sizeof(T));
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t count) noexcept {
    ::operator delete(memory, alignment(count));
  }

  template <class U>
  bool operator==(const LargePageAllocator<U>&) const {
    return true;
  }

 private:
  static bool is_large(std::size_t count) { return count * sizeof(T) >= kLargePage; }
  static std::align_val_t alignment(std::size_t count) {
    return std::align_val_t{is_large(count) ? kLargePage : std::max(alignof(T), alignof(double))};
  }
};

template <class T>
using LargeArray = std::vector<T, LargePageAllocator<T>>;

}  // namespace clack
