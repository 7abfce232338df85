#pragma once

#include <string>

#include "fovea/layers/params.h"

namespace fovea {

// All parameters and buffers as a safetensors file, replaced as a whole.
void save_parameters(const std::string& path, const Params& params);

// Fills in parameters and buffers. A data error names the first one that the
// file lacks, has in another shape, or has too many of; then nothing is
// changed.
void load_parameters(const std::string& path, const Params& params);

}  // namespace fovea
