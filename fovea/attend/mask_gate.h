#pragma once

#include <vector>

#include "fovea/attend/mask.h"
#include "fovea/base/fields.h"
#include "fovea/layers/batch_norm.h"
#include "fovea/layers/linear.h"

namespace fovea {

enum class GateMode { kSigmoid, kSoftmax };
constexpr EnumName<GateMode> kGateModes[] = {{GateMode::kSigmoid, "sigmoid"},
                                             {GateMode::kSoftmax, "softmax"}};
constexpr auto& enum_names(GateMode) { return kGateModes; }

struct MaskGateConfig {
  int hidden = 0;  // 0: half of x's channels
  int stride = 2;
  GateMode mode = GateMode::kSigmoid;
  bool transform = true;
  int gates = 2;

  void fields(auto&& field) {
    field("hidden", hidden, "channels that x and g meet in; 0: half of x's");
    field("stride", stride, "from x's grid to g's");
    field("mode", mode, "a mask for itself at each position, or over all");
    field("transform", transform, "1x1 convolution and batch norm at the end");
    field("gates", gates, "of a block of several gates");
  }
};

// Channels of the features that are gated, and of the signal that gates.
struct GateSizes {
  int x = 0, g = 0;
};

// SPEC B12: lets a coarse signal g [B,h,w,Cg] choose the positions of finer
// features x [B,H,W,Cx] (Oktay et al. 2018):
//   alpha = sigmoid(psi.relu(W_x x + W_g g + b_g) + b_psi)
// on the grid of W_x x, a convolution without bias whose window is its stride.
// W_g g is brought to this grid if its own is another one, then alpha to that
// of x, bilinearly. The result is the transform of alpha * x.
class MaskGate {
 public:
  MaskGate(const MaskGateConfig& config, const GateSizes& sizes, RandomKey key);

  Masked operator()(const Var& x, const Var& g, const Pass& pass) const;
  void params(Params& p);

 private:
  Var alpha(const Var& x, const Var& g) const;  // [B,H,W,1]

  MaskGateConfig config_;
  Var x_weight_;  // [hidden, stride, stride, Cx]
  Linear g_, psi_, out_;
  BatchNorm norm_;
};

// Several gates whose features, side by side, become those of one by a 1x1
// convolution, batch norm and relu.
class MaskGates {
 public:
  MaskGates(const MaskGateConfig& config, const GateSizes& sizes,
            RandomKey key);

  Var operator()(const Var& x, const Var& g, const Pass& pass) const;
  void params(Params& p);

 private:
  std::vector<MaskGate> gates_;
  Linear combine_;
  BatchNorm norm_;
};

}  // namespace fovea
