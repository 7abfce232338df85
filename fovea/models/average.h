#pragma once

#include <span>
#include <string>
#include <vector>

#include "fovea/io/safetensors.h"

namespace fovea {

// What a checkpoint of a training run has beside the weights: the optimiser's
// state, and under a parameter's name with this behind it its smoothed values.
constexpr const char* kOptimizerFile = "optimizer.safetensors";
constexpr const char* kSmoothed = "/smooth";

// The mean of the parameters and buffers of folders that have the same ones,
// models or checkpoints. Of a run that smooths its parameters, those count that
// it judges: the smoothed ones. A data error names the first tensor that a
// folder lacks or has in another shape.
std::vector<NamedTensor> mean_of_folders(std::span<const std::string> folders);

// Writes the folder of a model whose parameters are the mean of others':
// folders of models, or checkpoints of training runs (RUN/checkpoints/step-N).
// They must have the same parameters and vocabularies; config and vocabularies
// are the first one's. `to` must hold no model yet.
void average_models(std::span<const std::string> parts, const std::string& to);

}  // namespace fovea
