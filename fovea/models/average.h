#pragma once

#include <span>
#include <string>
#include <vector>

#include "fovea/io/safetensors.h"

namespace fovea {

// The mean of the tensors of files that have the same ones. A data error names
// the first that a file lacks or has in another shape.
std::vector<NamedTensor> mean_of_files(std::span<const std::string> paths);

// Writes the folder of a model whose parameters are the mean of others':
// folders of models, or checkpoints of training runs (RUN/checkpoints/step-N).
// They must have the same parameters and vocabularies; config and vocabularies
// are the first one's. `to` must hold no model yet.
void average_models(std::span<const std::string> parts, const std::string& to);

}  // namespace fovea
