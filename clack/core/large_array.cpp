#include "clack/core/large_array.hpp"

#if __has_include(<sys/mman.h>)
#include <sys/mman.h>
#endif

#include <cstdint>

namespace clack {

#ifdef MADV_HUGEPAGE

namespace {

std::size_t whole_pages(std::size_t bytes) {
  return (bytes + kLargePage - 1) / kLargePage * kLargePage;
}

}  // namespace

// One page more than needed, of which what lies before and behind the aligned range goes back.
void* allocate_large(std::size_t bytes) {
  const std::size_t size = whole_pages(bytes);
  void* mapped =
      mmap(nullptr, size + kLargePage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) throw std::bad_alloc();
  char* const begin = static_cast<char*>(mapped);
  const std::size_t before =
      (kLargePage - reinterpret_cast<std::uintptr_t>(begin) % kLargePage) % kLargePage;
  if (before > 0) munmap(begin, before);
  munmap(begin + before + size, kLargePage - before);
  (void)madvise(begin + before, size, MADV_HUGEPAGE);  // a refusal changes nothing but the speed
  return begin + before;
}

void free_large(void* memory, std::size_t bytes) noexcept { munmap(memory, whole_pages(bytes)); }

#else

void* allocate_large(std::size_t bytes) {
  return ::operator new (bytes, std::align_val_t{kLargePage});
}
void free_large(void* memory, std::size_t) noexcept {
  ::operator delete (memory, std::align_val_t{kLargePage});
}

#endif

}  // namespace clack
