# OpenBLAS as the target OpenBLAS::OpenBLAS. The OpenMP build comes first where
# Debian has several: the others keep threads of their own beside ours, and two
# pools on the same cores slow each other down. Installed with the package, for
# its users.
if(NOT TARGET OpenBLAS::OpenBLAS)
  find_package(
    OpenBLAS CONFIG REQUIRED
    HINTS "/usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/openblas-openmp")
  add_library(OpenBLAS::OpenBLAS UNKNOWN IMPORTED)
  set_target_properties(
    OpenBLAS::OpenBLAS
    PROPERTIES IMPORTED_LOCATION "${OpenBLAS_LIBRARIES}"
               INTERFACE_INCLUDE_DIRECTORIES "${OpenBLAS_INCLUDE_DIRS}")
endif()
