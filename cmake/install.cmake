# Installation: headers, the rooms' libraries, the program, and the package `clack` for
# find_package(clack) with the target clack::clack (all rooms) and one target a room.
include(CMakePackageConfigHelpers)

get_property(rooms GLOBAL PROPERTY CLACK_MODULES)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/clack)

install(TARGETS ${rooms} clack_all EXPORT clackTargets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY clack/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/clack
        FILES_MATCHING PATTERN "*.hpp" PATTERN "app" EXCLUDE)
if(TARGET clack_program)
  install(TARGETS clack_program RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()

install(EXPORT clackTargets NAMESPACE clack:: DESTINATION ${package_dir})
configure_package_config_file(cmake/clackConfig.cmake.in
                              ${PROJECT_BINARY_DIR}/clackConfig.cmake
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/clackConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/clackConfig.cmake
              ${PROJECT_BINARY_DIR}/clackConfigVersion.cmake
        DESTINATION ${package_dir})
