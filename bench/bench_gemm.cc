// gemm against the better of the two libraries, on the products of a layer:
// forward (nt), gradient of its input (nn) and of its weight (tn).
#include <cblas.h>
#include <oneapi/dnnl/dnnl.h>

#include <algorithm>
#include <vector>

#include "bench/bench.h"
#include "bench/products.h"
#include "fovea/base/check.h"
#include "fovea/base/parallel.h"
#include "fovea/kernels/gemm.h"

namespace fovea::bench {
namespace {

struct Shape {
  bool transpose_a, transpose_b;
  int rows, depth, cols;

  std::string name() const {
    return join(transpose_a ? 't' : 'n', transpose_b ? 't' : 'n', ' ', rows,
                'x', depth, 'x', cols);
  }
};

std::vector<Shape> shapes(int threads) {
  std::vector<Shape> all;
  for (const int tokens : {1, 64, 512, 2560, 5120}) {
    if (tokens == 1 && threads > 1) continue;
    for (const auto& [in, out] : kLayers) {
      all.push_back({false, true, tokens, in, out});
      all.push_back({false, false, tokens, out, in});
      if (tokens > 1) all.push_back({true, false, out, tokens, in});
    }
  }
  return all;
}

Row measure(const Shape& s, Row row) {
  if (!wanted(row)) return row;
  const auto a = random_matrix(s.rows * s.depth, 1);
  const auto b = random_matrix(s.depth * s.cols, 2);
  std::vector<float> c(s.rows * s.cols);
  const int lda = s.transpose_a ? s.rows : s.depth;
  const int ldb = s.transpose_b ? s.depth : s.cols;
  const kernels::ConstMatrixView va(a.data(), a.size() / lda, lda);
  const kernels::ConstMatrixView vb(b.data(), b.size() / ldb, ldb);
  const double flops = 2.0 * s.rows * s.depth * s.cols;
  const Work ours = repeated(flops, [&] {
    kernels::gemm(va, vb, {c.data(), s.rows, s.cols},
                  {.transpose_a = s.transpose_a, .transpose_b = s.transpose_b});
  });
  const Work openblas = repeated(flops, [&] {
    cblas_sgemm(CblasRowMajor, s.transpose_a ? CblasTrans : CblasNoTrans,
                s.transpose_b ? CblasTrans : CblasNoTrans, s.rows, s.cols,
                s.depth, 1, a.data(), lda, b.data(), ldb, 0, c.data(), s.cols);
  });
  const Work onednn = repeated(flops, [&] {
    dnnl_sgemm(s.transpose_a ? 'T' : 'N', s.transpose_b ? 'T' : 'N', s.rows,
               s.cols, s.depth, 1, a.data(), lda, b.data(), ldb, 0, c.data(),
               s.cols);
  });
  const Pair with_openblas = best_of(ours, openblas);
  const Pair with_onednn = best_of(ours, onednn);
  const bool openblas_wins = with_openblas.peer < with_onednn.peer;
  const double amount = flops * repeats(flops) / 1e9;
  row.value = amount / std::min(with_openblas.ours, with_onednn.ours);
  row.unit = "GFLOP/s";
  row.peer = openblas_wins ? "OpenBLAS" : "oneDNN";
  row.peer_value = amount / std::min(with_openblas.peer, with_onednn.peer);
  row.ratio = row.value / row.peer_value;
  return row;
}

}  // namespace

Bench gemm_bench() {
  return {"gemm", [](int threads) {
            std::vector<Row> rows;
            for (const Shape& s : shapes(threads)) {
              rows.push_back(measure(s, row_named("gemm", s.name(), threads)));
            }
            return rows;
          }};
}

}  // namespace fovea::bench
