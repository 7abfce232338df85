#pragma once

#include <functional>
#include <span>
#include <vector>

#include "fovea/decode/beam.h"

namespace fovea {

struct SearchAllConfig {
  BeamConfig beam;
  int batch_size = 32;  // sentences
};

// The hypotheses of many sentences, without marks, in their order: those of
// like length together, longest first, a batch for each thread. An empty one
// gets an empty hypothesis. `done` is told how many sentences are finished, by
// one thread at a time.
std::vector<std::vector<Hypothesis>> search_all(
    const Seq2Seq& model, std::span<const std::vector<int>> sentences,
    const SearchAllConfig& config,
    const std::function<void(int64_t)>& done = {});

// Sentences with the end mark as one ragged batch.
Ids with_end(std::span<const std::vector<int>> sentences, int end);

}  // namespace fovea
