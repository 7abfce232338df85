#pragma once

#include <memory>
#include <span>
#include <vector>

#include "fovea/autograd/linear.h"

namespace fovea {

using kernels::Precision;

// A weight [out,in] in 8 bits as files have it: see kernels::QuantizedRows.
struct QuantizedWeight {
  explicit QuantizedWeight(const Tensor& weight);

  std::vector<int8_t> q;
  std::vector<float> scales;
};

// A weight [out,in] laid out once for inference, to multiply by or to look rows
// up in. Immutable; copies share.
class PackedWeight {
 public:
  PackedWeight() = default;  // none
  PackedWeight(const Tensor& weight, Precision precision);
  explicit PackedWeight(const kernels::QuantizedRows& weight);

  explicit operator bool() const { return matrix_ != nullptr; }
  PackedWeight outputs(std::span<const int> some) const;
  Var operator()(const Var& x, const Var& bias, Activation activation) const;
  // Rows of the weight, [N,in]: what gather gives, as near as 8 bits are.
  Var rows(std::span<const int> ids) const;

 private:
  explicit PackedWeight(kernels::WeightMatrix matrix);

  std::shared_ptr<const kernels::WeightMatrix> matrix_;  // or null: none
};

}  // namespace fovea
