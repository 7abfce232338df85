#pragma once

#include "fovea/attend/mask.h"
#include "fovea/base/fields.h"

namespace fovea {

// How the output of a mask branch becomes a mask (Wang et al. 2017).
enum class MaskNormaliser {
  kMixed,    // sigmoid(x)
  kChannel,  // x / |x|, over the channels of each position
  kSpatial,  // sigmoid of each channel of each image, standardised
};
constexpr EnumName<MaskNormaliser> kMaskNormalisers[] = {
    {MaskNormaliser::kMixed, "mixed"},
    {MaskNormaliser::kChannel, "channel"},
    {MaskNormaliser::kSpatial, "spatial"}};
constexpr auto& enum_names(MaskNormaliser) { return kMaskNormalisers; }

struct ResidualMaskConfig {
  MaskNormaliser normaliser = MaskNormaliser::kMixed;
  bool residual = true;

  void fields(auto&& field) {
    field("normaliser", normaliser, "how the branch becomes a mask");
    field("residual", residual, "(1 + mask) * trunk; else mask * trunk");
  }
};

// [B,H,W,C], of one shape.
Var normalised_mask(const Var& branch, MaskNormaliser normaliser);

// SPEC B11: (1 + M) * T of a trunk and a mask branch, [B,H,W,C] both.
Masked residual_attention(const Var& trunk, const Var& branch,
                          const ResidualMaskConfig& config, const Pass& pass);

}  // namespace fovea
