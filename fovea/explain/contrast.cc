// Minimal pairs.
#include <algorithm>

#include "fovea/base/check.h"
#include "fovea/base/words.h"
#include "fovea/explain/faithfulness_words.h"
#include "fovea/explain/view.h"

namespace fovea {
namespace {

constexpr const char* kNoProof =
    "A difference of weights is no proof of a cause: the model may treat both "
    "sentences alike in all that follows.";

int only_difference(const std::vector<std::string_view>& a,
                    const std::vector<std::string_view>& b) {
  int at = -1, count = 0;
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    if (a[i] == b[i]) continue;
    at = static_cast<int>(i);
    ++count;
  }
  check_usage(a.size() == b.size() && count == 1,
              "a contrast wants two sentences that differ in one word; these "
              "have ",
              a.size(), " and ", b.size(), " words, ", count,
              " of them different");
  return at;
}

// Of the tokens of one word: the mean over them of what each head gives to each
// word, [heads, words].
Tensor from_word(const Explanation& e, const ExplainedLayer& layer, int word,
                 int64_t words) {
  const auto heads = std::ssize(layer.weights);
  Tensor all = Tensor::zeros({heads, words});
  const auto& of = e.source.words;
  const auto tokens = static_cast<float>(std::ranges::count(of, word));
  for (int64_t h = 0; h < heads; ++h) {
    const Tensor& w = layer.weights[h];
    for (int64_t i = 0; i < w.dim(0); ++i) {
      if (of[i] != word) continue;
      for (int64_t j = 0; j < w.cols(); ++j) {
        if (of[j] >= 0) all[h * words + of[j]] += w[i * w.cols() + j] / tokens;
      }
    }
  }
  return all;
}

const ExplainedLayer& contrast_layer(const Explanation& e,
                                     const std::string& name) {
  if (!name.empty()) {
    const ExplainedLayer& layer = layer_of(e, name);
    check_usage(
        layer.queries == Tokens::kSource && layer.keys == Tokens::kSource,
        "a contrast wants self-attention of the source; layer ", name,
        " is none");
    return layer;
  }
  const ExplainedLayer* top = nullptr;
  for (const ExplainedLayer& layer : e.layers) {
    if (layer.queries == Tokens::kSource) top = &layer;
  }
  check_usage(top,
              "a contrast wants self-attention of the source; this model "
              "has none");
  return *top;
}

}  // namespace

MapGroups contrast_maps(const Explanation& a, const Explanation& b,
                        const std::string& layer) {
  const auto first = split_words(a.source.text),
             second = split_words(b.source.text);
  const int at = only_difference(first, second);
  const auto count = std::ssize(first);
  const ExplainedLayer& of_a = contrast_layer(a, layer);
  const Tensor from_a = from_word(a, of_a, at, count);
  const Tensor from_b = from_word(b, contrast_layer(b, layer), at, count);
  std::vector<std::string> words(first.begin(), first.end()), heads;
  for (int64_t h = 0; h < from_a.dim(0); ++h) heads.push_back(join("head ", h));
  const auto map_of = [&](const Tensor& weights, std::string_view word) {
    words[at] = word;
    Heatmap map = heatmap_of_weights(weights, heads, words);
    map.title = join("From '", word, "'");
    map.note = of_a.name;
    map.row_name = "head", map.column_name = "word";
    map.caution = join(map_caution(a.faithfulness), " ", kNoProof);
    return map;
  };
  Heatmap difference = map_of(from_a, first[at]);
  for (int64_t i = 0; i < from_a.size(); ++i) {
    difference.values[i] = from_a[i] - from_b[i];
  }
  difference.title = join("'", first[at], "' less '", second[at], "'");
  difference.columns[at] = join(first[at], "/", second[at]);
  difference.range = ValueRange::kSymmetric;
  difference.marked.clear();
  return {{map_of(from_a, first[at]), map_of(from_b, second[at])},
          {std::move(difference)}};
}

}  // namespace fovea
