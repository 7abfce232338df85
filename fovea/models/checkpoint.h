#pragma once

#include <string>
#include <vector>

#include "fovea/io/safetensors.h"
#include "fovea/layers/params.h"

namespace fovea {

// All parameters and buffers as a safetensors file, replaced as a whole.
void save_parameters(const std::string& path, const Params& params);

// All parameters and buffers as they are now; the memory is theirs.
std::vector<NamedTensor> tensors_of(const Params& params);

// Fills in parameters and buffers. A data error names the first one that the
// file lacks, has in another shape, or has too many of; then nothing is
// changed.
void load_parameters(const std::string& path, const Params& params);

// A data error unless the file has a tensor of this name, type and shape.
void check_stored(const SafetensorsFile& file, const std::string& name,
                  const std::string& type, const Shape& shape);
// And unless it has so many in all.
void check_count(const SafetensorsFile& file, size_t tensors);

}  // namespace fovea
