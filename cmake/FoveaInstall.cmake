# cmake --install: the library, its headers, the command, and the package that
# find_package(fovea) finds.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/fovea")

install(
  TARGETS fovea
  EXPORT fovea-targets
  INCLUDES DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(
  DIRECTORY "${PROJECT_SOURCE_DIR}/fovea"
  DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
  FILES_MATCHING
  PATTERN "*.h"
  PATTERN "*-inl.h" EXCLUDE)
install(
  EXPORT fovea-targets
  NAMESPACE fovea::
  DESTINATION "${package_dir}")

configure_package_config_file(
  "${PROJECT_SOURCE_DIR}/cmake/fovea-config.cmake.in"
  "${PROJECT_BINARY_DIR}/fovea-config.cmake"
  INSTALL_DESTINATION "${package_dir}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/fovea-config-version.cmake"
                                 COMPATIBILITY SameMinorVersion)
install(
  FILES "${PROJECT_BINARY_DIR}/fovea-config.cmake"
        "${PROJECT_BINARY_DIR}/fovea-config-version.cmake"
        "${PROJECT_SOURCE_DIR}/cmake/FoveaOpenBLAS.cmake"
        "${PROJECT_SOURCE_DIR}/cmake/FoveaSentencePiece.cmake"
        "${PROJECT_SOURCE_DIR}/cmake/FoveaUtf8proc.cmake"
  DESTINATION "${package_dir}")
if(FOVEA_COMMAND)
  install(TARGETS fovea_command)
endif()
