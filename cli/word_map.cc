#include "cli/word_map.h"

#include <string>
#include <vector>

#include "fovea/decode/word_alignment.h"

namespace fovea::cli {
namespace {

std::vector<std::string> labels(const std::vector<TextRange>& words,
                                std::string_view text) {
  std::vector<std::string> texts;
  for (const TextRange& word : words) texts.emplace_back(word.of(text));
  return texts;
}

}  // namespace

Heatmap word_map(std::string_view source, const Translation& translation) {
  const WordAlignment words = align_words(source, translation);
  const Tensor weights =
      Tensor::from({std::ssize(words.target), std::ssize(words.source)},
                   dense_weights(words));
  Heatmap map =
      heatmap_of_weights(weights, labels(words.target, translation.text),
                         labels(words.source, source));
  map.row_name = "words of the translation";
  map.column_name = "words of the sentence";
  return map;
}

}  // namespace fovea::cli
