#include "fovea/decode/attention_links.h"

#include <algorithm>

#include "fovea/base/check.h"
#include "fovea/decode/forced_attention.h"

namespace fovea {
namespace {

void check_choice(const Seq2Seq& model, const AttentionChoice& choice) {
  const std::vector<CrossAttention> all = cross_attentions(model);
  check_usage(!all.empty(),
              "this model has no attention, so it cannot align words");
  const bool known = std::ranges::any_of(all, [&](const CrossAttention& one) {
    return one.layer == choice.layer;
  });
  std::string names;
  for (const CrossAttention& one : all) names += " " + one.layer;
  check_usage(known, "this model has no attention '", choice.layer,
              "'; there are:", names);
}

}  // namespace

std::string choice_text(const AttentionChoice& choice) {
  std::string text = choice.layer + ", ";
  if (choice.heads.empty()) {
    text += "all heads";
  } else {
    text += choice.heads.size() == 1 ? "head" : "heads";
    for (int head : choice.heads) text += join(" ", head);
  }
  return text + join(", shift ", choice.shift);
}

WordLinks links_of(const WordAlignment& alignment,
                   const AttentionLinksConfig& config) {
  return config.threshold > 0 ? links_from(alignment, config.threshold)
                              : strongest_links(alignment);
}

std::vector<WordLinks> attention_links(
    const TranslationModel& model, std::span<const ScoreRequest> pairs,
    const AttentionChoice& choice, const AttentionLinksConfig& config,
    const std::function<void(int64_t)>& done) {
  check_usage(choice.shift == 0 || choice.shift == 1, "--shift ", choice.shift,
              ": give 0 or 1");
  check_choice(*model.model, choice);
  const ForcedPairs forced(model, pairs);
  std::vector<WordLinks> links(pairs.size());
  const auto use = [&](size_t pair, const Record& record, int sequence) {
    links[pair] = links_of(
        forced.words(pair, record.mean_weights(sequence), choice.shift),
        config);
  };
  forced.record({{choice.layer, choice.heads}}, config.batch, use, done);
  return links;
}

}  // namespace fovea
