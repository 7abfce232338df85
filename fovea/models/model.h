#pragma once

#include <cstdint>

#include "fovea/data/batch.h"
#include "fovea/layers/params.h"
#include "fovea/layers/pass.h"

namespace fovea {

// How a loss is taken.
struct LossOptions {
  float label_smoothing = 0.0f;
  bool smooth_all = false;  // the right word gets its share of it, too
  // Divides sums over rows. 0: by the rows of this batch.
  double normaliser = 0.0;
  float guided_alignment = 0.0f;  // weight of the loss against gold links
  // How often a decoder reads the gold word before, not one of its own.
  float teacher_forcing = 1.0f;
};

// What a batch cost.
struct BatchLoss {
  Var total;            // one number, to be made small
  double loss = 0;      // sum over rows, smoothed
  double nll = 0;       // sum of -log p(gold)
  int64_t rows = 0;     // words (or examples) judged
  int64_t correct = 0;  // rows whose gold scores highest
};

// What can be trained.
class Model {
 public:
  virtual ~Model() = default;
  virtual BatchLoss loss(const Batch& batch, const LossOptions& options,
                         const Pass& pass) const = 0;
  virtual void params(Params& p) = 0;
};

}  // namespace fovea
