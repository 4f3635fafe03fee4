# Warnings and sanitizers, carried by one interface target that every target of the project links.
add_library(clack_build_flags INTERFACE)
target_compile_options(clack_build_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow
                       -Wno-missing-field-initializers -Wno-maybe-uninitialized -Wno-restrict -Wno-array-bounds)
if(CLACK_SANITIZE)
  target_compile_options(clack_build_flags INTERFACE -O1 -g1 -fno-omit-frame-pointer
                         -fsanitize=address,undefined -fno-sanitize-recover=undefined)
  target_compile_definitions(clack_build_flags INTERFACE _GLIBCXX_ASSERTIONS)
  target_link_options(clack_build_flags INTERFACE -fsanitize=address,undefined)
endif()
