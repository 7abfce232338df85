#pragma once

#include <memory>
#include <span>
#include <vector>

#include "fovea/autograd/linear.h"
#include "fovea/base/fields.h"

namespace fovea {

// How a prepared layer stores its weights.
enum class Precision { kFloat32, kInt8 };
constexpr EnumName<Precision> kPrecisions[] = {{Precision::kFloat32, "float32"},
                                               {Precision::kInt8, "int8"}};
constexpr auto& enum_names(Precision) { return kPrecisions; }

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

  explicit operator bool() const { return float32_ || int8_; }
  PackedWeight outputs(std::span<const int> some) const;
  Var operator()(const Var& x, const Var& bias, Activation activation) const;
  // Rows of the weight, [N,in]: what gather gives, as near as 8 bits are.
  Var rows(std::span<const int> ids) const;

 private:
  std::shared_ptr<const kernels::PackedMatrix> float32_;
  std::shared_ptr<const kernels::QuantizedMatrix> int8_;
};

}  // namespace fovea
