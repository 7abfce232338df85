#pragma once

#include "cli/train_config.h"
#include "fovea/models/seq2seq.h"

namespace fovea::cli {

// Training that goes on from a model there is: `config.start_from` is its
// folder.

// The model's sizes and vocabularies, before flags change what may be changed.
void start_config(TrainConfig& config);

// The model's weights. A usage error names the first one that has no place in
// `model`.
void start_weights(const TrainConfig& config, Seq2Seq& model);

}  // namespace fovea::cli
