#include "fovea/decode/restriction.h"

#include <algorithm>
#include <limits>
#include <vector>

namespace fovea {
namespace {

constexpr float kNever = -std::numeric_limits<float>::infinity();

// Words that would end a run of so many which the ids have had.
void ban_repeats(const std::vector<int>& ids, int run, const auto& ban) {
  if (std::ssize(ids) < run) return;
  const auto tail = ids.end() - (run - 1);
  for (auto at = ids.begin(); at + run <= ids.end(); ++at) {
    if (std::equal(tail, ids.end(), at)) ban(at[run - 1]);
  }
}

}  // namespace

void Restriction::apply(const Scorer& scorer, int row, const Alive& h,
                        const WordChains& chains) const {
  const std::span<float> scores = scorer.row_scores(row);
  const auto ban = [&](int word) {
    const int column = scorer.column(row, word);
    if (column >= 0) scores[column] = kNever;
  };
  const int end = scorer.column(row, end_);
  const float end_score = scores[end];
  for (int word : config_.banned) ban(word);
  const bool is_short =
      config_.min_length > 0 && (h.length < config_.min_length || h.blank);
  if (is_short) ban(end_);
  if (config_.no_repeat_ngram > 0) {
    ban_repeats(chains.words(h.node, h.length), config_.no_repeat_ngram, ban);
  }
  const auto is_banned = [](float score) { return score == kNever; };
  if (is_short && std::ranges::all_of(scores, is_banned)) {
    scores[end] = end_score;
  }
}

}  // namespace fovea
