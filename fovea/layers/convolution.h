#pragma once

#include "fovea/autograd/conv.h"
#include "fovea/base/rng.h"
#include "fovea/layers/linear.h"

namespace fovea {

struct ConvolutionConfig {
  int in = 0, out = 0;
  int taps = 3;  // rows that it sees
  Conv1dReach reach = Conv1dReach::kCentred;
  float deviation = 0.1f;  // of the first weights, which are normal
  bool normed = false;     // weight-normalised: see Linear
};

// A convolution along sequences, with a bias.
class Convolution {
 public:
  Convolution() = default;
  Convolution(const ConvolutionConfig& config, RandomKey key);

  Var operator()(const Var& x, const Segments& of) const;  // [N,in] -> [N,out]
  // Of windows whose rows are given side by side: [B,taps*in] -> [B,out].
  Var of_windows(const Var& windows) const;
  void params(Params& p);

 private:
  Var weights() const;  // [out,taps,in]
  // The window of every row, zeros beyond the ends of its sequence.
  Var windows(const Var& x, const Segments& of) const;

  ConvolutionConfig config_;
  Var weight_, bias_, gain_;
  PackedWeight packed_;
};

}  // namespace fovea
