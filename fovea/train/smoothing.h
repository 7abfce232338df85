#pragma once

#include <cstdint>
#include <vector>

#include "fovea/io/safetensors.h"
#include "fovea/layers/params.h"

namespace fovea {

// A running mean of the parameters, which often does better than the last ones.
class Smoothing {
 public:
  // A memory of 0 means none: nothing is kept, and swap() does nothing.
  Smoothing(float memory, const Params& params);

  // After a step, which count from 1. Young means forget faster.
  void update(int64_t step) const;
  // Puts the mean in the place of the parameters, and the other way round.
  void swap() const;
  // For checkpoints.
  std::vector<NamedTensor> tensors() const;

 private:
  float memory_;
  std::vector<Params::Parameter> parameters_;
  std::vector<Tensor> means_;
};

}  // namespace fovea
