# Flags that every target of the project shares, as one interface target.
add_library(fovea_options INTERFACE)
target_compile_options(
  fovea_options
  INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor
            # A row must give the same bits in every kernel that computes it.
            -ffp-contract=off -fno-math-errno)
if(FOVEA_WERROR)
  target_compile_options(fovea_options INTERFACE -Werror)
endif()

if(FOVEA_SANITIZE)
  target_compile_options(
    fovea_options INTERFACE -fsanitize=${FOVEA_SANITIZE}
                            -fno-sanitize-recover=all)
  target_link_options(fovea_options INTERFACE -fsanitize=${FOVEA_SANITIZE})
  target_compile_definitions(fovea_options INTERFACE FOVEA_SANITIZED=1)
  if(FOVEA_SANITIZE MATCHES "thread")
    # The matrix libraries are not instrumented: gemm uses our own kernel.
    target_compile_definitions(fovea_options INTERFACE FOVEA_OWN_GEMM_ONLY=1)
  endif()
endif()

# The baseline is SSE4 (x86-64-v2); Highway adds AVX2 and AVX-512 (AVX3) and picks
# at run time; both have VNNI for products of bytes (kernels/target.h).
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  target_compile_options(fovea_options INTERFACE -march=x86-64-v2)
  target_compile_definitions(
    fovea_options
    INTERFACE HWY_DISABLE_PCLMUL_AES=1
              "HWY_DISABLED_TARGETS=(HWY_SSSE3|HWY_AVX3_DL)")
endif()

# GNU ld takes seconds to link the debug information of a sanitizer build.
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  find_program(FOVEA_LLD NAMES ld.lld-14 ld.lld)
  if(FOVEA_LLD)
    target_link_options(fovea_options INTERFACE "-fuse-ld=${FOVEA_LLD}")
  endif()
endif()
