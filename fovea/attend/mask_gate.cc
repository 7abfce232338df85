#include "fovea/attend/mask_gate.h"

#include <algorithm>

#include "fovea/attend/impose.h"
#include "fovea/autograd/conv.h"
#include "fovea/autograd/elementwise.h"
#include "fovea/autograd/gather.h"
#include "fovea/autograd/image.h"
#include "fovea/autograd/softmax.h"
#include "fovea/base/check.h"
#include "fovea/layers/init.h"

namespace fovea {
namespace {

// A 1x1 convolution is a linear layer of all positions.
Linear he_linear(int64_t in, int64_t out, RandomKey key) {
  Linear layer(in, out, true, key);
  layer.weight = Var::parameter(he_init({out, in}, key));
  return layer;
}

Var rows_of(const Var& image) {
  return reshape(image,
                 {image.dim(0) * image.dim(1) * image.dim(2), image.dim(3)});
}

// Rows as an image with the grid of `like`.
Var image_of(const Var& rows, const Var& like) {
  return reshape(rows, {like.dim(0), like.dim(1), like.dim(2), rows.dim(1)});
}

Var brought_to(const Var& image, const Var& like) {
  if (image.dim(1) == like.dim(1) && image.dim(2) == like.dim(2)) return image;
  return resample(image, {.height = like.dim(1), .width = like.dim(2)});
}

void check_images(const Var& x, const Var& g) {
  check(x.shape().rank() == 4 && g.shape().rank() == 4 && x.dim(0) == g.dim(0),
        "gate: features of shape ", x.shape(), " and a signal of shape ",
        g.shape(), ", expected [B, H, W, C] both");
}

}  // namespace

MaskGate::MaskGate(const MaskGateConfig& config, const GateSizes& sizes,
                   RandomKey key)
    : config_(config) {
  check_usage(config.hidden >= 0, "hidden is ", config.hidden,
              ": give 0 or more");
  check_usage(config.stride >= 1, "stride is ", config.stride,
              ": give at least 1");
  const int hidden = config.hidden ? config.hidden : std::max(1, sizes.x / 2);
  x_weight_ = Var::parameter(
      he_init({hidden, config.stride, config.stride, sizes.x}, key.with("x")));
  g_ = he_linear(sizes.g, hidden, key.with("g"));
  psi_ = he_linear(hidden, 1, key.with("psi"));
  if (!config.transform) return;
  out_ = he_linear(sizes.x, sizes.x, key.with("out"));
  norm_ = BatchNorm(sizes.x);
}

Var MaskGate::alpha(const Var& x, const Var& g) const {
  const Var fine = conv2d(x, x_weight_, {}, {.stride = config_.stride});
  const Var coarse = brought_to(image_of(g_(rows_of(g)), g), fine);
  const Var q = psi_(rows_of(relu(fine + coarse)));  // [B h w,1]
  const Var by_image = reshape(q, {fine.dim(0), fine.dim(1) * fine.dim(2)});
  const Var weights = config_.mode == GateMode::kSigmoid ? sigmoid(by_image)
                                                         : softmax(by_image);
  return brought_to(image_of(reshape(weights, q.shape()), fine), x);
}

Masked MaskGate::operator()(const Var& x, const Var& g,
                            const Pass& pass) const {
  check_images(x, g);
  const Var mask =
      applied_mask(alpha(x, g), FieldText<GateMode>::print(config_.mode), pass);
  Var rows = scale_rows(rows_of(x), reshape(mask, {mask.value().size()}));
  rows = impose_head_mask(rows, 1, pass);
  if (config_.transform) rows = norm_(out_(rows), pass);
  return {image_of(rows, x), mask};
}

void MaskGate::params(Params& p) {
  p("x", x_weight_);
  p("g", g_);
  p("psi", psi_);
  if (!config_.transform) return;
  p("out", out_);
  p("norm", norm_);
}

MaskGates::MaskGates(const MaskGateConfig& config, const GateSizes& sizes,
                     RandomKey key)
    : norm_(sizes.x) {
  check_usage(config.gates >= 1, "gates is ", config.gates,
              ": give at least 1");
  for (int i = 0; i < config.gates; ++i) {
    gates_.emplace_back(config, sizes, key.with("gate").with(i));
  }
  combine_ = he_linear(config.gates * sizes.x, sizes.x, key.with("combine"));
}

Var MaskGates::operator()(const Var& x, const Var& g, const Pass& pass) const {
  std::vector<Var> gated;
  for (size_t i = 0; i < gates_.size(); ++i) {
    const Pass inner = pass.in("gate", static_cast<int>(i));
    gated.push_back(rows_of(gates_[i](x, g, inner).features));
  }
  return image_of(relu(norm_(combine_(concat_columns(gated)), pass)), x);
}

void MaskGates::params(Params& p) {
  for (size_t i = 0; i < gates_.size(); ++i) {
    p("gate." + std::to_string(i), gates_[i]);
  }
  p("combine", combine_);
  p("norm", norm_);
}

}  // namespace fovea
