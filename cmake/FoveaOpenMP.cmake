# Clang keeps its OpenMP library beside its own headers, where CMake does not
# look. The sanitizers need that one: GCC's makes them report races in correct
# code.
if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang" OR OpenMP_omp_LIBRARY)
  return()
endif()
execute_process(
  COMMAND ${CMAKE_CXX_COMPILER} -print-resource-dir
  OUTPUT_VARIABLE resources
  OUTPUT_STRIP_TRAILING_WHITESPACE)
find_library(
  OpenMP_omp_LIBRARY
  NAMES omp
  HINTS "${resources}/../.."
  DOC "LLVM's OpenMP library")
if(NOT OpenMP_omp_LIBRARY)
  message(FATAL_ERROR "no OpenMP library for ${CMAKE_CXX_COMPILER}; "
                      "on Debian 12 install libomp-14-dev")
endif()
set(OpenMP_CXX_FLAGS "-fopenmp=libomp" CACHE STRING "OpenMP flags")
set(OpenMP_CXX_LIB_NAMES "omp" CACHE STRING "OpenMP libraries")
