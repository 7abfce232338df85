// The records of a composed attention.
#include <string>
#include <vector>

#include "fovea/attend/composed_step.h"
#include "fovea/attend/impose.h"
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

std::optional<Record::Vectors> Composed::vectors_of(const Step& step,
                                                    const Pass& pass) const {
  std::vector<AttentionSpan> none;
  const bool are_softmax_of_dots =
      parts_.score->dot_scale() && parts_.normaliser->is_softmax() &&
      parts_.extent->fused(none) && !parts_.position->biases() &&
      !parts_.select->acts(pass) && step.memory.kept.empty() &&
      !config_.exclude_self && !imposed(pass);
  if (!are_softmax_of_dots || !pass.trace->wants_vectors(pass.name())) {
    return {};
  }
  Record::Vectors vectors{
      .query = step.q.value(),
      .key = step.memory.keys.value(),
      .value = step.memory.values.value(),
      .keys_begin = {},
      .heads = score_sizes_.heads,
      .key_heads = score_sizes_.key_heads,
      .scale = *parts_.score->dot_scale() / config_.temperature};
  for (int s : step.sequence) {
    vectors.keys_begin.push_back(step.memory.rows[s].start);
  }
  return vectors;
}

std::optional<Record::Vectors> Composed::vectors(const Queries& queries,
                                                 const Memory& memory,
                                                 const Pass& pass) const {
  if (!pass.trace->wants_vectors(pass.name())) return {};
  return vectors_of(prepare_step(queries, memory, {}), pass);
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
  pass.trace->add(
      {about(step, pass), std::move(blocks), vectors_of(step, pass)});
}

void Composed::put_record(const Step& step, const Weights& weights,
                          std::vector<int> heads, const Pass& pass) const {
  RecordPlaces places{step.queries.of, {}, step.memory.kept};
  for (int b = 0; b < step.queries.of.count(); ++b) {
    places.keys.push_back(step.full_length(b));
  }
  pass.trace->add(pair_record(about(step, pass), std::move(heads), weights,
                              places, vectors_of(step, pass)));
}

}  // namespace fovea
