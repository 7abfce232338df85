#include "cli/alignment_map.h"

#include <vector>

#include "fovea/attend/trace.h"
#include "fovea/decode/search_all.h"

namespace fovea::cli {
namespace {

std::vector<std::string> labels(const Tokenizer& words, const Ids& ids) {
  std::vector<std::string> texts;
  for (int id : ids.ids) texts.push_back(words.piece(id));
  return texts;
}

Ids sentence(const Tokenizer& words, const std::string& text, int end) {
  return with_end(std::vector<std::vector<int>>{words.encode(text)}, end);
}

}  // namespace

Heatmap alignment_map(const Seq2Seq& model, const Tokenizer& source_words,
                      const Tokenizer& target_words, const std::string& source,
                      const std::string& target) {
  const NoGrad none;
  const Ids from = sentence(source_words, source, source_words.end());
  const Ids to = sentence(target_words, target, target_words.end());
  Trace trace({{.layer = model.alignment_layer()}});
  const Pass pass{.trace = &trace};
  model.forced(model.encode(from, pass), to, pass);
  if (trace.records().empty()) return {};  // a model without attention
  // A decoder that goes step by step leaves a record for each step.
  const int64_t keys = from.of.total();
  Tensor weights = Tensor::zeros({to.of.total(), keys});
  int64_t row = 0;
  for (const Record& record : trace.records()) {
    const Tensor mean = record.mean_weights(0);
    weights.row_range(row, row + mean.rows()).copy_from(mean);
    row += mean.rows();
  }
  Heatmap map = heatmap_of_weights(weights, labels(target_words, to),
                                   labels(source_words, from));
  map.row_name = "target";
  map.column_name = "source";
  return map;
}

}  // namespace fovea::cli
