#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "fovea/decode/attention_links.h"

namespace fovea {

// How wrong the links of all pairs are; the smaller the better. Against gold
// links, or against what somebody else found.
using LinksError = std::function<double(std::span<const WordLinks>)>;

struct JudgedAttention {
  AttentionChoice choice;
  double error = 0;
};

struct ChooseAttentionConfig {
  std::optional<int> shift = {};  // none: the better one
  AttentionLinksConfig links = {};
};

// What attention of a model over the source aligns best: the mean of all heads
// of each layer and each head alone, both ways of timing; then heads join the
// best one as long as that helps. All that were tried, the best first; the
// first of equals. A usage error if the model has no attention.
std::vector<JudgedAttention> choose_attention(
    const TranslationModel& model, std::span<const ScoreRequest> pairs,
    const LinksError& error, const ChooseAttentionConfig& config = {});

}  // namespace fovea
