#include "cli/alignment_map.h"

#include <vector>

#include "fovea/decode/force.h"
#include "fovea/decode/search_all.h"

namespace fovea::cli {
namespace {

// With the end mark.
std::vector<std::string> labels(const Tokenizer& words, std::vector<int> ids) {
  ids.push_back(words.end());
  std::vector<std::string> texts;
  for (int id : ids) texts.push_back(words.piece(id));
  return texts;
}

}  // namespace

Heatmap alignment_map(const Seq2Seq& model, const Tokenizer& source_words,
                      const Tokenizer& target_words, const std::string& source,
                      const std::string& target) {
  const std::vector<std::vector<int>> from{source_words.encode(source)},
      to{target_words.encode(target)};
  const Seq2Seq* models[] = {&model};
  const Hypothesis h =
      force(models, sources_of(from), to, {.want_weights = true}).front();
  if (h.weights.empty()) return {};  // a model without attention
  const Tensor weights =
      Tensor::from({h.length(), std::ssize(from[0]) + 1}, h.weights);
  Heatmap map = heatmap_of_weights(weights, labels(target_words, to[0]),
                                   labels(source_words, from[0]));
  map.row_name = "target";
  map.column_name = "source";
  return map;
}

}  // namespace fovea::cli
