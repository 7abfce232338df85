#include "fovea/kernels/library_versions.h"

#include <cblas.h>
#include <oneapi/dnnl/dnnl.h>

#include "fovea/base/check.h"

namespace fovea::kernels {

std::string blas_version() {
  // "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH NO_AFFINITY Zen MAX_THREADS=64"
  const std::string config = openblas_get_config();
  const size_t name_end = config.find(' ');
  const size_t version_end = config.find(' ', name_end + 1);
  return join(config.substr(0, version_end), ", ", openblas_get_corename(),
              " kernels");
}

std::string blas_threading() {
  switch (openblas_get_parallel()) {
    case OPENBLAS_OPENMP:
      return "OpenMP";
    case OPENBLAS_THREAD:
      return "own threads";
    default:
      return "none";
  }
}

std::string onednn_version() {
  const dnnl_version_t* v = dnnl_version();
  return join(v->major, ".", v->minor, ".", v->patch);
}

}  // namespace fovea::kernels
