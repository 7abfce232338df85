// Minimal pairs.
#include <algorithm>

#include "fovea/base/check.h"
#include "fovea/base/words.h"
#include "fovea/explain/view_parts.h"

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

// The token that belongs to no word: the end mark; -1 if there is none.
int64_t mark_of(const Explanation& e) {
  const auto& of = e.source.words;
  const auto found =
      std::ranges::find_if(of, [](int word) { return word < 0; });
  return found == of.end() ? -1 : found - of.begin();
}

// Of the tokens of one word: the mean over them of what each head gives to each
// word and, behind the last, to the end mark, [heads, words].
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
        const int64_t at = of[j] >= 0 ? of[j] : words - 1;
        all[h * words + at] += w[i * w.cols() + j] / tokens;
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

// Without what stands around a word.
std::string_view bare(std::string_view word) {
  constexpr std::string_view kAround = ".,;:!?()\"'";
  const size_t first = word.find_first_not_of(kAround);
  if (first == word.npos) return word;
  return word.substr(first, word.find_last_not_of(kAround) + 1 - first);
}

// One of two sentences, and the word that weights are from.
struct Side {
  const Explanation& e;
  const ExplainedLayer& layer;
  std::vector<std::string_view> words;
};

Heatmap side_map(const Side& side, int from, int changed,
                 const ContrastOptions& options) {
  std::vector<std::string> words(side.words.begin(), side.words.end());
  const int64_t mark = mark_of(side.e);
  if (mark >= 0) words.push_back(side.e.source.tokens[mark]);
  const Tensor weights = from_word(side.e, side.layer, from, std::ssize(words));
  Heatmap map = heatmap_of_weights(weights, numbered("head ", weights.dim(0)),
                                   std::move(words));
  map.title = join("From '", side.words[from], "'");
  if (from != changed) map.title += join(" with '", side.words[changed], "'");
  map.note = side.layer.name;
  map.row_name = "head", map.column_name = "word";
  side.layer.shown(options.head);  // throws if there is no such
  map.caution =
      join(heads_caution(side.e, side.layer, options.head), " ", kNoProof);
  return only_row(std::move(map), options.head);
}

}  // namespace

int named_word(const Explanation& e, const std::string& wanted) {
  const std::vector<std::string_view> words = split_words(e.source.text);
  std::vector<int> places;
  for (size_t i = 0; i < words.size(); ++i) {
    if (bare(words[i]) == bare(wanted)) places.push_back(static_cast<int>(i));
  }
  int number = -1;
  if (places.empty() && FieldText<int>::parse(wanted, number) && number >= 0 &&
      number < std::ssize(words)) {
    return number;
  }
  check_usage(!places.empty(), "--from-word ", wanted,
              ": the sentence has no such word");
  std::string numbers;
  for (const int place : places) numbers += join(" ", place);
  check_usage(places.size() == 1, "--from-word ", wanted, ": stands ",
              places.size(), " times; give its number, one of", numbers);
  return places.front();
}

MapGroups contrast_maps(const Explanation& a, const Explanation& b,
                        const ContrastOptions& options) {
  const Side first{a, contrast_layer(a, options.layer),
                   split_words(a.source.text)};
  const Side second{b, contrast_layer(b, options.layer),
                    split_words(b.source.text)};
  const int changed = only_difference(first.words, second.words);
  const int from =
      options.from_word.empty() ? changed : named_word(a, options.from_word);
  const Heatmap of_a = side_map(first, from, changed, options);
  const Heatmap of_b = side_map(second, from, changed, options);
  Heatmap difference = of_a;
  for (size_t i = 0; i < difference.values.size(); ++i) {
    difference.values[i] = of_a.values[i] - of_b.values[i];
  }
  const std::string_view one = first.words[changed],
                         two = second.words[changed];
  difference.title = join("'", one, "' less '", two, "'");
  if (from != changed) {
    difference.title =
        join("From '", first.words[from], "': ", difference.title);
  }
  difference.columns[changed] = join(one, "/", two);
  difference.range = ValueRange::kSymmetric;
  difference.marked.clear();
  return {{of_a, of_b}, {std::move(difference)}};
}

}  // namespace fovea
