#pragma once

#include <vector>

#include "fovea/layers/convolution.h"
#include "fovea/layers/pass.h"

namespace fovea {

// What one layer of a stack of convolutions is.
struct ConvolutionSize {
  int width = 0;   // of its rows
  int kernel = 3;  // rows that it sees
};

// The layers of a stack, bottom first: `widths` and `kernels` name them one by
// one, where they are not empty; `layers` of `each` otherwise. `part` is for
// messages: "encode".
std::vector<ConvolutionSize> convolution_sizes(const std::string& part,
                                               int layers,
                                               const ConvolutionSize& each,
                                               const std::vector<int>& widths,
                                               const std::vector<int>& kernels);

struct GatedConvolutionConfig {
  int in = 0;
  ConvolutionSize size;
  Conv1dReach reach = Conv1dReach::kCentred;
  float dropout = 0.0f;  // of what it reads
};

// A layer of Gehring et al. 2017 (SPEC D7): dropout, a convolution to twice the
// width, a gated linear unit; all weights normalised.
class GatedConvolution {
 public:
  GatedConvolution() = default;
  GatedConvolution(const GatedConvolutionConfig& config, RandomKey key);

  Var operator()(const Var& x, const Segments& of, const Pass& pass) const;
  // For one row after another, without dropout. `before` [B,(kernel-1)*in] are
  // the rows read before x [B,in], zeros for those that are not there, and
  // becomes those before the next one. Empty where the kernel is 1.
  Var step(Var& before, const Var& x) const;
  int window() const { return (config_.size.kernel - 1) * config_.in; }
  // (x + y) sqrt(.5), where x is what the layer read.
  Var residual(const Var& x, const Var& y) const;
  int width() const { return config_.size.width; }
  void params(Params& p);

 private:
  GatedConvolutionConfig config_;
  Convolution convolution_;
  Linear project_;  // of the residual, where the width changes
};

// Keeps the variance of a sum of two rows that of one.
constexpr float kHalfRoot = 0.70710678f;

}  // namespace fovea
