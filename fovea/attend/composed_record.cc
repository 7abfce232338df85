// The records of a composed attention.
#include <string>
#include <vector>

#include "fovea/attend/composed_step.h"
#include "fovea/attend/pair_record.h"
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

void Composed::put_record(const Step& step, const Weights& weights,
                          std::vector<int> heads, const Pass& pass) const {
  RecordPlaces places{step.queries.of, {}, step.memory.kept};
  for (int b = 0; b < step.queries.of.count(); ++b) {
    places.keys.push_back(step.full_length(b));
  }
  pass.trace->add(
      pair_record(about(step, pass), std::move(heads), weights, places));
}

}  // namespace fovea
