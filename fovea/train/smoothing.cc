#include "fovea/train/smoothing.h"

#include <algorithm>

#include "fovea/base/check.h"
#include "fovea/base/parallel.h"
#include "fovea/models/average.h"

namespace fovea {
namespace {

constexpr int64_t kGrain = 1 << 15;  // elements worth a thread

void mix(std::span<float> mean, std::span<const float> value, float memory) {
  parallel_for(std::ssize(mean), kGrain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      mean[i] += (1 - memory) * (value[i] - mean[i]);
    }
  });
}

}  // namespace

Smoothing::Smoothing(float memory, const Params& params) : memory_(memory) {
  check_usage(memory >= 0 && memory < 1, "--exponential-smoothing ", memory,
              ": give a number from 0 to below 1");
  if (memory == 0) return;
  parameters_ = params.parameters();
  for (const Params::Parameter& p : parameters_) {
    means_.push_back(p.value->value().clone());
  }
}

void Smoothing::update(int64_t step) const {
  const float young =
      static_cast<float>(step + 1) / static_cast<float>(step + 10);
  for (size_t i = 0; i < means_.size(); ++i) {
    mix(means_[i].span(), parameters_[i].value->value().span(),
        std::min(memory_, young));
  }
}

void Smoothing::swap() const {
  for (size_t i = 0; i < means_.size(); ++i) {
    const auto mean = means_[i].span();
    std::swap_ranges(mean.begin(), mean.end(),
                     parameters_[i].value->value().span().begin());
  }
}

std::vector<NamedTensor> Smoothing::tensors() const {
  std::vector<NamedTensor> all;
  for (size_t i = 0; i < means_.size(); ++i) {
    all.push_back({parameters_[i].name + kSmoothed, means_[i]});
  }
  return all;
}

}  // namespace fovea
