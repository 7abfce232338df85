#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "fovea/data/pharaoh.h"
#include "fovea/decode/forced_pairs.h"

namespace fovea {

// Which attention is taken for the alignment, and when (SPEC E2).
struct AttentionChoice {
  std::string layer;            // see cross_attentions()
  std::vector<int> heads = {};  // whose mean it is; empty: all
  // 0: of the step that writes a word; 1: of the next one, which reads it.
  int shift = 0;

  friend bool operator==(const AttentionChoice&,
                         const AttentionChoice&) = default;
};

// "decoder.layer.2.cross, heads 0 3, shift 1".
std::string choice_text(const AttentionChoice& choice);

struct AttentionLinksConfig {
  float threshold = 0;  // links of at least so much; 0: each word's strongest
  ForcedBatch batch = {};
};

// Word links of given translations, sorted, by the attention of a model that is
// made to write them. A pair with a blank side has none. A pair gets the same
// links alone or beside others, on any number of threads. A usage error if the
// model has no such layer or heads.
std::vector<WordLinks> attention_links(
    const TranslationModel& model, std::span<const ScoreRequest> pairs,
    const AttentionChoice& choice, const AttentionLinksConfig& config = {},
    const std::function<void(int64_t)>& done = {});

// The links of one pair.
WordLinks links_of(const WordAlignment& alignment,
                   const AttentionLinksConfig& config);

}  // namespace fovea
