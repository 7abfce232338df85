#pragma once

#include <cstdint>

#include "fovea/models/classifier_config.h"
#include "fovea/models/config.h"

namespace fovea {

// What training a model takes, in bytes. Follows from sizes alone, so that the
// same command always gets the same batches.
struct TrainingMemory {
  int64_t fixed = 0;    // parameters, gradients and what an optimiser keeps
  int64_t a_token = 0;  // of a batch: one source and one target token
};

// Of the parameters: value, gradient, up to 3 of an optimiser's state,
// smoothed.
constexpr int kTrainingCopies = 6;
// `copies` of the parameters: value, gradient and the optimiser's state.
TrainingMemory training_memory(const ModelConfig& config, int copies);
TrainingMemory training_memory(const ClassifierConfig& config, int copies);

// The tokens of a batch that fit into so many megabytes. A usage error if not
// even a short sentence does.
int tokens_that_fit(const TrainingMemory& memory, int64_t megabytes);

}  // namespace fovea
