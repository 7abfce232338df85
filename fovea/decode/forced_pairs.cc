#include "fovea/decode/forced_pairs.h"

#include "fovea/base/words.h"
#include "fovea/decode/clean_text.h"
#include "fovea/decode/forced_attention.h"
#include "fovea/decode/groups.h"

namespace fovea {

ForcedPairs::ForcedPairs(const TranslationModel& model,
                         std::span<const ScoreRequest> pairs)
    : model_(*model.model),
      pairs_(pairs),
      source_(pairs.size()),
      target_(pairs.size()) {
  constexpr int64_t kPairsOfThread = 32;  // at least
  const auto cut = [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      if (is_blank(pairs[i].source) || is_blank(pairs[i].target)) continue;
      source_[i] = clean_pieces(pairs[i].source, model.source);
      target_[i] = clean_pieces(pairs[i].target, model.target);
    }
  };
  parallel_for(std::ssize(pairs), kPairsOfThread, cut);
}

void ForcedPairs::record(const std::vector<Trace::Request>& layers,
                         const ForcedBatch& batch, const Use& use,
                         const std::function<void(int64_t)>& done) const {
  std::vector<int> lengths;  // with end marks
  for (size_t i = 0; i < pairs_.size(); ++i) {
    const bool none = source_[i].empty() || target_[i].empty();
    lengths.push_back(
        none ? 0 : static_cast<int>(source_[i].size() + target_[i].size()) + 2);
  }
  const auto work = [&](const Group& group) {
    std::vector<std::vector<int>> sources, targets;
    for (int i : group) {
      sources.push_back(ids_of(source_[i]));
      targets.push_back(ids_of(target_[i]));
    }
    Trace trace(layers);
    record_attention(model_, sources, targets, trace);
    for (const Record& record : trace.records()) {
      for (size_t b = 0; b < group.size(); ++b) {
        use(group[b], record, static_cast<int>(b));
      }
    }
  };
  run_in_groups(lengths, {batch.size, batch.tokens}, work, done);
}

WordAlignment ForcedPairs::words(size_t pair, const Tensor& weights,
                                 int shift) const {
  TranslatedPart part{.source = source_[pair], .target = target_[pair]};
  part.weights.assign(weights.span().begin(), weights.span().end());
  Translation translation{.text = pairs_[pair].target};
  translation.parts.push_back(std::move(part));
  return align_words(pairs_[pair].source, translation, shift);
}

}  // namespace fovea
