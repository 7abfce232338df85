#include "fovea/layers/params.h"

#include <algorithm>

#include "fovea/autograd/weight_norm.h"
#include "fovea/base/check.h"

namespace fovea {

std::string Params::full_name(std::string_view name) const {
  std::string full = prefix_;
  full.append(name);
  for (const Parameter& p : parameters_) {
    check(p.name != full, "two parameters are named '", full, "'");
  }
  for (const Buffer& b : buffers_) {
    check(b.name != full, "two parameters are named '", full, "'");
  }
  return full;
}

void Params::operator()(std::string_view name, Var& parameter) {
  if (parameter) parameters_.push_back({full_name(name), &parameter});
}

void Params::buffer(std::string_view name, Tensor& buffer) {
  buffers_.push_back({full_name(name), &buffer});
}

void Params::weight(const Var& value, PackedWeight& packed, const Var* gain) {
  if (!value) return;
  const auto same = [&](const Var& other) { return value.shares(other); };
  const auto tied = std::ranges::find_if(
      weights_, [&](const Weight& w) { return same(*w.value); });
  if (tied != weights_.end()) {
    tied->packed.push_back(&packed);
    return;
  }
  const auto listed = std::ranges::find_if(
      parameters_, [&](const Parameter& p) { return same(*p.value); });
  const bool is_listed = listed != parameters_.end();
  weights_.push_back({is_listed ? listed->name : "", &value, gain, {&packed}});
  needless_.push_back(value);
  if (gain && *gain) needless_.push_back(*gain);
}

void Params::packing(Packing packing, std::initializer_list<Var> needless) {
  packings_.push_back(std::move(packing));
  needless_.insert(needless_.end(), needless);
}

int64_t Params::count() const {
  int64_t total = 0;
  for (const Parameter& p : parameters_) total += p.value->shape().size();
  return total;
}

Tensor Params::Weight::matrix() const {
  const NoGrad none;
  const bool normed = gain && *gain;
  const Tensor w = (normed ? weight_norm(*value, *gain) : *value).value();
  return w.reshaped({w.dim(0), w.size() / std::max<int64_t>(1, w.dim(0))});
}

void Params::prepare(Precision precision) const {
  prepare(precision, [=](const Weight& weight) {
    return PackedWeight(weight.matrix(), precision);
  });
}

void Params::prepare(Precision precision, const Packer& packer) const {
  for (const Weight& weight : weights_) {
    const PackedWeight packed = packer(weight);
    for (PackedWeight* layer : weight.packed) *layer = packed;
  }
  for (const Packing& packing : packings_) packing.prepare(precision);
}

void Params::forget_packed() const {
  for (const Weight& weight : weights_) {
    for (PackedWeight* layer : weight.packed) *layer = PackedWeight();
  }
  for (const Packing& packing : packings_) packing.forget();
}

bool Params::is_needless(const Var& parameter) const {
  return std::ranges::any_of(
      needless_, [&](const Var& other) { return parameter.shares(other); });
}

}  // namespace fovea
