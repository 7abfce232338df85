#include "support/twin_quantized.h"

#include <algorithm>
#include <cmath>

namespace fovea::testing {

TwinQuantized twin_quantize(std::span<const float> x, int most) {
  float largest = 1e-30f;
  for (float v : x) largest = std::max(largest, std::fabs(v));
  TwinQuantized out;
  for (float v : x) {
    const float scaled = v * (static_cast<float>(most) / largest);
    out.q.push_back(static_cast<int>(std::lrint(scaled)));
  }
  out.scale = largest / static_cast<float>(most);
  return out;
}

std::vector<float> twin_quantized_gemm(kernels::ConstMatrixView x,
                                       kernels::ConstMatrixView weight,
                                       std::span<const float> bias) {
  std::vector<TwinQuantized> columns;
  for (int64_t j = 0; j < weight.rows; ++j) {
    columns.push_back(
        twin_quantize({weight.row(j), static_cast<size_t>(weight.cols)}, 64));
  }
  std::vector<float> y;
  for (int64_t i = 0; i < x.rows; ++i) {
    const TwinQuantized row =
        twin_quantize({x.row(i), static_cast<size_t>(x.cols)}, 63);
    for (int64_t j = 0; j < weight.rows; ++j) {
      int64_t sum = 0;
      for (int64_t k = 0; k < x.cols; ++k) sum += row.q[k] * columns[j].q[k];
      float value = static_cast<float>(sum) * row.scale * columns[j].scale;
      if (!bias.empty()) value += bias[j];
      y.push_back(value);
    }
  }
  return y;
}

}  // namespace fovea::testing
