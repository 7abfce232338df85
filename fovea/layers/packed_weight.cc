#include "fovea/layers/packed_weight.h"

#include <algorithm>

#include "fovea/base/check.h"
#include "fovea/base/parallel.h"

namespace fovea {
namespace {

template <class Matrix>
Tensor copied_columns(const Matrix& matrix, std::span<const int> ids) {
  for (const int id : ids) {
    check(id >= 0 && id < matrix.out(), "row ", id, " of ", matrix.out());
  }
  const int64_t width = matrix.in();
  Tensor rows({std::ssize(ids), width});
  constexpr int64_t kGrain = 1 << 15;  // numbers that are worth a thread
  parallel_for(
      rows.dim(0), kGrain / (width + 1) + 1, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          matrix.copy_column(ids[i], rows.span().subspan(i * width, width));
        }
      });
  return rows;
}

}  // namespace

QuantizedWeight::QuantizedWeight(const Tensor& weight)
    : q(weight.size()), scales(weight.rows()) {
  const int64_t width = weight.cols();
  for (int64_t i = 0; i < std::ssize(scales); ++i) {
    scales[i] = kernels::quantize_weights(
        weight.data() + i * width, 1, std::span(q).subspan(i * width, width));
  }
}

PackedWeight::PackedWeight(const Tensor& weight, Precision precision) {
  const kernels::MatrixView view(weight.data(), weight.rows(), weight.cols());
  if (precision == Precision::kInt8) {
    int8_ = std::make_shared<kernels::QuantizedMatrix>(
        kernels::QuantizedMatrix::from_out_in(view));
  } else {
    float32_ = std::make_shared<kernels::PackedMatrix>(
        kernels::PackedMatrix::from_out_in(view));
  }
}

PackedWeight::PackedWeight(const kernels::QuantizedRows& weight)
    : int8_(std::make_shared<kernels::QuantizedMatrix>(
          kernels::QuantizedMatrix::from_rows(weight))) {}

PackedWeight PackedWeight::outputs(std::span<const int> some) const {
  PackedWeight part;
  if (int8_) {
    part.int8_ =
        std::make_shared<kernels::QuantizedMatrix>(int8_->columns(some));
  } else if (float32_) {
    part.float32_ =
        std::make_shared<kernels::PackedMatrix>(float32_->columns(some));
  }
  return part;
}

Var PackedWeight::operator()(const Var& x, const Var& bias,
                             Activation activation) const {
  return int8_ ? linear(x, *int8_, bias, activation)
               : linear(x, *float32_, bias, activation);
}

Var PackedWeight::rows(std::span<const int> ids) const {
  return int8_ ? copied_columns(*int8_, ids) : copied_columns(*float32_, ids);
}

}  // namespace fovea
