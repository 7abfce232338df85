#pragma once

#include "fovea/models/model.h"

namespace fovea {

class Seq2Seq;

// Cross-entropy of a batch's target words, and what else its attention asks
// for: the alignment against gold links, the gradient of choices.
BatchLoss sequence_loss(const Seq2Seq& model, const Batch& batch,
                        const LossOptions& options, const Pass& pass);

}  // namespace fovea
