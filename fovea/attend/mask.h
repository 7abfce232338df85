#pragma once

#include <string>

#include "fovea/attend/attention.h"
#include "fovea/layers/pass.h"

// Masks over the positions of images with channels last, [B,H,W,C]. Records and
// imposed weights see each image as one query, its positions as keys, row by
// row, and its mask's channels as heads.
namespace fovea {

struct Masked {
  Var features;  // [B,H,W,C]
  Var mask;      // [B,H,W,C], or [B,H,W,1] for all channels
};

// The mask, or what `pass` imposes in its place; records it if asked. `score`
// is for the record.
Var applied_mask(const Var& mask, const std::string& score, const Pass& pass);

}  // namespace fovea
