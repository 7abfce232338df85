#pragma once

#include <string_view>

#include "fovea/decode/translation.h"
#include "fovea/explain/heatmap.h"

namespace fovea::cli {

// Where a model looked while it translated, from words to words. The
// translation must have weights.
Heatmap word_map(std::string_view source, const Translation& translation);

}  // namespace fovea::cli
