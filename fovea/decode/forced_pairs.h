#pragma once

#include <functional>
#include <span>
#include <vector>

#include "fovea/attend/trace.h"
#include "fovea/decode/translator.h"
#include "fovea/decode/word_alignment.h"

namespace fovea {

// How many pairs are computed together: see SearchAllConfig.
struct ForcedBatch {
  int size = 64;
  int tokens = 4096;
};

// Pairs of texts, the second of which a model is made to write. Model and texts
// must outlive it.
class ForcedPairs {
 public:
  ForcedPairs(const TranslationModel& model,
              std::span<const ScoreRequest> pairs);

  // Calls use(pair, record, sequence) for every record of these layers that a
  // pair is a sequence of; pairs with a blank side are in none. A group of
  // pairs for each thread; `done` is told how many are finished, by one at a
  // time.
  using Use = std::function<void(size_t, const Record&, int)>;
  void record(const std::vector<Trace::Request>& layers,
              const ForcedBatch& batch, const Use& use,
              const std::function<void(int64_t)>& done = {}) const;

  // Attention of a pair, [target tokens + 1, source tokens + 1], by words.
  WordAlignment words(size_t pair, const Tensor& weights, int shift) const;

 private:
  const Seq2Seq& model_;
  std::span<const ScoreRequest> pairs_;
  std::vector<std::vector<Piece>> source_, target_;
};

}  // namespace fovea
