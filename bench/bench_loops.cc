#include <vector>

#include "bench/bench.h"
#include "fovea/base/rng.h"
#include "fovea/kernels/norm.h"
#include "fovea/tensor/tensor.h"

namespace fovea::bench {
namespace {

constexpr int64_t kRows = 16384, kCols = 512;  // 32 MB a tensor

// A residual connection with dropout and norm, as in a Transformer layer.
struct Layer {
  Layer() {
    for (const Tensor& t : {x, f, dy}) {
      fill_normal(RandomKey(1), 0, 1, t.span());
    }
    for (const Tensor& t : {sum, y, dsum, df, dgain, dbias}) t.fill(0);
    gain.fill(1);
    bias.fill(0);
  }
  static kernels::MatrixView view(const Tensor& t) {
    return {t.data(), kRows, kCols};
  }
  kernels::NormOptions options() const {
    return {.gain = gain.span(), .bias = bias.span()};
  }

  void forward() const {
    kernels::residual_norm({view(x), view(f), drop, view(sum), view(y)},
                           options(), {mean.span(), scale.span()});
  }
  void backward() const {
    kernels::norm_backward({.sum = view(sum),
                            .dy = view(dy),
                            .dsum = view(dsum),
                            .df = view(df),
                            .drop = drop,
                            .dgain = dgain.span(),
                            .dbias = dbias.span()},
                           options(), {mean.span(), scale.span()});
  }

  kernels::Dropout drop{0.1f, RandomKey(2)};
  Tensor x{{kRows, kCols}}, f{{kRows, kCols}}, sum{{kRows, kCols}},
      y{{kRows, kCols}}, dy{{kRows, kCols}}, dsum{{kRows, kCols}},
      df{{kRows, kCols}};
  Tensor gain{{kCols}}, bias{{kCols}}, dgain{{kCols}}, dbias{{kCols}};
  Tensor mean{{kRows}}, scale{{kRows}};
};

std::vector<Row> residual_norm_rows(int threads) {
  const Layer layer;
  const Yardstick copy = copy_bandwidth();
  constexpr double kTensor = 4.0 * kRows * kCols;
  const auto row = [&](const char* name) {
    Row r;
    r.bench = "residual_norm";
    r.name = name;
    r.threads = threads;
    return r;
  };
  // Forward reads x and f and writes the sum and its norm; backward reads the
  // sum and dy and writes dx and df.
  return {
      against(copy, row("forward"), 4 * kTensor, [&] { layer.forward(); }),
      against(copy, row("backward"), 4 * kTensor, [&] { layer.backward(); }),
      against(copy, row("forward+backward"), 8 * kTensor, [&] {
        layer.forward();
        layer.backward();
      })};
}

}  // namespace

Bench residual_norm_bench() { return {"residual_norm", residual_norm_rows}; }

}  // namespace fovea::bench
