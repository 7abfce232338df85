#pragma once

#include <functional>
#include <span>
#include <vector>

#include "fovea/decode/groups.h"
#include "fovea/decode/search.h"

namespace fovea {

struct SearchAllConfig {
  SearchConfig search;
  int batch_size = 64;      // hypotheses at most, unless it is one sentence
  int batch_tokens = 4096;  // of their sources at most, unless it is one alone

  // Of a batch. What more hypotheses remember would leave the CPU's caches.
  GroupLimits limits() const;
};

// The hypotheses of many sentences, in their order: those of like length
// together, a batch for each thread. An empty one gets an empty
// hypothesis. `done` is told how many sentences are finished, by one thread at
// a time.
std::vector<std::vector<Hypothesis>> search_all(
    std::span<const Seq2Seq* const> models,
    std::span<const SearchSource> sources, const SearchAllConfig& config,
    const std::function<void(int64_t)>& done = {});

// The same on this thread, one batch after another, with a watcher or null.
std::vector<std::vector<Hypothesis>> search_in_turn(
    std::span<const Seq2Seq* const> models,
    std::span<const SearchSource> sources, const SearchAllConfig& config,
    SearchWatch* watch);

// Sentences without marks, numbered from 0, which must outlive the result.
std::vector<SearchSource> sources_of(
    std::span<const std::vector<int>> sentences);

// With the end mark, as one ragged batch.
Ids with_end_marks(std::span<const SearchSource> sources, const Seq2Seq& model);

}  // namespace fovea
