#pragma once

#include <string>

namespace fovea::kernels {

// What a bug report needs to know of the matrix libraries.
std::string blas_version();    // "OpenBLAS 0.3.21, ZEN kernels"
std::string blas_threading();  // "OpenMP", "own threads" or "none"
std::string onednn_version();  // "2.6.3"

}  // namespace fovea::kernels
