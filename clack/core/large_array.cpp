#include "clack/core/large_array.hpp"

#if __has_include(<sys/mman.h>)
#include <sys/mman.h>
#endif

namespace clack {

void advise_large_pages([[maybe_unused]] void* begin, [[maybe_unused]] std::size_t bytes) noexcept {
#ifdef MADV_HUGEPAGE
  (void)madvise(begin, bytes, MADV_HUGEPAGE);  // advice: a refusal changes nothing but the speed
#endif
}

}  // namespace clack
