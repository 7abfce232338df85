#include "fovea/kernels/gemm.h"

#include <cblas.h>
#include <oneapi/dnnl/dnnl.h>

#include <algorithm>
#include <cassert>
#include <limits>
#include <string_view>

#include "fovea/base/check.h"
#include "fovea/kernels/packed_gemm.h"
#include "fovea/tensor/allocator.h"

namespace fovea::kernels {
namespace {

// c [rows,cols] += op(a) [rows,depth] * op(b) [depth,cols]
struct Product {
  ConstMatrixView a, b;
  MatrixView c;
  int64_t depth;
  bool transpose_a, transpose_b;
  float alpha, beta;
};

enum class Engine { kOneDnn, kOpenBlas, kOurs };

struct Limits {
  int64_t least = 0;
  int64_t most = std::numeric_limits<int64_t>::max();
  bool hold(int64_t n) const { return least <= n && n <= most; }
};

// Which operands are transposed; kN: not a, b as may be.
enum class Case { kNn, kN, kT };

// Which engine for which shape; the first rule that fits decides. Measured with
// both libraries on one thread of an AVX2 machine, for 1 to 8000 rows, columns
// and depth. Nothing is timed at run time, or two runs would differ. OpenBLAS
// counts only with the kernels it was measured with: with AVX-512 oneDNN is
// ahead of it, and on a CPU newer than itself it takes kernels without AVX.
struct Rule {
  Case which;
  Limits rows, depth, cols;
  Engine engine;
};
constexpr Limits kAny;
constexpr Limits at_least(int64_t n) { return {.least = n}; }
constexpr Limits at_most(int64_t n) { return {.most = n}; }

constexpr Rule kRules[] = {
    // Weight gradients. oneDNN falls to half the speed at 512 x 512 and
    // 1024 x 256, whatever the depth; OpenBLAS is slow to start when k is
    // small.
    {Case::kT, kAny, at_most(32), kAny, Engine::kOneDnn},
    {Case::kT, at_least(2048), at_most(128), kAny, Engine::kOneDnn},
    {Case::kT, kAny, at_most(128), at_least(2048), Engine::kOneDnn},
    {Case::kT, at_most(256), at_most(96), at_most(256), Engine::kOneDnn},
    {Case::kT, kAny, kAny, kAny, Engine::kOpenBlas},
    // The others: oneDNN, but for some few rows, where it falls to half the
    // speed too, and for many rows of some depth.
    {Case::kNn, {4, 20}, kAny, {512, 4096}, Engine::kOpenBlas},
    {Case::kN, at_least(1024), {512, 1023}, {512, 2048}, Engine::kOurs},
    {Case::kN, at_least(192), at_least(512), kAny, Engine::kOpenBlas},
    {Case::kN, kAny, kAny, kAny, Engine::kOneDnn},
};

bool fits(const Rule& r, const Product& p) {
  return p.transpose_a == (r.which == Case::kT) &&
         !(p.transpose_b && r.which == Case::kNn) && r.rows.hold(p.c.rows) &&
         r.depth.hold(p.depth) && r.cols.hold(p.c.cols);
}

// The thread sanitizer cannot see how the libraries order their threads.
#if defined(FOVEA_OWN_GEMM_ONLY)
constexpr bool kOnlyOurs = true;
#else
constexpr bool kOnlyOurs = false;
#endif

bool openblas_uses_avx2() {
  const std::string_view core = openblas_get_corename();
  return core == "Haswell" || core == "Zen";
}

Engine engine_for(const Product& p) {
  static const bool with_openblas = openblas_uses_avx2();
  if (kOnlyOurs) return Engine::kOurs;
  const Rule* rule = std::find_if(std::begin(kRules), std::end(kRules),
                                  [&](const Rule& r) { return fits(r, p); });
  if (rule->engine == Engine::kOpenBlas && !with_openblas) {
    return Engine::kOneDnn;
  }
  return rule->engine;
}

void multiply_onednn(const Product& p) {
  const dnnl_status_t status =
      dnnl_sgemm(p.transpose_a ? 'T' : 'N', p.transpose_b ? 'T' : 'N', p.c.rows,
                 p.c.cols, p.depth, p.alpha, p.a.data, p.a.stride, p.b.data,
                 p.b.stride, p.beta, p.c.data, p.c.stride);
  check(status == dnnl_success, "oneDNN: sgemm of ", p.c.rows, " x ", p.depth,
        " x ", p.c.cols, " failed with status ", status);
}

void multiply_openblas(const Product& p) {
  cblas_sgemm(CblasRowMajor, p.transpose_a ? CblasTrans : CblasNoTrans,
              p.transpose_b ? CblasTrans : CblasNoTrans,
              static_cast<blasint>(p.c.rows), static_cast<blasint>(p.c.cols),
              static_cast<blasint>(p.depth), p.alpha, p.a.data,
              static_cast<blasint>(p.a.stride), p.b.data,
              static_cast<blasint>(p.b.stride), p.beta, p.c.data,
              static_cast<blasint>(p.c.stride));
}

// alpha * op(a), row by row.
void straighten(const Product& p, MatrixView out) {
  for (int64_t i = 0; i < out.rows; ++i) {
    for (int64_t k = 0; k < out.cols; ++k) {
      out.row(i)[k] = p.alpha * (p.transpose_a ? p.a.row(k)[i] : p.a.row(i)[k]);
    }
  }
}

// With the kernel for inference; b is packed on the way.
void multiply_ourselves(const Product& p) {
  const PackedMatrix b = p.transpose_b ? PackedMatrix::from_out_in(p.b)
                                       : PackedMatrix::from_in_out(p.b);
  const PackedGemmOptions options{.accumulate = p.beta != 0.0f};
  if (!p.transpose_a && p.alpha == 1.0f) {
    packed_gemm(p.a, b, p.c, options);
    return;
  }
  Scratch<float> memory(p.c.rows * p.depth);
  const MatrixView a(memory.data(), p.c.rows, p.depth);
  straighten(p, a);
  packed_gemm(a, b, p.c, options);
}

void multiply(const Product& p) {
  switch (engine_for(p)) {
    case Engine::kOneDnn:
      return multiply_onednn(p);
    case Engine::kOpenBlas:
      return multiply_openblas(p);
    case Engine::kOurs:
      return multiply_ourselves(p);
  }
}

void clear(MatrixView c) {
  for (int64_t i = 0; i < c.rows; ++i) std::fill_n(c.row(i), c.cols, 0.0f);
}

}  // namespace

void gemm(ConstMatrixView a, ConstMatrixView b, MatrixView c,
          const GemmOptions& options) {
  const int64_t depth = options.transpose_a ? a.rows : a.cols;
  assert((options.transpose_a ? a.cols : a.rows) == c.rows);
  assert((options.transpose_b ? b.cols : b.rows) == depth);
  assert((options.transpose_b ? b.rows : b.cols) == c.cols);
  if (c.rows == 0 || c.cols == 0) return;
  if (depth > 0) {
    multiply({a, b, c, depth, options.transpose_a, options.transpose_b,
              options.alpha, options.accumulate ? 1.0f : 0.0f});
  } else if (!options.accumulate) {
    clear(c);  // libraries refuse empty matrices
  }
  finish_product(c, options.bias, options.activation);
}

}  // namespace fovea::kernels
