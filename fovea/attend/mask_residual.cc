#include "fovea/attend/mask_residual.h"

#include <cmath>
#include <vector>

#include "fovea/attend/impose.h"
#include "fovea/autograd/elementwise.h"
#include "fovea/autograd/gather.h"
#include "fovea/autograd/norm.h"
#include "fovea/autograd/reduce.h"
#include "fovea/base/check.h"

namespace fovea {
namespace {

constexpr float kSmallest = 1e-12f;  // keeps a row of zeros at zero
constexpr float kEpsilon = 1e-5f;    // of a variance

// |x| = sqrt(C) times the root of the mean square.
Var unit_rows(const Var& x) {
  const auto channels = static_cast<float>(x.value().cols());
  return scale(rms_norm(x, {}, kSmallest), 1 / std::sqrt(channels));
}

// Each column of each image: mean 0, variance 1.
Var standardised(const Var& x) {
  const int64_t positions = x.dim(1) * x.dim(2);
  const std::vector<int> lengths(x.dim(0), static_cast<int>(positions));
  const Segments images = Segments::from_lengths(lengths);
  const Var rows = reshape(x, {images.total(), x.dim(3)});
  const Var centred = rows - repeat_rows(segment_mean(rows, images), images);
  const Var variance = segment_mean(centred * centred, images);
  const Var inverse = exp(scale(log(shift(variance, kEpsilon)), -0.5f));
  return reshape(centred * repeat_rows(inverse, images), x.shape());
}

}  // namespace

Var normalised_mask(const Var& branch, MaskNormaliser normaliser) {
  check(branch.shape().rank() == 4, "residual attention: a mask of shape ",
        branch.shape(), ", expected [B, H, W, C]");
  switch (normaliser) {
    case MaskNormaliser::kChannel:
      return unit_rows(branch);
    case MaskNormaliser::kSpatial:
      return sigmoid(standardised(branch));
    default:
      return sigmoid(branch);
  }
}

Masked residual_attention(const Var& trunk, const Var& branch,
                          const ResidualMaskConfig& config, const Pass& pass) {
  check(trunk.shape() == branch.shape(),
        "residual attention: a trunk of shape ", trunk.shape(),
        " and a mask of shape ", branch.shape());
  const Var mask =
      applied_mask(normalised_mask(branch, config.normaliser),
                   FieldText<MaskNormaliser>::print(config.normaliser), pass);
  const Var features = (config.residual ? shift(mask, 1.0f) : mask) * trunk;
  return {impose_head_mask(features, trunk.dim(3), pass), mask};
}

}  // namespace fovea
