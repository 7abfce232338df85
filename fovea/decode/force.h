#pragma once

#include <span>
#include <vector>

#include "fovea/decode/search.h"

namespace fovea {

// What models say of given translations, each without the end mark: the
// hypothesis that a search would give if it found just this one, finished. Of
// `config` counts what changes scores and what asks for weights. A word that a
// sentence's shortlist lacks has no probability. Prefixes are ignored.
std::vector<Hypothesis> force(std::span<const Seq2Seq* const> models,
                              std::span<const SearchSource> sources,
                              std::span<const std::vector<int>> targets,
                              const SearchConfig& config);

}  // namespace fovea
