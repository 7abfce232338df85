#include "fovea/layers/packed_weight.h"

#include <algorithm>

#include "fovea/base/check.h"
#include "fovea/base/parallel.h"

namespace fovea {

QuantizedWeight::QuantizedWeight(const Tensor& weight)
    : q(weight.size()), scales(weight.rows()) {
  const int64_t width = weight.cols();
  for (int64_t i = 0; i < std::ssize(scales); ++i) {
    scales[i] = kernels::quantize_weights(
        weight.data() + i * width, 1, std::span(q).subspan(i * width, width));
  }
}

PackedWeight::PackedWeight(kernels::WeightMatrix matrix)
    : matrix_(std::make_shared<kernels::WeightMatrix>(std::move(matrix))) {}

PackedWeight::PackedWeight(const Tensor& weight, Precision precision)
    : PackedWeight(kernels::WeightMatrix::from_out_in(
          {weight.data(), weight.rows(), weight.cols()}, precision)) {}

PackedWeight::PackedWeight(const kernels::QuantizedRows& weight)
    : PackedWeight(kernels::QuantizedMatrix::from_rows(weight)) {}

PackedWeight PackedWeight::outputs(std::span<const int> some) const {
  return matrix_ ? PackedWeight(matrix_->columns(some)) : PackedWeight();
}

Var PackedWeight::operator()(const Var& x, const Var& bias,
                             Activation activation) const {
  return linear(x, *matrix_, bias, activation);
}

Var PackedWeight::rows(std::span<const int> ids) const {
  for (const int id : ids) {
    check(id >= 0 && id < matrix_->out(), "row ", id, " of ", matrix_->out());
  }
  const int64_t width = matrix_->in();
  Tensor rows({std::ssize(ids), width});
  constexpr int64_t kGrain = 1 << 15;  // numbers that are worth a thread
  parallel_for(
      rows.dim(0), kGrain / (width + 1) + 1, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          matrix_->copy_column(ids[i], rows.span().subspan(i * width, width));
        }
      });
  return rows;
}

}  // namespace fovea
