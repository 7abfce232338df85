# Compiles through ccache where there is one, set up here so that it hits on any
# machine whatever that machine's own settings are.
find_program(FOVEA_CCACHE ccache)
find_program(FOVEA_ENV env)
mark_as_advanced(FOVEA_CCACHE FOVEA_ENV)
if(NOT FOVEA_CCACHE OR NOT FOVEA_ENV OR CMAKE_CXX_COMPILER_LAUNCHER)
  return()
endif()

# Precompiled headers need the first two; a fresh clone has fresh file times.
set(sloppiness pch_defines,time_macros,include_file_mtime,include_file_ctime)
# Paths below the source folder count as relative, and the folder of the build
# does not count, so that one clone serves another.
set(CMAKE_CXX_COMPILER_LAUNCHER
    "${FOVEA_ENV};CCACHE_SLOPPINESS=${sloppiness};CCACHE_BASEDIR=${PROJECT_SOURCE_DIR};CCACHE_NOHASHDIR=1;${FOVEA_CCACHE}"
)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # Without it ccache cannot tell which precompiled header GCC read.
  target_compile_options(fovea_options INTERFACE -fpch-preprocess)
else()
  # Clang writes the path of the clone into its precompiled headers, so that no
  # other clone could use what the cache holds.
  set(CMAKE_DISABLE_PRECOMPILE_HEADERS ON)
endif()
