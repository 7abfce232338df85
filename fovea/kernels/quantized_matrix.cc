#include "fovea/kernels/quantized_matrix.h"

#include <algorithm>
#include <cmath>

#include "fovea/base/check.h"
#include "fovea/base/parallel.h"

namespace fovea::kernels {

QuantizedMatrix::QuantizedMatrix(int64_t in, int64_t out)
    : in_(in),
      out_(out),
      panels_(panel_count() * kPanel * groups() * kGroup),
      scales_(panel_count() * kPanel),
      offsets_(panel_count() * kPanel) {
  check(in <= kMaxIn, "quantized weight: ", in, " inputs, at most ", kMaxIn);
  std::fill_n(panels_.data(), panels_.size(), int8_t{0});
  std::fill_n(scales_.data(), scales_.size(), 0.0f);
  std::fill_n(offsets_.data(), offsets_.size(), 0);
}

void QuantizedMatrix::fill_column(int64_t j, const float* weight,
                                  int64_t step) {
  float largest = 0;
  for (int64_t k = 0; k < in_; ++k) {
    largest = std::max(largest, std::abs(weight[k * step]));
  }
  if (largest < 1e-30f) return;  // stays 0
  int8_t* panel = panels_.data() + j / kPanel * kPanel * groups() * kGroup;
  int32_t sum = 0;
  for (int64_t k = 0; k < in_; ++k) {
    const float q = std::nearbyint(weight[k * step] * (127.0f / largest));
    const auto value = static_cast<int8_t>(std::clamp(q, -127.0f, 127.0f));
    panel[k / kGroup * kPanel * kGroup + j % kPanel * kGroup + k % kGroup] =
        value;
    sum += value;
  }
  scales_[j] = largest / 127.0f;
  offsets_[j] = -64 * sum;
}

QuantizedMatrix QuantizedMatrix::from_out_in(ConstMatrixView weight) {
  QuantizedMatrix q(weight.cols, weight.rows);
  parallel_for(q.out_, 64, [&](int64_t begin, int64_t end) {
    for (int64_t j = begin; j < end; ++j) q.fill_column(j, weight.row(j), 1);
  });
  return q;
}

QuantizedMatrix QuantizedMatrix::from_in_out(ConstMatrixView weight) {
  QuantizedMatrix q(weight.rows, weight.cols);
  parallel_for(q.out_, 64, [&](int64_t begin, int64_t end) {
    for (int64_t j = begin; j < end; ++j) {
      q.fill_column(j, weight.data + j, weight.stride);
    }
  });
  return q;
}

QuantizedMatrix QuantizedMatrix::columns(std::span<const int> some) const {
  QuantizedMatrix q(in_, std::ssize(some));
  for (int64_t j = 0; j < q.out_; ++j) {
    const int64_t from = some[j];
    check(from >= 0 && from < out_, "quantized weight: column ", from, " of ",
          out_);
    const int8_t* source = panel(from / kPanel) + from % kPanel * kGroup;
    int8_t* target = q.panels_.data() +
                     j / kPanel * kPanel * groups() * kGroup +
                     j % kPanel * kGroup;
    for (int64_t g = 0; g < groups(); ++g) {
      std::copy_n(source + g * kPanel * kGroup, kGroup,
                  target + g * kPanel * kGroup);
    }
    q.scales_[j] = scales_[from];
    q.offsets_[j] = offsets_[from];
  }
  return q;
}

}  // namespace fovea::kernels
