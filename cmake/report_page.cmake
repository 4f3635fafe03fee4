# The page of `clack report`: npm fetches what web/package-lock.json pins, esbuild bundles it into
# one HTML file in the build tree, and the program carries that file.
find_program(CLACK_NPM npm)
find_program(CLACK_NODE NAMES node nodejs)
if(CLACK_NPM AND CLACK_NODE)
  set(report_default ON)
else()
  set(report_default OFF)
endif()
option(CLACK_REPORT "Build the page of `clack report` and `clack view` (needs npm and a network)"
       ${report_default})

set(CLACK_WEB_DIR ${PROJECT_BINARY_DIR}/web)

function(clack_add_report_page target)
  if(NOT CLACK_REPORT)
    configure_file(app/no_page_template.cpp.in generated/no_page_template.cpp COPYONLY)
    target_sources(${target} PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/generated/no_page_template.cpp)
    message(NOTICE "No page for `clack report`: it needs npm (Debian: npm) and CLACK_REPORT=ON")
    return()
  endif()
  set(web ${PROJECT_SOURCE_DIR}/web)
  set(installed ${CLACK_WEB_DIR}/installed.stamp)
  add_custom_command(OUTPUT ${installed}
    COMMAND ${CMAKE_COMMAND} -DWEB=${web} -DINTO=${CLACK_WEB_DIR} -DNPM=${CLACK_NPM}
            -P ${PROJECT_SOURCE_DIR}/cmake/npm_ci.cmake
    COMMAND ${CMAKE_COMMAND} -E touch ${installed}
    DEPENDS ${web}/package.json ${web}/package-lock.json
    COMMENT "Fetching three.js, uPlot and esbuild" VERBATIM)
  file(GLOB sources CONFIGURE_DEPENDS ${web}/src/*.js ${web}/src/*.css)
  set(CLACK_PAGE ${CLACK_WEB_DIR}/report.html)
  add_custom_command(OUTPUT ${CLACK_PAGE}
    COMMAND ${CMAKE_COMMAND} -E env NODE_PATH=${CLACK_WEB_DIR}/node_modules
            ${CLACK_NODE} ${web}/build.mjs ${CLACK_PAGE}
    DEPENDS ${installed} ${web}/build.mjs ${web}/index.html ${sources}
    COMMENT "Bundling the report page" VERBATIM)
  configure_file(app/page_template.cpp.in generated/page_template.cpp @ONLY)
  set(source ${CMAKE_CURRENT_BINARY_DIR}/generated/page_template.cpp)
  set_source_files_properties(${source} PROPERTIES OBJECT_DEPENDS ${CLACK_PAGE})
  target_sources(${target} PRIVATE ${source})
endfunction()

# `clack view` is a small web server.
function(clack_add_view target)
  find_package(PkgConfig QUIET)
  if(PkgConfig_FOUND)
    pkg_check_modules(HTTPLIB QUIET IMPORTED_TARGET cpp-httplib)
  endif()
  if(HTTPLIB_FOUND)
    target_link_libraries(${target} PRIVATE PkgConfig::HTTPLIB)
    return()
  endif()
  message(NOTICE "cpp-httplib not found: no `clack view` (Debian: libcpp-httplib-dev)")
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources EXCLUDE REGEX "view_command\\.cpp$")
  set_target_properties(${target} PROPERTIES SOURCES "${sources}")
  configure_file(app/no_view_command.cpp.in generated/no_view_command.cpp COPYONLY)
  target_sources(${target} PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/generated/no_view_command.cpp)
endfunction()
