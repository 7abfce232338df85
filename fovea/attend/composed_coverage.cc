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

Var column(const Var& x) { return reshape(x, {x.value().size(), 1}); }

// Results of steps, put into the order of the queries' rows: `order` says
// where each came from.
Var in_order(const std::vector<Var>& steps, const std::vector<int>& order) {
  return gather(concat_rows(steps), order);
}

}  // namespace

Var Composed::coverage_of(const Step& step) const {
  if (!config_.coverage) return {};
  const Segments all = step.numbers(config_.heads);
  const Carry carry =
      step.carry ? step.carry : Carry{Tensor::zeros({all.total()}), all};
  check(carry.of == all, "attend: the carry has ", carry.of.total(),
        " numbers for ", all.total(), " weights");
  const RowsOfStep running = rows_of_step(step.queries.of, 0);
  if (std::ssize(running.rows) == all.count()) return carry.values;
  return carry.select(running.sequences).values;
}

Carry Composed::carry_of(const Step& step, const Weights& weights) const {
  const Segments all = step.numbers(config_.heads);
  const Var sums = step.coverage + weights.values;
  const auto count = static_cast<int>(sums.value().size());
  if (count == all.total()) return {sums, all};
  const Var before =
      step.carry ? step.carry.values : Tensor::zeros({all.total()});
  std::vector<int> order;
  int next = 0;
  for (int b = 0; b < all.count(); ++b) {
    const bool runs = step.queries.of.length(b) > 0;
    for (int i = all.begin(b); i < all.end(b); ++i) {
      order.push_back(runs ? next++ : count + i);
    }
  }
  const Var kept = in_order({column(sums), column(before)}, order);
  return {reshape(kept, {all.total()}), all};
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
    last = attend(one, memory, last.carry, pass);
    contexts.push_back(last.context);
    for (size_t i = 0; i < step.rows.size(); ++i) {
      place[step.rows[i]] = done++;
      if (!queries.want_weights) continue;
      begin[step.rows[i]] = numbers + last.weights.pairs.begin(i, 0);
    }
    if (!queries.want_weights) continue;
    const Var& w = last.weights.values;
    numbers += w.value().size();
    weights.push_back(column(w));
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
