# clack_module(name DEPENDS a b LINKS lib...): one room of the design as one static library.
# DEPENDS are the arrows (rooms that it may include); tests/architecture checks the includes.
# A room that has headers only becomes an interface library, so that its name can be linked all
# the same.
function(clack_module name)
  cmake_parse_arguments(ARG "" "" "DEPENDS;LINKS" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${name}/*.cpp)
  if(sources)
    set(scope PUBLIC)
    add_library(clack_${name} STATIC ${sources})
    set_target_properties(clack_${name} PROPERTIES LINKER_LANGUAGE CXX)
    target_link_libraries(clack_${name} PRIVATE $<BUILD_INTERFACE:clack_build_flags>
                          $<BUILD_INTERFACE:clack_room_flags>)
    clack_precompile(clack_${name} clack_core ${CLACK_COMMON_HEADERS})
  else()
    set(scope INTERFACE)
    add_library(clack_${name} INTERFACE)
  endif()
  add_library(clack::${name} ALIAS clack_${name})
  set_target_properties(clack_${name} PROPERTIES EXPORT_NAME ${name})
  target_include_directories(clack_${name} ${scope}
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_compile_features(clack_${name} ${scope} cxx_std_20)
  foreach(room IN LISTS ARG_DEPENDS)
    target_link_libraries(clack_${name} ${scope} clack_${room})
  endforeach()
  target_link_libraries(clack_${name} ${scope} ${ARG_LINKS})
  set_property(GLOBAL APPEND PROPERTY CLACK_MODULES clack_${name})
endfunction()
