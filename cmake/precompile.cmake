# Eigen, fmt and the standard headers cost two seconds in each of some 350 files: they are compiled once for the rooms and once
# for the tests, a third of a build from nothing. A compiler cache does the same for builds that follow, and cannot
# see through precompiled headers: then they are off.
option(CLACK_PRECOMPILE "Precompile the headers that most files include" ON)
if(CMAKE_CXX_COMPILER_LAUNCHER)
  set(CLACK_PRECOMPILE OFF)
endif()
set(CLACK_COMMON_HEADERS <Eigen/Dense> <fmt/format.h> <algorithm> <array> <cmath> <cstdint> <functional> <map>
                         <memory> <span> <string> <utility> <vector>)

# clack_precompile(target owner header...): the headers of `owner`, which is the first target of its kind.
function(clack_precompile target owner)
  if(NOT CLACK_PRECOMPILE)
    return()
  endif()
  if(target STREQUAL owner)
    target_precompile_headers(${target} PRIVATE ${ARGN})
  else()
    target_precompile_headers(${target} REUSE_FROM ${owner})
  endif()
endfunction()
