# Installs the build tree into an empty prefix, then configures, builds and runs a consumer that
# knows only that prefix. Variables: BUILD_DIR, CONSUMER_DIR, WORK_DIR, CXX_COMPILER.
cmake_minimum_required(VERSION 3.25)

function(step what)
  execute_process(COMMAND ${ARGN} WORKING_DIRECTORY ${WORK_DIR} RESULT_VARIABLE status
                  OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${what} failed (${status}):\n${output}")
  endif()
  message(STATUS "${what}: done")
endfunction()

if(NOT EXISTS ${CONSUMER_DIR}/CMakeLists.txt)
  message(FATAL_ERROR "The consumer ${CONSUMER_DIR} has no CMakeLists.txt")
endif()
set(prefix ${WORK_DIR}/prefix)
set(consumer ${WORK_DIR}/consumer)
file(REMOVE_RECURSE ${WORK_DIR})
file(MAKE_DIRECTORY ${WORK_DIR})

step("Installation" ${CMAKE_COMMAND} --install ${BUILD_DIR} --prefix ${prefix})
step("The installed program" ${prefix}/bin/clack --help)
step("Configuration of the consumer" ${CMAKE_COMMAND} -S ${CONSUMER_DIR} -B ${consumer} -G Ninja
     -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_COMPILER=${CXX_COMPILER}
     -DCMAKE_PREFIX_PATH=${prefix} -DCMAKE_RUNTIME_OUTPUT_DIRECTORY=${WORK_DIR}/bin)

# The package must be the one just installed, not one that the system happens to have.
file(STRINGS ${consumer}/CMakeCache.txt found REGEX "^clack_DIR:")
if(NOT found MATCHES "=${prefix}/")
  message(FATAL_ERROR "The consumer found another package: ${found}")
endif()
file(STRINGS ${prefix}/lib/cmake/clack/clackTargets.cmake leaked REGEX "${BUILD_DIR}")
if(leaked)
  message(FATAL_ERROR "The installed package refers to the build tree: ${leaked}")
endif()

step("Build of the consumer" ${CMAKE_COMMAND} --build ${consumer})
file(GLOB programs ${WORK_DIR}/bin/*)
if(NOT programs)
  message(FATAL_ERROR "The consumer built no program")
endif()
foreach(program IN LISTS programs)
  step("Run of ${program}" ${program})
endforeach()
