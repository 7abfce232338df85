#include "fovea/decode/word_alignment.h"

#include <algorithm>

#include "fovea/data/word_ranges.h"

namespace fovea {
namespace {

// Gathers the attention of one target word after another.
class LinkGatherer {
 public:
  explicit LinkGatherer(WordAlignment& alignment)
      : alignment_(alignment), sums_(alignment.source.size() + 1) {}

  // One token of a target word.
  void add(int target, std::span<const int> source_words,
           std::span<const float> weights) {
    if (target != target_) finish();
    target_ = target;
    ++tokens_;
    for (size_t i = 0; i < source_words.size(); ++i) {
      sums_[source_words[i]] += weights[i];
    }
  }

  void finish() {
    const bool is_word = target_ < std::ssize(alignment_.target);
    for (size_t s = 0; tokens_ > 0 && s < sums_.size(); ++s) {
      const auto weight = static_cast<float>(sums_[s] / tokens_);
      if (is_word && weight > 0 && s < alignment_.source.size()) {
        alignment_.links.push_back({static_cast<int>(s), target_, weight});
      }
      sums_[s] = 0;
    }
    tokens_ = 0;
  }

 private:
  WordAlignment& alignment_;
  std::vector<double> sums_;  // the last: of no word
  int target_ = 0, tokens_ = 0;
};

}  // namespace

std::vector<TextRange> words_of(std::string_view text) {
  std::vector<TextRange> words;
  for (const auto& [begin, end] : word_ranges(text)) {
    words.push_back({begin, end});
  }
  return words;
}

std::vector<int> words_of_tokens(std::span<const TextRange> words,
                                 std::span<const Piece> tokens) {
  std::vector<int> all;
  for (const Piece& token : tokens) {
    const auto word = std::upper_bound(
        words.begin(), words.end(), token.begin,
        [](int begin, const TextRange& w) { return begin < w.end; });
    all.push_back(static_cast<int>(word - words.begin()));
  }
  return all;
}

WordAlignment align_words(std::string_view source,
                          const Translation& translation, int shift) {
  WordAlignment all{words_of(source), words_of(translation.text), {}};
  LinkGatherer gatherer(all);
  for (const TranslatedPart& part : translation.parts) {
    if (part.weights.empty()) continue;
    const std::vector<int> from = words_of_tokens(all.source, part.source);
    const std::vector<int> to = words_of_tokens(all.target, part.target);
    const std::span<const float> weights(part.weights);
    const size_t rows = weights.size() / part.keys();
    for (size_t t = 0; t < to.size() && t + shift < rows; ++t) {
      gatherer.add(to[t], from, weights.subspan((t + shift) * part.keys()));
    }
  }
  gatherer.finish();
  return all;
}

float weight_of(const WordAlignment& alignment, int source, int target) {
  const auto at =
      std::ranges::lower_bound(alignment.links, std::pair(target, source), {},
                               [](const WordAlignment::Link& l) {
                                 return std::pair(l.target, l.source);
                               });
  const bool is_there = at != alignment.links.end() && at->target == target &&
                        at->source == source;
  return is_there ? at->weight : 0;
}

std::vector<float> dense_weights(const WordAlignment& alignment) {
  const size_t columns = alignment.source.size();
  std::vector<float> weights(alignment.target.size() * columns);
  for (const WordAlignment::Link& link : alignment.links) {
    weights[link.target * columns + link.source] = link.weight;
  }
  return weights;
}

WordLinks strongest_links(const WordAlignment& alignment) {
  std::vector<const WordAlignment::Link*> best(alignment.target.size());
  for (const WordAlignment::Link& link : alignment.links) {
    const WordAlignment::Link*& b = best[link.target];
    if (b == nullptr || link.weight > b->weight) b = &link;
  }
  WordLinks links;
  for (const WordAlignment::Link* b : best) {
    if (b != nullptr) links.emplace_back(b->source, b->target);
  }
  std::sort(links.begin(), links.end());
  return links;
}

WordLinks links_from(const WordAlignment& alignment, float weight) {
  WordLinks links;
  for (const WordAlignment::Link& link : alignment.links) {
    if (link.weight >= weight) links.emplace_back(link.source, link.target);
  }
  std::sort(links.begin(), links.end());
  return links;
}

WordScores score_words(const Translation& translation) {
  const std::vector<TextRange> words = words_of(translation.text);
  std::vector<double> sums(words.size() + 1);
  for (const TranslatedPart& part : translation.parts) {
    const std::vector<int> word = words_of_tokens(words, part.target);
    for (size_t t = 0; t < part.log_probabilities.size(); ++t) {
      sums[t < word.size() ? word[t] : words.size()] +=
          part.log_probabilities[t];
    }
  }
  WordScores scores{{sums.begin(), sums.end() - 1}, 0};
  scores.end = static_cast<float>(sums.back());
  return scores;
}

}  // namespace fovea
