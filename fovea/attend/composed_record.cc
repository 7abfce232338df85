// The records of a composed attention.
#include <string>
#include <vector>

#include "fovea/attend/composed_step.h"
#include "fovea/attend/trace.h"

namespace fovea {
namespace {

std::vector<Pairs::Row> rows_of(const Pairs& pairs) {
  std::vector<Pairs::Row> rows;
  for (int64_t m = 0; m < pairs.rows(); ++m) rows.push_back(pairs.row(m));
  return rows;
}

}  // namespace

Record::About Composed::about(const Step& step, const Pass& pass) const {
  return {.name = pass.name(),
          .kind = std::string(step.queries.kind),
          .score = config_.score,
          .step = step.position.empty() ? 0 : step.position[0]};
}

void Composed::put_blocks(const Step& step, const Tensor& values,
                          std::vector<int> heads, const Pass& pass) const {
  Var narrowed;
  Record::Blocks blocks{.heads = std::move(heads),
                        .queries = step.queries.of,
                        .keys = {},
                        .values = values,
                        .visible = rows_of(pairs_of(step, narrowed))};
  for (int b = 0; b < step.queries.of.count(); ++b) {
    blocks.keys.push_back(step.full_length(b));
  }
  pass.trace->add({about(step, pass), std::move(blocks)});
}

// Spreads the weights of the pairs over blocks that have room for every key.
void Composed::put_record(const Step& step, const Weights& weights,
                          std::vector<int> heads, const Pass& pass) const {
  const Pairs& pairs = weights.pairs;
  const Tensor& w = weights.values.value();
  Record::Blocks blocks{.heads = std::move(heads),
                        .queries = step.queries.of,
                        .keys = {},
                        .values = {},
                        .visible = rows_of(pairs)};
  std::vector<int64_t> begin;
  int64_t total = 0;
  for (int b = 0; b < step.queries.of.count(); ++b) {
    blocks.keys.push_back(step.full_length(b));
    begin.push_back(total);
    total += std::ssize(blocks.heads) * step.queries.of.length(b) *
             blocks.keys.back();
  }
  blocks.values = Tensor::zeros({total});
  for (int b = 0; b < step.queries.of.count(); ++b) {
    float* to = blocks.values.data() + begin[b];
    for (int head : blocks.heads) {
      for (int m = step.queries.of.begin(b); m < step.queries.of.end(b); ++m) {
        const Pairs::Row& row = pairs.row(m);
        const float* from = w.data() + pairs.begin(m, head);
        for (int j = 0; j < row.keys; ++j) to[step.key_index(row, j)] = from[j];
        to += blocks.keys[b];
      }
    }
  }
  if (!step.memory.kept.empty()) {
    for (int b = 0; b < step.queries.of.count(); ++b) {
      for (int m = step.queries.of.begin(b); m < step.queries.of.end(b); ++m) {
        blocks.visible[m].keys = blocks.keys[b];
      }
    }
  }
  pass.trace->add({about(step, pass), std::move(blocks)});
}

}  // namespace fovea
