// Coverage makes each step depend on the one before: all steps of a call are
// run one by one here.
#include <vector>

#include "fovea/attend/composed_step.h"
#include "fovea/autograd/elementwise.h"
#include "fovea/autograd/gather.h"
#include "fovea/base/check.h"

namespace fovea {
namespace {

// Step t of all query sequences: those that are over have no row.
struct RowsOfStep {
  std::vector<int> lengths, rows, sequences;
};

RowsOfStep rows_of_step(const Segments& of, int t) {
  RowsOfStep step;
  for (int b = 0; b < of.count(); ++b) {
    const bool runs = t < of.length(b);
    step.lengths.push_back(runs);
    if (!runs) continue;
    step.rows.push_back(of.begin(b) + t);
    step.sequences.push_back(b);
  }
  return step;
}

// Leaves empty what belongs to sequences that are over.
Carry of_running(const Carry& carry, const RowsOfStep& step) {
  if (!carry) return carry;
  Carry kept = carry.select(step.sequences);
  std::vector<int> lengths(step.lengths.size());
  for (int b : step.sequences) lengths[b] = carry.of.length(b);
  kept.of = Segments::from_lengths(lengths);
  return kept;
}

// Results of steps, put into the order of the queries' rows: `order` says
// where each came from.
Var in_order(const std::vector<Var>& steps, const std::vector<int>& order) {
  return gather(concat_rows(steps), order);
}

}  // namespace

Var Composed::coverage_of(const Step& step, const Pairs& pairs) const {
  if (!config_.coverage) return {};
  if (!step.carry) return Tensor::zeros({pairs.size()});
  check(step.carry.values.value().size() == pairs.size(),
        "attend: the carry has ", step.carry.values.value().size(),
        " numbers for ", pairs.size(), " weights");
  return step.carry.values;
}

Carry Composed::carry_of(const Step& step, const Weights& weights) const {
  const Pairs& pairs = weights.pairs;
  std::vector<int> lengths;
  for (int b = 0; b < step.queries.of.count(); ++b) {
    const bool runs = step.queries.of.length(b) > 0;
    const int keys = runs ? pairs.row(step.queries.of.begin(b)).keys : 0;
    lengths.push_back(pairs.heads() * keys);
  }
  return {coverage_of(step, pairs) + weights.values,
          Segments::from_lengths(lengths)};
}

Attended Composed::all_steps(const Queries& queries, const Memory& memory,
                             const Carry& carry, const Pass& pass) const {
  const Segments& of = queries.of;
  Attended last{{}, {}, carry};
  std::vector<Var> contexts, weights;
  std::vector<int> place(of.total());      // of each row in `contexts`
  std::vector<int64_t> begin(of.total());  // of its numbers in `weights`
  int done = 0;
  int64_t numbers = 0;
  for (int t = 0; t < of.longest(); ++t) {
    const RowsOfStep step = rows_of_step(of, t);
    std::vector<int> positions(of.count());
    for (int b = 0; b < of.count(); ++b) {
      positions[b] = t + (queries.position.empty() ? 0 : queries.position[b]);
    }
    Queries one{.rows = gather(queries.rows, step.rows),
                .of = Segments::from_lengths(step.lengths),
                .memory = queries.memory,
                .position = positions,
                .want_weights = queries.want_weights,
                .kind = queries.kind};
    last = attend(one, memory, of_running(last.carry, step), pass);
    contexts.push_back(last.context);
    for (size_t i = 0; i < step.rows.size(); ++i) {
      place[step.rows[i]] = done++;
      if (!queries.want_weights) continue;
      begin[step.rows[i]] = numbers + last.weights.pairs.begin(i, 0);
    }
    if (!queries.want_weights) continue;
    const Var& w = last.weights.values;
    numbers += w.value().size();
    weights.push_back(reshape(w, {w.value().size(), 1}));
  }
  Attended all{in_order(contexts, place), {}, last.carry};
  if (!queries.want_weights) return all;
  Var narrowed;
  all.weights.pairs = pairs_of(prepare_step(queries, memory, carry), narrowed);
  const Pairs& pairs = all.weights.pairs;
  std::vector<int> order;
  for (int64_t m = 0; m < pairs.rows(); ++m) {
    const int64_t count = int64_t{pairs.heads()} * pairs.row(m).keys;
    for (int64_t i = 0; i < count; ++i) {
      order.push_back(static_cast<int>(begin[m] + i));
    }
  }
  all.weights.values = reshape(in_order(weights, order), {pairs.size()});
  return all;
}

}  // namespace fovea
