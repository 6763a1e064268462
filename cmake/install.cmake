# Installs the library, its headers and the CMake package, and the command where it is built.
include(CMakePackageConfigHelpers)
set(krylite_package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/Krylite)

install(TARGETS krylite EXPORT KryliteTargets)
install(EXPORT KryliteTargets NAMESPACE Krylite:: DESTINATION ${krylite_package_folder})
install(DIRECTORY include/krylite TYPE INCLUDE)
if(TARGET krylite_command)
  file(RELATIVE_PATH krylite_lib_from_bin ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
  set_property(TARGET krylite_command APPEND PROPERTY INSTALL_RPATH "$ORIGIN/${krylite_lib_from_bin}")
  install(TARGETS krylite_command)
endif()

configure_package_config_file(cmake/KryliteConfig.cmake.in ${PROJECT_BINARY_DIR}/KryliteConfig.cmake
  INSTALL_DESTINATION ${krylite_package_folder})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/KryliteConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES cmake/kokkos.cmake cmake/FindAMD.cmake ${PROJECT_BINARY_DIR}/KryliteConfig.cmake
  ${PROJECT_BINARY_DIR}/KryliteConfigVersion.cmake DESTINATION ${krylite_package_folder})
