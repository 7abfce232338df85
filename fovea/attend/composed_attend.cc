// How a composed attention runs.
#include <algorithm>
#include <limits>
#include <numeric>

#include "fovea/attend/composed_step.h"
#include "fovea/attend/impose.h"
#include "fovea/attend/trace.h"
#include "fovea/autograd/attention.h"
#include "fovea/autograd/elementwise.h"
#include "fovea/autograd/gather.h"
#include "fovea/autograd/reduce.h"
#include "fovea/autograd/topk_attention.h"
#include "fovea/base/check.h"

namespace fovea {
namespace {

constexpr float kHidden = -std::numeric_limits<float>::infinity();

// What hides each query's own position.
Tensor own_positions(const Pairs& pairs) {
  Tensor mask = Tensor::zeros({pairs.size()});
  for (int64_t m = 0; m < pairs.rows(); ++m) {
    const Pairs::Row& row = pairs.row(m);
    const int own = row.position - row.first;
    if (own < 0 || own >= row.keys) continue;
    for (int h = 0; h < pairs.heads(); ++h)
      mask[pairs.begin(m, h) + own] = kHidden;
  }
  return mask;
}

// Throws if all keys of a query are hidden by their scores.
void check_rows_see_keys(const Var& scores, const Pairs& pairs) {
  const Segments& of = pairs.segments();
  const Tensor& s = scores.value();
  for (int i = 0; i < of.count(); ++i) {
    const float* begin = s.data() + of.begin(i);
    check(std::any_of(begin, begin + of.length(i),
                      [](float e) { return e != kHidden; }),
          "attend: a query at position ", pairs.row(i / pairs.heads()).position,
          " fits no key, and empty-row is 'error'");
  }
}

// Neighbours that see the same keys, such as the beams of one sentence, become
// one span: the kernel reads those keys once.
void join_spans(std::vector<AttentionSpan>& spans) {
  size_t last = 0;
  for (size_t i = 1; i < spans.size(); ++i) {
    AttentionSpan& open = spans[last];
    const AttentionSpan& next = spans[i];
    if (next.key == open.key && next.keys == open.keys &&
        next.query == open.query + open.queries) {
      open.queries += next.queries;
    } else {
      spans[++last] = next;
    }
  }
  if (!spans.empty()) spans.resize(last + 1);
}

// SPEC B16: what a key gets again.
Var coverage_loss(const Var& weights, const Var& coverage) {
  return sum(weights - relu(weights - coverage));
}

}  // namespace

Composed::Step Composed::prepare_step(const Queries& queries,
                                      const Memory& memory,
                                      const Carry& carry) const {
  const Segments& of = queries.of;
  check(queries.rows.dim(0) == of.total(), "attend: ", queries.rows.dim(0),
        " queries in sequences of ", of.total());
  check(queries.memory.empty() ? of.count() == std::ssize(memory.rows)
                               : std::ssize(queries.memory) == of.count(),
        "attend: ", of.count(), " query sequences for ",
        queries.memory.empty() ? memory.rows.size() : queries.memory.size(),
        " memory sequences");
  check(queries.position.empty() || std::ssize(queries.position) == of.count(),
        "attend: ", queries.position.size(), " positions for ", of.count(),
        " query sequences");
  Step step{queries, memory, carry, {}, {}, {}, {}};
  std::vector<int> positions;
  for (int b = 0; b < of.count(); ++b) {
    const int s = queries.memory.empty() ? b : queries.memory[b];
    check(s >= 0 && s < std::ssize(memory.rows), "attend: memory sequence ", s,
          " of ", memory.rows.size());
    step.sequence.push_back(s);
    step.position.push_back(!queries.position.empty() ? queries.position[b]
                            : config_.causal
                                ? memory.rows[s].length - of.length(b)
                                : 0);
    for (int i = 0; i < of.length(b); ++i) {
      positions.push_back(step.position[b] + i);
    }
  }
  const Var placed = parts_.position->add_to(queries.rows, positions);
  const Var projected = query_ ? query_(placed) : placed;
  step.q = parts_.position->turn(parts_.score->prepare_queries(projected),
                                 positions, score_sizes_.heads);
  return step;
}

Attended Composed::attend(const Queries& queries, const Memory& memory,
                          const Carry& carry, const Pass& pass) const {
  if (config_.coverage && queries.of.longest() > 1) {
    return all_steps(queries, memory, carry, pass);
  }
  Step step = prepare_step(queries, memory, carry);
  step.coverage = coverage_of(step);
  if (!has_fused_kernel(step, pass)) return general(step, pass);
  return {finish(fused(step, pass), pass), {}, {}};
}

Pairs Composed::pairs_of(const Step& step, Var& narrowed) const {
  std::vector<Pairs::Row> rows;
  for (size_t b = 0; b < step.sequence.size(); ++b) {
    const RowRange& all = step.memory.rows[step.sequence[b]];
    const int keys = std::min(all.length, parts_.score->longest());
    for (int i = 0; i < step.queries.of.length(static_cast<int>(b)); ++i) {
      rows.push_back({.key = all.start,
                      .keys = keys,
                      .first = 0,
                      .position = step.position[b] + i});
    }
  }
  narrowed = parts_.extent->narrow(step.queries.rows, rows);
  for (Pairs::Row& row : rows) {
    if (config_.causal) {
      row.keys = std::clamp(row.position + 1 - row.first, 0, row.keys);
    }
    check(row.keys > 0 || config_.empty_row == EmptyRow::kZeros,
          "attend: a query at position ", row.position,
          " sees no key, and empty-row is 'error'");
  }
  return {std::move(rows), score_sizes_.heads, score_sizes_.key_heads};
}

bool Composed::top_is_fused(const Pass& pass) const {
  const bool drops = pass.training && config_.dropout > 0;
  return parts_.normaliser->top() > 0 && !drops;
}

// The combinations that have a fused kernel.
bool Composed::has_fused_kernel(const Step& step, const Pass& pass) const {
  std::vector<AttentionSpan> none;
  return parts_.score->dot_scale() && parts_.extent->fused(none) &&
         (parts_.normaliser->is_softmax() || top_is_fused(pass)) &&
         !parts_.select->acts(pass) && parts_.position->slopes() &&
         !config_.exclude_self && config_.empty_row == EmptyRow::kZeros &&
         !step.queries.want_weights && !imposed(pass);
}

Var Composed::fused(const Step& step, const Pass& pass) const {
  std::vector<AttentionSpan> spans;
  for (int b = 0; b < step.queries.of.count(); ++b) {
    const RowRange& keys = step.memory.rows[step.sequence[b]];
    spans.push_back({step.queries.of.begin(b), step.queries.of.length(b),
                     keys.start, keys.length, step.position[b]});
  }
  const size_t sequences = spans.size();
  const Extent::Window window = *parts_.extent->fused(spans);
  std::vector<int> heads = traced_heads(pass, config_.heads);
  const int top = parts_.normaliser->top();
  const bool blocks =
      spans.size() == sequences && step.memory.kept.empty() && top == 0;
  std::vector<float> slopes = *parts_.position->slopes();
  for (float& slope : slopes) slope /= config_.temperature;
  const bool places_matter = config_.causal || window.left >= 0 ||
                             window.right >= 0 || !slopes.empty();
  if (!places_matter && !pass.training && heads.size() <= 1) join_spans(spans);
  AttentionConfig config{
      .heads = score_sizes_.heads,
      .kv_heads = score_sizes_.key_heads,
      .scale = *parts_.score->dot_scale() / config_.temperature,
      .causal = config_.causal,
      .window_left = window.left,
      .window_right = window.right,
      .alibi = slopes,
      .dropout = pass.training ? config_.dropout : 0.0f,
      .key = weights_key(step, pass),
      .weight_heads = blocks ? heads : std::vector<int>{}};
  const Var &k = step.memory.keys, &v = step.memory.values;
  const AttentionOutput out =
      top > 0 ? AttentionOutput{topk_attention(step.q, k, v, std::move(spans),
                                               config, top),
                                {}}
              : attention(step.q, k, v, std::move(spans), config);
  if (!heads.empty() && blocks) {
    put_blocks(step, out.weights, std::move(heads), pass);
  } else if (!heads.empty()) {
    const NoGrad no_grad;
    put_record(step, weights_of(step, pass), std::move(heads), pass);
  }
  return out.context;
}

Position::Pairing Composed::pairing(const Step& step,
                                    const Pairs& pairs) const {
  return {step.q, pairs, parts_.score->dot_scale().value_or(1.0f),
          step.queries.relation};
}

Weights Composed::weights_of(const Step& step, const Pass& pass) const {
  Var narrowed;
  Pairs pairs = pairs_of(step, narrowed);
  Var w = parts_.score->score(step.q, step.memory.keys, pairs, step.coverage);
  Var scores;
  if (parts_.score->kind() != ScoreKind::kWeight) {
    w = parts_.position->bias(w, pairing(step, pairs));
    if (config_.temperature != 1) w = scale(w, 1 / config_.temperature);
    if (config_.exclude_self) w = w + own_positions(pairs);
    w = parts_.select->adjust_scores(w, pairs, step.memory, pass);
    scores = w;
    if (config_.empty_row == EmptyRow::kError) check_rows_see_keys(w, pairs);
    w = parts_.normaliser->weights(w, pairs);
  }
  w = parts_.extent->adjust(w, pairs, narrowed);
  w = parts_.select->choose(w, pairs, step.queries.of, pass);
  w = impose_weights(w, pairs, pass);
  return {w, std::move(pairs), scores};
}

// Steps of a decoder are calls of their own: each drops other weights.
RandomKey Composed::weights_key(const Step& step, const Pass& pass) const {
  const bool is_step = step.queries.of.longest() == 1;
  const auto position = static_cast<uint64_t>(is_step ? step.position[0] : 0);
  return (is_step ? pass.key.with(position) : pass.key).with("weights");
}

Attended Composed::general(const Step& step, const Pass& pass) const {
  const Weights weights = weights_of(step, pass);
  const Var& w = weights.values;
  const Pairs& pairs = weights.pairs;
  std::vector<int> heads = traced_heads(pass, config_.heads);
  if (!heads.empty()) put_record(step, weights, std::move(heads), pass);
  const bool drops = pass.training && config_.dropout > 0;
  const Var dropped =
      drops ? dropout(w, config_.dropout, weights_key(step, pass)) : w;
  Var context = pair_sum(dropped, step.memory.values, pairs);
  context = parts_.position->add_values(context, dropped, pairing(step, pairs));
  Attended out{finish(context, pass), {}, {}};
  if (step.queries.want_weights) out.weights = weights;
  if (!config_.coverage) return out;
  if (pass.losses) {
    pass.losses->push_back({"coverage", coverage_loss(w, step.coverage)});
  }
  out.carry = carry_of(step, weights);
  return out;
}

Var Composed::finish(Var context, const Pass& pass) const {
  context = impose_head_mask(context, config_.heads, pass);
  return out_ ? out_(context) : context;
}

}  // namespace fovea
