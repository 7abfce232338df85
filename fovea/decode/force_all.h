#pragma once

#include <functional>
#include <span>
#include <vector>

#include "fovea/decode/force.h"
#include "fovea/decode/search_all.h"

namespace fovea {

// What models say of many translations, in their order, a batch for each
// thread; see force() and search_all().
std::vector<Hypothesis> force_all(
    std::span<const Seq2Seq* const> models,
    std::span<const SearchSource> sources,
    std::span<const std::vector<int>> targets, const SearchAllConfig& config,
    const std::function<void(int64_t)>& done = {});

}  // namespace fovea
