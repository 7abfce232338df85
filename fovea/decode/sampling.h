#pragma once

#include <span>

#include "fovea/decode/search_config.h"

namespace fovea {

// A column drawn by its probability under temperature, top_k and top_p.
// `scores` need not be normalised; minus infinity is never drawn, and one is
// not. `uniform` is a random number in (0, 1).
int draw(std::span<const float> scores, const SearchConfig& config,
         float uniform);

}  // namespace fovea
