# Warnings and sanitizers, carried by one interface target that every target of the project links.
add_library(clack_build_flags INTERFACE)
target_compile_options(clack_build_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow
                       -Wno-missing-field-initializers -Wno-maybe-uninitialized -Wno-restrict -Wno-array-bounds)
# Vectors of three are not worth packets of two: what was just written as single numbers and is read as a packet
# stalls the processor (a fifth of a step of 10,000 spheres). Long arrays are aligned and keep their packets.
target_compile_definitions(clack_build_flags INTERFACE EIGEN_UNALIGNED_VECTORIZE=0)
# Under sanitizers the rooms are optimised a little and checked in full; the tests themselves are only
# checked for addresses, which compiles three times faster.
add_library(clack_room_flags INTERFACE)
if(CLACK_SANITIZE)
  target_compile_options(clack_build_flags INTERFACE -g1 -fno-omit-frame-pointer -fsanitize=address)
  target_link_options(clack_build_flags INTERFACE -fsanitize=address,undefined)
  target_compile_options(clack_room_flags INTERFACE -O1 -fsanitize=undefined -fno-sanitize-recover=undefined)
endif()
# With assertions of our own, those of the standard library too; one instruction set is enough.
set(checked $<OR:$<BOOL:${CLACK_SANITIZE}>,$<CONFIG:Debug>>)
target_compile_definitions(clack_build_flags INTERFACE $<${checked}:_GLIBCXX_ASSERTIONS>)
target_compile_definitions(clack_room_flags INTERFACE $<${checked}:HWY_COMPILE_ONLY_STATIC>)
