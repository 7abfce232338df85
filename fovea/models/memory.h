#pragma once

#include <cstdint>

#include "fovea/models/classifier_config.h"
#include "fovea/models/config.h"

namespace fovea {

// What training a model takes, in bytes.
struct TrainingMemory {
  int64_t fixed = 0;    // parameters, gradients, what an optimiser keeps, files
  int64_t a_token = 0;  // of a batch: one source and one target token
};

struct TrainingMemoryOptions {
  int copies = 2;       // of the parameters: value, gradient and so on
  int longest = 256;    // tokens of a sentence
  bool guided = false;  // attention is compared with links
};

// What a batch takes is measured by small ones, with one thread, so that it
// follows from sizes alone and the same command always gets the same batches.
// It holds for a batch of the longest sentences: where attention has no fused
// kernel, a token takes more the longer its sentence is.
TrainingMemory training_memory(const ModelConfig& config,
                               const TrainingMemoryOptions& options);
TrainingMemory training_memory(const ClassifierConfig& config,
                               const TrainingMemoryOptions& options);

// The tokens of a batch that fit into so many megabytes. A usage error if not
// even a short sentence does.
int tokens_that_fit(const TrainingMemory& memory, int64_t megabytes);

}  // namespace fovea
